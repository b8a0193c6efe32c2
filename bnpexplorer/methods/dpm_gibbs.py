"""Collapsed Gibbs sampling for the Dirichlet process mixture (Neal 2000, algorithm 3).

Weights and components are integrated out; the state is one partition of the documents. A step takes
the documents of one block out of their clusters, one at a time, and draws a cluster for each given
all others. The first pass seats the documents one after the other, each given those before it, or
starts from many random clusters. From many clusters the sampler can come down to as few as the
posterior wants; from few it hardly ever gains more, one document at a time. Moves that split and
merge clusters follow every block.
"""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np

from ..core.arrays import F64, I64
from ..core.knob import knob
from ..corpus.corpus import Batch, Corpus
from ..inference.clusters import columns_of, counted, redraw
from ..inference.concentrations import ETA_PRIOR, draw_dirichlet_parameter, draw_gamma
from ..inference.dirichlet import Dirichlets
from ..inference.edited_clusters import moved
from ..inference.mixture import document_log_predictive, log_collapsed_joint
from ..inference.pool import Pool
from ..inference.slices import by_distinct_word
from ..inference.start import SAMPLER_STARTS, GivenTopics, Start
from ..kernels.mixture_moves import SPLIT, STAY, split_or_merge
from ..kernels.tables import mean_table_count
from ..kernels.tuples import Docs
from ..models.dpm import DPMixture
from ..state.invariants import IDENTITIES, POSITIVE, Constraint, StateContext
from ..state.snapshot import Details, Event, Info, Kept, Topics
from .base import Batching, Inference, Kind, Parallel, Preset, learned, learns

CHUNK = 2000
"""Documents that are seated at once where a run begins at given topics."""


@dataclass(eq=False)
class State:
    """The partition drawn last, of D documents into K clusters."""

    lam: Annotated[Dirichlets, Constraint("K")]
    """eta in force, and the word counts C_k of the clusters."""
    gamma: Annotated[float, POSITIVE]
    """In force."""
    z: Annotated[I64, Constraint("D", least=-1, below="n_ids")]
    """int64 (D,): the identity of each document's cluster; -1 before it is seated."""
    n: Annotated[I64, Constraint("K", least=1)] = field(
        default_factory=lambda: np.zeros(0, np.int64)
    )
    """n_k, int64 (K,): documents."""
    topic_ids: Annotated[I64, IDENTITIES] = field(default_factory=lambda: np.zeros(0, np.int64))
    n_ids: int = 0
    """Identities given so far."""
    n_passes: int = 0
    """Complete passes."""
    kept: list[Topics] = field(default_factory=list)
    """States over which prediction averages, oldest first; never changed once they are kept."""
    edited: Annotated[int, Constraint(most="n_passes")] = 0
    """Passes before the last edit by hand, after which `kept` begins anew."""

    def mismatch(self, ground: StateContext) -> str:
        """Report clusters that disagree with `z`."""
        seated, corpus = self.z >= 0, ground.corpus
        if not np.isin(self.z[seated], self.topic_ids).all():
            return "documents in clusters that are not there"
        columns = columns_of(self.topic_ids, self.z[seated])
        members = np.zeros((corpus.n_docs, len(self.n)))
        members[np.flatnonzero(seated), columns] = 1.0
        words = corpus.to_csr().T @ members
        stats = self.lam.scale * self.lam.stats[:, self.lam.slots]
        same = np.array_equal(members.sum(axis=0), self.n) and np.array_equal(stats, words)
        return "" if same else "other counts than those of its clusters"


