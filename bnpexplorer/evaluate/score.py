"""Held-out log likelihood per word under each protocol, as a number that knows its protocol.

D test documents, U distinct (document, word) pairs of their hidden parts, V words, K topics.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from ..core.arrays import F64, I64
from ..core.display import HtmlRepr
from ..corpus.corpus import Corpus
from ..inference.fold_in import readings
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
    spread: float = 0.0
    """How far it differs between starts of the fold-in: its standard deviation if each document
    were read from one of them, drawn by weight. 0 where there is one start."""

    @classmethod
    def of(cls, value: float, heldout: Heldout, spread: float = 0.0) -> "Score":
        found = cls(value)
        found.spread = spread
        found.protocol, found.n_docs = heldout.protocol, heldout.whole.n_docs
        found.n_tokens, found.n_words = round(heldout.hidden.n_tokens), heldout.hidden.n_words
        return found


class Predicted(NamedTuple):
    """One state's prediction of U hidden pairs or D documents, by S starts of the fold-in."""

    p: F64
    """float64 (S, U): the probability of each hidden pair; of whole documents ln p, (1, D)."""
    weight: F64
    """float64 (D, S): of the starts, by the observed words alone; rows sum to 1."""


IMPORTANCE_SAMPLES = 200
"""Per document; 1000 gain 0.01 per word and cost five times as much."""


class Remembered:
    """What states say of the same held-out documents, as long as they are kept.

    A kept state never changes, and a run asks for its scores some sixty times: without this they
    took longer than learning (3,087 documents, 200 topics, five states kept).
    """

    def __init__(self) -> None:
        self._found: list[tuple[Topics, Predicted]] = []

    def of(
        self, states: Sequence[Topics], predict: Callable[[Topics], Predicted]
    ) -> list[Predicted]:
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
    logs, spread = _log_likelihoods(model, topics, heldout, rng, kept, pool, remembered)
    hidden = heldout.hidden
    total = float(hidden.counts @ logs) if heldout.by_word else float(logs.sum())
    whole = math.sqrt(float(spread @ spread)) / hidden.n_tokens
    return Score.of(total / hidden.n_tokens, heldout, whole)


def score_by_document(
    model: Model, topics: Topics, heldout: Heldout, kept: Kept = (), pool: Pool | None = None
) -> F64:
    """The log likelihood of every held-out document's hidden words, of all its words together:
    float64 (D,). Their sum by the number of words is `score`."""
    logs, _ = _log_likelihoods(model, topics, heldout, None, kept, pool, None)
    return _by_document(heldout, logs) if heldout.by_word else logs


def spread_by_document(
    model: Model, topics: Topics, heldout: Heldout, kept: Kept = (), pool: Pool | None = None
) -> F64:
    """How far the log likelihood of every held-out document's hidden words differs between starts
    of the fold-in: float64 (D,), standard deviations by weight. `Score.spread` is the root of the
    sum of their squares by the number of words."""
    return _log_likelihoods(model, topics, heldout, None, kept, pool, None)[1]


def _by_document(heldout: Heldout, logs: F64) -> F64:
    """Sums over the hidden words of documents: float64 (D,) of float64 (U,)."""
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
) -> tuple[F64, F64]:
    """ln p of every hidden (document, word) pair, float64 (U,), or document, float64 (D,); and how
    far each document's differs between starts, float64 (D,)."""
    pairs = [(weight, state) for weight, state in kept if weight > 0.0] or [(1.0, topics)]
    states, weights = [state for _, state in pairs], [weight for weight, _ in pairs]
    shares = [weight / sum(weights) for weight in weights]

    def predict(state: Topics) -> Predicted:
        if heldout.by_word:
            return completion_by_start(model, state, heldout, pool)
        logs = _log_documents(model, state, heldout, rng, pool)
        return Predicted(logs[None], np.ones((len(logs), 1)))

    if remembered is None or not kept or heldout.protocol == "importance":
        remembered = Remembered()
    values = remembered.of(states, predict)
    if heldout.by_word:
        return _mixed(heldout, shares, values)
    logs = [math.log(share) + value.p[0] for share, value in zip(shares, values, strict=True)]
    return np.asarray(logsumexp(np.stack(logs), axis=0)), np.zeros(heldout.whole.n_docs)


