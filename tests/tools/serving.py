"""A server of the app as a process of its own, and requests to it under any name."""

import contextlib
import http.client
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

from .waiting import NEVER

ROOT = Path(__file__).resolve().parents[2]
STREAMLIT = (sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def serving(folder, command, **environment):
    """The process of a server that has come up; what it says stands in `log.txt` of the folder."""
    port = int(command[-1])
    with (folder / "log.txt").open("wb") as out:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "BNPEXPLORER_HOME": str(folder / "home"), **environment},
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    try:
        until = time.monotonic() + NEVER
        while True:
            with contextlib.suppress(OSError):  # not up yet
                if asked(port, "/_stcore/health")[0] == 200:
                    break
            assert process.poll() is None, (folder / "log.txt").read_text()
            assert time.monotonic() < until, (folder / "log.txt").read_text()
            time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.wait()


def asked(port, path, method="GET", **headers):
    """(status, words) of a request; a header of None is left out."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=NEVER)
    with contextlib.closing(connection):
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.read().decode("utf-8", "replace")


def socket_status(port, host, origin=None):
    """With which status the server answers who opens its socket under this name: 101 if it does."""
    headers = {"Host": host} | ({"Origin": origin} if origin else {})
    with socket.create_connection(("127.0.0.1", port), timeout=NEVER) as line:
        told = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        asks = (
            f"GET /_stcore/stream HTTP/1.1\r\n{told}Connection: Upgrade\r\nUpgrade: websocket\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {'A' * 22}==\r\n\r\n"
        )
        line.sendall(asks.encode())
        return int(line.recv(200).split()[1])
