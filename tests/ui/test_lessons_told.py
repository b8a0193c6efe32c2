"""What a lesson sets up, by direct call: what it says, what it starts, and what it leaves alone."""

from types import SimpleNamespace

import pytest
import streamlit as st

from bnpexplorer.claims import CLAIMS, Study
from bnpexplorer.lessons import Lesson, LessonStep, SetUp, read
from bnpexplorer.runs import limits
from bnpexplorer.runs.plan import Plan
from bnpexplorer.ui.frame import link, pages, reading, session
from bnpexplorer.ui.parts import lesson_panel, setting_up, studies
from tests.tools.pages import button, check, field, go, open_app, small, small_run, texts

pytestmark = pytest.mark.usefixtures("registry")
SAMPLE = "small-csv"


@pytest.fixture
def state(monkeypatch):
    """A new tab, from which nothing starts to compute."""
    found = {"tab": "me", "own": {}, "held": set(), "reads": set(), "troubles": {}, "studies": {}}
    found |= {link.LINK: ""} | dict.fromkeys(session.JOBS, ("", ""))
    monkeypatch.setattr(st, "session_state", found)
    monkeypatch.setattr(pages, "go_to", lambda name: found.update(page=name))
    for name in ("start", "settle", "pause"):
        monkeypatch.setattr(
            f"bnpexplorer.runs.background.BackgroundRun.{name}",
            lambda self, *_, name=name: found.setdefault(name, []).append(self),
        )
    return found


def plans(*names, **more):
    return tuple(Plan.of(name, passes=1, **more) for name in names)


# ---- what is said --------------------------------------------------------------------------------

LOADS = "Loads “Small CSV: notes of a small town”"


@pytest.mark.parametrize(
    ("set_up", "words", "beside"),
    [
        (SetUp(page="lab"), "Open the Lab page", "What the step needs is set there."),
        (SetUp(SAMPLE, page="corpus"), "Set it up", f"{LOADS}, and opens the Texts page."),
        (
            SetUp(SAMPLE, plans("hdp-tsvi")),
            "Set it up",
            f"{LOADS}, starts hdp-tsvi, and opens the Live page.",
        ),
        (
            SetUp(SAMPLE, plans("hdp-tsvi", "hdp-svi", "lda-svi"), page="compare"),
            "Set it up",
            f"{LOADS}, starts hdp-tsvi, hdp-svi and lda-svi, and opens the Compare page.",
        ),
        (
            SetUp(SAMPLE, race=plans("hdp-svi", "hdp-tsvi"), page="compare"),
            "Set it up",
            f"{LOADS}, starts a race of hdp-svi and hdp-tsvi, and opens the Compare page.",
        ),
    ],
)
def test_what_a_step_does_stands_beside_its_button(state, set_up, words, beside):
    assert setting_up.what_it_does(set_up) == (words, beside)


@pytest.mark.parametrize(
    ("set_up", "alone", "beside_a_run", "misses"),
    [
        (SetUp(page="lab"), True, True, False),
        (SetUp(SAMPLE, plans("hdp-tsvi")), False, False, False),
        (SetUp(SAMPLE, plans("hdp-tsvi"), of_step=1), False, True, True),
    ],
)
def test_a_step_that_looks_at_earlier_runs_only_opens_where_there_are_any(
    state, monkeypatch, set_up, alone, beside_a_run, misses
):
    monkeypatch.setattr(session, "shown_runs", list)
    assert setting_up.only_opens(set_up) == alone
    assert setting_up.misses_runs(set_up) == misses
    monkeypatch.setattr(session, "shown_runs", lambda: ["a run"])
    assert setting_up.only_opens(set_up) == beside_a_run
    assert not setting_up.misses_runs(set_up)


# ---- what is started -----------------------------------------------------------------------------


def runs_of(state, registry):
    return [registry.get(run_id).background.run for run_id in state["own"]]


def test_the_runs_of_a_step_stand_alone_under_names_that_tell_them_apart(state, registry):
    """What is there already stays; what stopped is started again."""
    both = SetUp(SAMPLE, (*plans("hdp-svi", batch_size=8), *plans("hdp-svi", batch_size=32)))
    assert not setting_up.is_there(both)
    setting_up.do(both)
    assert state["page"] == "live"
    names = [run.name for run in runs_of(state, registry)]
    assert names == ["hdp-svi batch size 8", "hdp-svi batch size 32"]
    assert setting_up.is_there(both)
    first, second = (registry.get(run_id) for run_id in state["own"])
    second.background.status = "stopped"
    assert not setting_up.is_there(both), "one of two is not enough"
    other = registry.add(small_run()[0], small())
    state["own"][other.run_id] = other.secret
    setting_up.do(both)
    assert len(registry.entries()) == 4
    assert [run.name for run in runs_of(state, registry)] == names
    assert first.run_id in state["own"]
    assert second.run_id not in state["own"]
    assert other.background in state["pause"], "nobody else looks at it"


def test_runs_of_others_are_left_as_they_go(state, registry):
    watched = registry.add(small_run()[0], small())
    state["own"] = {watched.run_id: ""}
    setting_up.do(SetUp(SAMPLE, plans("hdp-tsvi")))
    assert watched.run_id not in state["own"]
    assert watched.background not in state.get("pause", [])


def test_texts_alone_leave_the_runs_on_the_page(state, registry):
    entry = registry.add(small_run("hdp-tsvi", small("bars"))[0], small("bars"))
    state["own"] = {entry.run_id: entry.secret}
    setting_up.do(SetUp(SAMPLE, page="corpus"))
    assert list(state["own"]) == [entry.run_id]
    assert state["loaded"].corpus.fingerprint == small().corpus.fingerprint
    assert state["page"] == "corpus"


