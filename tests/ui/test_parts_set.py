"""What parts of pages set, ask again and offer, by direct call: steps, topics, readings, losses."""

import threading
from types import SimpleNamespace

import pytest

from bnpexplorer.core.display import plain
from bnpexplorer.core.knob import Knob
from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.documents.enough import Loss
from bnpexplorer.corpus.intake.refusing import Cancelled, TryAgain
from bnpexplorer.lessons import Lesson, LessonStep, SetUp
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.frame import session
from bnpexplorer.ui.parts import (
    explore,
    forms,
    lesson_panel,
    likeness,
    marked,
    setting_up,
    share,
    studies,
    topics_choice,
    under_way,
)
from bnpexplorer.ui.texts import preview
from tests.tools.alone import drawn, explored, moment
from tests.tools.pages import button, check, field, texts
from tests.tools.waiting import NEVER
from tests.ui.test_plan_form import opened

# ---- steps of lessons ----------------------------------------------------------------------------


@pytest.mark.parametrize(("loaded", "there"), [(None, False), ("other", False), ("bars", True)])
def test_a_step_is_there_with_its_own_texts_alone(monkeypatch, loaded, there):
    def texts_of(name):
        return SimpleNamespace(corpus=SimpleNamespace(fingerprint=f"print of {name}"))

    monkeypatch.setattr(session, "shown_runs", list)
    monkeypatch.setattr(setting_up, "load_sample", texts_of)
    monkeypatch.setattr(session, "loaded_corpus", lambda: texts_of(loaded) if loaded else None)
    assert setting_up.is_there(SetUp("bars")) == there


@pytest.mark.parametrize("show", ["sticks", ""])
def test_a_step_turns_the_lab_to_its_demonstration_and_settings(tab, show):
    tab["lab_show"] = "update"
    setting_up._do(SetUp(page="lab", show=show, settings=(("lab_gem", 2.0),)))
    assert (tab["lab_show"], tab["lab_gem"]) == (show or "update", 2.0)


@pytest.mark.parametrize("question", ["How many?", ""])
def test_only_a_step_with_a_question_asks_it(monkeypatch, question):
    asked = []
    monkeypatch.setattr(lesson_panel, "ask", lambda lesson, number: asked.append(number))
    monkeypatch.setattr(lesson_panel.setting_up, "offer_beside", lambda set_up: None)
    steps = tuple(LessonStep(f"step {n}", "Its text.", None, question) for n in (1, 2))
    drawn(lesson_panel._panel, some_lesson(*steps), 2)
    assert asked == ([2] if question else [])


def some_lesson(*steps):
    return Lesson("one", "One", "About it.", 5, 1, steps)


def test_the_last_step_leaves_the_lesson_and_the_others_lead_on(monkeypatch):
    went = []
    monkeypatch.setattr(lesson_panel.reading, "leave", lambda: went.append("left"))
    monkeypatch.setattr(lesson_panel.pages, "go_to", went.append)
    monkeypatch.setattr(lesson_panel, "travel", lambda lesson, number: went.append(number))
    lesson = some_lesson(*(LessonStep(f"step {n}", "Its text.") for n in (1, 2, 3)))
    for number, words, led in (
        (3, "Finish", ["left", "lessons"]), (3, "Previous", [2]), (2, "Next", [3]),
        (2, "Previous", [1]),
    ):  # fmt: skip
        app = drawn(lesson_panel._ways, lesson, number)
        check(button(app, words).click().run())
        assert went == led
        went.clear()
    assert button(drawn(lesson_panel._ways, lesson, 1), "Previous").disabled
    assert not [b for b in app.button if b.label == "Finish"]


