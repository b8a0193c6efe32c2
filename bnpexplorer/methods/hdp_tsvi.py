"""Truncation-free stochastic variational inference for the HDP (Wang & Blei 2012).

q(beta_k) = Dir(lam_k) and q(stick_k) = Beta(1 + n_k, gamma + sum_{l>k} n_l) for the topics found so
far, none at the start. The local step draws the topics of all tokens of a mini-batch jointly from
q(z) proportional to E_q p(x, z | beta) (equation 6 and the unnumbered one on mini-batches), with
proportions and topics integrated out; a token may open a topic that was never seen before. The
paper's supplement with the HDP is not printed. The sampler here is direct assignment (Teh et al.
2006, section 5.3), with table counts s that make the sticks conjugate.

Two options are ours. The first documents may learn many topics at once
(`inference/many_topics.py`); this is no default, since it scores higher on three corpora and lower
on paragraphs of speeches (`benchmarks/README.md`). Some documents of a mini-batch may begin alone
(`inference/start.py`).
"""

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np
from scipy.special import digamma

from ..core.arrays import F64, I64
from ..core.knob import knob
from ..corpus.corpus import Batch, Corpus
from ..inference.births import with_openings
from ..inference.concentrations import solve_eta, solve_tables, sticks_gamma
from ..inference.dirichlet import Dirichlets
from ..inference.local_sample import LocalSample
from ..inference.many_topics import ManyTopics
from ..inference.pool import Pool
from ..inference.slices import batch_tokens
from ..inference.start import SAMPLER_STARTS, GivenTopics, Start, begin_alone
from ..inference.sticks import expected_weights, stick_parameters
from ..kernels import hdp_collapsed as kernels
from ..kernels.tuples import Prior
from ..models.hdp import HDP
from ..state.invariants import ALL_DOCUMENTS, Constraint
from ..state.snapshot import Event, Info, Topics, in_use
from .base import Batching, Inference, Kind, Parallel, Preset, learned, learns, towards

PRUNE_EVERY = 20_000
"""Documents between prunings, at most the whole corpus (section 3)."""


@dataclass(eq=False)
class State:
    """K topics in decreasing order of `n`; K is 0 before the first step."""

    model: HDP
    """With the concentrations now in force; the eta in force is that of `lam`."""
    lam: Annotated[Dirichlets, Constraint("K")]
    n: Annotated[F64, Constraint("K")]
    """float64 (K,): expected tables of each topic, which are its stick's counts."""
    topic_ids: Annotated[I64, Constraint("K", below="next_id", distinct=True)]
    next_id: int
    n_docs: Annotated[int, ALL_DOCUMENTS]
    """D, the number of documents in the corpus that a mini-batch is a sample of."""
    n_seen: Annotated[int, Constraint(most="D")] = 0
    """n_t: documents seen, at most D."""
    since_prune: int = 0
    """Documents processed since topics were last pruned."""
    many: ManyTopics | None = None
    """The start from many, until it is over; until then it has the topics."""


