"""Scores from several starts of the fold-in, what they see, and how far starts differ."""

from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.corpus import Corpus
from bnpexplorer.evaluate import (
    PROTOCOLS,
    Heldout,
    between_starts,
    from_one_start,
    score,
    score_by_document,
    split_heldout,
    spread_by_document,
)
from bnpexplorer.evaluate.score import completion_by_start, completion_probabilities, deviation
from bnpexplorer.models.dpm import DPMixture
from bnpexplorer.models.hdp import HDP
from bnpexplorer.models.lda import LDA
from tests.evaluate.test_heldout import counts_of, drawn_corpus, some_topics
from tests.twins import readings as slow

SEVERAL = [key for key, about in PROTOCOLS.items() if about.starts > 1]
TOPICS = some_topics(4, 15, unseen=0.0, concentration=0.4)


def asked(protocol: str = "completion-4-starts", n: int = 6) -> Heldout:
    return split_heldout(drawn_corpus(n_words=15), 4, n, protocol)[1]


def from_each(heldout: Heldout, d: int) -> tuple[np.ndarray, np.ndarray, list[tuple[int, int]]]:
    """p (S, V) and weights (S,) of the slow twin, and hidden words with their counts."""
    words = [w for w, count in counts_of(heldout.observed, d).items() for _ in range(count)]
    prior = TOPICS.concentration * TOPICS.weight
    each, weight = slow.predictive(words, TOPICS.topic_word.astype(float), prior)
    return each, weight, [*counts_of(heldout.hidden, d).items()]


@pytest.mark.parametrize("protocol", SEVERAL)
def test_probabilities_are_averaged_before_the_logarithm(protocol):
    heldout, total, variance = asked(protocol), 0.0, []
    for d in range(6):
        each, weight, hidden = from_each(heldout, d)
        total += sum(count * np.log(weight @ each[:, w]) for w, count in hidden)
        logs = np.array([sum(c * np.log(p[w]) for w, c in hidden) for p in each])
        variance.append(weight @ (logs - weight @ logs) ** 2)
    found, n = score(LDA(), TOPICS, heldout), heldout.hidden.n_tokens
    assert found == pytest.approx(total / n, abs=1e-4)
    assert found.spread == pytest.approx(np.sqrt(sum(variance)) / n, rel=1e-2)
    assert found.spread > 1e-3
    by_document = spread_by_document(LDA(), TOPICS, heldout)
    np.testing.assert_allclose(by_document, np.sqrt(variance), rtol=0.05, atol=1e-3)


def test_hidden_words_have_no_part_in_the_weights():
    heldout = asked()
    others = np.roll(heldout.hidden.to_csr().toarray(), 3, axis=1)
    changed = replace(heldout, hidden=Corpus.from_csr(others))
    one, other = (completion_by_start(LDA(), TOPICS, h) for h in (heldout, changed))
    np.testing.assert_array_equal(one.weight, other.weight)
    assert np.ptp(one.weight) > 0.1
    assert score(LDA(), TOPICS, heldout) != score(LDA(), TOPICS, changed)


@pytest.mark.parametrize("model", [LDA(), HDP()])
def test_all_words_together_have_probability_one(model):
    heldout = asked()
    everything = replace(heldout, hidden=Corpus.from_csr(np.ones((6, 15), int)))
    for topics in (TOPICS, some_topics(4, 15), some_topics(0, 15)):
        p = completion_probabilities(model, topics, everything).reshape(6, 15)
        np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-6)


@pytest.mark.parametrize("protocol", SEVERAL)
def test_both_versions_hide_the_same_words_and_score_apart(protocol):
    new, old = asked(protocol), asked(from_one_start(protocol))
    assert [part.fingerprint for part in new.parts] == [part.fingerprint for part in old.parts]
    assert PROTOCOLS[old.protocol].starts == 1
    one, several = score(LDA(), TOPICS, old), score(LDA(), TOPICS, new)
    assert abs(one - several) > 1e-3
    assert (one.spread, several.protocol) == (0.0, protocol)
    assert not spread_by_document(LDA(), TOPICS, old).any()


def test_what_hides_whole_documents_has_one_version():
    for protocol in ("exact", "importance"):
        assert from_one_start(protocol) == protocol


def test_a_mixture_is_read_exactly_from_any_start():
    topics = some_topics(4, 15, concentration=float("nan"))
    new, old = asked(), asked("completion")
    found = score(DPMixture(), topics, new)
    assert (float(found), found.spread) == (float(score(DPMixture(), topics, old)), 0.0)


def test_kept_states_are_averaged_start_by_start():
    heldout, other = asked(), some_topics(4, 15, seed=5, unseen=0.0, concentration=0.4)
    kept = ((1.0, TOPICS), (3.0, other))
    p = [completion_probabilities(LDA(), one, heldout) for _, one in kept]
    wanted = heldout.hidden.counts @ np.log(0.25 * p[0] + 0.75 * p[1]) / heldout.hidden.n_tokens
    found = score(LDA(), TOPICS, heldout, kept=kept)
    assert found == pytest.approx(wanted, rel=1e-12)
    apart = spread_by_document(LDA(), TOPICS, heldout, kept)
    assert found.spread == pytest.approx(np.sqrt(apart @ apart) / heldout.hidden.n_tokens)
    sums = score_by_document(LDA(), TOPICS, heldout, kept)
    assert found == pytest.approx(sums.sum() / heldout.hidden.n_tokens)


def test_a_reading_that_rules_a_hidden_word_out_does_not_count_for_the_spread():
    each = np.array([[-1.0, -3.0, -np.inf], [-np.inf, -np.inf, -np.inf]])
    weight = np.array([[0.375, 0.125, 0.5], [0.2, 0.3, 0.5]])
    found = deviation(each, weight)
    np.testing.assert_allclose(found, [2.0 * np.sqrt(0.75 * 0.25), 0.0])


def test_the_spread_is_told_of_the_score_and_of_one_document():
    said = "± 0.0020 between starts of the fold-in, ± 0.04 for one document"
    assert between_starts(0.002, 400) == said
    assert between_starts(0.0, 400) == ""
