"""Clusters or topics: which of two runs on the same texts predicts hidden words better, in words.

D held-out documents.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..claims.claim import MARGIN
from ..core.display import plural
from ..evaluate import score_by_document, split_of
from ..runs.run import Run
from .verdict import compared

ERRORS = 2.0
"""Standard errors within which a difference may be chance."""
LONG = 50
"""Words a text on average, from which clusters are many and small: of 209 clusters five sections of
news were made (168 words), of 92 messages on 89 subjects (7 words)."""


@dataclass(frozen=True)
class ModelsCompared:
    """Clusters and topics, scored alike."""

    topics: float
    """Log likelihood per hidden word, as in `clusters`."""
    clusters: float
    margin: float
    """What their difference must exceed: 0.01, or two standard errors over held-out documents."""
    n_heldout: int
    length: float
    """Words a text on average."""

    @property
    def better(self) -> str:
        """`clusters`, `topics`, or empty if neither is."""
        gain = self.clusters - self.topics
        return "" if abs(gain) <= self.margin else "clusters" if gain > 0 else "topics"

    @property
    def sentence(self) -> str:
        """Which predicts better, by how much, and what to do."""
        words = f"hidden words of {plural(self.n_heldout, 'held-out document')}"
        scores = {"clusters": self.clusters, "topics": self.topics}
        if not self.better:
            return (
                f"Clusters and topics predict the {words} equally well: {self.clusters:.3f} and "
                f"{self.topics:.3f} log likelihood per word, a difference within the margin of "
                f"{self.margin:.3f}. Take clusters if one group for each text is enough."
            )
        other = "topics" if self.better == "clusters" else "clusters"
        gain = scores[self.better] - scores[other]
        advice = "Use clusters for these texts." if self.better == "clusters" else "Keep topics."
        return (
            f"{self.better.capitalize()} predict the {words} {compared(gain, other)}: "
            f"{scores[self.better]:.3f} against {scores[other]:.3f} log likelihood per word, more "
            f"than the margin of {self.margin:.3f}. {advice}{self._caution}"
        )

    @property
    def _caution(self) -> str:
        if self.better == "topics" or self.length < LONG:
            return ""
        return (
            f" These texts are long ({self.length:.0f} words on average), so that clusters are "
            "many and small, and several may be on one subject."
        )


def alike(topics: Run, clusters: Run) -> bool:
    """Return whether these are topics and clusters of the same texts, scored on the same words."""
    if topics.method.model.mixture or not clusters.method.model.mixture:
        return False
    splits = [split_of(run.corpus, run.heldout) for run in (topics, clusters)]
    return topics.protocol == clusters.protocol and splits[0] == splits[1]


def trial_of(topics: Run, clusters: Run) -> ModelsCompared | None:
    """Hold a run of topics that is at rest against one of clusters that has ended.

    Returns None where there is no such pair, or where the two are not to be scored on the same
    words after learning the same texts.
    """
    held_out = topics.heldout
    if held_out is None or not clusters.done or not alike(topics, clusters):
        return None
    found = []
    for run in (topics, clusters):
        now = run.snapshot(with_kept=True)
        model = run.method.model
        found.append(score_by_document(model, now.topics, held_out, now.kept, run.pool))
    asked = held_out.hidden if held_out.by_word else held_out.whole
    lengths, n_docs = asked.doc_lengths, held_out.whole.n_docs
    total = float(lengths.sum())
    gain = float(found[1].sum() - found[0].sum()) / total
    # Of a ratio of sums over documents.
    left = found[1] - found[0] - gain * lengths
    error = math.sqrt(float(np.square(left).sum()) * n_docs / max(n_docs - 1, 1)) / total
    return ModelsCompared(
        float(found[0].sum()) / total,
        float(found[1].sum()) / total,
        max(MARGIN, ERRORS * error),
        n_docs,
        topics.corpus.n_tokens / topics.corpus.n_docs,
    )
