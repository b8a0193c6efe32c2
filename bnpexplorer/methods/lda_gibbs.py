"""Collapsed Gibbs sampling for LDA (Griffiths & Steyvers 2004).

Proportions and topics are integrated out; every token's topic is drawn in turn given all others.
The first pass seats the tokens one after the other, or given the topics of another run.
"""

from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar

import numpy as np

from ..core.arrays import F64
from ..core.knob import knob
from ..corpus.corpus import Batch, Corpus
from ..inference.assignments import (
    Assignments,
    fixed_slots,
    keeps,
    newest,
    room_for,
    sampler_bytes,
    sweeps_a_pass,
    words_of,
)
from ..inference.concentrations import CONCENTRATION_PRIOR, draw_dirichlet_parameter
from ..inference.edited_tokens import dealt_out, merge_event, reseated, second_part, split_event
from ..inference.pool import Pool
from ..inference.start import GivenTopics, Start, seat_given
from ..kernels.assignments import count_by_document
from ..kernels.sparse_gibbs import draw_topics
from ..kernels.tuples import Prior
from ..models.lda import LDA
from ..state.invariants import POSITIVE, Constraint, StateContext
from ..state.snapshot import Event, Info, Kept, Topics
from .base import Batching, Inference, Kind, Parallel, Preset, deaths, learned, learns

LASTING = 40_000_000
"""Tokens to read in all, about 9 s. After 100 passes over a thousand texts or fewer the log joint
still climbs, by 0.4 to 9 of its later standard deviations, and is level after 200 to 800 passes
(benchmarks/README.md, what defaults are worth)."""


@dataclass(eq=False)
class State:
    """The topics of all tokens; slots below K are the topics, in their order."""

    tokens: Assignments
    alpha: Annotated[float, POSITIVE]
    """In force: the model's, or learned."""
    n_passes: int = 0
    """Complete passes."""
    kept: tuple[Topics, ...] = ()
    """States over which prediction averages, oldest first; never changed once they are kept."""
    edited: Annotated[int, Constraint(most="n_passes")] = 0
    """Passes before the last edit by hand, after which `kept` begins anew."""
    given: Annotated[F64, Constraint("V", "cap", or_empty=True)] = field(
        default_factory=lambda: np.zeros((0, 0))
    )
    """float64 (V, cap): in the first pass, the tokens of another run's topics; empty otherwise."""

    def opened(self, corpus: Corpus) -> None:
        self.tokens.opened(corpus)

    def mismatch(self, ground: StateContext) -> str:
        n_topics = ground.settings["n_topics"]
        fits = len(self.tokens.count) >= n_topics and not self.tokens.count[n_topics:].any()
        return "" if fits else "tokens of topics that the model has not"


