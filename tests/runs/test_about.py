"""Test topics by a number that somebody chooses, and what each number is said to keep."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer import Plan, make_method, score
from bnpexplorer.checks.expecting import draw_bars, finish
from bnpexplorer.evaluate import PROTOCOLS, score_by_document, split_heldout, unigram_score
from bnpexplorer.explore import lineage
from bnpexplorer.explore.lineage import made_of
from bnpexplorer.runs.about import COUNTS, Granularity, Pricing, about, fewest, granularities
from bnpexplorer.runs.beginning import tokens_of
from bnpexplorer.runs.run import Run
from tests.corpus.test_enough import planted

CORPUS = draw_bars(120, 5)[0]


@pytest.fixture(scope="module")
def parent():
    return finish(Plan.of("hdp-gibbs", seed=4, passes=25).split_and_start(CORPUS, "mine"))


def test_a_run_about_n_topics_begins_at_its_largest(parent):
    child = parent.about(7)
    assert len(child.topics) == 7
    assert child.name == "mine, about 7 topics"
    np.testing.assert_array_equal(child.given.largest(7), tokens_of(parent.topics)[:7])
    method, given = child.method, parent.topics
    assert (method.name, method.model.n_topics, child.seed) == ("lda-gibbs", 7, 4)
    assert method.model.eta == given.eta
    assert method.model.alpha == given.concentration / 7
    assert method.learn_alpha
    assert len(method.kept(child.state)) == 5
    assert child.corpus is parent.corpus
    assert child.heldout is parent.heldout


def test_it_is_the_same_each_time(parent):
    one, other = about(parent, 3), about(parent, 3)
    np.testing.assert_array_equal(one.topics.topic_word, other.topics.topic_word)
    assert one.history[-1].heldout == other.history[-1].heldout


def test_what_each_number_keeps_is_its_share_of_the_gain_over_word_frequencies(parent):
    found = granularities(parent, (9, 2, 4, 500))
    assert [one.n_topics for one in found] == [2, 4, 9]
    largest = tokens_of(parent.topics)
    base, whole = unigram_score(parent.corpus, parent.heldout), _score(parent)
    for one in found:
        child = parent.about(one.n_topics)
        np.testing.assert_array_equal(one.topics.topic_word, child.topics.topic_word)
        np.testing.assert_array_equal(one.topics.size, child.topics.size)
        assert one.score == pytest.approx(_score(child), rel=1e-12)
        assert one.kept == pytest.approx((_score(child) - base) / (whole - base), rel=1e-9)
        error = _error_of_ratio(child, parent) / (whole - base)
        assert one.error == pytest.approx(error, rel=1e-9)
        assert (one.model.n_topics, one.model.eta) == (one.n_topics, parent.topics.eta)
        assert one.model.alpha == pytest.approx(child.state.alpha)
    assert found[0].kept < found[2].kept
    assert [one.score for one in parent.granularities(4)] == [found[1].score]
    assert [one.n_topics for one in parent.granularities()] == [
        n for n in COUNTS if n < len(largest)
    ]


def test_each_topic_is_known_by_that_of_the_run_it_shares_most_words_with(parent):
    run = parent.topics
    theta = parent.method.model.fold_in(run, parent.corpus)
    (one,) = granularities(parent, [2])
    child, expected = parent.about(2), np.zeros((2, len(run)))
    words = np.repeat(parent.corpus.word_ids, parent.corpus.counts)
    document = np.repeat(np.arange(parent.corpus.n_docs), parent.corpus.doc_lengths)
    for d, w, n in zip(document, words, child.state.tokens.topic, strict=True):
        of = theta[d] * run.topic_word[:, w]
        expected[n] += of / of.sum()
    np.testing.assert_allclose(one.made_of, expected, rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(one.made_of.sum(axis=1), child.topics.size, rtol=1e-9)
    np.testing.assert_array_equal(one.of, run.topic_ids)
    ways = itertools.permutations(range(len(run)), 2)
    best = max(ways, key=lambda way: sum(expected[n, k] for n, k in enumerate(way)))
    np.testing.assert_array_equal(one.topics.topic_ids, run.topic_ids[list(best)])


def test_of_many_words_documents_evenly_chosen_are_looked_at(parent, monkeypatch):
    child, corpus = parent.about(4), parent.corpus
    model, run = parent.method.model, parent.topics
    whole = made_of(model, run, child.state.tokens, 4, corpus)
    monkeypatch.setattr(lineage, "BLOCK", 7)
    np.testing.assert_allclose(made_of(model, run, child.state.tokens, 4, corpus), whole)
    monkeypatch.setattr(lineage, "MOST_TOKENS", corpus.n_tokens // 3)
    some = made_of(model, run, child.state.tokens, 4, corpus)
    rows = np.arange(0, corpus.n_docs, 4)
    assert some.sum() == pytest.approx(corpus.doc_lengths[rows].sum())
    topic = [
        child.state.tokens.topic[slice(*child.state.tokens.doc_start[d : d + 2])] for d in rows
    ]
    np.testing.assert_allclose(some.sum(axis=1), np.bincount(np.concatenate(topic), minlength=4))


@pytest.mark.parametrize(
    ("n", "kept", "said"),
    [
        (30, 0.874, "30 topics keep 87 % (± 4) of what 1,189 gain over word frequencies on "),
        (1, 0.3, "1 topic keeps 30 % (± 4) of what 1,189 gain over word frequencies on "),
        (5, 1.02, "5 topics keep all of what 1,189 gain over word frequencies on "),
    ],
)
def test_what_a_number_keeps_is_said_in_a_sentence(n, kept, said, monkeypatch):
    monkeypatch.setattr(Granularity, "n_topics", n)
    monkeypatch.setattr(Granularity, "empty", "")
    told, made = Granularity(None, None, None, -7.0, kept, 0.042).sentences(1189)
    assert told.replace("\u00a0", " ") == f"{said}held-out words."
    assert made == (
        f"Each began at one of the {n} largest of 1,189, and the sampler read the texts 20 more "
        "times with these alone."
    )
    assert Granularity(None, None, None, -7.0, math.nan, math.nan).sentences(1189) == ("", made)


@pytest.fixture(scope="module")
def crowded():
    """Many more topics than 30 short texts of four subjects fill."""
    corpus = planted(0, 30, 20)[0]
    return finish(Plan.of("hdp-svi", passes=10).split_and_start(corpus))


def test_topics_that_end_without_words_are_told_of_with_what_to_do(crowded, parent, recwarn):
    n_all = int(crowded.topics.in_use.sum())
    child = crowded.about(n_all)
    left = int(child.topics.in_use.sum())
    assert 1 < left < n_all - 1
    said = (
        f"{n_all - left} of these {n_all} topics hold no words, since the others took them all: "
        f"choose {left} or fewer."
    )
    assert [str(warning.message) for warning in recwarn] == [said]
    size = np.where(child.topics.size > 0.0, child.topics.size, 3.0)
    size[0] = 0.0
    topics = replace(child.topics, size=size)
    one = Granularity(topics, None, None, -7.0, 0.8, 0.04)
    assert one.empty.startswith(f"1 of these {n_all} topics holds no word, since")
    assert one.sentences(500)[0].endswith(f"on held-out words. {one.empty}")
    assert replace(one, kept=math.nan).sentences(500)[0] == one.empty
    full = Granularity(replace(topics, size=size + 1.0), None, None, -7.0, 0.8, 0.04)
    assert full.empty == ""
    assert full.sentences(500)[0].endswith("on held-out words.")
    parent.about(3)
    assert len(recwarn) == 1, "all of these hold words"


def test_nothing_is_priced_where_nothing_is_held_out(parent):
    run = finish(Plan.of("hdp-gibbs", seed=4, passes=4).start(CORPUS))
    (one,) = granularities(run, [3])
    assert np.isnan([one.score, one.error, one.kept]).all()
    np.testing.assert_array_equal(one.topics.topic_word, run.about(3).topics.topic_word)


def test_a_run_that_goes_on_meanwhile_changes_nothing(parent):
    run = finish(Plan.of("hdp-gibbs", seed=4, passes=4).split_and_start(CORPUS))
    run.passes = 8
    expected, pricing = granularities(run, [3]), Pricing(run, [3])
    finish(run)
    (one,), (other,) = pricing.work(), expected
    assert (one.score, one.error, one.kept) == (other.score, other.error, other.kept)
    np.testing.assert_array_equal(one.topics.topic_word, other.topics.topic_word)


def _score(run):
    kept = run.method.kept(run.state)
    return float(score(run.method.model, run.topics, run.heldout, kept=kept))


def _error_of_ratio(one, other):
    """By Taylor's formula for a ratio of two means, with sample variances and covariance."""
    model, hidden = one.method.model, one.heldout.hidden
    sums = [
        score_by_document(run.method.model, run.topics, run.heldout, run.method.kept(run.state))
        for run in (one, other)
    ]
    more, words = sums[0] - sums[1], hidden.doc_lengths.astype(float)
    ratio, (variances, n) = more.mean() / words.mean(), (np.cov(more, words), len(words))
    spread = variances[0, 0] - 2 * ratio * variances[0, 1] + ratio**2 * variances[1, 1]
    assert model.name == "lda"
    return math.sqrt(spread / n) / words.mean()


