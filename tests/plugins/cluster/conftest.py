"""Clusters for all tests of this room: a scheduler in this process, workers in others.

Modules share them: a worker takes 1.1 s of a core until it answers, and then loads the kernels that
it calls. Each test finds all workers there, and a pool that knows as little as a new one.
"""

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest

from bnpexplorer.plugins.cluster import ClusterPool, connect
from bnpexplorer.plugins.cluster.holdings import Holdings
from bnpexplorer.plugins.cluster.pool import WAIT_SECONDS
from bnpexplorer.plugins.cluster.sending import Moved
from tests.tools.waiting import NEVER, until

Clusters = Callable[[int], ClusterPool]


@pytest.fixture(scope="package")
def clusters() -> Iterator[Clusters]:
    """A pool of so many workers of one thread, which begins when it is first asked for."""
    with ExitStack() as open_ones:
        made: dict[int, ClusterPool] = {}

        def of(n: int) -> ClusterPool:
            if n not in made:
                made[n] = open_ones.enter_context(connect(f"local:{n}"))
            return anew(made[n])

        yield of


def anew(pool: ClusterPool) -> ClusterPool:
    """With all its workers, also where the test before has killed some, and nothing told."""
    gc.collect()  # what the test before has left in circles lets go of what workers have
    pool.wait_seconds = NEVER
    until(lambda: _is_whole(pool))
    pool.wait_seconds, pool.shards = WAIT_SECONDS, ""
    pool.moved, pool.holdings = Moved(), Holdings(pool.note)
    pool.notes.clear()
    return pool


def _is_whole(pool: ClusterPool) -> bool:
    """Whether just those processes answer that were started last."""
    pool.ready()
    answering = pool.members.client.run(os.getpid, on_error="ignore")
    assert pool.members.owned is not None
    started = {process.pid for process in pool.members.owned.processes}  # type: ignore[attr-defined]
    return set(answering.values()) == started and set(answering) == set(pool.workers)


@pytest.fixture
def pool(clusters: Clusters) -> ClusterPool:
    """Two workers of one thread."""
    return clusters(2)


@pytest.fixture
def three(clusters: Clusters) -> ClusterPool:
    """Three workers of one thread."""
    return clusters(3)


@contextmanager
def only(n: int) -> Iterator[None]:
    """While this lasts, pools use so many of their workers."""
    with pytest.MonkeyPatch.context() as patched:
        some = property(lambda pool: dict([*pool.members.in_use.items()][:n]))
        patched.setattr(ClusterPool, "workers", some)
        yield
