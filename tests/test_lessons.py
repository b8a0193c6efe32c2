"""Lessons: the files that are shipped, what a bad file is told, and the page."""

import shutil

import pytest
from page_tools import ROOT, button, check, go, open_app, small, texts

from bnpexplorer.compare import settings_of, told_apart
from bnpexplorer.lessons import LESSON_FILES, LessonError, parse, read
from bnpexplorer.lessons.reading import PAGES
from bnpexplorer.ui import lessons

pytestmark = pytest.mark.usefixtures("registry")
FILES = sorted(path for path in LESSON_FILES.glob("*.md") if path.name != "README.md")
HEAD = "---\ntitle: A\nabout: B\nminutes: 5\n---\n"
GOOD = f"{HEAD}## One\nText.\n"


# ---- reading -----------------------------------------------------------------------------------


def test_the_shipped_lessons_are_read():
    found = {path.stem: read(path) for path in FILES}
    assert {"tour", "truncation", "collapsed", "batch-size", "birth"} <= set(found)
    assert {"concentration", "heldout", "hdp-or-lda"} <= set(found)
    assert found["tour"].order == min(lesson.order for lesson in found.values())
    pages = [step.set_up.page for step in found["tour"].steps if step.set_up]
    assert pages[:3] == ["start", "corpus", "live"]
    for name, lesson in found.items():
        assert any(step.question for step in lesson.steps), name
        assert any(step.set_up for step in lesson.steps), name


def test_they_ship_with_the_package():
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '"bnpexplorer.lessons" = ["*.md"]' in settings


def test_the_readme_shows_the_form():
    readme = (LESSON_FILES / "README.md").read_text(encoding="utf-8")
    example = readme.split("```\n")[1]
    lesson = parse(example, "example.md")
    (step,) = lesson.steps
    assert [run.method.name for run in step.set_up.runs] == ["hdp-svi", "hdp-tsvi"]
    assert step.set_up.runs[0].method.truncation == 25
    assert (step.set_up.runs[0].passes, step.set_up.runs[1].batch) == (30, 64)
    assert step.set_up.runs[1].seed == 1
    assert step.answer == "Hidden until asked for."


def test_a_step_has_its_own_set_up_or_that_of_the_lesson():
    head = HEAD.replace("minutes: 5\n", "minutes: 5\nsample: bars\nrun: hdp-tsvi gamma=2\n")
    own = "### Set up\nsample: small-csv\nrun: lda-svi n_topics=7 passes=2\npage: corpus\n"
    text = f"{head}## One\nText.\n### Set up\n\n## Two\nText.\n{own}## Three\nMore.\n"
    one, two, three = parse(text, "x.md").steps
    assert (one.set_up.sample, one.set_up.page) == ("bars", "live")
    assert one.set_up.runs[0].method.model.gamma == 2
    assert (two.set_up.sample, two.set_up.page) == ("small-csv", "corpus")
    assert two.set_up.runs[0].method.model.n_topics == 7
    assert three.set_up is None


