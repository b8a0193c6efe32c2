"""Learned values that run to their limits: a sentence that says what to do."""

import math

import numpy as np
import pytest

from bnpexplorer import Plan
from bnpexplorer.checks.expecting import finish
from bnpexplorer.corpus import Corpus
from bnpexplorer.inference import concentrations
from bnpexplorer.models.dpm import DPMixture
from bnpexplorer.models.hdp import HDP
from bnpexplorer.models.lda import LDA
from bnpexplorer.runs.at_limits import at_limits
from bnpexplorer.state.snapshot import TracePoint


def row(**learned):
    return TracePoint(1, 8, 0.1, 2, math.nan, -8.0, {"log joint": 0.001, **learned})


@pytest.mark.parametrize(
    ("model", "name", "limit", "said"),
    [
        (HDP(), "alpha", 0.001, "lower limit, 0.001: each document has one topic. Learn clusters"),
        (HDP(), "alpha", 1000.0, "upper limit, 1000: all documents mix the topics alike. Start"),
        (LDA(), "alpha", 0.001, "lower limit, 0.001: each document has one topic. Learn clusters"),
        (LDA(), "alpha", 100.0, "upper limit, 100: all documents mix the topics alike. Start"),
        (HDP(), "gamma", 0.001, "lower limit, 0.001: one topic holds nearly everything. Start"),
        (DPMixture(), "gamma", 1000.0, "upper limit, 1000: nearly every document opens a cluster."),
        (HDP(), "eta", 0.001, "lower limit, 0.001: each topic has few words. Start again with"),
        (DPMixture(), "eta", 100.0, "upper limit, 100: all clusters have the same words. Start"),
    ],
)
def test_each_limit_has_its_sentence(model, name, limit, said):
    (sentence,) = at_limits(model, [row(), row(**{name: limit}), row(**{name: limit})])
    assert sentence.startswith(f"{name} has run to its {said}")
    assert "{" not in sentence
    away = row(**{name: 1.3 * limit if limit < 1.0 else limit / 1.3})
    assert at_limits(model, [away, away]) == []


def test_one_row_alone_and_values_that_are_not_learned_say_nothing():
    low, usual = row(alpha=0.001), row(alpha=0.5)
    assert at_limits(HDP(), []) == at_limits(HDP(), [low]) == []
    assert at_limits(HDP(), [usual, low]) == at_limits(HDP(), [low, usual]) == []
    assert at_limits(HDP(), [low, low, row()]) == at_limits(HDP(), [row(), row()]) == []
    assert at_limits(LDA(), [row(alpha=1000.0)] * 2) == [], "out of LDA's range"


def test_two_values_at_their_limits_are_told_of_both():
    rows = [row(alpha=0.001, eta=100.0)] * 2
    assert [said.partition(" ")[0] for said in at_limits(HDP(), rows)] == ["alpha", "eta"]


def test_texts_of_one_subject_each_bring_alpha_to_its_limit():
    rng = np.random.default_rng(0)
    counts = np.zeros((900, 20), int)
    for d in range(900):
        counts[d, 10 * (d % 2) : 10 * (d % 2) + 10] = rng.multinomial(12, np.full(10, 0.1))
    corpus = Corpus.from_csr(counts)
    plan = Plan.of("hdp-tsvi", values={"learn_alpha": True}, passes=30)
    run = finish(plan.start(corpus))
    assert run.topics.concentration < 1.25 * concentrations.SMALLEST
    (said,) = at_limits(run.method.model, run.snapshot().trace)
    assert said.startswith("alpha has run to its lower limit, 0.001: each document has one topic.")
    fixed = finish(Plan.of("hdp-tsvi", passes=4).start(corpus))
    assert at_limits(fixed.method.model, fixed.snapshot().trace) == []
