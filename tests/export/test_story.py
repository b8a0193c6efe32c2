"""The story of a report: every number in it worked out again from the documents alone."""

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

from bnpexplorer.corpus.readers.formats import read
from bnpexplorer.corpus.text import make_corpus
from bnpexplorer.explore.means import group_means
from bnpexplorer.export import report, result_of
from bnpexplorer.export.drawing import time_line
from bnpexplorer.export.story import Story
from bnpexplorer.runs.plan import Plan
from tests.tools.articles import OUTBREAK, articles, as_csv
from tests.tools.export import small_result


@pytest.fixture(scope="module")
def news():
    """A run on dated, labelled news whose epidemic breaks out in October 2014."""
    corpus, made = make_corpus(read("news.csv", as_csv(articles("en", 360))))
    run = Plan.of("hdp-tsvi", passes=40).split_and_start(corpus)
    while not run.done:
        run.step()
    return result_of(run, run.moment(), corpus, made)


def plain(html):
    return " ".join(unescape(re.sub("<[^>]*>", " ", html)).split())


def epidemic(story):
    """The topic of the outbreak, by its words."""
    return next(i for i in story.told if "ebola" in story.moment.top_words(i, 8))


@pytest.mark.second
def test_the_outbreak_is_a_sentence_with_its_own_numbers(news):
    story = Story(news)
    topic = epidemic(story)
    said = next(s.text for s in story._turns() if story._name(topic) in s.text)
    found = re.search(
        r"In October 2014 .* rose from ([\d.]+).% in September 2014 to ([\d.]+).%", said
    )
    column = news.proportions[:, story.moment.row[topic]]
    lengths = news.corpus.doc_lengths
    for month, written in zip(("2014-09", "2014-10"), found.groups(), strict=True):
        rows = news.corpus.docs.date.astype("datetime64[M]") == np.datetime64(month)
        mean = 100 * (column[rows] * lengths[rows]).sum() / lengths[rows].sum()
        assert float(written) == pytest.approx(mean, abs=0.51)
    assert plain(said) in plain(report(news))


@pytest.mark.second
def test_nothing_is_said_to_have_changed_where_days_are_dealt_out_anew(news):
    days = np.random.default_rng(1).permutation(news.corpus.docs.date)
    docs = replace(news.corpus.docs, date=days)
    moment = replace(news.moment, corpus=replace(news.corpus, docs=docs))
    assert Story(replace(news, moment=moment))._turns() == []


@pytest.mark.second
def test_the_texts_are_told_as_they_are(news):
    words = plain(Story(news)._texts())
    corpus = news.corpus
    assert f"{corpus.n_docs} texts with {corpus.n_tokens:,} words that count" in words
    assert "from 1 January 2014 to 31 December 2014" in words
    for name in ("Herald", "Gazette", "Echo"):
        assert f"{name} ({(corpus.docs.label == name).sum()})" in words


@pytest.mark.second
def test_shares_by_label_are_those_of_its_words(news):
    story = Story(news)
    topic = epidemic(story)
    words = plain(story._by_label(topic, ("#000000", "#ffffff")))
    column = news.proportions[:, story.moment.row[topic]]
    for name in ("Herald", "Gazette", "Echo"):
        rows = news.corpus.docs.label == name
        lengths = news.corpus.doc_lengths[rows]
        mean = 100 * (column[rows] * lengths).sum() / lengths.sum()
        assert f"{name} {mean:.1f} %" in words


def test_a_label_has_both_ends_of_its_interval_and_a_bar_in_proportion(news):
    """By `group_means`, whose intervals have twins of their own; words are what counts."""
    result = lengthened(news)
    story = Story(result)
    topic = epidemic(story)
    html = story._by_label(topic, ("#000000", "#ffffff"))
    rows = re.findall(
        r"row\">(\w+)</th><td[^>]*>([\d.]+).%</td><td[^>]*>([^<]+) to ([^<]+)</td>"
        r".*?width:([\d.]+)",
        html,
    )
    names = [row[0] for row in rows]
    assert sorted(names) == ["Echo", "Gazette", "Herald"]
    codes = np.array([names.index(label) for label in result.corpus.docs.label])
    column = result.proportions[:, [story.moment.row[topic]]]
    lengths = result.corpus.to_csr().sum(axis=1).A1.astype(float)
    found = group_means(column, codes, 3, lengths, result.corpus.units)
    ends = np.hstack([found.mean, *found.interval()])
    written = [[float(re.search(r"[\d.]+", part)[0]) for part in row[1:4]] for row in rows]
    np.testing.assert_allclose(written, 100 * ends, rtol=0, atol=0.0501)
    wide = np.array([float(row[4]) for row in rows])
    np.testing.assert_allclose(wide / wide.max(), ends[:, 0] / ends[:, 0].max(), rtol=0, atol=2e-3)


def lengthened(news, **columns):
    """The same result of texts of which every other is five times as long."""
    corpus = news.corpus
    longer = np.repeat(1 + 4 * (np.arange(corpus.n_docs) % 2), np.diff(corpus.indptr))
    counts, docs = (corpus.counts * longer).astype(np.int32), replace(corpus.docs, **columns)
    return replace(
        news, moment=replace(news.moment, corpus=replace(corpus, counts=counts, docs=docs))
    )


