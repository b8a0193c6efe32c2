"""Small pieces of pages by direct call: lines, tables of topics, what stands below a figure."""

import re
from dataclasses import replace
from types import SimpleNamespace
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pytest
import streamlit as st

from bnpexplorer.corpus import Corpus
from bnpexplorer.explore.why import WeighedChoices
from bnpexplorer.plots.style import topic_colour
from bnpexplorer.state.snapshot import Frame
from bnpexplorer.ui.frame import present
from bnpexplorer.ui.frame.words import status_words
from bnpexplorer.ui.parts import (
    explore,
    figure,
    html,
    in_background,
    marked,
    presenting,
    topics_choice,
)
from tests.tools.moments import WORDS, made


def frame(docs, weights, words=None):
    """A picture after so many documents: {topic: its share}, and {topic: its words}."""
    ids = np.array([*weights], np.int64)
    rows = np.array([(words or {}).get(topic, (0, 1, 2)) for topic in weights])
    probs = np.full(rows.shape, 0.3, np.float32)
    return Frame(docs // 10, docs, ids, np.array([*weights.values()]), rows, probs)


# ---- the line of a run ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "about", "hint"),
    [
        ("nothing", "sampling", "my run from nothing: sampling"),
        ("nothing", "", "my run from nothing"),
        ("", "sampling", "my run: sampling"),
        ("", "", "my run"),
    ],
)
def test_the_hint_of_a_status_line_has_its_start_and_its_method(start, about, hint):
    facts = ("20 documents", "3 topics")
    line = html.StatusLine("my run", "#123456", 8, "learning", 0.456, facts, start, about)
    drawn = html.status_line(line)
    assert f'class="bnp-name" title="{hint}"' in drawn
    assert "46 %" in drawn
    assert 'aria-valuenow="46"' in drawn
    assert "width:46%;background:#123456" in drawn
    assert "border-top-style:dotted" in drawn, "the ninth line is drawn as the third"
    assert 'title="20 documents · 3 topics"' in drawn
    assert (">from nothing<" in drawn) == bool(start)


@pytest.mark.parametrize(
    ("status", "asked", "why", "place", "words"),
    [
        ("running", "pause", "", 0, "pausing"),
        ("running", "stop", "", 0, "stopping"),
        ("paused", "", "at 14:15", 0, "paused at 14:15"),
        ("paused", "", "", 0, "paused"),
        ("running", "", "at 14:15", 3, "learning"),
        ("queued", "", "", 3, "waiting in line, number 3"),
        ("compiling", "", "", 0, "compiling kernels, first time only"),
        ("starting", "", "", 0, "finding a start"),
    ],
)
def test_a_status_says_what_was_asked_for_why_it_rests_and_its_place(
    status, asked, why, place, words
):
    run = SimpleNamespace(status=status, asked_for=asked, why_paused=why, place_in_queue=place)
    assert status_words(run) == words


# ---- topics in a table ---------------------------------------------------------------------------

FRAMES = (
    frame(10, {4: 0.5}),
    frame(15, {4: 0.4, 7: 0.1}, {4: (2, 1, 0)}),
    frame(20, {4: 0.3, 7: 0.2, 9: 0.5}),
)


def test_a_share_over_time_is_nothing_before_its_birth():
    assert html.shares_over_time(FRAMES, 7).tolist() == [0.0, 0.1, 0.2]
    assert html.shares_over_time(FRAMES, 4).tolist() == [0.5, 0.4, 0.3]
    assert html.shares_over_time((), 4).tolist() == []
    many = [frame(10 * i, {4: i / 1000}) for i in range(100)]
    found = html.shares_over_time(many, 4, 10)
    assert len(found) == 10
    assert (found[0], found[-1]) == (0.0, 0.099)


def test_words_of_before_are_those_of_the_last_moment_up_to_then():
    found = [html.words_before(FRAMES, 4, docs, 1) for docs in (9, 10, 14, 15, 19, 20)]
    assert found == [None, {0}, {0}, {2}, {2}, {0}]
    assert html.words_before(FRAMES, 4, 15, 2) == {2, 1}
    assert html.words_before(FRAMES, 7, 14, 2) is None, "it was not born"


def test_a_sparkline_fills_its_height_by_its_largest_value():
    drawn = unquote(html.sparkline(np.array([0.0, 0.2, 0.1]), "#abcdef"))
    points = re.search(r'points="(.*?)"', drawn)[1].split()
    assert points == ["1.0,16.0", "40.0,2.0", "79.0,9.0"]
    assert 'stroke="#abcdef"' in drawn
    assert html.sparkline(np.array([0.3]), "#abcdef") == ""
    assert "79.0,16.0" in unquote(html.sparkline(np.zeros(2), "#abcdef")), "nothing is at the foot"


