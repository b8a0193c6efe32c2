"""The details of one topic on the Topics page, each part alone: every number is the topic's own."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from bnpexplorer.explore.choosing import Filter
from bnpexplorer.explore.duplicates import Pair
from bnpexplorer.explore.likeness import FoundAgain
from bnpexplorer.explore.over_documents import prevalence
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.parts.likeness import Likeness, coherence_at, likeness_at, tree_at
from bnpexplorer.ui.topics import about
from bnpexplorer.ui.topics import map as view
from tests.tools.alone import (
    COUNTS,
    LABELS,
    SHARES,
    SIZES,
    TOPIC_WORD,
    drawn,
    explored,
    handed,
    moment,
)
from tests.tools.pages import button, check, choose, texts

NB = "\u00a0"
LENGTHS = COUNTS.sum(axis=1).astype(float)
COLUMN = {4: 0, 9: 1, 2: 2}


# ---- its documents -------------------------------------------------------------------------------


@pytest.fixture
def quoted(monkeypatch):
    """Passages that say whose they are."""
    monkeypatch.setattr(about, "passage_of", lambda *given: f"of {given[3]} in {given[4]}")


@pytest.mark.usefixtures("quoted")
def test_the_best_documents_of_a_topic_have_its_shares_and_passages():
    """Of one tab that looks at two topics; of four words one is too short to be among the best."""
    found = explored(moment())
    for topic, best in (
        (9, [("Third budget", 88, 2), ("Fourth court", 83, 3), ("Second port", 22, 1)]),
        (2, [("Fifth bed", 84, 4), ("Third budget", 8, 2), ("Second port", 7, 1)]),
    ):
        app = drawn(about._best, found, topic, SHARES)
        assert [m.value for m in app.markdown] == [
            f"**{title}** · {share}{NB}%  \nof {topic} in {row}" for title, share, row in best
        ]


def test_where_no_passage_is_found_the_text_stands_there(monkeypatch):
    monkeypatch.setattr(about, "passage_of", lambda *_: "")
    app = drawn(about._best, explored(moment()), 4, SHARES)
    tides = " ".join(["tide"] * 9 + ["ship"])
    assert app.markdown[0].value == f"**First sail** · 93{NB}%  \n{tides}"


@pytest.mark.usefixtures("quoted")
@pytest.mark.parametrize(("owned", "readable"), [(True, True), (False, True), (True, False)])
def test_readers_see_the_best_documents_and_the_owner_names_by_them(monkeypatch, owned, readable):
    monkeypatch.setattr(about.pages, "is_there", lambda name: name == "documents")
    went, said = [], []
    monkeypatch.setattr(about, "read_documents", lambda *where: went.append(where))
    monkeypatch.setattr(about, "relabel", lambda _, change: said.append(change(Labels())))
    found = explored(moment(), owned, readable)
    app = drawn(about.best_documents, found, 9, SHARES)
    if not readable:
        assert not app.markdown
        assert not app.button
        return
    assert len(app.markdown) == 3
    check(button(app, "Read its documents").click().run())
    assert went == [("run-a", 9)]
    names = [w for w in app.get("button_group") if w.key == "topics-title-run-a-9"]
    assert bool(names) == owned
    if owned:
        assert names[0].options == ["Third budget", "Fourth court", "Second port"]
        choose(app, "topics-title-run-a-9", "Fourth court")
        assert said == [Labels({9: "Fourth court"})]
        assert app.session_state["explored-topic"] == {"run-a": 9}


# ---- when, and with which label ------------------------------------------------------------------


@pytest.mark.parametrize("counted", ["words", "documents"])
def test_a_topic_has_its_own_line_and_its_own_share_of_every_label(monkeypatch, counted):
    """Of two topics, one after the other: nothing of the first is shown for the second."""
    told, at = handed(monkeypatch, about), moment()
    found, weights = explored(at), LENGTHS if counted == "words" else np.ones(6)
    of = "of the words" if counted == "words" else "of the average document"
    by_month = prevalence(SHARES, at.corpus.docs.date, "month", weights)
    low, high = by_month.means.interval()
    for topic, k in COLUMN.items():
        app = drawn(about.time_line, found, topic, SHARES, topics_counted=counted)
        assert texts(app.caption) == f"Share {of} by month"
        shade, line = told.figures["topics-about-time"].data
        np.testing.assert_array_equal(line.y, by_month.share[:, k])
        assert np.isfinite(line.y).sum() == 5
        ends = {
            x: sorted(y for d, y in zip(shade.x, shade.y, strict=True) if d == x) for x in line.x
        }
        for place in np.flatnonzero(by_month.n_docs):
            assert ends[line.x[place]] == [low[place, k], high[place, k]]

        drawn(about.by_label, found, topic, SHARES, topics_counted=counted)
        figure = told.figures["topics-about-label"]
        (dots,) = figure.data
        assert list(figure.layout.yaxis.ticktext) == ["state  (3)", "sea  (2)", "garden  (1)"]
        assert figure.layout.xaxis.title.text == f"share {of}"
        for x, label in zip(dots.x, ("state", "sea", "garden"), strict=True):
            rows = np.array(LABELS) == label
            assert x == pytest.approx(np.average(SHARES[rows, k], weights=weights[rows]), abs=1e-6)
    told.clicks["topics-about-label"](1)
    assert told.led == [(2, Filter(("sea",)), "", None)]


def test_of_many_labels_the_last_row_is_all_others(monkeypatch):
    told, at = handed(monkeypatch, about), moment()
    labels = np.array([*"abcdef", "g"][:6], object)
    at = replace(at, corpus=replace(at.corpus, docs=replace(at.corpus.docs, label=labels)))
    monkeypatch.setattr(about, "LABELS", 3)
    drawn(about.by_label, explored(at), 9, SHARES)
    assert len(told.figures["topics-about-label"].data[0].x) == 4
    told.clicks["topics-about-label"](3)
    assert told.led == [(9, Filter(but=("a", "b", "c")), "", None)]


def test_texts_without_dates_or_of_one_period_have_no_line(monkeypatch):
    told, at = handed(monkeypatch, about), moment()
    for dates in (["NaT"] * 6, ["2001-02-03"] * 6):
        docs = replace(at.corpus.docs, date=np.array(dates, "datetime64[D]"))
        drawn(
            about.time_line, explored(replace(at, corpus=replace(at.corpus, docs=docs))), 9, SHARES
        )
    assert told.figures == {}


# ---- its facts -----------------------------------------------------------------------------------


def distance(one, other):
    return jensenshannon(*(TOPIC_WORD[COLUMN[topic]].astype(float) for topic in (one, other)), 2)


def test_the_facts_of_a_topic_are_its_share_coherence_and_the_two_nearest():
    at = moment()
    for topic, near in ((9, (2, 4)), (4, (9, 2)), (2, (9, 4))):
        apart = [distance(topic, other) for other in near]
        assert apart[0] < apart[1]
        (said,) = drawn(view._facts, at, likeness_at(at), topic).markdown
        share = 100 * SIZES[COLUMN[topic]] / sum(SIZES)
        value = f"{coherence_at(at)[topic]:+.2f}".replace("-", "−")
        names = ", ".join(f"{at.name(o)} ({d:.2f})" for o, d in zip(near, apart, strict=True))
        assert said.value == (
            f"**{share:.1f}{NB}%** of words · coherence {value} · nearest {names}"
        )
    hidden = moment(Labels(hidden=frozenset({2})))
    (said,) = drawn(view._facts, hidden, likeness_at(hidden), 9).markdown
    assert said.value.endswith(f"nearest {hidden.name(4)} ({distance(9, 4):.2f})")
    alone = replace(likeness_at(at), ids=[9], distances=np.zeros((1, 1)))
    assert "nearest" not in drawn(view._facts, at, alone, 9).markdown[0].value


def test_hidden_topics_take_no_place_among_the_two_nearest(monkeypatch):
    monkeypatch.setattr(view, "worked_out", lambda *_: None)
    at = SimpleNamespace(
        unit="words",
        telling=lambda: [20, 50, 40],
        share=lambda topic: 0.25,
        name=lambda topic: f"name {topic}",
    )
    apart = np.array([[0.0, 0.1, 0.4, 0.2, 0.3]])
    like = Likeness([20, 30, 40, 60, 50], None, apart, [])
    (said,) = drawn(view._facts, at, like, 20).markdown
    assert said.value.endswith("nearest name 50 (0.30), name 40 (0.40)")


def test_topics_that_could_be_one_are_named_on_both_sides_with_their_own_numbers():
    at = moment()
    like = replace(likeness_at(at), pairs=[Pair(0, 2, 0.314, 6), Pair(1, 2, 0.429, 5)])
    assert like.ids == [9, 4, 2]
    said = {
        topic: [c.value for c in drawn(view._facts, at, like, topic).caption] for topic in like.ids
    }

    def line(topic, apart, shared):
        return (
            f"Its words do not tell it from {at.name(topic)}: distance {apart}, {shared} of ten "
            "words shared."
        )

    assert said == {
        9: [line(2, "0.31", 6)],
        4: [line(2, "0.43", 5)],
        2: [line(9, "0.31", 6), line(4, "0.43", 5)],
    }


def test_every_row_of_the_list_says_its_share_words_and_remarks():
    at = moment(Labels({4: "seas"}, frozenset({2}), frozenset({4})))
    like = replace(likeness_at(at), pairs=[Pair(0, 2, 0.3, 6)])
    found = view._table(at, like, [4, 9, 2], {9})
    assert found["identity"].tolist() == [4, 9, 2]
    assert found["topic"].tolist() == [
        f"{i} · {name}" for i, name in ((4, "seas"), (9, at.name(9)), (2, at.name(2)))
    ]
    assert found["share"].tolist() == pytest.approx([100 * s / 53 for s in (16, 25, 12)])
    assert found["words"].tolist() == [at.words_line(i, 8) for i in (4, 9, 2)]
    assert found["coherence"].tolist() == [coherence_at(at)[i] for i in (4, 9, 2)]
    assert found["remarks"].tolist() == [
        "pinned",
        f"filler, could be one with {at.name(2)}",
        f"hidden, could be one with {at.name(9)}",
    ]


@pytest.mark.parametrize(("model", "unit"), [("hdp", "words"), ("dpm", "documents")])
def test_the_list_says_whose_share_it_is_and_its_file_has_the_numbers(monkeypatch, model, unit):
    told, at = handed(monkeypatch, view), moment(Labels(hidden=frozenset({2})), model)
    app = drawn(view._list, explored(at), likeness_at(at), [4, 9], 9)
    assert texts(app.caption).endswith(
        "Select a row to see the topic's details; click a head to sort. Share is that of "
        f"{unit}. Two could be one if their words differ no more than those of one topic divided "
        "at random; tried are topics of 200 words and more."
    )
    assert [toggle.label for toggle in app.toggle] == ["Tick several", "Show hidden (1)"]
    table = told.tables["topics-list"]
    assert table["number"].tolist() == [4, 9]
    assert table["share in percent"].tolist() == pytest.approx([100 * s / 53 for s in (16, 25)])
    (shown,) = app.dataframe
    assert "identity" not in shown.value
    assert shown.value["topic"].tolist() == [f"■ {at.head(i)}" for i in (4, 9)]
    app = drawn(view._list, explored(at), likeness_at(at), [4, 9, 2], 9, topics_hidden=True)
    assert app.toggle[1].label == "Show hidden (1)"


# ---- the map and the tree ------------------------------------------------------------------------


def test_the_map_has_every_topic_at_its_own_place_and_says_what_it_leaves_off(monkeypatch):
    told = handed(monkeypatch, view)
    monkeypatch.setattr(view, "topic_symbol", lambda look: "circle")
    at = moment(Labels(hidden=frozenset({9})))
    like = likeness_at(at)
    places = dict(zip(like.ids, like.map.places, strict=True))
    app = drawn(view._map, at, like, [4, 2], 4)
    (dots,) = told.figures["topics-map"].data
    for topic, x, y in zip(dots.customdata, dots.x, dots.y, strict=True):
        assert (x, y) == tuple(places[topic])
    assert sorted(dots.customdata) == [2, 4]
    table = told.tables["topics-map"]
    assert table["topic"].tolist() == [4, 2]
    for row in table.itertuples():
        assert (row.x, row.y) == tuple(places[row.topic])
        assert row.share == pytest.approx(SIZES[COLUMN[row.topic]] / 53)
        assert (row.name, row.words) == (at.name(row.topic), at.words_line(row.topic, 8))
    (said,) = [c.value for c in app.caption]
    assert said.endswith("Drawn are topics that together hold 99 %, without those hidden.")
    went = []
    monkeypatch.setattr(view, "choose_topic", lambda *where: went.append(where))
    told.clicks["topics-map"](2)
    assert went == [("run-a", 2)]
    small = replace(like, ids=like.ids[:2], map=replace(like.map, shown=0.814))
    (said,) = [c.value for c in drawn(view._map, at, small, [9, 4, 2], 4).caption]
    assert f"shows 81{NB}% of" in said
    assert said.endswith("hold 99 %. 1 topic too small to compare is only in the list.")
    shapes = {4: "circle", 2: "square"}
    monkeypatch.setattr(view, "topic_symbol", lambda look: shapes.get(look, "circle"))
    monkeypatch.setattr(type(at), "look", lambda self, topic: topic)
    (said,) = [c.value for c in drawn(view._map, at, like, [4, 2], 4).caption]
    assert said.endswith("Shapes tell topics of one colour apart.")


def test_the_tree_counts_topics_and_groups_and_names_the_largest_group():
    at = moment()
    assert view._sentence(at, []) == "No two topics are so near; move the slider to the right."
    said = view._sentence(at, [(2, 4)])
    assert said == f"2 topics would become 1 group. The largest: {at.name(2)}; {at.name(4)}."
    said = view._sentence(at, [(4, 2), (9,)])
    assert said == f"3 topics would become 2 groups. The largest: {at.name(4)}; {at.name(2)}."
    table = view._tree_table(at, tree_at(at), [(9, 2)])
    group = dict(zip(table["topic"], table["group"], strict=True))
    assert group == {at.head(9): "1", at.head(2): "1", at.head(4): ""}
    share = dict(zip(table["topic"], table["share"], strict=True))
    assert share == {at.head(i): pytest.approx(SIZES[COLUMN[i]] / 53) for i in (9, 2, 4)}


def test_known_topics_stand_beside_their_partners_the_best_found_first():
    at = moment()
    known = np.array([[0.1, 0.2, 0.3, 0.35, 0.05], [0.5, 0.4, 0.1, 0, 0], [0, 0, 0, 0.2, 0.8]])
    found = FoundAgain(np.array([1, -1, 2]), np.array([0.62, np.nan, 0.2]))
    table = view.known_table(at, known, found)
    assert table["found again"].tolist() == ["yes", "no", "no"]
    assert table["distance"].tolist()[:2] == [0.2, 0.62]
    assert table["made the texts"].str.split(" · ").str[0].tolist() == ["rose", "law", "tide"]
    assert table["partner"].tolist() == [at.head(2), at.head(9), ""]
    assert table["its words"].tolist() == [at.words_line(2, 5), at.words_line(9, 5), ""]


def test_known_topics_are_counted_and_their_table_is_below(monkeypatch):
    at, said = moment(), handed(monkeypatch, view)
    known = np.array([TOPIC_WORD[1], TOPIC_WORD[0], [0.2, 0.2, 0.2, 0.2, 0.2]], float)
    page = texts(drawn(view.known_topics, at, known).markdown)
    assert page == "**Found again: 2 of the 3 topics that made these texts**"
    assert said.tables["known-topics"]["partner"].tolist()[:2] == [at.head(9), at.head(4)]
    assert not drawn(view.known_topics, at, None).markdown
    assert not drawn(view.known_topics, at, known[:, :4]).markdown, "of other words"


@pytest.mark.parametrize(("cut", "off", "label"), [(0.0, True, "Group these"), (1.5, False, "3")])
def test_the_tree_groups_what_lies_nearer_than_the_cut(monkeypatch, cut, off, label):
    handed(monkeypatch, view)
    done, at = [], moment()
    monkeypatch.setattr(view, "group", lambda _, groups: done.extend(groups))
    app = drawn(view.tree_view, explored(at))
    check(app.slider[0].set_value(cut).run())
    pressed = button(app, key="topics-group-tree")
    assert pressed.disabled is off
    assert label in pressed.label
    if not off:
        check(pressed.click().run())
        assert [sorted(topics) for topics in done] == [[2, 4, 9]]
    other = drawn(view.tree_view, explored(at, owned=False))
    assert not [b for b in other.button if b.key == "topics-group-tree"]


def test_topics_with_no_word_in_common_are_not_near():
    at = moment()
    like = likeness_at(at)
    far = like.distances.copy()
    k, j = like.ids.index(9), like.ids.index(4)
    far[k, j] = far[j, k] = 0.95
    apart = replace(like, distances=far)
    assert [topic for topic, _ in apart.nearest(9, at.telling())] == [2]
    assert [topic for topic, _ in apart.nearest(4, at.telling())] == [2]
    assert apart.nearest(9, [9, 4]) == []
