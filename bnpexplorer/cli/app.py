"""`app`: the app in the browser, from the repository or from the installed package."""

import argparse
import contextlib
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ..core.environment import shortage, usable_memory, usual_threads
from ..core.installation import TOP, app_folder
from ..core.store import replacing

CARRIED_ALONG = ("app.py", ".streamlit/config.toml")


def app(options: argparse.Namespace) -> int:
    return open_app(options_of_streamlit("app", options.streamlit))


def options_of_streamlit(command: str, given: Sequence[str]) -> Sequence[str]:
    """What was given after two dashes. Raises ValueError for a word that begins no option."""
    if given and not given[0].startswith("-"):
        raise ValueError(
            f"{command} does not know {given[0]}; `{command} --help` says what there is. Options "
            f"of Streamlit stand after two dashes, as in `{command} -- --server.port 8502`."
        )
    return given


def open_app(options: Sequence[str] = ()) -> int:
    """Run the app with these options of `streamlit run` until it is stopped; its exit status.

    Takes the place of this process where the system can: what stops it (a service manager, say)
    then reaches the app, which pauses its runs.

    Raises OSError where neither the user's cache nor the folder for temporary files can be written,
    and what `usual_threads` does.
    """
    usual_threads()  # mistyped, it is refused here and not on a page
    if said := shortage(usable_memory()):
        print(f"bnpexplorer: {said}", file=sys.stderr, flush=True)
    # -P: what lies in the folder where one stands is not imported.
    command = [sys.executable, "-P", "-m", "streamlit", "run", str(_script()), *options]
    if os.name == "posix":
        os.execv(command[0], command)
    return wait_for(command)


def wait_for(command: Sequence[str]) -> int:
    """Run a command until it ends by itself; its exit status.

    Ctrl-C reaches it too, and it saves what was learned before it ends; `subprocess.call` kills it
    after a quarter of a second.
    """
    process = subprocess.Popen(command)
    while True:
        with contextlib.suppress(KeyboardInterrupt):  # wait on
            return process.wait()


def _script() -> Path:
    """`app.py` with its settings beside it; those of an installed package as a copy."""
    folder = app_folder()
    if folder != TOP:
        for name in CARRIED_ALONG:
            _copy(TOP / name, folder / name)
        (folder / "static").mkdir(exist_ok=True)
    return folder / "app.py"


def _copy(source: Path, target: Path) -> None:
    """Copy a file, unless it stands there as it is: another app may be reading it."""
    wanted = source.read_bytes()
    if not target.exists() or target.read_bytes() != wanted:
        target.parent.mkdir(exist_ok=True)
        with replacing(target) as file:
            file.write(wanted)
