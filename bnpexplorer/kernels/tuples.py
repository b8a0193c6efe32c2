"""What belongs together among the arguments of kernels: named tuples of arrays and plain numbers.

A kernel compiles to one signature, so a field always has the dtype that stands here, C-contiguous;
to a second one for documents of weights (`Docs`).
S documents, U entries (document, word), N tokens, W distinct words of a mini-batch, V words, K
topics or components.
"""

from typing import NamedTuple

from ..core.arrays import F32, F64, I32, I64, U64, Bools

# ---- a mini-batch --------------------------------------------------------------------------------


class Docs(NamedTuple):
    """The documents of a mini-batch by their distinct words, as in a corpus."""

    indptr: I64
    """int64 (S+1,): document d has the entries `indptr[d]:indptr[d+1]`."""
    local: I32
    """int32 (U,): the word of every entry, by its place among the W words of the batch."""
    counts: I32
    """int32 (U,): how often the word occurs in the document, >= 1. Of weights float64 (U,), above
    0: only for kernels that read them in sums, as `range` would cut them off and say nothing."""


class Tokens(NamedTuple):
    """The documents of a mini-batch token by token."""

    doc_start: I64
    """int64 (S+1,): document d has the tokens `doc_start[d]:doc_start[d+1]`."""
    word: I32
    """int32 (N,): the word of every token, a row of the arrays that have one row a word."""


class Document(NamedTuple):
    """One document of n distinct words."""

    words: I32
    """int32 (n,): ascending, numbers in the vocabulary."""
    counts: I32
    """int32 (n,): how often each occurs, >= 1."""


class Lam(NamedTuple):
    """The parameters of topics' Dirichlets, `lam[k, w] = eta + scale * stats[w, slots[k]]`."""

    stats: F64
    """float64 (V, C)."""
    slots: I64
    """int64 (K,): the column of each topic."""
    scale: float
    eta: float


# ---- how long ------------------------------------------------------------------------------------


class Until(NamedTuple):
    """When the fit of a document ends."""

    max_iterations: int
    tolerance: float
    """Of the change from one iteration to the next; each kernel says of what."""


class Sweeps(NamedTuple):
    """How often a sampler goes through a mini-batch."""

    burn_in: int
    """Sweeps that are thrown away."""
    kept: int
    """Sweeps after them that count."""


# ---- mean field ----------------------------------------------------------------------------------


class LdaFit(NamedTuple):
    """The fit of S documents to topics: q(theta), and q(z) left implicit."""

    gamma: F64
    """float64 (S, K): q(theta_d) = Dir(gamma_d). In: the start; out: the fit."""
    theta_factor: F64
    """float64 (S, K): out, exp E ln theta up to a factor per document, the largest 1."""
    ratio: F64
    """float64 (U,): out, c_w / sum_k theta_factor_dk word_factor_wk."""
    log_mix: F64
    """float64 (S,): out, sum_w c_w ln sum_k exp(psi(gamma_dk)) word_factor_wk."""


class MixtureFit(NamedTuple):
    """The fit of S documents to components."""

    share: F64
    """float64 (S, K): out, phi_dk = q(z_d = k)."""
    entropy: F64
    """float64 (S,): out, -sum_k phi_dk ln phi_dk."""


class TokenLaw(NamedTuple):
    """q(z) of a batch: the expected tokens of entry u in topic k are m_uk = ratio_u theta_factor_dk
    word_factor_wk, and q(z = k) is m_uk / c_u."""

    indptr: I64
    """int64 (S+1,), as the next of `Docs`."""
    local: I32
    """int32 (U,)"""
    ratio: F64
    """float64 (U,), as the next of `LdaFit`."""
    theta_factor: F64
    """float64 (S, K)"""
    word_factor: F64
    """float64 (W, K): exp E ln beta up to a factor per word."""