@pytest.mark.parametrize("misses", [True, False])
def test_on_another_page_a_step_offers_the_runs_that_it_misses(monkeypatch, misses):
    offered, linked = [], []
    monkeypatch.setattr(lesson_panel.setting_up, "misses_runs", lambda set_up: misses)
    monkeypatch.setattr(lesson_panel.setting_up, "offer", lambda *what: offered.append(what))
    monkeypatch.setattr(
        lesson_panel.pages, "link_to", lambda name, label: linked.append((name, label))
    )
    set_up = SetUp("bars", page="compare", of_step=1)
    app = drawn(lesson_panel._line, some_lesson(LessonStep("a", "A text.", set_up)), 1)
    assert linked == [("compare", "Back to the lesson")]
    assert offered == [(set_up, "bar")] * misses
    missing = "This step looks at the runs of step 1, and none is here."
    assert (missing in texts(app.markdown)) == misses


# ---- topics --------------------------------------------------------------------------------------


def test_what_is_said_of_a_topic_leaves_it_chosen(monkeypatch):
    """Also where it is hidden, or sorted elsewhere by its name; folded away is not hidden."""
    said, went = [Labels(folded=frozenset({9}))], []
    monkeypatch.setattr(topics_choice, "relabel", lambda _, change: said.append(change(said[-1])))
    monkeypatch.setattr(topics_choice, "choose_topic", lambda *where: went.append(where))
    found = explored(moment(said[-1]))
    app = drawn(topics_choice.label_fields, found, 9)
    assert not field(app.checkbox, "Hide").value
    check(field(app.checkbox, "Hide").check().run())
    assert said[-1].hidden == {9}
    assert went.pop() == ("run-a", 9)
    app = drawn(topics_choice.label_fields, found, 9)
    check(field(app.text_input, "Name").input("laws").run())
    assert said[-1].names == {9: "laws"}
    assert went.pop() == ("run-a", 9)
    app = drawn(topics_choice.label_fields, found, 9)
    check(field(app.checkbox, "Pin").check().run())
    assert said[-1].pinned == {9}


# ---- texts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("by_person", [True, False])
def test_a_reading_that_ended_with_its_tab_is_lost_and_one_that_was_cancelled_is_not(
    tab, monkeypatch, by_person
):
    monkeypatch.setattr(under_way, "is_open", lambda _: True)
    go = threading.Event()

    def work():
        assert go.wait(NEVER)
        raise Cancelled("It was cancelled.")

    going = under_way.Going("Reading a", "a", work)
    if by_person:
        going.cancel()
        assert going.follower.cancelled
    go.set()
    going.wait(NEVER)
    assert going.asked_to_end == by_person
    assert going.lost == (not by_person)
    other = under_way.Going("Reading a", "a", lambda: 1)
    other.wait(NEVER)
    assert not other.lost


@pytest.mark.parametrize("form", ["its-form", None])
def test_a_loss_is_mended_in_the_form_that_the_texts_come_from(monkeypatch, form):
    found = [
        Loss("Half of the *texts* are short.", "Keep short texts", "min_tokens", 1),
        Loss("Many words are everywhere.", "Keep them", "max_df", 0.97),
    ]
    monkeypatch.setattr(preview, "losses", lambda report: found)
    state = {preview.FORM.replace("-", "_"): form} if form else {}
    app = drawn(preview.say_losses, "a report", **state)
    assert texts(app.warning) == " ".join(plain(loss.sentence) for loss in found)
    assert [b.label for b in app.button] == ([loss.remedy for loss in found] if form else [])
    if form:
        check(button(app, "Keep them").click().run())
        assert app.session_state["its-form-max_df"] == 0.97
        assert "its-form-min_tokens" not in app.session_state


def test_a_form_begins_at_the_saved_run_that_was_chosen(registry, monkeypatch):
    asked = []
    monkeypatch.setattr(forms, "_beginning_input", lambda usual, at: "a saved run")
    monkeypatch.setattr(forms, "_begun", lambda plan, saved: asked.append(saved))
    app = opened()
    assert asked == []
    check(button(app, "Watch it learn").click().run())
    assert asked == ["a saved run"]
    assert "plan" not in app.session_state, "it could not be read"


# ---- what stands on a page -----------------------------------------------------------------------