BAD = [
    ("", 1, "begins with a line ---"),
    ("title: A\n", 1, "begins with a line ---"),
    ("---\ntitle: A\n", 1, "no second line ---"),
    ("---\ntitle: A\nminutes: 5\n---\n## One\nT\n", 1, "about: is missing"),
    (GOOD.replace("minutes: 5", "minutes: soon"), 4, "whole number from 1 to 180"),
    (GOOD.replace("minutes: 5", "minutes: ²"), 4, "whole number from 1 to 180"),
    (GOOD.replace("about: B", "colour: B"), 3, "expected one of title, about"),
    (GOOD.replace("about: B", "about"), 3, "expected one of"),
    (GOOD.replace("about: B", "about:"), 3, "has no value"),
    (GOOD.replace("about: B", "about: B\nabout: C"), 4, "stands in line 3 already"),
    (HEAD, 5, "has no step"),
    (f"{HEAD}Before.\n## One\nText.\n", 6, "text before the first step"),
    (f"{HEAD}## One\n\n## Two\nText.\n", 6, "text below it"),
    (f"{GOOD}### Remark\nx\n", 8, "a step has Set up, Question, Answer"),
    (f"{GOOD}### Question\nx\n### Question\ny\n", 10, "once each"),
    (f"{GOOD}### Question\nx\n", 8, "go together"),
    (f"{GOOD}### Answer\nx\n", 8, "go together"),
    (f"{GOOD}### Question\nx\n### Answer\n", 8, "neither is empty"),
    (f"{GOOD}### Set up\n", 8, "nothing to set up"),
    (f"{GOOD}### Set up\nsample: moby-dick\n", 9, "there is no sample 'moby-dick'"),
    (f"{GOOD}### Set up\nrun: hdp-tsvi\n", 9, "needs a sample"),
    (f"{GOOD}### Set up\npage: moon\n", 9, "there is no page 'moon'"),
    (f"{GOOD}### Set up\nshow: sticks\n", 9, "goes with page: lab"),
    (f"{GOOD}### Set up\npage: lab\nshow: x\n", 10, "there is no demonstration 'x'"),
    (f"{GOOD}### Set up\nsample: bars\nrun: hdp-magic\n", 10, "There is no method 'hdp-magic'"),
    (f"{GOOD}### Set up\nsample: bars\nrun: hdp-svi K=3\n", 10, "no setting 'K'"),
    (f"{GOOD}### Set up\nsample: bars\nrun: hdp-svi gamma=-1\n", 10, "range from 0.001"),
    (f"{GOOD}### Set up\nsample: bars\nrun: hdp-svi batch=0\n", 10, "from 1 to 1000000"),
    (f"{GOOD}### Set up\nsample: bars\nrun: hdp-svi gamma\n", 10, "expected name=value"),
    (f"{GOOD}### Set up\nsample: bars\nrun: hdp-svi preset=x\n", 10, "no preset 'x'"),
]


@pytest.mark.parametrize(("text", "line", "why"), BAD)
def test_a_bad_file_is_refused_by_file_and_line(text, line, why):
    with pytest.raises(LessonError) as refused:
        parse(text, "mine.md")
    assert str(refused.value).startswith(f"mine.md, line {line}: ")
    assert why in str(refused.value)
    assert parse(GOOD, "mine.md").name == "mine"


def test_a_file_that_begins_with_a_byte_order_mark_is_read(tmp_path):
    path = tmp_path / "notepad.md"
    path.write_bytes(b"\xef\xbb\xbf" + (LESSON_FILES / "birth.md").read_bytes())
    assert read(path).steps == read(LESSON_FILES / "birth.md").steps


@pytest.mark.parametrize("page", sorted(path.stem for path in (ROOT / "pages").glob("*.py")))
def test_a_lesson_may_open_every_page(page):
    assert page in PAGES or page == "lessons"


def test_a_file_in_another_encoding_is_named(tmp_path):
    path = tmp_path / "old.md"
    path.write_bytes(GOOD.replace("Text.", "Größe").encode("cp1252"))
    with pytest.raises(LessonError, match=r"old\.md, line 7: this is not UTF-8"):
        read(path)


# ---- the page ----------------------------------------------------------------------------------


def open_page(**address):
    return go(open_app(**address), "lessons")


def test_a_lesson_is_read_step_by_step_and_the_answer_waits():
    app = open_page()
    assert app.title[0].value == "Lessons"
    assert len([b for b in app.button if b.label == "Begin"]) == len(FILES)
    check(button(app, key="begin-truncation").click().run())
    lesson = read(LESSON_FILES / "truncation.md")
    assert app.title[0].value == lesson.steps[0].title
    assert button(app, "Previous").disabled
    assert "**Question.**" in texts(app.markdown)
    assert "**Answer.**" not in texts(app.markdown)
    check(button(app, "Show the answer").click().run())
    assert "**Answer.** Nine." in texts(app.markdown)
    check(button(app, "Next").click().run())
    assert app.title[0].value == lesson.steps[1].title
    assert app.session_state["lesson_step"] == 2
    assert "**Answer.**" not in texts(app.markdown)
    check(button(app, "Next").click().run())
    assert button(app, "Next").disabled
    check(button(app, "Finish").click().run())
    assert app.title[0].value == "Lessons"


