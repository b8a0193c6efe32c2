"""Test what a trial notes when it has more topics than it may note."""

import time
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.claims.attempt import StudyTerms, begin
from bnpexplorer.claims.learned import is_short
from bnpexplorer.claims.trial import UNLIMITED, Trial, TrialOutcome
from bnpexplorer.evaluate import npmi, split_heldout, split_of
from bnpexplorer.methods import make_method


def test_of_many_topics_the_twenty_largest_are_noted_the_largest_first(bars):
    values = (("n_topics", 27),)
    trial = Trial("one", 5, "lda-svi", 3, 60, values=values, passes=2)
    attempt = begin(trial, StudyTerms(1e9, "", False, False), bars[0].take(np.arange(120)), {})
    attempt.learn(lambda: True)
    topics = attempt.run.method.topics(attempt.run.state)
    largest = sorted(range(27), key=lambda k: -topics.size[k])[:20]
    found = attempt.outcome
    assert len(topics.size) == 27
    assert list(found.words[-1]) == [str(topics.topic_ids[k]) for k in largest]
    assert list(found.sizes[-1].values()) == [topics.size[k] for k in largest]
    each = npmi(topics.topic_word, attempt.run.corpus)
    of_largest = np.mean([each[k] for k in largest])
    assert found.coherence == (pytest.approx(of_largest, abs=1e-6),)
    others = np.mean(each), np.mean([each[k] for k in largest[:10]])
    assert min(abs(of_largest - other) for other in others) > 1e-4


@pytest.mark.parametrize(
    ("asked", "read", "short"),
    [
        (3, (1.0, 3.0), False),
        (3, (1.0, 3.0 * (1 - 1e-12)), False),
        (3, (1.0, 2.99), True),
        (UNLIMITED, (1.0, 2.0), False),
        (3, (), False),
    ],
)
def test_a_trial_is_short_of_its_passes_by_more_than_rounding(asked, read, short):
    trial = Trial("one", 0, "lda-svi", 0, passes=asked)
    assert is_short(trial, TrialOutcome(passes=read)) == short


@pytest.mark.parametrize("one_split", [False, True])
@pytest.mark.parametrize("orders", [False, True])
def test_all_that_is_asked_of_a_trial_reaches_its_run(bars, one_split, orders):
    corpus, splits = bars[0].take(np.arange(120)), {}
    terms = StudyTerms(2.5, "tokens-90-10", orders, one_split)
    values = (("truncation", 9),)
    order, passes = ("stream", 1) if orders else ("shuffled", 4)
    trial = Trial("one", 3, "hdp-svi", 5, 7, "hoffman-2013", values, order, passes=passes)
    attempt = begin(trial, terms, corpus, splits)
    run = attempt.run
    assert run.method == make_method("hdp-svi", "hoffman-2013", {"truncation": 9})
    assert (run.batch_size, run.passes, run.order) == (7, passes, order)
    assert run.seed == (3005 if orders else 5)
    assert (run.pool, run.clock, run.heldout) == (None, time.thread_time, None)
    assert (attempt.share, attempt.progress, attempt.ended) == (2.5, 0.0, False)
    expected = split_heldout(corpus, 0 if one_split else 5, 30, "tokens-90-10")
    assert split_of(run.corpus, attempt.heldout) == split_of(*expected)
    for seed in (6, 7):
        begin(replace(trial, seed=seed), terms, corpus, splits)
    keys = [0] if one_split else [6, 7]
    assert list(splits) == [(seed, "tokens-90-10") for seed in keys], "two at most are kept"
