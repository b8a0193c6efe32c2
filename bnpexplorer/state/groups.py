"""Groups of topics count as one topic: what is published of the members becomes the group's.

K topics, of which a group keeps one row, that of the member it goes by; the rows of the others go.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from ..core.arrays import F32, I64, filled
from .snapshot import Frame, Topics

Groups = Mapping[int, tuple[int, ...]]
BLOCK = 16_384
"""Documents at once, so that what is needed beside the result stays small."""


def places(topic_ids: I64, groups: Groups) -> tuple[I64, I64]:
    """Which rows stay, int64 (L,), and to which of these each row counts, int64 (K,).

    A group whose first member is gone goes by the row of the first that is left; its identity is
    the first member's all the same.
    """
    row = {topic: k for k, topic in enumerate(topic_ids.tolist())}
    stands = np.arange(len(topic_ids))
    for first, rest in groups.items():
        there = [row[topic] for topic in (first, *rest) if topic in row]
        if there:
            stands[there] = there[0]
    kept, target = np.unique(stands, return_inverse=True)
    return kept.astype(np.int64), target.astype(np.int64)


def identities(topic_ids: I64, kept: I64, groups: Groups) -> I64:
    """The identities that the rows which stay go by: int64 (L,)."""
    group_of = {topic: first for first, rest in groups.items() for topic in rest}
    return np.array([group_of.get(i, i) for i in topic_ids[kept].tolist()], np.int64)


def sums(values: npt.NDArray[Any], target: I64, n: int) -> npt.NDArray[Any]:
    """Values of K topics along the last axis, added up for the `n` that stay; same type."""
    found = np.zeros((*values.shape[:-1], n), values.dtype)
    if len(target) == n:
        found[..., target] = values
    else:
        alone = np.bincount(target, minlength=n) == 1
        mine = alone[target]
        found[..., target[mine]] = values[..., mine]
        for place in np.flatnonzero(~alone):
            members = values[..., target == place]
            found[..., place] = members.sum(axis=-1, dtype=np.float64)
    return found


def grouped(topics: Topics, groups: Groups) -> Topics:
    """The topics with each group as one: sizes and weights added, words averaged by size."""
    kept, target = places(topics.topic_ids, groups)
    ids = identities(topics.topic_ids, kept, groups)
    if len(kept) == len(topics) and np.array_equal(ids, topics.topic_ids):
        return topics
    words = topics.topic_word[kept]
    for place in np.flatnonzero(np.bincount(target) > 1):
        members = np.flatnonzero(target == place)
        share = _shared_out(topics.size[members]).astype(np.float32)
        words[place] = share @ topics.topic_word[members]
    total, size, weight = (
        sums(part, target, len(kept)) for part in (topics.total, topics.size, topics.weight)
    )
    found = replace(topics, topic_word=words, total=total, size=size, weight=weight, topic_ids=ids)
    return found.over(topics.vocab, topics.counted)


def gathered(proportions: F32, topics: Topics, groups: Groups) -> F32:
    """Proportions (D, K) of the members added up: float32 (D, L), a column for each that stays."""
    kept, target = places(topics.topic_ids, groups)
    if len(kept) == len(topics):
        return proportions
    begins = range(0, len(proportions), BLOCK)
    parts = (sums(proportions[begin : begin + BLOCK], target, len(kept)) for begin in begins)
    return filled(len(proportions), len(kept), parts)


_FRAMES: WeakKeyDictionary[Frame, tuple[dict[int, tuple[int, ...]], Frame]] = WeakKeyDictionary()
"""Frame -> the groups it was last asked for, and what came of it: a run that learns publishes the
same frames every second."""


def grouped_frames(frames: tuple[Frame, ...], groups: Groups) -> tuple[Frame, ...]:
    """Frames with each group as one; of its words those that are heaviest among its members'."""
    if not groups:
        return frames
    found = []
    for frame in frames:
        known = _FRAMES.get(frame)
        if known is None or known[0] != groups:
            known = _FRAMES[frame] = dict(groups), _grouped_frame(frame, groups)
        found.append(known[1])
    return tuple(found)


def _grouped_frame(frame: Frame, groups: Groups) -> Frame:
    kept, target = places(frame.topic_ids, groups)
    ids = identities(frame.topic_ids, kept, groups)
    word_ids, word_probs = frame.word_ids[kept], frame.word_probs[kept]
    for place in np.flatnonzero(np.bincount(target, minlength=len(kept)) > 1):
        members = np.flatnonzero(target == place)
        share = _shared_out(frame.weight[members])
        words, where = np.unique(frame.word_ids[members], return_inverse=True)
        probs = np.bincount(where.ravel(), (share[:, None] * frame.word_probs[members]).ravel())
        top = np.argsort(-probs, kind="stable")[: word_ids.shape[1]]
        word_ids[place], word_probs[place] = words[top], probs[top]
    weight = sums(frame.weight, target, len(kept))
    return replace(frame, topic_ids=ids, weight=weight, word_ids=word_ids, word_probs=word_probs)


def _shared_out(sizes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Sizes as shares of their sum; even ones where that is nothing."""
    total = float(sizes.sum())
    return sizes / total if total > 0.0 else np.full(len(sizes), 1.0 / len(sizes))