class Expected(NamedTuple):
    """Parameters that the documents of an HDP are fitted to."""

    log_topics: F64
    """float64 (W, K): E ln beta."""
    log_weight: F64
    """float64 (K,): E ln pi of the corpus."""
    alpha: float


class HdpFit(NamedTuple):
    """The fit of S documents with T sticks each, on which any of M topics of a document may be.
    Letters as in Hoffman et al. 2013, figure 9."""

    phi: F64
    """float64 (U, T): q(z), the stick of a token, one row per entry. In: the start; out: the
    fit."""
    zeta: F64
    """float64 (S, T, M): out, q(c), the topic of a stick; 0 where it is closed."""
    closed: F64
    """float64 (K,): out, q(c) of every closed stick."""
    sticks: F64
    """float64 (S, T, 2): out, Beta parameters; the last row is 0."""
    bound: F64
    """float64 (S,): out, each document's part of the evidence lower bound."""
    iterations: I64
    """int64 (S,): out, how many each document took."""


class Narrow(NamedTuple):
    """How q of a document is narrowed down; its bound stays exact."""

    cut: float
    """Probabilities this many nats below the largest become 0."""
    empty: float
    """A stick with fewer expected tokens gives them up."""


# ---- samplers ------------------------------------------------------------------------------------


class Prior(NamedTuple):
    """What an HDP gives to a token beside the topics themselves."""

    alpha: float
    gamma: float
    n_words: int
    """V."""


class Slots(NamedTuple):
    """Where topics live while tokens are drawn: slots that are opened and closed.

    Slots below `n_old` hold topics that are known before and are never closed. `cap` slots, a
    multiple of 8.
    """

    n_old: int
    total: F64
    """float64 (cap,): the sum of the Dirichlet of each, with the tokens in it."""
    tokens: I64
    """int64 (cap,): tokens in each slot."""
    weight: F64
    """float64 (cap,): corpus weights pi; 0 in slots without a topic."""
    rest: F64
    """float64 (1,): the weight of all topics not yet opened."""
    free: I64
    """int64 (cap,): a stack of closed slots that may be opened."""
    n_free: I64
    """int64 (1,): how many these are."""
    kept: Bools
    """bool (cap,): slots that are not opened again."""


class WordCounts(NamedTuple):
    """The words of slots, a number for every word and slot, whole or not."""

    word: F64
    """float64 (W, cap): lam + tokens of the batch, at the batch's words."""
    stats: F64
    """float64 (W, cap): what kept sweeps have counted; (0, 0) where nothing is."""


class WordTopics(NamedTuple):
    """The topics that each of V words has, with its tokens in them, and none else."""

    start: I64
    """int64 (V+1,): word w has the blocks `start[w]:start[w+1]` of eight cells, enough for a topic
    a token."""
    cells: I32
    """int32 (16 start[V],): a cell is a slot and the word's tokens in it, >= 1; beyond those that
    are used it is any slot and 0."""
    used: I32
    """int32 (V,): topics of each word."""
    eta: float


class Openings(NamedTuple):
    """Of `cap` places for topics, the moment in which each was last opened; out. Rows beyond the
    places tell of topics whose place another one has taken since.

    A topic's label is its place if it was known before, then topics are numbered in the order in
    which they are opened, so that no label is given again.
    """

    n_labels: I64
    """int64 (1,): labels given so far."""
    label: I64
    """int64 (cap,): of the topic that was opened."""
    opener: I64
    """int64 (cap,): the document or token that opened it."""
    rivals: I64
    """int64 (R, cap): labels of the likeliest other topics then, the likeliest first; -1 where
    there were fewer."""
    logs: F64
    """float64 (3, R + 1, cap): ln of the prior weights of the rivals and, last, of a new topic,
    then of the likelihoods of the opener, then what mean field has in their place."""
    alone: Bools
    """bool (cap,): whether a document began there without a draw."""


