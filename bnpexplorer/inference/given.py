"""Topics of another run at which a run begins, over the words of its own corpus."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ..core.arrays import F64
from ..kernels.hdp_collapsed import COUNT_NOTHING, resample_tokens
from ..kernels.sparse_gibbs import seat_tokens
from ..kernels.tuples import Prior, WordCounts
from ..state.invariants import Ground, Must
from .assignments import Assignments, Block, fixed_slots


@dataclass(frozen=True, eq=False)
class GivenTopics:
    """K topics over V words, the largest first; there is one at least."""

    tokens: Annotated[F64, Must("K", "V")]
    """float64 (K, V): what each held of every word; no row is empty."""
    said: str = ""
    """Whose they are, in words."""

    def mismatch(self, ground: Ground) -> str:
        return "" if len(self) and self.tokens.any(axis=1).all() else "topics of nothing"

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def share(self) -> F64:
        """float64 (K,): of all that the topics hold."""
        held = self.tokens.sum(axis=1)
        return np.asarray(held / held.sum())

    def largest(self, n_topics: int) -> F64:
        """The first `n_topics`, float64 (n_topics, V); rows that nothing is given for are 0."""
        out = np.zeros((n_topics, self.tokens.shape[1]))
        n_given = min(n_topics, len(self))
        out[:n_given] = self.tokens[:n_given]
        return out

    def scaled(self, n_tokens: float) -> F64:
        """float64 (K, V): the topics, holding `n_tokens` together."""
        return np.asarray(self.tokens * (n_tokens / self.tokens.sum()))

    def excess(self, n_tokens: float, n_slots: int) -> F64:
        """float64 (V, n_slots): as `scaled`, in the first slots; for a sampler's first pass."""
        n_given = min(n_slots, len(self))
        out = np.zeros((self.tokens.shape[1], n_slots))
        out[:, :n_given] = self.scaled(n_tokens)[:n_given].T
        return out


def seat_given(
    tokens: Assignments,
    block: Block,
    given: F64,
    weight: F64,
    prior: Prior,
    rng: np.random.Generator,
) -> None:
    """Seat the tokens of a block, which have no topic yet, as if the topics held `given` beside
    those that are seated: with a count for every word and slot, since these are no whole numbers.

    `given` float64 (V, cap), `weight` float64 (cap,): of every slot.
    """
    n_slots = len(tokens.count)
    word = given + tokens.eta
    tokens.add_counts(word)
    words = WordCounts(word, np.zeros((0, 0)))
    slots = fixed_slots(word.sum(axis=0), np.zeros(n_slots, np.int64), weight)
    resample_tokens(block.tokens, block.topic, words, slots, prior, COUNT_NOTHING, 0, rng)
    seat_tokens(block.tokens.word, block.topic, tokens.word_topics(), tokens.total, tokens.count)
