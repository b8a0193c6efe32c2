"""The corpus of a run whose texts are not here: its size and its words, and empty documents."""

from dataclasses import dataclass, field

import numpy as np

from ...core.arrays import I64
from ..corpus import Corpus
from ..matrix import MAX_COUNT

GONE = (
    "The texts of this run are not here, so it cannot go on. Open it where its texts are, and go "
    "on there."
)


@dataclass(frozen=True, eq=False)
class AbsentCorpus(Corpus):
    """D documents without a token over V words. Pages draw the topics of a run on it; no method
    may learn it. Make one with `AbsentCorpus.of`."""

    totals: I64 = field(default_factory=lambda: np.zeros(0, np.int64))
    """int64 (V,): tokens of every word, as the file of the run says: for scores of word
    frequencies."""

    @classmethod
    def of(cls, name: str, n_docs: int, vocab: tuple[str, ...], totals: I64) -> "AbsentCorpus":
        """The corpus of this size. Raises ValueError if that is the size of no corpus."""
        if n_docs < 1 or not vocab or len(totals) != len(vocab):
            raise ValueError("its corpus has another size than a corpus may have")
        if not 0 <= totals.min() <= totals.max() <= MAX_COUNT:
            raise ValueError("its corpus has words of impossible counts")
        none = np.zeros(0, np.int32)
        return cls(np.zeros(n_docs + 1, np.int64), none, none, vocab, name=name, totals=totals)

    @property
    def word_totals(self) -> I64:
        return self.totals
