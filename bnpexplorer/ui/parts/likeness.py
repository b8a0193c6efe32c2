"""How the topics of a run lie to each other: computed once a moment, and ahead of who will ask."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from ...core.arrays import F64, I64
from ...evaluate import heaviest_words, npmi, topics_covering
from ...explore.duplicates import Pair, duplicates
from ...explore.kinship import Tree, tree
from ...explore.likeness import Map, classical_scaling, jensen_shannon
from ...state.moment import Moment
from ...state.snapshot import Topics
from ...state.words import without_words
from ..frame import access, server
from ..frame.session import RunOnPage
from .explore import ahead

APART = 0.95
"""Topics so far from each other (1: no word in common) are not near, whatever lies between."""
MOST = 200
"""Topics that are compared with each other at most, the largest."""


@dataclass(frozen=True, eq=False)
class Likeness:
    """How the topics that hold nearly everything lie to each other; rows as in `ids`."""

    ids: list[int]
    map: Map
    distances: F64
    pairs: list[Pair]

    def nearest(self, topic: int, among: Collection[int]) -> list[tuple[int, float]]:
        """Return the two topics of `among` that lie nearest to a topic and are not `APART` from it,
        with their distances; none for a topic that is not in `ids`."""
        if topic not in self.ids:
            return []
        there = {*among} - {topic}
        found = zip(self.ids, self.distances[self.ids.index(topic)].tolist(), strict=True)
        near = [(other, far) for other, far in found if other in there and far < APART]
        return sorted(near, key=lambda one: one[1])[:2]


def likeness_at(moment: Moment) -> Likeness:
    """Of the topics that together hold 99 %: smaller ones are little more than their prior."""
    return moment.derived("likeness", lambda: _compare(moment.topics))


def _compare(topics: Topics) -> Likeness:
    rows = topics.by_size[: min(topics_covering(topics), MOST)]
    distances = jensen_shannon(topics.topic_word[rows])
    top = [heaviest_words(topics, int(k), 10).tolist() for k in rows]
    ids: list[int] = topics.topic_ids[rows].tolist()
    pairs = duplicates(_words_of(topics, rows), distances, top)
    return Likeness(ids, classical_scaling(distances), distances, pairs)


def _words_of(topics: Topics, rows: I64) -> I64:
    """Return the tokens of every word in these topics, rounded: int64 (K, V)."""
    lam = topics.total[rows, None] * topics.topic_word[rows].astype(np.float64)
    return np.rint(np.maximum(lam - topics.eta, 0.0)).astype(np.int64)


def tree_at(moment: Moment) -> Tree:
    """Join the topics of `likeness_at` that are seen, hold a word and are no filler: a second for
    150 topics."""
    telling = set(moment.telling())
    seen = [i for i in likeness_at(moment).ids if i in telling]

    def work() -> Tree:
        counts = _words_of(moment.topics, np.array([moment.row[i] for i in seen], np.int64))
        held = np.flatnonzero(counts.sum(axis=1))
        return tree([seen[k] for k in held], counts[held])

    return moment.derived(("tree", tuple(seen)), work)


COHERENCE = ("coherence",)
"""The key of the derived value that `coherence_at` computes; `worked_out` keeps it."""


def coherence_at(moment: Moment) -> dict[int, float]:
    """Compute the NPMI of the largest topics by identity, over all documents of the corpus; nan
    where a topic has no words."""
    rows = moment.topics.by_size[:MOST]
    values = npmi(moment.topics.topic_word[rows], moment.corpus)
    values[without_words(moment.topics)[rows]] = np.nan
    return dict(zip(moment.topics.topic_ids[rows].tolist(), values.tolist(), strict=True))


def duplicates_of(moment: Moment) -> int:
    """How many topics could be one with another, without those that are unseen."""
    like, unseen = likeness_at(moment), moment.labels.unseen
    pairs = [(like.ids[pair.first], like.ids[pair.second]) for pair in like.pairs]
    return len({topic for pair in pairs if not unseen & {*pair} for topic in pair})


def compare_ahead(shown: RunOnPage) -> None:
    """Compare the topics before somebody opens this page: half a second for 200."""
    snapshot, counted = shown.entry.background.latest, access.counts_of(shown.entry)
    if snapshot is None or not len(snapshot.topics) or counted is None:
        return

    def compare() -> None:
        if shown.entry.background.latest is not snapshot:  # somebody goes on, step by step
            return
        moment = server.moment_of(shown.entry, snapshot)
        likeness_at(moment)
        moment.derived(COHERENCE, lambda: coherence_at(moment))
        moment.telling()

    ahead(shown, compare)
