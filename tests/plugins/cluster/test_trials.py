"""Runs that workers drive, one each: what stands here afterwards is what this machine computes."""

import itertools
import json
import threading
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bnpexplorer.__main__ import main
from bnpexplorer.chains import Chains, chains_of
from bnpexplorer.checks.expecting import bars, small
from bnpexplorer.core import store
from bnpexplorer.evaluate import split_heldout
from bnpexplorer.inference.start import GivenTopics
from bnpexplorer.methods import METHODS
from bnpexplorer.plugins.cluster import ClusterPool
from bnpexplorer.plugins.cluster import command as cluster_options
from bnpexplorer.plugins.cluster import trials as trials_module
from bnpexplorer.plugins.cluster.drivers import copied, rounds_of
from bnpexplorer.plugins.cluster.guests import RunAway, drive
from bnpexplorer.plugins.cluster.members import Worker
from bnpexplorer.plugins.cluster.message import Message
from bnpexplorer.plugins.cluster.trials import SECONDS, Trials
from bnpexplorer.runs.packed_texts import pack_texts
from bnpexplorer.runs.run import Run
from tests.chains.test_meeting import pairs_of_likes, plan_of
from tests.plugins.cluster import work
from tests.tools.waiting import NEVER, returned, until

pytestmark = pytest.mark.second

TRAIN, HELDOUT = split_heldout(bars(120), 1, n=20)


def standing(run: Run) -> tuple[Any, store.Arrays]:
    """All that a run is, but for the seconds that it took."""
    manifest, arrays = run.pack_standing()
    return timeless(manifest), arrays


def timeless(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: timeless(item) for key, item in tree.items() if key != "seconds"}
    return [timeless(item) for item in tree] if isinstance(tree, (list, tuple)) else tree


def expect_equal(a: Run, b: Run) -> None:
    (tree, arrays), (other, others) = standing(a), standing(b)
    assert repr(tree) == repr(other)  # nan is not equal to itself
    assert arrays.keys() == others.keys()
    for name, array in arrays.items():
        assert array.dtype == others[name].dtype
        assert array.tobytes() == others[name].tobytes(), name


def a_run(method: str, **more: Any) -> Run:
    chosen = {"seed": 4, "batch_size": 40, "passes": 2, "heldout": HELDOUT} | more
    run = Run(small(method), TRAIN, **chosen)
    run.pool = None
    return run


def settling(passes: int = 300) -> Chains:
    """Chains of a law that is sequential in part, which end when they have met."""
    return chains_of(plan_of(until="settled", passes=passes), pairs_of_likes())


def at_once(chains: Chains, pool: ClusterPool, seconds: float = SECONDS) -> Chains:
    trials = Trials(pool, chains.corpus, chains.runs[0].heldout)
    trials.seconds = trials.most = seconds
    chains.driver = rounds_of(chains, trials)
    return chains


def expect_equal_chains(a: Chains, b: Chains) -> None:
    assert a.failed == b.failed
    assert repr(a.verdict()) == repr(b.verdict())
    assert a.score() == b.score()
    for run, other in zip(a.runs, b.runs, strict=True):
        other.chain = run.chain  # of another group
        expect_equal(run, other)


