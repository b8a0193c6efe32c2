"""A particle filter for the Dirichlet process mixture (Fearnhead 2004).

Every particle is one partition of the documents seen so far. A document makes of each particle as
many children as there are places for it, weighted exactly; of all children N survive by the optimal
resampling of Fearnhead & Clifford (2003). While no child has to go, the weights are the exact
posterior over all partitions.

It has one start, no document and no cluster: weights are exact given that all documents so far were
weighed, which clusters from elsewhere never were.

The optimal resampling of Fearnhead & Clifford (2003): exactly N survivors, unbiased weights.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Annotated, ClassVar

import numpy as np
from scipy.special import logsumexp

from ...core.arrays import F64, I64
from ...core.knob import knob
from ...corpus.corpus import Batch, Corpus
from ...inference.pool import Pool
from ...kernels.particles import advance, propose
from ...kernels.tables import mean_table_count
from ...kernels.tuples import Document, Particles
from ...models.dpm import DPMixture
from ...state.invariants import IDENTITIES, LARGEST, Constraint, StateContext
from ...state.snapshot import Event, Info, Kept, Topics
from ..base import Batching, Inference, Kind, Parallel, Preset
from .clusters import ParticleClusters

NEGLIGIBLE = 1e-6
"""Of the predictive weight, what `kept` may leave out."""


@dataclass(eq=False)
class State:
    """P distinct partitions of the documents seen."""

    n_words: Annotated[int, Constraint(least="V", most="V")]
    clusters: ParticleClusters = field(default_factory=ParticleClusters)
    first: Annotated[I64, Constraint("P+1")] = field(default_factory=lambda: np.zeros(2, np.int64))
    """int64 (P+1,): particle p holds the clusters `member[first[p]:first[p + 1]]`."""
    member: Annotated[I64, Constraint("M")] = field(default_factory=lambda: np.zeros(0, np.int64))
    log_weight: Annotated[F64, Constraint("P", least=-LARGEST, most=1e-6)] = field(
        default_factory=lambda: np.zeros(1)
    )
    """float64 (P,), normalised; in logarithms, so that no particle's weight becomes 0."""
    n_seen: Annotated[int, Constraint(least="docs_seen", most="docs_seen")] = 0
    """Documents."""
    log_evidence: float = 0.0
    """Estimate of ln p(documents seen); exact while no child had to go."""
    topic_ids: Annotated[I64, IDENTITIES] = field(default_factory=lambda: np.zeros(0, np.int64))
    """int64 (K,): identities of the heaviest particle's clusters, largest first."""
    openers: Annotated[I64, Constraint("K", distinct=True)] = field(
        default_factory=lambda: np.zeros(0, np.int64)
    )
    """int64 (K,): the documents that opened them."""
    n_ids: int = 0
    """Identities given so far."""

    def mismatch(self, ground: StateContext) -> str:
        """Particles that are no partitions of the documents seen."""
        steps, stock = np.diff(self.first), self.clusters
        walked = self.first[0] == 0 and self.first[-1] == len(self.member)
        if not walked or (steps < 0).any() or (self.member >= stock.n).any():
            return "particles of clusters that are not there"
        docs = np.append(0, np.cumsum(stock.docs[self.member]))[self.first]
        if (np.diff(docs) != self.n_seen).any() or abs(logsumexp(self.log_weight)) > 1e-6:
            return "particles of other documents, or without weights"
        same = np.array_equal(stock.opener[heaviest(self)], self.openers)
        return "" if same else "other clusters than those of the heaviest particle"


