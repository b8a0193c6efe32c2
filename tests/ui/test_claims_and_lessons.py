"""Claims and Lessons as whole pages: which parts stand there, and what each is given."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.lessons import LessonError
from bnpexplorer.ui.claims import page as claims
from bnpexplorer.ui.lessons import page as lessons
from tests.tools.alone import COUNTS, drawn, texts_of
from tests.tools.pages import texts

LOADED = SimpleNamespace(corpus=texts_of(COUNTS))

# ---- Claims --------------------------------------------------------------------------------------


@pytest.fixture
def page(monkeypatch):
    """The Claims page of one claim; what is noted as it is drawn."""
    found = SimpleNamespace(went=[], loaded=LOADED, running=None, study=None)
    found.claim = SimpleNamespace(
        name="kappa", title="A *title*", source="Wang 2011, table 1", statement="It is so.",
        trials=lambda n: [1] * found.n_trials,
    )  # fmt: skip
    found.n_trials = 1
    finds = {"kappa": ["one study"], "other": ["another"]}
    for name in ("watch", "show_verdict", "offer"):
        monkeypatch.setattr(claims, name, lambda *what, name=name: found.went.append((name, *what)))
    monkeypatch.setattr(claims, "finds_of", lambda corpus: finds)
    monkeypatch.setattr(claims, "at_a_glance", len)
    monkeypatch.setattr(claims.st, "dataframe", lambda table, **_: found.went.append(table))
    monkeypatch.setattr(claims, "choose_paper", lambda: "of the paper")
    monkeypatch.setattr(claims, "choose_claim", lambda *what: found.claim)
    monkeypatch.setattr(claims, "study_form", lambda claim, corpus: found.study)
    monkeypatch.setattr(claims.studies, "current", lambda *what: found.running)
    monkeypatch.setattr(claims.studies, "under_way", lambda *what: None)
    monkeypatch.setattr(claims.session, "loaded_corpus", lambda: found.loaded)
    monkeypatch.setattr(claims.pages, "link_to", lambda *what, **more: None)
    return found


def test_a_claim_offers_what_was_found_of_it_on_these_texts(page):
    app = drawn(claims.page)
    assert page.went == [2, ("offer", page.claim, ["one study"])]
    assert "> It is so." in texts(app.markdown)
    assert "Texts: **the six**, 6 documents" in texts(app.markdown)
    assert not app.caption
    page.went, page.claim.name = [], "not tried"
    drawn(claims.page)
    assert page.went == [2, ("offer", page.claim, [])]


def test_a_claim_that_is_exact_needs_no_texts(page, monkeypatch):
    page.n_trials = 0
    app = drawn(claims.page)
    assert texts(app.caption) == "Exact: it needs no texts and no time."
    assert "Texts:" not in texts(app.markdown)
    assert page.went == [2, ("show_verdict", page.claim, {}, {}, ())]

    def absent(name):
        raise CorpusError("The *sample* is not installed.")

    page.loaded = None
    monkeypatch.setattr(claims.session, "sample_of", absent)
    assert not drawn(claims.page).error
    page.n_trials = 1
    said = texts(drawn(claims.page).error)
    assert said == (
        "The \\*sample\\* is not installed. Or load texts of your own on the Texts page."
    )


def test_a_study_that_may_not_begin_says_why(page, monkeypatch):
    page.study, begun = "a study", []

    def begin(*what):
        begun.append(what)
        raise ValueError("Three go on *already*.")

    monkeypatch.setattr(claims.studies, "begin", begin)
    app = drawn(claims.page)
    assert begun == [("study", "a study", LOADED)]
    assert texts(app.error) == "Three go on \\*already\\*."
    assert page.went == []


@pytest.mark.parametrize("owned", [True, False])
def test_a_study_that_goes_on_has_the_page_for_itself(page, owned):
    run = SimpleNamespace(experiment=page.claim, corpus=LOADED.corpus)
    entry = SimpleNamespace(background=SimpleNamespace(run=run))
    page.running = entry, owned
    app = drawn(claims.page)
    assert page.went == [("watch", entry, owned)]
    assert texts(app.title) == "A *title*"
    assert texts(app.markdown) == "**Wang 2011, table 1**, on the six. It is so."


# ---- Lessons -------------------------------------------------------------------------------------


def lesson(name, order, title, n_steps=2):
    step = SimpleNamespace(
        title="The step", text="Its text.", notes="", set_up=None, question="", answer=""
    )
    return SimpleNamespace(
        name=name, order=order, title=title, about="About it.", minutes=7, steps=(step,) * n_steps
    )


def test_a_lesson_that_cannot_be_read_is_named_and_the_others_stand_in_order(monkeypatch):
    some = {one.name: one for one in (
        lesson("c", 2, "Alpha", 5), lesson("tour", 1, "Zeta"), lesson("b", 2, "Beta"),
    )}  # fmt: skip

    def read(path):
        if path.stem not in some:
            raise LessonError(f"{path.stem} has *no* title.")
        return some[path.stem]

    went = []
    names = ("c", "bad", "tour", "worse", "b")
    monkeypatch.setattr(lessons, "read", read)
    monkeypatch.setattr(lessons.reading, "lesson_files", lambda: [Path(f"{n}.md") for n in names])
    monkeypatch.setattr(lessons.reading, "of_this_app", lambda one: one)
    monkeypatch.setattr(lessons, "_handout_button", lambda one: None)
    monkeypatch.setattr(lessons.lesson_panel, "travel", lambda *where: went.append(where))
    app = drawn(lessons.offer_lessons)
    assert [e.value for e in app.error] == [
        "A lesson cannot be read. bad has \\*no\\* title.",
        "A lesson cannot be read. worse has \\*no\\* title.",
    ]
    assert [m.value for m in app.markdown[1:]] == [
        "## Zeta\n\nAbout it. *7 minutes, 2 steps*",
        "## Alpha\n\nAbout it. *7 minutes, 5 steps*",
        "## Beta\n\nAbout it. *7 minutes, 2 steps*",
    ]
    assert [b.key for b in app.button] == ["begin-tour", "begin-c", "begin-b"]
    app.button[2].click().run()
    assert went == [(some["b"], 1)]


@pytest.mark.parametrize(("number", "question"), [(1, ""), (3, "Why?")])
def test_a_step_stands_with_its_number_its_set_up_and_its_question(monkeypatch, number, question):
    one, noted = lesson("mine", 1, "My lesson", 3), []
    one.steps[number - 1].set_up, one.steps[number - 1].question = "set up", question
    monkeypatch.setattr(lessons, "_handout_button", lambda one: None)
    monkeypatch.setattr(lessons.setting_up, "offer", lambda *what: noted.append(what))
    monkeypatch.setattr(lessons.lesson_panel, "ask", lambda *what: noted.append(what))
    monkeypatch.setattr(lessons.lesson_panel, "show_notes", lambda step: noted.append(step.title))
    app = drawn(lessons.show_step, one, number)
    assert texts(app.caption) == f"My lesson · step {number} of 3"
    assert texts(app.title) == "The step"
    asked = [(one, number)] * bool(question)
    assert noted == ["The step", ("set up", f"mine-{number}"), *asked]
    assert [b.label for b in app.button] == [
        "All lessons", "Previous", "Next", *["Finish"] * (number == 3),
    ]  # fmt: skip
