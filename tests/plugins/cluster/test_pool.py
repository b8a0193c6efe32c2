"""Workers compute what this machine would, bit for bit, and keep nothing."""

import asyncio
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from bnpexplorer.checks.expecting import bars, same, small
from bnpexplorer.inference.pool import each, joined
from bnpexplorer.methods import METHODS
from bnpexplorer.plugins.cluster import ClusterPool, sending
from bnpexplorer.plugins.cluster.message import Message
from bnpexplorer.plugins.cluster.places import Lost, Places
from bnpexplorer.plugins.cluster.sending import groups
from bnpexplorer.runs.run import Run
from tests.plugins.cluster import work
from tests.plugins.cluster.conftest import only
from tests.plugins.cluster.processes import TOP
from tests.tools.waiting import NEVER, until

pytestmark = pytest.mark.second


@pytest.fixture
def pool(three: ClusterPool) -> ClusterPool:
    return three


def pieces_of(n: int) -> list[tuple[np.ndarray, int]]:
    rng = np.random.default_rng(n)
    return [(np.flatnonzero(rng.random(60) < 0.5).astype(np.int32), i) for i in range(n)]


@pytest.mark.parametrize("n", [1, 3, 8, 9, 16, 37, 150])
def test_results_are_those_of_this_machine_in_their_order(pool: ClusterPool, n: int) -> None:
    given = np.random.default_rng(0).random((60, 5))
    alone = each(None, work.some_sum, pieces_of(n), given)
    there = each(pool, work.some_sum, pieces_of(n), given)
    assert len(there) == n
    for a, b in zip(alone, there, strict=True):
        assert a.rows.tobytes() == b.rows.tobytes()
        assert np.array_equal(a.words, b.words)
        assert a.stats.tobytes() == b.stats.tobytes()


def test_all_workers_compute_and_this_process_does_not(pool: ClusterPool) -> None:
    found = pool.each(work.who, [(i,) for i in range(12)], 0.05)
    assert len(set(found)) == 3
    assert os.getpid() not in found


def test_each_step_gets_what_is_given_to_it(pool: ClusterPool) -> None:
    for given in (1.0, 2.0, 3.0):
        factor = np.full((60, 2), given)
        [found] = pool.each(work.some_sum, [(np.arange(60, dtype=np.int32), 7)], factor)
        assert found.stats.max() == pytest.approx(given, rel=0.05)


def test_arrays_arrive_as_they_were(pool: ClusterPool) -> None:
    """Read-only or not is part of the type that kernels are compiled for."""
    for writeable in (True, False):
        array = np.arange(1001, dtype=np.int32)
        array.flags.writeable = writeable
        [found] = pool.each(work.flags, [(array,)], np.ones((3, 5)))
        assert found == [(writeable, True, "<i4"), (True, True, "<f8")]


def test_an_array_that_lies_askew_is_put_straight() -> None:
    message = Message((np.arange(5.0),))
    askew = bytearray(b"x" + bytes(memoryview(message.buffers[0])))
    for writeable in (True, False):
        view = memoryview(askew)[1:]
        message.buffers = [view if writeable else view.toreadonly()]
        [array] = message.value()
        assert array.ctypes.data % 16 == 0
        assert array.flags.writeable is writeable
        assert array.tolist() == [0, 1, 2, 3, 4]


def test_what_a_task_raises_is_raised_here(pool: ClusterPool) -> None:
    with pytest.raises(ArithmeticError, match="no number at 5"):
        pool.each(work.fails, [(i,) for i in range(9)], 5)
    assert pool.each(work.fails, [(i,) for i in range(9)], 99) == list(range(9))


@pytest.mark.parametrize("n", [1, 2, 7, 16, 64, 150, 256])
@pytest.mark.parametrize("n_tasks", [1, 2, 4, 6, 32, 512])
def test_groups_hold_every_piece_once(n: int, n_tasks: int) -> None:
    found = groups(n, n_tasks)
    assert [end for _, end in found[:-1]] == [begin for begin, _ in found[1:]]
    assert found[0][0] == 0
    assert found[-1][1] == n
    assert all(begin < end for begin, end in found)
    assert len(found) == min(n, n_tasks)


