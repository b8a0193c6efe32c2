"""Which topics of two runs, or of two moments of one run, are the same; which split or merged.

Distances are Jensen-Shannon distances (the root of the divergence in bits: 0 equal, 1 no word in
common). Topics are matched one to one so that the sum of distances is smallest. Then, by one rule
for splits (one topic of the first side, several of the second) and for merges (the other way):

- Topics gather at the one topic of the other side that is nearest to them, within `FAR`.
- Of those, the nearest counts as a part; each further one, the nearest first, counts if mixing it
  in, by size, brings the mixture nearer to the one by `GAIN` or more, or if it is itself nearer
  than `near` and within `TIE` of the nearest (twins).
- With two parts or more it is a split (or a merge). Where two of them want the same topic, the one
  that gains more has it.

What is left is matched where the assigned pair is nearer than `near`, and unmatched otherwise.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from ..core.arrays import F32, F64, I64
from ..evaluate import topics_covering
from ..explore.likeness import jensen_shannon
from ..state.snapshot import Frame, Topics

NEAR = 0.7
"""A pair at this distance has about half of its words' mass in common."""
FAR, GAIN, TIE = 0.8, 0.03, 0.05
MOST = 200
"""Topics of a side that are aligned at most."""


@dataclass(frozen=True, eq=False)
class Side:
    """The topics of one run at one moment, the largest first."""

    topic_ids: I64
    topic_word: F32
    """float32 (K, V), rows sum to 1."""
    size: F64
    """float64 (K,): tokens, documents or shares; only ratios matter."""


@dataclass(frozen=True)
class Group:
    """One topic of one side and its parts on the other, as rows of the two sides."""

    one: int
    parts: tuple[int, ...]
    distance: float
    """Of the parts' mixture to the one."""
    gain: float
    """How much nearer that is than the nearest part alone."""


@dataclass(frozen=True, eq=False)
class Alignment:
    """How the topics of two sides correspond; numbers are rows of `Side`."""

    distances: F64
    """float64 (K, L)."""
    pairs: I64
    """int64 (min(K, L), 2): the optimal assignment, near or not."""
    matched: tuple[tuple[int, int], ...]
    """Assigned pairs that are near, the nearest first."""
    splits: tuple[Group, ...]
    """One topic of the first side, its parts on the second."""
    merges: tuple[Group, ...]
    """One topic of the second side, its parts on the first."""
    only_first: tuple[int, ...]
    only_second: tuple[int, ...]

    def order(self) -> tuple[I64, I64]:
        """Rows and columns so that what belongs together lies along the diagonal."""
        blocks: list[tuple[float, Sequence[int], Sequence[int]]] = [
            (float(self.distances[i, j]), (i,), (j,)) for i, j in self.matched
        ]
        blocks += [(g.distance, (g.one,), g.parts) for g in self.splits]
        blocks += [(g.distance, g.parts, (g.one,)) for g in self.merges]
        blocks.sort(key=lambda block: block[0])
        first = [i for _, rows, _ in blocks for i in rows]
        second = [j for _, _, columns in blocks for j in columns]
        first += self.only_first
        second += self.only_second
        return np.array(first, np.int64), np.array(second, np.int64)


def side_of_topics(topics: Topics) -> Side:
    """The largest topics that together hold 99 %, at most `MOST`, the largest first.

    Of each the words that it learned, without what the prior gives to every word: two topics that
    hold next to nothing are otherwise alike, however different their few words.
    """
    n = min(topics_covering(topics), MOST)
    largest = topics.by_size[:n]
    rows = topics.topic_word[largest]
    learned = np.maximum(rows * topics.total[largest, None].astype(np.float32) - topics.eta, 0.0)
    held = learned.sum(axis=1, keepdims=True)
    rows = np.where(held > 0.0, learned / np.where(held > 0.0, held, 1.0), rows)
    return Side(topics.topic_ids[largest], rows.astype(np.float32), topics.size[largest])