@dataclass(frozen=True)
class LdaGibbs(Inference):
    """Draw the topic of one token after the other, given the topics of all other tokens."""

    name: ClassVar[str] = "lda-gibbs"
    title: ClassVar[str] = "Collapsed Gibbs sampling"
    in_words: ClassVar[str] = "Counts by sampling, slow and good"
    source: ClassVar[str] = "Griffiths & Steyvers 2004, equation 5"
    papers: ClassVar[tuple[str, ...]] = ("griffiths2004",)
    kind: ClassVar[Kind] = "sampler"
    colour: ClassVar[int] = 4
    offered_first: ClassVar[bool] = True
    batching: ClassVar[Batching] = "fixed"
    parallel: ClassVar[Parallel] = "none"
    in_turn: ClassVar[str] = "One thread: each token's draw depends on the last."
    untold_ends: ClassVar[str] = (
        "It has all its topics at all times: one that holds no word is as open to the next one as "
        "before, so that nothing was weighed when it went."
    )
    state_type: ClassVar[type] = State
    presets: ClassVar[dict[str, Preset]] = {
        "default": Preset(
            "For thousands of documents",
            # The last 50 passes predicted texts of an HDP worse than word frequencies; the last 200
            # gain 0.02
            # there (benchmarks/README.md, what defaults are worth).
            knobs={"thin": 10, "n_kept": 20},
            passes=100,
            tokens=LASTING,
        ),
        "griffiths-steyvers-2004": Preset(
            "Griffiths & Steyvers 2004",
            {"n_topics": 300, "alpha": 50 / 300, "eta": 0.1},
            {"burn_in": 1000, "thin": 100},
            passes=2000,
        ),
    }

    model: LDA = LDA()
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
    learn_alpha: bool = learns("alpha")
    learn_eta: bool = learns("eta")

    def init(self, corpus: Corpus, rng: np.random.Generator) -> State:
        """Return a state without topics of tokens; the first pass seats them one after the
        other."""
        return self.begin(corpus, "nothing", rng)

    def begin(self, corpus: Corpus, start: Start, rng: np.random.Generator) -> State:
        """Do as `init`; or seat tokens given the largest topics of another run, which weigh as much
        as all tokens together."""
        model, n_slots = self.model, room_for(self.model.n_topics)
        state = State(Assignments.unseated(corpus, n_slots, model.eta), model.alpha)
        if isinstance(start, GivenTopics):
            state.given = GivenTopics(start.largest(model.n_topics)).excess(
                corpus.n_tokens, n_slots
            )
        return state

    def step(
        self, state: State, batch: Batch, rng: np.random.Generator, pool: Pool | None
    ) -> tuple[State, Info]:
        """Draw the topics of one block; concentrations at the end of a pass.

        It repeats this if there are few tokens. Each token depends on the last, so `pool` is not
        used.
        """
        before, last = self._sizes(state), batch.index == batch.of - 1
        for _ in range(sweeps_a_pass(state.tokens, self.learn_alpha and not len(state.given))):
            self._draw_topics(state, batch, rng)
            if last:
                self._learn(state, rng)
        ids = np.arange(self.model.n_topics)
        scalars: dict[str, float] = {}
        if last:
            state.given = np.zeros((0, 0))
            scalars["log joint"] = self.log_joint(state)
            state.n_passes += 1
            n_passes = state.n_passes - state.edited
            if keeps(n_passes, self.burn_in, self.thin):
                state.kept = newest(
                    state.kept, self.topics(state), n_passes, self.thin, self.n_kept
                )
        scalars |= learned(self, alpha=state.alpha, eta=state.tokens.eta)
        return state, Info(events=deaths(before, self._sizes(state), ids), scalars=scalars)

    def _sizes(self, state: State) -> F64:
        return state.tokens.count[: self.model.n_topics].astype(np.float64)

    def _draw_topics(self, state: State, batch: Batch, rng: np.random.Generator) -> None:
        """Equation 5: p(z = k) proportional to (n_dk + alpha) (n_kw + eta) / (n_k + V eta).

        The kernel is that of the HDP with all K topics known, of weight 1 each, and no other
        topics.
        """
        tokens, n_topics = state.tokens, self.model.n_topics
        block, n_slots = tokens.block(batch), len(tokens.count)
        weight = (np.arange(n_slots) < n_topics).astype(np.float64)
        prior = Prior(state.alpha, 1.0, tokens.n_words)
        if len(state.given):
            seat_given(tokens, block, state.given, weight, prior, rng)
        else:
            slots, words = fixed_slots(tokens.total, tokens.count, weight), tokens.word_topics()
            draw_topics(block.tokens, block.topic, words, slots, prior, 0, rng)
        tokens.put_back(block)

    def _learn(self, state: State, rng: np.random.Generator) -> None:
        """Draw alpha and eta given all topics, if they are learned."""
        tokens, n_topics = state.tokens, self.model.n_topics
        if self.learn_alpha:
            counts, _ = count_by_document(tokens.doc_start, tokens.topic, len(tokens.count))
            state.alpha = draw_dirichlet_parameter(
                state.alpha, counts, np.diff(tokens.doc_start), n_topics, rng, CONCENTRATION_PRIOR
            )
        tokens.renew(tokens.draw_eta(rng) if self.learn_eta else tokens.eta)

    def log_joint(self, state: State) -> float:
        """Return ln p(x, z), proportions and topics integrated out (equations 2 and 3)."""
        tokens, n_topics = state.tokens, self.model.n_topics
        prior = np.zeros(len(tokens.count) + 1)
        prior[:n_topics] = state.alpha
        return tokens.log_words() + tokens.log_topics(prior)

    def topics(self, state: State) -> Topics:
        tokens, n_topics = state.tokens, self.model.n_topics
        return Topics(
            topic_word=tokens.topic_word(np.arange(n_topics)),
            total=tokens.total[:n_topics].copy(),
            size=self._sizes(state),
            weight=np.full(n_topics, 1.0 / n_topics),
            unseen=0.0,
            topic_ids=np.arange(n_topics, dtype=np.int64),
            concentration=state.alpha * n_topics,
            gamma=float("nan"),
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
        """Merge, split or delete topics by hand. K stays: merging and deleting leave empty topics,
        which words may join again by the model's own law, and splitting needs an empty one.

        Merged topics take the place of the largest. The larger part of a split topic keeps its
        place. Tokens of deleted topics are drawn among the other topics in use by equation 5.
        """
        if not state.n_passes:
            raise ValueError("Topics can be changed once every text was read.")
        tokens, words = state.tokens, words_of(ground.corpus)
        topic, slots = tokens.topic.copy(), np.array(topics)
        if kind == "merge":
            into = int(slots[np.argmax(tokens.count[slots])])
            topic[np.isin(topic, slots)] = into
            event = merge_event(topics, into)
        elif kind == "split":
            empty = np.flatnonzero(tokens.count[: self.model.n_topics] == 0)
            if not len(empty):
                raise ValueError(
                    f"All {self.model.n_topics} topics of {self.name} hold words, and it has no "
                    "more; merge or delete one, then there is a place for a part."
                )
            part = second_part(tokens, words, int(slots[0]), 2.0 * state.alpha, rng)
            topic[part] = empty[0]
            event = split_event(topics[0], int(empty[0]))
        else:
            base = np.full(len(tokens.count), state.alpha)
            topic = dealt_out(tokens, words, slots, base, rng)
            event = Event("death", parents=topics)
        moved = reseated(tokens, topic, words, len(tokens.count))
        return replace(state, tokens=moved, kept=(), edited=state.n_passes), event

    def memory(self, corpus: Corpus) -> int:
        return sampler_bytes(corpus, self.model.n_topics, self.n_kept)
