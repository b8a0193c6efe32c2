"""What a score was asked of and remembers, which protocol is asked, and who is held out."""

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.corpus.weighted import Weighted
from bnpexplorer.evaluate import (
    PROTOCOLS,
    Remembered,
    default_protocol,
    heldout,
    importance_log_likelihood,
    left_to_right_log_likelihood,
    npmi,
    perplexity,
    score,
    split_heldout,
    split_of,
    umass,
)
from bnpexplorer.models.dpm import DPMixture
from bnpexplorer.models.hdp import HDP
from tests.evaluate.test_heldout import drawn_corpus, some_topics

score_module = import_module("bnpexplorer.evaluate.score")  # its name is a function's, too

# ---- what a score knows and remembers ------------------------------------------------------------


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_score_knows_its_protocol_and_of_what_it_was_asked(protocol):
    """Of the words, those that were predicted, whatever else the documents have."""
    _, asked = split_heldout(drawn_corpus(), 4, 7, protocol)
    mixture = protocol == "exact"
    topics = some_topics(3, 40, concentration=float("nan") if mixture else 3.0)
    found = score(DPMixture() if mixture else HDP(), topics, asked)
    predicted = int(asked.hidden.to_csr().toarray().sum())
    whole = int(asked.whole.to_csr().toarray().sum())
    assert (predicted < whole) == (protocol not in ("exact", "importance"))
    assert (found.protocol, found.n_docs) == (protocol, 7)
    assert (found.n_tokens, found.n_words) == (predicted, 40)


KEPT = [some_topics(4, 40, seed=seed) for seed in range(3)]


@pytest.mark.parametrize(
    "protocol", ["completion", "tokens-90-10", "completion-4-starts", "importance"]
)
def test_kept_states_are_asked_once_as_long_as_they_are_kept(protocol, monkeypatch):
    """But for importance sampling, which draws anew; the score is the same either way."""
    asked, predict = [], score_module._log_documents
    if protocol != "importance":
        predict = score_module.completion_by_start

    def noted(model, topics, *others):
        asked.append(next(i for i, one in enumerate(KEPT) if one is topics))
        return predict(model, topics, *others)

    _, heldout = split_heldout(drawn_corpus(), 4, 7, protocol)
    monkeypatch.setattr(score_module, predict.__name__, noted)
    remembered, found = Remembered(), []
    turns = [(0, 1), (1, 2), (1, 2), (0, 2)]
    for turn in turns:
        kept = tuple((1.0 + i, KEPT[i]) for i in turn)
        found.append(score(HDP(), KEPT[0], heldout, kept=kept, remembered=remembered))
        asked.append(-1)
        assert score(HDP(), KEPT[0], heldout, kept=kept) == found[-1]
        del asked[-2:]
    new = [(0, 1), (2,), (), (0,)] if protocol != "importance" else turns
    assert asked == [i for turn in new for i in (*turn, -1)]
    assert len(set(found)) == 3


def test_the_topics_of_now_are_not_remembered(monkeypatch):
    """They may be written into: only states that are kept never change."""
    _, heldout = split_heldout(drawn_corpus(), 4, 7)
    remembered, topics = Remembered(), replace(KEPT[0], topic_word=KEPT[0].topic_word.copy())
    before = score(HDP(), topics, heldout, remembered=remembered)
    topics.topic_word[:] = KEPT[1].topic_word
    after = score(HDP(), topics, heldout, remembered=remembered)
    assert after == score(HDP(), topics, heldout) != before


@pytest.mark.parametrize(("value", "finite"), [(-699.0, True), (-700.0, False), (-1e4, False)])
def test_a_score_beyond_all_numbers_has_an_infinite_perplexity(value, finite):
    assert np.isfinite(perplexity(value)) == finite


