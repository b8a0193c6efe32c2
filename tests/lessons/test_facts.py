"""What lessons say of texts, settings and steps is so: all numbers that are no scores."""

import math

import numpy as np
import pytest

from bnpexplorer.claims import CLAIMS
from bnpexplorer.lab import document
from bnpexplorer.lab.shrinking import Contest
from bnpexplorer.lab.toy import CASES, Case
from bnpexplorer.methods import METHODS
from bnpexplorer.samples import load_sample
from bnpexplorer.ui.lab.formula import ETA
from tests.lessons.test_numbers import n_topics, ran, step_of
from tests.tools.pages import html, open_lab
from tests.ui.test_lab_pages import press


def words_of(lesson, number):
    """All that a step says, in one line."""
    step = step_of(lesson, number)
    return " ".join(f"{step.text} {step.question} {step.answer} {step.notes}".split())


# ---- the Lab stands where the words say ----------------------------------------------------------

SET = [
    ("truncation", 1, {"lab_gem": 3, "lab_gem_shown": 5}, ("concentration 3", "shows five")),
    ("birth", 1, {"lab_crp": 2}, ("α is 2", "With α = 2", "2 / (1 + 2)", "2 / (20 + 2)")),
    ("birth", 2, {"lab_doc_n": 5, "lab_doc_seed": 1, ETA: 0.1}, ("fifth word", "seed 1")),
    ("shrinking", 2, {"lab_small_start": 1, "lab_small_steps": 9}, ("holds one violin",)),
    ("shrinking", 2, {"lab_small_eta": 0.1, "lab_small_known": 0.6}, ("η = 0.1", "weight 0.6 ")),
    ("locally", 1, {"lab_doc_n": 1}, ("The first word is seated",)),
    ("collapsed", 1, {"lab_copies": 5}, ("five copies", "case B")),
    ("concentration", 1, {"lab_crp": 1}, ("It is set to 1", "with α = 1")),
    ("class", 1, {"lab_gem": 3, "lab_gem_shown": 10}, ("With concentration 3",)),
    ("class", 2, {"lab_crp": 2}, ("With α = 2",)),
    ("class", 3, {"lab_copies": 1}, ("case B, with one copy",)),
    ("tour", 9, {"lab_gem": 3}, ()),
    ("concentration", 2, {"lab_prior": "hdp"}, ("In the HDP",)),
    ("batch-size", 2, {"view-axis": "documents"}, ("The horizontal axis counts documents",)),
    ("tour", 5, {"compare": "Runs"}, ("puts runs side by side",)),
    ("tour", 6, {"topics-view": "Topics"}, ("one topic at a time",)),
    ("tour", 7, {"topics-view": "Through the run"}, ("every topic over the run",)),
]


@pytest.mark.parametrize(("lesson", "number", "settings", "said"), SET)
def test_a_demonstration_is_set_as_its_step_says(lesson, number, settings, said):
    found = dict(step_of(lesson, number).set_up.settings)
    assert {name: found[name] for name in settings} == settings
    for sentence in said:
        assert sentence in words_of(lesson, number)


@pytest.mark.parametrize(
    ("lesson", "number", "of_step", "said"),
    [
        ("truncation", 3, 2, "of the three runs"),
        ("batch-size", 2, 1, "each of the three lines"),
        ("heldout", 3, 2, "Twenty topics score better"),
        *(("tour", number, 4, "") for number in (5, 6, 7)),
    ],
)
def test_a_step_looks_at_the_runs_of_which_it_tells(lesson, number, of_step, said):
    assert step_of(lesson, number).set_up.of_step == of_step
    assert said in words_of(lesson, number)
    assert ("three" in said) <= (len(step_of(lesson, of_step).set_up.runs) == 3)


@pytest.mark.parametrize(
    ("lesson", "number", "claim", "said"),
    [
        ("collapsed", 2, "toy", "Mean field averages logarithms"),
        ("tour", 8, "toy", "The first claim is exact: it needs no texts"),
        ("hdp-or-lda", 3, "hdp-lda-topics", "stochastic inference compares them"),
    ],
)
def test_a_step_turns_to_the_claim_of_which_it_tells(lesson, number, claim, said):
    assert step_of(lesson, number).set_up.claim == claim
    assert said in words_of(lesson, number)
    assert (claim == next(iter(CLAIMS)) and not CLAIMS[claim].trials(1)) == (claim == "toy")


def test_numbers_of_the_lab_are_those_of_its_settings():
    """What `test_numbers` computes stands on the page that the step opens."""
    for lesson, number in (("collapsed", 1), ("class", 3)):
        found = dict(step_of(lesson, number).set_up.settings)
        case = Case(*(found[f"lab_{name}"] for name in ("words", "word1", "rest", "second")))
        assert case == CASES["B"]
    found = dict(step_of("shrinking", 2).set_up.settings)
    usual = Contest(eta=found["lab_small_eta"], known=found["lab_small_known"])
    assert usual == Contest(n_words=100, n_tokens=10), "that of the table"
    assert "small topic over 100 words" in words_of("shrinking", 2)


@pytest.mark.second
def test_the_rules_that_lessons_name_are_those_of_the_lab():
    page = press(open_lab(lab_show="document"), "Step")
    drawn = html(page)
    for rule in ("(n_kw + η) / (n_k + V η)", "n_dk + α π_k"):
        assert rule in words_of("locally", 1)
        assert rule in drawn
    assert "η / (n_k + V η)" in words_of("birth", 2)
    assert f"1 / V = 1/{len(document.VOCAB)} = {1 / len(document.VOCAB):.4f}" in words_of(
        "birth", 2
    )
    assert "has eight words" in words_of("locally", 3)
    assert len(document.TOKENS) == 8
    method = METHODS["hdp-tsvi"]()
    assert 18 <= method.burn_in + method.kept_sweeps <= 22
    assert "some twenty sweeps" in words_of("locally", 3)


