"""One question, one number: every view of shares on the Topics page against the documents alone."""

import base64
import re
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.explore.change import changes
from bnpexplorer.explore.periods import index, suitable_period
from bnpexplorer.explore.proportions import doc_topic
from bnpexplorer.ui.frame import server
from bnpexplorer.ui.parts.explore import folding_of
from bnpexplorer.ui.topics import changed
from bnpexplorer.ui.topics.over_documents import _prevalence_table, prevalence
from tests.tools.pages import choose, figures, go, launch, open_app, small, texts

pytestmark = pytest.mark.usefixtures("registry")


def long_and_short():
    """Every other text five times as long, so that words and documents tell different shares; one
    text of ten without a date."""
    loaded = small()
    corpus = loaded.corpus
    rows = np.arange(corpus.n_docs)
    counts = corpus.counts * np.repeat(1 + 4 * (rows % 2), np.diff(corpus.indptr))
    date = np.where(rows % 10 == 0, np.datetime64("NaT"), corpus.docs.date)
    docs = replace(corpus.docs, date=date)
    return replace(loaded, corpus=replace(corpus, counts=counts.astype(np.int32), docs=docs))


def known(entry):
    """The moment that the pages show, and the proportions of its documents."""
    moment = server.moment_of(entry, entry.background.latest)
    folded = doc_topic(moment.model, moment.snapshot.topics, entry.source.corpus.without_text())
    return moment, moment.gathered(folded)


def numbers(series):
    """Those of a figure, however plotly packs them."""
    if isinstance(series, dict):
        return np.frombuffer(base64.b64decode(series["bdata"]), series["dtype"])
    return np.array(series, float)


def first_line(app):
    """The shares of the first topic that is drawn over time."""
    traces = [trace for figure in figures(app) for trace in figure["data"]]
    return numbers(next(t["y"] for t in traces if t.get("mode") == "lines+markers"))


def mean(column, rows, weights):
    return float((column[rows] * weights[rows]).sum() / weights[rows].sum())


def open_topics(entry, view=None, **address):
    app = go(open_app(run=entry.run_id, own=entry.secret, **address), "topics")
    return choose(app, "topics-view", view) if view else app


@pytest.mark.second
def test_the_topic_screen_and_over_time_count_the_same_and_both_by_words_at_first(registry):
    entry = launch(registry, "hdp-tsvi", long_and_short())
    moment, shares = known(entry)
    corpus = entry.source.corpus
    lengths = corpus.doc_lengths.astype(float)
    undated = int(np.isnat(corpus.docs.date).sum())
    read = folding_of(moment)  # held, so that the first look at the page finds it
    assert read.wait(60) is not None
    app, topic = open_topics(entry), moment.ordered()[0]
    column = shares[:, moment.row[topic]].astype(float)
    dates, dated = corpus.docs.date, ~np.isnat(corpus.docs.date)
    place = index(dates[dated], suitable_period(dates))
    first = np.flatnonzero(dated)[place == place.min()]
    for counted in ("words", "documents"):
        weights = lengths if counted == "words" else np.ones(len(lengths))
        if counted == "documents":  # chosen below, in the other view
            app = choose(app, "topics-view", "Topics")
        said = next(c.value for c in app.caption if c.value.startswith("Share "))
        assert ("of the words" in said) == (counted == "words")
        labels = next(f for f in figures(app) if f["data"][0].get("error_x"))
        names = [t.split("  (")[0] for t in labels["layout"]["yaxis"]["ticktext"]]
        for name, x in zip(names, numbers(labels["data"][0]["x"]), strict=True):
            rows = corpus.docs.label == name
            assert x == pytest.approx(mean(column, rows, weights), abs=1e-6)
        line = first_line(app)
        assert line[0] == pytest.approx(mean(column, first, weights), abs=1e-6)
        if counted == "words":
            app = choose(app, "topics-view", "Over time")
            assert f"{undated} documents without a date are left aside" in texts(app.caption)
            np.testing.assert_array_equal(first_line(app), line)
            app = choose(app, "topics-counted", "documents")
            over = first_line(app)
    np.testing.assert_array_equal(line, over)


@pytest.mark.second
def test_addresses_of_before_say_what_counts_and_clusters_count_documents(registry):
    entry = launch(registry, "hdp-tsvi", long_and_short())
    app = open_app(run=entry.run_id, own=entry.secret)
    app.query_params["topics-changed-counted"] = "documents"
    app = choose(go(app, "topics"), "topics-view", "Over time")
    assert "mean over documents" in texts(app.caption)
    clusters = launch(registry, "dpm-gibbs", long_and_short())
    assert "mean over documents" in texts(open_topics(clusters, "Over time").caption)


def test_the_table_over_time_has_both_ends_of_every_interval(registry):
    entry = launch(registry, "hdp-tsvi", long_and_short())
    moment, shares = known(entry)
    found = prevalence(shares, moment.corpus.docs.date, "year")
    table = _prevalence_table(moment, found)
    low, high = found.means.interval()
    for topic in moment.ordered():
        k, head = moment.row[topic], moment.head(topic)
        np.testing.assert_array_equal(table[f"{head}, at least"], low[:, k])
        np.testing.assert_array_equal(table[f"{head}, at most"], high[:, k])
        np.testing.assert_array_equal(table[head], found.share[:, k])


@pytest.mark.second
def test_each_of_two_labels_has_its_own_share(registry):
    entry = launch(registry, "hdp-tsvi", long_and_short())
    moment, shares = known(entry)
    corpus = entry.source.corpus
    lengths = corpus.doc_lengths.astype(float)
    app = choose(open_topics(entry, "Compare groups"), "topics-changed", "labels")
    dots = figures(app)[0]["data"][-1]
    assert len(dots["hovertext"]) == len(dots["customdata"]) > 1
    for hint, topic in zip(dots["hovertext"], dots["customdata"], strict=True):
        found = re.findall(r"([\d.]+)\s% in (\w+)", hint)
        assert len({name for _, name in found}) == len(found)
        for number, name in found:
            column = shares[:, moment.row[topic]].astype(float)
            true = 100 * mean(column, corpus.docs.label == name, lengths)
            assert float(number) == pytest.approx(true, abs=0.51)


def test_the_documents_of_a_period_are_all_of_it():
    days = np.arange("2014-09-20", "2014-11-10", dtype="datetime64[D]")
    name, rows, asked = changed._period_side(days, np.datetime64("2014-10-01"), "month")
    assert name == "in October 2014"
    np.testing.assert_array_equal(rows, days.astype("datetime64[M]") == np.datetime64("2014-10"))
    assert (asked.since, asked.until) == ("2014-10-01", "2014-10-31")


def test_a_dot_leads_to_the_side_where_there_is_more():
    x = np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.1, 0.9]])
    before = np.array([True, True, False, False])
    found = changes(x, before, ~before)
    assert [changed._where_more(found, k) for k in (0, 1)] == [0, 1]
