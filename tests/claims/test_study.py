"""Test studies: their budgets, their ends, and how they go on from their files."""

import dataclasses
import json

import numpy as np
import pytest

from bnpexplorer.claims import Study, Trial, TrialOutcome
from bnpexplorer.claims.attempt import MOMENTS
from bnpexplorer.claims.reading import by_seed, common_places
from bnpexplorer.claims.study import fit_to_budget
from bnpexplorer.inference.cores import Cores
from tests.claims.small import BY_PASSES, SMALL, finished, trials


@pytest.fixture
def quick(monkeypatch):
    """Trials that may learn for a twentieth of a second."""
    monkeypatch.setattr("bnpexplorer.claims.study.SHORTEST", 0.05)
    monkeypatch.setattr("bnpexplorer.claims.study.OVERHEAD", 0.0)


@pytest.fixture
def two_cores(monkeypatch):
    monkeypatch.setattr("bnpexplorer.claims.study.usual_pool", lambda: made)
    made = Cores(2)
    return made


def test_a_small_budget_leaves_out_places_and_keeps_the_ends():
    every, share = fit_to_budget(trials(2), 120.0)
    assert len(every) == 12
    assert share == pytest.approx(120.0 / 12 - 1.5)
    fewer, share = fit_to_budget(trials(2), 30.0)
    assert {t.x for t in fewer} == {5, 20}
    assert share == pytest.approx(30.0 / 8 - 1.5)
    with pytest.raises(ValueError, match="needs 28 seconds at least"):
        fit_to_budget(trials(2), 20.0)


def test_a_trial_keeps_its_key_when_trials_learn_new_fields():
    plain = Trial("one", 5, "lda-svi", 0)
    assert json.loads(plain.key) == {"line": "one", "x": 5, "method": "lda-svi", "seed": 0}
    other = dataclasses.replace(plain, batch_tokens=7)
    assert json.loads(other.key)["batch_tokens"] == 7


@pytest.mark.second
def test_a_study_runs_every_trial_and_goes_on_from_its_file(bars, tmp_path, quick):
    corpus = bars[0].take(np.arange(120))
    study = Study(SMALL, corpus, 1.2, 2, tmp_path)
    assert not study.done
    while len(study.findings) < 5:
        study.step()
    again = Study(SMALL, corpus, 1.2, 2, tmp_path)
    assert again.findings == study.findings
    while not again.done:
        again.step()
    assert set(again.findings) == set(trials(2))
    for trial, outcome in again.findings.items():
        assert 1 <= len(outcome.scores) <= len(MOMENTS)
        assert np.all(np.isfinite(outcome.scores))
        assert np.all(np.diff(outcome.docs_seen) > 0)
        assert np.all(np.diff(outcome.seconds) > 0)
        assert outcome.seconds[-1] >= again.share  # these methods may read the texts again
        assert all(0 < n <= 4 for n in outcome.topics), trial
    assert Study(SMALL, corpus, 1.2, 2, tmp_path).done
    assert not Study(SMALL, corpus, 1.3, 2, tmp_path).findings, "another budget is another study"
    other = bars[0].take(np.arange(121))
    assert not Study(SMALL, other, 1.2, 2, tmp_path).findings, "other texts are another study"


@pytest.mark.second
@pytest.mark.parametrize("damage", ["", "{", "[1, 2]", '{"a": 3}'])
def test_a_damaged_file_of_findings_counts_as_none(bars, tmp_path, quick, damage):
    corpus = bars[0].take(np.arange(60))
    study = Study(SMALL, corpus, 1.2, 2, tmp_path)
    while not study.findings:
        study.step()
    (path,) = tmp_path.glob("*.json")
    assert json.loads(path.read_text())
    path.write_text(damage)
    assert not Study(SMALL, corpus, 1.2, 2, tmp_path).findings


@pytest.mark.second
def test_two_studies_of_the_same_lose_nothing(bars, tmp_path, quick):
    corpus = bars[0].take(np.arange(60))
    one, two = (Study(SMALL, corpus, 1.2, 2, tmp_path) for _ in range(2))
    while len(one.findings) < 3:
        one.step()
    while not two.findings:
        two.step()
    found = Study(SMALL, corpus, 1.2, 2, tmp_path).findings
    assert len(found) >= 3
    assert set(found) == {*one.findings, *two.findings}
    assert not list(tmp_path.glob("*.part"))


def test_too_few_texts_are_refused_before_anything_starts(bars, tmp_path):
    with pytest.raises(ValueError, match="has 19 documents; a study needs 20"):
        Study(SMALL, bars[0].take(np.arange(19)), 600.0, 2, tmp_path)


@pytest.mark.parametrize("budget", [float("inf"), float("nan")])
def test_a_budget_without_end_is_refused(bars, tmp_path, budget):
    with pytest.raises(ValueError, match="must be a number of seconds"):
        Study(SMALL, bars[0].take(np.arange(60)), budget, 2, tmp_path)


