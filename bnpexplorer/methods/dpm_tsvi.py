"""Truncation-free stochastic inference for the Dirichlet process mixture (Wang & Blei 2012).

It starts with no components. Every mini-batch draws its documents' components jointly from q(z) =
E_q(beta) [prod_i p(x_i, z_i | beta)], which reaches beyond the components that q holds, and then
moves q(beta) by a noisy natural-gradient step. Two options are ours: the first documents may begin
in many random clusters (`inference/clusters.py`), or some of every mini-batch may begin alone
(`inference/start.py`), which divides clusters that the first documents merged.
"""

from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar

import numpy as np

from ..core.arrays import F64, I32, I64
from ..core.knob import knob
from ..corpus.corpus import Batch, Corpus
from ..inference.births import with_openings
from ..inference.clusters import ManyClusters
from ..inference.concentrations import solve_eta, sticks_gamma
from ..inference.dirichlet import Dirichlets
from ..inference.mixture import document_log_predictive, mixture_topics, with_prior
from ..inference.pool import Pool
from ..inference.slices import by_distinct_word
from ..inference.start import SAMPLER_STARTS, GivenTopics, Start, begin_alone
from ..inference.sticks import stick_parameters
from ..kernels.mixture import gather_stats
from ..kernels.mixture_draws import sample_joint
from ..kernels.tuples import Base, Docs, Openings, Sticks, Sweeps
from ..models.dpm import DPMixture
from ..state.invariants import ALL_DOCUMENTS, IDENTITIES, Constraint
from ..state.snapshot import Event, Info, Topics, in_use
from .base import Batching, Inference, Kind, Parallel, Preset, learned, learns, towards


@dataclass(eq=False)
class State:
    """K components; all others are at their prior."""

    model: DPMixture
    """With the concentrations now in force; the eta in force is that of `lam`."""
    lam: Annotated[Dirichlets, Constraint("K")]
    n_docs: Annotated[int, ALL_DOCUMENTS]
    """n, the number of documents in the corpus that a mini-batch is a sample of."""
    n: Annotated[F64, Constraint("K", most="D")] = field(default_factory=lambda: np.zeros(0))
    """N_k, float64 (K,): expected documents."""
    topic_ids: Annotated[I64, IDENTITIES] = field(default_factory=lambda: np.zeros(0, np.int64))
    n_ids: int = 0
    """Identities given so far."""
    n_seen: Annotated[int, Constraint(most="D")] = 0
    """n_t: documents seen, at most n."""
    since_prune: int = 0
    """Documents processed since components were last dropped."""
    many: ManyClusters | None = None
    """The start from many, until it is over; until then it has the components."""


