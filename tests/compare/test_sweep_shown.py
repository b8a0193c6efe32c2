"""What a sweep and a failure show: axes, places, moments and limits, on outcomes made by hand."""

import os
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.claims.reading import at_the_end, best_scores, leads, over_seconds
from bnpexplorer.claims.study import Study
from bnpexplorer.claims.trial import Trial, TrialOutcome
from bnpexplorer.compare import FAILURES, Axis, Sweep
from bnpexplorer.compare.alignment import side_of_frame
from bnpexplorer.compare.sweep import kept_paths, kept_sweep
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.methods import make_method
from bnpexplorer.state.snapshot import Frame


def outcome(score, n_topics=5, unigram=-9.0):
    """Of two moments, the first of which is twice as bad and has half as many topics."""
    return TrialOutcome(
        (10, 20), (1.0, 4.0), (2 * score, score), (n_topics // 2, n_topics), unigram=(unigram,) * 2
    )


def found_by(sweep, n_seeds=3):
    """Scores and topics that tell line, place and seed apart."""
    names = sweep.line_names()
    return {
        t: outcome(
            -7.0 - t.x / 1000 - names.index(t.line) / 10 - t.seed**2 / 100, int(t.x) + t.seed
        )
        for t in sweep.trials(n_seeds)
    }


def traces(picture, mode):
    figure = picture.figure(False, 14)
    return figure, [trace for trace in figure.data if mode in (trace.mode or "")]


def test_a_sweep_shows_the_end_of_every_line_by_place_and_one_place_over_time():
    sweep = Sweep("lda-svi", Axis("n_topics", (10.0, 20.0, 80.0)), Axis("eta", (0.1, 0.5)))
    findings = found_by(sweep)
    score, topics, over_time = sweep.pictures(findings)
    assert score.title == "Held-out score by topics"
    assert topics.title == "Topics in use by topics"
    assert over_time.title == "Held-out score over time, topics 20", "that in the middle"
    figure, lines = traces(score, "lines+markers")
    assert figure.layout.xaxis.type == "log"
    assert [line.name for line in lines] == ["eta 0.1", "eta 0.5"]
    for place, line in enumerate(lines):
        np.testing.assert_allclose(line.x, [10, 20, 80])
        ends = [-7.0 - x / 1000 - place / 10 - 0.01 for x in (10, 20, 80)]
        np.testing.assert_allclose(line.y, ends, err_msg="medians over seeds, at the end")
    _, lines = traces(topics, "lines+markers")
    np.testing.assert_allclose(lines[1].y, [11, 21, 81])
    _, lines = traces(over_time, "lines")
    curves = [line for line in lines if len(line.x) == 2]
    assert len(curves) == 6, "one a seed"
    assert {round(line.y[1], 6) for line in curves} == {
        round(-7.02 - place / 10 - seed**2 / 100, 6) for place in (0, 1) for seed in range(3)
    }
    assert all(tuple(line.x) == (1.0, 4.0) for line in curves)


@pytest.mark.parametrize(
    ("values", "logarithmic"),
    [((10.0, 80.0), True), ((10.0, 79.0), False), ((0.0, 50.0), False), ((7.0,), False)],
)
def test_an_axis_is_logarithmic_from_eightfold_on(values, logarithmic):
    sweep = Sweep("lda-svi", Axis("tau", values))
    for picture in sweep.pictures(found_by(sweep))[:2]:
        assert (picture.figure(False, 14).layout.xaxis.type == "log") == logarithmic


def test_a_line_over_time_is_of_its_middle_place_where_none_is_asked_for():
    findings = {Trial("a", x, "lda-svi", 0): outcome(-7.0 - x) for x in (1.0, 2.0, 3.0)} | {
        Trial("b", 9.0, "lda-svi", 0): outcome(-8.5, 7)
    }
    _, lines = traces(over_seconds(findings, ["a", "b"], "t"), "lines")
    assert [line.y[-1] for line in lines if len(line.x) == 2] == [-9.0, -8.5]
    _, lines = traces(over_seconds(findings, ["a", "b"], "t", place=3.0), "lines")
    assert [line.y[-1] for line in lines if len(line.x) == 2] == [-10.0, -8.5]
    _, lines = traces(over_seconds(findings, ["b"], "t", "topics", topics=True), "lines")
    assert [tuple(line.y) for line in lines if len(line.x) == 2] == [(3, 7)]


def test_the_best_place_of_every_seed_is_compared_with_the_best_rival():
    scores = {("a", 1.0): (-7.0, -6.0), ("a", 2.0): (-6.5, -6.4)}
    scores |= {("b", 1.0): (-6.9, -6.8), ("c", 1.0): (-7.5, -6.1)}
    findings = {
        Trial(line, x, "lda-svi", seed): outcome(score)
        for (line, x), both in scores.items()
        for seed, score in enumerate(both)
    }
    assert best_scores(findings, "a") == {0: -6.5, 1: -6.0}
    assert leads(findings, "a", ["b", "c"]) == pytest.approx([0.4, 0.1])
    del findings[Trial("c", 1.0, "lda-svi", 1)]
    assert leads(findings, "a", ["b", "c"]) == pytest.approx([0.4]), "a seed that all have"


def test_a_score_at_the_end_has_the_line_of_word_frequencies_and_topics_have_none():
    findings = {Trial("a", 1.0, "lda-svi", s): outcome(-7.0, unigram=-8.0 - s) for s in (0, 1)}
    findings[Trial("other", 1.0, "lda-svi", 0)] = outcome(-7.0, unigram=-3.0)
    picture = at_the_end(findings, ["a"], "t", "x")
    drawn = {shape.y0 for shape in picture.figure(False, 14).layout.shapes}
    drawn |= {y for trace in picture.figure(False, 14).data for y in trace.y}
    assert -8.5 in drawn, "their median"
    assert not drawn & {-3.0, -8.0}, "-3 is of other documents"
    assert "word frequencies alone" in picture.look


# ---- what is kept --------------------------------------------------------------------------------


@pytest.fixture
def home(monkeypatch, tmp_path):
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path))
    return tmp_path / "sweeps"


