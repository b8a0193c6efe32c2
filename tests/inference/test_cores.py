"""The threads of a process, shared out between those that compute."""

import contextlib
import os
import threading

import pytest

from bnpexplorer.core import environment
from bnpexplorer.inference import cores as module
from bnpexplorer.inference.cores import LINGERS, Cores, cores, too_many
from tests.tools.waiting import NEVER


class Workers:
    """Threads that begin and end to compute when they are told to."""

    def __init__(self, pool):
        self.pool, self.ends, self.threads, self.shares = pool, {}, {}, {}

    def begin(self, name):
        begun, self.ends[name] = threading.Event(), threading.Event()
        look, looked = threading.Event(), threading.Event()
        self.shares[name] = (look, looked, [])

        def work():
            with self.pool.at_work():
                begun.set()
                while not self.ends[name].wait(0.005):
                    if look.is_set():
                        look.clear()
                        self.shares[name][2].append(self.pool.n_workers)
                        looked.set()

        self.threads[name] = threading.Thread(target=work)
        self.threads[name].start()
        assert begun.wait(NEVER)

    def share(self, name):
        look, looked, found = self.shares[name]
        looked.clear()
        look.set()
        assert looked.wait(NEVER)
        return found[-1]

    def end(self, name):
        self.ends[name].set()
        self.threads[name].join(NEVER)


@pytest.fixture
def clock():
    return [100.0]


@pytest.fixture
def four(clock):
    return Cores(4, lambda: clock[0])


@pytest.fixture
def workers(four):
    made = Workers(four)
    yield made
    for name in made.threads:
        made.end(name)


def test_shares_follow_who_begins_and_who_ends(four, workers, clock):
    workers.begin("a")
    assert workers.share("a") == 4, "alone: all"
    workers.begin("b")
    assert [workers.share(name) for name in "ab"] == [2, 2]
    workers.begin("c")
    assert [workers.share(name) for name in "abc"] == [2, 1, 1], "none is left idle"
    workers.begin("d")
    workers.begin("e")
    assert [workers.share(name) for name in "abcde"] == [1] * 5, "never none"
    for name in "bcd":
        workers.end(name)
    assert workers.share("a") == 1, "between two steps they count"
    clock[0] += LINGERS + 0.1
    assert [workers.share(name) for name in "ae"] == [2, 2]
    workers.end("a")
    clock[0] += LINGERS + 0.1
    assert workers.share("e") == 4


def test_another_number_holds_at_once(four, workers):
    workers.begin("a")
    four.use(7)
    assert workers.share("a") == 7
    workers.begin("b")
    assert [workers.share(name) for name in "ab"] == [4, 3]
    four.use(1)
    assert [workers.share(name) for name in "ab"] == [1, 1]
    with pytest.raises(ValueError, match="at least 1; got 0"):
        four.use(0)
    assert four.n == 1


def test_runs_that_one_thread_steps_in_turn_each_have_its_share(four):
    """As chains and races: they never compute at the same time."""
    for _ in range(3):
        with four.at_work():
            assert four.n_workers == 4
            with four.at_work():  # a step within a step
                assert four.n_workers == 4
            assert four.n_workers == 4


def test_who_computes_without_saying_so_counts_as_well(four, workers):
    workers.begin("a")
    assert four.n_workers == 2
    barrier = threading.Barrier(2, timeout=20)
    assert four.each(lambda _: barrier.wait() < 2, [(), ()], 0) == [True, True]
    assert workers.share("a") == 2


def test_one_that_fails_gives_its_share_back(four, workers, clock):
    with contextlib.suppress(ZeroDivisionError), four.at_work():
        1 / 0  # noqa: B018
    clock[0] += LINGERS + 0.1
    workers.begin("a")
    assert workers.share("a") == 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no forks")
def test_a_fork_has_helpers_of_its_own(monkeypatch):
    """Threads do not live on in a fork, and whoever waits for them waits for ever."""
    pool = cores()
    monkeypatch.setattr(pool, "n", 3)
    seen = []
    pool.here(lambda start, stop: seen.append(stop - start), 40)
    child = os.fork()
    if child == 0:
        os._exit(0 if pool.each(lambda i, _: i, [(i,) for i in range(9)], 0) == [*range(9)] else 1)
    timer = threading.Timer(60, os.kill, (child, 9))
    timer.start()
    status = os.waitpid(child, 0)[1]
    timer.cancel()
    assert status == 0


def test_the_usual_number_is_that_of_the_cores_or_of_the_variable(monkeypatch):
    monkeypatch.delenv("BNPEXPLORER_THREADS", raising=False)
    made = cores.__wrapped__
    monkeypatch.setattr(environment, "usable_cores", lambda: 5)
    assert made().n == 5
    monkeypatch.setenv("BNPEXPLORER_THREADS", "3")
    assert made().n == 3
    monkeypatch.setenv("BNPEXPLORER_THREADS", "")
    assert made().n == 5
    assert cores() is cores()


def test_more_threads_than_cores_are_allowed_and_said(monkeypatch):
    monkeypatch.setattr(module, "usable_cores", lambda: 2)
    assert too_many(2) == ""
    assert too_many(3) == "3 threads take turns on 2 cores: they learn no faster than 2."
    monkeypatch.setattr(module, "usable_cores", lambda: 1)
    assert too_many(1000) == "1,000 threads take turns on 1 core: they learn no faster than 1."


def test_who_computes_within_a_step_is_under_way_until_the_outer_one_ends():
    now, found = [0.0], []
    pool = Cores(4, lambda: now[0])
    with pool.at_work():
        with pool.at_work():
            pass
        now[0] += 10 * LINGERS
        other = threading.Thread(target=lambda: found.append(pool.n_workers))
        other.start()
        other.join(NEVER)
    assert found == [2], "half of four, and not all"