def test_the_line_through_time_is_of_the_words(news, monkeypatch):
    result, drawn = lengthened(news), []
    monkeypatch.setattr(
        "bnpexplorer.export.story.time_line", lambda share, *rest: drawn.append(share) or ""
    )
    story = Story(result)
    story._topics()
    months = result.corpus.docs.date.astype("datetime64[M]")
    lengths = result.corpus.doc_lengths
    assert story.period == "month"
    for topic, share in zip(story.told, drawn, strict=False):
        column = result.proportions[:, story.moment.row[topic]]
        for place, month in enumerate(np.arange("2014-01", "2015-01", dtype="datetime64[M]")):
            rows = months == month
            wanted = (column[rows] * lengths[rows]).sum() / lengths[rows].sum()
            assert share[place] == pytest.approx(wanted, abs=1e-5)


def test_between_labels_each_has_its_own_share(news):
    topic = epidemic(Story(news))
    much = news.proportions[:, Story(news).moment.row[topic]] > 0.3
    label = np.array(["Sick" if one else "Well" for one in much], object)
    result = lengthened(news, label=label)
    story = Story(result)
    said = next(s.text for s in story._between_labels() if story._name(topic) in s.text)
    found = re.findall(r"([\d.]+|under [\d.]+)\s% of \w+ ?\w* of “(\w+)”", said)
    assert sorted(name for _, name in found) == ["Sick", "Well"], said
    column = result.proportions[:, story.moment.row[topic]]
    lengths = result.corpus.doc_lengths
    for number, name in found:
        rows = label == name
        mean = 100 * (column[rows] * lengths[rows]).sum() / lengths[rows].sum()
        assert float(number.removeprefix("under ")) == pytest.approx(mean, abs=0.51)


def test_passages_come_from_texts_of_the_topic_and_only_where_texts_are(news):
    story = Story(news)
    topic = epidemic(story)
    found = [passage for passage, _ in story._passages(topic, set())]
    assert len(found) == 3
    assert all("ebola" in passage or "outbreak" in passage for passage in found)
    kept = news.corpus.without_text()
    watched = replace(news, moment=replace(news.moment, corpus=kept))
    assert Story(watched)._passages(topic, set()) == []


def test_a_passage_stands_once_in_a_report(news):
    """Copies of a text, however they are written, are one passage."""
    story = Story(news)
    topic = epidemic(story)
    (first, _), *_ = story._passages(topic, set())
    row = next(i for i, text in enumerate(news.corpus.docs.text) if first.split(".")[0] in text)
    copies = news.corpus.docs.text.copy()
    much = np.flatnonzero(news.proportions[:, story.moment.row[topic]] > 0.3)
    copies[much[:-1]] = [f"{copies[row].upper()}  " if i % 2 else copies[row] for i in much[:-1]]
    docs = replace(news.corpus.docs, text=copies)
    corpus = replace(news.corpus, docs=docs)
    again = replace(news, moment=replace(news.moment, corpus=corpus))
    quoted = set()
    found = [passage for passage, _ in Story(again)._passages(topic, quoted)]
    alone = {"".join(filter(str.isalnum, passage.casefold())) for passage in found}
    assert len(alone) == len(found)
    other = [passage for passage, _ in Story(again)._passages(topic, quoted)]
    assert not set(found) & set(other), "nor of another topic"


def test_hidden_topics_are_not_told(news):
    topic = news.moment.ordered()[0]
    labels = news.moment.labels.hide(topic)
    story = Story(replace(news, moment=replace(news.moment, labels=labels)))
    assert topic not in story.told


def test_texts_without_dates_and_labels_have_a_story(news):
    docs = replace(news.corpus.docs, date=None, label=None)
    moment = replace(news.moment, corpus=replace(news.corpus, docs=docs))
    words = "".join(Story(replace(news, moment=moment)).sections())
    assert "What changed" not in words
    assert "by label" not in words
    assert "<h3>" in words


@pytest.mark.parametrize("method", ["dpm-tsvi", "lda-svi"])
def test_every_model_has_a_story(method):
    noun = "clusters" if method == "dpm-tsvi" else "topics"
    assert f"The largest {noun}" in "".join(Story(small_result(method)).sections())


def test_a_line_through_time_has_gaps_and_its_peak():
    picture = time_line(
        np.array([0.1, 0.2, np.nan, 0.4]), list("abcd"), ("#000000", "#ffffff"), "x"
    )
    assert len(re.findall("<path", picture)) == 2
    assert "40.0 % d" in picture
    assert "Nothing to draw" in time_line(np.full(3, np.nan), list("abc"), ("", ""), "x")


def test_the_outbreak_is_in_the_texts():
    rows = articles("en", 360)
    ebola = [("ebola" in row["text"], row["date"] >= OUTBREAK.isoformat()) for row in rows]
    before, after = ([e for e, late in ebola if late is which] for which in (False, True))
    assert np.mean(before) < 0.06
    assert np.mean(after) > 0.3
