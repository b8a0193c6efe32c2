"""The command that opens the app: its options, what it says before, and how it ends."""

import os
import signal
import subprocess
import sys

import pytest

from bnpexplorer.__main__ import main
from bnpexplorer.core import installation
from tests.tools.waiting import NEVER, until


@pytest.fixture(autouse=True)
def in_repository(monkeypatch, request):
    monkeypatch.chdir(request.config.rootpath)


def app_starts(monkeypatch):
    """The commands that would have started the app."""
    called = []
    monkeypatch.setattr("bnpexplorer.cli.app.os.name", "another")
    monkeypatch.setattr("bnpexplorer.cli.app.wait_for", lambda command: called.append(command) or 0)
    return called


def test_no_command_opens_the_app(capsys, monkeypatch):
    called = app_starts(monkeypatch)
    assert main([]) == 0
    assert main(["app"]) == 0
    assert called[0] == called[1]
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    assert "fit" in out
    assert "Without a command it opens the app" in out


def test_options_of_streamlit_are_passed_on(capsys, monkeypatch):
    called = app_starts(monkeypatch)
    assert main(["app", "--", "--server.port", "8502"]) == 0
    assert called[0][-2:] == ["--server.port", "8502"]
    assert "-P" in called[0][: called[0].index("-m")], "no module of the folder is imported instead"
    with pytest.raises(SystemExit):
        main(["app", "--help"])
    assert "app -- --server.port 8502" in capsys.readouterr().out


def test_too_little_memory_is_said_before_the_app_starts(capsys, monkeypatch):
    called = app_starts(monkeypatch)
    assert main([]) == 0
    assert not capsys.readouterr().err
    monkeypatch.setattr("bnpexplorer.cli.app.usable_memory", lambda: 600 * 2**20)
    assert main([]) == 0
    assert "bnpexplorer: There are 600 MB of memory here" in capsys.readouterr().err
    assert len(called) == 2


@pytest.mark.second
@pytest.mark.skipif(os.name != "posix", reason="Windows sends no such signal to a process alone")
def test_where_the_app_is_a_process_of_its_own_ctrl_c_lets_it_end_in_good_order(tmp_path):
    """Both hear of it, as in a terminal; it takes longer than `subprocess.call` would wait."""
    slow = tmp_path / "slow.py"
    slow.write_text(
        "import signal, sys, time\n"
        "def end(*_): time.sleep(1.0); open('saved', 'w').close(); sys.exit(7)\n"
        "signal.signal(signal.SIGINT, end)\n"
        "open('begun', 'w').close()\n"
        "time.sleep(60)\n"
    )
    waits = "from bnpexplorer.cli.app import wait_for; import sys; sys.exit(wait_for(sys.argv[1:]))"
    process = subprocess.Popen(
        [sys.executable, "-c", waits, sys.executable, str(slow)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installation.TOP)},
        start_new_session=True,
    )
    until(lambda: (tmp_path / "begun").exists())
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(NEVER) == 7
    assert (tmp_path / "saved").exists()
