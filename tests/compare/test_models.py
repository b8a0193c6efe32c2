"""Topics against clusters on the same held-out documents: which predict better, by what margin."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.claims.claim import MARGIN
from bnpexplorer.compare import models
from bnpexplorer.compare.models import LONG, ModelsCompared, alike, trial_of
from bnpexplorer.evaluate import score_by_document
from bnpexplorer.runs.plan import Plan
from tests.runs.test_recommend import one_topic_each

WON = ModelsCompared(topics=-5.97, clusters=-4.81, margin=0.12, n_heldout=150, length=7.0)


def test_clusters_that_win_are_recommended_with_both_scores_and_the_margin():
    assert WON.better == "clusters"
    assert WON.sentence == (
        "Clusters predict the hidden words of 150 held-out documents 3.2 times as well as topics: "
        "-4.810 against -5.970 log likelihood per word, more than the margin of 0.120. Use "
        "clusters for these texts."
    )


def test_clusters_of_long_texts_come_with_a_caution():
    assert replace(WON, length=LONG - 0.1).sentence == WON.sentence
    assert replace(WON, length=168.0).sentence == (
        f"{WON.sentence} These texts are long (168 words on average), so that clusters are many "
        "and small, and several may be on one subject."
    )


def test_topics_that_win_are_kept():
    won = replace(WON, topics=-5.0, clusters=-5.3, length=168.0)
    assert won.better == "topics"
    assert won.sentence == (
        "Topics predict the hidden words of 150 held-out documents 35 % better than clusters: "
        "-5.000 against -5.300 log likelihood per word, more than the margin of 0.120. Keep topics."
    )


@pytest.mark.parametrize("clusters", [-5.88, -6.06])
def test_within_the_margin_neither_is_better(clusters):
    close = replace(WON, clusters=clusters, length=168.0)
    assert close.better == ""
    assert close.sentence == (
        "Clusters and topics predict the hidden words of 150 held-out documents equally well: "
        f"{clusters:.3f} and -5.970 log likelihood per word, a difference within the margin of "
        "0.120. Take clusters if one group for each text is enough."
    )


def ended(method, preset="default", seed=3, steps=None, **values):
    chosen = {"passes": 20, "n_heldout": 20, "protocol": "completion"}
    plan = Plan.of(method, preset, values, seed=seed, **chosen)
    run = plan.split_and_start(one_topic_each())
    while not run.done and run.n_steps != steps:
        run.step()
    return run


@pytest.fixture(scope="module")
def pair():
    return ended("hdp-gibbs", learn_alpha=True), ended("dpm-gibbs", "short-texts")


def test_a_trial_tells_the_scores_of_both_runs(pair):
    topics, clusters = pair
    trial = trial_of(topics, clusters)
    assert trial.topics == pytest.approx(topics.history[-1].heldout, abs=1e-12)
    assert trial.clusters == pytest.approx(clusters.history[-1].heldout, abs=1e-12)
    assert trial.n_heldout == 20
    assert trial.length == topics.corpus.n_tokens / 100


def test_the_margin_is_two_standard_errors_over_documents(pair):
    """Against the spread of the difference over documents that are drawn anew, 20,000 times."""
    topics, clusters = pair
    trial = trial_of(topics, clusters)
    logs = []
    for run in pair:
        now = run.snapshot(with_kept=True)
        logs.append(score_by_document(run.method.model, now.topics, run.heldout, now.kept))
    rows = np.random.default_rng(0).integers(20, size=(20_000, 20))
    words = topics.heldout.hidden.doc_lengths[rows].sum(axis=1)
    gains = (logs[1] - logs[0])[rows].sum(axis=1) / words
    assert trial.margin == pytest.approx(2.0 * gains.std() * (20 / 19) ** 0.5, rel=0.05)


def test_the_margin_is_never_below_what_means_something(pair, monkeypatch):
    topics, clusters = pair
    same = np.full(20, -1.0)
    monkeypatch.setattr(models, "score_by_document", lambda *_: same)
    assert trial_of(topics, clusters).margin == MARGIN
    assert trial_of(topics, clusters).better == ""


def test_only_topics_and_clusters_that_were_scored_alike_are_held_against_each_other(pair):
    topics, clusters = pair
    assert alike(topics, clusters)
    assert not alike(clusters, topics)
    assert not alike(topics, topics)
    assert not alike(clusters, clusters)
    elsewhere = ended("dpm-gibbs", seed=4, steps=1)
    assert not alike(topics, elsewhere)
    assert trial_of(topics, elsewhere) is None
    other = SimpleNamespace(**{name: getattr(clusters, name) for name in ("method", "corpus")})
    other.heldout, other.protocol = clusters.heldout, "exact"
    assert not alike(topics, other)
    assert trial_of(topics, ended("dpm-gibbs", steps=1)) is None, "clusters that go on"
    unscored = Plan.of("hdp-gibbs", passes=1).start(one_topic_each())
    assert trial_of(unscored, clusters) is None