@dataclass(frozen=True)
class DpmParticle(Inference):
    """Many partitions at once, each document seen once and in order; gamma and eta stay fixed."""

    name: ClassVar[str] = "dpm-particle"
    title: ClassVar[str] = "Particle filter"
    in_words: ClassVar[str] = "Follows several guesses at once, reads once"
    source: ClassVar[str] = "Fearnhead 2004; resampling of Fearnhead & Clifford 2003"
    papers: ClassVar[tuple[str, ...]] = ("fearnhead2004", "fearnhead2003")
    kind: ClassVar[Kind] = "particles"
    too_short: ClassVar[int] = 10
    colour: ClassVar[int] = 5
    batching: ClassVar[Batching] = "once"
    parallel: ClassVar[Parallel] = "none"
    in_turn: ClassVar[str] = "One thread: each document is weighed by what the last one left."
    untold: ClassVar[str] = (
        "It follows many guesses at the clusters at once and shows the likeliest: a cluster is new "
        "here as soon as that guess has it, whenever a text opened it there, and the weights of "
        "that moment are gone."
    )
    untold_ends: ClassVar[str] = (
        "Another guess at the clusters has become the likeliest, and has no cluster that the same "
        "text opened: nothing was taken out of it."
    )
    state_type: ClassVar[type] = State
    presets: ClassVar[dict[str, Preset]] = {
        "default": Preset("For thousands of documents", batch_size=16, passes=1),
        "das-2015": Preset(
            "Das et al. 2015", {"gamma": 0.5, "eta": 0.5}, {"particles": 10_000}, 1, 1
        ),
    }

    model: DPMixture = DPMixture()
    particles: int = knob(
        200, 1, 10_000, "More: closer to the exact posterior, and slower.", symbol="N"
    )

    def init(self, corpus: Corpus, rng: np.random.Generator) -> State:
        """One particle without clusters."""
        return State(corpus.n_words)

    def step(
        self, state: State, batch: Batch, rng: np.random.Generator, pool: Pool | None
    ) -> tuple[State, Info]:
        """The documents of the mini-batch, one after the other."""
        docs = batch.docs
        for first, last in pairwise(docs.indptr.tolist()):
            self._learn(state, Document(docs.word_ids[first:last], docs.counts[first:last]), rng)
        events = show_heaviest(state)
        scalars = {
            "log evidence": state.log_evidence,
            "effective particles": float(np.exp(-logsumexp(2.0 * state.log_weight))),
            "distinct clusters": float(len(np.unique(state.member))),
        }
        return state, Info(events=events, scalars=scalars)

    def _learn(self, state: State, doc: Document, rng: np.random.Generator) -> None:
        """Weigh all children of all particles for a document; as many as allowed survive."""
        particles = Particles(state.first, state.member, state.log_weight)
        eta, gamma = self.model.eta, self.model.gamma
        child = propose(
            doc, particles, state.clusters.stock(), eta, gamma, state.n_words, state.n_seen
        )
        log_total = float(logsumexp(child))
        state.log_evidence += log_total
        chosen, state.log_weight = survivors(child - log_total, self.particles, rng.random())
        move(state, chosen, doc)
        state.n_seen += 1

    def topics(self, state: State) -> Topics:
        """The partition of the heaviest particle."""
        held = heaviest(state)
        return self._topics(state, held, state.clusters.docs[held], state.topic_ids.copy())

    def kept(self, state: State) -> Kept:
        """The average over all particles, which is one mixture of the distinct clusters.

        A cluster weighs sum_p w_p n_k / (n + gamma) over the particles that hold it. The lightest
        that together have 1e-6 of the weight or less are left out and the others scaled up. Here
        `topic_ids` only number the clusters, and `size` is the expected number of documents.
        """
        weight = np.repeat(np.exp(state.log_weight), np.diff(state.first))
        held, place = np.unique(state.member, return_inverse=True)
        size = np.bincount(place, weight, len(held)) * state.clusters.docs[held]
        order = np.argsort(-size, kind="stable")
        so_far = np.cumsum(size[order])
        order = order[: int((so_far < (1.0 - NEGLIGIBLE) * state.n_seen).sum()) + 1]
        size = size[order] * (state.n_seen / max(size[order].sum(), 1e-300))
        return ((1.0, self._topics(state, held[order], size, np.arange(len(order)))),)

    def memory(self, corpus: Corpus) -> int:
        """Room for one cluster of middling size per particle, and as much again for growth.

        On 3,000 texts 200 particles shared 150 clusters, and 10,000 particles 1,200.
        """
        n_clusters = min(max(mean_table_count(corpus.n_docs, self.model.gamma), 16.0), 200.0)
        n_distinct = min(float(corpus.n_words), corpus.n_pairs / n_clusters)
        return int(16 * self.particles * (n_clusters + n_distinct))

    def _topics(self, state: State, held: I64, size: F64 | I64, ids: I64) -> Topics:
        """`Topics` of the clusters `held` (K,) with `size` (K,) expected documents."""
        gamma, eta = self.model.gamma, self.model.eta
        return Topics(
            topic_word=state.clusters.expected(held, eta, state.n_words),
            total=state.clusters.total(held, eta, state.n_words),
            size=size.astype(np.float64),
            weight=size / (state.n_seen + gamma),
            unseen=gamma / (state.n_seen + gamma),
            topic_ids=ids,
            concentration=float("nan"),
            gamma=gamma,
            eta=eta,
        )


