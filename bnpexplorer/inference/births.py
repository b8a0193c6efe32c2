"""What is told of a birth: who opened the topic, and the weights of that moment.

Kernels that draw each document or token once a block need not tell it: when the turn of one came,
those before it sat where they sit now, and those after it where they sat before.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from ..core.arrays import F64, I64
from ..state.snapshot import Details, Event

RIVALS = 5
"""Topics that are told of beside the new one, the likeliest."""
WORDS = 10
"""Words that are told of a document."""


def opened(
    document: int, topic_ids: I64, log_prior: F64, log_likelihood: F64, words: Iterable[int] = ()
) -> Details:
    """The details of one birth. `words`: the one that opened it first; some may occur again.

    `topic_ids` int64 (K,): identities of the K topics that were there. `log_prior` float64 (K+1,)
    and `log_likelihood` float64 (K+1,): theirs, then those of a new topic.
    """
    likeliest = np.argsort(-(log_prior + log_likelihood)[:-1], kind="stable")[:RIVALS]
    told = np.append(likeliest, len(topic_ids))
    return Details(
        document=int(document),
        words=tuple(dict.fromkeys(int(w) for w in words))[:WORDS],
        topics=tuple(topic_ids[likeliest].tolist()),
        log_prior=tuple(log_prior[told].tolist()),
        log_likelihood=tuple(log_likelihood[told].tolist()),
    )


def with_details(events: Iterable[Event], details: Mapping[int, Details]) -> tuple[Event, ...]:
    """The events, those of topics that `details` knows by their identity with what it says."""
    return tuple(
        replace(event, details=details.get(event.children[0])) if event.children else event
        for event in events
    )
