"""Algorithm 1 of Liu et al. 2022 for any model, with the settings that `hdp_catvi.py` and
`gdp_catvi.py` share. A model adds the number that multiplies the weights in a document's prior,
alpha or mu, and how it is learned. The paper's alpha is our gamma.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from ...core.knob import knob
from ...corpus.corpus import Batch, Corpus
from ...inference.pool import Pool
from ...inference.slices import batch_tokens
from ...inference.start import STARTS, GivenTopics, Start
from ...kernels.tuples import Sweeps
from ...state.snapshot import Info, Topics
from ..base import Batching, Inference, Kind, Parallel, Preset, step_size
from . import partition as catvi
from .partition import Partition, Tally


def presets(concentrations: Mapping[str, float]) -> dict[str, Preset]:
    """Return our own preset, and the paper's with the `concentrations` of the model beside eta.

    The paper has 4,000 to 16,000 mini-batches a pass. With 85 (State of the Union by paragraph, eta
    5, one seed) its delay of 64 scores -8.05 a word after four passes, below word frequencies at
    -8.03. Setting tau = 1 alone scores -7.87, and with clusters for the start as well -7.86.
    """
    return {
        "default": Preset("For thousands of documents", batch_size=64, passes=4),
        "liu-2022": Preset(
            "Liu et al. 2022",
            {**concentrations, "eta": 5.0},
            {"start_topics": 100, "start": "random", "tau": 64.0, "kappa": 1.0},
            batch_size=256,
        ),
    }


@dataclass(frozen=True)
class Catvi(Inference):
    """Draw topics under fixed expectations, then take one step on the weights, lam and alpha or mu.

    Knobs are given by keyword, so that a model may add its own.
    """

    title: ClassVar[str] = "Conditional, adaptively truncated (CATVI)"
    in_words: ClassVar[str] = "Learns from small batches, opens topics where many words ask"
    papers: ClassVar[tuple[str, ...]] = ("liu2022",)
    kind: ClassVar[Kind] = "mean field"
    batching: ClassVar[Batching] = "shuffled"
    parallel: ClassVar[Parallel] = "none"
    in_turn: ClassVar[str] = (
        "One thread: a topic that one document opens may be joined by the next."
    )
    untold: ClassVar[str] = (
        "It weighs the topics that it has by expectations of logarithms, as mean field does: there "
        "is no collapsed update to lay beside them."
    )
    state_type: ClassVar[type] = Partition

    model: Any
    _: KW_ONLY
    start_topics: int = knob(
        100, 0, 2000, "Topics at the start; from 0, all are found in the texts.", symbol="K₀"
    )
    start: str = knob(
        "k-means", help="Topics start at clusters of documents or at noise.", choices=STARTS
    )
    burn_in: int = knob(
        10, 0, 1000, "Sweeps over a document before its draws count: more, and topics fit better."
    )
    kept_sweeps: int = knob(
        5, 1, 1000, "Sweeps whose draws are averaged: more, and steps are less noisy."
    )
    tau: float = knob(1.0, 0, 1e6, "Delay: larger values slow the first steps.", symbol="τ")
    kappa: float = knob(
        0.7, 0.5, 1, "Forgetting rate: larger values forget early mini-batches sooner.", symbol="κ"
    )
    new_topic_word: str = knob(
        "expected-log",
        help="Probability of a word that opens a topic: exp(E ln beta), as in the paper, or 1/V, "
        "which opens topics for small eta too but is not the paper's.",
        choices=catvi.NEW_TOPIC_WORDS,
        more=True,
    )
    warm_new: bool = knob(
        True,
        help="A topic opened in a mini-batch takes on the words of its tokens at once rather than "
        "at the end of the batch.",
        more=True,
    )
    g0_rule: str = knob(
        "map",
        help="What weights are drawn to: the maximum as printed (the mean where gamma is 1 or "
        "less), the mean, or the maximum with the Jacobian that the paper leaves out.",
        choices=catvi.G0_RULES,
        more=True,
    )
    start_length: float = knob(
        100.0, 1, 1e6, "Tokens a document is given at the start.", symbol="L", more=True
    )

    @abstractmethod
    def first_concentration(self) -> float:
        """Return the starting value of the factor of the weights in a document's prior."""

    @abstractmethod
    def learn_concentration(
        self, state: Partition, docs: Corpus, tally: Tally, rho: float
    ) -> dict[str, float]:
        """Take one step on `state.concentration`; return its named series, empty if it stays
        fixed."""

    def objective(self, state: Partition, docs: Corpus, tally: Tally) -> float:
        """Return equation 12, which a step maximises."""
        return catvi.objective(state, tally, self.model.gamma, self.g0_rule)

    def init(self, corpus: Corpus, rng: np.random.Generator) -> Partition:
        """Return random topics or clusters of documents, with nearly even weights."""
        return self.begin(corpus, self.start, rng)

    def begin(self, corpus: Corpus, start: Start, rng: np.random.Generator) -> Partition:
        """Do as `init`, or begin with as many topics as another run had."""
        n_topics = len(start) if isinstance(start, GivenTopics) else self.start_topics
        return catvi.start_partition(
            start,
            corpus,
            n_topics,
            self.model.eta,
            self.first_concentration(),
            self.start_length,
            rng,
        )

    def step(
        self, state: Partition, batch: Batch, rng: np.random.Generator, pool: Pool | None
    ) -> tuple[Partition, Info]:
        """Run algorithm 1 for one mini-batch.

        The next documents can join a topic that one document opened, so it is sequential and does
        not use `pool`.
        """
        docs, gamma = batch.docs, self.model.gamma
        state.t += 1
        rho = step_size(state.t, self.tau, self.kappa)
        draws = catvi.sample(
            state,
            docs,
            gamma,
            self.new_topic_word,
            Sweeps(self.burn_in, self.kept_sweeps),
            self.warm_new,
            rng,
        )
        births = catvi.refine(state, draws)
        tally = catvi.count(state, draws)
        scalars = {
            "step size": rho,
            "new topics": float(len(births)),
            "objective": self.objective(state, docs, tally),
        }
        catvi.learn(state, draws, tally, rho, gamma, self.g0_rule)
        scalars |= self.learn_concentration(state, docs, tally, rho)
        return state, Info(events=births + catvi.prune(state), scalars=scalars)

    def memory(self, corpus: Corpus) -> int:
        """Return the bytes of a mini-batch's tokens: word, topic, and topic after each kept
        sweep."""
        return 4 * (self.kept_sweeps + 3) * batch_tokens(corpus)

    def topics(self, state: Partition) -> Topics:
        return catvi.partition_topics(state, self.model.gamma)

    def caution(self) -> str:
        """Warn of small eta, where new topics hardly ever open, or stay single words."""
        return catvi.growth_caution(self.model.eta, self.new_topic_word)