def test_what_is_left_of_the_stick_is_a_power():
    assert "(3/4)ⁿ" in words_of("truncation", 1)
    assert "(3/4)³ = 42.2 %" in words_of("class", 1)
    assert round(100 * (3 / 4) ** 3, 1) == 42.2
    assert "(10/11)⁸ = 46.7 %" in words_of("class", 1)
    assert round(100 * (10 / 11) ** 8, 1) == 46.7


# ---- texts ---------------------------------------------------------------------------------------


def test_texts_are_as_many_as_lessons_say():
    drawn, notes, bars = (load_sample(name) for name in ("hdp-draw", "small-csv", "bars"))
    assert drawn.corpus.n_docs == 1000
    for lesson, number in (("truncation", 2), ("hdp-or-lda", 1)):
        assert "1,000 documents" in words_of(lesson, number)
    assert f"with {len(drawn.true_topics)} topics" in words_of("hdp-or-lda", 1)
    labels, counts = np.unique(notes.corpus.docs.columns()["label"], return_counts=True)
    assert (notes.corpus.n_docs, len(labels), set(counts.tolist())) == (160, 5, {32})
    assert "160 notes on five subjects of equal size" in words_of("hdp-or-lda", 2)
    for label in labels:
        assert label in words_of("hdp-or-lda", 2)
    for lesson, number in (("tour", 2), ("concentration", 3)):
        assert "160 notes" in words_of(lesson, number)
    assert "on five subjects" in words_of("tour", 2)
    assert "The notes have five subjects" in words_of("concentration", 3)
    assert "though the notes have five subjects" in words_of("heldout", 3)
    assert (len(bars.true_topics), bars.corpus.n_words) == (10, 25)
    assert "5 by 5 pixels, made of ten bars" in words_of("collapsed", 3)
    assert "pictures of ten bars" in words_of("class", 4)


# ---- settings and steps of runs ------------------------------------------------------------------


def numbers_of(lesson, number):
    """Batch size, passes, and the numbers of topics that the plans of a step were given."""
    set_up, corpus = step_of(lesson, number).set_up, None
    corpus = load_sample(set_up.sample).corpus
    plans = [plan.settled(corpus) for plan in set_up.runs or set_up.race]
    given = [
        getattr(plan.method, "truncation", getattr(plan.method.model, "n_topics", 0))
        for plan in plans
    ]
    return [plan.batch_size for plan in plans], [plan.passes for plan in plans], given


def test_runs_are_given_what_lessons_say():
    assert numbers_of("truncation", 2)[2] == [5, 25, 0]
    assert numbers_of("hdp-or-lda", 1)[2][:3] == [5, 20, 100]
    assert numbers_of("hdp-or-lda", 2)[2][:2] == [5, 20]
    assert numbers_of("heldout", 1)[2] == [5]
    assert numbers_of("heldout", 2)[2] == [2, 20, 100]
    gammas = [plan.method.model.gamma for plan in step_of("concentration", 3).set_up.runs]
    assert gammas == [0.1, 50]
    assert "γ = 0.1 and γ = 50" in words_of("concentration", 3)
    for number in (1, 4):
        assert numbers_of("batch-size", number)[:2] == ([900, 100, 10], [1, 1, 1])
    assert numbers_of("batch-size", 3)[:2] == ([1, 1], [1, 1])
    assert numbers_of("batch-size", 3)[2][0] == 100
    assert numbers_of("class", 5) == ([1, 100], [1, 1], [100, 100])


@pytest.mark.second
@pytest.mark.parametrize(
    ("lesson", "number", "which", "steps", "said"),
    [
        ("batch-size", 1, 0, 1, "With one large batch the topics are updated once"),
        ("batch-size", 1, 2, 90, "with batches of 10 they are updated 90 times"),
        ("batch-size", 3, 0, 900, "after 900 steps"),
        ("class", 5, 0, 900, "reads 900 texts once"),
    ],
)
def test_steps_are_counted(lesson, number, which, steps, said):
    run = ran(lesson, number, which)
    assert (run.snapshot().step, run.docs_seen) == (steps, 900)
    assert said in words_of(lesson, number)


def test_who_begins_with_none_and_who_with_a_hundred():
    for lesson, number, free, mean_field in (("collapsed", 3, 0, 1), ("batch-size", 3, 1, 0)):
        plans = step_of(lesson, number).set_up.runs
        for which, wanted in ((free, 0), (mean_field, 100)):
            method, corpus = plans[which].method, load_sample("small-csv").corpus
            state = method.init(corpus, np.random.default_rng(0))
            assert len(method.topics(state).size) == wanted
    assert (
        "with 100 topics; the truncation-free method uses the collapsed way and begins with none"
        in (words_of("collapsed", 3))
    )
    assert "and began with none" in words_of("class", 4)
    assert "begins with 100 topics in both" in words_of("class", 5)


# ---- scores in words -----------------------------------------------------------------------------


def test_differences_of_logarithms_in_percent():
    assert f"0.1 more means {100 * math.expm1(0.1):.0f} % better" in words_of("heldout", 4)
    assert f"0.02 means that each word is predicted {100 * math.expm1(0.02):.0f} % better" in (
        words_of("heldout", 4)
    )
    assert "half of the distinct words" in words_of("heldout", 1)
    assert ran("heldout", 1, 0).heldout.protocol == "completion-4-starts"
    assert n_topics(ran("heldout", 1, 0)) <= 5
