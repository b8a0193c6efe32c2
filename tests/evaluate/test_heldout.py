"""Splits and the completion score against definitions written out in plain Python."""

from dataclasses import replace
from math import exp, log

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Corpus, CorpusError
from bnpexplorer.evaluate import (
    PROTOCOLS,
    Heldout,
    default_protocol,
    heldout_of,
    heldout_size,
    perplexity,
    score,
    split_heldout,
    unigram_score,
)
from bnpexplorer.evaluate import heldout as heldout_module
from bnpexplorer.inference.pool import Threads
from bnpexplorer.models.hdp import HDP
from bnpexplorer.models.lda import LDA
from bnpexplorer.state.snapshot import Topics


def drawn_corpus(n_docs: int = 60, n_words: int = 40, length: float = 30, seed: int = 1) -> Corpus:
    rng = np.random.default_rng(seed)
    return HDP(gamma=2.0, alpha=2.0, eta=0.2).sample(rng, n_docs, n_words, length).corpus


def some_topics(
    n_topics: int, n_words: int, seed: int = 2, unseen: float = 0.1, concentration: float = 3.0
) -> Topics:
    rng = np.random.default_rng(seed)
    topic_word = rng.dirichlet(np.full(n_words, 0.3), n_topics).reshape(n_topics, n_words)
    weight = (1.0 - unseen) * rng.dirichlet(np.ones(n_topics)) if n_topics else np.zeros(0)
    return Topics(
        topic_word=topic_word.astype(np.float32),
        total=np.full(n_topics, 100.0),
        size=100.0 * weight,
        weight=weight,
        unseen=unseen if n_topics else 1.0,
        topic_ids=np.arange(n_topics),
        concentration=concentration,
        gamma=1.0,
        eta=0.1,
    )


def counts_of(corpus: Corpus, d: int) -> dict[int, int]:
    entries = slice(corpus.indptr[d], corpus.indptr[d + 1])
    return dict(
        zip(corpus.word_ids[entries].tolist(), corpus.counts[entries].tolist(), strict=True)
    )


# ---- the split -----------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_documents_that_nobody_learned_are_all_held_out(protocol):
    """Those too short apart, and divided as a split divides them: the same draws in their order."""
    corpus = Corpus.from_csr([[1, 0, 0, 0], [3, 0, 0, 0], [2, 1, 4, 1], [0, 2, 2, 5]])
    heldout = heldout_of(corpus, 5, protocol)
    hides = {"completion": [2, 3], "tokens-90-10": [1, 2, 3]}
    kept = hides.get(protocol.removesuffix("-4-starts"), [0, 1, 2, 3])
    observed, hidden, whole = (part.to_csr().toarray() for part in heldout.parts)
    np.testing.assert_array_equal(whole, corpus.to_csr().toarray()[kept])
    np.testing.assert_array_equal(observed + hidden, whole)
    assert hidden.sum(axis=1).min() > 0
    assert {part.counts.dtype for part in heldout.parts} == {corpus.counts.dtype}
    if len(kept) < 4:  # else the document of one word may be drawn
        learned, split = split_heldout(corpus.take([0, *kept]), 5, len(kept), protocol)
        assert learned.doc_lengths.tolist() == [1]
        np.testing.assert_array_equal(split.hidden.to_csr().toarray(), hidden)
    again = heldout_of(corpus, 5, protocol)
    np.testing.assert_array_equal(again.hidden.to_csr().toarray(), hidden)


def test_nothing_to_hold_out():
    short = Corpus.from_csr([[1, 0], [0, 1]])
    with pytest.raises(CorpusError, match="No document has two tokens"):
        heldout_of(short, 0, "tokens-90-10")
    with pytest.raises(ValueError, match="protocol must be one of"):
        heldout_of(short, 0, "guess")


def test_completion_hides_half_of_the_distinct_words_with_all_their_tokens():
    _, heldout = split_heldout(drawn_corpus(), seed=3, n=25)
    for d in range(25):
        whole = counts_of(heldout.whole, d)
        observed, hidden = counts_of(heldout.observed, d), counts_of(heldout.hidden, d)
        assert not observed.keys() & hidden.keys()
        assert observed | hidden == whole  # every word keeps its whole count
        assert len(hidden) == len(whole) // 2
        assert len(observed) >= 1


