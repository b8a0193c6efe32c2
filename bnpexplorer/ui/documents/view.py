"""A run at the moment that the Documents page explores: names, words, and what it has learned."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import streamlit as st

from ...core.arrays import F64, Bools
from ...corpus.text import TextSettings
from ...evaluate import heaviest_words
from ...explore.documents import WordTopics, word_support, word_topics
from ...export.result import held_out_rows, learned_rows, parts
from ...runs.run import Run
from ...state.snapshot import Snapshot
from ..frame.server import Loaded
from ..frame.session import Shown


@dataclass(frozen=True)
class View:
    """A run as the page explores it."""

    shown: Shown
    snapshot: Snapshot
    loaded: Loaded

    @property
    def mixture(self) -> bool:
        return bool(self.shown.entry.background.run.method.model.mixture)

    @property
    def unit(self) -> str:
        """What a document has: topics, or a cluster it belongs to."""
        return "cluster" if self.mixture else "topic"

    def learned(self) -> Bools | None:
        """Which documents of the corpus the run had learned by this moment: bool (D,).

        None if the run does not tell: its texts were divided by a rule that is not ours.
        """
        return _parts(self.shown.entry.run_id, self.snapshot.docs_seen, self.run, self.loaded)[1]

    def part(self, row: int) -> str:
        """`learned`, `held out` or `not yet learned`; empty if the run does not tell."""
        run_id, docs_seen = self.shown.entry.run_id, self.snapshot.docs_seen
        held_out, learned = _parts(run_id, docs_seen, self.run, self.loaded)
        if held_out is None or learned is None:
            return ""
        return str(parts(held_out[row], learned[row]))

    @property
    def run(self) -> Run:
        """Read for its settings only."""
        run: Run = self.shown.entry.background.run
        return run

    @property
    def settings(self) -> TextSettings | None:
        """How the texts were cut into words."""
        return self.loaded.report.settings if self.loaded.report else None

    def index(self) -> Mapping[str, int]:
        """Word -> its place in the vocabulary."""
        return _index(self.shown.entry.run_id, self.loaded)

    def name(self, k: int, n: int = 3) -> str:
        """The name that a person gave to the topic at place k, or its heaviest words."""
        given = self.shown.entry.labels.names.get(int(self.snapshot.topics.topic_ids[k]))
        words = _top_words(self.shown.entry.run_id, self.snapshot.step, self.snapshot, self.loaded)
        return given or ", ".join(words[k][:n])

    def hint(self, identity: int) -> str:
        """A topic by its identity, in words."""
        if identity < 0:
            return "no topic seen so far"
        k = int(np.flatnonzero(self.snapshot.topics.topic_ids == identity)[0])
        return f"{self.unit} {identity}, {self.name(k)}"

    def words(self, theta: F64, words: list[int]) -> WordTopics:
        """The topic of each word of a document with proportions `theta`."""
        assign = word_support if self.mixture else word_topics
        return assign(self.snapshot.topics, theta, np.array(words, np.int64))

    def identity(self, k: int) -> int:
        return int(self.snapshot.topics.topic_ids[k]) if k >= 0 else -1


@st.cache_resource(show_spinner=False, max_entries=16)
def _parts(
    run_id: str, docs_seen: int, _run: Run, _loaded: Loaded
) -> tuple[Bools | None, Bools | None]:
    """Which documents are held out, and which were learned, each bool (D,)."""
    held_out = held_out_rows(_run, _loaded.corpus)
    return held_out, None if held_out is None else learned_rows(_run, held_out, docs_seen)


@st.cache_resource(show_spinner=False, max_entries=8)
def _top_words(
    run_id: str, step: int, _snapshot: Snapshot, _loaded: Loaded
) -> list[tuple[str, ...]]:
    """The heaviest words of every topic."""
    topics, vocab = _snapshot.topics, _loaded.corpus.vocab
    return [tuple(vocab[w] for w in heaviest_words(topics, k, 5)) for k in range(len(topics))]


@st.cache_resource(show_spinner=False, max_entries=8)
def _index(run_id: str, _loaded: Loaded) -> dict[str, int]:
    return {word: i for i, word in enumerate(_loaded.corpus.vocab)}