class Parts(NamedTuple):
    """The M tokens of two topics, or of two parts of one, in E documents."""

    first: I64
    """int64 (E+1,): document e has the tokens `first[e]:first[e+1]`."""
    word: I32
    """int32 (M,): of every token, a number in the vocabulary."""
    second: Bools
    """bool (M,): which tokens are in the second part."""
    held: F64
    """float64 (V, 2): the words of the two parts."""


class TopicFactors(NamedTuple):
    """What topics give to a token while they stand still (CATVI)."""

    factor: F64
    """float64 (W, K+2): exp E ln beta of the K topics and of the prior Dir(eta), then the factor
    that opens a topic, all over exp(shift)."""
    shift: F64
    """float64 (W,): the logarithm of the largest of them."""
    weight: F64
    """float64 (K,): the topics' corpus weights m_k."""
    rest: float
    """m_0, the weight of all other topics."""


class Sticks(NamedTuple):
    """q of the sticks of K components, Beta(a_k, b_k), and the prior's gamma beyond them."""

    a: F64
    """float64 (K,)"""
    b: F64
    """float64 (K,)"""
    gamma: float


class Base(NamedTuple):
    """The Dirichlets of B components; the last row is the prior's."""

    lam: F64
    """float64 (B+1, W): at the words of the batch."""
    total: F64
    """float64 (B+1,): over all V words."""


# ---- particles -----------------------------------------------------------------------------------


class Particles(NamedTuple):
    """P particles, which share M clusters."""

    first: I64
    """int64 (P+1,): particle p holds the clusters `member[first[p]:first[p+1]]`."""
    member: I64
    """int64 (number held by all particles,): clusters."""
    log_weight: F64
    """float64 (P,): natural logarithms; the weights sum to 1."""


class Stock(NamedTuple):
    """M clusters of documents, in arrays that may be longer than their used part."""

    docs: I64
    """int64 (M,): documents of each cluster."""
    tokens: I64
    """int64 (M,): their tokens."""
    start: I64
    """int64 (M+1,): cluster j has the entries `start[j]:start[j+1]` of the next two."""
    words: I32
    """int32 (E,): ascending within a cluster, numbers in the vocabulary."""
    counts: I32
    """int32 (E,): how often each occurs in the cluster."""


# ---- topics that are drawn, not integrated out ---------------------------------------------------


class WordEntries(NamedTuple):
    """The entries of a corpus word by word."""

    start: I64
    """int64 (V+1,): word w has the entries `start[w]:start[w+1]`."""
    place: I64
    """int64 (U,): the first of the entry's tokens among all N, which follow each other."""
    held: I32
    """int32 (U,): how many tokens these are, >= 1."""


class Cells(NamedTuple):
    """All P pairs of a word and a slot that share tokens, word by word."""

    start: I64
    """int64 (V+1,): word w has the pairs `start[w]:start[w+1]`."""
    slot: I32
    """int32 (P,)."""
    held: I32
    """int32 (P,): their tokens, n_kw >= 1."""


class Phi(NamedTuple):
    """Topics in K slots: their E probabilities that are not 0, word by word."""

    start: I64
    """int64 (V+1,): word w has the cells `start[w]:start[w+1]`."""
    slot: I32
    """int32 (E,)."""
    chance: F32
    """float32 (E,): phi_kw > 0."""


class DrawnTopics(NamedTuple):
    """Topics with what draws of tokens need of them: of every word its cells, by slot ascending,
    and where among them a slot is found."""

    groups: U64
    """uint64 (V, K / 32 rounded up): of every 32 slots, in the lower half the bits of those that
    the word is in, in the upper half the first cell of these among all C."""
    start: I64
    """int64 (V+1,): word w has the cells `start[w]:start[w+1]`, one at least."""
    slot: I32
    """int32 (C+1,), the last one of no word."""
    chance: F32
    """float32 (C+1,): phi_kw > 0."""
    ends: F64
    """float64 (C,): running sums of phi_kw alpha Psi_k over the cells of a word."""
