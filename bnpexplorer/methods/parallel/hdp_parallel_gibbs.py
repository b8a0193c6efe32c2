"""Doubly sparse, partially collapsed Gibbs sampling (Terenin, Magnusson & Jonsson 2020).

Only the proportions of documents are integrated out; topics Phi and corpus weights Psi are drawn
and stand still while a pass draws the topics of all tokens. So documents do not depend on each
other and are drawn in parallel, without approximation. The end of a pass draws in turn

    L      tables, given z and Psi, by sums of binomials over documents
    order  of the topics along the sticks, and gamma where it is learned, given L
    Psi    given L and order: sticks, the last of K closed
    Phi    given z: Dirichlet, or by the Poisson Polya urn, an approximation

and what the next pass needs of them: where the topics of every word are found.

The law is that of the model truncated at K topics. Where the topic of the last stick, the flag,
has a token, K grows: the chain goes on in the larger model. Teh's finite form, where topics not in
use share what the others leave, was not taken: with all empty topics behind those in use, a birth
and the death that takes it back do not have the same probabilities.

With Phi drawn, an empty topic is one draw of its prior, which seldom fits any words: few topics are
born. So the start is from many, and superfluous ones end. Its first passes have equal weights and
take the mean of topics for a draw, which belongs to no law, but finds topics in fewer passes: as
many samplers of an LDA in parallel do (Newman, Asuncion, Smyth & Welling 2009).

A sweep moves less than one of `hdp-gibbs`, which may finish: it begins at the topics of a run of
this one (`fit --start-from RUN`, or the form). After equal seconds by the clock, where two threads
are taken to learn 1.8 times what one does (1.6 to 1.7 were measured), `hdp-gibbs` on one scored
-7.351 on KOS, this sampler on two -7.346, and `hdp-gibbs` in the second half of the time -7.340; on
glosses -8.559, -8.602 and -8.567, on speeches -7.796, -7.827 and -7.805, on messages of 7 words
-4.980, -5.063 and -4.984 (one seed each, messages two, which lie 0.1 apart).

Topics are drawn exactly, unless the texts are such that Poisson counts score the same
(`draws.usual_draw`). Exact draws have the law of the model, up to topics without tokens where eta
times the number of words is below 0.3 (`kernels/drawn_words.py`). Counts have another law. On a
tiny corpus it lies 0.25 in total variation from the enumerated one, where exact draws lie 0.03 from
it, which is chance. With as many passes, counts scored 0.1 to 0.5 a word worse on 160 short notes
with eta 0.1 and less, and 0.02 to 0.06 worse on most larger corpora, where they found up to five
times as many topics (`benchmarks.drawn_topics`). They are faster: a sweep of exact draws takes 1.3
to 6.8 times as long. So in a short run they may still come out ahead. After equal processor
seconds, so few that neither had converged, exact draws scored 0.04 to 0.09 worse on three corpora
and 0.02 better on messages of 7 words. More or fewer passes of start and burn-in differed by 0.01
on most (`benchmarks.parallel_gibbs`).

How the partially collapsed sampler draws topics where nobody chose: the rule for `draw = auto`.

Poisson counts are an approximation of the Dirichlet, which becomes exact as topics grow. Open this
file to see from where on they stand for the exact draw, and what was measured.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...core.arrays import I32, I64
from ...core.knob import knob
from ...corpus.corpus import Batch, Corpus
from ...inference.assignments import keeps, newest
from ...inference.concentrations import CONCENTRATION_PRIOR, draw_alpha
from ...inference.drawn_topics import count_cells, draw_topics, topics_given
from ...inference.pool import Pool, each
from ...inference.slices import read_only, writeable
from ...inference.start import GivenTopics, Start, first_topics, topics_for
from ...inference.truncated_sticks import (
    documents_holding,
    draw_gamma_of_sticks,
    draw_order,
    draw_sticks,
    draw_tables,
    log_topics,
)
from ...kernels.assignments import put_runs, take_runs
from ...kernels.partly_collapsed import draw_documents
from ...kernels.tuples import Docs, DrawnTopics
from ...models.hdp import HDP
from ...state.invariants import StateContext
from ...state.snapshot import Event, Info, Kept, Topics
from ..base import Batching, Inference, Kind, Parallel, Preset, learned, learns
from .edits import edited
from .state import MOST_KEYS, State, draw_eta, log_words, reported

AUTO, EXACT, POISSON = "auto", "exact", "poisson"
DRAWS = (AUTO, EXACT, POISSON)
TOPICS = 200
"""The tokens are divided by so many topics at least, as far as the texts have room for them: a
chain of counts that began with 20 topics found 58, one of exact draws 25."""
TOKENS_EACH, PRIOR = 50_000.0, 500.0
"""Tokens a topic, and V eta, from which on Poisson counts are taken. With 52,000 tokens a topic
counts scored as exact draws do; up to 28,000 they scored 0.02 to 0.04 a word worse on most corpora.
With V eta up to 421 they scored worse wherever that was measured, by 0.006 to 0.5."""


def usual_draw(n_tokens: int, n_docs: int, n_words: int, eta: float, n_start: int) -> str:
    """Return `POISSON` where counts score as exact draws do, else `EXACT`.

    `n_start`: topics at the start, as the knob says.
    """
    n_topics = topics_for(max(n_start, TOPICS), n_tokens, n_docs)
    large = n_tokens >= TOKENS_EACH * n_topics and n_words * eta >= PRIOR
    return POISSON if large else EXACT


FEWEST, USUAL_PIECES = 16, 16
"""Documents of a piece at least, and pieces of a step: how it is cut changes no number."""
GROWTH = 16
"""Topics that are added when the flag has a token."""
GROWN = 4 * GROWTH
"""For the estimate of memory: from 100 and from 187 topics, KOS added 16 in the start and none in
the 80 passes after it."""
DENSE = 41
"""Bytes of a word in a topic, since at the start every word is in all of them: 8 as drawn, 17 as
kernels read them, and 16 while all are drawn anew."""
FEW = 50
"""Topics at the start with fewer of which there is a warning."""


class PassGround(NamedTuple):
    """Parameters from which all documents of a pass are drawn."""

    drawn: DrawnTopics
    n_slots: int
    key: int
    sweep: int


def draw_piece(docs: Docs, rows: I64, topic: I32, given: PassGround) -> tuple[I32, I64]:
    """The topics of the tokens of some documents, int32 (N,), drawn anew, and the tokens that each
    slot gained, int64 (K,); see `draw_documents`.

    `rows` int64 (S,): their numbers in the corpus. `topic` int32 (N,): their topics so far.
    """
    new = topic.copy()
    # What was sent may have lost what is part of the types that kernels are compiled for.
    entries, topics = list[Any](docs), list[Any](given.drawn)
    docs, drawn = Docs(*map(read_only, entries)), DrawnTopics(*map(writeable, topics))
    return new, draw_documents(docs, writeable(rows), new, drawn, *given[1:])


@dataclass(frozen=True)
class HdpParallelGibbs(Inference):
    """Draw all documents given topics and weights; then tables, weights and topics."""

    name: ClassVar[str] = "hdp-parallel-gibbs"
    title: ClassVar[str] = "Gibbs sampling, in parallel"
    in_words: ClassVar[str] = "Counts by sampling, on all cores"
    source: ClassVar[str] = (
        "Terenin, Magnusson & Jonsson 2020; of LDA: Magnusson, Jonsson, Villani & Broman 2018"
    )
    papers: ClassVar[tuple[str, ...]] = ("terenin2020", "magnusson2018")
    kind: ClassVar[Kind] = "sampler"
    colour: ClassVar[int] = 7
    parallel: ClassVar[Parallel] = "documents"
    batching: ClassVar[Batching] = "fixed"
    untold: ClassVar[str] = (
        "Topics are drawn with their words before any word is given to them: one that is born was "
        "an empty draw of the prior that got its first words, in any number of documents at once."
    )
    untold_ends: ClassVar[str] = (
        "Given the topics, the words of all documents are drawn side by side: it had none left at "
        "the end of a pass, and none of them was the last to leave."
    )
    state_type: ClassVar[type] = State
    presets: ClassVar[dict[str, Preset]] = {
        "default": Preset("For many thousands of documents", batch_size=1024, passes=100),
        "exact": Preset(
            "Topics drawn exactly", knobs={"draw": "exact"}, batch_size=1024, passes=100
        ),
    }

    model: HDP = HDP()
    burn_in: int = knob(15, 0, 10**6, "Passes that are thrown away before states are kept.")
    thin: int = knob(5, 1, 10**6, "Passes from one state that is kept to the next.")
    n_kept: int = knob(
        10,
        1,
        100,
        "States over which prediction averages: more, and it is better and slower.",
        label="States kept",
        more=True,
    )
    n_start: int = knob(
        200,
        1,
        5000,
        "Topics at the start, of which superfluous ones end. Short texts, and few, begin with "
        "fewer.",
        label="Topics at start",
    )
    spare: int = knob(
        16,
        1,
        5000,
        "Empty topics beside those of the start; more are made where the last is used.",
        label="Empty topics",
        more=True,
    )
    start_passes: int = knob(
        15, 1, 10_000, "Passes with equal weights, as of an LDA, at the start.", more=True
    )
    draw: str = knob(
        AUTO,
        help="How topics are drawn: exactly, by Poisson counts, which are faster, or (auto) by "
        "counts only where all topics are very large.",
        choices=DRAWS,
        label="Draw of topics",
    )
    learn_gamma: bool = learns("gamma")
    learn_alpha: bool = learns("alpha")
    alpha_rate: float = knob(
        CONCENTRATION_PRIOR[1],
        1e-3,
        1e3,
        "Where alpha is learned, its prior is exponential with this rate, one over its mean.",
        more=True,
    )
    learn_eta: bool = learns("eta")

    def settled(self, corpus: Corpus) -> "HdpParallelGibbs":
        """Return the method with its `draw` chosen by the texts; see `draws.usual_draw`."""
        if self.draw != AUTO:
            return self
        return replace(self, draw=self._draw(corpus.n_tokens, corpus.n_docs, corpus.n_words))

    def _draw(self, n_tokens: int, n_docs: int, n_words: int) -> str:
        """Return how topics are drawn. A learned eta may become small, so draws are exact then."""
        if self.draw != AUTO:
            return self.draw
        if self.learn_eta:
            return EXACT
        return usual_draw(n_tokens, n_docs, n_words, self.model.eta, self.n_start)

    def init(self, corpus: Corpus, rng: np.random.Generator) -> State:
        """Topics drawn from their prior; the first pass seats the tokens given these."""
        return self.begin(corpus, "many", rng)

    def begin(self, corpus: Corpus, start: Start, rng: np.random.Generator) -> State:
        """Do as `init`; or draw topics given those of another run, which together hold as much as
        all tokens, with weights in proportion."""
        if isinstance(start, GivenTopics):
            first, n_start_passes = start.share, 1
            excess = start.excess(corpus.n_tokens, len(first) + self.spare)
        else:
            ends = np.concatenate(([0], np.cumsum(corpus.doc_lengths)))
            n_first, n_start_passes = first_topics(self.n_start, ends), self.start_passes
            first = np.full(n_first, 1.0 / n_first)
            excess = np.zeros((corpus.n_words, n_first + self.spare))
        state = State.unseated(corpus, first, self.spare, self.model, int(rng.integers(MOST_KEYS)))
        state.start_passes = n_start_passes
        state.take(topics_given(None, excess, state.eta, state.base, state.key))
        return state

    def step(
        self, state: State, batch: Batch, rng: np.random.Generator, pool: Pool | None
    ) -> tuple[State, Info]:
        """Draw the documents of the batch; at the end of a pass, all else.

        A document's random numbers are its own in every pass, so that neither threads nor how
        documents are cut into batches and pieces change a bit.
        """
        first, ends, pieces = pieces_of(state, batch)
        given = PassGround(state.drawn(pool), len(state.count), state.key, state.n_passes)
        new, gained = zip(*each(pool, draw_piece, pieces, given), strict=True)
        put_runs(state.topic, first, ends, np.concatenate(new))
        state.count += np.sum(gained, axis=0)
        state.since += int(ends[-1])
        events = state.name_topics()
        scalars: dict[str, float] = {}
        if batch.index == batch.of - 1:
            scalars = self._end_pass(state, rng, pool)
            events += state.end_topics()
            self._keep(state, pool)
        scalars |= learned(self, gamma=state.gamma, alpha=state.alpha, eta=state.eta)
        return state, Info(events=events, scalars=scalars)

    def _end_pass(
        self, state: State, rng: np.random.Generator, pool: Pool | None
    ) -> dict[str, float]:
        """Draw tables, concentrations, order, weights and topics; return the named series."""
        state.n_passes += 1
        if state.n_passes == state.start_passes:
            state.stand_by_size()
        if state.count[np.argmax(state.place)]:
            state.make_room(GROWTH)
        held = documents_holding(pool, state.doc_start, state.topic, len(state.count))
        state.tables = draw_tables(*held, state.base, rng)
        if not state.starting:
            self._learn_concentrations(state, rng)
            state.place = draw_order(state.tables, state.place, state.gamma, rng)
            state.weight = draw_sticks(state.tables, state.place, state.gamma, rng)
        cells = count_cells(pool, state.entries, state.topic, len(state.count))
        state.counted(cells)
        if self.learn_eta and not state.starting:
            state.eta = draw_eta(state, cells, rng)
        draw = "expected" if state.starting else self._draw(*state.shape)
        again = state.key, state.n_passes
        state.take(draw_topics(pool, cells, state.eta, state.base, draw, *again))
        log_p = log_words(state, cells) + log_topics(*held, state.base, state.doc_lengths)
        return {"log p(words, topics)": log_p}

    def _learn_concentrations(self, state: State, rng: np.random.Generator) -> None:
        """Draw alpha and gamma given the tables, Psi integrated out."""
        if self.learn_alpha:
            n_tables, prior = int(state.tables.sum()), (1.0, self.alpha_rate)
            state.alpha = draw_alpha(state.alpha, state.doc_lengths, n_tables, rng, prior)
        if self.learn_gamma:
            state.gamma = draw_gamma_of_sticks(state.gamma, state.tables, state.place, rng)

    def _keep(self, state: State, pool: Pool | None) -> None:
        """Keep the topics when their turn has come; none of the start, which is of no law."""
        n_passes = state.n_passes - state.edited
        if not state.starting and keeps(n_passes, self.burn_in, self.thin):
            now = reported(state, pool)
            state.kept = newest(state.kept, now, n_passes, self.thin, self.n_kept)

    def topics(self, state: State) -> Topics:
        """See `state.reported`: E[Phi | z] and E[Psi | tables], largest first."""
        return reported(state, None)

    def kept(self, state: State) -> Kept:
        return tuple((1.0, topics) for topics in state.kept)

    def edit(
        self,
        state: State,
        kind: str,
        topics: tuple[int, ...],
        ground: StateContext,
        rng: np.random.Generator,
    ) -> tuple[State, Event]:
        """See `edits.edited`; not before the first pass is through."""
        if not state.n_passes:
            raise ValueError(
                "Until pass 1 is through, topics are those of the start; change them after it."
            )
        return edited(state, kind, topics, ground, self._draw(*state.shape), rng)

    def memory(self, corpus: Corpus) -> int:
        """Topics of all tokens, before and after a step, where the entries of each word are, the
        tokens of words in topics, and all topics by all words: as drawn, as kernels read them,
        while they are drawn anew, and kept. K is that of the start with some room to grow."""
        n_slots = topics_for(self.n_start, corpus.n_tokens, corpus.n_docs) + self.spare + GROWN
        held = 16 * min(corpus.n_tokens, n_slots * corpus.n_words)
        tokens = 12 * corpus.n_tokens + 8 * corpus.n_docs + 12 * corpus.n_pairs + held
        kept = 4 * (self.n_kept + 1) * n_slots * corpus.n_words
        return tokens + kept + DENSE * n_slots * corpus.n_words

    def caution(self) -> str:
        if self.n_start < FEW:
            return (
                f"This sampler seldom opens topics: begin with more than {self.n_start}, or let "
                "hdp-gibbs begin at what it finds."
            )
        return ""


def pieces_of(state: State, batch: Batch) -> tuple[I64, I64, list[tuple[Docs, I64, I32]]]:
    """Where the tokens of each document of the batch begin in `state.topic`, int64 (S,), and among
    those of the batch, int64 (S+1,); and the documents in pieces for `draw_piece`."""
    docs, rows = batch.docs, batch.rows
    first = state.doc_start[rows]
    ends = np.concatenate(([0], np.cumsum(state.doc_start[rows + 1] - first)))
    topic = take_runs(state.topic, first, ends)
    size = max(-(-len(rows) // USUAL_PIECES), FEWEST)
    pieces = []
    for a in range(0, len(rows), size):
        b = min(a + size, len(rows))
        begin, end = docs.indptr[a], docs.indptr[b]
        indptr = docs.indptr[a : b + 1] - begin
        part = Docs(indptr, docs.word_ids[begin:end], docs.counts[begin:end])
        pieces.append((part, rows[a:b], topic[ends[a] : ends[b]]))
    return first, ends, pieces
