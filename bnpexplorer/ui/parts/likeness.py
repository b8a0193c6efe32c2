"""How the topics of a run lie to each other: computed once a moment, and ahead of who will ask."""

from dataclasses import dataclass

import streamlit as st

from ...core.arrays import F64
from ...corpus import Corpus
from ...evaluate import heaviest_words, npmi, topics_covering
from ...explore.filler import DocumentSample, filler, sample
from ...explore.likeness import Map, Pair, classical_scaling, jensen_shannon, near_duplicates
from ...state.moment import Moment
from ...state.snapshot import Topics
from ..frame import access, server
from ..frame.session import RunOnPage
from .explore import ahead

MOST = 200
"""Topics that are compared with each other at most, the largest."""


@dataclass(frozen=True, eq=False)
class Likeness:
    """How the topics that hold nearly everything lie to each other; rows as in `ids`."""

    ids: list[int]
    map: Map
    distances: F64
    pairs: list[Pair]


@st.cache_resource(show_spinner=False, max_entries=16)
def likeness_at(at: tuple[str, int], _topics: Topics) -> Likeness:
    """Of the topics that together hold 99 %: smaller ones are little more than their prior."""
    rows = _topics.by_size[: min(topics_covering(_topics), MOST)]
    distances = jensen_shannon(_topics.topic_word[rows])
    top = [heaviest_words(_topics, int(k), 10).tolist() for k in rows]
    ids: list[int] = _topics.topic_ids[rows].tolist()
    return Likeness(ids, classical_scaling(distances), distances, near_duplicates(distances, top))


@st.cache_resource(show_spinner=False, max_entries=16)
def coherence_at(at: tuple[str, int], _topics: Topics, _corpus: Corpus) -> dict[int, float]:
    """NPMI of the largest topics by identity, over all documents of the corpus."""
    rows = _topics.by_size[:MOST]
    values = npmi(_topics.topic_word[rows], _corpus)
    return dict(zip(_topics.topic_ids[rows].tolist(), values.tolist(), strict=True))


def duplicates_of(moment: Moment) -> int:
    """How many topics have a near-duplicate among the others, without those that are unseen."""
    like, unseen = likeness_at(moment.at, moment.topics), moment.labels.unseen
    pairs = [(like.ids[pair.first], like.ids[pair.second]) for pair in like.pairs]
    return len({topic for pair in pairs if not unseen & {*pair} for topic in pair})


def filler_of(moment: Moment) -> frozenset[int]:
    """The topics in use that are filler, by identity; a group as the one that it counts as."""
    return _filler_at(moment.at, moment)


@st.cache_resource(show_spinner=False, max_entries=16)
def _filler_at(at: tuple[str, int], _moment: Moment) -> frozenset[int]:
    return filler(_moment, _sample_at(_moment.folded_at, _moment))


@st.cache_resource(show_spinner=False, max_entries=16)
def _sample_at(at: tuple[str, int], _moment: Moment) -> DocumentSample:
    return sample(_moment)


def compare_ahead(shown: RunOnPage) -> None:
    """Compare the topics before somebody opens this page: half a second for 200."""
    snapshot, counted = shown.entry.background.latest, access.counts_of(shown.entry)
    if snapshot is None or not len(snapshot.topics) or counted is None:
        return

    def compare() -> None:
        if shown.entry.background.latest is not snapshot:  # somebody goes on, step by step
            return
        moment = server.moment_of(shown.entry, snapshot)
        likeness_at(moment.at, moment.topics)
        coherence_at(moment.at, moment.topics, counted.corpus)
        filler_of(moment)

    ahead(shown, compare)
