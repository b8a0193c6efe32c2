"""Exported scripts, unpacked and run."""

import contextlib
import io
import json
import os
import subprocess
import sys
import zipfile

from bnpexplorer.evaluate import topics_in_use
from bnpexplorer.export import recreation


def found_in(printed):
    """The one line of JSON, and all that was printed."""
    (found,) = [line for line in printed.splitlines() if line.startswith("{")]
    return json.loads(found), printed


def execute_alone(folder, root):
    """Run run.py of a folder in a process of its own, with the package as it lies here and not one
    that may be installed."""
    done = subprocess.run(
        [sys.executable, "run.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(root)},
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return found_in(done.stdout)


def execute(folder, code=None):
    """Run run.py of a folder, or this program, in the folder and this process."""
    code = (folder / "run.py").read_text(encoding="utf-8") if code is None else code
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "run.py", "exec"), {"__name__": "__main__"})
    return found_in(printed.getvalue())


def unpacked(result, folder):
    with zipfile.ZipFile(io.BytesIO(recreation(result))) as archive:
        archive.extractall(folder)
    return folder


def numbers(result):
    return {"heldout": result.score, "topics": topics_in_use(result.snapshot.topics)}
