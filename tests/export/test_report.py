"""The report: one file, nothing fetched, nothing executed, everything in it."""

import re
from dataclasses import replace
from html import escape, unescape

import numpy as np
import pytest

from bnpexplorer.export import report, result_of
from bnpexplorer.export.drawing import (
    BOTTOM,
    HEIGHT,
    LETTER,
    MAP_WIDTH,
    ROOM,
    TOP,
    DrawnCurve,
    _apart,
    line_chart,
    numbers,
    ticks,
    topic_map,
)
from bnpexplorer.state.labels import Labels
from tests.tools.export import EVIL, learned, own_corpus, small_result
from tests.tools.markup import Reader, inert


@pytest.mark.parametrize("method", ["hdp-tsvi", "hdp-svi", "dpm-tsvi", "lda-gibbs"])
def test_nothing_is_fetched_and_nothing_runs(method):
    page = inert(report(small_result(method)))
    policies = [value for name, value in page.attributes if name == "content"]
    assert any(value.startswith("default-src 'none'") for value in policies)


def test_it_is_a_plain_string():
    """`replace` and `+` of what templates put in would escape what they are given."""
    assert type(report(small_result("hdp-tsvi"))) is str


def test_it_has_the_facts():
    result = small_result("hdp-tsvi")
    words = " ".join(Reader(report(result)).words)
    run = result.run
    for fact in (
        run.method.source,
        run.corpus.fingerprint,
        result.corpus.fingerprint,
        "abc123",
        result.protocol_sentence,
        "160 documents",
        np.__version__,
        "burn_in",
        "@inproceedings{wang2012",
        "16 documents",
        f"{result.score:.2f}".replace("-", "−"),
    ):
        assert fact in words, fact
    assert result.moment.in_use
    for topic in result.moment.in_use:
        assert " · ".join(result.moment.top_words(topic, 12)) in words
    assert EVIL in words, "escaped, it is words"
    assert "hidden" in words


def test_its_first_sentence_has_the_numbers_of_the_run():
    result = small_result("hdp-tsvi", steps=5)
    words = " ".join(Reader(report(result)).words)
    size = result.snapshot.topics.size
    share = size[size > 0] / size.sum()
    diverse = np.exp(-(share * np.log(share)).sum())
    n_used, learned_ = int((size >= 1).sum()), result.run.corpus.n_docs
    large = int((share >= 0.001).sum())
    assert f"{large} topics and {n_used - large} small ones (" in words
    assert (
        f" of the words), as diverse as {diverse:.0f} of equal size, by hdp-tsvi after "
        f"pass 2 of 2 over {learned_} texts; held-out log likelihood per word" in words
    )


def test_the_numbers_behind_its_curves_are_the_history_of_the_run():
    result = small_result("hdp-tsvi", steps=5)
    tables_ = re.findall(r"<summary>Read as table</summary><table>(.*?)</table>", report(result))
    trace = result.snapshot.trace
    wanted = ([p for p in trace if np.isfinite(p.heldout)], trace)
    for html, points, name in zip(tables_, wanted, ("heldout", "n_topics"), strict=True):
        rows = re.findall(r"<tr><td[^>]*>(.*?)</td><td[^>]*>(.*?)</td><td[^>]*>(.*?)</td>", html)
        assert len(rows) == len(points) > 2
        for row, point in zip(rows, points, strict=True):
            docs, seconds, value = (float(cell.replace(",", "").replace("−", "-")) for cell in row)
            assert docs == point.docs_seen
            assert seconds == pytest.approx(point.seconds, abs=0.00501)
            assert value == pytest.approx(getattr(point, name), rel=1e-5)


def test_words_of_people_stay_words():
    corpus = own_corpus()
    run = learned(corpus, "hdp-tsvi")
    snapshot = run.snapshot()
    labels = Labels({int(i): EVIL for i in snapshot.topics.topic_ids})
    page = Reader(report(result_of(run, run.moment(labels=labels), corpus)))
    assert not {"script", "img", "b"} & set(page.tags)
    assert "<b>bold</b>" in " ".join(page.words)


