"""Held-out log likelihood per word under each protocol, as a number that knows its protocol.

D test documents, U distinct (document, word) pairs of their hidden parts, V words, K topics.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import logsumexp

from ..core.arrays import F64
from ..core.display import HtmlRepr
from ..corpus.corpus import Corpus
from ..inference.mixture import log_predictive
from ..inference.pool import Pool
from ..inference.slices import map_slices
from ..kernels import scoring
from ..kernels.special import distinct_words
from ..models import Model
from ..state.snapshot import Kept, Topics
from .evidence import importance_log_likelihood
from .heldout import PROTOCOLS, Heldout


class Score(HtmlRepr, float):
    """Log likelihood per word (natural logarithm), with its protocol and what it was asked of."""

    protocol: str = ""
    """A key of `PROTOCOLS`; empty of a bare number."""
    n_docs: int = 0
    """Documents that were predicted."""
    n_tokens: int = 0
    """Words of theirs that were predicted."""
    n_words: int = 0
    """V: by chance alone the score would be -ln V."""

    @classmethod
    def of(cls, value: float, heldout: Heldout) -> "Score":
        found = cls(value)
        found.protocol, found.n_docs = heldout.protocol, heldout.whole.n_docs
        found.n_tokens, found.n_words = round(heldout.hidden.n_tokens), heldout.hidden.n_words
        return found


IMPORTANCE_SAMPLES = 200
"""Per document; 1000 gain 0.01 per word and cost five times as much."""


class Remembered:
    """What states say of the same held-out documents, as long as they are kept.

    A kept state never changes, and a run asks for its scores some sixty times: without this they
    took longer than learning (3,087 documents, 200 topics, five states kept).
    """

    def __init__(self) -> None:
        self._found: list[tuple[Topics, F64]] = []

    def of(self, states: Sequence[Topics], predict: Callable[[Topics], F64]) -> list[F64]:
        """`predict` of each of the states; only those that were not among the last are asked."""
        known = {id(topics): values for topics, values in self._found}
        values = [known[id(t)] if id(t) in known else predict(t) for t in states]
        self._found = list(zip(states, values, strict=True))
        return values


def score(
    model: Model,
    topics: Topics,
    heldout: Heldout,
    rng: np.random.Generator | None = None,
    kept: Kept = (),
    pool: Pool | None = None,
    remembered: Remembered | None = None,
) -> Score:
    """Held-out log likelihood per word under `heldout.protocol`; higher is better.

    `kept` holds (weight, Topics) of several states or particles, over which probabilities are
    averaged: of every hidden word (completion, 90/10) or of every document (exact, importance);
    empty means `topics` alone. `rng` is used by importance sampling only (None: a fixed seed).
    `remembered` spares what was found of kept states when the same documents were scored before,
    but for importance sampling, which draws anew. The result does not depend on it, nor on `pool`.
    It is -inf if a hidden word has probability 0.

    Raises ValueError if the protocol is not defined for `model`.
    """
    logs = _log_likelihoods(model, topics, heldout, rng, kept, pool, remembered)
    hidden = heldout.hidden
    total = float(hidden.counts @ logs) if heldout.by_word else float(logs.sum())
    return Score.of(total / hidden.n_tokens, heldout)


def score_by_document(
    model: Model, topics: Topics, heldout: Heldout, kept: Kept = (), pool: Pool | None = None
) -> F64:
    """The log likelihood of every held-out document's hidden words, of all its words together:
    float64 (D,). Their sum by the number of words is `score`."""
    logs = _log_likelihoods(model, topics, heldout, None, kept, pool, None)
    if not heldout.by_word:
        return logs
    hidden = heldout.hidden
    document = np.repeat(np.arange(hidden.n_docs), np.diff(hidden.indptr))
    return np.asarray(np.bincount(document, hidden.counts * logs, hidden.n_docs), np.float64)


def _log_likelihoods(
    model: Model,
    topics: Topics,
    heldout: Heldout,
    rng: np.random.Generator | None,
    kept: Kept,
    pool: Pool | None,
    remembered: Remembered | None,
) -> F64:
    """ln p of every hidden (document, word) pair, float64 (U,), or document, float64 (D,)."""
    pairs = [(weight, state) for weight, state in kept if weight > 0.0] or [(1.0, topics)]
    states, weights = [state for _, state in pairs], [weight for weight, _ in pairs]
    shares = [weight / sum(weights) for weight in weights]

    def predict(state: Topics) -> F64:
        if heldout.by_word:
            return completion_probabilities(model, state, heldout, pool)
        return _log_documents(model, state, heldout, rng, pool)

    if remembered is None or not kept or heldout.protocol == "importance":
        remembered = Remembered()
    values = remembered.of(states, predict)
    if heldout.by_word:
        mixed = np.zeros(len(heldout.hidden.counts))
        for share, value in zip(shares, values, strict=True):
            mixed += share * value
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(mixed))
    logs = [math.log(share) + value for share, value in zip(shares, values, strict=True)]
    return np.asarray(logsumexp(np.stack(logs), axis=0))


def completion_probabilities(
    model: Model, topics: Topics, heldout: Heldout, pool: Pool | None = None
) -> F64:
    """The predictive probability of each hidden (document, word) pair: float64 (U,).

    sum_k E theta_dk E beta_kw, with E theta_d from the model's one common fold-in of the observed
    part (Hoffman et al. 2013, section 4; Wang et al. 2011, section 4). What the proportions leave
    to 1 belongs to topics not yet seen, which expect every word with probability 1/V.
    """
    hidden = heldout.hidden
    if not len(topics):
        return np.full(len(hidden.counts), 1.0 / hidden.n_words)
    theta = model.fold_in(topics, heldout.observed, pool)
    unseen = np.maximum(1.0 - theta.sum(axis=1), 0.0)
    words, local = distinct_words(hidden.word_ids, hidden.n_words)
    topic_word = np.ascontiguousarray(topics.topic_word[:, words].T, dtype=np.float64)
    seen = np.empty(len(hidden.counts))
    entries = (hidden.indptr, local, theta, topic_word, seen)
    map_slices(pool, hidden.n_docs, scoring.mixture_probabilities, *entries)
    return seen + np.repeat(unseen, np.diff(hidden.indptr)) / hidden.n_words


def _log_documents(
    model: Model,
    topics: Topics,
    heldout: Heldout,
    rng: np.random.Generator | None,
    pool: Pool | None,
) -> F64:
    """ln p(document) of whole test documents: float64 (D,)."""
    protocol = PROTOCOLS[heldout.protocol]
    if model.name not in protocol.models:
        raise ValueError(
            f"{protocol.title} is not defined for {model.title}; use document completion."
        )
    if heldout.protocol == "exact":
        return log_predictive(topics, heldout.whole, pool)
    if rng is None:
        rng = np.random.default_rng(0)
    return importance_log_likelihood(topics, heldout.whole, rng, IMPORTANCE_SAMPLES, pool)


def unigram_score(train: Corpus, heldout: Heldout) -> float:
    """The score of one word distribution for all documents, as a reference line.

    It is the training corpus's word counts plus one for every word of the vocabulary, normalised.
    """
    counts = train.word_totals + 1.0
    log_p = np.log(counts / counts.sum())
    hidden = heldout.hidden
    return float(hidden.counts @ log_p[hidden.word_ids]) / hidden.n_tokens


def perplexity(score: float) -> float:
    """exp(-score): the number of equally likely words that would be as surprising.

    >>> round(perplexity(-7.5))
    1808
    """
    return math.exp(-score) if score > -700.0 else math.inf
