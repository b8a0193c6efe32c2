"""Workers and schedulers that hang: nothing is heard of them, and their connections stay."""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bnpexplorer.checks.expecting import same, small
from bnpexplorer.cluster import answering, connect, holdings, members, starting
from bnpexplorer.cluster import trials as trials_module
from bnpexplorer.cluster.answering import SCHEDULER, watch
from bnpexplorer.cluster.driven import RunAway, drive
from bnpexplorer.cluster.holdings import Holdings
from bnpexplorer.cluster.places import Lost
from bnpexplorer.cluster.sending import Moved, Sending
from bnpexplorer.cluster.trials import Trials
from bnpexplorer.inference.pool import PoolLost
from bnpexplorer.runs.run import Run
from tests.cluster import work
from tests.cluster.processes import (
    answers,
    connected,
    free_port,
    n_ready,
    process,
    scheduler,
    until,
    worker,
)
from tests.cluster.test_faults import a_run, finished
from tests.cluster.test_trials import HELDOUT, TRAIN, expect_equal

pytestmark = pytest.mark.second

TENS = [10 * i for i in range(9)]
PIECES = [(i,) for i in range(9)]


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is silent for two seconds hangs."""
    monkeypatch.setattr(answering, "LOOK_SECONDS", 0.5)


@contextmanager
def stopped(*pids: int) -> Iterator[None]:
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def is_there(pid: int) -> bool:
    """Also as one that has ended and nobody has waited for."""
    return Path(f"/proc/{pid}").exists()


# ---- amid a step ---------------------------------------------------------------------------------


def test_one_of_our_own_that_hangs_is_ended_and_another_begun(tmp_path: Path) -> None:
    with connect("local:2") as pool:
        pool.wait_seconds = 120.0
        before = {process.pid for process in pool.members.owned.processes}  # type: ignore[union-attr]
        assert pool.each(work.hangs_once, PIECES, str(tmp_path)) == TENS
        assert pool.moved.again >= 1
        [note] = pool.notes
        assert "gave no sign of life" in note
        assert "what it had to do was done again without it" in note
        assert "127.0.0.1" not in note
        assert pool.n_workers == 1, "it gets nothing more"
        until(lambda: n_ready(pool) == 2)
        after = {process.pid for process in pool.members.owned.processes}  # type: ignore[union-attr]
        [hung] = before - after
        assert len(after) == 2
        assert not is_there(hung)
        assert len(set(pool.each(work.who, [(i,) for i in range(8)], 0.1))) == 2


def test_a_trial_on_a_worker_that_hangs_costs_no_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials_module, "drive_on", work.hangs_amid)
    texts = replace(TRAIN, name=str(tmp_path))
    alone, *there = [
        Run(small("hdp-gibbs"), texts, seed=4, batch_size=20, passes=2, heldout=HELDOUT)
        for _ in range(3)
    ]
    drive(alone, 100)
    with connect("local:2") as pool:
        pool.wait_seconds = 120.0
        away, trials = [RunAway(run) for run in there], Trials(pool, texts, HELDOUT)
        trials.seconds = trials.most = 60.0
        for docs in (40, 100):
            while short := [one for one in away if one.run.docs_seen < docs]:
                assert trials.advance(short, docs) == []
        assert pool.moved.again == 1
    for run in there:
        expect_equal(alone, run)


def test_workers_elsewhere_that_hang_and_go_on(tmp_path: Path) -> None:
    """In one, since starting processes takes the time. One that hangs gets nothing until it
    answers; with all hanging the run pauses at its last step, and goes on when they do."""
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    alone = finished(a_run())
    with process(*scheduler(port)) as ruling:
        until(lambda: answers(port))
        with process(*worker(address)) as first, process(*worker(address)) as second:
            told: list[str] = []
            pool = connected(address, told.append)
            pool.wait_seconds = 1.0
            until(lambda: n_ready(pool) == 2)
            run = a_run(pool)
            run.step()
            with stopped(first.pid):
                assert pool.each(work.who, PIECES, 0.0) == [second.pid] * 9
                began = time.monotonic()
                pool.ready()
                assert (pool.n_workers, time.monotonic() - began < 2) == (1, True)
                run.step()
                assert "gave no sign of life" in told[0]
                assert "It is tcp://127.0.0.1:" in told[0]
            until(lambda: n_ready(pool) == 2)
            with stopped(first.pid, second.pid):
                run.step()  # it has begun, and so it ends
                n_steps = run.n_steps
                with pytest.raises(PoolLost, match=r"do not answer any more; end them") as lost:
                    run.step()
                assert run.n_steps == n_steps
                assert "Nothing is lost." in str(lost.value)
                assert "127.0.0.1" not in str(lost.value)
            pool.wait_seconds = 60.0
            run.step()
            with stopped(ruling.pid):
                pool.wait_seconds = 1.0
                assert pool.each(work.who, PIECES, 0.0)
                with pytest.raises(PoolLost, match=r"The cluster does not answer any more"):
                    run.step()
            pool.wait_seconds = 60.0
            tasks = pool.moved.tasks
            finished(run)
            assert pool.moved.tasks > tasks
            assert same(run.snapshot().topics, alone.snapshot().topics)
            pool.close()


# ---- before a step -------------------------------------------------------------------------------


def test_a_newcomer_that_hangs_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    with process(*scheduler(port)):
        until(lambda: answers(port))
        with process(*worker(address)):
            pool = connected(address)
            with process(*worker(address)) as newcomer:
                until(lambda: len(pool.members.client.nthreads()) == 2)
                with stopped(newcomer.pid):
                    began = time.monotonic()
                    pool.ready()
                    assert pool.each(work.fails, PIECES, 99) == list(range(9))
                    assert time.monotonic() - began < 5
                    assert pool.n_workers == 1
                    monkeypatch.setattr(members, "ANSWER_SECONDS", 0.5)
                    until(lambda: n_ready(pool) == 1 and bool(pool.notes), 20)
                    assert "does not say within" in next(iter(pool.notes))
                until(lambda: n_ready(pool) == 2)
                pool.close()
        monkeypatch.setattr(members, "ANSWER_SECONDS", 60.0)
        with process(*worker(address)) as only:
            found = connected(address)
            found.close()
            monkeypatch.setattr(members, "ANSWER_SECONDS", 2.0)
            with (
                stopped(only.pid),
                pytest.raises(ValueError, match=r"do not answer; end them and start others"),
            ):
                connect(address)


class Deaf:
    """A client of workers of which "deaf" never answers."""

    def __init__(self) -> None:
        self.asked = threading.Event()

    def sync(self, how: Any) -> Any:
        return asyncio.run(how())

    async def run(self, *_: Any, workers: list[str], **__: Any) -> dict[str, str]:
        self.asked.set()
        if workers == ["deaf"]:
            await asyncio.sleep(3600)
        return dict.fromkeys(workers, "")


def test_who_asks_what_a_worker_reads_waits_a_while_and_others_not_at_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(holdings, "HANGING_SECONDS", 1.0)
    told: list[str] = []
    known, client = Holdings(told.append), Deaf()

    class Stored:
        class folder:
            name = "c"

        class manifest:
            fingerprint = "f"

    def ask() -> None:
        known.ask(client, ["well", "deaf"], "/there", Stored)  # type: ignore[arg-type]

    first = threading.Thread(target=ask)
    first.start()
    assert client.asked.wait(10)
    began = time.monotonic()
    ask()
    assert time.monotonic() - began < 0.5
    assert not known.reads("well", "f"), "it has not answered yet"
    first.join(10)
    assert known.reads("well", "f")
    assert not known.reads("deaf", "f")
    [said] = told
    assert "Worker deaf cannot read the corpus itself: It does not answer." in said


# ---- signs of life -------------------------------------------------------------------------------


class Echoing:
    """A client of workers that answer, or not: those whose names are in `deaf`."""

    def __init__(self, *deaf: str) -> None:
        self.deaf, self.scheduler = set(deaf), self.rpc(SCHEDULER)

    def rpc(self, who: str) -> Any:
        client = self

        class One:
            async def echo(self, data: str) -> None:
                if who == "broken":
                    raise ConnectionError("nobody there")
                while who in client.deaf:
                    await asyncio.sleep(0.01)

        return One()


@pytest.mark.parametrize("deaf", [(), ("b",), (SCHEDULER, "a")])
def test_who_does_not_answer_is_told_once(
    monkeypatch: pytest.MonkeyPatch, deaf: tuple[str, ...]
) -> None:
    monkeypatch.setattr(answering, "LOOK_SECONDS", 0.05)
    told: list[str] = []

    async def watched() -> None:
        watching = asyncio.ensure_future(watch(Echoing(*deaf), ["a", "b", "broken"], told.append))
        await asyncio.sleep(1.0)
        assert not watching.done()
        watching.cancel()

    asyncio.run(watched())
    assert sorted(told) == sorted((*deaf, "broken"))


def test_looks_are_counted_and_not_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who was suspended with this process does not hang."""
    monkeypatch.setattr(answering, "LOOK_SECONDS", 0.05)
    told: list[str] = []

    async def watched() -> None:
        client = Echoing("a")
        watching = asyncio.ensure_future(watch(client, ["a"], told.append))
        await asyncio.sleep(0.12)
        time.sleep(1.0)  # as if this process had been suspended
        client.deaf.clear()
        await asyncio.sleep(0.5)
        watching.cancel()

    asyncio.run(watched())
    assert told == []


