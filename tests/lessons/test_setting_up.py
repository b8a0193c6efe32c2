"""What a step may set up exists on the pages, and every step of a lesson sets up what it says."""

import pytest

from bnpexplorer.claims import CLAIMS
from bnpexplorer.compare.sequential import race_of
from bnpexplorer.lab import DEMONSTRATIONS
from bnpexplorer.lab.controls import CONTROLS, Control
from bnpexplorer.lessons import LESSON_FILES, LessonError, parse, read
from bnpexplorer.lessons.setting_up import VIEWS
from bnpexplorer.runs.plan import Plan
from bnpexplorer.samples import load_sample
from bnpexplorer.ui.parts.setting_up import plans_of_race
from tests.tools.pages import button, check, go, launch, open_app, open_lab, small, small_run, texts
from tests.tools.waiting import NEVER, until

pytestmark = pytest.mark.usefixtures("registry")
HEAD = "---\ntitle: A\nabout: B\nminutes: 5\n---\n## One\nText.\n### Set up\n"
STEPS = [
    (path.stem, number, step.set_up)
    for path in sorted(LESSON_FILES.glob("*.md"))
    if path.name != "README.md"
    for number, step in enumerate(read(path).steps, 1)
    if step.set_up is not None
]
NAMES = [f"{lesson} {number}" for lesson, number, _ in STEPS]


def set_up(lines):
    return parse(HEAD + lines, "mine.md").steps[0].set_up


# ---- reading -----------------------------------------------------------------------------------


def test_a_race_opens_its_page():
    found = set_up("sample: bars\nrace: hdp-tsvi seed=1\nrace: hdp-svi batch=20 seed=1\n")
    assert [plan.method.name for plan in found.race] == ["hdp-tsvi", "hdp-svi"]
    assert (found.page, dict(found.settings)) == ("compare", {"compare": "Race"})
    assert found.runs == ()


def test_a_claim_opens_its_page_with_or_without_texts():
    assert (set_up("claim: toy\n").claim, set_up("claim: toy\n").page) == ("toy", "claims")
    assert set_up("sample: bars\nclaim: batch-size-hdp\n").sample == "bars"


def test_of_a_demonstration_everything_is_set():
    found = set_up("page: lab\nshow: sticks\nset: lab_gem = 0.5\nset: lab_gem_shown = 7\n")
    assert dict(found.settings) == {"lab_gem": 0.5, "lab_gem_shown": 7, "lab_gem_seed": 0}
    assert [type(value) for _, value in found.settings] == [float, int, int]


def test_of_a_view_only_what_is_said():
    found = set_up("page: topics\nset: topics-view = Through the run\n")
    assert found.settings == (("topics-view", "Through the run"),)


def test_the_first_seed_may_be_said():
    (plan,) = set_up("sample: bars\nrun: hdp-tsvi seed=0\n").runs
    assert plan == Plan.of("hdp-tsvi")


def test_runs_are_those_of_the_step_that_started_them():
    """A step that looks at others' runs is none of them, however many look at the same."""
    first = "sample: bars\nrun: hdp-tsvi\n"
    looks = "## Two\nText.\n### Set up\nruns: {}\npage: topics\n"
    again = parse(f"{HEAD}{first}{looks.format(1)}{looks.format(1)}", "mine.md").steps
    assert [step.set_up.of_step for step in again] == [0, 1, 1]
    with pytest.raises(LessonError, match=r"line 19: runs: names a step before .*; got '2'"):
        parse(f"{HEAD}{first}{looks.format(1)}{looks.format(2)}", "mine.md")


@pytest.mark.parametrize(("field", "least", "most"), [("minutes", 1, 180), ("order", 0, 999)])
def test_the_numbers_of_a_lesson_lie_within_their_bounds(field, least, most):
    text = HEAD.partition("### Set up")[0]
    usual = parse(text, "mine.md")
    assert (usual.minutes, usual.order) == (5, 99)

    def number(n):
        line = f"{field}: {n}\n"
        more = text.replace("minutes: 5\n", line if field == "minutes" else f"minutes: 5\n{line}")
        return getattr(parse(more, "mine.md"), field)

    assert [number(n) for n in (least, most)] == [least, most]
    for n in (least - 1, most + 1):
        with pytest.raises(LessonError, match=f"{field} must be a whole number from {least} to"):
            number(n)


