"""Topics that are known beforehand, as of a synthetic corpus: which of them were found again."""

from dataclasses import dataclass

import numpy as np

from ..core.arrays import F64, I64, Bools
from ..evaluate import match_topics
from ..state.snapshot import Topics
from .likeness import CLOSE


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
