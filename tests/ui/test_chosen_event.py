"""Which event of a run stands chosen, and which parts are drawn of it; by direct call."""

import contextlib
from types import SimpleNamespace

import numpy as np
import pytest
import streamlit as st

from bnpexplorer.explore.why import NEW, WeighedChoices
from bnpexplorer.state.snapshot import Details, Event
from bnpexplorer.ui.frame import access, look, pages
from bnpexplorer.ui.parts import why
from tests.ui.test_told_of_events import moment

BORN = [Event("birth", (), (7,), step, 10 * step) for step in range(4)]


@pytest.fixture
def page(monkeypatch):
    """What is drawn: the options of the list, and the events whose panels stand below it."""
    found = SimpleNamespace(options=[], panels=[], buttons=[], state={})
    monkeypatch.setattr(st, "session_state", found.state)
    monkeypatch.setattr(st, "markdown", lambda *_, **__: None)
    monkeypatch.setattr(
        st, "selectbox", lambda _, options, **more: found.options.append([*options])
    )
    monkeypatch.setattr(st, "button", lambda words, **more: found.buttons.append((words, more)))
    monkeypatch.setattr(look, "is_embedded", lambda: False)
    return found


def subject(label, *events, **more):
    return SimpleNamespace(label=label, moment=moment(*events), **more)


@pytest.mark.parametrize(
    ("chosen", "stays"),
    [
        (("run", 3), True),
        (("run", 2), True),
        (("run", 0), True),
        (("run", 4), False),
        (("run", -1), False),
        (("gone", 0), False),
        (None, False),
    ],
)
def test_a_choice_stays_as_long_as_its_event_is_there(page, monkeypatch, chosen, stays):
    """Also that of an event which is too old for the list."""
    monkeypatch.setattr(why.why, "listed", lambda events: [3])
    monkeypatch.setattr(why, "_panel", lambda of, place, *_: page.panels.append((of.label, place)))
    page.state["why-it"] = chosen
    why.why_born("it", [subject("run", *BORN)])
    assert page.state["why-it"] == page.state["why-list-it"] == (chosen if stays else None)
    assert page.panels == ([chosen] if stays else [])
    old = [chosen] if stays and chosen != ("run", 3) else []
    assert page.options == [[("run", 3), *old]]


def test_newer_events_are_asked_for_where_more_may_come(page, monkeypatch):
    for going in (False, True):
        why.why_born("it", [subject("run", *BORN)], going)
    assert [words for words, _ in page.buttons] == ["Newer events"]
    why.why_born("it", [subject("run")], True)
    monkeypatch.setattr(look, "is_embedded", lambda: True)
    why.why_born("it", [subject("run", *BORN)], True)
    assert len(page.options) == 2, "neither without events nor in a page inside another"


def test_a_click_on_a_mark_chooses_its_run_and_place(page):
    choose = why.clicked("it")
    for point in ([9, "run", 2.0], "run", [3], None, [9, "other", 1]):
        choose(point)
    assert why.chosen("it") == ("other", 1)
    assert page.state[why.CLICKS] == 2


def test_a_line_that_has_gone_is_told_by_its_words_of_before(page):
    """A busy browser still shows the lines of the drawing before, and those alone."""
    drawings = [{("run", 0): f"born {i}", ("run", 1): f"died {i}"} for i in range(3)]
    for lines in drawings:
        known = why._remembered("it", lines)
    for said, chosen in (
        (("run", 1), ("run", 1)),
        ("died 2", ("run", 1)),
        ("born 1", ("run", 0)),
        ("born 0", None),
    ):
        page.state["why-list-it"] = said
        why._choose("why-it", "why-list-it", known)
        assert page.state["why-it"] == chosen


WEIGHED = {"log_prior": (0.0, 0.0), "log_likelihood": (0.0, 1.0), "topics": (4,)}


