"""Topics by label, over time and together: each part of the page alone."""

from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.explore.choosing import Filter
from bnpexplorer.explore.means import group_means
from bnpexplorer.explore.over_documents import prevalence
from bnpexplorer.explore.periods import labelled
from bnpexplorer.explore.swing import Swing
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.topics import labels, over_documents
from bnpexplorer.ui.topics.map import topics_view
from tests.tools.alone import COUNTS, LABELS, SHARES, drawn, explored, handed, moment
from tests.tools.pages import button, check, field, texts

LENGTHS = COUNTS.sum(axis=1).astype(float)
COLUMN = {4: 0, 9: 1, 2: 2}
NAMES = ("state", "sea", "garden")
OF = {"words": "of the words", "documents": "of the average document"}
WEIGHTS = {"words": LENGTHS, "documents": None}


@pytest.fixture
def read(monkeypatch):
    """The documents are read, with these shares."""
    for room in (labels, over_documents):
        monkeypatch.setattr(room, "proportions", lambda shown: SHARES)


def mean(k, rows, counted):
    return np.average(SHARES[rows, k], weights=LENGTHS[rows] if counted == "words" else None)


# ---- by label ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("read")
@pytest.mark.parametrize("counted", ["words", "documents"])
def test_squares_dots_and_the_table_have_the_share_of_their_label_and_topic(monkeypatch, counted):
    told, at = handed(monkeypatch, labels), moment(Labels(pinned=frozenset({4})))
    app = drawn(
        labels.labels_view, explored(at), topics_counted=counted, explored_topic={"run-a": 2}
    )
    (squares,) = told.figures["topics-labels"].data
    (dots,) = told.figures["topics-label-one"].data
    assert [topic for _, topic in squares.customdata[0]] == [4, 9, 2]
    known = labelled(np.array(LABELS, object), 6)
    low, high = group_means(SHARES, known.codes, 3, WEIGHTS[counted]).interval()
    for row, label in enumerate(NAMES):
        rows = np.array(LABELS) == label
        for place, topic in enumerate((4, 9, 2)):
            k = COLUMN[topic]
            assert squares.z[row][place] == pytest.approx(mean(k, rows, counted), abs=1e-6)
        assert dots.x[row] == pytest.approx(mean(2, rows, counted), abs=1e-6)
        assert dots.x[row] + dots.error_x.array[row] == pytest.approx(high[row, 2])
        assert dots.x[row] - dots.error_x.arrayminus[row] == pytest.approx(low[row, 2])
    assert told.figures["topics-label-one"].layout.xaxis.title.text == f"share {OF[counted]}"
    table = told.tables["topics-labels"]
    assert len(table) == 9
    for row in table.itertuples():
        topic = int(row.topic.split(" · ")[0])
        assert row.share == pytest.approx(
            mean(COLUMN[topic], np.array(LABELS) == row.label, counted), abs=1e-6
        )
    told.clicks["topics-labels"]([1, 9])
    told.clicks["topics-label-one"](2)
    assert told.led == [(9, Filter(("sea",)), "", None), (2, Filter(("garden",)), "", None)]
    check(field(app.selectbox, "Label").set_value("garden").run())
    check(button(app, "Read the documents").click().run())
    assert told.led[-1] == (2, Filter(("garden",)), "", None)
    assert "left aside" not in texts(app.caption)


@pytest.mark.usefixtures("read")
def test_documents_without_a_label_are_counted_and_topics_of_no_label_have_no_column(monkeypatch):
    told, at = handed(monkeypatch, labels), moment()
    some = np.array(["sea", "sea", None, "state", "state", ""], object)
    at = replace(at, corpus=replace(at.corpus, docs=replace(at.corpus.docs, label=some)))
    few = SHARES.copy()
    few[[0, 1, 3, 4], 2] = 0.0049
    monkeypatch.setattr(labels, "proportions", lambda shown: few)
    app = drawn(labels.labels_view, explored(at))
    assert "2 documents without a label are left aside." in texts(app.caption)
    assert labels.unlabelled(1) == " 1 document without a label is left aside."
    (squares,) = told.figures["topics-labels"].data
    assert [topic for _, topic in squares.customdata[0]] == [9, 4]
    few[0, 2] = 0.006  # so that the mean over the words of its label is 0.0056
    drawn(labels.labels_view, explored(replace(at, snapshot=moment().snapshot)))
    (squares,) = told.figures["topics-labels"].data
    assert [topic for _, topic in squares.customdata[0]] == [9, 4, 2]
    monkeypatch.setattr(labels, "COLUMNS", 1)
    drawn(labels.labels_view, explored(at))
    (squares,) = told.figures["topics-labels"].data
    assert [topic for _, topic in squares.customdata[0]] == [9]