def test_who_waits_for_what_one_that_hangs_should_hand_on_is_not_waited_for() -> None:
    """Two workers get it from the first; the second gets it from here."""

    async def tried() -> list[str]:
        sending = Sending(None, dict.fromkeys("abcd", 1), Moved())
        sending._second_hand = ["c", "d"]
        forever = [asyncio.ensure_future(sending._of(w, asyncio.sleep(3600))) for w in "abcd"]
        await asyncio.sleep(0)
        sending.hangs("a")
        done, left = await asyncio.wait(forever, timeout=0.5)
        assert all(isinstance(one.exception(), Lost) for one in done)
        names = [w for w, one in zip("abcd", forever, strict=True) if one in done]
        assert sending.gone == set(names)
        for one in left:
            one.cancel()
        return names

    assert asyncio.run(tried()) == ["a", "c", "d"]


# ---- at the end ----------------------------------------------------------------------------------


def test_a_cluster_is_closed_though_workers_hang_and_leaves_no_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(starting, "END_SECONDS", 2.0)
    with connect("local:3") as pool:
        pids = [process.pid for process in pool.members.owned.processes]  # type: ignore[union-attr]
        for pid in pids[1:]:
            os.kill(pid, signal.SIGSTOP)
        began = time.monotonic()
    assert time.monotonic() - began < 15
    assert [pid for pid in pids if is_there(pid)] == []
