"""A start from many topics: the first documents learn an LDA of so many, mini-batch by mini-batch.

Inference that opens topics one by one seldom divides what its first mini-batches lumped together.
Here the first documents draw their tokens' topics as an LDA's collapsed sampler does (Griffiths &
Steyvers 2004): equal weights, none opens or closes. Their counts, scaled up to all documents, are
what stochastic steps of size S / n_t over these documents come to, so that such steps go on.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ..core.arrays import F64, I32, I64
from ..corpus.corpus import Corpus
from ..kernels import hdp_collapsed as kernels
from ..kernels.tuples import Prior, Tokens, WordCounts
from ..state.invariants import Constraint, StateContext, close
from .assignments import fixed_slots, room_for
from .dirichlet import Dirichlets

TOKENS_PER_TOPIC = 300
"""At the start on average; with fewer, topics are noise that stochastic steps do not end. 10,000
glosses: 200 topics of 75 tokens score 0.09 lower than 50 of 300."""


@dataclass(eq=False)
class ManyTopics:
    """Topics of the T tokens of the S documents so far; slots from `n_topics` on stay closed."""

    doc_start: Annotated[I64, Constraint("S+1")]
    """int64 (S+1,): tokens of document d are `doc_start[d]:doc_start[d+1]`."""
    words: Annotated[I32, Constraint("T", below="V")]
    """int32 (T,): the word of every token."""
    topic: Annotated[I32, Constraint("T", below="n_topics")]
    """int32 (T,): the slot of every token."""
    word: Annotated[F64, Constraint("V", "cap")]
    """float64 (V, cap): eta + tokens of each word in each slot."""
    total: Annotated[F64, Constraint("cap")]
    """float64 (cap,): V eta + tokens in each slot."""
    count: Annotated[I64, Constraint("cap")]
    """int64 (cap,): tokens in each slot."""
    n_topics: int
    eta: float
    next_doc: int = 0
    """The document whose turn it is to be drawn again."""

    @classmethod
    def of(cls, corpus: Corpus, n_docs: int, most: int, eta: float) -> "ManyTopics":
        """No document yet of `n_docs`; `most` topics, or as many as these can fill."""
        n_tokens = corpus.n_tokens * min(n_docs, corpus.n_docs) // corpus.n_docs
        n_topics, n_words = max(min(most, n_tokens // TOKENS_PER_TOPIC), 1), corpus.n_words
        n_slots = room_for(n_topics)
        return cls(
            doc_start=np.zeros(1, np.int64),
            words=np.zeros(0, np.int32),
            topic=np.zeros(0, np.int32),
            word=np.full((n_words, n_slots), eta),
            total=np.full(n_slots, n_words * eta),
            count=np.zeros(n_slots, np.int64),
            n_topics=n_topics,
            eta=eta,
        )

    def mismatch(self, ground: StateContext) -> str:
        """Counts that are not those of the tokens' topics."""
        if self.doc_start[0] or (np.diff(self.doc_start) < 0).any():
            return "documents that do not follow each other"
        if self.doc_start[-1] != len(self.topic) or len(self.count) != room_for(self.n_topics):
            return "other tokens than those of its documents"
        held = np.zeros(self.word.shape)
        np.add.at(held, (self.words, self.topic), 1.0)
        totals = held.sum(axis=0)
        same = np.array_equal(totals, self.count) and close(self.word, held + self.eta)
        return "" if same and close(self.total, totals + len(held) * self.eta) else "other counts"

    @property
    def n_docs(self) -> int:
        """S, the documents so far."""
        return len(self.doc_start) - 1

    def seat(self, docs: Corpus, alpha: float, n_times: int, rng: np.random.Generator) -> None:
        """Draw the topics of `docs`, then `n_times` those of as many documents, each in its turn.

        So a step costs what its mini-batch costs. `alpha`: concentration of all topics together.
        """
        n_before = self.n_docs
        ends = self.doc_start[-1] + np.cumsum(docs.doc_lengths)
        self.doc_start = np.concatenate((self.doc_start, ends))
        self.words = np.concatenate((self.words, np.repeat(docs.word_ids, docs.counts)))
        unseated = np.full(docs.n_tokens, -1, np.int32)
        self.topic = np.concatenate((self.topic, unseated))
        self._draw(n_before, self.n_docs, alpha, rng)
        for _ in range(n_times):
            stop = min(self.next_doc + docs.n_docs, self.n_docs)
            self._draw(self.next_doc, stop, alpha, rng)
            self.next_doc = stop % self.n_docs

    def _draw(self, first: int, stop: int, alpha: float, rng: np.random.Generator) -> None:
        """Draw the topics of the tokens of some documents given all others."""
        begin, end = self.doc_start[first], self.doc_start[stop]
        tokens = Tokens(self.doc_start[first : stop + 1] - begin, self.words[begin:end])
        words = WordCounts(self.word, np.zeros((0, 0)))
        slots = fixed_slots(self.total, self.count, self._weight())
        prior = Prior(alpha, 1.0, len(self.word))
        topic = self.topic[begin:end]
        kernels.resample_tokens(tokens, topic, words, slots, prior, kernels.COUNT_NOTHING, 0, rng)

    def _weight(self) -> F64:
        """Equal for all topics, float64 (cap,)."""
        slots = np.arange(len(self.count))
        return np.where(slots < self.n_topics, 1.0 / self.n_topics, 0.0)

    def posterior(
        self, n_docs: int, alpha: float, rng: np.random.Generator
    ) -> tuple[Dirichlets, F64]:
        """q of all topics, and the expected tables of each, float64 (n_topics,), if all `n_docs`
        documents were as those so far."""
        times, tables = n_docs / self.n_docs, np.empty(len(self.count))
        seats = (self.doc_start, self.topic, self._weight(), alpha)
        kernels.seat_tables(*seats, True, tables, rng)
        counts = np.rint(self.word[:, : self.n_topics] - self.eta)
        stats = times * counts
        slots = np.arange(self.n_topics)
        lam = Dirichlets(self.eta, stats, stats.sum(axis=0), slots)
        return lam, times * tables[: self.n_topics]
