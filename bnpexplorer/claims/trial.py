"""What a trial is, and what it finds."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from ..corpus.corpus import Corpus
from ..runs.choices import Order

UNLIMITED = 10_000
"""Passes of a trial that ends when its time is over."""
OUR_START = (("start", "k-means"), ("sticks_start", "topics"), ("local_start", "greedy"))
"""Values of hdp-svi that a preset of a paper has otherwise; the first is lda-svi's too."""


@dataclass(frozen=True)
class Trial:
    """One method with one setting and one seed: a point of the paper's picture."""

    line: str
    """The line of the picture that it belongs to."""
    x: float
    """Its place on the picture's horizontal axis."""
    method: str
    seed: int
    batch_size: int = 256
    preset: str = "default"
    values: tuple[tuple[str, Any], ...] = ()
    order: Order = "shuffled"
    batch_tokens: int = 0
    """Where not 0, how many tokens a mini-batch has, in place of `batch_size` documents: a batch of
    100 paragraphs holds a thirtieth of the words of a batch of 100 scientific papers."""
    passes: int = UNLIMITED
    """At which it ends, unless its time is over sooner."""

    @property
    def batch(self) -> str:
        """The size of a mini-batch, in words."""
        if self.batch_tokens:
            return f"{self.batch_tokens:,} tokens"
        return f"{self.batch_size:,} documents"

    def docs_per_batch(self, corpus: Corpus) -> int:
        """The size of a mini-batch of `corpus`; `batch_tokens` counts on its mean length."""
        if not self.batch_tokens:
            return self.batch_size
        return max(1, round(self.batch_tokens * corpus.n_docs / corpus.n_tokens))

    @property
    def key(self) -> str:
        """A name that no other trial has; a field that is added later leaves it as it was."""
        usual = {f.name: f.default for f in fields(self)}
        return json.dumps({k: v for k, v in asdict(self).items() if v != usual[k]})


@dataclass(frozen=True)
class TrialOutcome:
    """How a trial went, at each of its moments."""

    docs_seen: tuple[int, ...] = ()
    seconds: tuple[float, ...] = ()
    scores: tuple[float, ...] = ()
    topics: tuple[int, ...] = ()
    """Topics in use."""
    words: tuple[Mapping[str, str], ...] = ()
    """Identity -> ten heaviest words, of the twenty largest topics, the largest first."""
    coherence: tuple[float, ...] = ()
    """Mean NPMI of those topics in the training texts."""
    scalars: tuple[Mapping[str, float], ...] = ()
    """The method's own series."""
    memory: tuple[int, ...] = ()
    """Bytes of the state and of the texts that the method needs at hand."""
    unigram: tuple[float, ...] = ()
    """The score of word frequencies alone on the same documents; not in findings of old."""
    passes: tuple[float, ...] = ()
    """How often the texts had been read, all passes planned where it has converged; not in findings
    of old."""
    sizes: tuple[Mapping[str, float], ...] = ()
    """Identity -> tokens that it holds (documents, of a mixture), of the topics in `words`; not in
    findings of old."""

    @property
    def converged(self) -> bool:
        """Whether it ended by itself before its time was over: more of it would change nothing."""
        return bool(self.passes) and self.passes[-1] >= UNLIMITED


Findings = Mapping[Trial, TrialOutcome]
