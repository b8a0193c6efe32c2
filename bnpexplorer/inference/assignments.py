"""The state of a collapsed Gibbs sampler of topic models: every token's topic, and its counts.

A topic lives in a slot, a column of the count arrays; the number of slots is a multiple of 8, as
`kernels.hdp_collapsed` wants it, and some slots are closed.
"""

from dataclasses import dataclass
from typing import Annotated, Protocol

import numpy as np
from scipy.special import gammaln

from ..core.arrays import F32, F64, I32, I64, widened
from ..corpus.corpus import Batch, Corpus
from ..kernels.assignments import count_by_document, positive_counts, rearranged
from ..kernels.dirichlet import expected_topics
from ..kernels.tuples import Slots, Tokens
from ..state.invariants import POSITIVE, Ground, Must, close
from ..state.snapshot import Topics
from .concentrations import ETA_PRIOR, draw_dirichlet_parameter


def room_for(n_topics: int) -> int:
    """The smallest multiple of 8 slots that holds `n_topics`."""
    return -(-n_topics // 8) * 8


@dataclass(frozen=True, eq=False)
class Block:
    """The tokens of one block of S documents, ordered by word within a document."""

    tokens: Tokens
    topic: I32
    """int32 (N,): a copy, -1 for tokens that were never drawn."""
    places: I64
    """int64 (N,): where these tokens stand in `Assignments.topic`."""


@dataclass(eq=False)
class Assignments:
    """Topics of all N tokens of D documents over V words, and their counts in `cap` slots."""

    doc_start: Annotated[I64, Must("D+1")]
    """int64 (D+1,): tokens of document d are `doc_start[d]:doc_start[d+1]`, ordered by word."""
    topic: Annotated[I32, Must("N", least=-1, below="cap")]
    """int32 (N,): the slot of every token, -1 before it is seated."""
    word: Annotated[F64, Must("V", "cap")]
    """float64 (V, cap): eta + tokens of each word in each slot."""
    total: Annotated[F64, Must("cap")]
    """float64 (cap,): V eta + tokens in each slot."""
    count: Annotated[I64, Must("cap")]
    """int64 (cap,): tokens in each slot."""
    eta: Annotated[float, POSITIVE]

    @classmethod
    def unseated(cls, corpus: Corpus, n_slots: int, eta: float) -> "Assignments":
        """No token has a topic yet."""
        return cls(
            doc_start=np.concatenate(([0], np.cumsum(corpus.doc_lengths))),
            topic=np.full(corpus.n_tokens, -1, np.int32),
            word=np.full((corpus.n_words, n_slots), eta),
            total=np.full(n_slots, corpus.n_words * eta),
            count=np.zeros(n_slots, np.int64),
            eta=eta,
        )

    def mismatch(self, ground: Ground) -> str:
        """Counts that are not those of the tokens' topics."""
        corpus, n_slots = ground.corpus, len(self.count)
        if not np.array_equal(np.diff(self.doc_start, prepend=0)[1:], corpus.doc_lengths):
            return "documents of other lengths"
        seated = self.topic >= 0
        words = np.repeat(corpus.word_ids, corpus.counts).astype(np.int64)
        cells = words[seated] * n_slots + self.topic[seated]
        counts = np.bincount(cells, minlength=self.word.size).reshape(self.word.shape)
        totals = counts.sum(axis=0)
        sums = close(self.total, totals + self.n_words * self.eta)
        if n_slots % 8 or not sums or not np.array_equal(self.count, totals):
            return "other counts than those of the tokens' topics"
        return "" if close(self.word, counts + self.eta) else "other counts of words"

    @property
    def n_words(self) -> int:
        return int(self.word.shape[0])

    def block(self, batch: Batch) -> Block:
        """The tokens of the batch's documents."""
        first, lengths = self.doc_start[batch.rows], np.diff(self.doc_start)[batch.rows]
        doc_start = np.concatenate(([0], np.cumsum(lengths)))
        places = np.repeat(first - doc_start[:-1], lengths) + np.arange(doc_start[-1])
        words = np.repeat(batch.docs.word_ids, batch.docs.counts)
        return Block(Tokens(doc_start, words), self.topic[places], places)

    def make_room(self, n_more: int) -> None:
        """Add closed slots, `n_more` of them: a multiple of 8."""
        self.word = widened(self.word, n_more, self.eta)
        self.total = widened(self.total, n_more, self.n_words * self.eta)
        self.count = widened(self.count, n_more)

    def rearrange(self, order: I64, n_slots: int, eta: float) -> None:
        """Slot j becomes what slot `order[j]` was, closed ones follow; eta takes a new value.

        `order` int64 (K,): slots, among them all that hold tokens. Counts are made whole again, so
        that the rounding of a pass (1e-12 where a word had many tokens) cannot add up.
        """
        self.word = rearranged(self.word, order, n_slots, self.eta, eta)
        count = np.zeros(n_slots, np.int64)
        count[: len(order)] = self.count[order]
        slot = np.full(len(self.count) + 1, -1, np.int32)  # the last entry serves tokens at -1
        slot[order] = np.arange(len(order))
        self.topic = slot[self.topic]
        self.count, self.eta = count, eta
        self.total = self.n_words * eta + count.astype(np.float64)

    def word_counts(self) -> I64:
        """The positive n_kw of all slots, int64 (P,)."""
        return positive_counts(self.word, self.eta)

    def topic_word(self, slots: I64) -> F32:
        """E beta = (n_kw + eta) / (n_k + V eta), float32 (K, V), of the topics in `slots` int64
        (K,)."""
        return expected_topics(self.word, slots, 1.0, 0.0, self.total[slots])

    def draw_eta(self, rng: np.random.Generator) -> float:
        """eta given the topics of all tokens, under its Gamma prior."""
        counts, totals = self.word_counts(), self.count[self.count > 0]
        return draw_dirichlet_parameter(self.eta, counts, totals, self.n_words, rng, ETA_PRIOR)

    def log_words(self) -> float:
        """ln p(x | z), topics integrated out (Griffiths & Steyvers 2004, equation 2)."""
        counts, totals = self.word_counts(), self.count[self.count > 0]
        v_eta = self.n_words * self.eta
        repeats = np.bincount(counts)  # a few hundred different counts in 10^5
        log_p = repeats @ (gammaln(self.eta + np.arange(len(repeats))) - gammaln(self.eta))
        return float(log_p - (gammaln(v_eta + totals) - gammaln(v_eta)).sum())

    def log_topics(self, prior: F64) -> float:
        """ln p(z) for proportions ~ Dirichlet(`prior`), which are integrated out.

        `prior` float64 (cap + 1,): of every slot, then of all other topics together.
        """
        counts, slots = count_by_document(self.doc_start, self.topic, len(self.count))
        total, lengths = prior.sum(), np.diff(self.doc_start)
        log_p = (gammaln(prior[slots] + counts) - gammaln(prior)[slots]).sum()
        return float(log_p - (gammaln(total + lengths) - gammaln(total)).sum())


class Counted(Protocol):
    """Whose tokens are counted by words in slots, as those of `Assignments`."""

    word: F64
    """float64 (V, cap): eta + tokens of each word in each slot."""
    total: F64
    """float64 (cap,): V eta + tokens in each slot."""
    count: I64
    """int64 (cap,): tokens in each slot."""


def fixed_slots(tokens: Counted, weight: F64, n_topics: int) -> Slots:
    """For draws among the topics of the first `n_topics` slots, of which none opens or closes.

    `weight` float64 (cap,): what a document gives to each of them, beside alpha.
    """
    n_slots = len(tokens.count)
    return Slots(
        n_topics,
        tokens.word,
        tokens.total,
        tokens.count,
        weight,
        rest=np.zeros(1),
        free=np.zeros(n_slots, np.int64),
        n_free=np.ones(1, np.int64),
        kept=np.zeros(n_slots, bool),
        stats=np.zeros((0, 0)),
    )


def keeps(n_passes: int, burn_in: int, thin: int) -> bool:
    """Whether the state after `n_passes` is kept: every `thin` passes beyond `burn_in`."""
    return n_passes > burn_in and (n_passes - burn_in) % thin == 0


def newest(
    kept: tuple[Topics, ...], topics: Topics, n_passes: int, thin: int, n_kept: int
) -> tuple[Topics, ...]:
    """`kept` with `topics` at its end: at most `n_kept`, none of the first half of all passes.

    So averaging may begin early: on glosses, where 200 topics become 70 by the 100th pass,
    states of the first half cost 0.01 (`benchmarks/README.md`).
    """
    return (*kept, topics)[-min(n_kept, n_passes // (2 * thin) + 1) :]


def sampler_bytes(corpus: Corpus, n_topics: int, n_kept: int) -> int:
    """Bytes of the state of a sampler with `n_topics`: topics of tokens, counts, kept states.

    Counts stand twice while they are rearranged.
    """
    cells = corpus.n_words * room_for(n_topics)
    return 4 * corpus.n_tokens + 8 * corpus.n_docs + 16 * cells + 4 * n_kept * cells
