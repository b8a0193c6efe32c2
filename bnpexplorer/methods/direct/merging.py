"""Merge, in burn-in, topics that a start left in two, and split broad ones.

A chain that starts from many topics keeps several of one subject for thousands of passes, since
single tokens move between topics by a random walk. Here the pairs of topics most alike in words,
and those most alike in documents, are compared and merged if one topic is the likelier explanation
(`kernels.topic_merges`).
"""

import numpy as np
from scipy import sparse

from ...core.arrays import F64, I32, I64
from ...corpus.corpus import Corpus
from ...kernels.topic_merges import gains_of_joining
from ...kernels.tuples import Tokens
from ...state.snapshot import Event
from .moves import replace_topics, seat_new
from .state import State

NEAREST = 5
"""Topics with which each topic is compared, by words and again by documents."""


def merge_alike(state: State, corpus: Corpus, rng: np.random.Generator) -> tuple[Event, ...]:
    """Merge the pairs that gain most, each topic at most once, and draw tables of the unions."""
    words = np.repeat(corpus.word_ids, corpus.counts)
    tokens, topic = state.tokens, state.tokens.topic
    pairs = alike(state, corpus, words)
    members = np.argsort(topic, kind="stable")
    starts = np.searchsorted(topic[members], np.arange(len(tokens.count) + 1))
    gains = gains_of_joining(
        pairs,
        Tokens(tokens.doc_start, words),
        members,
        starts,
        state.weight,
        state.alpha,
        state.gamma,
        tokens.eta,
        corpus.n_words,
    )
    events, n_ids, joined = [], state.n_ids, set[int]()
    for r in np.argsort(-gains, kind="stable").tolist():
        a, b = pairs[r].tolist()
        if gains[r] <= 0.0:
            break
        if joined.isdisjoint((a, b)):
            joined |= {a, b}
            both = np.sort(np.concatenate([members[starts[k] : starts[k + 1]] for k in (a, b)]))
            events.append(replace_topics(state, "merge", [both], [1.0], float(gains[r])))
    if events:
        tokens.count_words(words)
        seat_new(state, n_ids, rng)
    return tuple(events)


def alike(state: State, corpus: Corpus, words: I32) -> I64:
    """Return pairs of slots in use, int64 (R, 2): each with those most alike by cosine."""
    used, topic = np.flatnonzero(state.tokens.count), state.tokens.topic
    doc = np.repeat(np.arange(corpus.n_docs, dtype=np.int32), corpus.doc_lengths)
    found = set[tuple[int, int]]()
    for key, n_keys in ((words, corpus.n_words), (doc, corpus.n_docs)):
        cosine = _cosines(topic, key, (len(state.weight), n_keys))[np.ix_(used, used)]
        np.fill_diagonal(cosine, -1.0)
        for i, row in enumerate(cosine):
            for j in np.argsort(-row, kind="stable")[: min(NEAREST, len(used) - 1)].tolist():
                found.add((int(used[min(i, j)]), int(used[max(i, j)])))
    return np.array(sorted(found), np.int64).reshape(-1, 2)


def _cosines(topic: I32, key: I32, shape: tuple[int, int]) -> F64:
    """Return the cosines of the counts of `key` in every slot, float64 (cap, cap)."""
    counts = sparse.coo_array((np.ones(len(topic)), (topic, key)), shape).tocsr()
    alike = np.asarray((counts @ counts.T).toarray(), np.float64)
    norms = np.sqrt(np.maximum(alike.diagonal(), 1e-300))
    return np.asarray(alike / np.outer(norms, norms))