def texts(n_docs, name):
    counts = np.random.default_rng(n_docs).poisson(2.0, (n_docs, 6)) + 1
    return Corpus.from_csr(counts, name=name)


def test_kept_sweeps_are_listed_the_latest_first_with_what_is_known_of_their_texts(home):
    sweep = Sweep("lda-svi", Axis("kappa", (0.6, 0.9)))
    few, many = texts(30, "few"), texts(90, "many")
    for at, corpus in ((200, few), (100, many)):
        sweep.write(corpus)
        study = Study(sweep, corpus, 600.0, 2, home)
        study.findings = {t: outcome(-7.0 - t.seed) for t in study.trials[: at // 50]}
        study._write()
        os.utime(study.path, (at, at))
    paths = kept_paths()
    assert len(paths) == 2
    first, second = map(kept_sweep, paths)
    assert (first.texts, first.n_docs, first.fingerprint) == ("few", 30, few.fingerprint[:16])
    assert (second.texts, second.n_docs) == ("many", 90)
    for one, n_found in ((first, 4), (second, 2)):
        assert (one.sweep, one.n_seeds, one.budget, one.n_trials) == (sweep, 2, 600.0, 4)
        assert len(one.findings) == n_found
        assert one.done == (n_found == 4)
    paths[0].write_text("{}")
    assert kept_sweep(paths[0]) is None, "nothing is found"
    assert kept_sweep(home / "other.json") is None


# ---- settings that fail --------------------------------------------------------------------------


def snapshot(score, n_topics):
    return SimpleNamespace(
        heldout=score, trace=[SimpleNamespace(n_topics=99), SimpleNamespace(n_topics=n_topics)]
    )


@pytest.mark.parametrize(
    ("failing", "sound", "said"),
    [
        (-7.5, -7.0, "Here it shows: 0.50 worse (−7.50 beside −7.00)."),
        (-7.03125, -7.0, "Here it shows: 0.03 worse (−7.03 beside −7.00)."),
        (
            -7.015625,
            -7.0,
            "Here it does not show: no more than 0.02 apart (−7.02 beside −7.00). It",
        ),
        (-7.0, -7.25, "Here it does not show: 0.25 better (−7.00 beside −7.25). It takes"),
        (None, -7.0, ""),
        (-7.0, None, ""),
    ],
)
def test_a_failure_shows_by_more_than_two_hundredths(failing, sound, said):
    found = FAILURES["batch-too-small"].seen([snapshot(failing, 3), snapshot(sound, 9)])
    assert found.startswith(said)
    assert bool(found) == bool(said)
    assert ("It takes several hundred texts" in found) == ("not" in said)


@pytest.mark.parametrize(("failing", "shows"), [(6, True), (7, True), (8, False), (20, False)])
def test_a_failure_shows_by_seven_tenths_of_the_clusters_at_most(failing, shows):
    one = FAILURES["one-first-batch"]
    found = one.seen([snapshot(-7.0, failing), snapshot(None, 10)])
    assert found.startswith("Here it shows: " if shows else "Here it does not show: ")
    assert f"{failing} clusters beside 10." in found
    assert one.seen([SimpleNamespace(heldout=-7.0, trace=[]), snapshot(-7.0, 3)]) == ""


@pytest.mark.parametrize(
    ("n_docs", "name", "passes"),
    [
        (60, "batch-too-small", 20),
        (1000, "batch-too-small", 13),
        (13_334, "batch-too-small", 1),
        (13_334, "one-first-batch", 2),
    ],
)
def test_a_failure_reads_some_twelve_thousand_documents(n_docs, name, passes):
    """Of those that are learned, nine tenths or all but 500; twenty times at most."""
    failure = FAILURES[name]
    race = failure.race(texts(n_docs, "made"), seed=4)
    assert [run.passes for run in race.runs] == [passes] * 2
    assert [run.seed for run in race.runs] == [4, 4]
    assert [run.name for run in race.runs] == [
        f"{failure.method}, {side.label}" for side in (failure.failing, failure.sound)
    ]
    n_learned = race.runs[0].corpus.n_docs
    sizes = [min(side.batch_size, n_learned) for side in (failure.failing, failure.sound)]
    assert [run.batch_size for run in race.runs] == sizes


SIDES = {
    "batch-too-small": ({}, {}),
    "truncation-too-low": ({"truncation": 2}, {"truncation": 100}),
    "forgetting-too-fast": ({"kappa": 0.5, "tau": 0.0}, {"kappa": 0.9, "tau": 64.0}),
    "eta-too-small": ({"eta": 0.01, "start_topics": 0}, {"eta": 0.5, "start_topics": 0}),
    "one-first-batch": ({"alone": 0.0}, {"alone": 0.0}),
}


@pytest.mark.parametrize("name", FAILURES)
def test_each_side_of_a_failure_has_its_own_settings_and_the_race_says_what_it_shows(name):
    failure = FAILURES[name]
    race = failure.race(texts(60, "made"))
    for run, values in zip(race.runs, SIDES[name], strict=True):
        assert run.method == make_method(failure.method, values=values)
    assert (race.title, race.look_for) == (failure.title, failure.sentences)
    said = [snapshot(-7.5, 3), snapshot(-7.0, 9)]
    assert race.seen(said) == failure.seen(said) != ""


def test_a_topic_of_the_past_that_held_nothing_is_none():
    frame = Frame(
        1,
        10,
        np.array([5, 6, 7]),
        np.array([0.25, 0.0, 0.75]),
        np.array([[0, 1], [1, 2], [2, 0]]),
        np.array([[0.5, 0.25], [0.5, 0.1], [0.6, 0.2]], np.float32),
    )
    found = side_of_frame(frame, np.arange(3))
    assert found.topic_ids.tolist() == [7, 5]
    np.testing.assert_allclose(found.size, [0.75, 0.25])
    np.testing.assert_allclose(found.topic_word, [[0.25, 0, 0.75], [2 / 3, 1 / 3, 0]], rtol=1e-6)
