"""Sweeps: their grid, what is refused, and how they go on and are read again."""

import json
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.claims import Study
from bnpexplorer.claims.attempt import begin
from bnpexplorer.compare import Axis, Sweep
from bnpexplorer.compare.sweep import values_of
from bnpexplorer.methods import METHODS
from bnpexplorer.samples import load_sample


@pytest.fixture(scope="module")
def corpus():
    return load_sample("small-csv").corpus


def test_a_sweep_is_the_whole_grid():
    sweep = Sweep("hdp-svi", Axis("batch_size", (8, 64)), Axis("kappa", (0.6, 0.9)))
    trials = sweep.trials(3)
    assert len(trials) == len({t.key for t in trials}) == 12
    assert {(t.batch_size, dict(t.values)["kappa"], t.seed) for t in trials} == {
        (size, kappa, seed) for size in (8, 64) for kappa in (0.6, 0.9) for seed in range(3)
    }
    assert {t.line for t in trials} == set(sweep.line_names())
    single = Sweep("hdp-svi", Axis("gamma", (1.0, 5.0)), batch_size=100)
    assert {(t.x, t.batch_size, dict(t.values)["gamma"]) for t in single.trials(1)} == {
        (1.0, 100, 1.0),
        (5.0, 100, 5.0),
    }


def test_bad_sweeps_are_refused():
    with pytest.raises(ValueError, match="kappa must lie"):
        Sweep("hdp-svi", Axis("kappa", (0.6, 3.0)))
    with pytest.raises(ValueError, match="truncation must be a whole number"):
        Sweep("hdp-svi", Axis("truncation", (2.5,)))
    for size in (0.5, 0, 1e20):
        with pytest.raises(ValueError, match="batch size must be a whole number from 1 to 10,000"):
            Sweep("hdp-svi", Axis("batch_size", (size,)))
    with pytest.raises(ValueError, match="two different"):
        Sweep("hdp-svi", Axis("kappa", (0.6,)), Axis("kappa", (0.7,)))
    with pytest.raises(ValueError, match="'x' is not a number"):
        values_of("8, x", "batch size")
    with pytest.raises(ValueError, match="got 0"):
        values_of(" ,", "batch size")
    with pytest.raises(ValueError, match="not a number that can"):
        values_of("nan", "eta")
    assert values_of("64; 8,8.0, 512", "batch size") == (8.0, 64.0, 512.0)
    ten = ", ".join(map(str, range(1, 11)))
    assert values_of(f"{ten}, 10, 9", "eta") == tuple(map(float, range(1, 11)))
    with pytest.raises(ValueError, match="eta: give 1 to 10 values; got 11"):
        values_of(f"{ten}, 11", "eta")


def test_all_that_is_chosen_for_a_sweep_reaches_its_trials_its_name_and_its_file(monkeypatch):
    kappa, size = Axis("kappa", (0.6, 0.9)), Axis("batch_size", (20.0,))
    sweep = Sweep("lda-svi", kappa, Axis("n_topics", (3.0, 7.0)), "default", 100)
    assert Sweep.from_json(json.loads(json.dumps(sweep.to_json()))) == sweep
    others = [
        replace(sweep, method="hdp-svi", lines=None),
        replace(sweep, across=Axis("kappa", (0.6, 0.8))),
        replace(sweep, lines=None),
        replace(sweep, lines=size),
        replace(sweep, batch_size=101),
    ]
    other_preset = next(p for p in METHODS["lda-svi"].presets if p != "default")
    others.append(replace(sweep, preset=other_preset))
    assert len({one.name for one in (sweep, *others)}) == 7
    assert {trial.preset for trial in others[-1].trials(2)} == {other_preset}
    asked = []
    monkeypatch.setattr(
        "bnpexplorer.compare.sweep.check_memory",
        lambda method, texts: asked.append((method, texts)),
    )
    sweep.check_memory("the texts")
    assert {texts for _, texts in asked} == {"the texts"}
    tried = [(method.kappa, method.model.n_topics) for method, _ in asked]
    assert sorted(tried) == [(0.6, 3), (0.6, 7), (0.9, 3), (0.9, 7)]


@pytest.mark.second
def test_a_sweep_goes_on_where_it_stopped(corpus, monkeypatch, tmp_path):
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path))
    monkeypatch.setattr("bnpexplorer.claims.study.SHORTEST", 0.0)
    monkeypatch.setattr("bnpexplorer.claims.study.OVERHEAD", 0.0)
    sweep = Sweep("hdp-svi", Axis("batch_size", (20, 60)), Axis("truncation", (5, 20)))
    study = Study(sweep, corpus, 0.08, 2, tmp_path)
    while len(study.findings) < 3:
        study.step()
    again = Study(Sweep.from_json(sweep.to_json()), corpus, 0.08, 2, tmp_path)
    assert set(again.findings) == set(study.findings)
    assert 3 <= len(again.findings) < len(again.trials) == 8
    assert again.waiting == [trial for trial in again.trials if trial not in study.findings]
    while not again.done:
        again.step()
    pictures = sweep.pictures(again.findings)
    score = pictures[0].figure(False, 14)
    lines = [trace for trace in score.data if trace.mode == "lines+markers"]
    assert [line.name for line in lines] == sweep.line_names()
    for line in lines:
        found = {t: o for t, o in again.findings.items() if t.line == line.name}
        for x, y in zip(line.x, line.y, strict=True):
            scores = [o.scores[-1] for t, o in found.items() if t.x == x]
            assert y == pytest.approx(np.median(scores))


def test_all_seeds_of_a_sweep_are_tested_on_the_same_documents(corpus, tmp_path):
    sweep = Sweep("hdp-svi", Axis("batch_size", (20, 60)))
    study = Study(sweep, corpus, 60.0, 2, tmp_path)
    first, second = (t for t in study.trials if t.x == 20)
    splits = []
    for trial in (first, second):
        attempt = begin(trial, study.terms, corpus, study.splits)
        splits.append((attempt.heldout, attempt.run.corpus, attempt.run.seed))
    assert splits[0][:2] == splits[1][:2]
    assert (first.seed, second.seed) == (splits[0][2], splits[1][2]) == (0, 1)


def test_a_kept_sweep_is_read_again(corpus, monkeypatch, tmp_path):
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path))
    sweep = Sweep("dpm-svi", Axis("kappa", (0.6, 0.9)), None, "default", 100)
    sweep.write(corpus)
    assert Sweep.read(sweep.name) == sweep
    assert Sweep.read("unknown") is None
    (tmp_path / "sweeps" / f"{sweep.name}.json").write_text('{"method": "dpm-svi"}')
    assert Sweep.read(sweep.name) is None
