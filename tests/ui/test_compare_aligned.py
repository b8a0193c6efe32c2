"""Topics aligned, each part alone: whose topic stands where, and what is counted as what."""

from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.compare import Compared, ScoreGround
from bnpexplorer.compare.alignment import Alignment, Group, Side
from bnpexplorer.core.display import plain
from bnpexplorer.state.labels import Labels
from bnpexplorer.state.snapshot import Frame
from bnpexplorer.ui.compare import aligned
from tests.tools.alone import asked, drawn, handed, moment
from tests.tools.pages import check, field, texts

DISTANCES = np.arange(20).reshape(4, 5) / 20
FOUND = Alignment(
    DISTANCES,
    np.zeros((0, 2), int),
    ((2, 1),),
    (Group(0, (0, 3), 0.31, 0.1),),
    (Group(2, (1,), 0.42, 0.05),),
    (3,),
    (4,),
)
FIRST = aligned.Named(Side(np.arange(4) + 10, np.eye(4), np.ones(4)), "one *run*", tuple("abcd"))
SECOND = aligned.Named(Side(np.arange(5) + 20, np.eye(5), np.ones(5)), "other", tuple("vwxyz"))


def test_every_relation_has_a_row_with_its_topics_and_its_distance():
    table = aligned.table(FOUND, FIRST, SECOND)
    assert list(table.columns) == ["relation", "first: one *run*", "second: other", "distance"]
    rows = table.values.tolist()
    assert rows[:3] == [
        ["split", "a", "v + y", 0.31],
        ["merged", "b", "x", 0.42],
        ["matched", "c", "w", DISTANCES[2, 1]],
    ]
    assert [row[:3] for row in rows[3:]] == [
        ["only in the first", "d", ""],
        ["only in the second", "", "z"],
    ]
    assert np.isnan(table["distance"].tolist()[3:]).all()


def test_marks_stand_where_the_topics_stand_and_the_sentence_counts_them(monkeypatch):
    told = handed(monkeypatch, aligned)
    app = drawn(aligned._show, FOUND, FIRST, SECOND)
    assert texts(app.markdown).startswith(
        "**1 matched**, **1 split**, **1 merged**; 1 only in one \\*run\\*, 1 only in other."
    )
    figure = told.figures["alignment"]
    rows, columns = figure.layout.yaxis.ticktext, figure.layout.xaxis.ticktext
    marks = {
        trace.name: {(rows[y], columns[x]) for x, y in zip(trace.x, trace.y, strict=True)}
        for trace in figure.data[1:]
    }
    assert marks == {
        "matched": {("c", "w")},
        "split": {("a", "v"), ("a", "y")},
        "merged": {("b", "x")},
    }
    for y, row in enumerate(rows):
        for x, column in enumerate(columns):
            far = DISTANCES["abcd".index(row), "vwxyz".index(column)]
            assert figure.data[0].z[y][x] == pytest.approx(far)
    assert (figure.layout.yaxis.title.text, figure.layout.xaxis.title.text) == (
        "one *run*",
        "other",
    )
    table = told.tables["alignment"].set_index("one *run* by other")
    assert table.loc["d", "z"] == DISTANCES[3, 4]
    assert table.loc["a", "y"] == DISTANCES[0, 3]


def test_what_is_alone_is_counted_on_its_own_side(monkeypatch):
    handed(monkeypatch, aligned)
    uneven = replace(FOUND, splits=(), only_first=(0, 3), only_second=(0, 3, 4))
    said = texts(drawn(aligned._show, uneven, FIRST, SECOND).markdown)
    assert said.startswith(
        "**1 matched**, **0 split**, **1 merged**; 2 only in one \\*run\\*, 3 only in other."
    )


# ---- two sides -----------------------------------------------------------------------------------


GROUND = ScoreGround("x", 6, 0, "t", "s", "")


def row_of(name, at=None, run_id="run-a"):
    at = replace(at or moment(), run_id=run_id)
    return Compared(at, name, "hdp-tsvi", "finished", GROUND, {}, 0.1)


def frame(docs, weights, words):
    ids = np.array([*weights])
    probs = np.tile(np.array([0.6, 0.4], np.float32), (len(ids), 1))
    return Frame(docs, docs, ids, np.array([*weights.values()]), np.array(words), probs)


def test_names_of_a_side_add_only_words_that_the_name_lacks():
    at = moment(Labels({9: "law and order"}))
    found = aligned._of_run(row_of("mine", at))
    assert found.title == "mine"
    assert found.side.topic_ids.tolist() == [9, 4, 2]
    assert found.names[0] == "9 · law and order (tax ship)", "two words stand in the name"
    for topic, said in zip((9, 4, 2), found.names, strict=True):
        words = said.replace("(", "").replace(")", "").split()
        assert said.startswith(at.head(topic))
        assert {*at.top_words(topic, 5)} <= {*words}
        assert len({*words}) == len(words)


