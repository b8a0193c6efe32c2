"""Every number that a lesson states is that of the run that its step sets up."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from bnpexplorer.evaluate import unigram_score
from bnpexplorer.explore.likeness import found_again, jensen_shannon
from bnpexplorer.lab.sticks import expected_sticks
from bnpexplorer.lessons import LESSON_FILES, read
from bnpexplorer.samples import load_sample


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


@pytest.mark.second
def test_why_truncate_at_all():
    first, second, third = (" ".join(step_of("truncation", n).answer.split()) for n in (1, 2, 3))
    left = [expected_sticks(n, 3.0).left for n in range(11)]
    assert 1 - left[8] < 0.9 < 1 - left[9], "nine"
    assert f"{100 * left[8]:.2f} % after eight" in first
    assert f"{100 * (1 - left[8]):.2f} %" in first
    assert f"rounded to {100 * (1 - left[8]):.1f} %" in first
    assert f"{100 * left[9]:.2f} % after nine" in first
    five, many, free = (ran("truncation", 2, which) for which in range(3))
    assert last(five) < min(last(many), last(free))
    assert f"near {said(last(five))}" in second
    assert f"about {said(last(many))}" in second
    quarter = [score for docs, score in scores(five) if docs >= 900 * 30 / 4]
    assert max(quarter) - min(quarter) < 0.01, "it has been there since the first quarter"
    truth = load_sample("hdp-draw").true_topics
    assert f"drawn from {len(truth)} topics" in second
    assert (n_topics(five), n_topics(many)) == (5, 25)
    again = [found_again(truth, run.method.topics(run.state)).count for run in (many, free)]
    assert f"ends at {n_topics(free)} without being given a number" in third
    assert f"That {len(truth)} topics made" in third
    assert f"finds {again[1]} of the {len(truth)} again" in third
    assert f"and {again[0]} in the run with 25" in third
    assert f"score, about {said(last(free))}," in third
    assert last(free) < last(many), "not the best here"


@pytest.mark.second
def test_the_smallest_batch():
    answer = step_of("batch-size", 3).answer
    mean_field, free = (ran("batch-size", 3, which) for which in range(2))
    assert next(iter(mean_field.history)).n_topics == 100
    assert answer.startswith(
        f"{n_topics(mean_field)} are left, with a score of about {said(last(mean_field))}"
    )
    assert said(last(mean_field)) == said(last(ran("batch-size", 1, 0))), "as with one large batch"
    assert last(mean_field) < last(ran("batch-size", 1, 2)) - 0.03
    assert f"ends with {n_topics(free)} topics and about {said(last(free))}" in answer
    back = came_back("batch-size", 3, 0)
    assert len(back) == 1, "a single one"
    assert f"for {len(*back.values())} steps, and goes again" in answer


def came_back(lesson, number, which):
    """Topics that were out of use and in use again, and the steps after which they were."""
    set_up, gone, back = step_of(lesson, number).set_up, set(), {}
    run = set_up.runs[which].split_and_start(load_sample(set_up.sample).corpus)
    while not run.done:
        run.step()
        topics = run.method.topics(run.state)
        used = set(topics.topic_ids[topics.in_use].tolist())
        for topic in used & gone:
            back.setdefault(topic, []).append(run.snapshot().step)
        gone |= set(topics.topic_ids.tolist()) - used
    assert not used & back.keys(), "it goes again"
    return back


@pytest.mark.second
def test_another_method_another_answer():
    answer = " ".join(step_of("batch-size", 4).answer.split())
    runs = [ran("batch-size", 4, which) for which in range(3)]
    ends = sorted(last(run) for run in runs)
    assert f"between {said(ends[0])} and {said(ends[-1])}" in answer
    assert f"about {n_topics(runs[0])} after one" in answer
    assert f"{n_topics(runs[1])} to {n_topics(runs[2])} after smaller ones" in answer
    plan = step_of("batch-size", 4).set_up.runs[0]
    assert f"in place of {plan.method.burn_in} it" in answer
    longer = learned("hdp-draw", replace(plan, method=replace(plan.method, burn_in=160)), 0)
    assert "With 160 burn-in sweeps" in answer
    assert f"ends with {n_topics(longer)} topics and about {said(last(longer))}." in answer


@pytest.mark.second
def test_births_in_a_run():
    answer, run = " ".join(step_of("birth", 3).answer.split()), ran("birth", 3, 0)
    points = {point.docs_seen: point.n_topics for point in run.history}
    births = [event for event in run.snapshot().events if event.kind == "birth"]
    by_step = np.bincount([event.step for event in births])
    assert by_step[1] > 5 * by_step[2:].max(), "no step brings as many as the first"
    assert f"{by_step[1]} from 64 notes" in answer
    assert f"After it {points[64]} topics" in answer
    assert "about 500 notes read on (each note is read forty times) 16 are, all" in answer
    assert {n for docs, n in points.items() if docs >= 500} == {16}
    first = {child for event in births if event.step == 1 for child in event.children}
    topics = run.method.topics(run.state)
    assert set(topics.topic_ids[topics.in_use].tolist()) < first, "all of them from that first step"
    assert f"{by_step.sum()} in all" in answer
    assert by_step.sum() == len({child for event in births for child in event.children})
    assert run.passes == 40


@pytest.mark.second
def test_mean_field_and_collapsed_on_bars():
    step = step_of("collapsed", 3)
    free, mean_field = (ran("collapsed", 3, which) for which in range(2))
    words = unigram_score(free.corpus, free.heldout)
    assert f"score {said(words)}. The truncation-free run ends at about {said(last(free))}." in (
        step.answer
    )
    points = scores(mean_field)
    assert f"starts well, at\n{said(points[0][1])}," in step.answer
    assert f"down to about {said(points[-1][1])}. Six tenths of that is lost" in step.answer
    full = [point.docs_seen for point in mean_field.history if point.n_topics == 100]
    lost = points[0][1] - [score for docs, score in points if docs <= full[-1]][-1]
    assert 0.55 < lost / (points[0][1] - points[-1][1]) < 0.65, "while all 100 are in use"
    assert f"only then does it shrink to {n_topics(mean_field)}." in step.answer
    assert next(iter(mean_field.history)).n_topics == 100
    truth, ends = (
        load_sample("bars").true_topics,
        [r.method.topics(r.state) for r in (free, mean_field)],
    )
    assert [found_again(truth, topics).count for topics in ends] == [10, 1]
    assert "finds all ten bars again, mean field one," in " ".join(step.answer.split())
    first = step.set_up.runs[1].split_and_start(load_sample("bars").corpus)
    first.step()
    begun = first.method.topics(first.state)
    alike = [np.median(jensen_shannon(t.topic_word[t.in_use])) for t in (begun, ends[1])]
    assert alike[0] > 10 * alike[1], "its topics grow alike"


@pytest.mark.second
def test_a_prior_that_is_off():
    answer = step_of("concentration", 3).answer
    low, high = (ran("concentration", 3, which) for which in range(2))
    assert answer.startswith(f"They use {n_topics(low)} and {n_topics(high)},")
    assert f"about {said(last(high))} against {said(last(low))}." in answer


@pytest.mark.second
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
    assert "two of them soon share a topic" in second
    assert (n_main_topics(five), n_main_topics(other)) == (4, 5)


def n_main_topics(run):
    """How many topics are the largest of a label's documents."""
    labels = run.corpus.docs.columns()["label"]
    theta = run.method.model.fold_in(run.method.topics(run.state), run.corpus)
    return len({int(theta[labels == one].mean(axis=0).argmax()) for one in set(labels)})


@pytest.mark.second
def test_reading_scores():
    one, two, three, four = (step_of("heldout", n) for n in (1, 2, 3, 4))
    run = ran("heldout", 1, 0)
    score, words = last(run), unigram_score(run.corpus, run.heldout)
    assert f"near {said(score)}." in one.question
    assert f"exp({said(score)}) is about 1/{math.exp(-float(f'{score:.2f}')):.0f}:" in one.answer
    assert (
        f"at {said(words)}, or one among about {round(math.exp(-float(f'{words:.2f}')), 0):.0f}"
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


@pytest.mark.second
def test_the_tour():
    three, four = (step_of("tour", n).answer for n in (3, 4))
    assert n_topics(ran("tour", 3, 0)) == 16
    assert "about sixteen" in three
    ends = [[last(ran("tour", 4, which, seed)) for which in (1, 0)] for seed in (0, 2)]
    assert f"about {said(ends[0][0])} against {said(ends[0][1])}." in four
    assert f"{said(ends[1][0])} against {said(ends[1][1])}." in four
    assert (ends[0][0] > ends[0][1], ends[1][0] < ends[1][1]) == (True, True)
