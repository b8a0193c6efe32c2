"""The details of births and ends of topics, for samplers that draw each document or token in turn.

When one is drawn, those before it sit where they sit now, and those after it where they sat before;
so kernels that draw each once a block need not record a birth. Other kernels do.

A topic that is empty at the end of a block ended with the last document or word that left it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np

from ..core.arrays import F64, I64
from ..kernels.openings import RIVALS
from ..kernels.tuples import Openings
from ..state.snapshot import Details, Event

WORDS = 10
"""Words that are told of a document."""


def opened(
    document: int,
    topic_ids: I64,
    log_prior: F64,
    log_likelihood: F64,
    log_meanfield: Callable[[list[int]], F64],
    words: Iterable[int] = (),
) -> Details:
    """The details of one birth. `words`: the one that opened it first; some may occur again.

    `topic_ids` int64 (K,): identities of the K topics that were there. `log_prior` float64 (K+1,)
    and `log_likelihood` float64 (K+1,): theirs, then those of a new topic. `log_meanfield`
    float64 (R,): asked for those alone that are told, by their places among the K+1, since digamma
    is slow.
    """
    told = np.argsort(-(log_prior + log_likelihood)[:-1], kind="stable")[:RIVALS].tolist()
    topics = topic_ids[told].tolist()
    told.append(len(topic_ids))
    return Details(
        int(document),
        tuple(dict.fromkeys(words))[:WORDS],
        tuple(topics),
        tuple(log_prior[told].tolist()),
        tuple(log_likelihood[told].tolist()),
        tuple(log_meanfield(told).tolist()),
    )


def with_details(events: Iterable[Event], details: Mapping[int, Details]) -> tuple[Event, ...]:
    """The events, births and ends, those of topics that `details` knows by their identity with what
    it says."""
    return tuple(
        replace(event, details=details[topic])
        if (topic := (*event.children, *event.parents)[0]) in details
        else event
        for event in events
    )


def with_openings(
    births: tuple[Event, ...],
    openings: Openings,
    labels: I64,
    known: I64,
    rows: I64,
    about: Callable[[int, int], tuple[int, Iterable[int]]],
) -> tuple[Event, ...]:
    """The births of topics with these `labels` int64 (number of births,), with their details.

    `known` int64 (K,): identities of the topics that were known before. `rows` int64 (S,): the
    documents of the mini-batch. `about` says of an opener and a place the document among these, and
    words as of `opened`.
    """
    if not births:
        return births
    id_of = dict(enumerate(known.tolist()))
    id_of |= {int(k): birth.children[0] for k, birth in zip(labels, births, strict=True)}
    told = {}
    for place in np.flatnonzero(np.isin(openings.label, labels)).tolist():
        labels_then = [k for k in openings.rivals[:, place].tolist() if k >= 0]
        rivals = np.array([id_of.get(k, -1) for k in labels_then], np.int64)
        document, words = about(int(openings.opener[place]), place)
        weighed = [*range(len(rivals)), RIVALS]
        prior, likelihood, meanfield = openings.logs[:, weighed, place]
        details = opened(rows[document], rivals, prior, likelihood, meanfield.__getitem__, words)
        alone = bool(openings.alone[place])
        told[id_of[int(openings.label[place])]] = replace(details, alone=alone)
    return with_details(births, told)


def last_to_leave(
    gone: I64, before: I64, after: I64, about: Callable[[int], tuple[int, tuple[int, ...]]]
) -> dict[int, Details]:
    """The details of every end, by identity.

    `gone` int64 (any number,): the topics that ended. `before` int64 (S,) and `after` int64 (S,):
    the identities of the topics where the documents or words of the block, in the order of their
    draws, sat before and after it; -1 before the first. `about` says of a place among these the
    document, a row of the texts, and the word if it is one.
    """
    told = {}
    for topic in gone.tolist():
        i = int(np.flatnonzero(before == topic)[-1])
        document, words = about(i)
        told[topic] = Details(document, words, (int(after[i]),), trial="last")
    return told
