"""Views of the Topics page: what they ask for at first, hand on, leave out and keep apart."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from bnpexplorer.explore.choosing import Filter
from bnpexplorer.explore.periods import Labelled, labelled
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.parts import explore
from bnpexplorer.ui.topics import about, changed, in_context, labels, over_documents
from tests.tools.alone import LABELS, SHARES, drawn, explored, handed, moment
from tests.tools.pages import field, texts
from tests.ui.test_topics_changed import CHANGES, TIMES, sentences

IDS = (9, 4, 2)
KNOWN = labelled(np.array(LABELS, object), 6)
DATED = {
    "word": lambda at: (in_context._trend, explored(at), "tide", 0),
    "label": lambda at: (
        labels._through_time, explored(at), KNOWN, SHARES, at.corpus.docs.date, 9, "words",
    ),
    "time": lambda at: (over_documents.dates_view, explored(at)),
    "changed": lambda at: (
        changed._found_by_itself, explored(at), SHARES, at.corpus.docs.date, "words", IDS,
    ),
}  # fmt: skip
"""The parts that cut dates in periods."""
ROOMS = (in_context, labels, over_documents, changed, about)


@pytest.fixture
def told(monkeypatch):
    for room in (labels, over_documents, changed):
        monkeypatch.setattr(room, "proportions", lambda shown: SHARES)
    monkeypatch.setattr(changed, "nothing_turned", lambda *_: None)
    return handed(monkeypatch, *ROOMS)


def dated(days):
    at = moment()
    docs = replace(at.corpus.docs, date=np.array(days, "datetime64[D]"))
    return replace(at, corpus=replace(at.corpus, docs=docs))


@pytest.mark.parametrize(
    ("days", "period"),
    [
        (["2001-01-01", "2001-01-03", "2001-01-09"] * 2, "day"),
        (["1801-01-01", "NaT", "1999-04-09"] * 2, "5 years"),
    ],
)
@pytest.mark.parametrize("part", DATED)
def test_periods_begin_as_long_as_suits_the_dates_and_too_many_are_not_drawn(
    told, monkeypatch, part, days, period
):
    """A document without a date is no reason to leave them out."""
    at = dated(days)
    app = drawn(*DATED[part](at))
    heads = ("Period", "From one period to the next")
    (asked,) = [one.value for one in app.selectbox if one.label in heads]
    assert asked == period
    assert not app.warning
    drawn_before = dict(told.figures)
    monkeypatch.setattr(explore, "MOST_PERIODS", 1)
    told.figures.clear()
    assert "periods are too many to show; choose longer ones." in texts(
        drawn(*DATED[part](at)).warning
    )
    assert not told.figures, drawn_before


@pytest.mark.parametrize(
    ("part", "key"), [("label", "topics_label_lines_run_a"), ("time", "topics_lines_run_a_5")]
)
def test_where_nothing_is_chosen_nothing_is_drawn(told, part, key):
    app = drawn(*DATED[part](moment()), **{key: []})
    what = {"label": "label", "time": "topic"}[part]
    assert f"Choose at least one {what}." in texts(app.caption)
    assert not told.figures


@pytest.mark.parametrize(
    "view",
    [labels.labels_view, over_documents.dates_view, over_documents.together_view,
     changed.groups_view],
)  # fmt: skip
def test_until_the_documents_are_read_a_view_says_how_far_they_are(told, monkeypatch, view):
    for room in (labels, over_documents, changed):
        monkeypatch.setattr(room, "proportions", lambda shown: None)
        monkeypatch.setattr(room, "reading", lambda shown, height: read.append((shown, height > 0)))
    read, found = [], explored(moment())
    drawn(view, found)
    assert read == [(found.shown, True)]
    assert not told.figures


def test_documents_of_one_text_are_one_unit_of_chance_in_every_view(monkeypatch):
    """Passages and repeated texts; the interval is of texts."""
    corpus = SimpleNamespace(units="its units", docs=SimpleNamespace(date=["a day"]))
    at = SimpleNamespace(corpus=corpus, row={9: 1}, mixture=False)
    asked = []
    for room, name in (
        (labels, "group_means"), (labels, "prevalence"), (over_documents, "prevalence"),
        (about, "prevalence"), (about, "group_means"), (changed, "turns"), (changed, "changes"),
    ):  # fmt: skip
        given = lambda *what, **more: asked.append([*what, *more.values()])  # noqa: E731
        monkeypatch.setattr(room, name, given)
    for room in (labels, over_documents, about, changed):
        monkeypatch.setattr(room, "weights_of", lambda at, counted: f"weights by {counted}")
    monkeypatch.setattr(about, "suitable_period", lambda dates: "year")
    known = SimpleNamespace(codes=np.array([0, 1]), names=("sea", "state"))
    dates = np.array(["2001-01-01", "NaT"], "datetime64[D]")
    sides = SimpleNamespace(before="before", after="after")
    labels._means("documents", at, "shares", known)
    labels._by_period(("year", "documents", 9, ("sea",)), at, "shares", known, dates)
    over_documents._prevalence("year", "documents", at, "shares")
    about._through_time("documents", at, "shares", dates)
    about._by_label("documents", 9, at, "shares", known)
    changed._turns(("year", "documents", (9,)), at, "shares", dates)
    changed._changes("documents", (9,), at, "shares", sides)
    assert len(asked) == 7
    wanted = ["shares", "weights by documents", "its units"]
    for given in asked:
        assert [what for what in given if isinstance(what, str) and what in wanted] == wanted


# ---- of one moment, one after the other ----------------------------------------------------------


def test_what_was_worked_out_for_one_question_does_not_answer_another(told):
    """All views of one moment keep what they work out."""
    at = moment()
    of_documents = np.array(LABELS) == "sea"
    for counted in ("words", "documents", "words"):
        drawn(labels.labels_view, explored(at), topics_counted=counted)
        weights = at.corpus.n_docs * [1] if counted == "documents" else [10, 6, 12, 12, 9, 4]
        mean = np.average(SHARES[of_documents, 1], weights=np.array(weights)[of_documents])
        assert told.figures["topics-labels"].data[0].z[1][0] == pytest.approx(mean, abs=1e-6)
        table = told.tables["topics-labels"].set_index(["label", "topic"])
        assert table.loc[("sea", at.head(9)), "share"] == pytest.approx(mean, abs=1e-6)
        drawn(about.by_label, explored(at), 9, SHARES, topics_counted=counted)
        assert told.figures["topics-about-label"].data[0].x[1] == pytest.approx(mean, abs=1e-6)
        for period, n in (("year", 3), ("month", 31)):
            key = {"topics_period_run_a": period, "topics_counted": counted}
            drawn(over_documents.dates_view, explored(at), **key)
            prevalent = told.tables["topics-prevalence"]
            assert len(prevalent) == n
        first = SHARES[[0, 4], 1] if period == "year" else SHARES[[0], 1]
        assert prevalent[at.head(9)].iloc[0] == pytest.approx(first.mean(), abs=1e-6)


def test_shares_by_period_are_those_of_what_counts_the_same(told, monkeypatch):
    at = moment()
    for counted, weights in (("words", [10, 9]), ("documents", [1, 1])):
        key = {"topics_period_run_a": "year", "topics_counted": counted}
        drawn(over_documents.dates_view, explored(at), **key)
        (first, *_) = told.tables["topics-prevalence"][at.head(2)]
        mean = np.average(SHARES[[0, 4], 2], weights=weights)
        assert first == pytest.approx(mean, abs=1e-6)
        monkeypatch.setattr(about, "suitable_period", lambda dates: "year")
        drawn(about.time_line, explored(at), 2, SHARES, topics_counted=counted)
        assert told.figures["topics-about-time"].data[1].y[0] == pytest.approx(mean, abs=1e-6)


# ---- many labels, many topics --------------------------------------------------------------------


def test_of_many_labels_the_figure_has_the_largest_and_the_table_all(told, monkeypatch):
    real = Labelled.folded
    monkeypatch.setattr(Labelled, "folded", lambda self, largest=1: real(self, largest))
    at = moment()
    app = drawn(labels.labels_view, explored(at))
    assert len(told.figures["topics-labels"].data[0].z) == 2
    table = told.tables["topics-labels"]
    assert table["label"].unique().tolist() == ["state", "sea", "garden"]
    garden = table[table["label"] == "garden"].set_index("topic")["share"]
    assert garden[at.head(2)] == pytest.approx(SHARES[5, 2])
    assert field(app.selectbox, "Label").options == ["state", "sea", "garden"]
    told.clicks["topics-labels"]([1, 9])
    assert told.led.pop() == (9, Filter(but=("state",)), "", None)


def test_where_every_share_is_small_the_topics_have_columns_all_the_same(told, monkeypatch):
    monkeypatch.setattr(labels, "LEAST", 2.0)
    drawn(labels.labels_view, explored(moment()))
    assert [i for _, i in told.figures["topics-labels"].data[0].customdata[0]] == [9, 4, 2]


def test_of_many_pairs_the_ends_are_listed_and_a_large_table_waits(told, monkeypatch):
    pairs = pd.DataFrame({"correlation": np.linspace(0.9, -0.9, 20)})
    monkeypatch.setattr(over_documents, "_pairs", lambda *_: pairs)
    often, seldom = (
        d.value for d in drawn(over_documents.together_view, explored(moment())).dataframe
    )
    assert often["correlation"].tolist() == pairs["correlation"].tolist()[:8]
    assert seldom["correlation"].tolist() == pairs["correlation"].tolist()[:14:-1]
    for most, waits in ((9, False), (8, True)):  # three years of three topics
        monkeypatch.setattr(over_documents, "AT_ONCE", most)
        drawn(over_documents.dates_view, explored(moment()), topics_period_run_a="year")
        assert told.asked["topics-prevalence"]["lazy"] == waits


def test_of_many_changes_some_are_drawn_and_quoted_and_all_are_in_the_table(told, monkeypatch):
    sure = replace(CHANGES, low=np.array([-0.5, 0.25, 0.01]))
    monkeypatch.setattr(changed, "_changes", lambda *given: sure)
    monkeypatch.setattr(changed, "changed_words_view", lambda *given: None)
    asked = explored(moment()), SHARES, TIMES, "words", IDS
    assert len(sentences(drawn(changed._between, *asked))) == 3
    monkeypatch.setattr(changed, "ROWS", 2)
    monkeypatch.setattr(changed, "SENTENCES", 1)
    app = drawn(changed._between, *asked)
    assert len(sentences(app)) == 2
    *_, dots = told.figures["topics-changes"].data
    assert list(dots.customdata) == [4, 9], "the surest"
    assert len(told.tables["topics-changes"]) == 3
    assert "3 of 3 topics changed surely" in texts(app.caption)


def test_texts_without_dates_are_compared_by_labels_alone(told, monkeypatch):
    asked = []
    monkeypatch.setattr(changed, "two_labels", lambda _: asked.append("labels"))
    monkeypatch.setattr(changed, "two_times", lambda *_: asked.append("times"))
    monkeypatch.setattr(changed, "_found_by_itself", lambda *_: asked.append("itself"))
    monkeypatch.setattr(changed, "labels_view", lambda _: asked.append("every"))
    for days, named, ways, first in (
        (["NaT"] * 6, ["a", "b"], ["every", "labels"], "every"),
        (["NaT"] * 5 + ["2001-01-01"], None, list(changed.WAYS), "itself"),
        (["NaT"] * 5 + ["2001-01-01"], ["a", "b"], list(changed.WAYS), "every"),
    ):
        monkeypatch.setattr(changed, "labels_of", lambda _, named=named: named)
        app = drawn(changed.groups_view, explored(dated(days)))
        (offered,) = [w.options for w in app.get("button_group") if w.key == "topics-changed"]
        assert offered == [changed.WAYS[way] for way in ways]
        assert asked.pop() == first
    drawn(changed.groups_view, explored(moment()), topics_changed="dates")
    drawn(changed.groups_view, explored(moment()), topics_changed="labels")
    assert asked == ["times", "labels"]
    every = moment(Labels(hidden=frozenset(IDS)))
    assert "Every topic in use is hidden." in texts(
        drawn(changed.groups_view, explored(every)).info
    )
