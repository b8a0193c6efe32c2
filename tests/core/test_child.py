"""Child processes: what they are given, what limits them, and how they end."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from bnpexplorer.core import child as module
from bnpexplorer.core.child import KEPT, ChildProcess, end_all, not_ended
from tests.tools.in_child import PLACE
from tests.tools.waiting import NEVER, returned, until

ROOT = Path(__file__).parents[2]
SERVER = """
import sys, time
from bnpexplorer.core.child import ChildProcess
work, grace, interrupted, n_unread = sys.argv[1:]
child = ChildProcess(work, grace=float(grace), interrupted=interrupted == "True")
said = child.channel.receive()
for _ in range(int(n_unread)):
    child.channel.send("unread")
print(child.pid, said if said != "asleep" else child.pid, flush=True)
time.sleep(3600)
"""
posix = pytest.mark.skipif(os.name != "posix", reason="signals and limits of POSIX")


@posix
def test_seconds_of_the_processor_count_from_now_on_whatever_was_used_before(monkeypatch):
    import resource

    limits = []
    used = SimpleNamespace(ru_utime=100.6, ru_stime=20.7)
    monkeypatch.setattr(resource, "getrusage", lambda who: used)
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (500, 4000))
    monkeypatch.setattr(resource, "setrlimit", lambda kind, values: limits.append((kind, values)))
    module.limit_time(30.0)
    assert limits == [(resource.RLIMIT_CPU, (151, 4000))]


@pytest.fixture
def started():
    """Starts children, which are ended with the test."""
    all_of_them = []

    def start(name, *told, **more):
        all_of_them.append(ChildProcess(PLACE + name, *told, **more))
        return all_of_them[-1]

    yield start
    for child in all_of_them:
        child.kill()
    end_all(all_of_them, 0.0)


def there(pid):
    """Whether a process is at work; one that nobody has waited for yet is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def heard(child):
    """What a child says next."""
    return returned(child.channel.receive)


def test_a_child_has_its_arguments_its_folder_and_its_environment(started, tmp_path):
    child = started(
        "tells", 1, {"a": [None, "ä"]}, folder=str(tmp_path), environment={"ONLY": "this"}
    )
    told, seen = heard(child)
    assert told == [1, {"a": [None, "ä"]}]
    assert Path(seen["folder"]) == tmp_path.resolve()
    assert {"ONLY"} <= set(seen["names"]) <= {"ONLY", "LC_CTYPE", "__CF_USER_TEXT_ENCODING"}
    assert seen["isolated"] == 1
    assert child.wait(NEVER) == 0


def test_an_argument_may_be_larger_than_any_command_line(started):
    huge = "x" * 5_000_000
    (told,), _ = heard(started("tells", huge))
    assert told == huge


def test_messages_come_back_and_what_is_printed_is_none(started):
    child = started("echoes", grace=NEVER)
    for message in ([1, 2.5, None], {"a": "two\nlines"}, "y" * 1_000_000):
        child.channel.send(message)
        assert heard(child) == message
    assert child.end(NEVER)
    assert child.returncode == 0, "it ended in good order"
    assert child.printed() == "\n".join(["printed, and no answer"] * 3)


def test_what_is_printed_holds_nobody_up_and_its_end_is_kept(started):
    child = started("prints", 50_000)
    assert heard(child) == "printed"
    child.wait(NEVER)
    assert child.printed().endswith("line 49999\n?[31mthe last"), "no sign moves a terminal"
    assert len(child.printed()) <= KEPT


def test_a_child_that_dies_says_why(started):
    child = started("fails")
    with pytest.raises(EOFError):
        heard(child)
    assert child.wait(NEVER) == 1
    assert child.printed().endswith("LookupError: what the child says of it")
    assert list(child.channel) == []


@posix
def test_a_child_that_was_killed_is_no_error_of_who_sends_or_ends(started):
    child = started("echoes")
    os.kill(child.pid, signal.SIGKILL)
    assert child.wait(NEVER) == -signal.SIGKILL
    with pytest.raises(OSError, match="pipe"):
        child.channel.send("x")
    assert child.end()


def test_a_function_that_is_not_there_is_told(started):
    child = started("none_such")
    assert child.wait(NEVER) == 1
    assert "none_such" in child.printed()


def test_a_system_that_starts_no_process_is_an_error(monkeypatch):
    monkeypatch.setattr(sys, "executable", os.path.join(os.sep, "not", "there"))
    with pytest.raises(FileNotFoundError):
        ChildProcess(PLACE + "echoes")


def test_a_child_is_ended_twice(started):
    child = started("echoes", grace=NEVER)
    for _ in range(2):
        assert child.end(NEVER)
        child.hang_up()
        child.kill()
    assert child.returncode == 0


