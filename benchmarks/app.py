"""The app as a process of its own, and the Chromium that looks at it."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Playwright

ROOT = Path(__file__).resolve().parents[1]
ARGS = ["--no-sandbox", "--disable-gpu"]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@dataclass(frozen=True)
class Server:
    """A running app."""

    url: str
    pid: int

    def cpu_seconds(self) -> float:
        """Processor time that the server has used so far (Linux)."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def server(environment: Mapping[str, str]) -> Iterator[Server]:
    """The app as a person starts it, with these variables besides."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    url = f"http://localhost:{port}"
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    command += ["--server.headless", "true", "--server.port", str(port)]
    process = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **environment},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        while process.poll() is None:
            # Nobody answers: it is not up yet.
            with suppress(OSError), urllib.request.urlopen(f"{url}/_stcore/health") as answer:
                if answer.read() == b"ok":
                    break
            time.sleep(0.05)
        yield Server(url, process.pid)
    finally:
        process.terminate()
        process.wait(30)


def bnpexplorer(*arguments: str, environment: Mapping[str, str]) -> str:
    """What a command of ours prints."""
    return subprocess.run(
        [sys.executable, "-m", "bnpexplorer", *arguments], cwd=ROOT, check=True, text=True,
        env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ).stdout  # fmt: skip


def chromium_path() -> str:
    """The Chromium named in BNPEXPLORER_BROWSER, else one on the path."""
    chosen = os.environ.get("BNPEXPLORER_BROWSER")
    path = next(filter(None, map(shutil.which, [chosen] if chosen else BROWSERS)), None)
    if path is None:
        raise SystemExit("No Chromium was found; install one, or name it in BNPEXPLORER_BROWSER.")
    return path


def chromium(playwright: Playwright) -> Browser:
    """A headless Chromium."""
    return playwright.chromium.launch(executable_path=chromium_path(), args=ARGS)
