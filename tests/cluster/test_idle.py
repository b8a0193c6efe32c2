"""Schedulers that end when nothing is done: they see no call, and yet know that there is a run."""

import time

import distributed  # noqa: F401  # seconds of a slow machine, in which a scheduler might end
import pytest

from bnpexplorer.cluster import places
from tests.cluster import work
from tests.cluster.processes import answers, connected, free_port, process, scheduler, until, worker

pytestmark = pytest.mark.second

IDLE_SECONDS = 5
"""More than a worker that waits needs to join its scheduler, on a machine that has much to do."""


def test_a_scheduler_does_not_end_amid_a_run_for_want_of_tasks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In steps that are short, and in one that is long; and it ends when nobody computes."""
    monkeypatch.setattr(places, "BEAT_SECONDS", 0.5)
    port, of_worker = free_port(), free_port()
    address = f"tcp://127.0.0.1:{port}"
    patient = (*scheduler(port), "--idle-timeout", f"{IDLE_SECONDS} seconds")
    # The worker first: on a slow machine one that began later was not there before all was over.
    with process(*worker(address, "--death-timeout", "300", "--worker-port", str(of_worker))):
        until(lambda: answers(of_worker), 300.0)
        with process(*patient) as ruling:
            until(lambda: answers(port), 300.0)
            pool = connected(address)
            began = time.monotonic()
            while time.monotonic() - began < 3 * IDLE_SECONDS:
                pool.ready()
                assert pool.each(work.fails, [(1,), (2,)], 99) == [1, 2]
                time.sleep(0.1)
            pool.each(work.who, [(1,)], 3.0 * IDLE_SECONDS)
            assert ruling.poll() is None
            assert pool.moved.again == 0
            until(lambda: ruling.poll() is not None, 20.0)
            pool.close()