def finished(chains: Chains) -> Chains:
    chains.prepare()
    for _ in range(sum(2 * run.planned_docs // run.batch_size for run in chains.runs)):
        if chains.done:
            return chains
        chains.step()
    raise AssertionError("they do not end")


@pytest.fixture(scope="module")
def judged() -> Chains:
    return finished(settling())


def test_every_method_stands_where_it_would_have_been_driven_here(pool: ClusterPool) -> None:
    """Prepared, then in two pieces there, then to its end here."""
    alone, there = ([a_run(name) for name in METHODS] for _ in range(2))
    trials, away = Trials(pool, TRAIN, HELDOUT), [RunAway(run) for run in there]
    trials.seconds = trials.most = 600.0
    for docs in (0, 40, 100):
        assert trials.advance(away, docs) == []
        for run, other in zip(alone, there, strict=True):
            drive(run, docs)
            expect_equal(run, other)
            assert repr(store.pack(run.latest_info, {})) == repr(store.pack(other.latest_info, {}))
    for run, other in zip(alone, there, strict=True):
        drive(run, 1000)
        drive(other, 1000)
        expect_equal(run, other)


def test_time_ends_a_piece(pool: ClusterPool) -> None:
    run = a_run("lda-svi")
    trials = Trials(pool, TRAIN, HELDOUT)
    trials.seconds = trials.most = 0.0
    away = RunAway(run)
    for steps in (1, 2):
        trials.advance([away], 1000)
        assert run.n_steps == steps


def test_topics_at_which_a_run_begins_travel_with_it(pool: ClusterPool) -> None:
    given = GivenTopics(np.random.default_rng(2).random((4, TRAIN.n_words)), "those of a friend")
    alone, there = a_run("hdp-tsvi"), a_run("hdp-tsvi")
    for run in (alone, there):
        run.begin_at(given)
    drive(alone, 200)
    Trials(pool, TRAIN, HELDOUT).advance([RunAway(there)], 200)
    expect_equal(alone, there)


def test_texts_are_sent_once_to_every_worker_and_let_go(pool: ClusterPool) -> None:
    """Nor is a run sent again to the worker that has it."""
    runs = [a_run("lda-gibbs", passes=100) for _ in range(4)]
    one = [Trials(pool, TRAIN, HELDOUT)]
    away = [RunAway(run) for run in runs]

    def kept() -> list[int]:
        return sorted(map(len, pool.members.client.run(work.held).values()))

    def sent(docs: int, n: int = 4) -> int:
        before = pool.moved.sent
        one[0].advance(away[:n], docs)
        return pool.moved.sent - before

    first, later = sent(40), [sent(docs) for docs in (80, 120)]
    texts = 2 * Message(pack_texts(TRAIN, HELDOUT)).n_bytes
    assert 0 < first - texts < min(later)
    a_state, more = Message(away[0].packed()).n_bytes, itertools.count(160, 40)
    until(lambda: sent(next(more), 2) < a_state / 10)  # once each worker has one of two, they stay
    assert not runs[0].done
    until(lambda: kept() == [1, 1])
    one.clear()
    until(lambda: kept() == [0, 0])


def test_a_worker_that_has_forgotten_a_run_gets_it_again(
    pool: ClusterPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials_module, "drive_on", work.forgets)
    alone, there = a_run("hdp-gibbs"), a_run("hdp-gibbs")
    trials, away = Trials(pool, TRAIN, HELDOUT), RunAway(there)
    drive(alone, 120)
    for docs in (40, 80, 120):
        assert trials.advance([away], docs) == []
    expect_equal(alone, there)


def test_a_run_that_has_changed_here_goes_on_from_there(pool: ClusterPool) -> None:
    other, theirs = a_run("hdp-tsvi", seed=5), [a_run("hdp-tsvi"), a_run("hdp-tsvi")]
    # One a worker, so that each comes back to the worker that has it.
    trials, away = Trials(pool, TRAIN, HELDOUT), [RunAway(there) for there in theirs]
    trials.advance(away, 40)
    drive(other, 80)
    for one in away:
        one.stand(*copied(*RunAway(other).packed()))  # another way than the worker's
    trials.advance(away, 160)
    drive(other, 160)
    for there in theirs:
        there.seed = other.seed
        expect_equal(other, there)


def test_whoever_waits_has_all_at_home_soon(pool: ClusterPool) -> None:
    run = Run(small("lda-gibbs"), TRAIN, seed=4, batch_size=5, passes=100_000)
    trials, waits = Trials(pool, TRAIN), threading.Event()
    trials.seconds = trials.most = 3600.0
    trials.hurried = waits.is_set
    timer = threading.Timer(1.0, waits.set)
    timer.start()
    returned(lambda: trials.advance([RunAway(run)], run.planned_docs))
    assert waits.is_set()
    assert 0 < run.docs_seen < run.planned_docs


@pytest.mark.parametrize(("moving", "away"), [(0.0, 4.0), (0.1, 4.0), (0.5, 10.0), (3.0, 20.0)])
def test_what_is_slow_to_come_home_is_away_for_longer(
    pool: ClusterPool, moving: float, away: float
) -> None:
    trials = Trials(pool, TRAIN)
    trials._moving = moving
    assert trials.away == away


def test_where_seconds_count_workers_drive_one_at_a_time_and_are_alike(
    pool: ClusterPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers = {"a": 4, "b": 1, "c": 2}
    assert Trials(pool, TRAIN)._lanes(workers) == ["a", "b", "c", "a", "c", "a", "a"]
    timed = Trials(pool, TRAIN, timed=True)
    assert timed._lanes(workers) == ["a", "b", "c"]
    with_another = dict.fromkeys(workers, "z80") | {"b": "6502"}
    monkeypatch.setattr(
        pool.members, "there", {who: Worker(processor=kind) for who, kind in with_another.items()}
    )
    assert timed._lanes(workers) == ["a", "c"]
    assert "1 worker with another processor than most" in [*pool.notes][-1]


@pytest.mark.parametrize("seconds", [SECONDS, 0.02])
def test_chains_end_where_they_would_in_turn(
    pool: ClusterPool, judged: Chains, seconds: float
) -> None:
    """They are judged where they would have been, however often they come back."""
    assert judged.runs[0].ended == "met"
    expect_equal_chains(judged, finished(at_once(settling(), pool, seconds)))


@pytest.mark.parametrize("method", ["lda-svi", "hdp-tsvi", "hdp-gibbs", "dpm-particle"])
def test_a_worker_that_is_killed_costs_no_number(
    pool: ClusterPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """In its second piece: what it had is done again from where it came home."""
    monkeypatch.setattr(trials_module, "drive_on", work.dies_amid)
    monkeypatch.setattr(pool, "wait_seconds", NEVER)
    texts = replace(TRAIN, name=str(tmp_path))
    alone, *there = [
        Run(small(method), texts, seed=4, batch_size=20, passes=2, heldout=HELDOUT)
        for _ in range(3)
    ]
    drive(alone, 160)
    again, away = pool.moved.again, [RunAway(run) for run in there]
    trials = Trials(pool, texts, HELDOUT)
    for docs in (40, 100, 160):
        while short := [one for one in away if not one.run.done and one.run.docs_seen < docs]:
            assert trials.advance(short, docs) == []
    assert pool.moved.again == again + 1
    for run in there:
        expect_equal(alone, run)


def test_a_chain_that_fails_there_is_told_as_here(
    pool: ClusterPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes back as it was sent, fails here at the same step, and the others go on."""
    monkeypatch.setattr(Run, "step", work.late)
    monkeypatch.setattr(trials_module, "drive_on", work.fails_late)
    alone, there = finished(settling(44)), finished(at_once(settling(44), pool))
    assert there.failed == {1: "ArithmeticError: no number"}
    assert [run.n_steps == 20 for run in there.runs] == [False, True, False, False]
    expect_equal_chains(alone, there)


@pytest.mark.parametrize("method", ["hdp-tsvi", "lda-svi"])
def test_fit_advances_chains_at_once_and_tells_the_same(
    pool: ClusterPool,
    method: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(cluster_options, "connect", lambda *_: nullcontext(pool))
    command = ["fit", "sample:bars", "--method", method, "--batch-size", "600", "--chains", "2"]

    def told(*more: str) -> tuple[str, dict[str, Any]]:
        assert main([*command, "--passes", "1", "--json", *more]) == 0
        out, err = capsys.readouterr()
        facts = timeless(json.loads(out))
        own = {"documents_per_second", "processor_seconds", "threads"}
        return err, {key: facts[key] for key in facts.keys() - own}

    (_, alone), (said, there) = told(), told("--cluster", "tcp://far:1")
    assert alone == there
    assert "2 chains at once, each as a whole by a worker" in said
