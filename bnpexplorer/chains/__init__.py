"""Has it converged? Chains of one method from different starts and seeds, judged side by side."""

from ..evaluate.settling import QUANTITIES, rhat_and_ess
from .judging import ChainsVerdict, SharedTopic, found_topics, judge
from .running import FEWEST, MOST, Chains, chains_again, chains_of

__all__ = [
    "FEWEST",
    "MOST",
    "QUANTITIES",
    "Chains",
    "ChainsVerdict",
    "SharedTopic",
    "chains_again",
    "chains_of",
    "found_topics",
    "judge",
    "rhat_and_ess",
]
