"""What a server saves when the terminal is closed from which it was started."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.sync.client import connect

from bnpexplorer.runs.saved.library import Library
from tests.tools.waiting import NEVER, until

pytestmark = [pytest.mark.skipif(os.name != "posix", reason="signals of POSIX"), pytest.mark.second]

ROOT = Path(__file__).resolve().parents[2]
APP = """
import time
from pathlib import Path

from bnpexplorer import Plan
from bnpexplorer.checks import expecting
from bnpexplorer.runs import keeping
from bnpexplorer.ui.frame import server

keeping.KEEP_SECONDS = 1e9  # between its first step and its end nothing is saved
if not server.registry().entries():
    corpus = expecting.draw_bars(300, 11)[0]
    plan = Plan.of("lda-svi", values={"n_topics": 3}, batch_size=8, passes=1000)
    run = plan.split_and_start(corpus)
    entry = server.registry().add(run, server.LoadedCorpus(corpus), server.keep, run_id="r")
    entry.background.start()
    while (seen := entry.background.latest) is None or seen.docs_seen < 100:
        time.sleep(0.01)
    Path("shown").write_text(f"{seen.docs_seen}\\n")
"""


@contextlib.contextmanager
def learning(folder):
    """A server whose run has learned since it was saved first, on a terminal of its own: (process,
    the terminal's other end, its library)."""
    script, shown = folder / "app.py", folder / "shown"
    script.write_text(APP)
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "streamlit", "run", str(script), "--server.headless", "true"),
            *("--server.port", str(port), "--server.fileWatcherType", "none"),
        ],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "BNPEXPLORER_HOME": str(folder / "home"),
            "BNPEXPLORER_STEP_SECONDS": "0.02",
        },
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=own_terminal,
    )
    os.close(theirs)
    library = Library(folder / "home")
    try:
        with open_tab(port, process) as tab:
            asked = BackMsg()
            asked.rerun_script.query_string = ""
            tab.send(asked.SerializeToString())
            until_alive(lambda: shown.exists() and shown.read_text().endswith("\n"), process)
            seen = int(shown.read_text())
            assert library.get("r").facts["docs_seen"] < seen
            yield process, ours, library
            assert library.get("r").facts["docs_seen"] >= seen, "what was shown is on the disk"
    finally:
        process.kill()
        process.wait()
        with contextlib.suppress(OSError):  # closed by the test
            os.close(ours)


def open_tab(port, process):
    """A browser's tab, as far as the server knows."""

    def answers():
        with contextlib.suppress(OSError):  # not up yet
            return urllib.request.urlopen(f"http://localhost:{port}/_stcore/health").status == 200

    until_alive(answers, process)
    return connect(f"ws://localhost:{port}/_stcore/stream", subprotocols=["streamlit"])


def until_alive(condition, process):
    def holds():
        assert process.poll() is None, "the server has ended"
        return condition()

    until(holds)


def own_terminal():
    """The terminal of standard input is the one whose end ends the session, also where the tests
    were begun with `nohup`, whose programs hand on that they do not hear of it."""
    import fcntl
    import termios

    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def test_a_terminal_that_is_closed_saves_what_was_shown(tmp_path):
    with learning(tmp_path) as (process, terminal, library):
        os.close(terminal)
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)  # somebody impatient
        process.send_signal(signal.SIGHUP)
        assert process.wait(NEVER) == 0
        assert library.get("r").facts["status"] == "paused"
