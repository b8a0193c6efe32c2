"""Judging a fit: held-out likelihood, coherence, topics in use, recovery of known topics.

Pure functions of published topics and of documents; nothing here can change a fit.
"""

from ..state.words import heaviest, heaviest_words
from .coherence import npmi, umass
from .evidence import importance_log_likelihood, left_to_right_log_likelihood
from .heldout import (
    PROTOCOLS,
    Heldout,
    Protocol,
    default_protocol,
    from_one_start,
    heldout_of,
    heldout_size,
    split_heldout,
    split_of,
)
from .in_use import (
    DISTANCES,
    effective_topics,
    match_topics,
    topic_distances,
    topics_covering,
    topics_in_use,
)
from .score import (
    Remembered,
    Score,
    between_starts,
    perplexity,
    score,
    score_by_document,
    spread_by_document,
    unigram_score,
)

__all__ = [
    "DISTANCES",
    "PROTOCOLS",
    "Heldout",
    "Protocol",
    "Remembered",
    "Score",
    "between_starts",
    "default_protocol",
    "effective_topics",
    "from_one_start",
    "heaviest",
    "heaviest_words",
    "heldout_of",
    "heldout_size",
    "importance_log_likelihood",
    "left_to_right_log_likelihood",
    "match_topics",
    "npmi",
    "perplexity",
    "score",
    "score_by_document",
    "split_heldout",
    "split_of",
    "spread_by_document",
    "topic_distances",
    "topics_covering",
    "topics_in_use",
    "umass",
    "unigram_score",
]
