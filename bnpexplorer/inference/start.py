"""Where methods start: random topics, topics around clusters of documents, or another run's topics.

Mean field cannot leave a poor start, and k-means is a far better one than noise: the clusters are
those of a hard mixture of multinomials, whose distance is a Bregman divergence (Banerjee et al.
2005, "Clustering with Bregman divergences"), seeded as in k-means++ (Arthur & Vassilvitskii 2007).

Seeds, which no paper has: a truncation-free local step seats one document or token after the other,
and a new component costs so much that a broad one is hardly ever divided. A few documents therefore
begin in a component of their own. Documents that fit them better than the known components join
them in the sweeps; a seed that no document joins goes back. Only where the chain begins differs,
not its law.
"""

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy import sparse

from ..core.arrays import F64, I64, Bools
from ..corpus.corpus import Corpus
from ..kernels.hdp_collapsed import COUNT_NOTHING, resample_tokens
from ..kernels.sparse_gibbs import seat_tokens
from ..kernels.tuples import Prior, WordCounts
from ..state.invariants import Constraint, StateContext
from .assignments import Assignments, TokenBlock, fixed_slots
from .dirichlet import random_excess


@dataclass(frozen=True, eq=False)
class GivenTopics:
    """K topics over V words, the largest first; there is one at least."""

    tokens: Annotated[F64, Constraint("K", "V")]
    """float64 (K, V): what each held of every word; no row is empty."""
    said: str = ""
    """Whose they are, in words."""

    def mismatch(self, ground: StateContext) -> str:
        return "" if len(self) and self.tokens.any(axis=1).all() else "topics of nothing"

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def share(self) -> F64:
        """float64 (K,): of all that the topics hold."""
        held = self.tokens.sum(axis=1)
        return np.asarray(held / held.sum())

    def largest(self, n_topics: int) -> F64:
        """The first `n_topics`, float64 (n_topics, V); rows that nothing is given for are 0."""
        out = np.zeros((n_topics, self.tokens.shape[1]))
        n_given = min(n_topics, len(self))
        out[:n_given] = self.tokens[:n_given]
        return out

    def scaled(self, n_tokens: float) -> F64:
        """float64 (K, V): the topics, holding `n_tokens` together."""
        return np.asarray(self.tokens * (n_tokens / self.tokens.sum()))

    def excess(self, n_tokens: float, n_slots: int) -> F64:
        """float64 (V, n_slots): as `scaled`, in the first slots; for a sampler's first pass."""
        n_given = min(n_slots, len(self))
        out = np.zeros((self.tokens.shape[1], n_slots))
        out[:, :n_given] = self.scaled(n_tokens)[:n_given].T
        return out


def seat_given(
    tokens: Assignments,
    block: TokenBlock,
    given: F64,
    weight: F64,
    prior: Prior,
    rng: np.random.Generator,
) -> None:
    """Seat the tokens of a block, which have no topic yet, as if the topics held `given` beside
    those that are seated: with a count for every word and slot, since these are no whole numbers.

    `given` float64 (V, cap), `weight` float64 (cap,): of every slot.
    """
    n_slots = len(tokens.count)
    word = given + tokens.eta
    tokens.add_counts(word)
    words = WordCounts(word, np.zeros((0, 0)))
    slots = fixed_slots(word.sum(axis=0), np.zeros(n_slots, np.int64), weight)
    resample_tokens(block.tokens, block.topic, words, slots, prior, COUNT_NOTHING, 0, rng)
    seat_tokens(block.tokens.word, block.topic, tokens.word_topics(), tokens.total, tokens.count)


STARTS = ("k-means", "random")
SAMPLER_STARTS = ("nothing", "many")
"""Of a sampler: no text has a topic yet, or all have one of many."""

Start = str | GivenTopics
"""Where a state begins: as a knob names it, or at the topics of another run."""

SPARE = 0.02
"""Of all tokens, what topics beyond given ones hold together: more, and they take their words."""

PER_ROOT = 16
"""Topics of a sampler's start from many, by the square root of the mean length of the texts. Scores
after equal seconds were best with 50 of 32, 50, 75 and 200 topics for texts of 8 tokens, and with
100 of 50, 100 and 200 for texts of 39 (`benchmarks/README.md`). With alpha learned 48 is better."""
TOKENS_EACH, FEW = 30, 10
"""Tokens of such a topic on average at least, unless there are so few topics anyway."""

SAMPLE_DOCS = 5000
"""Documents that are clustered; more would not change what a start is good for."""
ITERATIONS = 3
"""Lloyd iterations: the first few do nearly all of the work."""
SMOOTHING = 0.1
"""Pseudo-tokens of a centre, as a share of the mean cluster's tokens; they follow the corpus's word
frequencies, so that no word is impossible anywhere."""


def start_excess(
    start: Start, corpus: Corpus, n_topics: int, rng: np.random.Generator, doc_length: float
) -> F64:
    """lam - eta at the start, float64 (K, V), summing to about `corpus.n_docs * doc_length`.

    `random`: Exponential noise (Hoffman et al. 2013, footnote 6). `k-means`: the smoothed word
    counts of clusters of documents; topics for which there is no document are random. Of given
    topics the largest; where there are fewer, the others are random and share `SPARE`.
    Raises ValueError for any other `start`.
    """
    if isinstance(start, GivenTopics):
        n_tokens, n_spare = corpus.n_docs * doc_length, n_topics - len(start)
        share = 1.0 - SPARE if n_spare > 0 else 1.0
        mean = SPARE * n_tokens / max(n_spare, 1) / corpus.n_words
        return _filled_up(start.largest(n_topics), share * n_tokens, mean, rng)
    if start == "random":
        return random_excess(n_topics, corpus.n_words, corpus.n_docs, doc_length, rng)
    if start != "k-means":
        raise ValueError(f"start must be one of {', '.join(STARTS)}; got {start!r}.")
    n_sample = max(SAMPLE_DOCS, 5 * n_topics)
    if corpus.n_docs > n_sample:
        sample = corpus.take(np.sort(rng.choice(corpus.n_docs, n_sample, replace=False)))
    else:
        sample = corpus.part(0, corpus.n_docs)
    tokens = cluster_tokens(sample.to_csr().astype(np.float64), n_topics, rng)
    expected = corpus.n_docs * doc_length
    n_filled = (tokens.sum(axis=1) > 0.0).sum()
    mean = expected / (n_topics * corpus.n_words)
    return _filled_up(tokens, expected * n_filled / n_topics, mean, rng)


