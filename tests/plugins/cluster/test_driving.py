"""Which runs and trials go to workers, how far, and what comes of them; no cluster is needed."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bnpexplorer.checks.expecting import bars
from bnpexplorer.corpus.corpus import Batch, CorpusError
from bnpexplorer.plugins.cluster import drivers, guests, parts, shards
from bnpexplorer.plugins.cluster import trials as trials_module
from bnpexplorer.plugins.cluster.drivers import ChainRounds, StudyDriver, driver_of
from bnpexplorer.plugins.cluster.guests import Came, Piece, drive_on, stop
from bnpexplorer.plugins.cluster.holdings import BatchStep, Holdings
from bnpexplorer.plugins.cluster.sending import TRIES, in_turn
from bnpexplorer.plugins.cluster.shards import counts_at
from bnpexplorer.plugins.cluster.trials import Trials
from tests.plugins.cluster import far
from tests.plugins.cluster.test_told import of
from tests.tools.stored import on_disk


@pytest.mark.parametrize(
    ("n_workers", "parallel", "whole"),
    [(2, "documents", True), (3, "documents", True), (4, "documents", False), (4, "", True)],
)
def test_runs_go_to_a_worker_each_unless_there_are_more_workers(
    n_workers: int, parallel: str, whole: bool
) -> None:
    """One run alone whose method cannot be shared out is enough."""
    kinds = ["documents", parallel, "documents"]
    runs = [
        SimpleNamespace(method=SimpleNamespace(parallel=kind), minutes=None, heldout=None)
        for kind in kinds
    ]
    job: Any = SimpleNamespace(runs=runs, corpus=bars(20))
    assert (driver_of(job, of(a=n_workers)) is not None) == whole


# ---- chains --------------------------------------------------------------------------------------


class Judged:
    """Chains with draws after so many documents; which had met at `met`."""

    def __init__(self, draws: list[list[int]], seen: list[int], met: set[int]) -> None:
        self.draws = [[SimpleNamespace(docs_seen=docs) for docs in chain] for chain in draws]
        self.runs = [
            SimpleNamespace(draws=chain, docs_seen=docs)
            for chain, docs in zip(self.draws, seen, strict=True)
        ]
        self.met, self.judged, self.meet_at = met, 10, None
        self.failed: dict[int, str] = {}
        self.asked: list[int] = []

    def had_met(self, docs: int) -> bool:
        self.asked.append(docs)
        return docs in self.met

    def sound_at(self, docs: int) -> list[int]:
        return [i for i, r in enumerate(self.runs) if i not in self.failed or r.docs_seen >= docs]


def ended(chains: Judged) -> dict[int, str]:
    """Which chains went back, to what."""
    back = dict[int, str]()
    trials: Any = SimpleNamespace()
    rounds = ChainRounds(chains, trials)  # type: ignore[arg-type]
    rounds.away = [
        SimpleNamespace(stand=lambda what, i=i: back.update({i: what}))  # type: ignore[misc]
        for i in range(len(chains.runs))
    ]
    rounds._before = {i: (f"before {i}",) for i in range(len(chains.runs))}  # type: ignore[misc]
    rounds.end_round()
    assert not back or rounds.docs == chains.meet_at
    return back


def test_chains_end_at_the_first_point_at_which_they_had_met() -> None:
    """Those beyond it go back to where the round began, also one that failed there."""
    chains = Judged([[10, 20, 30, 40]] * 4, [40, 30, 33, 25], {10, 30, 40})
    chains.failed = {2: "no number", 3: "gone before"}
    assert ended(chains) == {0: "before 0", 2: "before 2"}
    assert chains.asked == [20, 30]
    assert (chains.judged, chains.meet_at) == (30, 30)
    assert chains.failed == {3: "gone before"}


def test_only_draws_that_all_chains_have_are_judged() -> None:
    chains = Judged([[10, 20, 30, 40], [10, 20, 40]], [40, 40], {10, 30})
    assert ended(chains) == {}
    assert chains.asked == [20, 40]
    assert (chains.judged, chains.meet_at) == (40, None)
    chains = Judged([[20], [20]], [20, 20], {20})
    chains.meet_at = 20  # type: ignore[assignment]
    assert ended(chains) == {}
    assert chains.asked == [], "where they are to end is known"


# ---- studies -------------------------------------------------------------------------------------


class Attempted:
    """Stands for an `AttemptAway`."""

    def __init__(self, trial: str, terms: str) -> None:
        self.trial, self.terms, self.ended, self.mark = trial, terms, False, 0
        self.here: list[Any] = []

    @property
    def outcome(self) -> str:
        return f"of {self.trial}"

    def learn_here(self, corpus: str, splits: str, over: Any) -> None:
        self.here += [corpus, splits]


def test_trials_under_way_go_first_and_those_that_have_ended_are_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(drivers, "AttemptAway", Attempted)
    sent, noted = list[list[str]](), list[dict[str, str]]()
    ends, under_way = {"b"}, {"c", "b"}

    def advance(those: Any) -> list[int]:
        sent.append([one.trial for one in those])
        for one in those:
            one.ended = one.trial in ends
            one.mark = 5 * (one.trial in under_way)
        return [1]

    trials: Any = SimpleNamespace(advance=advance, seconds=1.0)
    study: Any = SimpleNamespace(
        waiting=["a", "b", "c"], terms="t", corpus="texts", splits="s", note_ended=noted.append
    )
    driver = StudyDriver(study, trials)
    driver.step()
    assert sent == [["a", "b", "c"]]
    assert noted == [{"b": "of b"}]
    assert study.under_way == {"a": "of a", "c": "of c"}
    study.waiting = ["a", "c", "d"]
    driver.step()
    assert sent[1:] == [["c", "a", "d"]]
    assert noted[1:] == [{}]
    here = {trial: away.here for trial, away in driver.away.items()}  # type: ignore[attr-defined]
    assert here == {"a": ["texts", "s"], "c": [], "d": []}, "the second of those that were sent"


# ---- trials --------------------------------------------------------------------------------------


class Away:
    guest: Any = None

    def __init__(self, mark: int) -> None:
        self.mark, self.stood = mark, list[Any]()

    def packed(self) -> Any:
        raise AssertionError

    def stand(self, manifest: Any, arrays: Any) -> None:
        self.stood.append((manifest, arrays))
        self.mark += 1


def test_what_comes_home_stands_and_counts_as_lost_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """The places of those that failed, or were lost too often, are given back."""
    pool, those = of(a=1), [Away(mark) for mark in (3, 5, 7, 9)]
    trials = Trials(pool, bars(20))
    home: dict[int, Any] = {3: Came({"m": 3}, {}, 0.1), 2: None}
    monkeypatch.setattr(pool, "ready", lambda: None)

    async def send(places: Any, workers: Any, those: Any, docs: int, found: Any) -> None:
        found |= home

    def call(how: Any) -> None:
        with pytest.raises(StopIteration):
            how(None, {"a": 1}).send(None)

    monkeypatch.setattr(trials, "_send", send)
    monkeypatch.setattr(pool, "call", call)
    assert trials.advance(those) == [2]
    known = [trials._known[one] for one in those]
    known[0].n_lost, known[1].n_lost, known[3].n_lost = TRIES, TRIES - 1, TRIES - 1
    assert trials.advance(those) == [0, 2]
    assert [one.n_lost for one in known] == [TRIES, TRIES - 1, 0, 0]
    assert [one.mark for one in known] == [-1, -1, -1, 11]
    assert those[3].stood == [({"m": 3}, {})] * 2
    assert [one.stood for one in those[:3]] == [[], [], []]
    assert len({one.name for one in known}) == 4
    assert trials.advance([]) == []


def test_a_worker_goes_on_with_its_own_and_else_with_what_no_other_has() -> None:
    trials, those = Trials(of(a=1), bars(20)), [Away(0) for _ in range(4)]
    for one, worker in zip(those, ("b", "gone", "a", ""), strict=True):
        trials._known[one] = trials_module._Known(worker=worker)
    trials._places = SimpleNamespace(begun={"a": 1, "b": 1})  # type: ignore[assignment]
    for turn, worker, place in (
        ([0, 1, 2, 3], "a", 2),
        ([0, 1, 2, 3], "b", 0),
        ([0, 1, 2, 3], "c", 1),
        ([0, 2, 3], "c", 3),
        ([2, 0], "c", 2),
    ):
        assert trials._next(those, turn, worker) == place


def test_workers_take_turns_by_their_threads() -> None:
    assert in_turn({"a": 1, "b": 3, "c": 2}) == ["a", "b", "c", "b", "c", "b"]
    assert in_turn({}) == []


# ---- on a worker ---------------------------------------------------------------------------------


class Guest:
    """Takes three mini-batches unless it is over, or fails."""

    ended, fails, steps = False, False, 0

    def learn(self, docs: int, over: Any) -> None:
        if self.fails:
            raise ArithmeticError("no number")
        for _ in range(3):
            self.steps += 1
            if over():
                return

    def packed(self) -> Any:
        return {"steps": self.steps}, {}


def test_a_guest_stops_for_its_own_round_alone_and_goes_when_it_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(guests, "_n_threads", lambda: 2)
    guest = Guest()
    texts: Any = SimpleNamespace(guests=guests.OrderedDict(one=guest))
    stop("that of another job")
    ours: Any = Piece(Guest, "one", "ours", None, 0, 600.0)  # type: ignore[arg-type]
    came: Any = drive_on(ours, texts)
    assert came.manifest == {"steps": 3}
    stop("ours")
    came = drive_on(ours, texts)
    assert came.manifest == {"steps": 4}
    guest.fails = True
    assert drive_on(ours, texts) is None
    assert not texts.guests
    assert drive_on(ours, texts) == guests.GONE


def test_a_corpus_that_could_not_be_read_is_opened_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    anew = list[tuple[str, str]]()
    monkeypatch.setattr(parts, "open_anew", lambda *what: anew.append(what))
    docs = parts.Docs(np.array([0, 1, 3]), *(np.arange(n, n + 3, dtype=np.int32) for n in (1, 5)))
    rows = np.array([4, 5])

    def documents(firsts: Any, lasts: Any) -> Any:
        assert (firsts.tolist(), lasts.tolist()) == ([4], [6])
        return docs

    def counts_at(*where: str) -> Any:
        assert where == ("/there", "news", "print")
        return SimpleNamespace(documents=documents)

    monkeypatch.setattr(parts, "counts_at", counts_at)
    words = np.arange(9, dtype=np.int32)
    reading = parts.StepReading("print", "/there", "news", 9, words, False)
    part = parts.SlicePart(0, 2, False, b"k", rows, parts.mark_of(docs), None)
    read: Any = parts._read(part, reading)
    assert parts.mark_of(read) == part.mark
    assert anew == []
    other: Any = parts._read(part._replace(mark=part.mark + 1), reading)
    assert (other.why, other.marks.tolist()) == ("", parts.marks_of(docs).tolist())
    assert anew == [("/there", "print")]

    def fails(*_: str) -> Any:
        raise CorpusError("Shard 3 is gone.")

    monkeypatch.setattr(parts, "counts_at", fails)
    gone: Any = parts._read(part, reading)
    assert (gone.why, len(gone.marks)) == ("Shard 3 is gone.", 0)
    assert len(anew) == 2
    missing: Any = parts._read(part, reading._replace(address=""))
    assert (missing.why, len(anew)) == (parts.MISSING, 2)


def test_what_is_kept_is_known_by_its_corpus_its_rows_and_its_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keys = list[bytes]()

    def key_of(fingerprint: str, rows: list[int], more: int = 0) -> bytes:
        monkeypatch.setattr(BatchStep, "fingerprint", fingerprint)
        taken = bars(20).take(np.array([2, 3, 7]))
        taken.counts.flags.writeable = True
        taken.counts[0] += more
        batch = Batch(taken, np.array(rows), 0, 1, bars(20))
        step = BatchStep(batch, Holdings(print), "", True)
        named: Any = step._named(1, step._held(0, 3))
        assert named[0] == 1
        assert named[1].rows.tolist() == rows
        return named[1].key  # type: ignore[no-any-return]

    keys += [key_of("one", [2, 3, 7]), key_of("other", [2, 3, 7])]
    keys += [key_of("one", [2, 3, 8]), key_of("one", [2, 3, 7], 1)]
    assert len(set(keys)) == 4
    assert key_of("one", [2, 3, 7]) == keys[0]


def test_no_block_of_a_copy_is_copied_twice(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr(shards, "BLOCK", 300)
    stored = on_disk(bars(), tmp_path / "bars.corpus", shard_docs=64)
    found = counts_at(f"far://{stored.folder}", "", stored.manifest.fingerprint, str(tmp_path))
    rows = np.arange(300)
    found.documents(rows, rows + 1)
    read = far.Far.read
    found.documents(rows[40:], rows[40:] + 1)
    assert far.Far.read == read
    shards.open_anew(f"far://{stored.folder}", stored.manifest.fingerprint)
