"""Every number that a lesson states is that of the run that its step sets up."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from bnpexplorer.compare.race import race_of
from bnpexplorer.evaluate import unigram_score
from bnpexplorer.explore.known import found_again
from bnpexplorer.lab import restaurant, shrinking, toy
from bnpexplorer.lab.sticks import expected_sticks
from bnpexplorer.lessons import LESSON_FILES, read
from bnpexplorer.runs.plan import Plan
from bnpexplorer.samples import load_sample
from bnpexplorer.ui.parts.setting_up import plans_of_race


def step_of(lesson, number):
    return read(LESSON_FILES / f"{lesson}.md").steps[number - 1]


@cache
def ran(lesson, number, which, seed=0):
    """A run of a step, at its end."""
    set_up = step_of(lesson, number).set_up
    return learned(set_up.sample, set_up.runs[which], seed)


def learned(sample, plan, seed):
    run = replace(plan, seed=seed or plan.seed).split_and_start(load_sample(sample).corpus)
    while not run.done:
        run.step()
    return run


def scores(run):
    return [(p.docs_seen, p.heldout) for p in run.history if not math.isnan(p.heldout)]


def last(run):
    return scores(run)[-1][1]


def n_topics(run):
    return list(run.history)[-1].n_topics


def said(score):
    """As it is written."""
    return f"\u2212{-score:.2f}"


# ---- from runs ---------------------------------------------------------------------------------


def test_why_truncate_at_all():
    first, second, third = (step_of("truncation", n).answer for n in (1, 2, 3))
    left = [expected_sticks(n, 3.0).left for n in range(11)]
    assert 1 - left[8] < 0.9 < 1 - left[9], "nine"
    assert f"{100 * left[8]:.2f} % after eight" in first
    assert f"{100 * (1 - left[8]):.2f} %" in first
    assert f"rounds to {100 * (1 - left[8]):.1f} %" in first
    assert f"{100 * left[9]:.2f} % after nine" in first
    five, many, free = (ran("truncation", 2, which) for which in range(3))
    assert last(five) < min(last(many), last(free))
    assert f"near {said(last(five))}" in second
    assert f"about {said(last(many))}" in second
    quarter = [score for docs, score in scores(five) if docs >= 900 * 30 / 4]
    assert max(quarter) - min(quarter) < 0.01, "it has been there since the first quarter"
    truth = load_sample("hdp-draw").true_topics
    assert f"made of {len(truth)} topics" in second
    assert (n_topics(five), n_topics(many)) == (5, 25)
    again = [found_again(truth, run.method.topics(run.state)).count for run in (many, free)]
    assert f"ends at {n_topics(free)}," in third
    assert f"That {len(truth)} topics made" in third
    assert f"finds {again[1]} of the {len(truth)} again" in third
    assert f"and {again[0]} in the run with 25" in third
    assert f"score, about {said(last(free))}," in third
    assert last(free) < last(many), "not the best here"


def test_the_smallest_batch():
    answer = step_of("batch-size", 3).answer
    mean_field, free = (ran("batch-size", 3, which) for which in range(2))
    assert next(iter(mean_field.history)).n_topics == 100
    assert answer.startswith(
        f"{n_topics(mean_field)}, and a score of about {said(last(mean_field))}"
    )
    assert said(last(mean_field)) == said(last(ran("batch-size", 1, 0))), "as with one large batch"
    assert last(mean_field) < last(ran("batch-size", 1, 2)) - 0.03
    assert f"ends with {n_topics(free)} topics and about {said(last(free))}" in answer


def test_another_method_another_answer():
    answer = step_of("batch-size", 4).answer
    runs = [ran("batch-size", 4, which) for which in range(3)]
    ends = sorted(last(run) for run in runs)
    assert f"between {said(ends[0])} and {said(ends[-1])}" in answer
    assert f"about {n_topics(runs[0])} after one" in answer.replace("\n", " ")
    assert f"{n_topics(runs[1])} to {n_topics(runs[2])} after smaller ones" in answer


def test_births_in_a_run():
    answer = step_of("birth", 3).answer
    points = {point.docs_seen: point.n_topics for point in ran("birth", 3, 0).history}
    assert f"first 64 notes {points[64]} topics" in answer
    soon = [n for docs, n in points.items() if docs >= 500]
    assert abs(soon[0] - 16) <= 2
    assert soon[-1] == 16
    assert "there are about 16" in answer
    assert ran("birth", 3, 0).passes == 40


def test_mean_field_and_collapsed_on_bars():
    step = step_of("collapsed", 3)
    free, mean_field = (ran("collapsed", 3, which) for which in range(2))
    words = unigram_score(free.corpus, free.heldout)
    assert f"score {said(words)}. The truncation-free run ends at about {said(last(free))}." in (
        step.answer
    )
    points = scores(mean_field)
    assert f"starts well, at\n{said(points[0][1])}," in step.answer
    assert f"about {said(points[-1][1])} while it shrinks from 100 topics to " in step.answer
    assert f"to {n_topics(mean_field)}." in step.answer
    assert next(iter(mean_field.history)).n_topics == 100


def test_a_prior_that_is_off():
    answer = step_of("concentration", 3).answer
    low, high = (ran("concentration", 3, which) for which in range(2))
    assert answer.startswith(f"{n_topics(low)} and {n_topics(high)},")
    assert f"about {said(last(high))} against {said(last(low))}." in answer


def test_hdp_and_lda():
    first, second = (step_of("hdp-or-lda", n).answer for n in (1, 2))
    few, some, many, hdp = (ran("hdp-or-lda", 1, which) for which in range(4))
    best = max(score for _, score in scores(some))
    assert f"near {said(last(some))} after a best of about {said(best)}" in first
    assert f"HDP ends near {said(last(hdp))}" in first
    assert max(last(few), last(some), last(many), best) < last(hdp)
    assert last(some) > max(last(few), last(many))
    five, twenty, hdp = (ran("hdp-or-lda", 2, which) for which in range(3))
    assert f"20 topics ends near {said(last(twenty))}" in second
    assert f"HDP near {said(last(hdp))} with {n_topics(hdp)} topics" in second
    assert f"LDA with 5 near {said(last(five))}." in second
    other = ran("hdp-or-lda", 2, 0, seed=1)
    assert f"seed 1 LDA with 5 ends near {said(last(other))}" in second


def test_reading_scores():
    one, two, three, four = (step_of("heldout", n) for n in (1, 2, 3, 4))
    run = ran("heldout", 1, 0)
    score, words = last(run), unigram_score(run.corpus, run.heldout)
    assert f"near {said(score)}." in one.question
    assert f"exp({said(score)}) is about 1/{math.exp(-float(f'{score:.2f}')):.0f}:" in one.answer
    assert (
        f"at {said(words)}, one among about {round(math.exp(-float(f'{words:.2f}')), 0):.0f}"
        in (one.answer.replace("\n", " "))
    )
    assert 1 / 3 < math.exp(words - score) < 1 / 2, "less than half"
    two_topics, twenty, hundred = (ran("heldout", 2, which) for which in range(3))
    assert f"best, about {said(last(twenty))}; 2 end near {said(last(two_topics))}" in two.answer
    assert f"100 near\n{said(last(hundred))}." in two.answer
    assert last(twenty) > max(last(run), last(two_topics), last(hundred))
    assert "Twenty topics score better than five" in three.question
    gibbs = [last(ran("hdp-or-lda", 2, 2, seed)) for seed in (0, 1)]
    assert f"{said(gibbs[0])} with\nseed 0 and at {said(gibbs[1])} with seed 1" in four.answer


def test_the_tour():
    three, four = (step_of("tour", n).answer for n in (3, 4))
    assert n_topics(ran("tour", 3, 0)) == 16
    assert "about sixteen" in three
    ends = [[last(ran("tour", 4, which, seed)) for which in (1, 0)] for seed in (0, 2)]
    assert f"about {said(ends[0][0])} against {said(ends[0][1])}." in four
    assert f"{said(ends[1][0])} against {said(ends[1][1])}." in four
    assert (ends[0][0] > ends[0][1], ends[1][0] < ends[1][1]) == (True, True)


# ---- from the Lab ------------------------------------------------------------------------------


def test_customers_and_tables():
    answer = step_of("birth", 1).answer
    new = [restaurant.choices([n] * bool(n), 2.0)[-1] for n in (0, 1, 20)]
    assert new[0] == 1
    assert f"= {100 * new[1]:.1f} %" in answer
    assert f"= {100 * new[2]:.1f} %" in answer
    tables = [restaurant.expected_tables(100, alpha)[-1] for alpha in (1.0, 10.0)]
    assert step_of("concentration", 1).answer.startswith(f"{tables[0]:.1f} and {tables[1]:.1f}.")


def test_one_word_and_two_topics():
    answer, case = step_of("collapsed", 1).answer, toy.CASES["B"]
    words = np.zeros(case.n_words, int)
    words[0] = 5
    mean_field = toy.mean_field_log_odds(words, case.lam1, case.lam2)
    collapsed = toy.collapsed_log_odds(words, case.lam1, case.lam2)
    assert f"+{mean_field:.2f}" in answer
    assert f"{said(collapsed)}, that is {100 * (1 - toy.probability(collapsed)):.0f} %" in answer


def test_a_small_topic_shrinks():
    first, second, third = (step_of("shrinking", n) for n in (1, 2, 3))
    sizes, counted = (cells(first.text, head) for head in ("λ", "exp(ψ(λ))"))
    for size, count in zip(sizes, counted, strict=True):
        decimals = 5 if float(size) < 0.5 else 3
        assert count == f"{shrinking.exp_psi(float(size)):.{decimals}f}"
        if float(size) >= 5:
            assert abs(float(size) - float(count) - 0.5) < 0.01, "less a half"
    assert 2000 < 0.1 / shrinking.exp_psi(0.1) < 4000, "a three-thousandth"
    lost, kept = (shrinking.shrinking(way, 40) for way in ("mean field", "collapsed"))
    assert cells(second.answer, "mean field: violins") == [f"{t.tokens:.2f}" for t in lost[:10]]
    assert cells(second.answer, "collapsed: violins") == [f"{t.tokens:.2f}" for t in kept[:10]]
    uncertain = [f"{100 * t.spread:.0f} %" for t in lost[:10]]
    assert cells(second.answer, "how uncertain it is") == uncertain
    assert f"= {kept[0].weight:.3f} on average, so that {kept[1].tokens:.2f} of" in second.question
    assert f"counts {lost[0].weight:.3f} for it, and gives it {lost[1].tokens:.2f}" in second.answer
    assert lost[8].tokens > 0.1 > 0.02 > lost[9].tokens, "after nine steps it is gone"
    assert lost[-1].tokens < 1e-4
    assert f"grows to {kept[-1].tokens:.2f} violins" in second.answer
    assert kept[-1].tokens == pytest.approx(kept[-2].tokens, abs=1e-6), "and stays"
    run = ran("collapsed", 3, 1)
    assert third.set_up.runs == step_of("collapsed", 3).set_up.runs[1:]
    assert third.answer.startswith(f"{n_topics(run)}, and none comes back")
    counts = [point.n_topics for point in run.history]
    assert counts[0] == 100
    assert counts == sorted(counts, reverse=True)


def test_what_locally_means():
    assert f"ten words and five topics make {5**10:,}." in step_of("locally", 3).answer
    run = Plan.of("hdp-tsvi").split_and_start(load_sample("small-csv").corpus)
    run.step()
    assert math.isnan(run.history[-1].bound), "this method draws none"


def cells(text, head):
    """The column of a table with these words on top."""
    rows = [row.strip("|").split("|") for row in text.splitlines() if row.startswith("|")]
    place = [cell.strip() for cell in rows[0]].index(head)
    return [row[place].strip() for row in rows[2:]]


def test_a_class():
    one, two, three, four, five = (step_of("class", n).answer for n in range(1, 6))
    for concentration, words in ((3, "3 with concentration 3"), (10, "8 with concentration 10")):
        left = [expected_sticks(n, concentration).left for n in range(12)]
        n = int(words.split()[0])
        assert left[n] < 0.5 < left[n - 1]
        assert words in one
        assert f"= {100 * left[n]:.1f} % are left" in one
    tables = restaurant.expected_tables(100, 2.0)
    assert two.startswith(f"{tables[20]:.1f} and {tables[100]:.1f}.")
    assert round(tables[100] - tables[20]) == 3, "three tables more"
    case, copies = toy.CASES["B"], np.zeros((3, 10), int)
    copies[:, 0] = (1, 2, 3)
    mean_field = toy.mean_field_log_odds(copies, case.lam1, case.lam2)
    collapsed = toy.collapsed_log_odds(copies, case.lam1, case.lam2)
    assert (mean_field > 0).all()
    assert f"+{mean_field[0]:.2f}" in three
    assert collapsed[0] == pytest.approx(0, abs=1e-12)
    assert (collapsed[1:] < 0).all()
    free, mean_field = (ran("collapsed", 3, which) for which in range(2))
    assert step_of("class", 4).set_up.race == step_of("collapsed", 3).set_up.runs
    corpus = load_sample("bars").corpus
    race = race_of(plans_of_race(step_of("class", 4).set_up, corpus), corpus)
    for alone, raced in zip((free, mean_field), race.runs, strict=True):
        assert Plan.of_run(raced) == Plan.of_run(alone), "equal choices give equal numbers"
        assert raced.heldout.whole.fingerprint == alone.heldout.whole.fingerprint
    assert f"run has {n_topics(free)}, and began" in four
    assert f"Mean field has {n_topics(mean_field)} of 100" in four
    alone, hundred = (ran("class", 5, which) for which in range(2))
    assert f"{n_topics(alone)} with batches of one document, {n_topics(hundred)} with" in five
    assert f"about {said(last(hundred))} against\n{said(last(alone))}." in five