def test_no_seeds_are_refused(bars, tmp_path):
    with pytest.raises(ValueError, match="at least one seed; got 0"):
        Study(SMALL, bars[0].take(np.arange(60)), 600.0, 0, tmp_path)


@pytest.mark.parametrize("passes", [-1, 10_000])
def test_impossible_passes_are_refused(bars, tmp_path, passes):
    with pytest.raises(ValueError, match=f"Passes must be 1 to 9,999; got {passes}"):
        Study(BY_PASSES, bars[0].take(np.arange(60)), 600.0, 2, tmp_path, passes=passes)


def test_findings_by_seed_and_place():
    found = {
        t: TrialOutcome((20,), (2.0,), (-5.0 + t.x,), (5,))
        for t in trials(2)
        if t.x < 20 or t.line == "one"
    }
    seeds = by_seed(found, "one")
    assert sorted(seeds) == [0, 1]
    assert seeds[1][10].scores[-1] == 5.0
    assert common_places(seeds[0], by_seed(found, "two")[0]) == [5, 10]


def test_what_is_left_to_try_takes_as_long_as_what_ended_on_average(bars, tmp_path, monkeypatch):
    """Of 12 trials two have ended, and three are tried at once: the others take four rounds."""
    monkeypatch.setattr(Study, "n_at_once", 3)
    study = Study(BY_PASSES, bars[0].take(np.arange(120)), 600.0, 2, tmp_path)
    assert len(study.trials) == 12
    assert study.seconds_left == 600.0, "the longest, as long as nothing has ended"
    for trial, seconds in zip(study.trials, (10.0, 150.0), strict=False):
        study.findings[trial] = TrialOutcome((1, 2), (1.0, seconds))
    assert study.seconds_left == 4 * (80.0 + 1.5)
    study.seconds = 599.9
    assert (study.over, study.why_over, study.done) == (False, "", False)
    study.seconds = 600.0
    assert study.done
    assert study.why_over == (
        "It ended after its longest duration, 10.0 minutes: 10 of 12 trials had not ended. Those "
        "that had are kept; begin it again, and it goes on with the others, which need about 5 "
        "minutes."
    )
    for trial in study.trials:
        study.findings[trial] = TrialOutcome((1,), (1.0,))
    assert (study.seconds_left, study.over) == (0.0, False)


def test_trials_of_equal_seconds_take_their_share_each_and_what_a_start_takes(
    bars, tmp_path, monkeypatch
):
    monkeypatch.setattr(Study, "n_at_once", 3)
    study = Study(SMALL, bars[0].take(np.arange(120)), 80.0, 2, tmp_path)
    assert study.share == pytest.approx(80.0 / 12 - 1.5)
    assert study.seconds_left == pytest.approx(4 * 80.0 / 12)
    assert study.longest == 1.5 * 80.0 + 60.0


@pytest.mark.second
def test_a_study_ends_after_its_longest_and_goes_on_when_begun_again(bars, tmp_path, two_cores):
    corpus = bars[0].take(np.arange(120))
    study = Study(BY_PASSES, corpus, 600.0, 2, tmp_path)
    while len(study.findings) < 3:
        study.step()
    assert not study.why_over
    study.seconds = 600.0
    assert study.done
    assert study.over
    n = len(study.waiting)
    assert f"after its longest duration, 10.0 minutes: {n} of 12 trials had not" in study.why_over
    again = Study(BY_PASSES, corpus, 60.0, 2, tmp_path)
    assert again.findings == study.findings, "more or fewer minutes are the same study"
    assert not again.over
    finished(again)
    assert not again.waiting
    assert not again.why_over
    more = Study(BY_PASSES, corpus, 60.0, 2, tmp_path, passes=3)
    assert not more.findings, "other passes are another study"
    assert {trial.passes for trial in more.trials} == {3}


def test_the_time_that_is_over_is_that_of_its_steps(bars, tmp_path, two_cores):
    study = Study(BY_PASSES, bars[0].take(np.arange(120)), 0.001, 2, tmp_path)
    study.step()
    assert study.seconds > 0.001
    assert study.over


def test_trials_of_equal_seconds_have_a_longest_duration_too(bars, tmp_path):
    study = Study(SMALL, bars[0].take(np.arange(120)), 600.0, 2, tmp_path)
    assert study.longest == 960.0
    assert not study.over
    study.seconds = 960.0
    assert study.done


@pytest.mark.second
def test_findings_of_old_without_word_frequencies_are_tried_again(bars, tmp_path):
    corpus = bars[0].take(np.arange(120))
    study = finished(Study(BY_PASSES, corpus, 600.0, 2, tmp_path))
    kept = json.loads(study.path.read_text())
    first = study.trials[0]
    kept[first.key]["unigram"] = []
    study.path.write_text(json.dumps(kept))
    assert Study(BY_PASSES, corpus, 600.0, 2, tmp_path).waiting == [first]