def test_a_run_that_has_learned_nothing_has_a_report():
    corpus = own_corpus()
    run = learned(corpus, "hdp-tsvi", steps=0, held_out=False)
    words = " ".join(Reader(report(result_of(run, run.moment(), corpus))).words)
    assert "No topic is in use yet" in words
    assert "Nothing to draw yet" in words


def test_a_curve_lies_where_its_numbers_are():
    page = Reader(
        line_chart(
            [DrawnCurve("a", [0, 50, 100], [2.0, 4.0, 3.0], ("#000", "#fff"))], "x", "y", "z"
        )
    )
    (path,) = [value for name, value in page.attributes if name == "d"]
    points = [tuple(map(float, p.split())) for p in path.replace("M", "").split("L")]
    (x0, y0), (x1, y1), (x2, y2) = points
    assert x1 - x0 == pytest.approx(x2 - x1, abs=0.2)
    assert (y0 - y2) == pytest.approx((y0 - y1) / 2, abs=0.2), "up is more"
    assert y1 < y2 < y0


@pytest.mark.parametrize(("low", "high"), [(0, 7), (-8.31, -7.02), (0, 23_456), (0.001, 0.0045)])
def test_ticks_are_round_and_inside(low, high):
    found = ticks(low, high)
    assert 3 <= len(found) <= 8
    assert low - 1e-9 <= min(found)
    assert max(found) <= high + 1e-9
    np.testing.assert_allclose(np.diff(found), found[1] - found[0])


def test_counts_have_whole_numbers_on_their_axis():
    assert ticks(0, 1.5, whole=True) == [0.0, 1.0]
    assert ticks(0, 15, whole=True) == [0.0, 3.0, 6.0, 9.0, 12.0, 15.0]
    assert ticks(0, 150, whole=True) == ticks(0, 150)
    curve = DrawnCurve("a", [0, 50], [1.0, 1.0], ("#000", "#fff"), steps=True)
    assert ">0.5<" not in line_chart([curve], "x", "y", "z")


def test_numbers_of_an_axis_have_equal_decimals():
    assert numbers([-7.85, -7.9, -8.0]) == ["−7.85", "−7.90", "−8.00"]
    assert numbers([0.0, 2000.0]) == ["0", "2,000"]
    assert numbers([0.1 + 0.2, 0.4]) == ["0.3", "0.4"]


def test_names_on_the_map_stay_inside_it():
    long = "A name that somebody thought about <b>for long</b>"
    page = topic_map(
        np.array([[0.0, 0.0], [1.0, 1.0]]),
        np.array([0.5, 0.5]),
        [long, long[::-1]],
        [("#000", "#fff")] * 2,
        "a map",
    )
    written = re.findall(r'<text class="name" x="([\d.]+)"[^>]*>([^<]*)</text>', page)
    assert len(written) == 2
    for x, words in written:
        half = LETTER * len(unescape(words)) / 2
        assert half - 0.1 <= float(x) <= MAP_WIDTH - half + 0.1
    assert "A name that somebody th…" in page
    assert escape(long) in page, "the tooltip has all of it"


def test_only_hidden_topics_are_marked():
    result = small_result()
    marked = report(result).count(">hidden</span>")
    assert marked == 1
    assert ">hidden</span>" not in report(
        replace(result, moment=replace(result.moment, labels=Labels()))
    )


def test_names_of_curves_that_end_together_stand_apart_and_in_the_picture():
    heights = [237.0, 240.0, 100.0, 239.0]
    found = _apart(heights)
    assert np.argsort(found).tolist() == np.argsort(heights).tolist()
    assert np.diff(np.sort(found)).min() >= ROOM
    assert max(found) <= HEIGHT - BOTTOM
    assert found[2] == 100.0, "who has room stays"
    assert min(_apart([15.0, 14.0])) >= TOP
    assert _apart([243.0]) == [243.0]