def test_hidden_words_are_a_uniformly_random_half():
    counts = np.ones((4000, 4), int)
    _, heldout = split_heldout(Corpus.from_csr(counts), seed=0, n=3000)
    pairs = heldout.hidden.word_ids.reshape(3000, 2)
    frequency = np.bincount(4 * pairs[:, 0] + pairs[:, 1], minlength=16)
    seen = frequency[frequency > 0]
    assert len(seen) == 6  # all pairs of four words
    assert np.sum((seen - 500) ** 2 / 500) < 25.0  # chi-squared, 5 degrees: p = 1e-4


def test_90_10_keeps_token_totals_and_hides_a_tenth():
    _, heldout = split_heldout(drawn_corpus(), seed=3, n=25, protocol="tokens-90-10")
    for d in range(25):
        whole = counts_of(heldout.whole, d)
        observed, hidden = counts_of(heldout.observed, d), counts_of(heldout.hidden, d)
        for w, c in whole.items():
            assert observed.get(w, 0) + hidden.get(w, 0) == c
        assert sum(hidden.values()) == max(1, round(0.1 * sum(whole.values())))
        assert observed


def test_90_10_hides_each_token_with_equal_probability():
    counts = np.tile([1, 4, 15], (3000, 1))
    _, heldout = split_heldout(Corpus.from_csr(counts), seed=0, n=2000, protocol="tokens-90-10")
    shares = np.bincount(heldout.hidden.word_ids, weights=heldout.hidden.counts) / 4000
    np.testing.assert_allclose(shares, [0.05, 0.2, 0.75], atol=0.02)


@pytest.mark.parametrize("protocol", ["exact", "importance"])
def test_whole_document_protocols_hide_everything(protocol):
    corpus = drawn_corpus()
    _, heldout = split_heldout(corpus, seed=3, n=7, protocol=protocol)
    assert heldout.observed.n_docs == heldout.hidden.n_docs == heldout.whole.n_docs == 7
    assert heldout.observed.n_tokens == 0
    assert heldout.hidden.fingerprint == heldout.whole.fingerprint


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_training_and_test_documents_make_up_the_corpus(protocol):
    corpus = drawn_corpus()
    numbered = replace(corpus, docs=replace(corpus.docs, id=np.arange(60).astype(str)))
    train, heldout = split_heldout(numbered, seed=5, n=11, protocol=protocol)
    assert train.docs.id is not None
    assert heldout.whole.docs.id is not None
    ids = [*train.docs.id, *heldout.whole.docs.id]
    assert sorted(ids, key=int) == numbered.docs.id.tolist()
    for part, table in ((train, train.docs.id), (heldout.whole, heldout.whole.docs.id)):
        for d, name in enumerate(table):
            assert counts_of(part, d) == counts_of(corpus, int(name))
    assert heldout.hidden.docs.id.tolist() == heldout.whole.docs.id.tolist()


def test_equal_seeds_give_equal_splits_and_other_seeds_do_not():
    corpus = drawn_corpus()
    train, heldout = split_heldout(corpus, seed=7)
    np.random.default_rng(7).random(1000)  # other use of the same seed, as in training
    again, heldout_again = split_heldout(corpus, seed=7)
    assert train.fingerprint == again.fingerprint
    assert heldout.observed.fingerprint == heldout_again.observed.fingerprint
    assert heldout.hidden.fingerprint == heldout_again.hidden.fingerprint
    _, other = split_heldout(corpus, seed=8)
    assert other.whole.fingerprint != heldout.whole.fingerprint


def test_every_protocol_takes_the_same_documents():
    corpus = drawn_corpus()
    prints = {split_heldout(corpus, 1, protocol=key)[1].whole.fingerprint for key in PROTOCOLS}
    assert len(prints) == 1


