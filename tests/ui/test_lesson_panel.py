"""The step of a lesson beside the page that it is about, and where it must not be."""

import pytest

from bnpexplorer.lessons import LESSON_FILES, parse, read
from bnpexplorer.ui.frame import reading
from bnpexplorer.ui.parts import share
from tests.tools.pages import button, check, field, go, html, launch, open_app, texts

pytestmark = pytest.mark.usefixtures("registry")


def has_panel(app):
    """Whether a step stands beside the page, by its way on."""
    return any(b.key in ("lesson-next", "lesson-finish") for b in app.button)


def step_of(lesson, number):
    return read(LESSON_FILES / f"{lesson}.md").steps[number - 1]


def steps_by_page():
    """Page -> a step that is about it."""
    found = {}
    for path in reading.lesson_files():
        lesson = read(path)
        for number in range(1, len(lesson.steps) + 1):
            found.setdefault(lesson.page_of(number), (path.stem, number))
    return found


PAGES = {"start", "corpus", "live", "compare", "topics", "claims", "lab"}


def test_lessons_are_about_these_pages():
    assert set(steps_by_page()) == PAGES, "text alone before the first set-up has no page"


@pytest.mark.second
@pytest.mark.parametrize("page", sorted(PAGES))
def test_the_panel_stands_beside_its_page_and_a_line_elsewhere(registry, page):
    lesson, number = steps_by_page()[page]
    step = step_of(lesson, number)
    entry = launch(registry)
    app = open_app(lesson=lesson, step=str(number), run=entry.run_id, own=entry.secret)
    go(app, page)
    words = texts(app.markdown)
    assert has_panel(app)
    assert f"## {step.title}" in words
    assert step.text in words
    assert ("**Question.**" in words) == bool(step.question)
    assert button(app, "Leave the lesson")
    assert {"lesson": lesson, "step": str(number)}.items() <= dict(app.query_params).items()
    if page != "start":
        assert app.query_params["run"] == entry.run_id, "the page is what it is without a lesson"
    go(app, "runs")
    assert not has_panel(app)
    assert step.text not in texts(app.markdown)
    assert f"step {number} of " in texts(app.markdown)
    check(button(app, "Leave the lesson").click().run())
    go(app, page)
    assert not has_panel(app)
    assert "lesson" not in app.query_params


@pytest.mark.second
def test_a_guess_beside_a_run_opens_the_answer_and_the_next_step_moves_the_sliders(registry):
    app = go(open_app(lesson="birth", step="1"), "lab")
    check(field(app.text_input, "Your guess").set_value("a half").run())
    assert "**Answer.**" not in texts(app.markdown)
    check(button(app, "Show the answer").click().run())
    assert "**Your guess.** a half" in texts(app.markdown)
    assert step_of("birth", 1).answer in texts(app.markdown)
    assert app.session_state["lab_show"] == "restaurant"
    check(button(app, "Next").click().run())
    assert app.session_state["lab_show"] == "document"
    assert "Turn 5 of " in texts(app.caption)
    assert "“violin”: had no topic yet" in texts(app.markdown)
    check(button(app, "Next").click().run())
    assert app.title[0].value == "Nothing is learning yet", "the page of the next step"
    go(app, "live")  # where AppTest goes on after a switch it must be told
    assert not registry.entries(), "what starts runs waits for its button"
    check(button(app, key="set-up-panel").click().run())
    assert len(registry.entries()) == 1
    check(button(app, "Set it up again").click().run())
    assert len(registry.entries()) == 1, "it is there"
    check(button(app, "Finish").click().run())
    assert app.title[0].value == "Lessons"


@pytest.mark.second
def test_the_sliders_are_set_again_after_they_were_moved():
    app = go(open_app(lesson="truncation", step="1"), "lessons")
    check(button(app, "Open the Lab page").click().run())
    go(app, "lab")
    slider = next(s for s in app.slider if s.key == "lab_gem_shown")
    assert slider.value == 5
    check(slider.set_value(9).run())
    check(button(app, "Set it up again").click().run())
    assert next(s for s in app.slider if s.key == "lab_gem_shown").value == 5


@pytest.mark.second
def test_a_link_to_a_step_shows_its_page_as_the_step_has_it():
    app = go(open_app(lesson="birth", step="2"), "lab")
    assert "Turn 5 of " in texts(app.caption)
    app = go(open_app(lesson="hdp-or-lda", step="3"), "claims")
    assert next(r for r in app.radio if r.label == "Claim").value == "hdp-lda-topics"
    app = go(open_app(lesson="tour", step="8", claim="sumo"), "claims")
    assert next(r for r in app.radio if r.label == "Claim").value == "sumo", (
        "the address goes first"
    )


