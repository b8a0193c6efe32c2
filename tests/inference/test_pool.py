"""Threads that help: every piece is computed once, whatever happens meanwhile."""

import sys
import threading
import time

import numpy as np
import pytest

from bnpexplorer.core.environment import BEHIND, niceness, stand_back
from bnpexplorer.inference import pool as module
from bnpexplorer.inference.pool import Helpers, Threads, mapped
from tests.tools.waiting import NEVER, returned, until


def double(piece, given):
    return 2 * piece + given


def test_pieces_come_back_in_their_order_whoever_is_slow():
    def work(piece):
        time.sleep(0.01 * (piece % 3))
        return piece

    helpers = Helpers()
    assert helpers.each(4, work, [(i,) for i in range(20)]) == list(range(20))
    assert helpers.each(4, work, []) == []
    helpers.close()


@pytest.mark.parametrize("n_workers", [1, 2, 3, 40])
@pytest.mark.parametrize("n", [0, 1, 7, 1000])
def test_ranges_cover_everything_once(n_workers, n):
    seen = np.zeros(n, int)

    def work(start, stop):
        seen[start:stop] += 1

    with Threads(n_workers) as pool:
        pool.here(work, n)
    assert seen.tolist() == [1] * n


@pytest.mark.parametrize("n", [0, 1, 7, 100])
def test_a_map_keeps_the_order_and_asks_each_once(n):
    seen = []

    def work(one, other):
        seen.append(one)
        return one, other

    expected = [(i, -i) for i in range(n)]
    assert mapped(None, work, range(n), range(0, -n, -1)) == expected
    with Threads(3) as pool:
        assert mapped(pool, work, range(n), range(0, -n, -1)) == expected
        with pytest.raises(ValueError, match="shorter"):
            mapped(pool, work, range(n + 1), range(n))
    assert sorted(seen) == sorted(2 * list(range(n)))


def test_so_many_compute_at_once_and_the_caller_is_one_of_them():
    both = threading.Barrier(3, timeout=NEVER)
    who = []

    def work(_):
        who.append(threading.get_ident())
        both.wait()

    helpers = Helpers()
    helpers.each(3, work, [(i,) for i in range(3)])
    assert threading.get_ident() in who
    assert len(set(who)) == 3
    helpers.close()


def test_one_worker_is_the_caller_alone():
    helpers, who = Helpers(), []
    helpers.each(1, lambda _: who.append(threading.get_ident()), [(i,) for i in range(5)])
    assert who == [threading.get_ident()] * 5
    assert not helpers._threads, "no thread was begun"
    helpers.close()


@pytest.mark.parametrize("caller_fails", [True, False])
def test_an_error_ends_the_rest_and_is_told_when_all_have_stopped(caller_fails, monkeypatch):
    lefts, first = [], module._first
    monkeypatch.setattr(module, "_first", lambda left: (lefts.append(left), first(left))[1])
    caller, begun = threading.get_ident(), threading.Barrier(2, timeout=NEVER)
    at_work, done = [], []

    def work(piece):
        if piece < 2:  # one for each
            begun.wait()
        if piece < 2 and (threading.get_ident() == caller) == caller_fails:
            raise ArithmeticError("not this piece")
        at_work.append(piece)
        until(lambda: not lefts[0])  # the other has failed
        done.append(piece)

    helpers = Helpers()
    with pytest.raises(ArithmeticError, match="not this piece"):
        helpers.each(2, work, [(i,) for i in range(100)])
    assert done == at_work, "nobody writes any more"
    assert len(done) == 1
    helpers.close()


def test_an_index_error_of_the_work_is_not_taken_for_the_end():
    def work(piece):
        return [1, 2][piece]

    with Threads(2) as pool, pytest.raises(IndexError):
        pool.here(lambda start, stop: work(start), 8)


def test_a_pool_that_was_closed_still_computes():
    """As at the end of a process, whose runs may take a last step."""
    pool = Threads(3)
    assert pool.each(double, [(1,), (2,)], 1) == [3, 5]
    pool.close()
    assert pool.each(double, [(1,), (2,)], 1) == [3, 5]


def test_busy_helpers_do_not_hold_up_the_caller():
    """Those of one run may all be at work for another."""
    let_go, begun = threading.Event(), threading.Event()

    def wait(_):
        begun.set()
        let_go.wait(2 * NEVER)

    helpers = Helpers()
    helpers._threads_of(niceness())._max_workers = 1
    other = threading.Thread(target=helpers.each, args=(2, wait, [(0,), (1,)]))
    other.start()
    assert begun.wait(NEVER)
    pieces = [(i,) for i in range(4)]
    assert returned(lambda: helpers.each(2, lambda piece: piece, pieces)) == [0, 1, 2, 3]
    let_go.set()
    other.join(NEVER)
    helpers.close()


def test_there_is_at_least_one_thread():
    with pytest.raises(ValueError, match="at least 1; got 0"):
        Threads(0)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems know no priority of a thread")
@pytest.mark.parametrize("first", ["behind", "usual"])
def test_helpers_stand_back_as_far_as_whoever_they_help(first):
    """Whoever asked first: the app's runs stand back, and its pages and the command line do not."""
    found = {}

    def ask(who):
        if who == "behind":
            stand_back()
        both = threading.Barrier(3, timeout=NEVER)

        def work(_):
            both.wait()
            return niceness()

        found.setdefault(who, []).append(helpers.each(3, work, [(i,) for i in range(3)]))

    helpers, usual = Helpers(), niceness()
    for who in (first, "usual", "behind", "usual", "behind"):
        asking = threading.Thread(target=ask, args=(who,))
        asking.start()
        asking.join(NEVER)
    helpers.close()
    assert {n for each in found["usual"] for n in each} == {usual}
    assert {n for each in found["behind"] for n in each} == {min(usual + BEHIND, 19)}
    assert sum(map(len, found.values())) == 5
