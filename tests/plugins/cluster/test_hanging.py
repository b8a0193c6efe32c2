"""Workers and schedulers that hang: nothing is heard of them, and their connections stay."""

import asyncio
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bnpexplorer.checks.expecting import same, small
from bnpexplorer.inference.pool import PoolLost
from bnpexplorer.plugins.cluster import connect, holdings, members, places, sending, starting
from bnpexplorer.plugins.cluster import trials as trials_module
from bnpexplorer.plugins.cluster.guests import RunAway, drive
from bnpexplorer.plugins.cluster.holdings import Holdings
from bnpexplorer.plugins.cluster.message import Message
from bnpexplorer.plugins.cluster.places import watched
from bnpexplorer.plugins.cluster.sending import Moved, Sending
from bnpexplorer.plugins.cluster.trials import Trials
from bnpexplorer.runs.run import Run
from tests.plugins.cluster import work
from tests.plugins.cluster.processes import (
    answers,
    connected,
    free_port,
    n_ready,
    process,
    scheduler,
    worker,
)
from tests.plugins.cluster.test_faults import a_run, finished
from tests.plugins.cluster.test_trials import HELDOUT, TRAIN, expect_equal
from tests.tools.waiting import NEVER, returned, until

pytestmark = pytest.mark.second

TENS = [10 * i for i in range(9)]
PIECES = [(i,) for i in range(9)]


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is silent for four seconds hangs, which no worker is that is only slow."""
    monkeypatch.setattr(places, "LOOK_SECONDS", 0.4)
    monkeypatch.setattr(places, "LOOKS", 10)


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
        pool.wait_seconds = NEVER
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
        pool.wait_seconds = NEVER
        away, trials = [RunAway(run) for run in there], Trials(pool, texts, HELDOUT)
        trials.seconds = trials.most = 3600.0
        for docs in (40, 100):
            while short := [one for one in away if one.run.docs_seen < docs]:
                assert trials.advance(short, docs) == []
        assert pool.moved.again == 1
    for run in there:
        expect_equal(alone, run)


def test_workers_elsewhere_that_hang_and_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
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
            until(lambda: n_ready(pool) == 2)
            run = a_run(pool)
            run.step()
            with stopped(first.pid):
                assert pool.each(work.who, PIECES, 0.0) == [second.pid] * 9
                with monkeypatch.context() as patched:
                    patched.setattr(members, "ANSWER_SECONDS", 3600.0)
                    assert returned(lambda: n_ready(pool)) == 1, "nobody waits for its answer"
                run.step()
                assert "gave no sign of life" in told[0]
                assert "It is tcp://127.0.0.1:" in told[0]
            until(lambda: n_ready(pool) == 2)
            with stopped(first.pid, second.pid):
                run.step()  # it has begun, and so it ends
                n_steps, pool.wait_seconds = run.n_steps, 1.0
                with pytest.raises(PoolLost, match=r"do not answer any more; end them") as lost:
                    run.step()
                assert run.n_steps == n_steps
                assert "Nothing is lost." in str(lost.value)
                assert "127.0.0.1" not in str(lost.value)
            pool.wait_seconds = NEVER
            run.step()
            with stopped(ruling.pid), monkeypatch.context() as patched:
                patched.setattr(members, "CONNECT_SECONDS", 1.0)
                pool.wait_seconds = 1.0
                assert pool.each(work.who, PIECES, 0.0)
                with pytest.raises(PoolLost, match=r"The cluster does not answer any more"):
                    run.step()
            pool.wait_seconds = NEVER
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
                    monkeypatch.setattr(members, "ANSWER_SECONDS", 3600.0)
                    assert returned(lambda: n_ready(pool)) == 1, "nobody waits for its answer"
                    assert returned(lambda: pool.each(work.fails, PIECES, 99)) == list(range(9))
                    assert pool.n_workers == 1
                    monkeypatch.setattr(members, "ANSWER_SECONDS", 0.5)
                    until(lambda: n_ready(pool) == 1 and bool(pool.notes))
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
    """A client of workers of which "deaf" does not answer until it has `gone`."""

    def __init__(self) -> None:
        self.asked, self.gone = threading.Event(), threading.Event()

    def sync(self, how: Any) -> Any:
        return asyncio.run(how())

    async def run(self, *_: Any, workers: list[str], **__: Any) -> dict[str, str]:
        self.asked.set()
        if workers == ["deaf"]:
            while not self.gone.is_set():
                await asyncio.sleep(0.01)
            return {}
        return dict.fromkeys(workers, "")


class Stored:
    class folder:
        name = "c"

    class manifest:
        fingerprint = "f"


def ask(known: Holdings, client: Deaf) -> None:
    known.ask(client, ["well", "deaf"], "/there", Stored)  # type: ignore[arg-type]


def test_others_do_not_wait_who_want_to_know_what_a_worker_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(holdings, "HANGING_SECONDS", 3600.0)
    known, client = Holdings(lambda said: None), Deaf()
    first = threading.Thread(target=ask, args=(known, client), daemon=True)
    first.start()
    assert client.asked.wait(NEVER)
    returned(lambda: ask(known, client))
    assert not known.reads("deaf", "f"), "it has not answered yet"
    client.gone.set()
    first.join(NEVER)
    assert known.reads("well", "f")
    assert not known.reads("deaf", "f")


def test_who_asks_what_a_worker_reads_waits_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holdings, "HANGING_SECONDS", 0.1)
    told: list[str] = []
    known = Holdings(told.append)
    returned(lambda: ask(known, Deaf()))
    assert known.reads("well", "f")
    assert not known.reads("deaf", "f")
    [said] = told
    assert "Worker deaf cannot read the corpus itself: It does not answer." in said


# ---- signs of life -------------------------------------------------------------------------------


class Echoing:
    """A client of workers that answer, or not: those whose names are in `deaf`."""

    def __init__(self, *deaf: str) -> None:
        self.deaf = set(deaf)
        self.asked = Counter[str]()

    def rpc(self, who: str) -> Any:
        client = self

        class One:
            async def echo(self, data: str) -> None:
                client.asked[who] += 1
                if who == "broken":
                    raise ConnectionError("nobody there")
                while who in client.deaf:
                    await asyncio.sleep(0.01)

        return One()

    async def looked(self, who: str, times: int) -> None:
        """When one that answers was asked so often in all."""
        async with asyncio.timeout(NEVER):
            while self.asked[who] < times:
                await asyncio.sleep(0)


@pytest.mark.parametrize("deaf", [(), ("b",), ("a", "b")])
def test_who_does_not_answer_is_told_once(
    monkeypatch: pytest.MonkeyPatch, deaf: tuple[str, ...]
) -> None:
    monkeypatch.setattr(places, "LOOK_SECONDS", 0.01)
    told: list[str] = []

    async def tried() -> None:
        client = Echoing(*deaf)
        those = ["a", "b", "c", "broken"]
        watching = asyncio.ensure_future(watched(client, those, told.append))
        await client.looked("c", 3 * places.LOOKS)
        assert not watching.done()
        watching.cancel()

    asyncio.run(tried())
    assert sorted(told) == sorted((*deaf, "broken"))


def test_looks_are_counted_and_not_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who was suspended with this process does not hang."""
    monkeypatch.setattr(places, "LOOK_SECONDS", 0.01)
    told: list[str] = []

    async def tried() -> None:
        client = Echoing("a")
        watching = asyncio.ensure_future(watched(client, ["a"], told.append))
        await client.looked("a", 1)
        time.sleep(3 * places.LOOKS * places.LOOK_SECONDS)  # as if we had been suspended
        client.deaf.clear()
        await client.looked("a", 2 * places.LOOKS)
        watching.cancel()

    asyncio.run(tried())
    assert told == []


