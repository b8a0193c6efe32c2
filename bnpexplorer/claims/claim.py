"""What a claim is: its trials, what they find, and the verdict by a rule over seeds."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Protocol

import plotly.graph_objects as go

from ..corpus.corpus import Corpus
from ..runs.choices import Order

MARGIN = 0.01
"""Differences of held-out scores below this mean nothing."""


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
    passes: int = 10_000
    """The most; the trial's time is usually over sooner."""

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
class Outcome:
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


Findings = Mapping[Trial, Outcome]


@dataclass(frozen=True)
class Verdict:
    """`holds`, `does not hold` or `undecided`, and a sentence that says by which numbers."""

    outcome: str
    sentence: str


@dataclass(frozen=True)
class Picture:
    """A figure of the paper, drawn with our numbers."""

    title: str
    figure: Callable[[bool, int], go.Figure]
    """Dark theme and the size of the letters in pixels -> figure."""
    look: str = ""
    """What to look for in it, and what its marks mean."""


class Experiment(Protocol):
    """What a study tries: a paper's claim, or a sweep over settings that somebody asked for."""

    @property
    def name(self) -> str:
        """Begins the name of the file of findings."""
        ...

    @property
    def title(self) -> str: ...

    @property
    def trials(self) -> Callable[[int], list[Trial]]:
        """Seeds -> all trials, seed by seed."""
        ...

    @property
    def pictures(self) -> Callable[[Findings], list[Picture]]: ...

    @property
    def protocol(self) -> str:
        """How held-out documents are scored; empty: as usual for the model."""
        ...

    @property
    def orders(self) -> bool:
        """Whether the places on the axis are orders of reading the same texts."""
        ...

    @property
    def one_split(self) -> bool:
        """Whether all seeds are tested on the same documents; else every seed on its own."""
        ...


@dataclass(frozen=True)
class Claim:
    """What a paper says, how to try it, and how to tell whether it holds."""

    name: str
    title: str
    source: str
    statement: str
    rule: str
    """How the verdict is found, in words."""
    trials: Callable[[int], list[Trial]]
    """Seeds -> all trials of the whole picture, seed by seed."""
    verdict: Callable[[Findings], Verdict]
    pictures: Callable[[Findings], list[Picture]]
    protocol: str = ""
    """How held-out documents are scored; empty: as usual for the model."""
    orders: bool = False
    """Whether the places on the axis are orders of reading the same texts."""
    one_split: bool = False
    """Verdicts compare within a seed, so that documents that are hard to predict cancel out."""


def decide(*conditions: Sequence[float]) -> str:
    """The verdict over seeds. Each condition has one number a seed, positive if it supports.

    Holds if every number of every condition is above its noise; does not hold if some condition's
    numbers are all below; undecided otherwise, or with fewer than two seeds.
    """
    if not conditions or any(len(numbers) < 2 for numbers in conditions):
        return "undecided"
    if all(number > MARGIN for numbers in conditions for number in numbers):
        return "holds"
    if any(all(number < -MARGIN for number in numbers) for numbers in conditions):
        return "does not hold"
    return "undecided"


def judged(conditions: Sequence[Sequence[float]], sentence: str) -> Verdict:
    """The verdict by `decide`, with its sentence where all its numbers are there."""
    if not all(conditions) or re.search(r"\bnan\b", sentence):
        return Verdict("undecided", "Too few trials have ended.")
    return Verdict(decide(*conditions), re.sub(r"(?<!\w)-(?=\d)", "\u2212", sentence))