def _mixed(
    heldout: Heldout, shares: Sequence[float], values: Sequence[Predicted]
) -> tuple[F64, F64]:
    """`_log_likelihoods` of words: probabilities are averaged over starts and over states."""
    n_words, n_starts = np.diff(heldout.hidden.indptr), len(values[0].p)
    mixed = np.zeros(len(heldout.hidden.counts))
    alone, weight = np.zeros((n_starts, len(mixed))), np.zeros((len(n_words), n_starts))
    for share, value in zip(shares, values, strict=True):
        alone += share * value.p
        weight += share * value.weight
        mixed += share * averaged(value, n_words)
    with np.errstate(divide="ignore"):
        logs = np.log(mixed)
        if n_starts == 1 or not np.isfinite(logs).all():
            return logs, np.zeros(len(n_words))
        each = np.stack([_by_document(heldout, np.log(one)) for one in alone], axis=1)
    return logs, deviation(each, weight)


def deviation(each: F64, weight: F64) -> F64:
    """The standard deviation of every row by weight, float64 (D,), of float64 (D, S) both.

    A reading that rules a hidden word out, all but -inf, does not count.
    """
    counted = np.isfinite(each)
    weight, each = np.where(counted, weight, 0.0), np.where(counted, each, 0.0)
    weight = weight / np.maximum(weight.sum(axis=1, keepdims=True), 1e-300)
    apart = each - (weight * each).sum(axis=1, keepdims=True)
    return np.asarray(np.sqrt((weight * apart**2).sum(axis=1)))


def averaged(predicted: Predicted, n_words: I64) -> F64:
    """The probability of each hidden pair, averaged over starts by weight: float64 (U,).

    `n_words` int64 (D,): hidden pairs of the documents.
    """
    p = np.zeros(predicted.p.shape[1])
    for alone, weight in zip(predicted.p, predicted.weight.T, strict=True):
        p += np.repeat(weight, n_words) * alone
    return p


def completion_probabilities(
    model: Model, topics: Topics, heldout: Heldout, pool: Pool | None = None
) -> F64:
    """The predictive probability of each hidden (document, word) pair: float64 (U,)."""
    predicted = completion_by_start(model, topics, heldout, pool)
    return averaged(predicted, np.diff(heldout.hidden.indptr))


def completion_by_start(
    model: Model, topics: Topics, heldout: Heldout, pool: Pool | None = None
) -> Predicted:
    """The predictive probability of each hidden (document, word) pair, from every start.

    sum_k E theta_dk E beta_kw, with E theta_d from the model's one common fold-in of the observed
    part (Hoffman et al. 2013, section 4; Wang et al. 2011, section 4). What the proportions leave
    to 1 belongs to topics not yet seen, which expect every word with probability 1/V. A mixture's
    proportions are exact, so that it has one start under every protocol.
    """
    hidden, n_docs = heldout.hidden, heldout.hidden.n_docs
    n_starts = 1 if model.mixture else PROTOCOLS[heldout.protocol].starts
    weight = np.full((n_docs, n_starts), 1.0 / n_starts)
    if not len(topics):
        return Predicted(np.full((n_starts, len(hidden.counts)), 1.0 / hidden.n_words), weight)
    if n_starts == 1:
        thetas = model.fold_in(topics, heldout.observed, pool)[None]
    else:
        thetas, weight = readings(topics, heldout.observed, pool)
    words, local = distinct_words(hidden.word_ids, hidden.n_words)
    topic_word = np.ascontiguousarray(topics.topic_word[:, words].T, dtype=np.float64)
    found = np.empty((len(thetas), len(hidden.counts)))
    for theta, seen in zip(thetas, found, strict=True):
        unseen = np.maximum(1.0 - theta.sum(axis=1), 0.0)
        entries = (hidden.indptr, local, theta, topic_word, seen)
        map_slices(pool, n_docs, scoring.mixture_probabilities, *entries)
        seen += np.repeat(unseen, np.diff(hidden.indptr)) / hidden.n_words
    return Predicted(found, weight)


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


def between_starts(spread: float, n_docs: int) -> str:
    """How far the score of `n_docs` documents differs between starts of the fold-in, and that of
    one document, as part of a sentence; empty if there is one start.

    >>> between_starts(0.0031, 400)
    '± 0.0031 between starts of the fold-in, ± 0.06 for one document'
    """
    if spread <= 0.0:
        return ""
    alone = spread * math.sqrt(n_docs)  # the root mean square of documents, by words of a usual one
    return f"± {spread:.4f} between starts of the fold-in, ± {alone:.2f} for one document"


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
