"""The line of word frequencies stands in every picture of scores, and in no other."""

import math
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from bnpexplorer.claims import CLAIMS, TrialOutcome
from bnpexplorer.claims.trial import UNLIMITED
from bnpexplorer.compare.sweep import Axis, Sweep
from bnpexplorer.evaluate import unigram_score
from bnpexplorer.plots import chains, compare, live
from bnpexplorer.plots.level import draw_level
from bnpexplorer.runs.plan import Plan
from bnpexplorer.state.snapshot import TracePoint
from tests.tools.moments import made

LEVEL = -8.25
SCORES = "log likelihood per word"


def lines(figure):
    """Where a dotted line crosses the figure from edge to edge."""
    return [
        shape.y0
        for shape in figure.layout.shapes
        if shape.line.dash == "dot"
        and shape.y0 == shape.y1
        and (shape.xref, shape.x0, shape.x1) == ("x domain", 0, 1)
    ]


def is_named(figure):
    return any("frequencies" in note.text for note in figure.layout.annotations)


@pytest.fixture(scope="module")
def learned(bars):
    run = Plan.of("hdp-tsvi", batch_size=50, passes=2).split_and_start(bars[0])
    while not run.done:
        run.step()
    series = live.Series("one", 0, 0, run.moment(run.snapshot()))
    return series, unigram_score(run.corpus, run.heldout)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("logarithmic", [False, True])
@pytest.mark.parametrize("axis", list(live.AXIS_TITLES))
@pytest.mark.parametrize("far", [-3.0, 0.0, 3.0])
def test_live_and_compare_hold_the_line_wherever_it_is(learned, axis, logarithmic, dark, far):
    series, unigram = learned
    level = unigram + far
    for figure in (
        live.heldout_figure([series], axis, dark, level),
        compare.curves([series], "held-out", axis, logarithmic, dark, unigram=level),
    ):
        assert lines(figure) == [level]
        assert is_named(figure)
        low, high = figure.layout.yaxis.range
        assert low < level < high
    assert not lines(compare.curves([series], "topics", axis, logarithmic, dark, unigram=level))


def test_every_panel_of_a_race_holds_the_line(learned):
    series, unigram = learned
    for figure in compare.race_panels([series, series], "held-out", False, unigram=unigram - 2.0):
        assert lines(figure) == [unigram - 2.0]
        assert figure.layout.yaxis.range[0] < unigram - 2.0
    for figure in compare.race_panels([series, series], "topics", False, unigram=unigram):
        assert not lines(figure)


@pytest.mark.second
@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("level", [-9.0, -8.1, -5.0])
def test_the_panel_of_scores_of_chains_holds_the_line_and_no_other_does(place, level):
    titles = ["log joint", "topics in use"]
    titles.insert(place, "held-out score")
    scores = np.array([np.nan, -8.2, -7.5])
    values = {t: scores if t == "held-out score" else np.array([1.0, 2, 3]) for t in titles}
    chain = chains.ChainLine("one", 0, 0, np.array([0.0, 10, 20]), values)
    figure = chains.chains_figure([chain], titles, 10, False, levels={"held-out score": level})
    axis = str(place + 1) if place else ""
    (line,) = (s for s in figure.layout.shapes if s.name == "word frequencies")
    assert (line.yref, line.y0, line.y1) == (f"y{axis}", level, level)
    low, high = figure.layout[f"yaxis{axis}"].range
    assert low < min(level, -8.2)
    assert max(level, -7.5) < high
    assert is_named(figure)
    others = {*"123"} - {str(place + 1)}
    assert all(figure.layout[f"yaxis{n if n != '1' else ''}"].range is None for n in others)
    for levels in ({}, {"held-out score": math.nan}):
        assert not lines(chains.chains_figure([chain], titles, 10, False, levels=levels))


@pytest.mark.parametrize("unknown", [math.nan, -math.inf])
def test_where_it_is_not_known_there_is_none(learned, unknown):
    series, _ = learned
    assert not lines(compare.curves([series], "held-out", "documents", False, False))
    figure = live.heldout_figure([series], "documents", False, unknown)
    assert not lines(figure)
    assert not is_named(figure)


def outcome(trial):
    series = {"restaurants": 3.0}
    return TrialOutcome(
        (10, 20, 40),
        (1.0, 2.0, 4.0),
        (-8.0, -7.5, -7.0 - trial.seed / 10),
        (3, 4, 5),
        ({"0": "a b c"},) * 3,
        (0.1,) * 3,
        (series,) * 3,
        (2**20,) * 3,
        (LEVEL + trial.seed / 10,) * 3,
        (1.0, 2.0, float(UNLIMITED)),
    )


TRIED = [name for name, claim in CLAIMS.items() if claim.trials(1)]


@pytest.mark.second
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", [*TRIED, "a sweep"])
def test_every_picture_of_scores_of_a_claim_or_sweep_holds_the_line(name, dark):
    """With a band from the lowest seed to the highest, each of which is tested on its own texts."""
    one = Sweep("lda-svi", Axis("kappa", (0.6, 0.9))) if name == "a sweep" else CLAIMS[name]
    found = {trial: outcome(trial) for trial in one.trials(3)}
    n_scores = 0
    for picture in one.pictures(found):
        figure = picture.figure(dark, 14)
        scored = figure.layout.yaxis.title.text == SCORES
        n_scores += scored
        assert lines(figure) == ([pytest.approx(LEVEL + 0.1)] if scored else [])
        assert is_named(figure) == scored
        assert ("dotted line" in picture.look) == scored
        if scored:
            low, high = figure.layout.yaxis.range
            assert low < LEVEL + 0.1 < high
            (band,) = [shape for shape in figure.layout.shapes if shape.type == "rect"]
            assert (band.y0, band.y1) == pytest.approx((LEVEL, LEVEL + 0.2))
    without = {"sumo-memory", "sumo-coherence", "sumo-growth", "online-hdp-stream", "catvi-words"}
    assert (n_scores > 0) == (name not in without)


def test_one_split_has_one_line_and_no_band():
    sweep = Sweep("lda-svi", Axis("kappa", (0.6, 0.9)))
    found = {t: replace(outcome(t), unigram=(LEVEL,) * 3) for t in sweep.trials(2)}
    figure = sweep.pictures(found)[0].figure(False, 14)
    assert lines(figure) == [LEVEL]
    assert not [shape for shape in figure.layout.shapes if shape.type == "rect"]


def test_a_first_score_far_below_word_frequencies_is_in_sight():
    moment = made({}, planned_docs=100, trace=(TracePoint(1, 1, 0.1, 4, 0.0, -9.6, {}),))
    figure = live.heldout_figure([live.Series("one", 0, 0, moment)], "documents", False, -8.1)
    low, high = figure.layout.yaxis.range
    assert low < -9.6 < -8.1 < high


def test_the_line_of_several_splits_is_at_their_median():
    """Two near one another and one far away; unknown ones are left out."""
    figure = go.Figure()
    draw_level(figure, [-8.0, -8.1, -9.5, math.nan], 1.0, False)
    assert lines(figure) == [-8.1]
    (band,) = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    assert (band.y0, band.y1) == (-9.5, -8.0)
