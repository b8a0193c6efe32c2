"""A mini-batch whose topics are drawn jointly given a posterior that holds K of them.

N tokens of S documents, W distinct words; `cap` slots, those beyond K for topics that the
mini-batch opens (`kernels.hdp_collapsed`).
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.special import digamma

from ..core.arrays import F64, I32, I64, Bools, widened
from ..corpus.corpus import Corpus
from ..kernels.hdp_collapsed import resample_tokens, seat_alone
from ..kernels.openings import RIVALS, no_openings
from ..kernels.special import distinct_words
from ..kernels.tuples import Openings, Prior, Slots, Tokens, WordCounts
from .dirichlet import Dirichlets

FIRST_ROOM = 16
"""Slots for new topics before more are made; has no influence on results."""


@dataclass(eq=False)
class LocalSample:
    """The Gibbs state of one mini-batch."""

    words: I32
    """int32 (W,): the distinct words of the batch."""
    tokens: Tokens
    topic: I32
    """int32 (N,): the slot of every token, -1 before it is seated."""
    counts: WordCounts
    slots: Slots
    openings: Openings
    tables: F64
    """float64 (cap,): tables of each slot."""
    table_stats: F64
    """float64 (cap,): tables of the kept sweeps."""

    @property
    def new_slots(self) -> I64:
        """The slots, int64 (any number,), of topics that kept sweeps have counted and that were not
        known before."""
        n_old = self.slots.n_old
        return n_old + np.flatnonzero(self.counts.stats[:, n_old:].any(axis=0))

    def make_room(self, n_more: int, eta: float, n_words: int) -> None:
        """Add at least `n_more` closed slots; keeps the number of slots a multiple of 8."""
        s, n_slots = self.slots, len(self.tables)
        more = -(-(n_slots + n_more) // 8) * 8 - n_slots
        added = np.arange(n_slots + more - 1, n_slots - 1, -1)
        word, stats = self.counts
        self.counts = WordCounts(widened(word, more, eta), widened(stats, more))
        self.slots = s._replace(
            total=widened(s.total, more, n_words * eta),
            tokens=widened(s.tokens, more),
            weight=widened(s.weight, more),
            free=np.concatenate((added, s.free)),  # the lowest slots lie on top of the stack
            n_free=s.n_free + more,
            kept=widened(s.kept, more),
        )
        o = self.openings
        self.openings = o._replace(
            label=widened(o.label, more, -1),
            opener=widened(o.opener, more, -1),
            rivals=widened(o.rivals, more, -1),
            logs=widened(o.logs, more),
            alone=widened(o.alone, more),
        )
        self.tables = widened(self.tables, more)
        self.table_stats = widened(self.table_stats, more)

    def seat_alone(self, alone: Bools, eta: float, prior: Prior, rng: np.random.Generator) -> None:
        """Seat all tokens of each of the documents `alone` bool (S,) in a topic of its own."""
        doc_start = self.tokens.doc_start
        documents = np.flatnonzero(alone & (doc_start[1:] > doc_start[:-1])).tolist()
        if documents:
            self.make_room(len(documents), eta, prior.n_words)
        for d in documents:
            slot = seat_alone(self.tokens, self.topic, self.counts, self.slots, d, prior, rng)
            self._note_opening(int(doc_start[d]), slot, eta, prior)
            self.openings.alone[slot] = True

    def draw(self, counting: int, eta: float, prior: Prior, rng: np.random.Generator) -> None:
        """Draw the topics of all tokens, one after the other; `counting` as the kernel has it."""
        done, n_tokens = 0, len(self.topic)
        while done < n_tokens:
            done, opened = resample_tokens(
                self.tokens, self.topic, self.counts, self.slots, prior, counting, done, rng
            )
            if opened >= 0:
                self._note_opening(done - 1, opened, eta, prior)
            elif done < n_tokens:
                self.make_room(16 + len(self.tables) // 4, eta, prior.n_words)

    def _note_opening(self, token: int, slot: int, eta: float, prior: Prior) -> None:
        """Note how a token has just opened the topic in `slot`.

        The other topics still stand as they did at that moment; the new one was at its prior. The
        kernel leaves this to Python, since it took a quarter of the time to compile. Of the
        sample corpora the first mini-batch opens some 60 topics, a later one 3 at most.
        """
        s, o = self.slots, self.openings
        doc_start, word = self.tokens
        d = int(np.searchsorted(doc_start, token, side="right")) - 1
        seated = self.topic[doc_start[d] : doc_start[d + 1]]
        n_doc = np.bincount(seated[seated >= 0], minlength=len(s.total))
        n_doc[slot] = 0
        row = self.counts.word[word[token]]
        weights = n_doc + prior.alpha * s.weight
        weights[slot] = 0.0
        shares = weights * row / s.total
        best = np.argsort(-shares, kind="stable")[:RIVALS]
        best = best[shares[best] > 0.0]
        rest = s.rest[0] + s.weight[slot]
        prior_weights = np.append(weights[best], prior.alpha * rest)
        in_topics = np.append(row[best], eta)
        in_total = np.append(s.total[best], prior.n_words * eta)
        o.label[slot] = o.n_labels[0]
        o.n_labels[0] += 1
        o.opener[slot], o.alone[slot] = token, False
        o.rivals[:, slot] = -1
        o.rivals[: len(best), slot] = o.label[best]
        with np.errstate(divide="ignore"):  # earlier topics may have taken all of the rest
            log_prior = np.log(prior_weights / (n_doc.sum() + prior.alpha))
        o.logs[:, [*range(len(best)), RIVALS], slot] = (
            log_prior,
            np.log(in_topics / in_total),
            digamma(in_topics) - digamma(in_total),
        )

    @classmethod
    def unseated(cls, lam: Dirichlets, weight: F64, unseen: float, docs: Corpus) -> "LocalSample":
        """The documents before their first token is seated, given topics `lam` of corpus weights
        `weight` float64 (K,); `unseen` have all others."""
        words, place = distinct_words(docs.word_ids, docs.n_words)
        doc_start = np.concatenate(([0], np.cumsum(docs.doc_lengths)))
        tokens = Tokens(doc_start, np.repeat(place, docs.counts))
        n_old = len(weight)
        slots = Slots(
            n_old,
            total=lam.total,
            tokens=np.zeros(n_old, np.int64),
            weight=weight,
            rest=np.array([unseen]),
            free=np.zeros(n_old, np.int64),
            n_free=np.zeros(1, np.int64),
            kept=np.zeros(n_old, bool),
        )
        local = cls(
            words,
            tokens,
            topic=np.full(len(tokens.word), -1, np.int32),
            counts=WordCounts(lam.at(words), np.zeros((len(words), n_old))),
            slots=slots,
            openings=no_openings(n_old, n_old),
            tables=np.zeros(n_old),
            table_stats=np.zeros(n_old),
        )
        local.make_room(FIRST_ROOM, lam.eta, docs.n_words)
        return local

    def about(self, token: int, slot: int) -> tuple[int, Iterable[int]]:
        """The document that holds the token; the token's word and those of the document's tokens
        in the slot."""
        doc_start, word = self.tokens
        d = int(np.searchsorted(doc_start, token, side="right")) - 1
        first, end = doc_start[d : d + 2]
        inside = word[first:end][self.topic[first:end] == slot]
        return d, self.words[np.append(word[token], inside)].tolist()
