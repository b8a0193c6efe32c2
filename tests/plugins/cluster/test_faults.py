"""Workers that are killed, come late, are of other versions; schedulers that go."""

import os
import socket
import sys
from pathlib import Path
from typing import Any

import distributed
import pytest

from bnpexplorer.checks.expecting import bars, same
from bnpexplorer.inference.pool import PoolLost
from bnpexplorer.plugins.cluster import ClusterPool, connect, members
from bnpexplorer.plugins.cluster.peers import about, refusal, warning
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.run import Run
from tests.plugins.cluster import work
from tests.plugins.cluster.processes import (
    answers,
    connected,
    free_port,
    killing,
    n_ready,
    process,
    scheduler,
    worker,
)
from tests.tools.waiting import NEVER, until

pytestmark = pytest.mark.second


def a_run(pool: object = None) -> Run:
    """Some seconds' work in 12 steps."""
    plan = Plan.of("lda-svi", values={"n_topics": 6}, batch_size=100, passes=4, seed=3)
    return plan.start(bars(), pool=pool)  # type: ignore[arg-type]


def finished(run: Run) -> Run:
    while not run.done:
        run.step()
    return run


@pytest.fixture(scope="module")
def alone() -> Run:
    return finished(a_run())


def test_a_worker_killed_in_a_step_costs_nothing_but_time(
    pool: ClusterPool, tmp_path: Path
) -> None:
    pool.wait_seconds = NEVER
    pieces = [(i,) for i in range(9)]
    assert pool.each(work.dies_once, pieces, str(tmp_path)) == [10 * i for i in range(9)]
    assert pool.moved.again >= 1
    pool.ready()  # as before every step: else who died is only given up when it is silent too long
    # One that kills whoever computes it is computed here, and the step ends.
    assert pool.each(work.dies_elsewhere, pieces, os.getpid()) == [10 * i for i in range(9)]
    pool.ready()  # it starts them again
    assert pool.each(work.fails, pieces, 99) == list(range(9))


def test_a_run_whose_workers_are_killed_ends_with_the_same_bits(
    pool: ClusterPool, alone: Run
) -> None:
    pool.wait_seconds = NEVER
    run = a_run(pool)
    with killing(pool):
        finished(run)
    assert same(run.snapshot().topics, alone.snapshot().topics)


