"""What parts of pages work out, choose and hand on, by direct call."""

import contextlib
from types import SimpleNamespace

import pytest
import streamlit as st

from bnpexplorer.compare import Race
from bnpexplorer.corpus import CorpusError
from bnpexplorer.inference.pool import RemotePool
from bnpexplorer.runs.plan import Plan
from bnpexplorer.ui.frame import access, link, present, server
from bnpexplorer.ui.parts import (
    forms,
    in_background,
    lesson_panel,
    marked,
    presenting,
    run_inputs,
    setting_up,
    studies,
    why,
)
from tests.tools.alone import drawn
from tests.tools.moments import made
from tests.tools.waiting import NEVER

# ---- work in the background ----------------------------------------------------------------------


@pytest.mark.parametrize(("most", "by_thread"), [(2, True), (3, False), (4, False)])
def test_beyond_so_many_documents_a_thread_works_it_out(tab, monkeypatch, most, by_thread):
    monkeypatch.setattr(in_background, "MANY", most)
    monkeypatch.setattr(in_background, "PATIENCE", NEVER)
    waited, said = [], []
    monkeypatch.setattr(st, "spinner", lambda words: said.append(words) or contextlib.nullcontext())
    monkeypatch.setattr(
        in_background, "_waited_for", lambda doing: waited.append(1) or doing.wait(NEVER)
    )
    of = made({4: 9.0})
    assert (in_background.at_hand(of, ("it",), lambda: 7) is None) == by_thread
    of = made({4: 9.0})
    found = in_background.worked_out(of, ("it",), lambda: 8, "it", meanwhile="Looking")
    assert (found, bool(waited), said) == (8, by_thread, [] if by_thread else ["Looking"])
    assert in_background.at_hand(of, ("it",), lambda: 9) == 8
    assert in_background.worked_out(of.corpus, ("it",), lambda: 6, "it") == 6, "of the texts alone"


def test_what_failed_is_said_and_tried_again_at_the_next_look(tab, monkeypatch):
    monkeypatch.setattr(in_background, "MANY", 0)
    monkeypatch.setattr(in_background, "PATIENCE", NEVER)
    places, said = [], []
    monkeypatch.setattr(
        st, "container", lambda **more: places.append(more) or contextlib.nullcontext()
    )
    monkeypatch.setattr(st, "error", lambda words, **_: said.append(words))
    of, tries = made({4: 9.0}), []

    def work():
        tries.append(1)
        if len(tries) == 1:
            raise ValueError("no *room*")
        return "found"

    look = (of, ("it", 5), work, "what is near", 90)
    assert in_background.worked_out(*look) is None
    assert said == ["Working out what is near of 3 documents failed: no \\*room\\*"]
    assert places == [{"height": 90, "border": False, "key": "under-way-it"}]
    assert in_background.worked_out(*look) == "found"
    assert len(said) == 1


# ---- words in a text -----------------------------------------------------------------------------


def test_words_are_found_anew_for_every_text_and_every_way_to_cut_it(monkeypatch):
    """What cannot be found is said again without a second try."""
    asked = []

    def find(text, settings, index):
        asked.append((text, settings))
        if text == "stuck":
            raise CorpusError("It does not end.")
        return text, settings, index

    monkeypatch.setattr(marked, "find_words", find)
    monkeypatch.setattr(marked, "index_of", lambda vocab, settings: (*vocab, settings))
    moment = made({4: 9.0})
    looks = [("a", "one way"), ("a", "another"), ("b", "another")]
    for _ in range(2):
        for text, settings in looks:
            found = marked.found_in(moment, text, settings)
            assert found == (text, settings, (*moment.vocab, settings))
        with pytest.raises(CorpusError, match=r"^It does not end\.$"):
            marked.found_in(moment, "stuck", "one way")
    assert sorted(asked) == sorted([*looks, ("stuck", "one way")])


