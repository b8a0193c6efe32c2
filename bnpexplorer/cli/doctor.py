"""`doctor`: what is here, what is missing, and what of this machine the app may use."""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from ..core.environment import megabytes, shortage, usable_cores, usable_memory, usual_threads
from ..core.installation import Requirement, app_folder, requirements, version, writable
from ..core.store import home
from ..kernels.cache import CACHE_FOLDER
from ..runs.limits import memory_limit
from .printing import Out

WIDTH = 20


def doctor(options: argparse.Namespace) -> int:
    out, needed, memory = Out(options), requirements(), usable_memory()
    lacking = [one for one in needed if not one.extra and (one.is_old or not one.found)]
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    folders = {
        "compiled kernels": Path(CACHE_FOLDER),
        "the app starts in": app_folder(),
        "saved runs": home(),
        "temporary files": Path(tempfile.gettempdir()),
    }
    out.say(_line("bnpexplorer", version()), _line("Python", sys.version.split()[0]))
    out.say(*(_line(one.name, _said_of(one)) for one in needed), "")
    out.say(*(_line(what, _said_of_folder(folder)) for what, folder in folders.items()), "")
    out.say(
        _line(
            "memory", f"{megabytes(memory)}, of which a run may take {megabytes(memory_limit())}"
        ),
        _line("cores", usable_cores()),
        _line("threads of runs", usual_threads()),
        _line("browser for tests", browser or "none found (only the browser tests need one)"),
    )
    if shortage(memory):
        out.say(f"\n{shortage(memory)}")
    if lacking:
        install = "python -m pip install " + " ".join(f'"{one}"' for one in lacking)
        out.say(f"\nMissing: {', '.join(one.name for one in lacking)}. Install with:", install)
    else:
        out.say("\nNothing is missing.")
    out.give(
        {
            "bnpexplorer": version(),
            "python": sys.version.split()[0],
            "packages": {one.name: one.found or None for one in needed},
            "missing": [str(one) for one in lacking],
            "folders": {
                what: {"path": folder, "writable": writable(_there(folder))}
                for what, folder in folders.items()
            },
            "memory_bytes": memory,
            "run_memory_bytes": memory_limit(),
            "cores": usable_cores(),
            "threads": usual_threads(),
            "browser": browser,
            "shortage": shortage(memory) or None,
        }
    )
    return 1 if lacking else 0


def _line(what: str, said: object) -> str:
    return f"{what:<{WIDTH}} {said}"


def _said_of(one: Requirement) -> str:
    if not one.found:
        return f"not there (extra {one.extra})" if one.extra else "missing"
    if one.is_old:
        return f"{one.found}, which is too old: the tests have passed with {one.bounds}"
    if one.is_new:
        return f"{one.found}, newer than what the tests have passed with ({one.bounds})"
    return one.found + (f" (extra {one.extra})" if one.extra else "")


def _said_of_folder(folder: Path) -> str:
    """Without making it: what is private is made by whoever writes there, and no other way."""
    return str(folder) if writable(_there(folder)) else f"{folder}, where nothing can be written"


def _there(folder: Path) -> Path:
    """The folder, or the nearest above it that there is."""
    return next(one for one in (folder, *folder.parents) if one.exists())
