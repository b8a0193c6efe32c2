"""The step of a lesson beside its page, by direct call: when it is drawn, and what a first look at
its page sets."""

import contextlib
from functools import partial
from types import SimpleNamespace

import pytest
import streamlit as st

from bnpexplorer import Plan
from bnpexplorer.lessons import Lesson, LessonStep, SetUp
from bnpexplorer.ui.frame import look, pages, present, reading, session
from bnpexplorer.ui.parts import lesson_panel, setting_up

STICKS = SetUp(page="lab", show="sticks", settings=(("lab_gem", 2.0), ("lab_gem_n", 5)))


@pytest.fixture
def drawn(monkeypatch):
    """What is drawn, and the state and address of the tab."""
    found = []
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(st, "query_params", {})
    monkeypatch.setattr(st, "button", lambda words, key, **_: found.append((words, key)) or False)
    monkeypatch.setattr(st, "caption", found.append)
    monkeypatch.setattr(st, "html", lambda *_: None)
    monkeypatch.setattr(st, "container", lambda **_: contextlib.nullcontext())
    monkeypatch.setattr(look, "is_embedded", lambda: False)
    monkeypatch.setattr(session, "shown_runs", list)
    return found


# ---- the button beside a page --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("set_up", "there", "words"),
    [
        (SetUp(page="lab"), True, ""),
        (SetUp(page="claims", claim="toy"), True, "Set it up again"),
        (STICKS, True, "Set it up again"),
        (SetUp("bars", page="corpus"), True, "Set it up again"),
        (SetUp("bars", page="corpus"), False, "**Set it up**"),
    ],
)
def test_a_button_stands_where_there_is_something_to_do(drawn, monkeypatch, set_up, there, words):
    monkeypatch.setattr(setting_up, "is_there", lambda of: there)
    monkeypatch.setattr(setting_up, "what_it_does", lambda of: ("Set it up", "It loads."))
    setting_up.offer_beside(set_up)
    assert drawn == ([(words, "set-up-panel")] if words else []) + ["It loads."] * (not there)


# ---- what is there already -----------------------------------------------------------------------


def test_runs_of_before_leave_and_pause_where_nobody_else_looks(drawn, monkeypatch):
    """A run that another tab shows goes on, and so does one of somebody else."""
    left, paused, begun = [], [], []
    shown = [
        SimpleNamespace(
            owned=owned,
            entry=SimpleNamespace(
                run_id=run_id,
                tabs=tabs,
                background=SimpleNamespace(pause=partial(paused.append, run_id)),
            ),
        )
        for run_id, owned, tabs in (
            ("mine", True, set()),
            ("shown elsewhere", True, {"another"}),
            ("somebody's", False, set()),
            ("wanted", True, set()),
        )
    ]
    loaded = SimpleNamespace(corpus="the bars")
    monkeypatch.setattr(session, "shown_runs", lambda: shown)
    monkeypatch.setattr(session, "use_sample", {"bars": loaded}.get)
    monkeypatch.setattr(session, "leave", left.append)
    monkeypatch.setattr(session, "launch", lambda *given: begun.append(given))
    plans = [SimpleNamespace(method="one"), SimpleNamespace(method="two")]
    monkeypatch.setattr(setting_up, "_settled", lambda runs, corpus: plans)
    monkeypatch.setattr(setting_up, "_names", lambda plans: ["first", "second"])
    monkeypatch.setattr(setting_up, "check_memory", lambda *_: None)
    monkeypatch.setattr(
        setting_up,
        "_is_of",
        lambda entry, plan, of: entry.run_id == "wanted" and plan is plans[1] and of is loaded,
    )
    setting_up._do(SetUp("bars", runs=(Plan.of("hdp-svi"), Plan.of("hdp-tsvi"))))
    assert left == ["mine", "shown elsewhere", "somebody's"]
    assert paused == ["mine"]
    assert begun == [(plans[0], loaded, "first")]


# ---- a first look --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "sets"),
    [
        ({}, {"lab_show": "sticks", "lab_gem": 2.0, "lab_gem_n": 5}),
        ({"lesson": "x", "step": "2"}, {"lab_show": "sticks", "lab_gem": 2.0, "lab_gem_n": 5}),
        ({"lab_show": "sticks"}, {"lab_gem_n": 5}),
        ({"lab_show": "sticks", "lab_gem": "3"}, {"lab_gem_n": 5}),
        ({"lab_show": "update"}, {}),
        ({"lab_gem": "3"}, {}),
    ],
)
def test_what_the_address_says_stands_and_a_step_sets_the_rest(drawn, address, sets):
    """Where a demonstration stands the address never says."""
    st.query_params.update(address)
    setting_up.at_first_look(STICKS)
    assert st.session_state == sets