def first_topics(most: int, doc_start: I64, per_root: int = PER_ROOT) -> int:
    """With how many topics a sampler starts from many, at most `most`.

    `doc_start` int64 (D+1,): where each document's tokens begin. `per_root`: as for `topics_for`.
    """
    return topics_for(most, int(doc_start[-1]), len(doc_start) - 1, per_root)


def topics_for(most: int, n_tokens: int, n_docs: int, per_root: int = PER_ROOT) -> int:
    """At most `most` topics for so many texts: fewer where these are short, which cannot tell many
    topics apart, and where they are few. `per_root`: by the root of their mean length."""
    by_length = round(per_root * math.sqrt(n_tokens / n_docs))
    return max(min(most, by_length, max(n_tokens // TOKENS_EACH, FEW)), 1)


def _filled_up(tokens: F64, n_tokens: float, mean: float, rng: np.random.Generator) -> F64:
    """`tokens` float64 (K, V) times what makes them `n_tokens`, float64 (K, V); empty rows are
    random, with this mean."""
    empty = tokens.sum(axis=1) == 0.0
    excess = tokens * (n_tokens / tokens.sum())
    excess[empty] = rng.exponential(mean, size=(int(empty.sum()), tokens.shape[1]))
    return np.asarray(excess)


def cluster_tokens(counts: sparse.csr_matrix, n_clusters: int, rng: np.random.Generator) -> F64:
    """Smoothed word counts of up to `n_clusters` clusters of the rows, float64 (K, V).

    Rows of clusters without a document (there are fewer documents than clusters, or fewer different
    ones) are 0.
    """
    lengths: F64 = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    background: F64 = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
    background = background * SMOOTHING / n_clusters
    seeds = _seed_documents(counts, lengths, background, n_clusters, rng)
    sums = counts[seeds].toarray()
    for _ in range(ITERATIONS):
        nearest = _nearest(counts, sums + background)
        chosen = (np.ones(len(nearest)), (nearest, np.arange(len(nearest))))
        members = sparse.csr_matrix(chosen, shape=(len(seeds), len(nearest)))
        sums = (members @ counts).toarray()
    tokens: F64 = np.zeros((n_clusters, counts.shape[1]))
    filled = np.flatnonzero(sums.sum(axis=1) > 0.0)
    tokens[filled] = sums[filled] + background
    return tokens


def _log_centres(tokens: F64) -> F64:
    """Log word probabilities of centres, float64 (..., V).

    `tokens` float64 (..., V): their smoothed word counts.
    """
    logs: F64 = np.log(np.maximum(tokens, 1e-300))  # a word that the corpus lacks stays finite
    return np.asarray(logs - np.log(tokens.sum(axis=-1, keepdims=True)))


def _nearest(counts: sparse.csr_matrix, tokens: F64) -> I64:
    """The nearest centre of every document: int64 (D,).

    The likeliest multinomial, since KL(p_d || c_k) differs from -sum_w p_dw ln c_kw by a constant
    of the document. `tokens` float64 (K, V): the centres' smoothed word counts.
    """
    fit = counts @ np.ascontiguousarray(_log_centres(tokens).T)
    return np.asarray(fit.argmax(axis=1), dtype=np.int64)


def _seed_documents(
    counts: sparse.csr_matrix,
    lengths: F64,
    background: F64,
    n_clusters: int,
    rng: np.random.Generator,
) -> I64:
    """k-means++: each further seed is drawn by its distance L_d KL(p_d || nearest seed).

    `lengths` float64 (D,): tokens of the documents. `background` float64 (V,): pseudo-tokens of
    every centre. Returns the seeds, int64 (up to K,).
    """
    n_docs = counts.shape[0]
    own = counts.copy()
    own.data = own.data * np.log(own.data / np.repeat(lengths, np.diff(counts.indptr)))
    entropy = np.asarray(own.sum(axis=1)).ravel()
    seeds: list[int] = []
    distance = np.full(n_docs, np.inf)
    weight = lengths
    while len(seeds) < n_clusters and weight.sum() > 0.0:
        cumulative = np.cumsum(weight)
        drawn = np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right")
        seed = int(min(drawn, np.flatnonzero(weight)[-1]))
        seeds.append(seed)
        centre = counts[[seed]].toarray()[0] + background
        distance = np.minimum(distance, entropy - counts @ _log_centres(centre))
        distance[distance < 1e-9 * lengths] = 0.0
        distance[seeds] = 0.0
        weight = distance
    return np.array(seeds, dtype=np.int64)


def begin_alone(n_docs: int, share: float, rng: np.random.Generator) -> Bools:
    """Each of S documents with probability `share`: bool (S,); nothing is drawn where it is 0."""
    return rng.random(n_docs) < share if share > 0.0 else np.zeros(n_docs, bool)
