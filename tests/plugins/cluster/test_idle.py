"""Schedulers that end when nothing is done: they see no call, and yet know that there is a run."""

import threading
from pathlib import Path

import pytest

from bnpexplorer.plugins.cluster import ClusterPool, places
from tests.plugins.cluster import work
from tests.plugins.cluster.processes import (
    answers,
    connected,
    free_port,
    process,
    scheduler,
    worker,
)
from tests.tools.waiting import NEVER, until

pytestmark = pytest.mark.second

IDLE_SECONDS = 3600.0


def test_a_scheduler_does_not_end_amid_a_run_for_want_of_tasks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is given tasks in steps that are short, and in one that is long; and it ends when nobody
    computes."""
    monkeypatch.setattr(places, "BEAT_SECONDS", 0.1)
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    patient = (*scheduler(port), "--idle-timeout", f"{IDLE_SECONDS} seconds")
    with process(*patient) as ruling:
        until(lambda: answers(port))
        with process(*worker(address)):
            pool = connected(address)
            for _ in range(3):
                before = n_tasks(pool)
                until(lambda before=before: a_short_step(pool) and n_tasks(pool) > before)
            long = threading.Thread(
                target=pool.each, args=(work.waits, [(1,)], str(tmp_path / "over"))
            )
            long.start()
            try:
                for _ in range(3):
                    before = n_tasks(pool)
                    until(lambda before=before: n_tasks(pool) > before)
            finally:
                (tmp_path / "over").touch()
                long.join(NEVER)
            assert pool.moved.again == 0
            assert ruling.poll() is None
            until(lambda: pool.members.client.run_on_scheduler(work.grow_old, 2 * IDLE_SECONDS))
            until(lambda: ruling.poll() is not None)
            pool.close()


def a_short_step(pool: ClusterPool) -> bool:
    pool.ready()
    return pool.each(work.fails, [(1,), (2,)], 99) == [1, 2]


def n_tasks(pool: ClusterPool) -> int:
    """Changes of tasks, by which a scheduler knows that something is done."""
    return int(pool.members.client.run_on_scheduler(work.transitions))
