"""Start a run from the topics of another, with any method and any texts."""

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
"""What a run can start from: a run, the file of one, or the topics of either."""


@dataclass(frozen=True, eq=False)
class Beginning:
    """The K topics of a run that were in use, the largest first, over its own V words."""

    tokens: F64
    """float64 (K, V): tokens of every word in each topic, without the prior."""
    vocab: tuple[str, ...]
    said: str
    """As text, for example "the 43 topics of first.zip"."""

    @classmethod
    def of(cls, source: Source, name: str = "") -> "Beginning":
        """Return the topics that a run, or the file of one, has found; `name` is its name in texts.

        Raises ValueError if it has found none, and what `Run.load` raises for a file.
        """
        from .run import Run  # which can begin at one

        if isinstance(source, Beginning):
            return source
        if isinstance(source, (str, Path)):
            return cls.of(Run.load(source), name or Path(source).name)
        name, noun = name or source.name, source.method.model.noun
        tokens = tokens_of(source.snapshot().topics)
        if not (source.docs_seen and len(tokens)):
            raise ValueError(f"{name} has no {noun}s yet, so no run can start from it.")
        return cls(tokens, source.corpus.vocab, f"the {plural(len(tokens), noun)} of {name}")

    @classmethod
    def of_run_begun(cls, given: GivenTopics, corpus: Corpus) -> "Beginning":
        """Return the topics from which a run on `corpus` began."""
        return cls(given.tokens, corpus.vocab, given.said)

    def on(self, corpus: Corpus) -> GivenTopics:
        """Return the topics over the vocabulary of `corpus`, without words that it lacks.

        Raises ValueError if no word is shared.
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
    """Return float64 (K, V): tokens of the topics in use, largest first, without empty rows."""
    return _held(topics, places_given(topics))


def places_given(topics: Topics) -> I64:
    """Return int64 (K,): the indices of the topics of `tokens_of`."""
    used = topics.by_size[topics.in_use[topics.by_size]]
    return np.asarray(used[_held(topics, used).any(axis=1)])


def _held(topics: Topics, places: I64) -> F64:
    lam = topics.total[places, None] * topics.topic_word[places].astype(np.float64)
    return np.asarray(np.maximum(lam - topics.eta, 0.0))
