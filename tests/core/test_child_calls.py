"""What a child asks of its system, call by call: nothing is started here."""

import signal
from types import SimpleNamespace

import pytest

from bnpexplorer.core import child as module
from bnpexplorer.core.child import ChildProcess

resource = pytest.importorskip("resource", reason="limits of POSIX")


def test_a_child_may_hold_so_many_bytes_and_write_none(monkeypatch):
    """Also where the system refuses one of the limits."""
    limits = {}

    def limit(kind, values):
        limits[kind] = values
        if kind == resource.RLIMIT_DATA:
            raise ValueError

    monkeypatch.setattr(resource, "setrlimit", limit)
    module.restrict(7000)
    assert limits == {
        resource.RLIMIT_DATA: (7000, 7000),
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_FSIZE: (0, 0),
    }


@pytest.mark.parametrize("interrupted", [False, True])
def test_a_child_without_parent_has_its_grace_before_it_is_killed(monkeypatch, interrupted):
    done = []
    monkeypatch.setattr(module, "_until_hung_up", lambda: done.append("hung up"))
    monkeypatch.setattr(signal, "pthread_kill", lambda who, how: done.append(how))
    monkeypatch.setattr(module.time, "sleep", done.append)
    monkeypatch.setattr(module.os, "getpid", lambda: 77)
    monkeypatch.setattr(module.os, "killpg", lambda *whom: done.append(whom))
    monkeypatch.setattr(module.os, "_exit", done.append)
    module._end_with_parent(2.5, interrupted)
    told = [signal.SIGINT] if interrupted else []
    assert done == ["hung up", *told, 2.5, (77, signal.SIGKILL), 1]


def test_a_fork_closes_all_its_ends_of_a_child():
    closed = []

    def pipe(name):
        return SimpleNamespace(raw=SimpleNamespace(close=lambda: closed.append(name)))

    channel = SimpleNamespace(outgoing=pipe("to it"), incoming=pipe("from it"))
    ChildProcess.let_go(SimpleNamespace(channel=channel, _errors=pipe("errors")))
    assert sorted(closed) == ["errors", "from it", "to it"]