@pytest.mark.parametrize(
    ("set_up", "address", "asked"),
    [
        (SetUp(page="claims", claim="toy"), {}, "toy"),
        (SetUp(page="claims", claim="toy"), {"claim": "sumo"}, None),
        (SetUp("bars", page="claims", claim="toy"), {}, None),
    ],
)
def test_a_claim_is_turned_to_where_the_address_names_none(drawn, set_up, address, asked):
    st.query_params.update(address)
    setting_up.at_first_look(set_up)
    assert st.session_state.get("claim-asked") == asked


# ---- the panel -----------------------------------------------------------------------------------


def lesson():
    steps = [
        LessonStep("One", "Text.", SetUp(page="lab", claim="first")),
        LessonStep("Two", "Text.", SetUp(page="lab", claim="second")),
        LessonStep("Three", "Text."),
    ]
    return Lesson("mine", "Mine", "About.", 5, 1, tuple(steps))


@pytest.fixture
def beside(drawn, monkeypatch):
    """Draws a page within; what stood beside it, and what a first look was taken of."""
    looked = []
    monkeypatch.setattr(st, "columns", lambda *_, **__: [Column(), contextlib.nullcontext()])
    monkeypatch.setattr(lesson_panel, "_panel", lambda of, number: drawn.append(f"panel {number}"))
    monkeypatch.setattr(lesson_panel, "_line", lambda of, number: drawn.append(f"line {number}"))
    monkeypatch.setattr(setting_up, "at_first_look", lambda set_up: looked.append(set_up.claim))

    def draw(page, number=2, reads=True):
        at = (lesson(), number) if reads else None
        monkeypatch.setattr(reading, "current_if_sound", lambda: at)
        drawn.clear()
        with lesson_panel.beside(page):
            drawn.append("page")
        return drawn

    draw.looked = looked
    return draw


class Column:
    def container(self, **_):
        return contextlib.nullcontext()


def test_a_step_stands_beside_the_page_that_it_is_about(beside, monkeypatch):
    assert beside("lab") == ["panel 2", "page"]
    assert beside("lab", 3) == ["panel 3", "page"], "it is about that of the step before"
    assert beside("live") == ["line 2", "page"]
    for alone in (beside("lessons"), beside("lab", reads=False)):
        assert alone == ["page"]
    monkeypatch.setattr(present, "view", lambda: 1)
    assert beside("lab") == ["page"]
    monkeypatch.setattr(present, "view", lambda: 0)
    monkeypatch.setattr(look, "is_embedded", lambda: True)
    assert beside("lab") == ["page"]


def test_only_the_first_look_at_a_step_s_page_sets_it(beside):
    beside("live")
    assert beside.looked == []
    beside("lab")
    beside("lab", 1)
    assert beside.looked == ["second"]


@pytest.mark.parametrize(
    ("set_up", "done"),
    [(SetUp(page="live"), True), (SetUp("bars", page="live"), False), (None, False)],
)
def test_a_step_that_only_opens_is_set_up_on_the_way_to_it(drawn, monkeypatch, set_up, done):
    did, went = [], []
    monkeypatch.setattr(setting_up, "do", did.append)
    monkeypatch.setattr(pages, "go_to", went.append)
    st.session_state[lesson_panel.UNFOLDED] = True
    steps = (LessonStep("One", "Text.", SetUp(page="lab")), LessonStep("Two", "Text.", set_up))
    lesson_panel.travel(Lesson("mine", "Mine", "About.", 5, 1, steps), 2)
    assert did == [set_up] * done
    assert went == ["live" if set_up else "lab"]
    assert (st.session_state["lesson"], st.session_state["lesson_step"]) == ("mine", 2)
    assert st.session_state[lesson_panel.UNFOLDED] is False
    lesson_panel.travel(Lesson("mine", "Mine", "", 5, 1, (LessonStep("One", "Text."),)), 1)
    assert went[-1] == "lessons", "before any page it is read there"