def test_nothing_starts_where_one_of_the_runs_does_not_fit(state, registry, monkeypatch):
    said = []
    monkeypatch.setattr(st, "error", said.append)
    monkeypatch.setattr(limits, "memory_limit", lambda: 300_000)  # hdp-tsvi would fit
    for set_up in (
        SetUp(SAMPLE, plans("hdp-tsvi", "hdp-svi")),
        SetUp(SAMPLE, race=plans("hdp-tsvi", "hdp-svi"), page="compare"),
    ):
        setting_up.do(set_up)
        assert "hdp-svi would need about 1 MB" in said.pop()
        assert registry.entries() == []
        assert "page" not in state


def test_a_race_is_started_once_and_anew_where_it_broke_off(state, registry):
    """The one before is paused by its owner alone, and its tab leaves it."""
    said = SetUp(SAMPLE, race=plans("hdp-tsvi", "hdp-svi"), page="compare")
    setting_up.do(said)
    setting_up.do(said)
    (first,) = registry.entries()
    assert state["race"] == (first.run_id, first.secret)
    assert setting_up.is_there(said)
    assert not setting_up.is_there(SetUp(SAMPLE, race=plans("hdp-svi", "hdp-tsvi")))
    first.background.status = "failed"
    assert not setting_up.is_there(said)
    setting_up.do(said)
    second = registry.entries()[0]
    assert second is not first
    assert (first.tabs, second.tabs) == (set(), {"me"})
    assert state["pause"] == [first.background]
    state["race"] = (second.run_id, "")
    second.background.status = "stopped"
    setting_up.do(said)
    assert state["pause"] == [first.background], "who watches does not pause"


def test_a_claim_is_turned_to_and_a_study_that_goes_on_leaves_its_place(state, registry):
    entry = registry.add(Study(CLAIMS["kappa-lda"], small().corpus, 600.0, 2), small())
    registry.attach("me", entry.run_id)
    state["study"] = (entry.run_id, entry.secret)
    setting_up.do(SetUp(page="claims", claim="sumo"))
    assert state["study"] == ("", "")
    assert state["pause"] == [entry.background]
    assert entry.tabs == set()
    assert state["claim-asked"] == "sumo"
    assert studies.current("study", object, "") is None


# ---- the question --------------------------------------------------------------------------------


def test_an_answer_is_shown_for_its_own_question_and_no_guess_is_made_up():
    app = go(open_app(lesson="birth", step="1"), "lab")
    check(button(app, "Show the answer").click().run())
    assert "**Answer.**" in texts(app.markdown)
    assert "**Your guess.**" not in texts(app.markdown), "none was made"
    app.session_state["lesson"] = "truncation"
    check(app.run())
    assert "**Question.**" in texts(app.markdown)
    assert "**Answer.**" not in texts(app.markdown)
    check(field(app.text_input, "Your guess").set_value("  a *half* ").run())
    check(button(app, "Show the answer").click().run())
    assert "**Your guess.** a \\*half\\*" in texts(app.markdown)


def a_lesson(*questions):
    steps = [
        LessonStep(f"Step {q}", "Text.", SetUp(page="lab"), q, q and "Yes.") for q in questions
    ]
    return Lesson("mine", "Mine", "About it.", 7, 3, tuple(steps))


def test_only_a_step_that_asks_has_its_question_in_a_presentation(monkeypatch):
    drawn = []
    monkeypatch.setattr(lesson_panel, "ask", lambda lesson, number: drawn.append(number))
    for number in (1, 2):
        at = a_lesson("", "Why?"), number
        monkeypatch.setattr(reading, "current_if_sound", lambda at=at: at)
        lesson_panel.in_presentation()
    assert drawn == [2]


@pytest.fixture
def buttons(monkeypatch):
    """What buttons are drawn: whether they are offered, and what they do."""
    found = {}

    def button(label, *_, disabled=False, on_click=None, args=(), **more):
        found[label] = SimpleNamespace(off=disabled, does=(on_click, args), **more)
        return False

    monkeypatch.setattr(st, "button", button)
    return found


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_ways_from_step_to_step_end_at_the_first_and_the_last(buttons, number):
    from bnpexplorer.ui.lessons import page

    lesson = a_lesson("", "Why?", "How?")
    lesson_panel._ways(lesson, number)
    assert buttons["Previous"].off == (number == 1)
    assert ("Finish" in buttons) == (number == 3) != ("Next" in buttons)
    if number < 3:
        assert buttons["Next"].type == ("primary" if number == 1 else "secondary"), "it asks first"
    buttons.clear()
    page._ways(lesson, number)
    assert buttons["Previous"].off == (number == 1)
    assert buttons["Previous"].does == (reading.turn_to, ("mine", number - 1))
    assert buttons["Next"].off == (number == 3)
    assert buttons["Next"].does == (reading.turn_to, ("mine", number + 1))
    assert ("Finish" in buttons) == (number == 3)


def test_lessons_stand_in_their_order_with_their_minutes_and_steps():
    app = go(open_app(), "lessons")
    found = sorted(map(read, reading.lesson_files()), key=lambda one: (one.order, one.title))
    assert len({lesson.order for lesson in found}) > 3
    begun = [b.key for b in app.button if (b.key or "").startswith("begin-")]
    assert begun == [f"begin-{lesson.name}" for lesson in found]
    primary = [b.key for b in app.button if b.proto.type == "primary"]
    assert primary == ["begin-tour"]
    heads = [m.value for m in app.markdown if m.value.startswith("## ")]
    assert heads == [
        f"## {one.title}\n\n{one.about} *{one.minutes} minutes, {len(one.steps)} steps*"
        for one in found
    ]