def test_nothing_is_told_of_a_gain_that_noise_would_decide():
    stiff = {"eta": 90.0}  # topics that hardly differ
    run = finish(Plan.of("lda-gibbs", values=stiff, passes=12).split_and_start(CORPUS))
    assert _score(run) - unigram_score(run.corpus, run.heldout) < 0.05
    (one,) = granularities(run, [1])
    assert math.isnan(one.kept)
    assert math.isnan(one.error)
    assert math.isfinite(one.score)


@pytest.mark.parametrize(
    ("kept", "n_topics"), [((0.5, 0.89, 0.9, 0.99), 3), ((0.2, 0.95, 0.7, 1.1), 2), ((0.1,), None)]
)
def test_the_fewest_that_keep_enough_are_proposed(kept, n_topics, monkeypatch):
    monkeypatch.setattr(Granularity, "n_topics", property(lambda one: one.topics))
    found = fewest(
        [Granularity(i + 1, None, None, 0.0, share, 0.0) for i, share in enumerate(kept)]
    )
    assert (None if found is None else found.topics) == n_topics


def test_refused_is_what_has_no_such_topics(parent):
    n_there = int(parent.topics.in_use.sum())
    with pytest.raises(ValueError, match=f"^mine has {n_there} topics; choose at most so many.$"):
        parent.about(n_there + 1)
    with pytest.raises(ValueError, match="n_topics must lie in the range from 1"):
        parent.about(0)
    with pytest.raises(ValueError, match="new has 0 topics; choose"):
        Plan.of("hdp-gibbs").start(CORPUS, name="new").about(2)
    clusters = finish(Plan.of("dpm-gibbs", passes=2).start(CORPUS, name="groups"))
    with pytest.raises(ValueError, match="groups has clusters, to one of which"):
        clusters.about(2)
    with pytest.raises(ValueError, match="groups has clusters, to one of which"):
        granularities(clusters)


@pytest.mark.parametrize(
    "protocol", ["completion", "tokens-90-10", pytest.param("exact", marks=pytest.mark.second)]
)
def test_scores_of_documents_are_those_of_the_score(protocol):
    name = "dpm-gibbs" if protocol == "exact" else "hdp-gibbs"
    assert make_method(name).model.name in PROTOCOLS[protocol].models
    train, heldout = split_heldout(CORPUS, 3, 11, protocol)
    run = finish(Run(make_method(name), train, 0, 109, 20, heldout=heldout))
    model, kept = run.method.model, run.method.kept(run.state)
    by_document = score_by_document(model, run.topics, heldout, kept)
    assert by_document.shape == (11,)
    whole = score(model, run.topics, heldout, kept=kept)
    assert by_document.sum() / heldout.hidden.n_tokens == pytest.approx(float(whole), rel=1e-12)
    for d in (0, 4, 10):
        alone = type(heldout)(protocol, *(part.take(np.array([d])) for part in heldout.parts))
        one = float(score(model, run.topics, alone, kept=kept)) * alone.hidden.n_tokens
        assert by_document[d] == pytest.approx(one, rel=1e-10)