def side_of_frame(frame: Frame, words: I64) -> Side:
    """The topics at a moment of a run's past, of which only the heaviest words are kept.

    Over `words` (ascending ids, every word of the frame among them); rows are shares of what is
    kept. All the rest as one word would be three quarters of every topic of real texts, so that
    strangers would lie at 0.48 of each other and count as matched.
    """
    rows = np.zeros((len(frame.topic_ids), len(words)), np.float32)
    np.put_along_axis(rows, np.searchsorted(words, frame.word_ids), frame.word_probs, axis=1)
    held = rows.sum(axis=1, keepdims=True)
    rows = np.where(held > 0.0, rows / np.where(held > 0.0, held, 1.0), np.float32(1 / len(words)))
    largest = np.argsort(-frame.weight, kind="stable")[:MOST]
    largest = largest[frame.weight[largest] > 0.0]
    return Side(frame.topic_ids[largest], rows[largest], frame.weight[largest])


def align(first: Side, second: Side, near: float = NEAR) -> Alignment:
    """How the topics of two sides correspond, by the rule above.

    Raises ValueError if the sides have different vocabularies or one has no topics.
    """
    a, b = first.topic_word, second.topic_word
    if a.shape[1] != b.shape[1]:
        raise ValueError(
            f"Topics over {a.shape[1]:,} and over {b.shape[1]:,} words cannot be aligned; choose "
            "runs of the same corpus, with the same words."
        )
    if not len(a) or not len(b):
        raise ValueError("There are no topics yet on one side; choose a later moment.")
    distances = jensen_shannon(a, b)
    rows, columns = linear_sum_assignment(distances)
    splits = _groups(distances, first, second, near)
    merges = _groups(distances.T, second, first, near)
    splits, merges = _without_conflicts(splits, merges)
    taken_first = {g.one for g in splits} | {i for g in merges for i in g.parts}
    taken_second = {g.one for g in merges} | {j for g in splits for j in g.parts}
    matched = [
        (int(i), int(j))
        for i, j in zip(rows, columns, strict=True)
        if distances[i, j] < near and i not in taken_first and j not in taken_second
    ]
    matched.sort(key=lambda pair: distances[pair])
    taken_first |= {i for i, _ in matched}
    taken_second |= {j for _, j in matched}
    return Alignment(
        distances,
        np.stack([rows, columns], axis=1).astype(np.int64),
        tuple(matched),
        tuple(splits),
        tuple(merges),
        tuple(i for i in range(len(a)) if i not in taken_first),
        tuple(j for j in range(len(b)) if j not in taken_second),
    )


def _groups(distances: F64, ones: Side, others: Side, near: float) -> list[Group]:
    """Every topic of `ones` that several of `others` make up; `distances` (ones, others)."""
    nearest = distances.argmin(axis=0)
    found = []
    for one in range(len(distances)):
        gathered = np.flatnonzero((nearest == one) & (distances[one] < FAR))
        if len(gathered) >= 2:
            group = _group(
                one, gathered[np.argsort(distances[one, gathered])], distances, ones, others, near
            )
            if len(group.parts) >= 2:
                found.append(group)
    return found


def _group(one: int, gathered: I64, distances: F64, ones: Side, others: Side, near: float) -> Group:
    """The parts among those gathered, the nearest first."""
    target = ones.topic_word[one : one + 1]
    first = int(gathered[0])
    parts, best = [first], float(distances[one, first])
    for other in gathered[1:]:
        trial = [*parts, int(other)]
        share = (others.size[trial] / others.size[trial].sum()).astype(np.float32)
        mixed = float(jensen_shannon(target, (share @ others.topic_word[trial])[None, :])[0, 0])
        alone = float(distances[one, other])
        twin = alone < near and alone - float(distances[one, first]) <= TIE
        if mixed <= best - GAIN or twin:
            parts, best = trial, mixed
    return Group(one, tuple(parts), best, float(distances[one, first]) - best)


def _without_conflicts(splits: list[Group], merges: list[Group]) -> tuple[list[Group], list[Group]]:
    """No topic in two groups: the one that gains more has it."""
    candidates = [(g, False) for g in splits] + [(g, True) for g in merges]
    candidates.sort(key=lambda pair: -pair[0].gain)
    taken: tuple[set[int], set[int]] = (set(), set())
    kept: tuple[list[Group], list[Group]] = ([], [])
    for group, is_merge in candidates:
        ones, parts = (taken[1], taken[0]) if is_merge else taken
        if group.one not in ones and not parts & set(group.parts):
            ones.add(group.one)
            parts |= set(group.parts)
            kept[is_merge].append(group)
    return kept
