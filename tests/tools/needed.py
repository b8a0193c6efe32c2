"""Which kernels a run of each method calls: `python -m tests.tools.needed` writes it down anew."""

import json
import subprocess
import sys

from bnpexplorer.methods import METHODS
from bnpexplorer.runs.warming import NEEDED

# A process that has called nothing before, of which each method has a fork.
PROGRAM = """
import json, os, sys
from bnpexplorer.kernels.kept import called
from bnpexplorer.methods import METHODS
from bnpexplorer.runs.warming import warm
for name in sys.argv[1:]:
    if not (pid := os.fork()):
        warm(METHODS[name]())
        print(json.dumps([name, called()]), flush=True)
        os._exit(0)
    os.waitpid(pid, 0)
"""


def called_by(*names: str) -> dict[str, list[str]]:
    """The kernels that a run of each of these methods calls."""
    command = [sys.executable, "-c", PROGRAM, *names]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(line) for line in done.stdout.splitlines())


if __name__ == "__main__":
    called_by(*METHODS)  # what must be compiled calls more than what is loaded
    NEEDED.write_text(json.dumps(called_by(*METHODS), indent=1) + "\n", encoding="utf-8")