@dataclass(frozen=True)
class DpmGibbs(Inference):
    """Draw every document's cluster given the clusters of all others, again and again."""

    name: ClassVar[str] = "dpm-gibbs"
    title: ClassVar[str] = "Collapsed Gibbs sampling"
    in_words: ClassVar[str] = "Counts by sampling, slow and good"
    source: ClassVar[str] = (
        "Neal 2000, algorithm 3 (equation 3.7); splits and merges: Jain & Neal 2004"
    )
    papers: ClassVar[tuple[str, ...]] = ("neal2000", "jain2004")
    kind: ClassVar[Kind] = "sampler"
    colour: ClassVar[int] = 2
    batching: ClassVar[Batching] = "fixed"
    parallel: ClassVar[Parallel] = "none"
    in_turn: ClassVar[str] = "One thread: each document's draw depends on the last."
    offered_first: ClassVar[bool] = True
    untold: ClassVar[str] = ""
    untold_ends: ClassVar[str] = ""
    state_type: ClassVar[type] = State
    presets: ClassVar[dict[str, Preset]] = {
        "default": Preset(
            "Long and short texts: eta is learned",
            {"gamma": 1.0, "eta": 0.2},
            {"learn_eta": True},
            passes=30,
        ),
        "short-texts": Preset(
            "Headlines and messages: many small clusters",
            {"gamma": 10.0, "eta": 0.05},
            {"start": "many", "start_size": 1, "moves": 20},
            passes=30,
        ),
        "neal-2000": Preset(
            "Neal 2000: one document at a time",
            {"gamma": 1.0, "eta": 0.2},
            {"start": "nothing", "moves": 0},
            passes=30,
        ),
    }

    # The best fixed values for texts of every length (benchmarks/README.md).
    model: DPMixture = DPMixture(gamma=10.0, eta=0.1)
    burn_in: int = knob(
        10, 0, 100_000, "Passes that are thrown away before states are kept.", symbol="B"
    )
    thin: int = knob(
        4, 1, 100_000, "After them, every so many passes a state is kept for prediction.", more=True
    )
    n_kept: int = knob(
        5,
        1,
        100,
        "Prediction averages over so many states, the last that were kept.",
        label="States kept",
        more=True,
    )
    start: str = knob(
        "many",
        help="Clusters are born one by one, or there are many at the start and superfluous ones "
        "end: more are found.",
        choices=SAMPLER_STARTS,
        before="nothing",
    )
    n_start: int = knob(
        500,
        1,
        10_000,
        "Of a start from many: clusters at most.",
        label="Topics at start",
        more=True,
    )
    start_size: int = knob(
        10,
        1,
        10_000,
        "Of a start from many: documents in a cluster at least. Few texts in very small clusters "
        "hardly ever come together again.",
        label="Documents in a topic at start",
        more=True,
        before=1,
    )
    moves: int = knob(
        10,
        0,
        10_000,
        "After every mini-batch: proposals to split a cluster or to merge two of them.",
        label="Split-merge moves",
        before=0,
    )
    learn_gamma: bool = learns("gamma")
    learn_eta: bool = learns("eta")

    def init(self, corpus: Corpus, rng: np.random.Generator) -> State:
        """Return no document seated, or all of them in random clusters."""
        return self.begin(corpus, self.start, rng)

    def begin(self, corpus: Corpus, start: Start, rng: np.random.Generator) -> State:
        """Do as `init`; or seat every document by one draw given the topics of another run, which
        weigh as much as all documents together."""
        if isinstance(start, GivenTopics):
            return clustered(self.model, corpus, drawn_among(self.model, corpus, start, rng))
        if start == "many":
            most = max(corpus.n_docs // self.start_size, 1)
            z = rng.permutation(corpus.n_docs) % min(self.n_start, most)
            return clustered(self.model, corpus, z)
        lam = Dirichlets.empty(corpus.n_words, self.model.eta)
        return State(lam, self.model.gamma, np.full(corpus.n_docs, -1))

    def step(
        self, state: State, batch: Batch, rng: np.random.Generator, pool: Pool | None
    ) -> tuple[State, Info]:
        """Redraw the documents of one block, then split and merge; the last block ends the pass."""
        events = redraw(state, batch.docs, batch.rows, state.gamma, rng)
        if self.moves and batch.corpus is not None:
            events += move(state, batch.corpus, self.moves, rng)
        if batch.index < batch.of - 1:
            return state, Info(events=events)
        return state, Info(events=events, scalars=self._end_pass(state, rng))

    def _end_pass(self, state: State, rng: np.random.Generator) -> dict[str, float]:
        """Learn the concentrations, keep the state if it is due, and report the joint."""
        if self.learn_gamma:
            state.gamma = draw_gamma(state.gamma, int(state.n.sum()), len(state.n), rng)
        if self.learn_eta:
            learn_eta(state.lam, rng)
        state.n_passes += 1
        since = state.n_passes - state.edited - self.burn_in
        if since > 0 and since % self.thin == 0:
            state.kept = [*state.kept, self.topics(state)][-self.n_kept :]
        joint = log_collapsed_joint(state.lam, state.n.astype(np.float64), state.gamma)
        return {"log joint": joint, **learned(self, gamma=state.gamma, eta=state.lam.eta)}

    def topics(self, state: State) -> Topics:
        n_seated = float(state.n.sum())
        return Topics(
            topic_word=state.lam.expected(),
            total=state.lam.total,
            size=state.n.astype(np.float64),
            weight=state.n / (n_seated + state.gamma),
            unseen=state.gamma / (n_seated + state.gamma),
            topic_ids=state.topic_ids.copy(),
            concentration=float("nan"),
            gamma=state.gamma,
            eta=state.lam.eta,
        )

    def kept(self, state: State) -> Kept:
        """Return the kept states, each with the same weight; none before the first is kept."""
        return tuple((1.0 / len(state.kept), topics) for topics in state.kept)

    def edit(
        self,
        state: State,
        kind: str,
        topics: tuple[int, ...],
        ground: StateContext,
        rng: np.random.Generator,
    ) -> tuple[State, Event]:
        """Merge, split or delete clusters by hand. A merged cluster takes the identity of the
        largest. A split makes two subjects, and the larger keeps the identity. Documents of deleted
        clusters are drawn among the others, each given the documents that stay (equation 3.7)."""
        if (state.z < 0).any():
            raise ValueError("Clusters can be changed once every text was read.")
        z, event = moved(state, kind, topics, ground.corpus, rng)
        ids, places = np.unique(z, return_inverse=True)
        held, n = counted(ground.corpus, places)
        order = np.argsort(-n, kind="stable")
        lam, n_ids = (
            Dirichlets.from_excess(held[order], state.lam.eta),
            max(state.n_ids, ids[-1] + 1),
        )
        new = State(lam, state.gamma, z, n[order], ids[order], int(n_ids), state.n_passes)
        new.edited = state.n_passes
        return new, event

    def looks_beyond(self) -> bool:
        return self.moves > 0

    def memory(self, corpus: Corpus) -> int:
        """Return the bytes of the labels and of the kept states, with the prior's expected
        clusters."""
        n_clusters = mean_table_count(corpus.n_docs, self.model.gamma)
        return int(8 * corpus.n_docs + 4 * self.n_kept * n_clusters * corpus.n_words)


def drawn_among(
    model: DPMixture, corpus: Corpus, given: GivenTopics, rng: np.random.Generator
) -> I64:
    """Draw a cluster for every document, int64 (D,), numbered without gaps, in proportion to the
    share of each given topic and to its predictive."""
    excess = given.scaled(corpus.n_tokens)
    lam, log_share = Dirichlets.from_excess(excess, model.eta), np.log(given.share)
    z = np.empty(corpus.n_docs, np.int64)
    for first in range(0, corpus.n_docs, CHUNK):
        rows = np.arange(first, min(first + CHUNK, corpus.n_docs))
        words, entries = by_distinct_word(corpus.take(rows))
        value = document_log_predictive(entries, lam.at(words), lam.total, None)
        z[rows] = (log_share + value + rng.gumbel(size=value.shape)).argmax(axis=1)
    return np.unique(z, return_inverse=True)[1].astype(np.int64)


def clustered(model: DPMixture, corpus: Corpus, z: I64) -> State:
    """Return the state with documents in clusters `z` int64 (D,), each with at least one."""
    held, n = counted(corpus, z)
    ids = np.arange(len(n))
    return State(Dirichlets.from_excess(held, model.eta), model.gamma, z, n, ids, len(n))


def move(state: State, corpus: Corpus, n_moves: int, rng: np.random.Generator) -> tuple[Event, ...]:
    """Propose `n_moves` splits and merges; both parts of a split, and a union, are new clusters."""
    docs = Docs(corpus.indptr, corpus.word_ids, corpus.counts)
    events, left = [], n_moves
    while left:
        made, what, members, second, held, log_ratio = split_or_merge(
            docs, state.z, state.gamma, state.lam.eta, corpus.n_words, left, rng
        )
        left -= made
        if what == STAY:
            break
        parents = tuple(int(i) for i in np.unique(state.z[members]))
        if what == SPLIT:
            kind, parts, words = "split", [members[~second], members[second]], held
            sizes = [len(part) for part in parts]
        else:
            kind, parts, words = "merge", [members], held.sum(axis=1, keepdims=True)
            sizes = [int((state.z[members] == i).sum()) for i in parents]
        children = tuple(range(state.n_ids, state.n_ids + len(parts)))
        replace_clusters(state, parents, children, parts, words)
        details = Details(sizes=tuple(sizes), log_ratio=log_ratio, trial=kind)
        events.append(Event(kind, parents, children, details=details))
    return tuple(events)


def replace_clusters(
    state: State, parents: tuple[int, ...], children: tuple[int, ...], parts: list[I64], words: F64
) -> None:
    """Replace the clusters `parents` by `children` in the state, and sort by size.

    `parts`: the documents of each child. `words` float64 (V, number of children): their counts.
    """
    stay = ~np.isin(state.topic_ids, parents)
    state.lam.keep(stay)
    state.lam.append(np.arange(state.lam.n_words, dtype=np.int32), words)
    for child, docs in zip(children, parts, strict=True):
        state.z[docs] = child
    n = np.append(state.n[stay], [len(docs) for docs in parts])
    order = np.argsort(-n, kind="stable")
    state.lam.reorder(order)
    state.n, state.topic_ids = n[order], np.append(state.topic_ids[stay], children)[order]
    state.n_ids += len(children)


def learn_eta(lam: Dirichlets, rng: np.random.Generator) -> None:
    """Draw eta given the word counts of the clusters."""
    counts = lam.stats[:, lam.slots]
    lam.eta = draw_dirichlet_parameter(
        lam.eta,
        counts[counts > 0.0].astype(np.int64),
        lam.size.astype(np.int64),
        lam.n_words,
        rng,
        ETA_PRIOR,
    )
