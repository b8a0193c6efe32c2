"""The state of a collapsed Gibbs sampler of topic models: every token's topic, and its counts.

A topic lives in a slot, a column of the count arrays; the number of slots is a multiple of 8, as
`kernels.sparse_gibbs` wants it, and some slots are closed. Of the words, the topics that each has
are held, and no others.
"""

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from scipy.special import gammaln

from ..core.arrays import F32, F64, I32, I64, widened
from ..corpus.corpus import Batch, Corpus
from ..kernels.assignments import (
    log_seating,
    put_runs,
    rename_slots,
    repeated,
    smoothed_topics,
    take_runs,
)
from ..kernels.tuples import Slots, Tokens, WordTopics
from ..state.invariants import POSITIVE, Constraint, StateContext, close
from ..state.snapshot import Topics
from .concentrations import ETA_PRIOR, draw_dirichlet_parameter

FEW_TOKENS, MOST_SWEEPS = 6000, 20
"""Where concentrations are learned, a pass over a small corpus is as many sweeps as make so many
tokens, and at most so many: on 300 words gamma and the number of topics hold each other, and it
took 95 sweeps to a draw as good as independent (benchmarks/README.md)."""


def room_for(n_topics: int) -> int:
    """The smallest multiple of 8 slots that holds `n_topics`."""
    return -(-n_topics // 8) * 8


@dataclass(frozen=True, eq=False)
class TokenBlock:
    """The tokens of one block of S documents, ordered by word within a document."""

    tokens: Tokens
    topic: I32
    """int32 (N,): a copy, -1 for tokens that were never drawn."""
    first: I64
    """int64 (S,): where the tokens of each document begin in `Assignments.topic`."""


@dataclass(eq=False)
class Assignments:
    """Topics of all N tokens of D documents over V words, and their counts in `cap` slots."""

    doc_start: Annotated[I64, Constraint("D+1")]
    """int64 (D+1,): tokens of document d are `doc_start[d]:doc_start[d+1]`, ordered by word."""
    topic: Annotated[I32, Constraint("N", least=-1, below="cap")]
    """int32 (N,): the slot of every token, -1 before it is seated."""
    total: Annotated[F64, Constraint("cap")]
    """float64 (cap,): V eta + tokens in each slot."""
    count: Annotated[I64, Constraint("cap")]
    """int64 (cap,): tokens in each slot."""
    eta: Annotated[float, POSITIVE]
    word_start: Annotated[I64, Constraint("V+1")] = field(
        default_factory=lambda: np.zeros(0, np.int64)
    )
    """int64 (V+1,): as `WordTopics.start`. Empty, as the next two, in files of the versions that
    held a count for every word and slot; `opened` counts again."""
    cells: Annotated[I32, Constraint("...")] = field(default_factory=lambda: np.zeros(0, np.int32))
    """int32 (16 word_start[V],): as `WordTopics.cells`."""
    used: Annotated[I32, Constraint("V")] = field(default_factory=lambda: np.zeros(0, np.int32))
    """int32 (V,): topics of each word."""

    @classmethod
    def unseated(cls, corpus: Corpus, n_slots: int, eta: float) -> "Assignments":
        """No token has a topic yet."""
        tokens = cls(
            doc_start=np.concatenate(([0], np.cumsum(corpus.doc_lengths))),
            topic=np.full(corpus.n_tokens, -1, np.int32),
            total=np.full(n_slots, corpus.n_words * eta),
            count=np.zeros(n_slots, np.int64),
            eta=eta,
        )
        tokens.opened(corpus)
        return tokens

    def opened(self, corpus: Corpus) -> None:
        """Count the topics of all words, unless they are known."""
        if not len(self.word_start):
            self.word_start = block_starts(corpus)
            self.count_words(words_of(corpus))

    def mismatch(self, ground: StateContext) -> str:
        """Counts that are not those of the tokens' topics."""
        corpus = ground.corpus
        if not np.array_equal(np.diff(self.doc_start, prepend=0)[1:], corpus.doc_lengths):
            return "documents of other lengths"
        words, n_slots = words_of(corpus), len(self.count)
        totals = np.bincount(self.topic[self.topic >= 0], minlength=n_slots)
        sums = close(self.total, totals + corpus.n_words * self.eta)
        if n_slots % 8 or not sums or not np.array_equal(self.count, totals):
            return "other counts than those of the tokens' topics"
        if not np.array_equal(self.word_start, block_starts(corpus)):
            return "other room for words than their tokens need"
        if len(self.cells) != 16 * self.word_start[-1]:
            return "other words than those of the corpus"
        pairs, room = self.cells.reshape(-1, 2), 8 * np.diff(self.word_start)
        owner = np.repeat(np.arange(self.n_words), room)
        known = np.arange(len(pairs)) - 8 * self.word_start[owner] < self.used[owner]
        found = owner[known] * n_slots + pairs[known, 0]
        cells, counts = cells_of(words, self.topic, n_slots)
        same = (
            (pairs[:, 0] < n_slots).all()
            and not pairs[~known, 1].any()
            and np.array_equal(np.sort(found), cells)
            and np.array_equal(pairs[known, 1][np.argsort(found)], counts)
            and (self.used <= room).all()
        )
        return "" if same else "other counts of words"

    @property
    def n_words(self) -> int:
        return len(self.word_start) - 1

    def block(self, batch: Batch) -> TokenBlock:
        """The tokens of the batch's documents."""
        first = self.doc_start[batch.rows]
        lengths = self.doc_start[batch.rows + 1] - first
        doc_start = np.concatenate(([0], np.cumsum(lengths)))
        words = repeated(batch.docs.word_ids, batch.docs.counts, int(doc_start[-1]))
        return TokenBlock(Tokens(doc_start, words), take_runs(self.topic, first, doc_start), first)

    def put_back(self, block: TokenBlock) -> None:
        """Take over the topics that were drawn for a block's tokens."""
        put_runs(self.topic, block.first, block.tokens.doc_start, block.topic)

    def make_room(self, n_more: int) -> None:
        """Add closed slots, `n_more` of them: a multiple of 8."""
        self.total = widened(self.total, n_more, self.n_words * self.eta)
        self.count = widened(self.count, n_more)

    def rearrange(self, order: I64, n_slots: int, eta: float) -> None:
        """Slot j becomes what slot `order[j]` was, closed ones follow; eta takes a new value.

        `order` int64 (K,): slots, among them all that hold tokens.
        """
        count = np.zeros(n_slots, np.int64)
        count[: len(order)] = self.count[order]
        slot = np.full(len(self.count) + 1, -1, np.int32)  # the last entry serves tokens at -1
        slot[order] = np.arange(len(order))
        self.topic = slot[self.topic]
        rename_slots(self.cells, slot)
        self.count = count
        self.renew(eta)

    def renew(self, eta: float) -> None:
        """Totals for this eta, made anew, so that the rounding of a pass cannot add up."""
        self.eta = eta
        self.total = self.n_words * eta + self.count.astype(np.float64)

    def count_words(self, words: I32) -> None:
        """Make the topics of all words from those of the tokens; `words` int32 (N,): of each."""
        n_slots = len(self.count)
        cells, counts = cells_of(words, self.topic, n_slots)
        owner, slot = np.divmod(cells, n_slots)
        used = np.bincount(owner, minlength=self.n_words)
        place = 8 * self.word_start[owner] + np.arange(len(cells)) - (np.cumsum(used) - used)[owner]
        self.used = used.astype(np.int32)
        self.cells = np.zeros(16 * self.word_start[-1], np.int32)
        self.cells[2 * place], self.cells[2 * place + 1] = slot, counts

    def add_counts(self, word: F64) -> None:
        """Add the tokens of every word in every slot to `word` float64 (V, cap)."""
        pairs = self.cells.reshape(-1, 2)
        owner = np.repeat(np.arange(self.n_words), 8 * np.diff(self.word_start))
        held = pairs[:, 1] > 0
        word[owner[held], pairs[held, 0]] += pairs[held, 1]

    def word_topics(self) -> WordTopics:
        """The topics of all words, as kernels read and change them."""
        return WordTopics(self.word_start, self.cells, self.used, self.eta)

    def word_counts(self) -> I64:
        """The positive n_kw of all slots, int64 (P,)."""
        counts = self.cells[1::2]
        return counts[counts > 0].astype(np.int64)

    def topic_word(self, slots: I64) -> F32:
        """E beta = (n_kw + eta) / (n_k + V eta), float32 (K, V), of the topics in `slots` int64
        (K,)."""
        return smoothed_topics(self.word_topics(), slots, self.total)

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
        total, lengths = prior.sum(), np.diff(self.doc_start)
        log_p = log_seating(self.doc_start, self.topic, prior)
        return float(log_p - (gammaln(total + lengths) - gammaln(total)).sum())


def words_of(corpus: Corpus) -> I32:
    """The word of every token, int32 (N,)."""
    return np.repeat(corpus.word_ids, corpus.counts)


def block_starts(corpus: Corpus) -> I64:
    """Room for a topic a token, in blocks of eight cells: int64 (V+1,)."""
    totals = np.bincount(words_of(corpus), minlength=corpus.n_words)
    return np.concatenate(([0], np.cumsum(-(-totals // 8))))


def cells_of(words: I32, topic: I32, n_slots: int) -> tuple[I64, I64]:
    """All pairs of a word and a slot that share tokens, w `n_slots` + k, ascending, int64 (P,), and
    how many tokens, int64 (P,). `words` int32 (N,), `topic` int32 (N,): of every token."""
    seated = topic >= 0
    pairs = words[seated].astype(np.int64) * n_slots + topic[seated]
    cells, counts = np.unique(pairs, return_counts=True)
    return cells, counts.astype(np.int64)


def sweeps_a_pass(tokens: Assignments, learns: bool) -> int:
    """How often a pass draws every token: once, but where there are few and concentrations are
    learned."""
    if not learns:
        return 1
    return min(max(FEW_TOKENS // max(len(tokens.topic), 1), 1), MOST_SWEEPS)


def fixed_slots(total: F64, count: I64, weight: F64) -> Slots:
    """For draws among the topics that have a weight; none of them opens or closes.

    `total` float64 (cap,), `count` int64 (cap,): of the slots, which draws change. `weight` float64
    (cap,): what a document gives to each of them, beside alpha.
    """
    n_slots = len(count)
    return Slots(
        n_slots,
        total,
        count,
        weight,
        rest=np.zeros(1),
        free=np.zeros(n_slots, np.int64),
        n_free=np.ones(1, np.int64),
        kept=np.zeros(n_slots, bool),
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
    """Bytes of the state of a sampler with `n_topics`: topics of tokens and words, kept states.

    Topics of words stand twice while they are rearranged.
    """
    cells = 2 * 8 * (corpus.n_tokens + 7 * corpus.n_words)
    kept = 4 * n_kept * corpus.n_words * room_for(n_topics)
    return 4 * corpus.n_tokens + 8 * corpus.n_docs + cells + kept