@pytest.mark.parametrize(
    ("key", "field", "least"),
    [("batch", "batch_size", 1), ("passes", "passes", 1), ("seed", "seed", 0)],
)
def test_the_numbers_of_a_run_lie_within_their_bounds(key, field, least):
    """Each is its own field of the plan, and what is not said is left open."""
    usual = {"batch_size": None, "passes": None, "seed": 0}
    for n in (least, 7):
        (plan,) = set_up(f"sample: bars\nrun: hdp-svi {key}={n}\n").runs
        assert {name: getattr(plan, name) for name in usual} == usual | {field: n}
    for n in (least - 1, 10**6 + 1):
        with pytest.raises(
            LessonError, match=f"{key} must be a whole number from {least} to 1000000"
        ):
            set_up(f"sample: bars\nrun: hdp-svi {key}={n}\n")


def test_a_race_has_up_to_four_runs_and_values_may_be_words_or_truths():
    four = set_up("sample: bars\n" + "race: hdp-svi\n" * 4)
    assert len(four.race) == 4
    said = set_up("sample: bars\nrun: hdp-gibbs start=nothing preset=from-nothing\n")
    assert (said.runs[0].method.start, said.runs[0].preset) == ("nothing", "from-nothing")
    for word, truth in (("true", True), ("false", False)):
        (plan,) = set_up(f"sample: bars\nrun: dpm-sumo learn_base_gamma={word}\n").runs
        assert plan.method.learn_base_gamma is truth


SAMPLE = "sample: bars\n"
LAB = "page: lab\nshow: sticks\n"
BAD = [
    (f"{SAMPLE}race: hdp-tsvi\nrace: hdp-svi seed=2\n", 11, "the same seed and passes"),
    (f"{SAMPLE}race: hdp-tsvi passes=2\nrace: hdp-svi\n", 11, "the same seed and passes"),
    (f"{SAMPLE}race: hdp-tsvi\nrace: hdp-magic\n", 11, "There is no method 'hdp-magic'"),
    ("claim: moon\n", 9, "there is no claim 'moon'; choose from toy"),
    (f"{SAMPLE}claim: toy\nrun: hdp-tsvi\n", 10, "run: and claim: do not go together"),
    (f"{LAB}set: gamma = 3\n", 11, "there is no control 'gamma'; choose from lab_gem, "),
    (f"{LAB}set: lab_gem = 4\n", 11, "lab_gem must be one of 0.1, 0.2"),
    (f"{LAB}set: lab_gem_shown = 31\n", 11, "must be a whole number from 3 to 30; got '31'"),
    ("page: topics\nset: topics-view = Moon\n", 10, "must be one of Topics, Words"),
    ("page: lab\nset: lab_gem = 3\n", 10, "a page that has something to set"),
]


@pytest.mark.parametrize(("lines", "line", "why"), BAD)
def test_a_bad_set_up_is_refused_by_file_and_line(lines, line, why):
    with pytest.raises(LessonError) as refused:
        set_up(lines)
    said = str(refused.value)
    assert said.startswith(f"mine.md, line {line}: ")
    assert why in said
    assert said.endswith(".")
    assert "\n" not in said


# ---- what may be set is what the pages draw ----------------------------------------------------


def drawn(page):
    """Key -> what a control of the page offers, and what it holds."""
    found = {}
    for slider in page.get("slider"):
        whole = range(int(slider.min), int(slider.max) + 1)
        found[slider.key] = (whole, slider.value)
    for field in (one for one in page.number_input if one.min is not None):
        found[field.key] = (range(int(field.min), int(field.max) + 1), field.value)
    for slider in page.get("select_slider"):
        found[slider.key] = (list(slider.options), slider.value)
    for group in page.get("button_group"):
        found[group.key] = ([option.content for option in group.proto.options], group.value)
    return found


def offers(control):
    """The words of a control."""
    if isinstance(control.values, range):
        return control.values
    return [value if isinstance(value, str) else f"{value:g}" for value in control.values]


@pytest.mark.second
@pytest.mark.parametrize("name", DEMONSTRATIONS)
def test_the_controls_of_a_demonstration_are_those_that_it_draws(name):
    assert set(CONTROLS) == set(DEMONSTRATIONS)
    found = drawn(open_lab(lab_show=name))
    if name == "corpora":  # the model decides which sliders there are
        found = drawn(open_lab(lab_show=name, lab_prior="LDA")) | found
    for key, control in CONTROLS[name].items():
        assert control.usual in control.values
        if key.endswith("_n"):
            page = open_lab(lab_show=name)
            counted = next(c.value for c in page.caption if " 0 of " in c.value)
            assert counted.endswith(f" of {control.values[-1]}")
            continue
        values, value = found[key]
        if key == "lab_prior":  # its options are shown by other names
            assert len(values) == len(control.values)
        else:
            assert values == offers(control), key
        assert value == control.usual, key
    beside = ("lab_show", "lab_case")  # which demonstration, and a way to move four sliders
    ours = {key for key in found if key.startswith("lab_") and not key.endswith("-pace")}
    assert ours.difference(beside) <= set(CONTROLS[name]), "everything that it draws can be set"