class Silent:
    """Actors of which the first hands nothing on, and says nothing."""

    def __init__(self) -> None:
        self.given: dict[str, str] = {}

    async def actor(self, worker: str) -> str:
        return worker

    async def call(self, worker: str, what: str, *given: Any) -> Any:
        if what == "fetch" and given[1] == "a":
            await asyncio.sleep(3600.0)
        self.given[worker] = what
        return Message([1])

    async def let_go(self, worker: str, name: str) -> None:
        pass


def test_what_one_that_hangs_should_hand_on_comes_from_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two workers get it from the first two."""
    monkeypatch.setattr(sending, "HAND_ON_SECONDS", 0.05)
    actors, workers = Silent(), dict.fromkeys("abcd", 1)

    async def tried() -> None:
        step: Any = Sending(actors, workers, Moved(), None, ())  # type: ignore[arg-type]
        held = {w: asyncio.ensure_future(step._give(w, Message(0), "", None)) for w in "ab"}
        for needy, holder in (("c", "a"), ("d", "b")):
            await step._give(needy, Message(0), holder, held[holder])

    asyncio.run(tried())
    assert actors.given == {"a": "keep", "b": "keep", "c": "keep", "d": "fetch"}


# ---- at the end ----------------------------------------------------------------------------------


def test_a_cluster_is_closed_though_workers_hang_and_leaves_no_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(starting, "END_SECONDS", 2.0)
    with connect("local:3") as pool:
        pids = [process.pid for process in pool.members.owned.processes]  # type: ignore[union-attr]
        for pid in pids[1:]:
            os.kill(pid, signal.SIGSTOP)
        returned(pool.close)
    assert [pid for pid in pids if is_there(pid)] == []
