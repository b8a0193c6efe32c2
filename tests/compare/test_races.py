"""Races: the same documents for all, who fails and who may not take part."""

import itertools
from dataclasses import replace

import pytest

from bnpexplorer.checks.expecting import finish
from bnpexplorer.compare import Race
from bnpexplorer.compare.sequential import race_of
from bnpexplorer.evaluate import default_protocol, split_heldout
from bnpexplorer.methods import make_method
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.run import Run
from bnpexplorer.samples import load_sample
from tests.compare.test_compare import run_of


@pytest.fixture(scope="module")
def corpus():
    return load_sample("small-csv").corpus


def racing(corpus, sizes=(50, 50), names=("hdp-tsvi", "hdp-svi")):
    train, heldout = split_heldout(corpus, 0)
    return [
        Run(make_method(name), train, 3, size, 2, heldout=heldout)
        for name, size in zip(names, sizes, strict=True)
    ]


def batches_read(monkeypatch):
    """From now on: run's name -> its mini-batches, as rows; preparing reads texts of its own."""
    seen = {}
    next_batch = Run._next_batch

    def watched(run):
        batch = next_batch(run)
        seen.setdefault(run.name, []).append(tuple(batch.rows))
        return batch

    monkeypatch.setattr(Run, "_next_batch", watched)
    return seen


def test_a_race_reads_the_same_mini_batches_and_changes_no_run(corpus, monkeypatch):
    race = Race(racing(corpus))
    race.prepare()
    seen = batches_read(monkeypatch)
    while not race.done:
        race.step()
        assert len({run.docs_seen for run in race.runs}) == 1
    assert seen["hdp-tsvi"] == seen["hdp-svi"]
    assert len(seen["hdp-svi"]) > 4
    alone = [finish(run) for run in racing(corpus)]
    for raced, single in zip(race.runs, alone, strict=True):
        assert [p.heldout for p in raced.history] == [p.heldout for p in single.history]


def test_different_batch_sizes_read_the_same_documents_in_the_same_order(corpus, monkeypatch):
    race = Race(racing(corpus, (10, 35)))
    race.prepare()
    seen = batches_read(monkeypatch)
    while not race.done:
        race.step()
        gap = abs(race.runs[0].docs_seen - race.runs[1].docs_seen)
        assert gap <= 35
    rows = {name: list(itertools.chain(*batches)) for name, batches in seen.items()}
    assert rows["hdp-tsvi"] == rows["hdp-svi"]
    assert race.docs_seen == race.planned_docs


def test_who_fails_leaves_the_race_and_the_others_go_on(corpus, monkeypatch):
    race = Race(racing(corpus))
    race.prepare()
    race.step()
    before = race.snapshot()

    def fails(*_):
        raise FloatingPointError("no more numbers")

    monkeypatch.setattr(type(race.runs[0].method), "step", fails)
    race.step()
    assert race.failed == {0: "FloatingPointError: no more numbers"}
    while not race.done:
        race.step()
    assert race.runs[1].done
    assert race.docs_seen == race.planned_docs
    first, second = race.snapshot()
    assert first is before[0]
    assert second.docs_seen == race.planned_docs
    alone = Race(racing(corpus, names=("hdp-tsvi", "hdp-tsvi")))
    alone.prepare()
    with pytest.raises(FloatingPointError):
        alone.step()


def test_what_cannot_race_is_refused(corpus):
    runs = racing(corpus)
    train, heldout = runs[0].corpus, runs[0].heldout
    for name in ("hdp-batch", "dpm-sumo"):
        with pytest.raises(ValueError, match=f"{name} cannot race"):
            Race([runs[0], Run(make_method(name), train, 3, 50, 2, heldout=heldout)])
    with pytest.raises(ValueError, match="same seed"):
        Race([runs[0], Run(make_method("hdp-svi"), train, 4, 50, 2, heldout=heldout)])
    with pytest.raises(ValueError, match="same corpus"):
        Race([runs[0], run_of(corpus, split=1)])
    with pytest.raises(ValueError, match="2 to 4"):
        Race(runs[:1])


def test_a_race_of_plans_shares_one_split_and_a_score_that_all_have(corpus):
    plans = [Plan.of(name, seed=3, passes=2) for name in ("dpm-tsvi", "hdp-tsvi", "dpm-svi")]
    race = race_of(plans, corpus)
    assert len({id(run.heldout) for run in race.runs}) == 1
    assert {run.protocol for run in race.runs} == {default_protocol("hdp", corpus)}
    assert race.runs[1].heldout.whole.fingerprint == plans[1].split(corpus)[1].whole.fingerprint
    assert race_of([plans[0], plans[2]], corpus).runs[0].protocol == "exact"
    apart = [replace(plans[0], protocol="exact"), replace(plans[1], protocol="importance")]
    with pytest.raises(ValueError, match="no held-out score in common"):
        race_of(apart, corpus)