def test_scheduler_and_workers_may_go_and_come_back(
    alone: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one, since starting processes takes the time: a worker that joins late is used; with the
    scheduler gone the run stands at its last step, can be saved, and goes on when it is back."""
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    with process(*scheduler(port)), process(*worker(address)):
        until(lambda: answers(port))
        told: list[str] = []
        pool = connected(address, told.append)
        run = a_run(pool)
        run.step()
        with process(*worker(address)):
            until(lambda: n_ready(pool) == 2)
            assert len(set(pool.each(work.who, [(i,) for i in range(8)], 0.1))) == 2
            run.step()
    run_at_rest = run.n_steps
    pool.wait_seconds = 1.0
    lost = pytest.raises(PoolLost, match=r"does not answer any more; start .* Nothing is lost")
    with monkeypatch.context() as patched, lost as why:
        patched.setattr(members, "CONNECT_SECONDS", 1.0)
        finished(run)
    assert "127.0.0.1" not in str(why.value), "whoever watches the run reads it"
    assert told[-1].startswith(f"{why.value} The cluster: {address}")
    assert run.n_steps <= run_at_rest + 1
    run.save(tmp_path / "kept")
    with process(*scheduler(port)):
        until(lambda: not pool.members.look() and pool.members.client is not None)
        with pytest.raises(PoolLost, match=r"has no worker any more; start some with `dask worker"):
            run.step()
        with process(*worker(address)):
            pool.wait_seconds = NEVER
            finished(run)
            assert pool.moved.tasks > 0
            opened = finished(Run.load(tmp_path / "kept", pool))
            pool.close()
    for one in (run, opened):
        assert same(one.snapshot().topics, alone.snapshot().topics)


def test_a_worker_that_comes_back_at_its_address_is_used_again() -> None:
    """Nothing is there any more of what the one before it had."""
    port, own = free_port(), free_port()
    address = f"tcp://127.0.0.1:{port}"
    with process(*scheduler(port)):
        until(lambda: answers(port))
        there, pieces = worker(address, "--worker-port", str(own)), [(i,) for i in range(4)]
        with process(*there) as first:
            pool = connected(address)
            assert pool.each(work.who, pieces, 0.0) == [first.pid] * 4
        pool.wait_seconds = NEVER
        with process(*there) as second:
            until(lambda: n_ready(pool) == 1 and pool.each(work.who, pieces, 0.0)[0] == second.pid)
            assert [*pool.workers] == [f"tcp://127.0.0.1:{own}"]
            pool.close()


def test_workers_of_other_versions_are_refused_before_anything_is_learned(tmp_path: Path) -> None:
    (tmp_path / "older.py").write_text(
        "import bnpexplorer.plugins.cluster.peers as peers\n"
        "told = {**peers.about(), 'numpy': '1.0.0'}\n"
        "peers.about = lambda: told\n"
        "peers.about.__qualname__ = peers.about.__name__ = 'about'\n"
    )
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    older = worker(address, "--preload", str(tmp_path / "older.py"))
    with process(*scheduler(port)):
        until(lambda: answers(port))
        with (
            process(*older),
            pytest.raises(ValueError, match=r"has numpy 1.0.0 .* It is tcp://127.0.0.1:") as no,
        ):
            connected(address)
        assert f"(here {about()['numpy']})" in str(no.value)
        assert "install there what is installed here" in str(no.value)
        # It joins late: it is left out, and that is said.
        with process(*worker(address)):
            told: list[str] = []
            pool = connected(address, told.append)
            with process(*older):
                until(lambda: pool.ready() is None and bool(pool.notes))
                [(note, [left_out])] = pool.notes.items()
                assert "numpy 1.0.0" in note
                assert "127.0.0.1" not in note
                assert told == [f"{note} It is {left_out}."]
                assert pool.n_workers == 1
            pool.close()


def test_what_is_said_of_a_worker() -> None:
    ours = dict(about())
    assert refusal(ours) == ""
    assert warning(ours) == ""
    other = ours | {"processor": "z80 (00000000)"}
    assert refusal(other) == ""
    assert "has another processor, z80 (00000000)" in warning(other)
    for what in set(ours) - {"processor"}:
        assert f"has {what} 0 (here {ours[what]})" in refusal(ours | {what: "0"})
    said = refusal(Exception("No module named 'bnpexplorer'"))
    assert "No module named 'bnpexplorer'" in said
    assert "pip install bnpexplorer[cluster]" in said


def test_where_there_is_no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bnpexplorer.plugins.cluster.members.CONNECT_SECONDS", 1.0)
    asked, client = [], distributed.Client

    def asking(*given: Any, timeout: float, **more: Any) -> Any:
        asked.append(timeout)
        return client(*given, timeout=timeout, **more)

    monkeypatch.setattr(distributed, "Client", asking)
    with pytest.raises(
        ValueError, match=r"No Dask scheduler answers at tcp://127.0.0.1:9; start one"
    ):
        connect("tcp://127.0.0.1:9")
    assert asked == [1.0], "it is given up after so many seconds"
    with pytest.raises(ValueError, match=r"needs certificates; name them"):
        connect("tls://127.0.0.1:9")
    for address in (
        "nonsense",
        "tcp://",
        "tcp://host",
        "tcp://host:abc",
        "tcp://host:0",
        "tcp://me:secret@host:1",
        "http://host:80",
        "local:0",
        "local:x",
    ):
        with pytest.raises(ValueError, match=r"got '"):
            connect(address)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ValueError, match=r"pip install bnpexplorer\[cluster\]"):
        connect("local:2")


def test_a_port_that_is_something_else_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that takes connections and never says a word."""
    monkeypatch.setattr("bnpexplorer.plugins.cluster.members.CONNECT_SECONDS", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(
            ValueError, match=rf"No Dask scheduler answers at tcp://127.0.0.1:{port}"
        ):
            connect(f"tcp://127.0.0.1:{port}")