@pytest.mark.parametrize("name", list(METHODS))
@pytest.mark.parametrize("n_workers", [1, 3])
def test_every_method_learns_the_same_bits(pool: ClusterPool, name: str, n_workers: int) -> None:
    """Of five slices a step; a sequential law computes here, and so do steps of few documents."""
    alone, there = (Run(small(name), bars(), seed=4, batch_size=150, passes=2) for _ in range(2))
    alone.pool, there.pool = None, pool
    tasks = pool.moved.tasks
    with only(n_workers):
        for run in (alone, there):
            run.step()
            run.step()
    assert same(alone.snapshot().topics, there.snapshot().topics)
    sends = METHODS[name].parallel == "documents"
    assert (pool.moved.tasks > tasks) == sends


def kept(pool: ClusterPool) -> list[object]:
    """How much the scheduler knows still, each worker has of Dask's and of ours, and the client
    holds, beside an actor on each worker."""
    client = pool.members.client
    scheduler = client.run_on_scheduler(
        lambda dask_scheduler: (
            sum(not task.actor for task in dask_scheduler.tasks.values()),
            len(dask_scheduler.task_groups),
            len(dask_scheduler.task_prefixes),
        )
    )
    workers = client.run(
        lambda dask_worker: (
            len(dask_worker.data),
            len(dask_worker.state.tasks) - len(dask_worker.state.actors),
        )
    )
    ours = client.run(work.held)
    futures = [key for key in client.futures if not key.startswith("Place")]
    return [scheduler, sorted(workers.values()), sorted(ours.values()), len(futures)]


def until_nothing_is_kept(pool: ClusterPool, names: tuple[int, int]) -> None:
    until(lambda: kept(pool) == [(0, *names), [(0, 0)] * 3, [[]] * 3, 0])  # a moment later


def test_nothing_is_kept_of_steps_that_are_over(pool: ClusterPool) -> None:
    """Neither scheduler nor workers nor client keep names or data of steps that are over."""
    given, pieces = np.ones((60, 50)), pieces_of(3)
    for _ in range(20):
        pool.each(work.some_sum, pieces, given)
    until(lambda: kept(pool)[1:] == [[(0, 0)] * 3, [[]] * 3, 0])
    names = kept(pool)[0][1:]
    for _ in range(100):
        pool.each(work.some_sum, pieces, given)
    until_nothing_is_kept(pool, names)


def test_a_worker_that_is_given_up_keeps_nothing_of_what_comes_to_it(pool: ClusterPool) -> None:
    """Neither what it had nor what is under way; and it gets another place when it is used next."""
    places, worker = pool.members.places, next(iter(pool.workers))
    assert places is not None

    async def given_up() -> list[Any]:
        await places.call(worker, "keep", "one", Message(np.ones(1000)))
        large = Message(np.ones(10**7))
        coming = asyncio.ensure_future(places.call(worker, "keep", "two", large))
        await asyncio.sleep(0.01)
        assert not coming.done()
        places.drop(worker)
        asked = places.call(worker, "compute", b"", "one", Message([]))
        return await asyncio.gather(coming, asked, return_exceptions=True)

    client = pool.members.client
    assert [type(one) for one in client.sync(given_up)] == [Lost, Lost]
    until(lambda: [*client.run(work.held).values()] == [[]] * 3)
    assert len(set(pool.each(work.who, [(i,) for i in range(12)], 0.05))) == 3
    until(lambda: [*client.run(work.held).values()] == [[]] * 3)


def test_calls_do_not_wait_for_what_is_not_there(pool: ClusterPool) -> None:
    """Neither for what nobody keeps, nor for an actor that its worker does not have any more."""
    places, worker, client = pool.members.places, next(iter(pool.workers)), pool.members.client
    assert places is not None

    async def tried() -> list[Any]:
        never = await asyncio.gather(places.call(worker, "give", "never"), return_exceptions=True)
        (await places.begun[worker]).release()
        async with asyncio.timeout(NEVER):
            while worker in places.begun:  # the scheduler tells the worker
                keeping = places.call(worker, "keep", "one", Message(1))
                gone = await asyncio.gather(keeping, return_exceptions=True)
        await places.call(worker, "keep", "one", Message(1))
        await places.let_go(worker, "one")
        return [type(one) for one in (*never, *gone)]

    assert client.sync(tried) == [Lost, Lost]


