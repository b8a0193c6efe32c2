"""Memoized variational inference for the HDP with splits, merges and deletions of topics.

The updates are those of memoized mean field (`fit.py`). A pass may also follow a few proposals, or
one trial, through all documents; at its end those that raise the bound of the whole corpus are
adopted (`moves.py`, `judging.py`), and nothing else changes the number of topics.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from ...core.arrays import I64
from ...core.knob import knob
from ...corpus.corpus import Batch, Corpus
from ...inference.pool import Pool
from ...inference.slices import USUAL_BATCH
from ...inference.start import STARTS, GivenTopics, Start
from ...kernels.tuples import Until
from ...models.hdp import HDP
from ...state.invariants import Constraint, StateContext
from ...state.snapshot import Info, Topics
from ..base import LEARN_AFTER, Batching, Inference, Kind, Parallel, Preset, learned, learns
from .bound import bound_of, bound_of_learning, columns_of, learn
from .fit import DirectFit, direct_topics, kept_bytes, settle, start_fit, visit
from .judging import judge
from .moves import Moves, follow
from .proposals import ProposalLimits, empty_samples, propose

QUIET_PASSES = 15
"""Passes without a move and with hardly a rise, after which the run has converged: long enough for
refused moves to be proposed and tried once more."""


@dataclass(eq=False)
class State:
    """q of the corpus, the bound of the last pass and the proposals that this pass follows."""

    model: HDP
    """With the concentrations now in force."""
    fit: Annotated[DirectFit, Constraint("K")]
    moves: Moves
    topic_ids: Annotated[I64, Constraint("K", below="next_id", distinct=True)]
    next_id: int
    bound: float = float("nan")
    passes: int = 0
    quiet: int = 0
    """Passes in a row without a move and with hardly a rise of the bound."""

    def mismatch(self, ground: StateContext) -> str:
        return self.moves.fault_of(self.fit, self.topic_ids)


@dataclass(frozen=True)
class HdpSplitmerge(Inference):
    """Memoized mean field that splits, merges and deletes topics while this raises the bound."""

    name: ClassVar[str] = "hdp-splitmerge"
    title: ClassVar[str] = "Memoized with splits and merges"
    in_words: ClassVar[str] = "Learns from blocks, splits and merges topics"
    source: ClassVar[str] = (
        "Hughes & Sudderth 2013, section 4; Hughes, Kim & Sudderth 2015; in the place of Bryant & "
        "Sudderth 2012 (run by Liu et al. 2022, table 1, as SMVI)"
    )
    papers: ClassVar[tuple[str, ...]] = ("hughes2013", "hughes2015", "bryant2012", "liu2022")
    kind: ClassVar[Kind] = "mean field"
    too_short: ClassVar[int] = 10
    ascends: ClassVar[bool] = True
    colour: ClassVar[int] = 6
    batching: ClassVar[Batching] = "fixed"
    parallel: ClassVar[Parallel] = "documents"
    weighs: ClassVar[bool] = True
    untold: ClassVar[str] = (
        "Its topics come by splits and merges of whole topics: no document or word opens one."
    )
    untold_ends: ClassVar[str] = ""
    state_type: ClassVar[type] = State
    presets: ClassVar[dict[str, Preset]] = {
        "default": Preset("For thousands of documents", passes=40),
        "liu-2022": Preset(
            "Liu et al. 2022",
            {"gamma": 5.0, "alpha": 5.0, "eta": 5.0},
            {"n_start": 100, "start": "random"},
            passes=40,
        ),
    }

    model: HDP = HDP(alpha=0.5, eta=0.3)
    n_start: int = knob(50, 1, 2000, "Topics at the start.", symbol="K", label="Topics at start")
    max_topics: int = knob(150, 1, 2000, "Most topics; more take longer.")
    splits: int = knob(
        20, 0, 1000, "Topics that are tried at once for a split: more, and topics grow faster."
    )
    merges: int = knob(20, 0, 1000, "Pairs of topics that are tried at once for a merge.")
    parts: int = knob(3, 2, 20, "Topics into which one is split.", more=True)
    start: str = knob(
        "k-means", help="Topics start at clusters of documents or at noise.", choices=STARTS
    )
    bound_tolerance: float = knob(
        1e-5,
        0,
        1,
        "The run has converged when fifteen passes without a move raise the bound by less than "
        "this share each.",
        more=True,
    )
    max_iterations: int = knob(
        20, 1, 1000, "Most iterations of one document's local step in a visit.", more=True
    )
    tolerance: float = knob(
        1e-3, 1e-14, 1, "A document is done when its mean change falls below this.", more=True
    )
    learn_alpha: bool = learns("alpha")

    @property
    def limits(self) -> ProposalLimits:
        return ProposalLimits(self.splits, self.merges, self.parts, self.max_topics)

    def init(self, corpus: Corpus, rng: np.random.Generator) -> State:
        """Few topics; the first pass samples from the largest of them for the first splits."""
        return self.begin(corpus, self.start, rng)

    def begin(self, corpus: Corpus, start: Start, rng: np.random.Generator) -> State:
        """As `init`, or at as many topics as another run had."""
        n_start = len(start) if isinstance(start, GivenTopics) else self.n_start
        n_topics = min(n_start, self.max_topics)
        fit = start_fit(self.model, start, corpus, n_topics, rng)
        moves = Moves(samples=empty_samples(list(range(min(self.splits, n_topics)))))
        return State(self.model, fit, moves, np.arange(n_topics, dtype=np.int64), n_topics)

    def step(
        self, state: State, batch: Batch, rng: np.random.Generator, pool: Pool | None
    ) -> tuple[State, Info]:
        """One visit, and one of the trial's if there is one; after the last block, the moves."""
        model, fit, trial = state.model, state.fit, state.moves.trial
        until = Until(self.max_iterations, self.tolerance)
        found = visit(fit, model, batch, pool, until)
        follow(state.moves, fit, state.topic_ids, batch.docs, batch.index, found, pool)
        if trial is not None:
            visit(trial.fit, model, batch, pool, until)
        if batch.index < batch.of - 1:
            return state, Info()
        return state, self._end_pass(state, rng, pool)

    def _end_pass(self, state: State, rng: np.random.Generator, pool: Pool | None) -> Info:
        model, before = state.model, state.bound
        outcome = judge(state.moves, state.fit, model, state.topic_ids, state.next_id, pool)
        state.fit, state.topic_ids, state.next_id = outcome.fit, outcome.topic_ids, outcome.next_id
        settle(state.fit, model, pool)
        columns = columns_of(state.fit, pool)
        state.bound = bound_of(columns, model, state.fit.n_docs)
        state.bound += bound_of_learning(model, len(state.topic_ids), False, self.learn_alpha)
        state.moves = propose(
            state.moves, state.fit, model, state.topic_ids, columns, self.limits, rng, pool
        )
        small = state.bound - before <= self.bound_tolerance * abs(state.bound)
        state.quiet = state.quiet + 1 if small and not outcome.events else 0
        state.passes += 1
        if state.passes > LEARN_AFTER and self.learn_alpha:
            state.model = learn(state.fit, model, False, self.learn_alpha, pool)
        now = learned(self, alpha=state.model.alpha)
        return Info(state.bound, state.quiet >= QUIET_PASSES, outcome.events, now)

    def topics(self, state: State) -> Topics:
        return direct_topics(state.model, state.fit, state.topic_ids)

    def memory(self, corpus: Corpus) -> int:
        """Return the bytes of the blocks' summaries with the most topics, for blocks of 256
        documents, twice: once more for the proposals."""
        return 2 * kept_bytes(corpus, self.max_topics, USUAL_BATCH)