def test_a_reload_keeps_what_was_moved():
    address = {"lab_show": "sticks", "lab_gem_shown": "9"}
    app = open_app(lesson="truncation", step="1")
    for key, value in address.items():
        app.query_params[key] = value
    go(app, "lab")
    assert next(s for s in app.slider if s.key == "lab_gem_shown").value == 9
    app = open_app(lesson="truncation", step="1")
    app.query_params["lab_show"] = "sticks"
    go(app, "lab")
    moved = next(s for s in app.slider if s.key == "lab_gem_shown")
    assert moved.value == 10, "what is as usual is not in the address"
    app = open_app(lesson="birth", step="2")
    app.query_params["lab_show"] = "document"
    go(app, "lab")
    assert "Turn 5 of " in texts(app.caption), "where it stands is not in the address"


@pytest.mark.second
def test_a_race_is_set_up_once_and_watched_beside_its_question(registry):
    app = go(open_app(lesson="class", step="4"), "compare")
    assert "starts a race of hdp-tsvi and hdp-svi, and opens the Compare" in texts(app.caption)
    check(button(app, key="set-up-panel").click().run())
    (entry,) = registry.entries()
    assert [run.method.name for run in entry.background.run.runs] == ["hdp-tsvi", "hdp-svi"]
    assert app.session_state["compare"] == "Race"
    assert has_panel(app)
    assert button(app, "Set it up again")
    go(app, "lessons")
    check(button(app, "Set it up").click().run())
    assert registry.entries() == [entry], "the same step again starts nothing anew"
    entry.background.stop()


def test_a_claim_is_turned_to_and_kept_in_the_address():
    app = go(open_app(lesson="hdp-or-lda", step="3"), "lessons")
    check(button(app, "Open the Claims page").click().run())
    chosen = next(r for r in app.radio if r.label == "Claim")
    assert chosen.value == "hdp-lda-topics"
    assert app.query_params["claim"] == "hdp-lda-topics"
    assert has_panel(app)
    again = go(open_app(claim="sumo-growth"), "claims")
    chosen = next(r for r in again.radio if r.label == "Claim")
    assert chosen.value == "sumo-growth"
    strange = go(open_app(claim="moon"), "claims")
    assert next(r for r in strange.radio if r.label == "Claim").value == "toy"


@pytest.mark.second
def test_who_watches_is_not_asked(registry):
    entry = launch(registry)
    app = go(open_app(lesson="birth", step="3", run=entry.run_id, own=entry.secret), "live")
    assert has_panel(app)
    app.session_state["share"] = True
    check(app.run())
    shared = " ".join(code.value for code in app.code)
    assert f"run={entry.run_id}" in shared
    assert "lesson" not in shared
    assert "step=" not in shared
    assert set(reading.IN_ADDRESS) <= set(share.NOT_SHARED)
    watching = go(open_app(run=entry.run_id), "live")
    assert not has_panel(watching)
    assert "step 3 of" not in texts(watching.markdown)


@pytest.mark.second
def test_it_is_shown_in_a_presentation_only_when_asked_for(registry):
    entry = launch(registry)
    address = {"run": entry.run_id, "own": entry.secret}
    app = go(open_app(lesson="birth", step="3", **address), "live")
    check(button(app, "Present").click().run())
    assert not has_panel(app)
    assert step_of("birth", 3).text not in texts(app.markdown)
    popover = next(p for p in app.get("popover") if p.proto.popover.label == "Question")
    assert step_of("birth", 3).question in texts(popover.markdown)
    assert step_of("birth", 3).answer not in texts(popover.markdown)
    without = check(button(go(open_app(**address), "live"), "Present").click().run())
    labels = [p.proto.popover.label for p in without.get("popover")]
    assert "Question" not in labels


def test_on_a_narrow_page_it_is_folded_until_asked_for():
    app = go(open_app(lesson="birth", step="1"), "lab")
    assert button(app, key="lesson-fold").label == "Unfold"
    check(button(app, key="lesson-fold").click().run())
    assert button(app, key="lesson-fold").label == "Fold"
    check(button(app, "Next").click().run())
    assert button(app, key="lesson-fold").label == "Unfold", "the picture first"
    assert ".st-key-lesson-folded" in html(app)


def test_what_is_for_the_lecturer_is_folded():
    app = go(open_app(lesson="class", step="1"), "lab")
    (folded,) = (e for e in app.expander if e.label == "For the lecturer")
    assert not folded.proto.expanded
    assert step_of("class", 1).notes in texts(folded.markdown)


def test_a_step_before_any_page_is_read_on_the_lessons_page(monkeypatch, tmp_path):
    text = "---\ntitle: A\nabout: B\nminutes: 5\n---\n## One\nText.\n\n## Two\nMore.\n"
    (tmp_path / "mine.md").write_text(text, encoding="utf-8")
    monkeypatch.setattr(reading, "LESSON_FILES", tmp_path)
    assert parse(text, "mine.md").page_of(2) == ""
    app = go(open_app(), "lessons")
    check(button(app, key="begin-mine").click().run())
    assert app.title[0].value == "One"