def rows_of(table):
    return re.findall(r"<tr>(.*?)</tr>", table)[1:]


def test_a_table_of_topics_has_shares_bars_and_new_words():
    moment = made({4: 60.0, 7: 30.0, 9: 10.0}, {4: "<tides>", 7: "ships"})
    moment = replace(moment, snapshot=replace(moment.snapshot, frames=FRAMES))
    assert moment.snapshot.docs_seen == 20
    assert html.new_since(moment) == 15
    rows = rows_of(html.topic_table(moment, [7, 4, 9], False))
    assert [re.search(r'class="id">(\d+)', row)[1] for row in rows] == ["7", "4", "9"]
    assert [re.search(r"<span>([\d.]+)&nbsp;%", row)[1] for row in rows] == ["30.0", "60.0", "10.0"]
    assert [re.search(r"width:([\d.]+)rem", row)[1] for row in rows] == ["2.60", "5.20", "0.87"]
    assert "<b>&lt;tides&gt;</b>" in rows[1]
    assert [">new<" in row for row in rows] == [False, False, True]
    for topic, row in zip((7, 4, 9), rows, strict=True):
        assert topic_colour(moment.look(topic), False) in unquote(row)
    assert not any("<em>" in row for row in rows), "every topic shows the same three words"
    assert "bnp-lead" not in "".join(rows)
    leads = rows_of(html.topic_table(moment, [4], False, leads=True))[0]
    assert 'class="bnp-lead" data-run="made" data-topic="4"><b>&lt;tides&gt;</b>' in leads


def test_words_are_marked_where_they_were_not_before():
    moment = made({4: 60.0})
    assert html.marked_words(moment, [2, 0], {0, 1}) == [(WORDS[2], True), (WORDS[0], False)]
    assert html.marked_words(moment, [2, 0], None) == [(WORDS[2], False), (WORDS[0], False)]


def test_before_any_moment_was_kept_nothing_is_new():
    moment = made({4: 60.0})
    moment = replace(moment, snapshot=replace(moment.snapshot, docs_seen=1, frames=()))
    assert "new</span>" not in html.topic_table(moment, [4], False)


def test_each_choice_has_its_own_numbers_by_both_updates():
    found = WeighedChoices(
        (4, -2), np.log([0.25, 0.5]), np.log([0.5, 0.125]), np.log([0.2, 0.0125])
    )
    choices = [html.RowChoice("old", "a · b", "red"), html.RowChoice("new", "", "blue", True)]
    heads = re.findall(r'<th scope="col">(.*?)</th>', html.table(choices, found))
    assert heads == ["choice", *html.HEADS]
    old, new = re.findall(r"<tr.*?</tr>", html.table(choices, found))[1:]
    cells = [re.findall(r"(?<=>)[^<>]+(?=</td>)", row) for row in (old, new)]
    share = [f"{x}\u00a0%" for x in ("66.7", "88.9", "33.3", "11.1")]
    assert cells == [["0.25", "0.5", "0.2", *share[:2]], ["0.5", "0.125", "0.0125", *share[2:]]]
    assert "background:red" in old
    assert "<small>a · b</small>" in old
    assert "← taken" in new
    assert "← taken" not in old


# ---- below a figure ------------------------------------------------------------------------------


class Popover:
    def __init__(self, is_open):
        self.open = is_open

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


@pytest.fixture
def below(monkeypatch):
    """Draws `read_as_table`; what it shows, its file and what it says of both."""

    def draw(*given, is_open=True, **more):
        found = {"captions": []}
        monkeypatch.setattr(st, "popover", lambda *_, **__: Popover(is_open))
        monkeypatch.setattr(st, "caption", found["captions"].append)
        monkeypatch.setattr(st, "dataframe", lambda part, **_: found.update(part=part))

        def button(_, data, file_name, **__):
            found.update(file=data() if callable(data) else data, name=file_name)

        monkeypatch.setattr(st, "download_button", button)
        monkeypatch.setattr(st, "session_state", state)
        figure.read_as_table(*given, **more)
        return found

    state = {}

    return draw


def numbers(n):
    return pd.DataFrame({"n": np.arange(n)})


@pytest.mark.parametrize(
    ("n", "last", "shown", "said"),
    [
        (500, False, (0, 499), []),
        (501, False, (0, 499), ["The first 500 of 501 rows; the file has all. "]),
        (1203, True, (703, 1202), ["The last 500 of 1,203 rows; the file has all. "]),
        (3, True, (0, 2), []),
    ],
)
def test_of_a_long_table_a_part_is_shown_and_the_file_has_all(below, n, last, shown, said):
    found = below("it", lambda: numbers(n), last)
    assert (found["part"]["n"].iloc[0], found["part"]["n"].iloc[-1]) == shown
    assert found["captions"] == said
    assert found["file"].decode().split() == ["n", *map(str, range(n))]
    assert found["name"] == "bnpexplorer-it.csv"