@pytest.mark.second
def test_the_views_are_those_that_the_pages_draw(registry):
    entry = launch(registry)
    app = open_app(run=entry.run_id, own=entry.secret)
    for page, controls in VIEWS.items():
        found = drawn(go(app, page))
        for key, control in controls.items():
            values, value = found[key]
            assert values == offers(control), f"{key}: change VIEWS in lessons/setting_up.py too"
            assert value == control.usual, key


# ---- every step of every lesson ----------------------------------------------------------------


def control_of(set_up, name) -> Control:
    return CONTROLS[set_up.show][name] if set_up.show else VIEWS[set_up.page][name]


@pytest.mark.parametrize(("lesson", "number", "set_up"), STEPS, ids=NAMES)
def test_a_step_sets_up_what_there_is(lesson, number, set_up):
    for name, value in set_up.settings:
        assert value in control_of(set_up, name).values
    assert not set_up.claim or set_up.claim in CLAIMS
    if set_up.sample:
        corpus = load_sample(set_up.sample).corpus
        for plan in set_up.runs:
            assert plan.settled(corpus).passes >= 1
        if set_up.race:
            race = race_of(plans_of_race(set_up, corpus), corpus)
            assert [run.method for run in race.runs] == [plan.method for plan in set_up.race]
            assert race.planned_docs > 0


@pytest.mark.second
@pytest.mark.parametrize(
    ("lesson", "number"), [(lesson, number) for lesson, number, found in STEPS if found.show]
)
def test_a_demonstration_stands_as_the_step_says(lesson, number):
    app = open_app(lesson=lesson, step=str(number))
    (said,) = (found for name, n, found in STEPS if (name, n) == (lesson, number))
    for key, control in CONTROLS[said.show].items():  # wherever somebody left it
        app.session_state[key] = control.values[-1]
    go(app, "lessons")
    check(next(b for b in app.button if b.label == "Open the Lab page").click().run())
    found = {key: value for key, (_, value) in drawn(app).items()}
    for key, value in said.settings:
        if key.endswith("_n"):
            assert f" {value} of " in texts(app.caption)
        elif key in found:
            assert found[key] == value, key
        else:  # the sliders of another model
            assert key.startswith("lab_prior_")
    assert app.session_state["lab_show"] == said.show


@pytest.mark.second
@pytest.mark.parametrize("watched", [False, True])
def test_a_step_pauses_the_run_that_it_takes_off_the_page_unless_somebody_watches(
    registry, watched
):
    entry = registry.add(*small_run("lda-svi", small("bars"), passes=10**6))
    entry.background.start()
    until(lambda: entry.background.latest is not None, 120)
    if watched:
        registry.attach("another tab", entry.run_id)
    app = open_app(lesson="tour", step="3", run=entry.run_id, own=entry.secret)
    go(app, "lessons")
    check(button(app, "Set it up").click().run())
    assert entry.run_id not in app.session_state["own"]
    if watched:
        assert not entry.background.asked_for
        assert entry.background.status == "running"
    else:
        until(lambda: entry.background.status == "paused")
    entry.background.stop()
    assert entry.background.wait(NEVER)


def test_all_of_a_race_read_as_often_as_its_first():
    corpus = load_sample("small-csv").corpus
    said = set_up("sample: small-csv\nrace: hdp-tsvi\nrace: hdp-svi preset=gensim\n")
    alone = [plan.settled(corpus).passes for plan in said.race]
    assert alone[0] != alone[1], "else nothing is tried"
    assert [plan.passes for plan in plans_of_race(said, corpus)] == [alone[0]] * 2


def test_the_runs_of_a_race_are_those_of_the_plans_alone():
    corpus = load_sample("bars").corpus
    said = set_up("sample: bars\nrace: hdp-tsvi\nrace: hdp-svi\n")
    plans = plans_of_race(said, corpus)
    race = race_of(plans, corpus)
    assert [Plan.of_run(run) for run in race.runs] == plans
    assert plans == [Plan.of(name).settled(corpus) for name in ("hdp-tsvi", "hdp-svi")]