@dataclass(frozen=True)
class DpmTsvi(Inference):
    """Draw mini-batches with q(beta) collapsed; documents open components when they need them."""

    name: ClassVar[str] = "dpm-tsvi"
    title: ClassVar[str] = "Truncation-free stochastic"
    in_words: ClassVar[str] = "Opens clusters as it reads, fast"
    source: ClassVar[str] = "Wang & Blei 2012, sections 2.2 and 2.3, equation 11"
    papers: ClassVar[tuple[str, ...]] = ("wang2012",)
    kind: ClassVar[Kind] = "mean field"
    too_short: ClassVar[int] = 10
    colour: ClassVar[int] = 3
    batching: ClassVar[Batching] = "shuffled"
    parallel: ClassVar[Parallel] = "in part"
    in_turn: ClassVar[str] = (
        "Several threads weigh documents against known clusters; one draws, each given the last."
    )
    untold: ClassVar[str] = ""
    state_type: ClassVar[type] = State
    presets: ClassVar[dict[str, Preset]] = {
        "default": Preset("For thousands of documents", knobs={"alone": 0.3}, passes=5),
        "from-many": Preset(
            "Many clusters at the start: more are found", knobs={"start": "many"}, passes=5
        ),
        "wang-blei-2012": Preset("Wang & Blei 2012", {"gamma": 1.0, "eta": 0.5}, batch_size=10),
    }

    model: DPMixture = DPMixture()
    burn_in: int = knob(
        5, 0, 1000, "Gibbs sweeps over a mini-batch that are thrown away.", symbol="B"
    )
    keep: int = knob(
        1, 1, 100, "Gibbs sweeps over a mini-batch that are averaged.", symbol="M", more=True
    )
    alone: float = knob(
        0.0,
        0,
        1,
        "Share of a mini-batch's documents that begin in a component of their own, which what fits "
        "them better may join: more components are born.",
        more=True,
    )
    prune_every: int = knob(
        20_000,
        1,
        10**9,
        "Documents between two clearings of components smaller than one document (at most one "
        "pass).",
        more=True,
    )
    start: str = knob(
        "nothing",
        help="Components are born one by one, or the first documents begin in many at random, of "
        "which superfluous ones end: more are found.",
        choices=SAMPLER_STARTS,
    )
    n_start: int = knob(
        200,
        1,
        10_000,
        "Of a start from many: clusters, one a document at most.",
        label="Topics at start",
        more=True,
    )
    start_docs: int = knob(
        4000,
        1,
        10**6,
        "Of a start from many: the documents that make them, half of them at random.",
        label="Documents at start",
        more=True,
    )
    start_passes: int = knob(
        10, 0, 10_000, "Of a start from many: how often these are drawn again.", more=True
    )
    learn_gamma: bool = learns("gamma")
    learn_eta: bool = learns("eta")

    def init(self, corpus: Corpus, rng: np.random.Generator) -> State:
        """Return a state without components: q(beta) is the prior."""
        return self.begin(corpus, self.start, rng)

    def begin(self, corpus: Corpus, start: Start, rng: np.random.Generator) -> State:
        """Do as `init`; or give q the topics of another run, scaled to all documents, with the
        weight of `start_docs` documents."""
        model, n_docs = self.model, corpus.n_docs
        if isinstance(start, GivenTopics):
            lam = Dirichlets.from_excess(start.scaled(corpus.n_tokens), model.eta)
            n, ids = n_docs * start.share, np.arange(len(start))
            return State(model, lam, n_docs, n, ids, len(n), min(self.start_docs, n_docs))
        state = State(model, Dirichlets.empty(corpus.n_words, model.eta), n_docs)
        if start == "many":
            state.many = ManyClusters.empty(corpus.n_words, model.eta)
        return state

    def step(
        self, state: State, batch: Batch, rng: np.random.Generator, pool: Pool | None
    ) -> tuple[State, Info]:
        """Draw z of the batch jointly, then lam <- (1-rho) lam + rho (eta + n/S sum_i c_i)."""
        docs = batch.docs
        state.n_seen = min(state.n_docs, state.n_seen + docs.n_docs)
        rho = docs.n_docs / state.n_seen
        if state.many is not None:
            events = self._start(state, state.many, docs, rng)
            return state, Info(events=events, scalars={"step size": rho})
        times = state.n_docs / docs.n_docs
        words, entries = by_distinct_word(docs)
        known, (kept, openings) = state.topic_ids, self._draw(state, entries, words, rng, pool)
        share = average_assignment(kept, len(state.n))
        stats = gather_stats(entries, share, len(words))
        events = move(state, rho, words, times * stats, times * share.sum(axis=0))
        labels = np.unique(kept[kept >= len(known)])
        events = with_openings(
            events, openings, labels, known, batch.rows, lambda document, _: (document, ())
        )
        state.since_prune += docs.n_docs
        if state.since_prune >= min(self.prune_every, state.n_docs):
            events += prune(state)
        self._learn(state, rho)
        now = learned(self, gamma=state.model.gamma, eta=state.lam.eta)
        return state, Info(events=events, scalars={"step size": rho, **now})

    def _start(
        self, state: State, many: ManyClusters, docs: Corpus, rng: np.random.Generator
    ) -> tuple[Event, ...]:
        """Take one step of a start from many. The first half of its documents bring their share of
        the clusters, and are drawn again while the others arrive; otherwise the first clusters
        would take in all documents that follow."""
        before, n_first = set(state.topic_ids.tolist()), min(self.start_docs, state.n_docs)
        n_new, last = 0, many.n_docs + docs.n_docs >= n_first
        if many.n_docs < n_first / 2:
            n_new = min(max(2 * self.n_start * docs.n_docs // n_first, 1), docs.n_docs)
        n_times = self.start_passes if last or not n_new else 0
        many.seat(docs, n_new, state.model.gamma, n_times, rng)
        state.lam, state.n = many.posterior(state.n_docs)
        state.topic_ids, state.n_ids = many.topic_ids.copy(), many.n_ids
        if many.n_docs >= n_first:
            state.many = None
        after = set(state.topic_ids.tolist())
        births = tuple(Event("birth", children=(i,)) for i in sorted(after - before))
        return births + tuple(Event("prune", parents=(i,)) for i in sorted(before - after))

    def _learn(self, state: State, rho: float) -> None:
        """Learn gamma from the sticks of the components found so far, and eta from their words."""
        if self.learn_gamma:
            best = sticks_gamma(state.n, state.model.gamma, truncated=False)
            state.model = replace(state.model, gamma=towards(state.model.gamma, best, rho))
        if self.learn_eta:
            state.lam.eta = towards(state.lam.eta, solve_eta(state.lam), rho)

    def _draw(
        self, state: State, docs: Docs, words: I32, rng: np.random.Generator, pool: Pool | None
    ) -> tuple[I64, Openings]:
        """Draw labels of the kept sweeps, int64 (M, S), and how components were opened. Labels from
        K on are components not in q."""
        lam, gamma = state.lam, state.model.gamma
        sticks = Sticks(*stick_parameters(state.n, gamma), gamma)
        base, base_total = with_prior(lam.at(words), lam.total, lam.eta, lam.n_words)
        value = document_log_predictive(docs, base, base_total, pool)
        burn_in = self.burn_in if len(value) > 1 else 0  # one document is drawn exactly
        return sample_joint(
            docs,
            sticks,
            Base(np.ascontiguousarray(base.T), base_total),
            np.ascontiguousarray(value[:, :-1]),
            np.ascontiguousarray(value[:, -1]),
            Sweeps(burn_in, self.keep),
            begin_alone(len(value), self.alone, rng),
            rng,
        )

    def topics(self, state: State) -> Topics:
        return mixture_topics(
            state.lam, state.n, state.topic_ids, state.model.gamma, truncated=False
        )


def average_assignment(kept: I64, n_old: int) -> F64:
    """Return q-hat(z), float64 (S, K + new): how often each document was in each; rows sum to 1.

    Every component that held a document in a kept sweep counts, even if it is empty at the end.
    """
    new = np.unique(kept[kept >= n_old])
    columns = np.where(kept < n_old, kept, n_old + np.searchsorted(new, kept))
    share = np.zeros((kept.shape[1], n_old + len(new)))
    for sweep in columns:
        share[np.arange(kept.shape[1]), sweep] += 1.0 / len(kept)
    return share


def move(state: State, rho: float, words: I32, stats: F64, n: F64) -> tuple[Event, ...]:
    """Apply equation 11 for `stats` (W, K + new) and `n` (K + new,); new components start at the
    prior.

    The linear step on both parameters of the Betas is a linear step on N. Sorts by size.
    """
    n_old = len(state.n)
    n_new = len(n) - n_old
    state.lam.blend(rho, words, np.ascontiguousarray(stats[:, :n_old]))
    state.lam.append(words, rho * stats[:, n_old:])
    new_ids = state.n_ids + np.arange(n_new)
    state.n_ids += n_new
    n_then = np.append((1.0 - rho) * state.n + rho * n[:n_old], rho * n[n_old:])
    order = np.argsort(-n_then, kind="stable")
    state.lam.reorder(order)
    state.n = n_then[order]
    state.topic_ids = np.concatenate((state.topic_ids, new_ids))[order]
    return tuple(Event("birth", children=(int(i),)) for i in new_ids)


def prune(state: State) -> tuple[Event, ...]:
    """Drop components smaller than one document; their mass falls back to the prior."""
    state.since_prune = 0
    kept = in_use(state.n)
    gone = state.topic_ids[~kept]
    state.lam.keep(kept)
    state.n, state.topic_ids = state.n[kept], state.topic_ids[kept]
    return tuple(Event("prune", parents=(int(i),)) for i in gone)