def test_default_size():
    assert split_heldout(drawn_corpus(60), 0)[1].whole.n_docs == 6
    assert split_heldout(Corpus.from_csr(np.ones((3, 4))), 0)[1].whole.n_docs == 1
    assert split_heldout(Corpus.from_csr(np.ones((6000, 2))), 0)[1].whole.n_docs == 500
    short = Corpus.from_csr([*[[1, 0]] * 38, [1, 1], [2, 3]])
    assert heldout_size(short) == split_heldout(short, 0)[1].whole.n_docs == 2, "no others will do"
    assert [heldout_size(short, protocol=p) for p in ("tokens-90-10", "exact")] == [2, 4]


def test_short_documents_stay_in_training():
    counts = np.array([[5, 0, 0], [1, 1, 0], [0, 7, 0], [0, 2, 2], [0, 0, 1]])
    train, heldout = split_heldout(Corpus.from_csr(counts), seed=0, n=2)
    assert train.n_docs == 3
    assert np.diff(heldout.whole.indptr).tolist() == [2, 2]
    _, tokens = split_heldout(Corpus.from_csr(counts), seed=0, n=4, protocol="tokens-90-10")
    assert tokens.whole.doc_lengths.tolist() == [5, 2, 7, 4]


def test_what_cannot_be_split_says_why():
    with pytest.raises(CorpusError, match="1 document; holding"):
        split_heldout(Corpus.from_csr(np.ones((1, 4))), 0)
    with pytest.raises(CorpusError, match="two distinct words"):
        split_heldout(Corpus.from_csr(np.eye(4)), 0)
    corpus = Corpus.from_csr(np.ones((5, 4)))
    with pytest.raises(ValueError, match="at most 4"):
        split_heldout(corpus, 0, n=5)
    with pytest.raises(ValueError, match="at least 1"):
        split_heldout(corpus, 0, n=0)
    with pytest.raises(ValueError, match="protocol must be one of"):
        split_heldout(corpus, 0, protocol="perplexity")


def test_a_document_of_more_tokens_than_numpy_draws_from_is_refused_and_no_sum_of_them(monkeypatch):
    monkeypatch.setattr(heldout_module, "MOST_TOKENS", 1020)
    corpus = Corpus.from_csr([[900, 99], [1013, 7]])
    assert heldout_of(corpus, 0, "tokens-90-10").hidden.doc_lengths.tolist() == [100, 102]
    said = (
        "A document has 1,021 tokens, and of one document 1,020 at most can be divided token by "
        "token; divide all counts, or hold out by another protocol."
    )
    with pytest.raises(CorpusError, match=f"^{said}$"):
        heldout_of(Corpus.from_csr([[900, 99], [1013, 8]]), 0, "tokens-90-10")


def test_protocols_describe_themselves():
    for protocol in PROTOCOLS.values():
        assert "given" in protocol.sentence  # what it conditions on
        assert protocol.sentence.endswith("higher is better.")
    sparse, dense = Corpus.from_csr(np.eye(20) + np.eye(20, k=1)), Corpus.from_csr(np.ones((5, 4)))
    for model in ("lda", "hdp", "dpm"):
        assert model in PROTOCOLS[default_protocol(model, sparse)].models
        assert model in PROTOCOLS["completion"].models
    assert default_protocol("dpm", sparse) == "exact"
    assert default_protocol("hdp", sparse) == "completion-4-starts"
    found = default_protocol("hdp", dense)
    assert found == "tokens-90-10-4-starts", "whole words hidden mislead there"
    for sizes, protocol in (
        ((2, 4), "completion"),  # the median is a fifth of the words
        ((2, 5), "tokens-90-10"),
        ((1, 1, 3, 9, 9), "completion"),
        ((1, 1, 4, 4, 4), "tokens-90-10"),
    ):
        corpus = Corpus.from_csr(np.arange(15) < np.array(sizes)[:, None])
        assert default_protocol("lda", corpus) == f"{protocol}-4-starts"


# ---- the completion score ------------------------------------------------------------------------