@posix
def test_one_that_hangs_is_killed_with_what_it_has_started(started):
    child = started("has_its_own", grace=NEVER)
    own = heard(child)
    assert there(own)
    os.kill(child.pid, signal.SIGSTOP)
    assert child.end(0.1)
    assert child.returncode == -signal.SIGKILL
    until(lambda: not there(own))


@posix
def test_one_that_not_even_force_ends_is_told_and_may_still_be_listened_to(started, monkeypatch):
    """As within a call to a disk that does not answer."""
    monkeypatch.setattr("bnpexplorer.core.child.KILLED", 0.1)
    stuck = started("sleeps", grace=NEVER)
    assert heard(stuck) == "asleep"
    listener = threading.Thread(target=list, args=(stuck.channel,), daemon=True)
    listener.start()
    with monkeypatch.context() as patch:
        patch.setattr(stuck, "kill", lambda: None)
        assert returned(lambda: end_all([stuck], 0.1)) == [stuck]
    stuck.kill()  # the disk is back
    assert stuck.end()
    listener.join(NEVER)
    assert not listener.is_alive()


@posix
def test_who_hangs_up_interrupts_a_child_and_hears_its_last_words(started):
    child = started("tidies", grace=NEVER, interrupted=True)
    assert heard(child) == "asleep"
    child.hang_up()
    assert returned(lambda: list(child.channel)) == ["tidied up"]
    assert child.wait(NEVER) == 0


@pytest.mark.parametrize("name", ["sleeps", "ignores"])
def test_a_child_that_goes_on_ends_after_its_grace(started, name):
    child = started(name, grace=0.1, interrupted=name == "ignores")
    heard(child)
    child.hang_up()
    assert child.wait(NEVER) == (-signal.SIGKILL if os.name == "posix" else 1)


@posix
@pytest.mark.parametrize(
    ("name", "grace", "interrupted", "n_unread"),
    [
        ("sleeps", 0, False, 0),
        ("sleeps", 0, False, 3),
        ("ignores", 0.1, True, 0),
        ("has_its_own", 0, False, 0),
    ],
)
def test_no_child_outlives_its_parent(name, grace, interrupted, n_unread):
    given = map(str, (PLACE + name, grace, interrupted, n_unread))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, *given], stdout=subprocess.PIPE, env=environment
    ) as server:
        pids = [*map(int, server.stdout.readline().split())]
        assert all(map(there, pids))
        server.kill()
    until(lambda: not any(map(there, pids)))


@posix
@pytest.mark.skipif(sys.platform == "darwin", reason="macOS limits no memory")
def test_a_child_that_takes_too_much_memory_dies_and_writes_no_file(started, tmp_path):
    child = started("is_greedy", 2**28, str(tmp_path / "file"))
    assert heard(child) == "no file"
    with pytest.raises(EOFError):
        heard(child)
    assert child.wait(NEVER) == 1
    assert child.printed().endswith("MemoryError")


@posix
@pytest.mark.second
def test_a_child_that_takes_too_long_is_ended_by_the_system(started):
    assert started("takes_long").wait(NEVER) == -signal.SIGXCPU


@posix
def test_a_fork_lets_go_of_a_child_and_the_child_works_on(started):
    child = started("echoes")
    fork = os.fork()
    if fork == 0:
        child.let_go()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1]) == 0
    child.channel.send("still there")
    assert heard(child) == "still there"


@posix
def test_a_fork_that_let_a_child_go_does_not_keep_it_alive(started):
    """As long as the fork held the pipe, the child would not hear that its parent has hung up."""
    child = started("echoes", grace=NEVER)
    waits, go_on = os.pipe()
    fork = os.fork()
    if fork == 0:
        os.close(go_on)
        child.let_go()
        os.read(waits, 1)
        os._exit(0)
    child.hang_up()
    assert child.wait(NEVER) == 0
    os.close(go_on)
    assert os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1]) == 0
    os.close(waits)


@posix
@pytest.mark.parametrize("behind", [True, False])
def test_ctrl_c_is_for_the_parent_and_one_that_stands_behind_stays_in_its_session(started, behind):
    child = started("echoes", behind=behind)
    assert os.getpgid(child.pid) == child.pid
    assert (os.getsid(child.pid) == os.getsid(0)) is behind


def test_so_many_seconds_are_for_all_processes_together(monkeypatch):
    now, given = [100.0], []

    class Hangs:
        def wait(self, seconds):
            given.append(seconds)
            now[0] += min(seconds, 3.0)
            raise subprocess.TimeoutExpired("it", seconds)

    class Ends(Hangs):
        def wait(self, seconds):
            given.append(seconds)

    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    processes = [Hangs(), Ends(), Hangs(), Hangs()]
    assert not_ended(processes, 5.0) == [processes[0], processes[2], processes[3]]
    assert given == [5.0, 2.0, 2.0, 0.0]
