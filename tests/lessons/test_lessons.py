"""Lessons: the files that are shipped, what a bad file is told, and the page."""

import shutil

import pytest

from bnpexplorer.compare import settings_of, told_apart
from bnpexplorer.lab import document
from bnpexplorer.lessons import LESSON_FILES, LessonError, parse, read
from bnpexplorer.lessons.lesson import SetUp
from bnpexplorer.lessons.setting_up import PAGES
from bnpexplorer.samples import load_sample
from bnpexplorer.ui.app import PAGES as MENU
from bnpexplorer.ui.frame import reading as lessons
from tests.tools.pages import button, check, field, go, open_app, open_lab, small, texts

pytestmark = pytest.mark.usefixtures("registry")
FILES = sorted(path for path in LESSON_FILES.glob("*.md") if path.name != "README.md")
HEAD = "---\ntitle: A\nabout: B\nminutes: 5\n---\n"
GOOD = f"{HEAD}## One\nText.\n"
WITH_RUN = f"{GOOD}### Set up\nsample: bars\nrun: hdp-tsvi\n\n"


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


def test_the_readme_shows_the_form():
    readme = (LESSON_FILES / "README.md").read_text(encoding="utf-8")
    example = readme.split("```\n")[1]
    lesson = parse(example, "example.md")
    (step,) = lesson.steps
    assert [run.method.name for run in step.set_up.runs] == ["hdp-svi", "hdp-tsvi"]
    assert step.set_up.runs[0].method.truncation == 25
    assert (step.set_up.runs[0].passes, step.set_up.runs[1].batch_size) == (30, 64)
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


def test_a_step_takes_over_the_runs_of_an_earlier_one():
    text = f"{WITH_RUN}## Two\nText.\n### Set up\nruns: 1\npage: topics\n"
    one, two = (step.set_up for step in parse(text, "x.md").steps)
    assert (two.sample, two.runs, two.of_step) == ("bars", one.runs, 1)
    assert (one.page, two.page) == ("live", "topics")


def test_a_step_talks_about_its_own_page_or_that_of_the_step_before():
    set_up = "### Set up\nsample: bars\npage: {}\n"
    text = f"{GOOD}## Two\nText.\n{set_up.format('corpus')}## Three\nText.\n"
    text += f"## Four\nText.\n{set_up.format('topics')}## Five\nText.\n"
    lesson = parse(text, "mine.md")
    pages = [lesson.page_of(number) for number in range(1, 6)]
    assert pages == ["", "corpus", "corpus", "topics", "topics"]
    assert lesson.order == 99, "after those that say where they stand"