def naive_fold_in(topics: Topics, words: dict[int, int], start: float) -> list[float]:
    """The local step of LDA under fixed E beta, token by token, with a uniform rest topic."""
    from scipy.special import digamma

    n_words = topics.topic_word.shape[1]
    prior = [topics.concentration * w for w in [*topics.weight, topics.unseen]]
    beta = [*topics.topic_word.astype(float), np.full(n_words, 1 / n_words)]
    if topics.unseen == 0.0:
        prior, beta = prior[:-1], beta[:-1]
    gamma = [p + start / len(prior) for p in prior]
    for _ in range(2000):
        fresh = list(prior)
        for w, count in words.items():
            phi = [exp(digamma(g)) * b[w] for g, b in zip(gamma, beta, strict=True)]
            for k, value in enumerate(phi):
                fresh[k] += count * value / sum(phi)
        gamma = fresh
    return [g / sum(gamma) for g in gamma]


def naive_word_probabilities(topics: Topics, heldout: Heldout, d: int) -> np.ndarray:
    """The predictive distribution over all words, float64 (V,)."""
    n_words = heldout.whole.n_words
    start = heldout.observed.n_tokens / heldout.observed.n_docs
    theta = naive_fold_in(topics, counts_of(heldout.observed, d), start)
    p = np.zeros(n_words)
    for w in range(n_words):
        for k in range(len(topics)):
            p[w] += theta[k] * float(topics.topic_word[k, w])
        if len(theta) > len(topics):
            p[w] += theta[-1] / n_words
    return p


@pytest.mark.second
@pytest.mark.parametrize(("model", "unseen"), [(LDA(n_topics=4), 0.0), (HDP(), 0.15)])
@pytest.mark.parametrize("protocol", ["completion", "tokens-90-10"])
def test_score_against_its_definition(model, unseen, protocol):
    _, heldout = split_heldout(drawn_corpus(n_words=15), seed=4, n=5, protocol=protocol)
    topics = some_topics(4, 15, unseen=unseen)
    total, tokens = 0.0, 0
    for d in range(5):
        p = naive_word_probabilities(topics, heldout, d)
        assert p.sum() == pytest.approx(1.0, abs=1e-6)
        for w, count in counts_of(heldout.hidden, d).items():
            total += count * log(p[w])
            tokens += count
    assert score(model, topics, heldout) == pytest.approx(total / tokens, abs=1e-4)


def all_words_hidden(heldout: Heldout) -> Heldout:
    """The same observed parts, and every word of the vocabulary hidden once."""
    corpus = heldout.observed
    everything = Corpus.from_csr(np.ones((corpus.n_docs, corpus.n_words), int))
    return replace(heldout, hidden=everything)


@pytest.mark.parametrize("model", [LDA(), HDP()])
def test_predictive_distribution_sums_to_one(model):
    from bnpexplorer.evaluate.score import completion_probabilities

    _, heldout = split_heldout(drawn_corpus(), seed=4, n=9)
    for topics in (some_topics(6, 40), some_topics(6, 40, unseen=0.0), some_topics(0, 40)):
        p = completion_probabilities(model, topics, all_words_hidden(heldout)).reshape(9, 40)
        np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-6)


@pytest.mark.parametrize("protocol", ["completion", "tokens-90-10"])
def test_no_topics_means_uniform_words(protocol):
    _, heldout = split_heldout(drawn_corpus(), seed=4, protocol=protocol)
    assert score(HDP(), some_topics(0, 40), heldout) == pytest.approx(-log(40), abs=1e-12)


def test_true_topics_beat_unigrams_and_unigrams_beat_uniform():
    model = LDA(n_topics=5, alpha=0.2, eta=0.05)
    drawn = model.sample(np.random.default_rng(0), 300, 300, 80)
    train, heldout = split_heldout(drawn.corpus, seed=0)
    true = replace(
        some_topics(5, 300, unseen=0.0, concentration=1.0),
        topic_word=drawn.topic_word.astype(np.float32),
        weight=np.full(5, 0.2),
    )
    baseline = unigram_score(train, heldout)
    assert score(model, true, heldout) > baseline + 0.1
    assert baseline > -log(300) + 0.1


