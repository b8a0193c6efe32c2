"""On every figure tick labels are distinct, and without data no axis is drawn."""

import dataclasses
import json
from collections import Counter
from pathlib import Path

import numpy as np
import plotly
import pytest

from bnpexplorer.explore.likeness import FOUND_AGAIN
from bnpexplorer.explore.through import River
from bnpexplorer.plots import (
    chains,
    claims,
    compare,
    corpus,
    lab,
    labels,
    live,
    over_time,
    topics,
    topics_over,
    toy,
)
from bnpexplorer.plots.style import NOTHING_YET, finished
from bnpexplorer.state.snapshot import TracePoint
from tests.tools.moments import made

pytestmark = pytest.mark.browser
PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"

DATA = {
    "empty": np.zeros(0),
    "one point": np.array([-8.1]),
    "constant": np.full(9, -8.1),
    "tiny": -8.1 + 1e-4 * np.arange(9.0),
    "narrow": np.linspace(-8.25, -8.0, 9),
    "huge": -8.1 * 10.0 ** np.arange(9),
}
"""Values over time, of which shares and counts are made."""
LABELS = """node => Object.fromEntries(["x", "y", "x2", "y2"].map((axis) =>
  [axis, [...node.querySelectorAll(`.${axis}tick text`)].map((text) => text.textContent)]))"""


def line(values, counts=False, scale=1000.0):
    """A run whose curve has these values; counts of topics are whole and not negative."""
    n_topics = np.minimum(np.abs(np.nan_to_num(values)), 1e6).round().astype(int)
    trace = tuple(
        TracePoint(
            i + 1,
            round(scale * (i + 1)),
            float(i + 1),
            int(n),
            y,
            y,
            {"gamma": y, FOUND_AGAIN: 1.0},
        )
        for i, (y, n) in enumerate(zip(values.tolist(), n_topics, strict=True))
    )
    end = trace[-1].docs_seen if trace else 0
    moment = made({}, planned_docs=round(max(scale * 10, 6)), trace=trace)
    snapshot = dataclasses.replace(moment.snapshot, step=len(trace), docs_seen=end)
    return live.Series("a run", 0, 0, dataclasses.replace(moment, snapshot=snapshot))


def shares(values):
    """Of the same number and spread, between 0 and 1."""
    return np.abs(values) / (1.0 + np.abs(values).max(initial=0.0))


def figures(values):
    """Every figure of values: (its name, the figure)."""
    n, share = len(values), shares(values)
    for axis in live.AXIS_TITLES:
        one = [line(values)] if n else []
        yield "held-out", live.heldout_figure(one, axis, False, -8.1)
        yield "series", live.scalar_figure(one, "gamma", axis, False)
        yield "found again", live.found_again_figure(one, 10, axis, False)
        for logarithmic in (False, True):
            yield "topics", live.topics_figure(one, axis, False, logarithmic=logarithmic)
            for quantity in ("held-out", "topics", "found again"):
                yield "curves", compare.curves(one, quantity, axis, logarithmic, False)
    for scale in (1.0, 3.0, 1e7):
        few = [line(values, scale=scale)]
        yield "few documents", live.topics_figure(few, "documents", False, logarithmic=True)
    yield "weights", live.weights_figure(line(values), False)
    for quantity in ("held-out", "topics"):
        yield from (("race", f) for f in compare.race_panels([line(values)], quantity, False))
    names = {"log joint": values, "topics": np.abs(values)}
    drawn = chains.ChainLine("one", 0, 0, 1000.0 * np.arange(n), names)
    yield "chains", chains.chains_figure([drawn], list(names), 0.0, False)
    seed = dict(zip((10.0 ** np.arange(n)).tolist(), values.tolist(), strict=True))
    for logarithmic in (False, True):
        yield (
            "claim",
            claims.against([claims.ClaimLine("a", 0, [seed])], "x", "y", False, logarithmic),
        )
    for width in (1, 40, 400):
        starts = np.datetime64("2001-01-01") + width * np.arange(n)
        about = over_time.TimeLine("tides", "#112233", share, share, share)
        yield "over time", over_time.lines_over_time(starts, np.arange(n), [about], "share", False)
        yield "one line", over_time.one_line(starts, about, False)
    rows = [f"label {i}" for i in range(n)]
    yield "label dots", labels.label_dots(rows, [3] * n, share, share, share, "t", "#112233", False)
    names = {f"word {i}": (float(value), float(value) / 2) for i, value in enumerate(share)}
    yield "words", topics.words_figure(names, 0, False)
    ids = dict(enumerate(names.values()))
    named = made(dict.fromkeys(ids, 3.0), {i: f"topic {i}" for i in ids})
    yield "of a word", topics.word_topics_figure(ids, named, False)
    river = River((1000 * np.arange(n)).tolist(), [], np.zeros((n, 0)), [])
    yield "river", topics_over.river_figure(made({}), river, 0, False)
    if n:
        sure = np.maximum(share, 1e-5)
        yield "bound", lab.bound_figure([("a", sure, 0, "solid")], float(sure.min()), False)
        yield "mixtures", lab.mixtures_figure(np.stack([share, 1.0 - share], axis=1), False)
        yield "signs", claims.signs_figure(list(range(n)), {("tsvi", "A"): values.tolist()}, False)
        found = corpus.lengths_of(np.maximum(np.abs(values), 1.0).astype(np.int64))
        yield "lengths", corpus.lengths_figure(found, False)
        what = [("a", 0, np.abs(values)), ("b", 1, np.abs(values) / 2)]
        yield "contest", lab.contest_figure(what, "violins", False)
        yield "expected", lab.beside_expected(share, share, list(range(n)), "sticks", False)
        growth = lab.Growth("tables", 0, np.abs(values), np.abs(values))
        yield "growth", lab.growth_figure([growth], float(np.abs(values).max()), False)
        yield "toy words", toy.words_figure(share, share, share, float(share.max()), False)


@pytest.fixture(scope="module")
def page(browser):
    context = browser.new_context()
    found = context.new_page()
    found.set_content("<div id='figure' style='width: 620px; height: 330px'></div>")
    found.add_script_tag(path=PLOTLY)
    yield found
    context.close()


def drawn(page, figure):
    """The tick labels of each axis, as the browser writes them."""
    sent = json.loads(finished(figure).update_layout(width=620, height=330).to_json(validate=False))
    page.evaluate("({data, layout}) => Plotly.newPlot('figure', data, layout)", sent)
    return page.locator("#figure").evaluate(LABELS)


@pytest.mark.second
@pytest.mark.parametrize("kind", list(DATA))
def test_tick_labels_are_distinct_on_every_figure(page, kind):
    twice, seen = [], set()
    for name, figure in figures(DATA[kind]):
        for axis, words in drawn(page, figure).items():
            seen |= {axis} if len(words) > 1 else set()
            repeated = [word for word, n in Counter(words).items() if n > 1]
            if repeated:
                twice.append((name, axis, words))
    assert not twice
    assert seen >= {"x", "y"} or kind == "empty"


def test_without_data_one_sentence_stands_in_place_of_the_axes(page):
    seen = 0
    for name, figure in figures(DATA["empty"]):
        words = drawn(page, figure)
        assert not any(words.values()), (name, words)
        text = page.locator("#figure .infolayer .annotation-text").all_text_contents()
        assert text == [NOTHING_YET], name
        seen += 1
    assert seen > 20