def test_studies_that_have_ended_are_not_under_way(monkeypatch):
    entries = [
        SimpleNamespace(run_id=name, background=SimpleNamespace(ended=ended))
        for name, ended in (("a", False), ("b", True), ("c", False))
    ]
    went, listed = [], []
    monkeypatch.setattr(
        studies.server, "registry", lambda: SimpleNamespace(entries=lambda: entries)
    )
    monkeypatch.setattr(studies, "tries", lambda entry, kind: entry.run_id != "c")
    monkeypatch.setattr(studies, "_is_closed", lambda entry: False)
    monkeypatch.setattr(studies, "_key", lambda entry: "")
    monkeypatch.setattr(studies, "_ticking_line", lambda entry: listed.append(entry.run_id))
    monkeypatch.setattr(studies, "interrupted", went.append)

    def ask():
        went.append([entry.run_id for entry in studies.under_way("study", str)])

    app = drawn(ask)
    assert listed == ["a"]
    assert went == ["study", ["a"]]
    assert [b.label for b in app.button] == ["Watch"]


@pytest.mark.parametrize("embedded", [False, True])
def test_inside_another_page_nothing_is_shared(monkeypatch, embedded):
    monkeypatch.setattr(share, "is_embedded", lambda: embedded)
    app = drawn(share.share_button, "share-it", lambda: None)
    assert bool(app.get("popover")) != embedded


@pytest.mark.parametrize(("in_use", "there"), [([], False), ([9], True)])
def test_a_run_is_explored_from_its_first_topic_on(monkeypatch, in_use, there):
    at = SimpleNamespace(in_use=in_use)
    monkeypatch.setattr(explore, "moment_of", lambda shown: at)
    monkeypatch.setattr(explore.access, "texts_of", lambda entry: None)
    monkeypatch.setattr(explore.access, "counts_of", lambda entry: "counts")
    shown = SimpleNamespace(entry="entry")
    found = explore.explored(shown)
    assert found is None if not there else (found.moment, found.loaded) == (at, "counts")
    assert there == (found is not None and not found.readable)


def test_a_text_that_could_not_be_cut_for_now_is_cut_at_the_next_look(monkeypatch):
    """One that its pattern does not get through is not tried again: that took seconds."""
    problems = [TryAgain("Busy."), None, CorpusError("Stuck.")]
    monkeypatch.setattr(marked, "index_of", lambda vocab, settings: {})

    def find(text, settings, index):
        problem = problems.pop(0)
        if problem is not None:
            raise problem
        return ("words of", text)

    monkeypatch.setattr(marked, "find_words", find)
    at = moment()
    with pytest.raises(TryAgain):
        marked.found_in(at, "one", "settings")
    for _ in range(2):
        assert marked.found_in(at, "one", "settings") == ("words of", "one")
    for _ in range(2):
        with pytest.raises(CorpusError, match=r"^Stuck\.$"):
            marked.found_in(at, "two", "settings")
    assert problems == []


@pytest.mark.parametrize("counts", [None, "counts"])
def test_topics_are_compared_ahead_where_their_texts_are_at_hand(monkeypatch, counts):
    begun = []
    monkeypatch.setattr(likeness, "ahead", lambda shown, work: begun.append(shown))
    monkeypatch.setattr(likeness.access, "counts_of", lambda entry: counts)
    background = SimpleNamespace(latest=moment().snapshot)
    shown = SimpleNamespace(entry=SimpleNamespace(background=background))
    likeness.compare_ahead(shown)
    assert begun == ([shown] if counts else [])


def test_a_share_is_asked_for_as_text():
    """Since it may be a number of documents as well."""
    app = drawn(forms.knob_input, "max_df", 0.5, Knob("help", share=True), "it")
    assert [one.value for one in app.text_input] == ["0.5"]
    app = drawn(forms.knob_input, "eta", 0.5, Knob("help"), "it")
    assert [one.value for one in app.number_input] == [0.5]