def test_unigram_score_against_its_definition():
    train, heldout = split_heldout(drawn_corpus(), seed=4)
    seen = np.ones(40)
    for d in range(train.n_docs):
        for w, c in counts_of(train, d).items():
            seen[w] += c
    total = sum(
        c * log(seen[w] / seen.sum())
        for d in range(heldout.hidden.n_docs)
        for w, c in counts_of(heldout.hidden, d).items()
    )
    assert unigram_score(train, heldout) == pytest.approx(total / heldout.hidden.n_tokens)


@pytest.mark.second
def test_kept_states_average_probabilities_of_words():
    _, heldout = split_heldout(drawn_corpus(n_words=15), seed=4, n=5)
    first, second = some_topics(4, 15, seed=1), some_topics(3, 15, seed=2)
    nothing = some_topics(0, 15)
    kept = ((1.0, first), (3.0, second), (4.0, nothing), (0.0, some_topics(2, 15)))
    total, tokens = 0.0, 0
    for d in range(5):
        p = naive_word_probabilities(first, heldout, d) / 8
        p += naive_word_probabilities(second, heldout, d) * 3 / 8
        p += 4 / 8 / 15
        for w, count in counts_of(heldout.hidden, d).items():
            total += count * log(p[w])
            tokens += count
    assert score(HDP(), nothing, heldout, kept=kept) == pytest.approx(total / tokens, abs=1e-4)
    assert score(HDP(), first, heldout, kept=((0.3, first),)) == score(HDP(), first, heldout)


@pytest.mark.parametrize("protocol", ["completion", "tokens-90-10"])
def test_score_is_the_same_for_any_pool(protocol):
    _, heldout = split_heldout(drawn_corpus(), seed=4, n=20, protocol=protocol)
    topics = some_topics(6, 40)
    alone = score(HDP(), topics, heldout)
    for workers in (1, 3):
        with Threads(workers) as pool:
            assert score(HDP(), topics, heldout, pool=pool) == alone


def test_scoring_changes_neither_topics_nor_documents():
    _, heldout = split_heldout(drawn_corpus(), seed=4)
    topics = some_topics(6, 40)
    arrays = ("topic_word", "total", "size", "weight", "topic_ids")
    before = {name: getattr(topics, name).copy() for name in arrays}
    prints = (heldout.observed.fingerprint, heldout.hidden.fingerprint)
    score(HDP(), topics, heldout)
    for name in arrays:
        np.testing.assert_array_equal(getattr(topics, name), before[name])
    assert (heldout.observed.fingerprint, heldout.hidden.fingerprint) == prints


def test_impossible_word_scores_minus_infinity():
    whole = Corpus.from_csr([[1, 1]])
    topics = replace(some_topics(1, 2, unseen=0.0), topic_word=np.array([[1, 0]], np.float32))
    heldout = Heldout("completion", Corpus.from_csr([[1, 0]]), Corpus.from_csr([[0, 1]]), whole)
    assert score(LDA(n_topics=1), topics, heldout) == -np.inf
    assert perplexity(-np.inf) == np.inf


def test_perplexity():
    assert perplexity(-log(50)) == pytest.approx(50)


def test_documents_too_long_to_be_divided_by_tokens_are_refused():
    for length in (10**9 - 1, 10**9):
        counts = np.array([[length - 1, 1], [length - 1, 1]])
        corpus = Corpus.from_csr(counts)
        if length < 10**9:
            _, heldout = split_heldout(corpus, 0, 1, "tokens-90-10")
            assert heldout.hidden.n_tokens == 10**8
            continue
        with pytest.raises(CorpusError, match=r"has 1,000,000,000 tokens.* divide all counts"):
            split_heldout(corpus, 0, 1, "tokens-90-10")


@pytest.mark.parametrize("n_docs", [14, 16, 17, 29])
def test_without_a_number_a_tenth_is_held_out_to_the_nearest_document(n_docs):
    corpus = drawn_corpus(n_docs, length=60)
    nearest = (n_docs + 5) // 10
    assert split_heldout(corpus, 0)[1].whole.n_docs == nearest
