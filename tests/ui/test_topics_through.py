"""The view of a run's past on the Topics page, each part alone: its moments, river and words."""

from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.explore.through import life
from bnpexplorer.state.labels import Labels
from bnpexplorer.state.snapshot import Event, Frame
from bnpexplorer.ui.topics import through
from tests.tools.alone import drawn, explored, handed, moment
from tests.tools.pages import check, field, html, texts


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


def test_the_moment_of_the_slider_is_the_one_that_is_drawn(monkeypatch):
    asked, at = [], at_rest()
    for name in ("_river", "_who_is_there", "_words_over_time"):
        monkeypatch.setattr(through, name, lambda *what, name=name: asked.append((name, *what[2:])))
    monkeypatch.setattr(through.why, "why_born", lambda name, subjects: asked.append(subjects))
    app = drawn(through.run_view.__wrapped__, explored(at), topics_moment_run_a_5=1)
    assert [what for what in asked if isinstance(what, tuple)] == [
        ("_river", 1, "a run"), ("_who_is_there", 1), ("_words_over_time",),
    ]  # fmt: skip
    ((subject,),) = [what for what in asked if isinstance(what, list)]
    assert (subject.label, subject.moment) == ("a run", at)
    assert app.select_slider[0].options == ["10", "20", "40"]
    for n, said in ((1, True), (2, False)):
        few = replace(at, snapshot=replace(at.snapshot, frames=FRAMES[:n]))
        app = drawn(through.run_view.__wrapped__, explored(few))
        assert ("The run has one moment so far" in texts(app.info)) == said


def test_hidden_topics_have_no_band_and_what_was_there_before_the_first_moment_is_born_then(
    monkeypatch,
):
    handed(monkeypatch, through)
    at = at_rest(Labels(hidden=frozenset({9})))
    app = drawn(through._river, at, FRAMES, 1, "mine")
    assert texts(app.caption).startswith("The 3 topics that were largest at some time")
    early = (Event("birth", (), (4,), 0, 0), *EVENTS[1:])
    begun = replace(at, snapshot=replace(at.snapshot, events=early))
    said = " ".join(html(drawn(through._who_is_there, begun, FRAMES, 0)).split())
    assert f"Since then: {at.name(4)}, {at.name(7)} born.<" in said


def test_words_are_new_against_those_that_stood_in_the_table_before():
    """Of the moment before only the words that a table shows; none of a topic that was empty."""
    at = at_rest()
    words = np.array([[0, 1, 2]])
    probs = np.array([[0.5, 0.3, 0.2]], np.float32)
    one = Frame(1, 10, np.array([4]), np.array([0.5]), words, probs)
    other = Frame(2, 20, np.array([4]), np.array([0.5]), words[:, ::-1], probs)
    assert "<em>" not in str(through.moment_table(at, other, one, False))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(through, "N_WORDS", 1)
        marked = str(through.moment_table(at, other, one, False))
        assert marked.count("<em>") == 2, "the table had one"


def test_words_over_time_begin_at_the_chosen_topic_and_are_ten_of_six_moments(monkeypatch):
    asked, at = [], at_rest()
    monkeypatch.setattr(through, "life", lambda *what: asked.append(what[1:]) or [])
    for chosen in (2, 4):
        app = drawn(through._words_over_time, at, FRAMES, explored_topic={"run-a": chosen})
        assert asked.pop() == (chosen, 6, 10)
    assert "This topic never held a word at any of the moments" in texts(app.caption)
