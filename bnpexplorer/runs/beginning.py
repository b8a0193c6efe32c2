"""The topics of one run as the beginning of another, of any method and on any texts."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Union

import numpy as np

from ..core.arrays import F64, I64
from ..core.display import plural
from ..corpus.corpus import Corpus
from ..inference.start import GivenTopics
from ..state.snapshot import Topics

if TYPE_CHECKING:
    from .run import Run

Source = Union["Beginning", "Run", str, Path]
"""What a run can begin at: a run, the file of one, or what either left behind."""


@dataclass(frozen=True, eq=False)
class Beginning:
    """The K topics of a run that were in use, the largest first, over its own V words."""

    tokens: F64
    """float64 (K, V): what each held of every word, its prior apart."""
    vocab: tuple[str, ...]
    said: str
    """In words: the 43 topics of first.zip."""

    @classmethod
    def of(cls, source: Source, name: str = "") -> "Beginning":
        """What a run, or the file of one, has found; `name`: what it is called.

        Raises ValueError if it has found nothing, and what `Run.load` does for a file.
        """
        from .run import Run  # which can begin at one

        if isinstance(source, Beginning):
            return source
        if isinstance(source, (str, Path)):
            return cls.of(Run.load(source), name or Path(source).name)
        name, noun = name or source.name, source.method.model.noun
        tokens = tokens_of(source.snapshot().topics)
        if not (source.docs_seen and len(tokens)):
            raise ValueError(f"{name} has found no {noun}s yet, at which a run could begin.")
        return cls(tokens, source.corpus.vocab, f"the {plural(len(tokens), noun)} of {name}")

    @classmethod
    def of_run_begun(cls, given: GivenTopics, corpus: Corpus) -> "Beginning":
        """Where a run on `corpus` began."""
        return cls(given.tokens, corpus.vocab, given.said)

    def on(self, corpus: Corpus) -> GivenTopics:
        """The topics over the words of `corpus`, by what the words are; the others are left out.

        Raises ValueError if there is no word in common.
        """
        place = {word: w for w, word in enumerate(self.vocab)}
        known = np.array([place.get(word, -1) for word in corpus.vocab], np.int64)
        tokens = np.where(known >= 0, self.tokens[:, known], 0.0)
        some = tokens.sum(axis=1) > 0.0
        if not some.any():
            raise ValueError(f"No word of {corpus.name} occurs in {self.said}.")
        said = self.said if some.all() else f"{some.sum():,} of {self.said}"
        return GivenTopics(np.ascontiguousarray(tokens[some]), said)


def tokens_of(topics: Topics) -> F64:
    """What the topics in use hold of every word, largest first: float64 (K, V), no row empty."""
    return _held(topics, places_given(topics))


def places_given(topics: Topics) -> I64:
    """Where the topics of `tokens_of` stand: int64 (K,)."""
    used = topics.by_size[topics.in_use[topics.by_size]]
    return np.asarray(used[_held(topics, used).any(axis=1)])


def _held(topics: Topics, places: I64) -> F64:
    lam = topics.total[places, None] * topics.topic_word[places].astype(np.float64)
    return np.asarray(np.maximum(lam - topics.eta, 0.0))