def test_a_note_follows_and_a_table_of_all_documents_is_made_for_what_is_shown(below):
    asked = []
    rows = (70_000, lambda n: asked.append(n) or numbers(n))
    found = below("it", lambda: numbers(2), note="In points.", rows=rows)
    assert asked == [500]
    assert found["captions"] == ["The first 500 of 70,000 rows; the file has all. In points."]
    assert found["file"] == b"n\n0\n1\n"
    assert below("it", lambda: numbers(2), note="In points.")["captions"] == ["In points."]


def test_a_lazy_table_is_made_when_it_is_opened(below):
    made_now = []

    def make():
        made_now.append(1)
        return numbers(2)

    assert "part" not in below("it", make, lazy=True, is_open=False)
    assert made_now == []
    assert below("it", make, lazy=True)["file"] == b"n\n0\n1\n"
    assert made_now == [1], "the file is made of the same"


def test_the_last_rows_of_what_goes_on_stay_as_they_were_opened(below):
    """So the file that is offered stays, too."""
    first = below("it", lambda: numbers(2), last=True)
    later = below("it", lambda: numbers(9), last=True)
    assert later["file"] == first["file"] == b"n\n0\n1\n"
    assert (first["captions"], later["captions"]) == ([], ["As it stood when it was opened. "])
    assert "file" not in below("it", lambda: numbers(9), last=True, is_open=False)
    again = below("it", lambda: numbers(9), last=True)
    assert (len(again["part"]), again["captions"]) == (9, [])


def test_of_few_documents_all_is_worked_out_as_the_page_is_drawn(monkeypatch):
    """Also of just as many as that; of more a second place on the page begins nothing."""
    monkeypatch.setattr(in_background, "MANY", 3)
    few, many = (Corpus.from_csr(np.ones((n, 2), int), ("a", "b")) for n in (3, 4))
    done = []
    for find in (in_background.at_hand, lambda *what: in_background.worked_out(*what, "it")):
        assert find(few, ("kind", 1), lambda: done.append(1) or "found") == "found"
    assert done == [1], "kept"
    assert in_background.at_hand(few, ("kind", 2), lambda: "other") == "other"
    assert in_background.at_hand(many, ("kind", 1), lambda: done.append(1)) is None
    assert done == [1]


# ---- choices, hits and screens -------------------------------------------------------------------


def test_a_topic_in_a_list_has_its_name_its_share_and_its_words():
    moment = made({4: 60.0, 7: 20.0}, {7: "ships"})
    for topic, share in ((4, "75.0"), (7, "25.0")):
        words = " · ".join(moment.top_words(topic, 12))
        line = f"{moment.head(topic)} ({share}\u00a0%): {words}"
        assert topics_choice.with_words(moment, topic) == line
    assert topics_choice.top_words(moment, 7, 2) == "a · b<"


@pytest.mark.parametrize(("n", "said"), [(2999, []), (3000, []), (3001, ["3,001 periods"])])
def test_as_many_periods_as_a_figure_has_room_for(monkeypatch, n, said):
    warned = []
    monkeypatch.setattr(explore, "count", lambda dates, period: n)
    monkeypatch.setattr(st, "warning", warned.append)
    assert explore.few_enough(None, "day") == (not said)
    rest = " are too many to show; choose longer ones."
    assert warned == [f"{words}{rest}" for words in said]


@pytest.mark.parametrize(("n_rows", "pixels"), [(0, 494), (1, 464), (4, 374), (8, 254), (9, 240)])
def test_a_presented_figure_has_the_height_that_the_rows_leave(n_rows, pixels):
    assert presenting.height_of(n_rows) == pixels


def test_a_number_beyond_the_views_presents_the_last_one(monkeypatch):
    drawn = []
    monkeypatch.setattr(present.st, "session_state", {present.KEPT: 7, present.SINCE: 1.0})
    monkeypatch.setattr(presenting, "_bar", lambda names, chosen, going: drawn.append(chosen))
    monkeypatch.setattr(presenting, "present_code", lambda address, _: drawn.append(address))
    monkeypatch.setattr(presenting, "hear_keys", lambda *_: None)
    monkeypatch.setattr(present, "for_the_browser", dict)
    presenting.presentation(["Score", "Topics"], [], "address", drawn.append)
    assert drawn == [3, "address"]
    drawn.clear()
    monkeypatch.setattr(present.st, "session_state", {present.KEPT: 2, present.SINCE: 1.0})
    presenting.presentation(["Score", "Topics"], [], "address", drawn.append)
    assert drawn == [2, 1]


