"""What a comparison says of each run, which runs may be compared, and where settings differ.

Runs are compared on one ground only: the same texts (equal vocabulary and word totals), the same
held-out documents and the same protocol. Others are left out, and the reason is said.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..corpus.corpus import Corpus
from ..evaluate import PROTOCOLS, effective_topics, npmi, split_of, unigram_score
from ..runs.run import Run
from ..state.moment import Moment
from ..state.snapshot import Snapshot
from .settings import differing, settings_of

LARGEST = 20
"""Topics whose coherence is averaged: the largest ones, as in studies of claims."""


@dataclass(frozen=True)
class Ground:
    """What held-out scores depend on beside the run: on equal grounds runs can be compared."""

    corpus: str
    """The corpus's name."""
    n_docs: int
    """Documents of the whole corpus, before the split."""
    n_heldout: int
    texts: str
    """A hash of the vocabulary and of how often each word occurs: equal whatever the split."""
    split: str
    """A hash of what is learned and of what is held out."""
    protocol: str
    """A key of `PROTOCOLS`, "stream", or empty where nothing is scored."""
    unigram: float = float("nan")
    """The score of word frequencies on it; nan where nothing is held out."""


def ground_of(run: Run) -> Ground:
    """The ground that a run stands on."""
    parts = [run.corpus]
    if run.heldout is not None:
        parts.append(run.heldout.whole)
    totals = sum(_word_totals(part) for part in parts)
    digest = hashlib.sha256(np.asarray(totals, dtype=np.int64).tobytes())
    digest.update("\0".join(run.corpus.vocab).encode())
    n_heldout = sum(part.n_docs for part in parts[1:])
    return Ground(
        run.corpus.name,
        run.corpus.n_docs + n_heldout,
        n_heldout,
        digest.hexdigest()[:16],
        split_of(run.corpus, run.heldout),
        run.protocol,
        unigram_score(run.corpus, run.heldout) if run.heldout else float("nan"),
    )


def _word_totals(corpus: Corpus) -> Any:
    return corpus.word_totals.astype(np.float64)


def protocol_title(protocol: str) -> str:
    """The protocol in words."""
    if protocol in PROTOCOLS:
        return PROTOCOLS[protocol].title
    return "each mini-batch before it is learned" if protocol else "not scored"


def why_apart(one: Ground, other: Ground) -> str:
    """Why scores of two runs say nothing about each other; empty if they can be compared."""
    if one.texts != other.texts:
        same_name = f"other texts or words of {other.corpus}"
        what = same_name if one.corpus == other.corpus else f"another corpus: {other.corpus}"
        return f"{what} ({other.n_docs:,} documents)"
    if one.protocol != other.protocol:
        return f"scored by another protocol: {protocol_title(other.protocol)}"
    if one.split != other.split:
        if one.n_heldout != other.n_heldout:
            return f"another split: {other.n_heldout:,} documents held out, not {one.n_heldout:,}"
        return "another split: other documents are held out (the run's seed chooses them)"
    return ""


@dataclass(frozen=True, eq=False)
class Compared:
    """One run, live or saved, as a comparison sees it."""

    moment: Moment
    name: str
    method: str
    status: str
    ground: Ground
    settings: Mapping[str, Any]
    """Seed, batch size, passes, order, and every knob of the method and its model."""
    coherence: float = float("nan")
    """Mean NPMI of the largest topics in the texts learned (nan: not computed)."""

    @property
    def run_id(self) -> str:
        return self.moment.run_id

    @property
    def snapshot(self) -> Snapshot:
        return self.moment.snapshot

    @property
    def heldout(self) -> float:
        """The last held-out score (nan: none yet)."""
        score = self.snapshot.heldout
        return float("nan") if score is None else score

    @property
    def pace(self) -> float:
        """Documents learned in a second (nan before the first)."""
        seconds = self.snapshot.seconds
        return self.snapshot.docs_seen / seconds if seconds > 0 else float("nan")

    def facts(self) -> dict[str, Any]:
        """Column -> value of the comparison's table, without the settings."""
        moment, docs_seen = self.moment, self.snapshot.docs_seen
        return {
            "run": self.name,
            "method": self.method,
            "held-out": self.heldout,
            "documents": docs_seen,
            "passes": docs_seen / moment.docs_in_pass,
            "seconds": self.snapshot.seconds,
            "documents/s": self.pace,
            "topics in use": len(moment.in_use),
            "effective topics": effective_topics(moment.topics),
            "coherence": self.coherence,
            "memory, MB": self.snapshot.memory / 2**20,
            "status": self.status,
        }


def compared(
    run: Run, moment: Moment, name: str, status: str, coherence: float = float("nan")
) -> Compared:
    """What a comparison needs of a run at a moment; reads nothing else that a step changes."""
    ground, settings = ground_of(run), settings_of(run)
    return Compared(moment, name, run.method.name, status, ground, settings, coherence)


def coherence_of(run: Run, moment: Moment) -> float:
    """Mean NPMI of the twenty largest topics in the texts that the run learns; nan without any."""
    topics = moment.topics
    if not len(topics):
        return float("nan")
    largest = topics.by_size[:LARGEST]
    return float(npmi(topics.topic_word[largest], run.corpus).mean())


def table_of(rows: Sequence[Compared], all_settings: bool = False) -> list[dict[str, Any]]:
    """Rows of a table, the best held-out score first: facts, then settings.

    Settings that differ stand first and are marked with ≠; the others only where `all_settings`.
    """
    apart, equal = differing([row.settings for row in rows]) if rows else ([], [])
    names = {name: f"≠ {name}" for name in apart}
    names |= {name: name for name in equal} if all_settings else {}
    # A score that is not there yet comes last.
    ranked = sorted(rows, key=lambda row: -row.heldout if row.heldout == row.heldout else np.inf)
    return [
        row.facts() | {words: row.settings.get(name) for name, words in names.items()}
        for row in ranked
    ]


def sort_by_ground(
    rows: Sequence[Compared], ground: Ground
) -> tuple[list[Compared], list[tuple[Compared, str]]]:
    """Runs that can be compared on `ground`, and the others with the reason."""
    inside, outside = [], []
    for row in rows:
        why = why_apart(ground, row.ground)
        if why:
            outside.append((row, why))
        else:
            inside.append(row)
    return inside, outside


def in_words(value: Any) -> str:
    """A number as it is worth reading; nothing for what is missing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
