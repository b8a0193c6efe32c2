"""Races that workers drive, one run each: equal bits, side by side, and as buttons ask."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bnpexplorer.checks.expecting import bars
from bnpexplorer.compare import Race
from bnpexplorer.compare.sequential import race_of
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference.cores import use_everywhere
from bnpexplorer.inference.pool import PoolLost
from bnpexplorer.plugins.cluster import ClusterPool
from bnpexplorer.plugins.cluster import pool as pool_module
from bnpexplorer.plugins.cluster import trials as trials_module
from bnpexplorer.plugins.cluster.drivers import rounds_of
from bnpexplorer.plugins.cluster.trials import Trials
from bnpexplorer.runs.background import BackgroundRun
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.run import Run
from tests.plugins.cluster import work
from tests.plugins.cluster.test_trials import expect_equal
from tests.tools.waiting import NEVER, until

pytestmark = pytest.mark.second

TEXTS = bars(120)


@pytest.fixture
def everywhere(pool: ClusterPool) -> Iterator[ClusterPool]:
    use_everywhere(pool)
    yield pool
    use_everywhere(None)


def a_race(texts: Corpus = TEXTS, passes: int = 3, n: int = 3) -> Race:
    """Three methods, one of them of a sequential law, with different mini-batches."""
    chosen = (("hdp-tsvi", 20), ("lda-svi", 30), ("hdp-svi", 20))[:n]
    return race_of(
        [
            Plan.of(name, seed=5, batch_size=size, passes=passes, n_heldout=20)
            for name, size in chosen
        ],
        texts,
    )


def finished(race: Race) -> Race:
    race.prepare()
    while not race.done:
        race.step()
    return race


def expect_equal_races(a: Race, b: Race) -> None:
    assert a.failed == b.failed == {}
    for run, other in zip(a.runs, b.runs, strict=True):
        expect_equal(run, other)


@pytest.mark.parametrize("seconds", [0.0, 0.1, 4.0])
def test_all_of_a_race_at_once_have_read_the_same_documents(
    pool: ClusterPool, seconds: float
) -> None:
    """At the end of every round, or one mini-batch more; and they learn what they would in turn."""
    alone, there = finished(a_race()), a_race()
    trials = Trials(pool, there.corpus, there.runs[0].heldout, timed=True)
    trials.seconds = trials.most = seconds
    there.driver = rounds_of(there, trials)
    there.prepare()
    rounds = set()
    while not there.done:
        there.step()
        seen = [run.docs_seen for run in there.runs]
        if there.is_at_once and all(docs >= there.driver.docs for docs in seen):
            rounds.add(there.driver.docs)
            assert max(seen) - there.driver.docs < 30
    assert len(rounds) >= 2
    expect_equal_races(alone, there)


def test_a_worker_that_is_killed_costs_a_race_no_number(
    pool: ClusterPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = replace(TEXTS, name=str(tmp_path))
    alone, there = finished(a_race(texts)), a_race(texts)
    monkeypatch.setattr(trials_module, "drive_on", work.dies_amid)
    monkeypatch.setattr(pool, "wait_seconds", NEVER)
    again = pool.moved.again
    trials = Trials(pool, there.corpus, there.runs[0].heldout, timed=True)
    there.driver = rounds_of(there, trials)
    expect_equal_races(alone, finished(there))
    assert pool.moved.again == again + 1


def test_who_goes_to_a_worker_of_its_own(pool: ClusterPool) -> None:
    """A sequential law has no use for many workers; runs that have use all of them, in turn."""
    plans = [Plan.of(name, n_heldout=20) for name in ("lda-svi", "hdp-svi")]
    many, few = ClusterPool("tcp://far:1"), ClusterPool("tcp://far:1")
    many.members.in_use, few.members.in_use = {"a": 1, "b": 2}, {"a": 1, "b": 1}
    train, heldout = plans[0].split(TEXTS)
    together = Race([plan.start(train, heldout) for plan in plans])
    assert many.driver_of(together) is None
    assert few.driver_of(together) is not None
    assert many.driver_of(a_race()) is not None


def test_whoever_is_behind_goes_first(pool: ClusterPool) -> None:
    """There may be fewer workers than runs, and time for one each."""
    there = a_race()
    trials = Trials(pool, there.corpus, there.runs[0].heldout, timed=True)
    trials.seconds = trials.most = 0.0
    there.driver = rounds_of(there, trials)
    there.prepare()
    there.driver.docs = there.planned_docs
    for _ in range(6):
        there.step()
        steps = [run.docs_seen for run in there.runs]
        assert max(steps) - min(steps) <= 30


def test_a_race_of_the_app_is_paused_stepped_and_resumed(
    everywhere: ClusterPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pause has it home at once; a step is one mini-batch; it is lost and comes back."""
    monkeypatch.setattr(trials_module, "SECONDS", 600.0)  # the most, then, too
    alone, race = finished(a_race(passes=40, n=2)), a_race(passes=40, n=2)
    background = BackgroundRun(race)
    with monkeypatch.context() as patched:
        patched.setattr(pool_module.ClusterPool, "ready", gone)
        background.start()
        until(lambda: background.status == "paused" and background.lost)
    background.resume()
    until(lambda: background.status == "running" and race.docs_seen > 0)
    background.pause()
    until(lambda: background.status == "paused")
    assert race.is_at_once
    assert not race.done
    while len({run.docs_seen for run in race.runs}) > 1:  # of a round that was cut short
        step(background, race)
    steps = sum(run.n_steps for run in race.runs)
    step(background, race)
    assert sum(run.n_steps for run in race.runs) == steps + 2

    with monkeypatch.context() as patched:
        patched.setattr(pool_module.ClusterPool, "ready", gone)
        background.resume()
        until(lambda: background.status == "paused" and background.lost)
    assert background.error == "The cluster does not answer any more. Nothing is lost."
    background.resume()
    assert background.wait(300)
    assert background.status == "finished", background.error
    expect_equal_races(alone, race)


def gone(self: ClusterPool) -> None:
    raise PoolLost("The cluster does not answer any more. Nothing is lost.")


def step(background: BackgroundRun[Race], race: Race) -> None:
    before = sum(run.n_steps for run in race.runs)
    background.step_once()
    until(
        lambda: background.status == "paused" and sum(run.n_steps for run in race.runs) > before,
        60.0,
    )


def test_in_slow_motion_a_race_goes_mini_batch_by_mini_batch(everywhere: ClusterPool) -> None:
    race = a_race(n=2)
    background = BackgroundRun(race, step_seconds=3600.0)
    background.start()
    until(lambda: race.docs_seen > 0)
    assert [run.n_steps for run in race.runs] == [1, 1]
    background.stop()
    assert background.wait(300)
    assert isinstance(race.runs[0], Run)