def test_two_runs_are_the_ones_that_are_chosen_and_one_alone_is_no_pair():
    rows = [row_of(name, run_id=name) for name in ("a", "*b*", "c")]
    app, found = asked(aligned._two_runs, rows)
    _, first, second, key = found.pop()
    assert (first.title, second.title, key) == ("a", "*b*", ("*b*", 5))
    check(field(app.selectbox, "Second run").set_value(2).run())
    at, first, second, key = found.pop()
    assert (at.run_id, first.title, second.title, key) == ("a", "a", "c", ("c", 5))
    check(field(app.selectbox, "First run").set_value(1).run())
    assert found.pop()[1].title == "*b*"
    check(field(app.selectbox, "First run").set_value(2).run())
    assert found.pop() is None
    assert "Choose two different runs" in texts(app.info)


def test_runs_over_different_words_are_named():
    other = moment()
    other = replace(other, corpus=replace(other.corpus, vocab=tuple("abcde")))
    app, found = asked(aligned._two_runs, [row_of("one", run_id="a"), row_of("*two*", other, "b")])
    assert found == [None]
    assert texts(app.error).startswith(
        f"one and {plain('*two*')} learned texts with different words"
    )


def test_two_moments_of_the_chosen_run_are_the_early_and_the_late_one():
    frames = (
        frame(10, {4: 1.0}, [[0, 1]]),
        frame(20, {4: 0.3, 9: 0.7}, [[0, 1], [2, 3]]),
        frame(30, {9: 0.6, 2: 0.4}, [[3, 2], [4, 0]]),
        frame(40, {9: 0.2, 2: 0.5, 4: 0.3}, [[3, 2], [4, 1], [1, 0]]),
    )
    at = moment(frames=frames)
    rows = [row_of("none", moment()), row_of("mine", at, "b")]
    app, found = asked(aligned._two_moments, rows)
    assert found.pop() is None
    assert "This run has one moment only so far" in texts(app.info)
    check(app.selectbox[0].set_value(1).run())
    kept, first, second, key = found.pop()
    assert kept is rows[1].moment
    assert key == (20, 40)
    assert first.title == "mine at 20 documents"
    assert second.title == "mine at 40 documents"
    assert first.side.topic_ids.tolist() == [9, 4], "the largest first"
    assert second.side.topic_ids.tolist() == [2, 4, 9]
    for side, at_words in ((first, {9: (2, 3), 4: (0, 1)}), (second, {2: (4, 1), 4: (1, 0)})):
        for place, topic in enumerate(side.side.topic_ids.tolist()):
            if topic in at_words:
                said = {*side.names[place].replace("(", "").replace(")", "").split()}
                assert {at.vocab[w] for w in at_words[topic]} <= said
    check(app.select_slider[0].set_value((30, 30)).run())
    assert found.pop() is None
    assert "Choose two different moments." in texts(app.info)


@pytest.mark.parametrize(
    ("rows", "ways", "said"),
    [
        ([], [], "No topics to align yet"),
        ([row_of("a")], ["Two moments of one run"], ""),
        ([row_of("a"), row_of("b")], ["Two runs", "Two moments of one run"], ""),
    ],
)
def test_two_runs_are_offered_where_there_are_two(monkeypatch, rows, ways, said):
    monkeypatch.setattr(aligned, "choose_runs", lambda: [])
    monkeypatch.setattr(aligned, "read_runs", lambda ids: rows)
    monkeypatch.setattr(aligned, "nothing_yet", lambda words: aligned.st.info(words))
    for name in ("_two_runs", "_two_moments"):
        monkeypatch.setattr(aligned, name, lambda chosen: None)
    app = drawn(aligned.aligned_view)
    assert [w.options for w in app.get("button_group")] == ([ways] if ways else [])
    assert texts(app.info).startswith(said)


def test_the_limit_of_a_match_is_the_slider_s(monkeypatch):
    noted, at = [], moment()
    monkeypatch.setattr(aligned, "choose_runs", lambda: [])
    monkeypatch.setattr(aligned, "read_runs", lambda ids: [row_of("a"), row_of("b")])
    monkeypatch.setattr(aligned, "_two_runs", lambda chosen: (at, FIRST, SECOND, "key"))
    monkeypatch.setattr(aligned, "align", lambda *what: noted.append(what) or FOUND)
    monkeypatch.setattr(aligned, "_show", lambda *what: noted.append(what))
    app = drawn(aligned.aligned_view)
    assert noted == [(FIRST.side, SECOND.side, aligned.NEAR), (FOUND, FIRST, SECOND)]
    check(app.slider[0].set_value(0.35).run())
    assert noted[2] == (FIRST.side, SECOND.side, 0.35)