# ---- which protocol ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sizes", "dense"),
    [
        ([2, 2, 2], False),  # a fifth of ten words, and not more
        ([2, 2, 3, 10], True),  # in the middle 2.5
        ([2, 2, 2, 10], False),
        ([1, 3, 3], True),
        ([1, 1, 10], False),
    ],
)
def test_where_a_typical_document_has_more_than_a_fifth_of_the_words_tokens_are_hidden(
    sizes, dense
):
    """But not of words with weights, which have no tokens; and a mixture has an exact score."""
    corpus = Corpus.from_csr((np.arange(10) < np.array(sizes)[:, None]).astype(int))
    assert corpus.n_words == 10
    weighted = Weighted.of(corpus, corpus.counts * 0.7)
    for model in ("lda", "hdp", "gdp"):
        hidden = "tokens-90-10" if dense else "completion"
        assert default_protocol(model, corpus) == f"{hidden}-4-starts"
        assert default_protocol(model, weighted) == "completion-4-starts"
    assert default_protocol("dpm", corpus) == "exact"


# ---- who is held out -----------------------------------------------------------------------------


def test_a_split_is_told_by_what_is_learned_seen_and_hidden():
    """The same documents with other words hidden are another split."""
    corpus = drawn_corpus()
    learned, asked = split_heldout(corpus, 4, 7)
    _, other = split_heldout(corpus, 4, 7, "tokens-90-10")
    assert other.whole.fingerprint == asked.whole.fingerprint
    names = [split_of(learned, one) for one in (asked, other, None)]
    assert len({*names, split_of(corpus, asked)}) == 4
    assert names[0].split() == [
        part.fingerprint for part in (learned, asked.observed, asked.hidden)
    ]
    assert names[2] == learned.fingerprint


def test_no_more_are_held_out_by_default_than_are_long_enough():
    corpus = Corpus.from_csr(np.vstack([np.eye(40, dtype=int), [[1, 2, *[0] * 38]] * 2]))
    _, asked = split_heldout(corpus, 0)
    assert asked.whole.n_docs == 2, "a tenth of 42 would be 4"
    said = (
        "Cannot hold out 3 documents: the corpus has 42, of which 2 are long enough to test on, "
        "and at least one must remain; take at most 2."
    )
    with pytest.raises(ValueError, match=said):
        split_heldout(corpus, 0, 3)


@pytest.mark.parametrize(("n", "protocol"), [(9, "completion"), (20, "exact"), (26, "completion")])
def test_of_a_large_corpus_distinct_documents_are_drawn_that_are_long_enough(
    n, protocol, monkeypatch
):
    """Half of the documents have one word; drawn in threes, so that many draws are needed."""
    rng = np.random.default_rng(3)
    counts = np.eye(60, 30, dtype=int)
    counts[:, 0] += 1
    counts[30:] = 0
    counts[30:, 5] = rng.integers(1, 9, 30)
    corpus = Corpus.from_csr(counts)
    monkeypatch.setattr(heldout, "is_large", lambda _: True)
    monkeypatch.setattr(heldout, "DRAWN", 3)
    learned, asked = split_heldout(corpus, 1, n, protocol)
    held = asked.whole.to_csr().toarray()
    assert (learned.n_docs, len(held)) == (60 - n, n)
    if protocol == "completion":
        assert (held > 0).sum(axis=1).tolist() == [2] * n
    both = np.vstack([learned.to_csr().toarray(), held])
    assert sorted(both.tolist()) == sorted(corpus.to_csr().toarray().tolist())
    again, other = (split_heldout(corpus, seed, n, protocol)[1].whole for seed in (1, 2))
    assert again.fingerprint == asked.whole.fingerprint != other.fingerprint


# ---- what is taken where nothing is said ---------------------------------------------------------


def test_coherence_is_that_of_ten_words_where_nothing_is_said():
    corpus = drawn_corpus(60, 40, 8)
    topics = some_topics(3, 40).topic_word
    for measure in (npmi, umass):
        usual = measure(topics, corpus)
        np.testing.assert_array_equal(usual, measure(topics, corpus, 10))
        assert not np.allclose(usual, measure(topics, corpus, 11))


def test_sampled_likelihoods_take_so_many_samples_where_nothing_is_said():
    docs, topics = drawn_corpus(4, 40, 12), some_topics(3, 40)

    def of(estimate, *numbers, **more):
        return estimate(topics, docs, np.random.default_rng(3), *numbers, **more).tolist()

    usual = of(importance_log_likelihood)
    assert usual == of(importance_log_likelihood, 1000, n_iterations=5)
    assert usual != of(importance_log_likelihood, 1000, n_iterations=4)
    assert of(left_to_right_log_likelihood) == of(left_to_right_log_likelihood, 20)