def move(state: State, chosen: I64, doc: Document) -> None:
    """Make the particles of the children `chosen` (S,), numbered as `propose` does.

    All children that add the document to the same cluster share the result, and so do all that
    open a new one.
    """
    stock, n_particles = state.clusters, len(state.first) - 1
    before = state.first + np.arange(n_particles + 1)  # children of the particles before
    parent = np.searchsorted(before, chosen, side="right") - 1
    place = chosen - before[parent]
    opens = place == np.diff(state.first)[parent]
    joined = np.full(len(chosen), -1)
    joined[~opens] = state.member[(state.first[parent] + place)[~opens]]
    parents, which = np.unique(joined, return_inverse=True)
    n_distinct = len(doc.words)
    if not stock.room_for(parents, n_distinct):
        numbers = np.concatenate((state.member, parents[parents >= 0]))
        new = stock.collect(numbers)
        state.member = new[: len(state.member)]
        parents[parents >= 0] = new[len(state.member) :]
        stock.grow(parents, n_distinct)
    cluster = stock.n + which
    stock.join(parents, doc, state.n_seen)
    state.first, state.member = advance(state.first, state.member, parent, place, cluster)


def heaviest(state: State) -> I64:
    """The clusters of the heaviest particle, largest first."""
    best = int(np.argmax(state.log_weight))
    held = state.member[state.first[best] : state.first[best + 1]]
    return held[np.argsort(-state.clusters.docs[held], kind="stable")]


def show_heaviest(state: State) -> tuple[Event, ...]:
    """Give the heaviest particle's clusters their identities.

    Two clusters are the same if the same document opened them, also when another particle has
    become the heaviest. One that was away and comes back gets a new identity.
    """
    openers = state.clusters.opener[heaviest(state)]
    known = dict(zip(state.openers.tolist(), state.topic_ids.tolist(), strict=True))
    events, ids = [], []
    for opener in openers.tolist():
        if opener not in known:
            events.append(Event("birth", children=(state.n_ids,)))
            ids.append(state.n_ids)
            state.n_ids += 1
        else:
            ids.append(known.pop(opener))
    events += [Event("prune", parents=(gone,)) for gone in known.values()]
    state.openers, state.topic_ids = openers, np.array(ids, dtype=np.int64)
    return tuple(events)


def threshold(ordered: F64, n: int) -> tuple[int, float]:
    """(A, ln c) for log weights `ordered` (M,), heaviest first, and 1 <= n < M survivors.

    c solves sum_j min(w_j / c, 1) = n: the heaviest A stay as they are, and the others share n - A
    places, c = (sum of the others) / (n - A). A is the first number for which c is not below the
    next weight. In logarithms throughout, so that no weight is too small.
    """
    log_tail = np.logaddexp.accumulate(ordered[::-1])[::-1][:n]
    log_c = log_tail - np.log(np.arange(n, 0, -1))
    n_stay = int(np.argmax(log_c >= ordered[:n]))  # at A = n - 1 the tail is never below its head
    return n_stay, float(log_c[n_stay])


def select(share: F64, n: int, u: float) -> I64:
    """Stratified resampling: `n` places of `share` (R,), place r with the chance share[r].

    `share` sums to `n` and no entry exceeds 1, up to rounding; `u` is uniform on [0, 1). Always n
    different places, int64 (n,) ascending.
    """
    turn = np.arange(n)
    drawn = np.searchsorted(np.cumsum(share), u + turn, side="right")
    drawn = np.maximum.accumulate(drawn - turn) + turn  # rounding gives no place twice,
    return np.minimum(drawn, len(share) - n + turn)  # and none beyond the last


def survivors(log_weight: F64, n: int, u: float) -> tuple[I64, F64]:
    """Which `n` of M weighted children survive, int64 (n,) ascending, and their log weights.

    The heaviest keep their weight; among the others stratified resampling, in the order of the
    children with one uniform `u` on [0, 1), leaves weights of c. Every child's expected weight is
    the one it had. Who counts as heavy is decided by rank: ties and rounding change no number of
    survivors.
    """
    if len(log_weight) <= n:
        return np.arange(len(log_weight)), log_weight
    order = np.argsort(-log_weight, kind="stable")
    n_stay, log_c = threshold(log_weight[order], n)
    rest = np.sort(order[n_stay:])
    new = log_weight.copy()
    new[rest] = log_c
    lucky = rest[select(np.exp(log_weight[rest] - log_c), n - n_stay, u)]
    chosen = np.sort(np.concatenate((order[:n_stay], lucky)))
    return chosen, new[chosen]
