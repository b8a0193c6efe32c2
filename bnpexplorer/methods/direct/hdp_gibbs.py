"""Gibbs sampling for the HDP by direct assignment (Teh, Jordan, Beal & Blei 2006, section 5.3).

Proportions and topics are integrated out. The state holds the topic of every token, the corpus
weights pi of the topics in use with the rest that all others share, and the tables s that make pi
conjugate. A pass goes through blocks of documents. A block draws the topics of its tokens given pi
(equation 37), with its own tables integrated out, then its tables given the topics (equation 40);
then pi is drawn given the tables of all documents (equation 36). One block is the paper's sampler.
With several blocks, the tables of other blocks stay as last drawn, which is Gibbs sampling too, and
pi is updated from the first block of the first pass on.

With a start from many topics, the first passes are those of an LDA with that many topics of equal
weight, none of which opens or closes. A chain that starts from nothing keeps too few topics for
very long.

Splits and merges of whole topics may end a pass (`kernels.topic_moves`). No preset uses them:
measured gains were small, and smallest with many topics at the start (benchmarks/README.md).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core.arrays import F64, Bools, widened
from ...core.knob import knob
from ...corpus.corpus import Batch, Corpus
from ...inference.assignments import (
    Assignments,
    TokenBlock,
    fixed_slots,
    keeps,
    newest,
    room_for,
    sampler_bytes,
    sweeps_a_pass,
)
from ...inference.births import with_details
from ...inference.concentrations import CONCENTRATION_PRIOR, draw_alpha, draw_gamma
from ...inference.pool import Pool
from ...inference.start import (
    PER_ROOT,
    SAMPLER_STARTS,
    GivenTopics,
    Start,
    first_topics,
    seat_given,
)
from ...kernels import sparse_gibbs
from ...kernels.hdp_collapsed import draw_weights, seat_tables
from ...kernels.tuples import Prior, Slots
from ...models.hdp import HDP
from ...state.invariants import StateContext
from ...state.snapshot import Details, Event, Info, Kept, Topics
from ..base import Batching, Inference, Kind, Parallel, Preset, learned, learns
from .edits import edited
from .merging import merge_alike
from .moves import Overwritten, ends, move, openings
from .state import ROOM, State, changes, name_topics, slots_by_size, slots_of, sort_slots

SPLITS = 5
"""Proposals to split or merge after a pass that merges; merging alone leaves topics too broad."""
LIKELY_TOPICS = 200
"""For the estimate of memory: runs on thousands of news stories reached about this many."""


@dataclass(frozen=True)
class HdpGibbs(Inference):
    """Draw token after token, opening and closing topics; then tables and corpus weights."""

    name: ClassVar[str] = "hdp-gibbs"
    title: ClassVar[str] = "Gibbs sampling, direct assignment"
    in_words: ClassVar[str] = "Counts by sampling, slowest and best"
    source: ClassVar[str] = (
        "Teh, Jordan, Beal & Blei 2006, section 5.3, equations 36, 37 and 40; "
        "splits and merges: Jain & Neal 2004"
    )
    papers: ClassVar[tuple[str, ...]] = ("teh2006", "jain2004")
    kind: ClassVar[Kind] = "sampler"
    colour: ClassVar[int] = 2
    batching: ClassVar[Batching] = "fixed"
    parallel: ClassVar[Parallel] = "none"
    in_turn: ClassVar[str] = "One thread: each token's draw depends on the last."
    offered_first: ClassVar[bool] = True
    untold: ClassVar[str] = ""
    untold_ends: ClassVar[str] = ""
    state_type: ClassVar[type] = State
    presets: ClassVar[dict[str, Preset]] = {
        "default": Preset("For thousands of documents", passes=100),
        "learned-alpha": Preset(
            "For texts of any length: alpha is learned",
            # 24 in place of 16: 0.01 higher on messages, 0.06 on openings of posts; with 48
            # glosses were 0.4 behind after 100 passes.
            knobs={"learn_alpha": True, "merge_passes": 0, "start_per_root": 24},
            passes=100,
        ),
        "from-nothing": Preset(
            "Every topic is seen being born",
            knobs={"start": "nothing", "merge_passes": 0},
            passes=100,
        ),
        "teh-2006": Preset(
            "Teh et al. 2006",
            {"eta": 0.5},
            {
                "start": "nothing",
                "merge_passes": 0,
                "burn_in": 2000,
                "thin": 10,
                "n_kept": 5,
                "learn_gamma": True,
                "learn_alpha": True,
                "alpha_rate": 1.0,
            },
            passes=2050,
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
    start: str = knob(
        "many",
        help="Topics are born one by one, or there are many at the start and superfluous ones "
        "end: more are found.",
        choices=SAMPLER_STARTS,
        before="nothing",
    )
    n_start: int = knob(
        200,
        1,
        2000,
        "Of a start from many: topics at most. Short texts, and few, begin with fewer.",
        label="Topics at start",
        more=True,
    )
    start_per_root: int = knob(
        PER_ROOT,
        1,
        1000,
        "Of a start from many: topics at most, over the square root of the mean length of the "
        "texts.",
        label="Topics at start by length",
        more=True,
    )
    start_passes: int = knob(
        15,
        1,
        10_000,
        "Of a start from many: passes with equal weights, as of an LDA, before topics open and "
        "close.",
        more=True,
    )
    moves: int = knob(
        0,
        0,
        10_000,
        "After every pass: proposals to split a topic or to merge two of them.",
        label="Split-merge moves",
    )
    merge_passes: int = knob(
        10,
        0,
        10_000,
        "Passes after the start that also merge topics which tell the same, and split broad ones: "
        "fewer small topics remain. The sampler's law holds from then on.",
        label="Passes that merge",
        more=True,
        before=0,
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

    def init(self, corpus: Corpus, rng: np.random.Generator) -> State:
        """Return no topics, or room for many; the first pass seats the tokens one after the
        other."""
        return self.begin(corpus, self.start, rng)

    def begin(self, corpus: Corpus, start: Start, rng: np.random.Generator) -> State:
        """Do as `init`; or the first pass seats every token given the topics of another run, which
        weigh as much as all tokens together."""
        n_first = len(start) if isinstance(start, GivenTopics) else self.n_start * (start == "many")
        model, n_slots = self.model, room_for(ROOM + n_first)
        state = State(
            Assignments.unseated(corpus, n_slots, model.eta),
            weight=np.zeros(n_slots),
            rest=np.ones(1),
            slot_ids=np.full(n_slots, -1),
            gamma=model.gamma,
            alpha=model.alpha,
        )
        if isinstance(start, GivenTopics):
            state.begun, state.given = True, start.excess(corpus.n_tokens, n_slots)
        return state

    def step(
        self, state: State, batch: Batch, rng: np.random.Generator, pool: Pool | None
    ) -> tuple[State, Info]:
        """Draw one block's topics and tables, then pi; concentrations at the end of a pass.

        It repeats all this if there are few tokens. Splits and merges follow, which change pi and
        tables too. Each token depends on the last, so `pool` is not used.
        """
        last = batch.index == batch.of - 1
        if not len(state.tables):
            state.tables = np.zeros((batch.of, len(state.weight)))
            state.all_tables = np.zeros(len(state.weight))
        if self.looks_beyond():
            if not len(state.block):
                state.block = np.full(len(state.tokens.doc_start) - 1, -1)
            state.block[batch.rows] = batch.index
        before = state.topic_ids
        told: dict[int, Details] = {}
        for _ in range(self._n_sweeps(state)):
            told |= self._draw_topics_and_tables(state, batch, rng)
            if last and not self._starting(state):
                self._learn_concentrations(state, rng)
            no_sticks = np.zeros(0)
            draw_weights(
                no_sticks, no_sticks, state.gamma, state.all_tables, state.weight, state.rest, rng
            )
        events = with_details(changes(before, state.topic_ids), told)
        if last and batch.corpus is not None and not self._starting(state):
            events += self._merge_and_split(state, batch.corpus, rng)
        scalars = self._end_pass(state, rng) if last else {}
        scalars |= learned(self, gamma=state.gamma, alpha=state.alpha, eta=state.tokens.eta)
        return state, Info(events=events, scalars=scalars)

    def _merge_and_split(
        self, state: State, corpus: Corpus, rng: np.random.Generator
    ) -> tuple[Event, ...]:
        """Merge topics that describe the same subject, in burn-in; then propose splits and merges.

        Topics that a user edited, or that another run gave, are not merged.
        """
        last = self.merge_passes + self.start_passes * (self.start == "many")
        merging = state.n_passes < last and not (state.begun or state.edited)
        events = merge_alike(state, corpus, rng) if merging else ()
        n_moves = max(self.moves, SPLITS * merging)
        return events + (move(state, corpus, n_moves, rng) if n_moves else ())

    def _n_sweeps(self, state: State) -> int:
        """Return how often a pass draws every token."""
        learns = self.learn_gamma or self.learn_alpha
        return sweeps_a_pass(state.tokens, learns and not self._starting(state))

    def _draw_topics_and_tables(
        self, state: State, batch: Batch, rng: np.random.Generator
    ) -> dict[int, Details]:
        """Draw the block's topics given pi, then its tables; return details of births and ends by
        id.

        A topic that ends gives its weight back to the rest. Its slot stays closed until the block
        is done, so that a slot has one identity.
        """
        tokens, block = state.tokens, state.tokens.block(batch)
        before, then = tokens.count > 0, Overwritten.of(state, block)
        if self._starting(state):
            weight = first_weights(state, self._n_first(state))
            if len(state.given):
                prior = Prior(state.alpha, state.gamma, tokens.n_words)
                seat_given(tokens, block, state.given, weight, prior, rng)
            else:
                draw_some(state, block, fixed_slots(tokens.total, tokens.count, weight), 0, rng)
        else:
            before = draw_topics(state, block, before, rng)
            weight = state.weight
        tokens.put_back(block)
        tables = np.empty(len(before))
        seat_tables(block.tokens.doc_start, block.topic, weight, state.alpha, False, tables, rng)
        state.all_tables += tables - state.tables[batch.index]
        state.tables[batch.index] = tables
        name_topics(state, before)
        told = ends(state, block, batch.rows, then)
        return told if self._starting(state) else told | openings(state, block, batch.rows, then)

    def _starting(self, state: State) -> bool:
        """Return whether topics are still those of a start from many, or of another run."""
        if state.begun:
            return state.n_passes == 0
        return self.start == "many" and state.n_passes < self.start_passes

    def _n_first(self, state: State) -> int:
        """Return the number of topics of a start from many."""
        return first_topics(self.n_start, state.tokens.doc_start, self.start_per_root)

    def _learn_concentrations(self, state: State, rng: np.random.Generator) -> None:
        """Draw gamma and alpha given all tables; gamma is then independent of pi."""
        n_tables, n_topics = int(state.all_tables.sum()), int((state.all_tables > 0).sum())
        if self.learn_gamma:
            state.gamma = draw_gamma(state.gamma, n_tables, n_topics, rng)
        if self.learn_alpha:
            lengths = np.diff(state.tokens.doc_start)
            state.alpha = draw_alpha(state.alpha, lengths, n_tables, rng, (1.0, self.alpha_rate))

    def _end_pass(self, state: State, rng: np.random.Generator) -> dict[str, float]:
        """Draw eta, tidy the slots, keep the state if it is due; return the named series."""
        learns_eta = self.learn_eta and not self._starting(state)
        eta = state.tokens.draw_eta(rng) if learns_eta else state.tokens.eta
        state.n_passes += 1
        state.given = np.zeros((0, 0))
        sort_slots(state, eta, self._n_first(state) if self._starting(state) else 0)
        n_passes = state.n_passes - state.edited
        if keeps(n_passes, self.burn_in, self.thin):
            state.kept = newest(state.kept, self.topics(state), n_passes, self.thin, self.n_kept)
        return {"log p(words, topics)": self.log_joint(state)}

    def log_joint(self, state: State) -> float:
        """Return ln p(x, z | pi), proportions and topics integrated out."""
        prior = state.alpha * np.append(state.weight, state.rest)
        return state.tokens.log_words() + state.tokens.log_topics(prior)

    def topics(self, state: State) -> Topics:
        """Return the topics in use, largest first, with weights E[pi | tables] = m_k / (m +
        gamma)."""
        tokens = state.tokens
        slots = slots_by_size(tokens)
        tables = state.all_tables[slots]
        total = tables.sum() + state.gamma
        return Topics(
            topic_word=tokens.topic_word(slots),
            total=tokens.total[slots],
            size=tokens.count[slots].astype(np.float64),
            weight=tables / total,
            unseen=float(state.gamma / total),
            topic_ids=state.slot_ids[slots],
            concentration=state.alpha,
            gamma=state.gamma,
            eta=tokens.eta,
        )

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
        """Apply `edits.edited`; refuse until the first pass, or the start from many, is done."""
        if not state.n_passes or self._starting(state):
            n_first = self.start_passes if self.start == "many" and not state.begun else 1
            raise ValueError(
                f"Until pass {n_first} is through, topics are those of the start; change them "
                "after it."
            )
        return edited(state, kind, topics, ground, rng)

    def looks_beyond(self) -> bool:
        return self.moves > 0 or self.merge_passes > 0

    def memory(self, corpus: Corpus) -> int:
        return sampler_bytes(corpus, LIKELY_TOPICS, self.n_kept)


def first_weights(state: State, n_first: int) -> F64:
    """Return starting weights, float64 (cap,): in proportion to given topics, or `n_first`
    equal."""
    if state.begun:
        held = state.given.sum(axis=0)
        return np.asarray(held / held.sum())
    n_slots = len(state.weight)
    n_topics = min(n_first, n_slots)
    return np.where(np.arange(n_slots) < n_topics, 1.0 / n_topics, 0.0)


def draw_some(
    state: State, block: TokenBlock, slots: Slots, start: int, rng: np.random.Generator
) -> int:
    """Draw topics from token `start` on; return where it stopped: at the end or without a slot."""
    prior, words = Prior(state.alpha, state.gamma, state.tokens.n_words), state.tokens.word_topics()
    return sparse_gibbs.draw_topics(block.tokens, block.topic, words, slots, prior, start, rng)


def draw_topics(state: State, block: TokenBlock, before: Bools, rng: np.random.Generator) -> Bools:
    """Draw the topics of a block's tokens; make more room when topics open in all slots.

    `before` bool (cap,): slots in use. Returns it as long as the slots are now.
    """
    done = 0
    while True:
        slots = slots_of(state, before)
        done = draw_some(state, block, slots, done, rng)
        if done == len(block.topic):
            return before
        n_more = ROOM + room_for(len(before) // 4)
        state.make_room(n_more)
        before = widened(before, n_more)