BAD = [
    ("", 1, "begins with a line ---"),
    ("title: A\n", 1, "begins with a line ---"),
    ("---\ntitle: A\nminutes: 5\n---\n## One\nT\n", 1, "about: is missing"),
    (GOOD.replace("minutes: 5", "minutes: soon"), 4, "whole number from 1 to 180"),
    (GOOD.replace("minutes: 5", "minutes: ²"), 4, "whole number from 1 to 180"),
    (GOOD.replace("about: B", "colour: B"), 3, "expected one of title, about"),
    (GOOD.replace("about: B", "about"), 3, "expected one of"),
    (GOOD.replace("about: B", "about:"), 3, "has no value"),
    (GOOD.replace("about: B", "about: B\nabout: C"), 4, "stands in line 3 already"),
    (f"{GOOD}### Question\nx\n### Question\ny\n", 10, "once each"),
    (f"{GOOD}### Question\nx\n### Answer\n", 8, "neither is empty"),
    (f"{GOOD}### Set up\nsample: moby-dick\n", 9, "there is no sample 'moby-dick'"),
    (f"{GOOD}### Set up\npage: lab\nshow: x\n", 10, "there is no demonstration 'x'"),
    (f"{GOOD}### Set up\nruns: 1\n", 9, "names a step before this one with runs"),
    (f"{WITH_RUN}## Two\nText.\n### Set up\nruns: 2\n", 15, "names a step before"),
    (f"{WITH_RUN}## Two\nText.\n### Set up\nruns: one\n", 15, "names a step before"),
    (f"{WITH_RUN}## Two\nText.\n### Set up\nruns: 1\nsample: bars\n", 15, "page: and set: alone"),
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


def test_a_lesson_may_open_every_page():
    assert [page.name for page in MENU] == [*PAGES, "lessons"]


def test_a_file_in_another_encoding_is_named(tmp_path):
    path = tmp_path / "old.md"
    path.write_bytes(GOOD.replace("Text.", "Größe").encode("cp1252"))
    with pytest.raises(LessonError, match=r"old\.md, line 7: this is not UTF-8"):
        read(path)


# ---- what they say is so -----------------------------------------------------------------------


def step_of(lesson, number):
    return read(LESSON_FILES / f"{lesson}.md").steps[number - 1]


def test_the_birth_is_as_the_lesson_tells_it():
    lab = open_lab(lab_show="document")
    chosen = [lab.session_state[f"lab_doc_{name}"] for name in ("alpha", "gamma", "eta", "seed")]
    settings, answer = document.DocumentSettings(*chosen[:3]), step_of("birth", 2).answer
    said = dict(step_of("birth", 2).set_up.settings)
    assert [said[f"lab_doc_{name}"] for name in ("alpha", "gamma", "eta", "seed")] == chosen
    assert f"seed {chosen[3]}" in step_of("birth", 2).question.lower()
    for turns, word in ((said["lab_doc_n"], "violin"), (7, "violin")):
        _, turn = document.sweep(turns, settings, chosen[3])
        assert document.DOCUMENT.split()[turn.token] == word
        if turns == 5:
            known, new = turn.terms.word_term[:-1], turn.terms.word_term[-1]
            assert len(known) == 2, "no topic has opened before"
            assert new > 10 * max(known)
            assert f"{new:.4f}" in answer
            opened = turn.after
        assert turn.after == opened
        likeliest = turn.terms.probability.max()
        assert turn.terms.probability[[*turn.terms.topics, opened].index(opened)] == likeliest
        assert f"{100 * likeliest:.1f} %" in answer


def curve(planned, loaded):
    """Documents seen and score of a planned run, from its beginning to its end."""
    run = planned.split_and_start(loaded)
    while not run.done:
        run.step()
    return {point.docs_seen: point.heldout for point in run.history}


@pytest.mark.second
def test_small_batches_do_what_the_lesson_says():
    one, two = step_of("batch-size", 1), step_of("batch-size", 2)
    loaded = small("hdp-draw").corpus
    at_once, hundred, ten = (curve(planned, loaded) for planned in one.set_up.runs)
    assert list(at_once) == [900]
    for run in (at_once, hundred, ten):
        assert f"−{-run[900]:.2f}" in one.answer
    assert at_once[900] < ten[10]
    assert "After one batch of 10 documents" in two.answer
    assert f"−{-ten[10]:.2f}" in two.answer


def test_the_note_of_the_tour_is_among_the_first_documents():
    sample, step = load_sample("small-csv"), step_of("tour", 2)
    docs = sample.corpus.docs.columns()
    at = list(docs["id"][:50]).index("note-008")
    assert docs["label"][at] in step.answer
    assert docs["title"][at] in step.question
    assert "Rinse the rice" in docs["text"][at][:200], "the Texts page shows no more"
    assert docs["label"][at] not in step.text + step.question


# ---- the page ----------------------------------------------------------------------------------


def open_page(**address):
    return go(open_app(**address), "lessons")


@pytest.mark.second
def test_a_lesson_is_read_step_by_step_and_the_answer_waits():
    app = open_page()
    assert app.title[0].value == "Lessons"
    assert len([b for b in app.button if b.label == "Begin"]) == len(FILES)
    check(button(app, key="begin-truncation").click().run())
    lesson = read(LESSON_FILES / "truncation.md")
    go(app, "lessons")
    assert app.title[0].value == lesson.steps[0].title
    assert button(app, "Previous").disabled
    assert "**Question.**" in texts(app.markdown)
    assert "**Answer.**" not in texts(app.markdown)
    check(button(app, "Show the answer").click().run())
    assert "**Answer.** Nine, but only just." in texts(app.markdown)
    check(button(app, "Next").click().run())
    assert app.title[0].value == lesson.steps[1].title
    assert app.session_state["lesson_step"] == 2
    assert "**Answer.**" not in texts(app.markdown)
    check(button(app, "Next").click().run())
    assert button(app, "Next").disabled
    check(button(app, "Finish").click().run())
    assert app.title[0].value == "Lessons"


def test_a_guess_stands_beside_the_answer():
    app = open_page(lesson="truncation", step="1")
    check(field(app.text_input, "Your guess").set_value("about **seven**").run())
    check(button(app, "Show the answer").click().run())
    assert "**Your guess.** about \\*\\*seven" in texts(app.markdown), "as it was typed"
    assert "**Answer.** Nine" in texts(app.markdown)
    assert not app.text_input
    check(button(app, "Next").click().run())
    assert "Your guess." not in texts(app.markdown)


@pytest.mark.second
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
    plans = [plan.settled(corpus) for plan in planned]
    assert told_apart([p.method.name for p in plans], [settings_of(p) for p in plans]) == [
        "lda-svi topics 5",
        "hdp-gibbs gamma 0.1 seed 1",
        "lda-svi topics 20",
        "hdp-gibbs gamma 50 seed 0",
        "hdp-tsvi",
    ]


@pytest.mark.second
def test_a_set_up_shows_its_own_runs_and_no_run_twice(registry):
    def shown(app):
        return [registry.get(run_id).background.run for run_id in app.session_state["own"]]

    app = open_page(lesson="heldout", step="1")
    check(button(app, "Set it up").click().run())
    (first,) = shown(app)
    assert first.method.model.n_topics == 5
    go(app, "lessons")
    check(button(app, "Next").click().run())
    for _ in range(2):
        check(button(app, "Set it up").click().run())
        assert [run.method.model.n_topics for run in shown(app)] == [2, 20, 100]
        go(app, "lessons")
    assert len(registry.entries()) == 4, "the same step again starts nothing anew"


def test_the_set_up_says_what_it_does_in_plain_words():
    app = open_page(lesson="batch-size", step="1")
    words = texts(app.caption)
    assert "Loads “Drawn from an HDP”, starts hdp-svi batch size 900, hdp-svi batch size" in words
    assert "100 and hdp-svi batch size 10, and opens the Live page." in words
    app = open_page(lesson="tour", step="2")
    assert "Loads “Small CSV: notes of a small town”, and opens the Texts" in texts(app.caption)


@pytest.mark.second
@pytest.mark.parametrize(
    ("lesson", "step", "page"), [("truncation", 3, "live"), ("tour", 5, "compare")]
)
def test_a_step_without_its_runs_points_back_and_starts_them(registry, lesson, step, page):
    bar = open_app(lesson=lesson, step=str(step))
    assert f"looks at the runs of step {step - 1}, and none is here" in texts(bar.markdown)
    assert button(bar, "Set it up").key == "set-up-bar"
    app = open_page(lesson=lesson, step=str(step))
    earlier = step_of(lesson, step - 1).set_up
    check(button(app, "Set it up").click().run())
    assert len(registry.entries()) == len(earlier.runs)
    go(app, "lessons")
    check(button(app, f"Open the {SetUp(page=page).page_title} page").click().run())
    assert len(registry.entries()) == len(earlier.runs)


def test_other_pages_show_the_way_back():
    app = open_app(lesson="batch-size", step="2")
    assert app.title[0].value == "Watch topics being born"
    assert "step 2 of 4" in texts(app.markdown)
    assert app.query_params["step"] == "2"
    check(button(app, "Leave the lesson").click().run())
    assert "step 2 of 4" not in texts(app.markdown)
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
        ({"lesson": "birth", "step": "0"}, "The probability of a new table"),
        ({"lesson": "birth", "step": "²"}, "The probability of a new table"),
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


def test_steps_whose_page_is_not_there_are_left_out(monkeypatch):
    absent = {"compare", "topics"}
    monkeypatch.setattr("bnpexplorer.ui.frame.pages.is_there", lambda name: name not in absent)
    found = lessons.of_this_app(read(LESSON_FILES / "tour.md"))
    pages = [step.set_up.page for step in found.steps]
    assert "lab" in pages
    assert not absent & set(pages)
