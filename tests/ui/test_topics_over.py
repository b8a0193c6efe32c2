"""Topics by label, over time, together and through the run: each part of the page alone."""

from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.explore.choosing import Filter
from bnpexplorer.explore.means import group_means
from bnpexplorer.explore.over_documents import prevalence
from bnpexplorer.explore.periods import labelled
from bnpexplorer.explore.through import life
from bnpexplorer.state.labels import Labels
from bnpexplorer.state.snapshot import Event, Frame
from bnpexplorer.ui.topics import labels, over_documents, through
from bnpexplorer.ui.topics.map import topics_view
from tests.tools.alone import COUNTS, LABELS, SHARES, drawn, explored, handed, moment
from tests.tools.pages import button, check, field, html, texts

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
    assert "as they stood at 40 documents seen" in said
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


# ---- through the run -----------------------------------------------------------------------------


def frame(docs, weights, first):
    """Shares by identity, and the heaviest words, of which the first is given."""
    ids = np.array([*weights])
    words = np.array([[(first + place + n) % 5 for n in range(3)] for place in range(len(ids))])
    probs = np.tile(np.array([0.5, 0.3, 0.2], np.float32), (len(ids), 1))
    return Frame(docs // 10, docs, ids, np.array([*weights.values()]), words, probs)


FRAMES = (
    frame(10, {4: 0.7, 7: 0.3}, 0),
    frame(20, {4: 0.5, 9: 0.5, 7: 0.0}, 1),
    frame(40, {4: 0.3, 9: 0.45, 2: 0.25}, 3),
)
EVENTS = (
    Event("birth", (), (4,), 1, 5),
    Event("birth", (), (7,), 1, 10),
    Event("birth", (), (9,), 2, 11),
    Event("prune", (7,), (), 2, 20),
    Event("birth", (), (2,), 4, 21),
)


def at_rest(said=None):
    return moment(said, frames=FRAMES, events=EVENTS)


@pytest.mark.parametrize("readable", [True, False])
def test_why_a_topic_was_born_is_told_with_texts_to_readers_alone(readable):
    found = explored(at_rest(), readable=readable)
    asked = through._subject(found)
    assert (asked.label, asked.moment) == ("a run", found.moment)
    assert asked.run is found.shown.entry.background.run
    assert asked.texts is (found.loaded if readable else None)


@pytest.mark.parametrize(
    ("place", "docs", "since", "news"),
    [(0, 10, 0, "{4}, {7} born"), (1, 20, 10, "{9} born; {7} gone"), (2, 40, 20, "{2} born")],
)
def test_a_moment_says_who_came_and_went_since_the_one_before(place, docs, since, news):
    at = at_rest()
    app = drawn(through._who_is_there, at, FRAMES, place)
    assert f"## After {docs} documents" in texts(app.markdown)
    names = news
    for topic in (4, 7, 9, 2):
        names = names.replace(f"{{{topic}}}", at.name(topic))
    said = " ".join(html(app).split())
    assert f"the moment before, {since} documents. Since then: {names}.<" in said


def test_nobody_came_or_went_and_of_many_the_first_are_named():
    at = replace(at_rest(), snapshot=replace(at_rest().snapshot, events=EVENTS[:1]))
    assert "nobody came or went" in html(drawn(through._who_is_there, at, FRAMES, 2))
    assert through._some([*"abcdef"]) == "a, b, c, d, e, f"
    assert through._some([*"abcdefgh"]) == "a, b, c, d, e, f and 2 more"


def test_rows_of_a_moment_have_their_share_and_width_and_the_largest_comes_first():
    at = at_rest()
    table = str(through.moment_table(at, FRAMES[2], FRAMES[1], False))
    places = [table.index(f'<td class="id">{topic}</td>') for topic in (9, 4, 2)]
    assert places == sorted(places)
    rows = table.split("<tr")[-3:]
    for row, share, width in zip(
        rows, ("45.0", "30.0", "25.0"), ("4.20", "2.80", "2.33"), strict=True
    ):
        assert share in row
        assert f"width:{width}rem" in row
    assert [row.count("bnp-tag") for row in rows] == [0, 0, 1], "new since the moment before"
    assert '<td class="id">7</td>' not in through.moment_table(at, FRAMES[1], None, False), "empty"


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


def test_hidden_topics_are_counted_and_have_no_row_and_are_not_gone(monkeypatch):
    handed(monkeypatch, through)
    at = at_rest(Labels(hidden=frozenset({2})))
    said = html(drawn(through._who_is_there, at, FRAMES, 2))
    assert [f'<td class="id">{topic}</td>' in said for topic in (9, 4, 2)] == [True, True, False]
    assert "The 2 largest of 3, 1 hidden. " in " ".join(said.split())
    options = field(drawn(through._words_over_time, at, FRAMES).selectbox, "Topic").options
    assert options == [at.head(9), at.head(4), f"{at.head(7)} (gone)"]


def test_the_river_counts_births_and_ends_and_its_table_has_every_share(monkeypatch):
    told, at = handed(monkeypatch, through), at_rest()
    app = drawn(through._river, at, FRAMES, 1, "mine")
    said = texts(app.caption)
    assert said.startswith("The 4 topics that were largest at some time")
    assert "4 births and 1 end in all" in said
    table = told.tables["topics-river"]
    assert table["documents"].tolist() == [10, 10, 20, 20, 20, 40, 40, 40]
    assert table["topic"].tolist() == [4, 7, 4, 9, 7, 4, 9, 2]
    assert table["share"].tolist() == [0.7, 0.3, 0.5, 0.5, 0.0, 0.3, 0.45, 0.25]
    assert table["name"].tolist() == [at.name(topic) for topic in table["topic"]]
    figure = told.figures["topics-river"]
    assert figure.layout.shapes[0].x0 == 20, "the moment of the slider"
    assert {
        label for t in figure.data if t.customdata is not None for label, _ in t.customdata
    } == {"mine"}


def test_words_over_time_are_those_of_the_chosen_topic_also_of_one_that_is_gone(monkeypatch):
    told, at = handed(monkeypatch, through), at_rest()
    app = drawn(through._words_over_time, at, FRAMES, explored_topic={"run-a": 2})
    topic = field(app.selectbox, "Topic")
    assert topic.options == [at.head(9), at.head(4), at.head(2), f"{at.head(7)} (gone)"]
    for chosen, docs in ((2, [40]), (7, [10]), (4, [10, 20, 40])):
        check(field(app.selectbox, "Topic").set_value(chosen).run())
        table = told.tables["topics-moments"]
        assert table["documents"].unique().tolist() == docs
        assert table["rank"].tolist() == [1, 2, 3] * len(docs)
        past = life(FRAMES, chosen)
        assert table["word"].tolist() == [at.vocab[w] for p in past for w in p.words]
        assert table["probability"].tolist() == pytest.approx([0.5, 0.3, 0.2] * len(docs))
        assert [f"{100 * p.share:.1f}" in html(app) for p in past] == [True] * len(docs)


@pytest.mark.parametrize("view", [topics_view, over_documents.dates_view, labels.labels_view])
def test_where_all_topics_are_hidden_the_views_say_so(view):
    hidden = moment(Labels(hidden=frozenset({4, 9, 2})))
    app = drawn(view, explored(hidden))
    assert texts(app.info) == "Every topic in use is hidden."
    assert [t.label for t in app.toggle][:1] == ["Show hidden topics"] * (view is topics_view)
