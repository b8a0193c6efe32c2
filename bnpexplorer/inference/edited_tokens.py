"""Topics of tokens changed by hand: where the tokens of merged, divided and deleted topics go.

What comes out is a start like any other of a sampler's chain. Nothing else is changed: counts are
made anew from the tokens.
"""

from dataclasses import replace

import numpy as np

from ..core.arrays import F64, I32, I64
from ..kernels.topic_moves import SCANS, divide, log_ratio
from ..kernels.tuples import Parts
from ..state.snapshot import Event
from .assignments import Assignments

TRIES = 10
"""Divisions of a topic of which the best is taken. Of the words of two topics that were merged (the
small sample, five pairs, ten seeds) one division puts 7 % on the wrong side, the best of three 2 %,
of ten 0.8 %."""
CHUNK = 4096
"""Tokens of deleted topics that are drawn at once."""


def reseated(tokens: Assignments, topic: I32, words: I32, n_slots: int) -> Assignments:
    """The tokens in other slots, counted anew; shares nothing that changes with `tokens`.

    `topic` int32 (N,): the slot of every token; `words` int32 (N,): its word.
    """
    edited = replace(tokens, topic=topic, count=np.bincount(topic, minlength=n_slots))
    edited.renew(tokens.eta)
    edited.count_words(words)
    return edited


def second_part(
    tokens: Assignments, words: I32, slot: int, mass: float, rng: np.random.Generator
) -> I64:
    """Two subjects in the topic of `slot`: the places of the tokens of the smaller one, int64 (M,).

    The best of `TRIES` divisions by the probability of words and topics. Each grows from two of the
    topic's tokens, of different words where there are any, by the scans and the draw of a proposal
    to split (`kernels.topic_moves.divide`). `words` int32 (N,): of every token. `mass`: what a
    document gives to both parts together beside its own tokens.
    """
    members = np.flatnonzero(tokens.topic == slot)
    if len(members) < 2:
        raise ValueError("This topic holds one word in one place; there is nothing to divide.")
    word = words[members]
    doc = np.searchsorted(tokens.doc_start, members, side="right")
    first = np.concatenate(([0], np.flatnonzero(np.diff(doc)) + 1, [len(members)]))
    best, second = -np.inf, np.zeros(0, np.bool_)
    for _ in range(TRIES):
        parts = Parts(first, word, np.zeros(len(word), np.bool_), np.zeros((tokens.n_words, 2)))
        divide(parts, _seeds(word, rng), mass, tokens.eta, SCANS, True, rng)
        value = log_ratio(parts, mass, 0.5, tokens.eta)
        if value > best:
            best, second = value, parts.second
    smaller = 2 * int(second.sum()) <= len(second)
    return members[second] if smaller else members[~second]


def _seeds(word: I32, rng: np.random.Generator) -> tuple[int, int]:
    """Places of two tokens among those of `word` int32 (M,), M > 1."""
    one = int(rng.integers(len(word)))
    others = np.flatnonzero(word != word[one])
    if not len(others):
        others = np.delete(np.arange(len(word)), one)
    return one, int(rng.choice(others))


def dealt_out(
    tokens: Assignments, words: I32, gone: I64, base: F64, rng: np.random.Generator
) -> I32:
    """The slots of all tokens, int32 (N,), those of the topics `gone` int64 (any number,) being
    drawn among the others.

    Slot k with the probability (n_dk + base_k) (n_kw + eta) / (n_k + V eta), the sampler's own,
    where counts are those of the tokens that stay; those that move do not wait for each other. Only
    topics in use take them. `words` int32 (N,): of every token. `base` float64 (cap,): what a
    document gives to every slot beside its own tokens.
    """
    used = np.flatnonzero(tokens.count > 0)
    to = used[~np.isin(used, gone)]
    beta = tokens.topic_word(to)
    column = np.full(len(tokens.count), -1)
    column[to] = np.arange(len(to))
    at = column[tokens.topic]
    moved = np.flatnonzero(at < 0)
    topic, start = tokens.topic.copy(), tokens.doc_start
    for i in range(0, len(moved), CHUNK):
        places = moved[i : i + CHUNK]
        doc = np.searchsorted(start, places, side="right") - 1
        first, last = doc[0], doc[-1]
        span = slice(start[first], start[last + 1])
        owner = np.repeat(np.arange(last - first + 1), np.diff(start[first : last + 2]))
        stay = at[span] >= 0
        n_doc = np.zeros((last - first + 1, len(to)))
        np.add.at(n_doc, (owner[stay], at[span][stay]), 1.0)
        running = np.cumsum((n_doc[doc - first] + base[to]) * beta[:, words[places]].T, axis=1)
        u = rng.random(len(places)) * running[:, -1]
        drawn = np.minimum((running <= u[:, None]).sum(axis=1), len(to) - 1)
        topic[places] = to[drawn]
    return topic


def merge_event(topics: tuple[int, ...], into: int) -> Event:
    return Event("merge", topics, (into,))


def split_event(topic: int, part: int) -> Event:
    return Event("split", (topic,), (topic, part))
