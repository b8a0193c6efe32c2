"""The app as a process of its own, and the Chromium that looks at it."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Playwright

ROOT = Path(__file__).resolve().parents[1]
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
OF_REPOSITORY = (sys.executable, "-m", "streamlit", "run", "app.py")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 300.0
"""Seconds after which an app counts as one that never comes up, or never ends."""


@dataclass(frozen=True)
class Server:
    """A running app."""

    url: str
    pid: int
    log_file: Path

    def cpu_seconds(self) -> float:
        """Processor time that the server has used so far (Linux)."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """Resident megabytes of the server's process (Linux)."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def log(self, start: int = 0) -> str:
        """What the server has written since it had written `start` characters."""
        return self.log_file.read_text(errors="replace")[start:]


@contextmanager
def server(
    environment: Mapping[str, str],
    log: Path = Path(os.devnull),
    start: Sequence[str] = OF_REPOSITORY,
    folder: Path = ROOT,
) -> Iterator[Server]:
    """The app as a person starts it, with these variables besides; what it says goes to `log`.

    `start`: the command, without options of `streamlit run`; `folder`: where it is given.
    """
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    command = [*start, "--server.headless", "true", "--server.port", str(port)]
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **environment},
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    app = Server(f"http://localhost:{port}", process.pid, log)
    try:
        _until_healthy(app, process)
        yield app
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _until_healthy(app: Server, process: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < until:
        # Nobody answers: it is not up yet.
        with (
            suppress(OSError),
            urllib.request.urlopen(f"{app.url}/_stcore/health", timeout=PATIENCE) as answer,
        ):
            if answer.read() == b"ok":
                return
        time.sleep(0.05)
    raise RuntimeError(f"The app did not start:\n{app.log()}")


def bnpexplorer(*arguments: str, environment: Mapping[str, str]) -> str:
    """What a command of ours prints."""
    return subprocess.run(
        [sys.executable, "-m", "bnpexplorer", *arguments],
        cwd=ROOT,
        check=True,
        text=True,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ).stdout


def find_chromium() -> str | None:
    """The Chromium named in BNPEXPLORER_BROWSER, else one on the path; None if there is none."""
    chosen = os.environ.get("BNPEXPLORER_BROWSER")
    return next(filter(None, map(shutil.which, [chosen] if chosen else BROWSERS)), None)


def chromium_path() -> str:
    """The Chromium that is there; without one the program ends, saying so."""
    path = find_chromium()
    if path is None:
        raise SystemExit("No Chromium was found; install one, or name it in BNPEXPLORER_BROWSER.")
    return path


def chromium(playwright: Playwright) -> Browser:
    """A headless Chromium."""
    return playwright.chromium.launch(executable_path=chromium_path(), args=ARGS)