def test_a_reload_of_a_presentation_has_its_secrets_and_the_run_it_is_of(monkeypatch):
    where = {"run": "a", "own": "s", "race": "", "view-axis": "passes", "link": "", "sweep": "w"}
    state = {present.KEPT: 2, present.SINCE: 5.0}
    monkeypatch.setattr(present.st, "session_state", state)
    monkeypatch.setattr(present.st, "query_params", {"present": "2", "view-axis": "documents"})
    kept = present.in_address(where)
    assert kept == dict.fromkeys(present.SECRETS, "") | {"present": "2"}
    assert present.for_the_browser() == {
        "presents": True,
        "since": 5.0,
        "what": "run=a&sweep=w",
        "whole": "present=2&view-axis=passes&run=a&own=s&sweep=w",
    }
    present.in_address({**where, "own": ""})
    assert present.for_the_browser()["whole"] == "", "a tab without secrets has nothing to keep"


@pytest.mark.parametrize(
    ("asked", "view"), [("3", 3), ("", 0), ("10", 0), ("-1", 0), ("x", 0), ("\u00b2", 0)]
)
def test_an_address_presents_a_figure_of_one_digit(monkeypatch, asked, view):
    monkeypatch.setattr(present.st, "session_state", {})
    monkeypatch.setattr(present.st, "query_params", {"present": asked} if asked else {})
    present.begin(True)
    assert present.view() == view


def test_colours_are_as_strong_as_a_topic_is_certain():
    marks = [(0.39, 0), (0.4, 1), (0.59, 1), (0.6, 2), (0.8, 3), (1.0, 3)]
    for certainty, level in marks:
        mark = marked.TextMark(0, 3, 9, certainty)
        drawn = marked.marked_text("war", [mark], str, look=lambda topic: topic + 4)
        assert f'class="t{(9 + 4) % len(marked.TOPICS_LIGHT)} c{level}"' in drawn
        assert f'title="9: {certainty:.0%}"' in drawn


def test_a_hit_that_only_touches_a_mark_is_not_met_by_it():
    marks = [marked.TextMark(2, 4, 9, 1.0), marked.TextMark(6, 8, 4, 1.0)]

    def found(*hits):
        return [(m.start, m.stop, m.topic, m.hit) for m in marked.with_hits(marks, hits)]

    first, second = (2, 4, 9, False), (6, 8, 4, False)
    assert found((4, 6)) == [first, (4, 6, marked.PLAIN, True), second]
    assert found((0, 2), (8, 9)) == [
        (0, 2, marked.PLAIN, True),
        first,
        second,
        (8, 9, marked.PLAIN, True),
    ]
    assert found((3, 7)) == [(2, 4, 9, True), (6, 8, 4, True)]
    assert found((7, 9), (7, 8)) == [first, (6, 8, 4, True)], "nothing stands over another"


def test_where_one_topic_alone_is_marked_hits_of_others_are_too():
    marks = [
        marked.TextMark(0, 3, 9, 1.0),
        marked.TextMark(4, 7, 4, 1.0, hit=True),
        marked.TextMark(8, 11, 4, 1.0),
    ]
    drawn = marked.marked_text("war tax sea", marks, str, only=9)
    assert drawn.count("<mark") == 2
    assert "tax" in drawn.split("hit")[1]
    assert drawn.count("<sup>") == 2, "a number where the topic changes"
    between = [marks[0], marked.TextMark(4, 7, marked.PLAIN, 0.0, True), replace(marks[2], topic=9)]
    assert marked.marked_text("war tax sea", between, str).count("<sup>") == 1, "it has not changed"


def test_beyond_a_number_of_marks_none_has_a_hint(monkeypatch):
    monkeypatch.setattr(marked, "WITH_HINTS", 2)
    marks = [marked.TextMark(2 * i, 2 * i + 1, 9, 1.0) for i in range(3)]
    assert "title=" not in marked.marked_text("a b c", marks, str)
    assert "title=" in marked.marked_text("a b c", marks[:2], str)


def test_counts_of_other_topics_stay_plain():
    words = [("war", 1200, 9, 1.0), ("tax", 1, 4, 1.0)]
    drawn = marked.marked_counts(words, str, only=4)
    assert "×1,200" in drawn
    assert drawn.count("<mark") == 1
    assert drawn.count("×") == 1, "once is not said"
    assert ">tax" in drawn