@pytest.mark.parametrize(
    ("event", "reads", "parts"),
    [
        (Event("birth", (), (7,)), True, ["untold"]),
        (Event("birth", (), (7,), details=Details(**WEIGHED)), True, ["birth"]),
        (Event("birth", (), (7,), details=Details(**WEIGHED)), False, ["for readers"]),
        (Event("birth", (), (7,), details=Details(words=(1,))), True, ["untold"]),
        (Event("death", (7,), ()), True, ["end", "untold"]),
        (Event("prune", (7,), (), details=Details(trial="last")), True, ["end", "trial"]),
        (Event("merge", (4, 7), (4,), details=Details(log_ratio=0.0)), True, ["move", "trial"]),
        (Event("split", (4,), (4, 7), details=Details(sizes=(2, 1))), True, ["move"]),
        (Event("split", (4,), (4, 7)), True, ["move", "untold"]),
    ],
)
def test_each_kind_of_event_has_its_own_parts(page, monkeypatch, event, reads, parts):
    drawn = []
    monkeypatch.setattr(st, "container", lambda **_: contextlib.nullcontext())
    monkeypatch.setattr(why, "_into_view", lambda **_: None)
    monkeypatch.setattr(why, "_to_births", lambda *_: None)
    for name, part in (
        ("of_an_end", "end"),
        ("of_a_move", "move"),
        ("_of_a_trial", "trial"),
        ("_of_a_birth", "birth"),
    ):
        monkeypatch.setattr(why, name, lambda *_, part=part: drawn.append(part))
    told = {"nobody knows": "untold", access.MOMENT_FOR_ITS_OWNER: "for readers"}
    monkeypatch.setattr(st, "markdown", lambda said: drawn.append(told.get(said, said[:3])))
    asked = []
    monkeypatch.setattr(why.why, "untold", lambda *what: asked.append(what[1:]) or "nobody knows")
    method = SimpleNamespace(untold="of births", untold_ends="of ends")
    of = subject("run", event, texts="texts" if reads else None, method=method)
    why._panel(of, 0, "why-it", False)
    assert drawn == ["###", *parts]
    assert asked == [(0, "of births", "of ends")] * ("untold" in parts)


def test_from_an_end_each_topic_leads_to_its_own_birth(page):
    told = Details(**WEIGHED)
    events = (
        Event("birth", (), (4,), details=told),
        Event("birth", (), (7,)),
        Event("birth", (), (9,), details=told),
        Event("merge", (9, 7, 4), (9,)),
    )
    why._to_births(subject("run", *events), 3, "why-it")
    assert [(words, more["args"]) for words, more in page.buttons] == [
        ("How “fish” came to be", ({"why-it": ("run", 2)},)),
        ("How “tides” came to be", ({"why-it": ("run", 0)},)),
    ], "of the other nothing was told"


@pytest.mark.parametrize(
    ("n", "among"), [(1, ""), (2, ""), (3, ": the 2 likeliest topics in play and a new one")]
)
def test_of_a_birth_it_is_said_among_what_its_probabilities_are(page, monkeypatch, n, among):
    said, linked = [], []
    monkeypatch.setattr(st, "caption", said.append)
    monkeypatch.setattr(st, "html", lambda *_: None)
    monkeypatch.setattr(why, "opener", lambda *_: None)
    monkeypatch.setattr(pages, "is_there", lambda name: True)
    monkeypatch.setattr(pages, "link_to", lambda name, words: linked.append(name))
    topics = (4, 9, NEW)[-n:]
    found = WeighedChoices(topics, np.zeros(n), np.arange(n) + 0.0, np.zeros(n))
    event = Event("birth", (), (7,), 3, 30)
    of = subject("run", event, run=None)
    why._of_a_birth(of, None, event, Details(), found)
    begins = "As it was at that moment, without the word itself. Probabilities are among these rows"
    assert said[0].startswith(f"{begins}{among}. Both likelihoods are of the word under")
    assert linked == ["lab"]
