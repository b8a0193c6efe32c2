"""`doctor`: what is here, what is missing, and what of this machine the app may use."""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from ..core.environment import usable_cores, usual_threads
from ..core.folders import app_folder, writable
from ..core.memory import megabytes, shortage, usable_memory
from ..core.requirements import Requirement, requirements
from ..core.store import home
from ..core.versions import version
from ..kernels.cache import CACHE_FOLDER
from ..runs.limits import memory_limit

WIDTH = 20


def add_doctor(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_doctor)


def _doctor(_: argparse.Namespace) -> int:
    needed = requirements()
    lacking = [one for one in needed if not one.extra and (one.is_old or not one.found)]
    _print("bnpexplorer", version())
    _print("Python", sys.version.split()[0])
    for one in needed:
        _print(one.name, _said_of(one))
    print()
    _print("compiled kernels", _said_of_folder(Path(CACHE_FOLDER)))
    _print("the app starts in", _said_of_folder(app_folder()))
    _print("saved runs", _said_of_folder(home()))
    _print("temporary files", _said_of_folder(Path(tempfile.gettempdir())))
    print()
    memory = usable_memory()
    _print("memory", f"{megabytes(memory)}, of which a run may take {megabytes(memory_limit())}")
    _print("cores", usable_cores())
    _print("threads of runs", usual_threads())
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    _print("browser for tests", browser or "none found (only the browser tests need one)")
    if shortage(memory):
        print(f"\n{shortage(memory)}")
    if lacking:
        print(f"\nMissing: {', '.join(one.name for one in lacking)}. Install with:")
        print("python -m pip install " + " ".join(f'"{one}"' for one in lacking))
        return 1
    print("\nNothing is missing.")
    return 0


def _print(what: str, said: object) -> None:
    print(f"{what:<{WIDTH}} {said}")


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
    there = next(one for one in (folder, *folder.parents) if one.exists())
    return str(folder) if writable(there) else f"{folder}, where nothing can be written"