def test_a_set_up_starts_the_runs(registry):
    app = open_page(lesson="batch-size", step="1")
    check(button(app, "Set it up").click().run())
    runs = [shown.background.run for shown in registry.entries()]
    assert sorted(run.batch_size for run in runs) == [10, 100, 900]
    assert {run.name for run in runs} == {f"hdp-svi batch size {n}" for n in (10, 100, 900)}
    assert {run.passes for run in runs} == {1}


def test_runs_of_one_method_are_told_apart_by_what_differs():
    corpus = small().corpus
    lines = (
        "lda-svi n_topics=5",
        "hdp-gibbs gamma=0.1 seed=1",
        "lda-svi n_topics=20",
        "hdp-gibbs gamma=50",
        "hdp-tsvi",
    )
    set_up = "".join(f"run: {line}\n" for line in lines)
    text = f"{HEAD}## One\nText.\n### Set up\nsample: small-csv\n{set_up}"
    planned = parse(text, "x.md").steps[0].set_up.runs
    choices = [lessons.choice_of(run, corpus) for run in planned]
    assert told_apart([c.method.name for c in choices], [settings_of(c) for c in choices]) == [
        "lda-svi topics 5", "hdp-gibbs gamma 0.1 seed 1", "lda-svi topics 20",
        "hdp-gibbs gamma 50 seed 0", "hdp-tsvi",
    ]  # fmt: skip


def test_a_set_up_shows_its_own_runs_and_no_run_twice(registry):
    def shown(app):
        return [registry.get(run_id).background.run for run_id in app.session_state["own"]]

    app = open_page(lesson="heldout", step="1")
    check(button(app, "Set it up").click().run())
    (first,) = shown(app)
    assert first.method.model.n_topics == 5
    check(app.switch_page("pages/lessons.py").run())
    check(button(app, "Next").click().run())
    for _ in range(2):
        check(button(app, "Set it up").click().run())
        assert [run.method.model.n_topics for run in shown(app)] == [2, 20, 100]
        check(app.switch_page("pages/lessons.py").run())
    assert len(registry.entries()) == 4, "the same step again starts nothing anew"


def test_other_pages_show_the_way_back():
    app = open_app(lesson="batch-size", step="2")
    assert app.title[0].value == "Watch topics being born"
    assert "step 2 of 3" in texts(app.markdown)
    assert app.query_params["step"] == "2"
    check(button(app, "Leave the lesson").click().run())
    assert "step 2 of 3" not in texts(app.markdown)
    assert app.session_state["lesson"] == ""


def test_a_demonstration_is_opened():
    app = open_page(lesson="birth", step="2")
    check(button(app, "Open the Lab page").click().run())
    assert app.session_state["lab_show"] == "document"
    assert app.title[0].value == "Lab"


@pytest.mark.parametrize(
    ("address", "title"),
    [
        ({"lesson": "nothing"}, "Lessons"),
        ({"lesson": "../README"}, "Lessons"),
        ({"lesson": "README"}, "Lessons"),
        ({"lesson": "birth", "step": "99"}, "Births in a run"),
        ({"lesson": "birth", "step": "0"}, "A chance for the new"),
        ({"lesson": "birth", "step": "²"}, "A chance for the new"),
    ],
)
def test_a_broken_link_opens_something(address, title):
    assert open_page(**address).title[0].value == title


def test_a_bad_file_is_named_and_the_others_stand(monkeypatch, tmp_path):
    shutil.copy(LESSON_FILES / "birth.md", tmp_path)
    (tmp_path / "mine.md").write_text("## No head\n", encoding="utf-8")
    monkeypatch.setattr(lessons, "LESSON_FILES", tmp_path)
    app = open_page()
    assert "mine.md, line 1" in texts(app.error)
    assert button(app, key="begin-birth")
    assert "mine.md, line 1" in texts(open_page(lesson="mine").error)


def test_steps_whose_page_is_not_there_are_left_out(monkeypatch, tmp_path):
    for page in PAGES:
        if page not in ("compare", "topics"):
            shutil.copy(ROOT / "pages" / f"{page}.py", tmp_path)
    monkeypatch.setattr(lessons, "PAGES", tmp_path)
    found = lessons._of_this_app(read(LESSON_FILES / "tour.md"))
    pages = [step.set_up.page for step in found.steps]
    assert "lab" in pages
    assert not {"compare", "topics"} & set(pages)