@pytest.mark.usefixtures("read")
def test_labels_without_a_dated_document_are_not_shown_through_time(monkeypatch):
    told, at = handed(monkeypatch, labels), moment()
    for label, there in (((None, None, None, "a", None, None), False), (LABELS, True)):
        some = np.array([*label], object)
        some[0], days = (some[0] or "b"), at.corpus.docs.date.copy()
        days[0] = "NaT"
        corpus = replace(at.corpus, docs=replace(at.corpus.docs, label=some, date=days))
        drawn(labels.labels_view, explored(replace(at, corpus=corpus)))
        assert ("topics-label-time" in told.figures) == there


@pytest.mark.usefixtures("read")
@pytest.mark.parametrize("counted", ["words", "documents"])
def test_every_label_has_a_line_of_its_own_documents_through_time(monkeypatch, counted):
    """Of two topics of one moment, one after the other."""
    told, at = handed(monkeypatch, labels), moment()
    dates, known = at.corpus.docs.date, labelled(np.array(LABELS, object), 6)
    key = {"topics_label_period_run_a": "year", "topics_label_lines_run_a": ["sea", "state"]}
    for topic, k in COLUMN.items():
        drawn(labels._through_time, explored(at), known, SHARES, dates, topic, counted, **key)
        figure, table = told.figures["topics-label-time"], told.tables["topics-label-time"]
        lines = {t.name: t.y for t in figure.data[:-1] if t.mode == "lines+markers"}
        assert list(lines) == ["sea", "state"]
        assert list(figure.data[-1].y) == [2, 1, 1], "documents of both; an undated one is of none"
        years = dates.astype("datetime64[Y]").astype(str)
        for label, line in lines.items():
            for year, y in zip(("2001", "2002", "2003"), line, strict=True):
                rows = (np.array(LABELS) == label) & (years == year)
                if rows.any():
                    assert y == pytest.approx(mean(k, rows, counted), abs=1e-6)
                else:
                    assert np.isnan(y)
            own = table[table["label"] == label]
            np.testing.assert_array_equal(own["share"], line)
            assert own["from"].tolist() == ["2001-01-01", "2002-01-01", "2003-01-01"]
        assert table["documents"].tolist() == [1, 1, 0, 1, 0, 1]
        key["topics_label_lines_run_a"] = ["garden"]
        drawn(labels._through_time, explored(at), known, SHARES, dates, topic, counted, **key)
        garden = told.tables["topics-label-time"]
        assert garden["documents"].tolist() == [0, 0, 1], (
            "another choice of labels has its own numbers"
        )
        assert garden["share"].iloc[-1] == pytest.approx(SHARES[5, k])
        key["topics_label_lines_run_a"] = ["sea", "state"]
    assert figure.layout.yaxis.title.text == f"share {OF[counted]}"


# ---- over time and together ----------------------------------------------------------------------


@pytest.mark.usefixtures("read")
@pytest.mark.parametrize("counted", ["words", "documents"])
def test_the_lines_over_time_are_the_chosen_topic_first_and_then_the_largest(monkeypatch, counted):
    told, at = handed(monkeypatch, over_documents), moment()
    monkeypatch.setattr(over_documents, "few_enough", lambda *_: True)
    key = {"topics_counted": counted, "explored_topic": {"run-a": 2}, "topics_period_run_a": "year"}
    key["topics_lines_run_a_5"] = [2, 9]
    app = drawn(over_documents.dates_view, explored(at), **key)
    figure, table = told.figures["topics-prevalence"], told.tables["topics-prevalence"]
    found = prevalence(SHARES, at.corpus.docs.date, "year", WEIGHTS[counted])
    lines = [t for t in figure.data[:-1] if t.mode == "lines+markers"]
    assert [t.name for t in lines] == [at.name(2), at.name(9)]
    for line, k in zip(lines, (2, 1), strict=True):
        np.testing.assert_array_equal(line.y, found.share[:, k])
    assert figure.layout.yaxis.title.text == f"share {OF[counted]}"
    assert table["from"].tolist() == ["2001-01-01", "2002-01-01", "2003-01-01"]
    assert table["documents"].tolist() == [2, 1, 2]
    said = texts(app.caption)
    assert "a period without any is a gap. 1 document without a date is left aside." in said
    assert "are read with the topics of pass of 40." in said
    del key["topics_lines_run_a_5"]
    app = drawn(over_documents.dates_view, explored(at), **key)
    assert field(app.multiselect, "Topics").value == [2, 9, 4]


