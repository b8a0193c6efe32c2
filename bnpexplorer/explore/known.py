"""Topics that are known beforehand, as of a synthetic corpus: which of them were found again."""

from dataclasses import dataclass

import numpy as np

from ..core.arrays import F64, I64, Bools
from ..evaluate import match_topics
from ..state.snapshot import Topics
from .likeness import CLOSE

FOUND_AGAIN = "found again"
"""Of the numbers of a run's history, how many known topics are found again."""


@dataclass(frozen=True, eq=False)
class FoundAgain:
    """J known topics, each with the topic in use that is its partner."""

    rows: I64
    """int64 (J,): places in the run's topics; -1 where there are fewer topics than known ones."""
    distances: F64
    """float64 (J,): Jensen-Shannon distances to the partners; nan where there is none."""

    @property
    def count(self) -> int:
        """How many known topics are nearer than `likeness.CLOSE` to their partners."""
        return int(self.close.sum())

    @property
    def close(self) -> Bools:
        """bool (J,): which known topics were found again.

        A topic that mixes two known ones evenly, with no word in common, lies at 0.56 from both and
        is neither. Below 0.5 more than 58 % of a found topic is the known one, if what it adds lies
        on other words.
        """
        return np.asarray(self.distances < CLOSE)

    def known_of(self, row: int) -> int | None:
        """The known topic whose partner stands at `row`; None where it is nobody's."""
        where = np.flatnonzero(self.rows == row)
        return int(where[0]) if len(where) else None


def check_known(known: F64, n_words: int) -> None:
    """Raise ValueError unless `known` is topics over so many words."""
    if known.ndim != 2 or known.shape[1] != n_words:
        raise ValueError(f"its true topics have the shape {known.shape}")
    if not np.isfinite(known).all() or known.min(initial=0.0) < 0.0:
        raise ValueError("its true topics are no shares of words")


def found_again(known: F64, topics: Topics) -> FoundAgain:
    """Match `known` (J, V), one topic a row, one to one with the topics in use.

    By the smallest sum of distances. Raises ValueError if the two are over different words.
    """
    used = np.flatnonzero(topics.in_use)
    pairs, between = match_topics(known, topics.topic_word[used], "jensen-shannon")
    rows, distances = np.full(len(known), -1), np.full(len(known), np.nan)
    rows[pairs[:, 0]] = used[pairs[:, 1]]
    distances[pairs[:, 0]] = between
    return FoundAgain(rows, distances)