def test_what_comes_home_begins_where_kernels_want_it(pool: ClusterPool) -> None:
    """And is joined with the same bits."""
    given = np.random.default_rng(0).random((60, 5))
    pieces = pieces_of(37)
    found = pool.each(work.some_sum, pieces, given)
    assert all(array.ctypes.data % 16 == 0 for one in found for array in one)
    for ours, theirs in zip(
        joined(None, work.some_sum, pieces, given),
        joined(pool, work.some_sum, pieces, given),
        strict=True,
    ):
        assert ours.tobytes() == theirs.tobytes()


def test_what_nobody_refers_to_is_let_go(pool: ClusterPool) -> None:
    client = pool.members.client
    places = [Places(client)]
    for worker in pool.workers:
        client.sync(places[0].call, worker, "keep", "one", Message(np.ones(9)))
    assert [*client.run(work.held).values()] == [["one"]] * 3
    places.clear()
    until(lambda: [*client.run(work.held).values()] == [[]] * 3)


def test_what_a_client_keeps_goes_with_it(pool: ClusterPool) -> None:
    """However it ends: the scheduler sees that its connection does, too."""
    program = (
        "import os, sys, numpy\n"
        "from distributed import Client, Security\n"
        "from bnpexplorer.plugins.cluster.message import Message\n"
        "from bnpexplorer.plugins.cluster.places import Places\n"
        "keys = Security(require_encryption=True, tls_ca_file=os.environ['CA'],\n"
        "    tls_client_cert=os.environ['CERT'], tls_client_key=os.environ['KEY'])\n"
        "client = Client(sys.argv[1], security=keys)\n"
        "places, given = Places(client), Message(numpy.ones(1000))\n"
        "[client.sync(places.call, w, 'keep', 'mine', given) for w in client.nthreads()]\n"
        "print('kept', flush=True)\n"
        "sys.stdin.read()\n"
    )
    owned, client = pool.members.owned, pool.members.client
    assert owned is not None
    keys = {
        "CA": owned.security.tls_ca_file,
        "CERT": owned.security.tls_client_cert,
        "KEY": owned.security.tls_client_key,
    }
    begun = subprocess.Popen(
        [sys.executable, "-c", program, pool.address],
        env=os.environ | {"PYTHONPATH": str(TOP)} | keys,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert begun.stdout is not None
    assert begun.stdout.readline() == b"kept\n"
    assert [*client.run(work.held).values()] == [["mine"]] * 3
    begun.kill()
    begun.communicate()
    until(lambda: [*client.run(work.held).values()] == [[]] * 3)


def test_of_many_workers_others_get_from_some_what_all_share(
    pool: ClusterPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "COPIES", 1)
    given = np.ones((60, 5000))
    before = pool.moved.shared
    alone, there = (each(by, work.some_sum, pieces_of(12), given) for by in (None, pool))
    assert all(a.stats.tobytes() == b.stats.tobytes() for a, b in zip(alone, there, strict=True))
    assert pool.moved.shared - before == Message((None, given)).n_bytes
    assert pool.moved.again == 0
    # From here where that one fails them.
    monkeypatch.setattr(Places, "call", _hands_nothing_on)
    before = pool.moved.shared
    assert len(set(pool.each(work.who, [(i,) for i in range(12)], 0.05))) == 3
    assert pool.moved.shared - before == 3 * Message((None, 0.05)).n_bytes
    assert pool.moved.again == 0


CALL = Places.call


async def _hands_nothing_on(self: Places, worker: str, what: str, *given: Any) -> Any:
    if what == "fetch":
        raise Lost("nothing")
    return await CALL(self, worker, what, *given)