@pytest.mark.usefixtures("read")
def test_pairs_that_go_together_are_listed_with_their_own_correlation(monkeypatch):
    told, at = handed(monkeypatch, over_documents), moment()
    app = drawn(over_documents.together_view, explored(at))
    expected = np.corrcoef(SHARES.T.astype(float))
    square = told.figures["topics-together"].data[0]
    ids = [row[0] for row in square.customdata]
    for i, one in enumerate(ids):
        for j, other in enumerate(ids):
            if i != j:
                assert square.z[i][j] == pytest.approx(
                    expected[COLUMN[one], COLUMN[other]], abs=1e-5
                )
    often, seldom = (d.value for d in app.dataframe)
    assert often["correlation"].tolist() == sorted(often["correlation"], reverse=True)
    assert seldom["correlation"].tolist() == sorted(seldom["correlation"])
    for row in often.itertuples():
        one, other = (int(head.split(" · ")[0]) for head in (row.one, row.other))
        assert row.correlation == pytest.approx(expected[COLUMN[one], COLUMN[other]], abs=1e-5)
    assert "the 3 largest topics over 6 documents." in texts(app.caption)
    hidden = moment(Labels(hidden=frozenset({4, 2})))
    assert "It takes two topics to go together." in texts(
        drawn(over_documents.together_view, explored(hidden)).info
    )


def test_only_topics_that_hold_nearly_everything_go_together():
    at = moment()
    topics = replace(at.snapshot.topics, size=np.array([50.0, 2000.0, 1.0]))
    at = replace(at, snapshot=replace(at.snapshot, topics=topics))
    assert at.ordered() == [9, 4, 2]
    assert over_documents._largest(at) == [9, 4]


def test_the_table_over_time_has_every_share_and_both_its_ends():
    at = moment(Labels(hidden=frozenset({9})))
    found = prevalence(SHARES, at.corpus.docs.date, "month", LENGTHS)
    table = over_documents._prevalence_table(at, found)
    low, high = found.means.interval()
    assert len(table.columns) == 2 + 3 * 3, "hidden ones, too"
    for topic, k in COLUMN.items():
        head = at.head(topic)
        for name, values in (
            (head, found.share),
            (f"{head}, at least", low),
            (f"{head}, at most", high),
        ):
            np.testing.assert_array_equal(table[name], values[:, k])


@pytest.mark.parametrize("view", [topics_view, over_documents.dates_view, labels.labels_view])
def test_where_all_topics_are_hidden_the_views_say_so(view):
    hidden = moment(Labels(hidden=frozenset({4, 9, 2})))
    app = drawn(view, explored(hidden))
    assert texts(app.info) == "Every topic in use is hidden."
    assert [t.label for t in app.toggle][:1] == ["Show hidden topics"] * (view is topics_view)


# ---- the mix of labels over time -----------------------------------------------------------------


@pytest.mark.usefixtures("read")
@pytest.mark.parametrize("readable", [True, False])
def test_readers_are_told_where_the_mix_of_labels_swings(monkeypatch, readable):
    handed(monkeypatch, over_documents)
    found = Swing("a *b*", 0.93, 0.02, "in May 2020", "in July 2020")
    monkeypatch.setattr(over_documents, "swing", lambda *given: found)
    at = replace(explored(moment()), readable=readable)
    app = drawn(over_documents.dates_view, at)
    said = "“a \\*b\\*” has 93\u00a0% of the texts in May 2020 and 2\u00a0% in July 2020."
    assert (said in texts(app.warning)) == readable
    monkeypatch.setattr(over_documents, "swing", lambda *given: None)
    assert not texts(drawn(over_documents.dates_view, replace(at, moment=moment())).warning)
