"""What a page says of an event, sentence by sentence, of events that are made by hand."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import streamlit as st

from bnpexplorer.corpus import Corpus
from bnpexplorer.corpus.words.occurrences import Occurrence
from bnpexplorer.explore.why import WeighedChoices
from bnpexplorer.state.snapshot import Details, Event, Frame
from bnpexplorer.ui.parts import event_texts, why
from tests.tools.moments import WORDS, made

NAMES = {4: "tides", 7: "ships", 9: "fish"}
NO_BREAK = "\u00a0"


@pytest.fixture
def said(monkeypatch):
    """What is written on the page."""
    found = []
    for kind in ("markdown", "caption"):
        monkeypatch.setattr(st, kind, found.append)
    return found


def moment(*events, frames=(), model="hdp"):
    """Of three topics that have names, with these events."""
    found = made({4: 50.0, 7: 30.0, 9: 20.0}, NAMES, model)
    return replace(found, snapshot=replace(found.snapshot, events=events, frames=frames))


def frame(docs, weights):
    """A picture after so many documents; {topic: its share}."""
    n = len(weights)
    words, probs = np.tile(np.arange(3), (n, 1)), np.full((n, 3), 0.3, np.float32)
    ids = np.array([*weights], np.int64)
    return Frame(docs // 10, docs, ids, np.array([*weights.values()]), words, probs)


# ---- ends and moves ------------------------------------------------------------------------------

FRAMES = (
    frame(100, {4: 0.2, 7: 0.3, 9: 0.1}),
    frame(1200, {4: 0.4, 7: 0.1, 9: 0.2}),
    frame(1500, {4: 0.01, 7: 0.6, 9: 0.3}),
    frame(2000, {4: 0.0, 7: 0.9, 9: 0.1}),
)
ENDED = Event("prune", (4,), (), 200, 2000)


@pytest.mark.parametrize(
    ("came", "begins"),
    [
        ((), "It was there from the start"),
        ((Event("birth", (), (4,), 5, 1050),), "It was born after 1,050 documents"),
        ((Event("split", (7,), (4, 9), 5, 60),), "It was split from “ships” after 60 documents"),
        (
            (Event("merge", (7, 9), (4,), 5, 60),),
            "It was merged from “ships” and “fish” after 60 documents",
        ),
    ],
)
def test_an_end_says_how_the_topic_came_and_what_it_held(said, came, begins):
    why.of_an_end(moment(*came, ENDED, frames=FRAMES), ENDED)
    held = f"had 40.0{NO_BREAK}% of all words at most, and 1.00{NO_BREAK}% when 1,500 documents"
    assert said == [f"{begins}, {held} had been seen."]


def test_a_topic_that_no_moment_has_held_nothing(said):
    why.of_an_end(moment(ENDED, frames=FRAMES[3:]), ENDED)
    assert said == ["It held nothing at any of the moments that were kept."]


@pytest.mark.parametrize(
    ("kind", "old", "new", "model", "words"),
    [
        ("split", (4,), (7, 9), "hdp", "Words of the parts: “ships” 1,300, “fish” 20."),
        ("merge", (9, 4), (9,), "dpm", "Documents of the parts: “fish” 1,300, “tides” 20."),
    ],
)
def test_the_parts_of_a_move_have_their_own_names_and_sizes(said, kind, old, new, model, words):
    event = Event(kind, old, new, 5, 60, Details(sizes=(1300, 20)))
    why.of_a_move(moment(event, model=model), event)
    assert said == [words]
    why.of_a_move(moment(event), replace(event, details=Details()))
    assert len(said) == 1, "an earlier version told no sizes"


@pytest.mark.parametrize(
    ("trial", "ratio", "climbs", "words"),
    [
        (
            "merge",
            1234.567,
            True,
            [
                "What was weighed: to make one of “tides” and “ships”, against leaving them apart.",
                "It was taken because it raised the bound, by +1,234.57.",
            ],
        ),
        (
            "splits",
            2.0,
            True,
            [
                "What was weighed: to divide “tides” and “ships” into “fish”, and others likewise, "
                "all or none.",
                "They were taken because together they raised the bound, by +2.00.",
            ],
        ),
        (
            "delete",
            0.125,
            True,
            [
                "What was weighed: to give the words of “tides” and “ships” to others, against "
                "keeping it.",
                "It went because the bound is higher without it, by +0.12.",
            ],
        ),
        (
            "split",
            -2.0,
            False,
            [
                "What was weighed: to divide “tides” and “ships” into “fish”, against leaving it "
                "whole.",
                "The logarithm of its acceptance ratio was −2.00, so it was taken with probability "
                "0.135.",
            ],
        ),
        (
            "",
            0.0,
            False,
            ["The logarithm of its acceptance ratio was +0.00, so it was sure to be taken."],
        ),
        ("", 0.5, True, ["It was taken because it raised the bound, by +0.50."]),
        (
            "merge",
            None,
            False,
            ["What was weighed: to make one of “tides” and “ships”, against leaving them apart."],
        ),
    ],
)
def test_what_was_tried_and_what_decided(said, trial, ratio, climbs, words):
    told = Details(trial=trial, log_ratio=ratio)
    event = Event("merge", (4, 7), (9,), 5, 60, told)
    why.decided(moment(event), event, told, climbs)
    assert said == words


# ---- births --------------------------------------------------------------------------------------


def weighed(collapsed, mean=(), topics=(4, 7, -2)):
    """Choices that weigh alike before anything is looked at."""
    zeros = np.zeros(len(topics))
    return WeighedChoices(topics, zeros, np.log(collapsed), np.log(mean))


@pytest.mark.parametrize(
    ("found", "alone", "words"),
    [
        (
            weighed((1.0, 2.0, 8.0), (4.0, 1.0, 0.04)),
            False,
            "A new topic was **4 times as likely as** the best of those in play, “ships”. By mean "
            "field it would have been 100 times less likely than its best: it would hardly have "
            "opened it.",
        ),
        (
            weighed((6.0, 2.0, 2.0)),
            False,
            "A new topic was **3 times less likely than** the best of those in play, “tides”; it "
            "was drawn all the same, as rare things are among many draws.",
        ),
        (
            weighed((6.0, 2.0, 2.0)),
            True,
            "A new topic was **3 times less likely than** the best of those in play, “tides”; it "
            "was not drawn: some documents of a mini-batch begin alone.",
        ),
        (
            weighed((6.0, 2.0), topics=(-1, -2)),
            False,
            "A new topic was **3 times less likely than** the best of those in play; it was drawn "
            "all the same, as rare things are among many draws.",
        ),
        (
            weighed((1.0,), topics=(-2,)),
            False,
            "There was no topic yet, so the first document had to open one.",
        ),
    ],
)
def test_how_much_likelier_a_new_topic_was(found, alone, words):
    assert why._decision(moment(), found, alone) == words


def test_a_row_has_the_name_the_colour_and_the_words_of_its_own_topic():
    early = frame(10, {4: 0.5, 9: 0.5})
    early.word_ids[:] = [[0, 1, 2], [2, 1, 0]]
    born = Event("birth", (), (9,), 1, 20)
    of = moment(born, frames=(early,))
    rows = [why._choice(of, topic, born, False) for topic in (4, -1, -2)]
    assert [row.name for row in rows] == ["tides", "a topic that ended at once", "a new topic"]
    assert [row.about for row in rows] == [" · ".join(WORDS), "", " · ".join(WORDS[::-1])]
    assert [row.taken for row in rows] == [False, False, True]
    assert rows[0].paint != rows[1].paint == rows[2].paint


def subject(label, *events):
    return SimpleNamespace(label=label, moment=moment(*events))


def test_the_newest_event_of_all_runs_comes_first():
    one = subject("b", *(Event("birth", (), (4,), 1, docs) for docs in (10, 30, 30)))
    other = subject("a", *(Event("birth", (), (7,), 1, docs) for docs in (20, 30)))
    found = why._options([one, other])
    assert found == [("a", 1), ("b", 2), ("b", 1), ("a", 0), ("b", 0)]


def test_a_line_names_what_came_or_what_went_and_its_run_where_there_are_several():
    events = (
        Event("birth", (), (7,), 3, 1500),
        Event("merge", (4, 7, 9), (4,), 3, 20),
        Event("prune", (9,), (), 3, 30),
        Event("split", (4,), (7, 9), 3, 40),
    )
    of = subject("my run", *events)
    head = {topic: of.moment.head(topic) for topic in NAMES}
    assert [why._line(of, place, False) for place in range(4)] == [
        f"{head[7]} born at 1,500 documents",
        f"{head[4]} + {head[7]} + 1 more merged at 20 documents",
        f"{head[9]} gone at 30 documents",
        f"{head[7]} + {head[9]} split at 40 documents",
    ]
    assert why._line(of, 0, True) == f"my run: {head[7]} born at 1,500 documents"


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (Event("birth", (), (7,), 3, 1500), "“ships” was born {}"),
        (Event("death", (7,), (), 3, 1500), "“ships” died {}"),
        (Event("prune", (7,), (), 3, 1500), "“ships” came to its end {}"),
        (Event("merge", (4, 7), (4,), 3, 1500), "“tides” and “ships” became one, “tides”, {}"),
        (Event("split", (4,), (9, 7), 3, 1500), "“tides” was divided into “fish” and “ships” {}"),
    ],
)
def test_a_headline_says_what_happened_to_whom(event, words):
    when = "at step 3, after 1,500 documents"
    assert why._headline(moment(), event) == words.format(when)


# ---- the document --------------------------------------------------------------------------------


def test_a_document_that_a_run_learns_is_found_among_all_texts(monkeypatch):
    """Each run of one corpus holds out others."""
    whole, own = Corpus.from_csr(np.eye(5, 3, dtype=int) + 1, WORDS), object()
    held_out = {
        "a": np.array([True, False, False, True, False]),
        "b": np.array([False, True, False, False, False]),
        "c": None,
    }
    monkeypatch.setattr(event_texts, "held_out_rows", lambda run, _: held_out[run.name])
    for name, rows in (("a", [1, 2, 4]), ("b", [0, 2, 3, 4]), ("a", [1, 2, 4])):
        run = SimpleNamespace(name=name, corpus=own)
        for document, row in enumerate(rows):
            assert event_texts.place_of(name, run, whole, document) == (whole, row)
    unknown = SimpleNamespace(name="c", corpus=own)
    assert event_texts.place_of("c", unknown, whole, 2) == (own, 2), "nobody knows which"


def test_a_document_without_a_text_is_its_commonest_words(said):
    corpus = Corpus.from_csr(np.array([[1, 5, 2], [2, 1, 1]]), WORDS)
    loaded = SimpleNamespace(report=None)
    for row in (0, 1):
        event_texts._shown(moment(), loaded, corpus, row, Details(words=(1,)), 4)
    assert said == ["Its commonest words: b\\<, c, a", "Its commonest words: a, b\\<, c"]


def test_who_left_last_is_named_with_the_topic_that_it_went_to(said, monkeypatch):
    monkeypatch.setattr(event_texts, "_shown", lambda *_: None)
    monkeypatch.setattr(event_texts, "place_of", lambda *_: (corpus, 1))
    corpus = Corpus.from_csr(np.array([[1, 5, 2], [2, 1, 1]]), WORDS)
    texts = SimpleNamespace(corpus=corpus)
    for told in (
        Details(1, (2,), (7,), trial="last"),
        Details(1, (), (9,), trial="last"),
        Details(1, (2,), (-1,), trial="last"),
    ):
        event_texts.last_one(moment(), None, texts, told)
    assert [line.split(", which was drawn to ")[1].split(":")[0] for line in said] == [
        "“ships”",
        "“fish”",
        "a topic that ended, too",
    ]
    assert [line.split(",")[0] for line in said] == [
        "It ended with its last word",
        "It ended with its last document",
        "It ended with its last word",
    ]
    assert "**c** of **document 2**" in said[0]
    of = made({0: 50.0, 7: 30.0}, {0: "the first"})
    event_texts.last_one(of, None, texts, Details(1, (2,), (0,), trial="last"))
    assert "which was drawn to “the first”:" in said[-1], "topics are numbered from 0"


def test_the_word_that_opened_a_topic_is_told_apart_from_those_that_went_along(said, monkeypatch):
    monkeypatch.setattr(event_texts, "_shown", lambda *_: None)
    corpus = Corpus.from_csr(np.array([[1, 5, 2]]), WORDS)
    monkeypatch.setattr(event_texts, "place_of", lambda *_: (corpus, 0))
    texts = SimpleNamespace(corpus=corpus)
    for of, words in ((moment(), (2, 0)), (moment(), (2,)), (moment(model="dpm"), ())):
        event_texts.opener(of, None, texts, Details(0, words), 4)
    assert said == [
        "The word **c** of **document 1** opened it; **a** of the same text went there, too.",
        "The word **c** of **document 1** opened it.",
        "The whole of **document 1** opened it.",
    ]


@pytest.mark.parametrize("blank", [" ", ""])
def test_an_excerpt_is_cut_at_blanks_where_there_are_any(blank):
    """A long text of signs without blanks begins just before the word, too."""
    text = f"abc{blank}" * 400
    begin = 4 * 200 if blank else 3 * 200
    found = [Occurrence(begin, begin + 3, 7), Occurrence(len(text) - 3, len(text), 7)]
    shown, marks = event_texts.excerpt(text, found, (7,), 3)
    assert [shown[m.start : m.stop] for m in marks] == ["abc"], "the last is cut off"
    start = marks[0].start - len("… ")
    assert 0 < start <= event_texts.BEFORE
    assert start >= event_texts.BEFORE - 4
    assert event_texts.LETTERS // 2 <= len(shown) - len("…  …") <= event_texts.LETTERS
    if blank:
        assert {word for word in shown.split(" ") if word} == {"…", "abc"}