@dataclass(frozen=True)
class HdpTsvi(Inference):
    """Draw a batch's topics jointly and open topics as needed; then step on lam and sticks."""

    name: ClassVar[str] = "hdp-tsvi"
    title: ClassVar[str] = "Truncation-free stochastic variational"
    in_words: ClassVar[str] = "Opens topics as it reads, fast"
    source: ClassVar[str] = "Wang & Blei 2012, algorithm 2 on mini-batches, equations 6-7, 10-11"
    papers: ClassVar[tuple[str, ...]] = ("wang2012",)
    kind: ClassVar[Kind] = "mean field"
    too_short: ClassVar[int] = 10
    colour: ClassVar[int] = 0
    batching: ClassVar[Batching] = "shuffled"
    parallel: ClassVar[Parallel] = "none"
    in_turn: ClassVar[str] = (
        "One thread: each draw depends on the last, since a batch's law is joint."
    )
    untold: ClassVar[str] = ""
    state_type: ClassVar[type] = State
    presets: ClassVar[dict[str, Preset]] = {
        "default": Preset("For thousands of documents", batch_size=64, passes=4),
        "from-many": Preset(
            "Many topics at the start: more are found",
            knobs={"start": "many"},
            batch_size=64,
            passes=4,
        ),
        "few-broad-topics": Preset(
            "Few broad topics", {"gamma": 1.0, "alpha": 5.0, "eta": 0.5}, passes=4
        ),
        "many-fine-topics": Preset(
            "Many fine topics", {"gamma": 20.0, "alpha": 10.0, "eta": 0.1}, passes=4
        ),
        "wang-blei-2012": Preset(
            "Wang & Blei 2012",
            {"gamma": 1.0, "alpha": 1.0, "eta": 0.01},
            {"counts": "drawn"},
            batch_size=500,
        ),
    }

    model: HDP = HDP()
    burn_in: int = knob(
        10, 0, 1000, "Sweeps over a mini-batch before its draws count: more, and topics fit better."
    )
    kept_sweeps: int = knob(
        10, 1, 1000, "Sweeps whose draws are averaged: more, and steps are less noisy."
    )
    alone: float = knob(
        0.0,
        0,
        1,
        "Share of a mini-batch's documents that begin in a topic of their own, which what fits it "
        "better may join: more topics are born.",
        more=True,
    )
    counts: str = knob(
        "expected",
        choices=("expected", "drawn"),
        help="What a kept sweep adds for a token: its probabilities over topics, which is less "
        "noisy, or the topic drawn.",
        more=True,
    )
    start: str = knob(
        "nothing",
        help="Topics are born one by one, or the first documents learn many at once, of which "
        "superfluous ones end: more are found.",
        choices=SAMPLER_STARTS,
    )
    n_start: int = knob(
        200, 1, 2000, "Of a start from many: topics.", label="Topics at start", more=True
    )
    start_docs: int = knob(
        2000,
        1,
        10**6,
        "Of a start from many: the documents that learn them.",
        label="Documents at start",
        more=True,
    )
    start_passes: int = knob(
        15, 0, 10_000, "Of a start from many: how often these are read again meanwhile.", more=True
    )
    learn_gamma: bool = learns("gamma")
    learn_alpha: bool = learns("alpha")
    learn_eta: bool = learns("eta")

    def init(self, corpus: Corpus, rng: np.random.Generator) -> State:
        """Return no topics; with a start from many, topics that hold no document yet."""
        return self.begin(corpus, self.start, rng)

    def begin(self, corpus: Corpus, start: Start, rng: np.random.Generator) -> State:
        """Do as `init`; or give q the topics of another run, scaled to all documents, with the
        weight of `start_docs` documents."""
        model = self.model
        if isinstance(start, GivenTopics):
            lam = Dirichlets.from_excess(start.scaled(corpus.n_tokens), model.eta)
            n = start.share * mean_tables(corpus.doc_lengths, model.alpha)
            ids, n_seen = np.arange(len(n)), min(self.start_docs, corpus.n_docs)
            return State(model, lam, n, ids, len(n), corpus.n_docs, n_seen)
        lam = Dirichlets.empty(corpus.n_words, model.eta)
        state = State(model, lam, np.zeros(0), np.zeros(0, np.int64), 0, corpus.n_docs)
        if start == "many":
            state.many = ManyTopics.of(corpus, self.start_docs, self.n_start, model.eta)
        return state

    def step(
        self, state: State, batch: Batch, rng: np.random.Generator, pool: Pool | None
    ) -> tuple[State, Info]:
        """Sample the batch, then blend its statistics in with rho = S/n_t (later S/D).

        The law of a batch is joint over its documents, hence sequential: `pool` is not used.
        """
        n_batch = batch.docs.n_docs
        state.n_seen = min(state.n_docs, state.n_seen + n_batch)
        rho = n_batch / state.n_seen
        if state.many is not None:
            events = self._start(state, state.many, batch.docs, rng)
            return state, Info(events=events, scalars={"step size": rho})
        local = self.sample(state, batch.docs, rng)
        known = state.topic_ids
        births = self._learn(state, local, rho, state.n_docs / n_batch)
        labels = local.openings.label[local.new_slots]
        births = with_openings(births, local.openings, labels, known, batch.rows, local.about)
        prunes = self._prune_when_due(state, n_batch)
        self._learn_concentrations(state, batch.docs.doc_lengths, local.table_stats.sum(), rho)
        now = learned(self, gamma=state.model.gamma, alpha=state.model.alpha, eta=state.lam.eta)
        scalars = {"step size": rho, "new topics": float(len(births)), **now}
        return state, Info(events=births + prunes, scalars=scalars)

    def _start(
        self, state: State, many: ManyTopics, docs: Corpus, rng: np.random.Generator
    ) -> tuple[Event, ...]:
        """Take one step of a start from many; the last one drops topics that are empty."""
        many.seat(docs, state.model.alpha, self.start_passes, rng)
        state.lam, n = many.posterior(state.n_docs, state.model.alpha, rng)
        order = np.argsort(-n, kind="stable")
        state.lam.reorder(order)
        state.n, state.topic_ids = n[order], order
        births = range(state.next_id, many.n_topics)  # all at the first step
        state.next_id = many.n_topics
        events = tuple(Event("birth", children=(i,)) for i in births)
        if many.n_docs < min(self.start_docs, state.n_docs):
            return events
        state.many = None
        return events + _prune(state)

    def sample(self, state: State, docs: Corpus, rng: np.random.Generator) -> LocalSample:
        """Draw from q(z): seat tokens one after the other, then sweep over all of them."""
        model = state.model
        weight, unseen = expected_weights(state.n, model.gamma, truncated=False)
        local = LocalSample.unseated(state.lam, weight, unseen, docs)
        sticks = stick_parameters(state.n, model.gamma)
        prior = Prior(model.alpha, model.gamma, docs.n_words)
        local.seat_alone(begin_alone(docs.n_docs, self.alone, rng), state.lam.eta, prior, rng)
        expected = self.counts == "expected"
        when_kept = kernels.COUNT_EXPECTED if expected else kernels.COUNT_DRAWN
        for sweep in range(1 + self.burn_in + self.kept_sweeps):
            keep = sweep > self.burn_in
            if keep:
                local.slots.kept[local.slots.tokens > 0] = True
            local.draw(when_kept if keep else kernels.COUNT_NOTHING, state.lam.eta, prior, rng)
            weight, rest, tables = local.slots.weight, local.slots.rest, local.tables
            seats = (local.tokens.doc_start, local.topic, weight, model.alpha)
            kernels.seat_tables(*seats, False, tables, rng)
            if keep and expected:
                means = np.empty_like(tables)
                kernels.seat_tables(*seats, True, means, rng)
                local.table_stats += means
            elif keep:
                local.table_stats += tables
            kernels.draw_weights(*sticks, model.gamma, tables, weight, rest, rng)
        local.counts.stats[:] /= self.kept_sweeps
        local.table_stats /= self.kept_sweeps
        return local

    def _learn(
        self, state: State, local: LocalSample, rho: float, scale: float
    ) -> tuple[Event, ...]:
        """Apply equation 11: lam <- (1-rho) lam + rho (eta + D/S counts), and n likewise. Return
        births.

        A topic opened by the batch starts from its prior, lam = eta and n = 0. All topics counted
        in kept sweeps are appended, even if they are empty at the end.
        """
        old, stats = local.slots.n_old, local.counts.stats
        new = local.new_slots
        counts, tables = scale * stats, scale * local.table_stats
        state.lam.blend(rho, local.words, np.ascontiguousarray(counts[:, :old]))
        state.lam.append(local.words, np.ascontiguousarray(rho * counts[:, new]))
        state.n = np.concatenate(((1 - rho) * state.n + rho * tables[:old], rho * tables[new]))
        ids = np.arange(state.next_id, state.next_id + len(new))
        state.topic_ids = np.concatenate((state.topic_ids, ids))
        state.next_id += len(new)
        order = np.argsort(-state.n, kind="stable")
        state.n, state.topic_ids = state.n[order], state.topic_ids[order]
        state.lam.reorder(order)
        return tuple(Event("birth", children=(int(i),)) for i in ids)

    def _prune_when_due(self, state: State, n_batch: int) -> tuple[Event, ...]:
        """Drop topics of less than one token when pruning is due."""
        state.since_prune += n_batch
        due = state.since_prune >= min(PRUNE_EVERY, state.n_docs)
        return _prune(state) if due else ()

    def _learn_concentrations(
        self, state: State, doc_lengths: I64, tables: float, rho: float
    ) -> None:
        """Learn gamma from the sticks of the topics found so far, alpha from the number of `tables`
        that documents of `doc_lengths` (S,) had, and eta from the topics' words."""
        gamma, alpha = state.model.gamma, state.model.alpha
        if self.learn_gamma:
            gamma = towards(gamma, sticks_gamma(state.n, gamma, truncated=False), rho)
        if self.learn_alpha:
            times = state.n_docs / len(doc_lengths)
            best = solve_tables(times * tables, doc_lengths, times, alpha)
            alpha = towards(alpha, best, rho)
        state.model = replace(state.model, gamma=gamma, alpha=alpha)
        if self.learn_eta:
            state.lam.eta = towards(state.lam.eta, solve_eta(state.lam), rho)

    def memory(self, corpus: Corpus) -> int:
        """Return the bytes of a mini-batch's tokens: word and topic of each, and a copy of both."""
        return 16 * batch_tokens(corpus)

    def topics(self, state: State) -> Topics:
        weight, unseen = expected_weights(state.n, state.model.gamma, truncated=False)
        return Topics(
            topic_word=state.lam.expected(),
            total=state.lam.total,
            size=state.lam.size,
            weight=weight,
            unseen=unseen,
            topic_ids=state.topic_ids.copy(),
            concentration=state.model.alpha,
            gamma=state.model.gamma,
            eta=state.lam.eta,
        )


def mean_tables(doc_lengths: I64, alpha: float) -> float:
    """Return the total number of tables expected in documents of `doc_lengths` (D,)."""
    return float(alpha * (digamma(alpha + doc_lengths) - digamma(alpha)).sum())


def _prune(state: State) -> tuple[Event, ...]:
    """Drop topics of less than one token; their mass falls back to the prior."""
    state.since_prune = 0
    keep = in_use(state.lam.size)
    gone = state.topic_ids[~keep]
    state.lam.keep(keep)
    state.n, state.topic_ids = state.n[keep], state.topic_ids[keep]
    return tuple(Event("prune", parents=(int(i),)) for i in gone)