# ---- presenting ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("view", "shown"), [(1, 0), (2, 1), (3, 2), (4, "QR code"), (9, "QR code")]
)
def test_every_number_presents_its_own_figure_and_the_last_the_code(monkeypatch, view, shown):
    said, bars, heard, pressed = [], [], [], []
    monkeypatch.setattr(st, "container", lambda **_: contextlib.nullcontext())
    monkeypatch.setattr(st, "caption", said.append)
    monkeypatch.setattr(present, "view", lambda: view)
    monkeypatch.setattr(present, "for_the_browser", lambda: "state")
    monkeypatch.setattr(presenting, "_bar", lambda *what: bars.append(what))
    monkeypatch.setattr(presenting, "present_code", lambda *what: said.append(what))
    monkeypatch.setattr(presenting, "hear_keys", lambda *what: heard.append(what))
    monkeypatch.setattr(presenting, "press", lambda *what: pressed.append(what))
    runs = [("one", "paused"), ("two", "finished"), ("three", "running")]
    presenting.presentation(["A", "B", "C"], runs, "http://class/x", said.append)
    watch = "To watch it on your own screen: **http://class/x**"
    code = [("http://class/x", presenting.CODE)]
    assert said == (code if shown == "QR code" else [shown, watch])
    assert bars == [(["A", "B", "C", "QR code"], min(view, 4), [runs[0], runs[2]])]
    ((state, press),) = heard
    press("step")
    assert (state, pressed) == ("state", [("step", 4, ["one", "two", "three"])])


# ---- why was it born -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "climbs"), [("mean field", True), ("collapsed Gibbs", False), ("", False)]
)
def test_a_move_of_mean_field_climbs_a_bound_and_another_is_drawn(monkeypatch, kind, climbs):
    done = []
    monkeypatch.setattr(why, "decided", lambda *what, climbs: done.append((*what, climbs)))
    subject = SimpleNamespace(moment="its moment", method=SimpleNamespace(kind=kind))
    told = SimpleNamespace(trial="merge")
    why._of_a_trial(subject, "event", told)
    assert done == [("its moment", "event", told, climbs)]


@pytest.mark.parametrize("texts", [None, "its texts"])
def test_who_left_last_is_told_to_readers_alone(monkeypatch, texts):
    done = []
    monkeypatch.setattr(why, "last_one", lambda *what: done.append(what))
    monkeypatch.setattr(st, "markdown", done.append)
    subject = SimpleNamespace(moment="moment", run="run", texts=texts)
    told = SimpleNamespace(trial="last")
    why._of_a_trial(subject, "event", told)
    said = access.MOMENT_FOR_ITS_OWNER
    assert done == [said if texts is None else ("moment", "run", texts, told)]


# ---- what a step of a lesson sets up -------------------------------------------------------------

STATUSES = {
    "running": True,
    "paused": True,
    "queued": True,
    "finished": True,
    "stopped": False,
    "failed": False,
}


@pytest.fixture
def of_run(monkeypatch):
    """Runs are their own plans; these learn the texts "these"."""
    monkeypatch.setattr(setting_up, "Plan", SimpleNamespace(of_run=lambda run: run))
    monkeypatch.setattr(access, "learns", lambda entry, loaded: entry.source == loaded)


def entry_of(run, status, source="these"):
    return SimpleNamespace(
        background=SimpleNamespace(run=run, status=status), source=source, run_id="it"
    )


@pytest.mark.parametrize(("status", "there"), STATUSES.items())
def test_a_run_of_a_step_is_there_unless_it_has_broken_off(of_run, status, there):
    assert setting_up._is_of(entry_of("plan", status), "plan", "these") == there
    assert not setting_up._is_of(entry_of("plan", status), "another plan", "these")
    assert not setting_up._is_of(entry_of("plan", status, "others"), "plan", "these")


@pytest.mark.parametrize(("status", "there"), STATUSES.items())
def test_so_is_a_race_of_the_same_runs_and_texts(of_run, tab, monkeypatch, status, there):
    race = object.__new__(Race)
    race.runs = ["a", "b"]
    entry = entry_of(race, status)
    tab["race"] = ("it", "")
    monkeypatch.setattr(server, "registry", lambda: SimpleNamespace(get={"it": entry}.get))
    assert setting_up._race_of_tab(["a", "b"], "these") is (entry if there else None)
    assert setting_up._race_of_tab(["b", "a"], "these") is None
    entry.source = "others"
    assert setting_up._race_of_tab(["a", "b"], "these") is None
    entry.source, entry.background.run = "these", SimpleNamespace(runs=["a", "b"])
    assert setting_up._race_of_tab(["a", "b"], "these") is None, "chains are no race"


def test_the_panel_has_the_text_and_the_notes_of_its_own_step():
    steps = [
        SimpleNamespace(
            title=f"Title {i}", text=f"Text {i}.", notes=f"Notes {i}.", set_up=None,
            question=f"Question {i}?", answer=f"Answer {i}.",
        )
        for i in (1, 2, 3)
    ]  # fmt: skip
    lesson = SimpleNamespace(name="l", title="A *lesson*", steps=steps)
    app = drawn(lesson_panel._panel, lesson, 2)
    assert [one.value for one in app.markdown] == [
        "**A \\*lesson\\*** · step 2 of 3",
        "## Title 2",
        "Text 2.",
        "Notes 2.",
        "**Question.** Question 2?",
    ]


# ---- studies -------------------------------------------------------------------------------------


@pytest.mark.parametrize("sees", [True, False])
def test_notes_on_the_workers_are_for_who_may_know_them(monkeypatch, sees):
    class Pool(RemotePool):
        notes = {"*b2* is slow.": ["b"], "a1 is older.": ["a"]}

    said = []
    monkeypatch.setattr(st, "caption", said.append)
    monkeypatch.setattr(st, "error", lambda words, **_: said.append(words))
    monkeypatch.setattr(studies, "usual_pool", lambda: object.__new__(Pool))
    monkeypatch.setattr(link, "sees_addresses", lambda: sees)
    notes = ["\\*b2\\* is slow.", "a1 is older."] if sees else []
    for status, lost in (("running", True), ("paused", False)):
        studies.say_cluster(SimpleNamespace(status=status, lost=lost, error="b *left*."))
        assert said == notes
        said.clear()
    studies.say_cluster(SimpleNamespace(status="paused", lost=True, error="b *left*."))
    assert said == ["Paused: b \\*left\\*. Resume goes on once that is mended.", *notes]


# ---- the form of a method ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("best", "chosen", "usual"),
    [
        (("hdp-svi", "wang-2011"), "hdp-svi", "wang-2011"),
        (("hdp-svi", "wang-2011"), "hdp-batch", "default"),
        (("hdp-tsvi", "from-many"), "hdp-gibbs", "default"),
        (("hdp-tsvi", "default"), "hdp-svi", "default"),
    ],
)
def test_settings_that_are_recommended_are_those_of_their_method(
    tab, monkeypatch, best, chosen, usual
):
    """Another method may have settings of the same name."""
    fields = {}

    def box(label, options, index, **_):
        fields[label] = options[index]
        return chosen if label == "Method" else options[index]

    monkeypatch.setattr(forms, "_offers", lambda corpus: {"hdp": Plan.of(*best)})
    monkeypatch.setattr(st, "radio", lambda *_, **__: "hdp")
    monkeypatch.setattr(st, "columns", lambda n: [contextlib.nullcontext()] * n)
    monkeypatch.setattr(st, "selectbox", box)
    assert forms._method_inputs("corpus", "it") == (chosen, usual)
    assert fields == {"Method": best[0], "Settings": usual}


def test_passes_follow_the_number_of_documents_until_somebody_types_one(tab, monkeypatch):
    starts = []

    def number(label, low, high, value, problems, key, **_):
        starts.append((label, value))
        return tab.setdefault(key, value)

    monkeypatch.setattr(run_inputs, "number_field", number)
    usual = SimpleNamespace(method=SimpleNamespace(batching="shuffled"), until="passes")

    def asked(suggested):
        return run_inputs._passes_input(usual, suggested, "it", [])

    assert [asked(n) for n in (6, 3, 4)] == [6, 3, 4]
    tab["it-passes-4"] = 9
    assert [asked(n) for n in (4, 6, 3)] == [9, 9, 9]
    usual.until = "settled"
    asked(6)
    assert [label for label, _ in starts] == ["Passes"] * 6 + ["Passes at most"]
