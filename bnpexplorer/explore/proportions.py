"""Topic proportions of a whole corpus under fixed topics.

The proportions of a whole corpus, read by a thread on its share of the cores.
"""

from collections.abc import Callable, Iterator

import numpy as np

from ..core.arrays import F32, F64, filled
from ..corpus.corpus import Corpus
from ..inference.cores import cores
from ..inference.pool import Pool
from ..models import Model
from ..state.snapshot import Topics
from .working import Working

BLOCK = 2048
"""Documents folded in at once, so that what is needed beside the result stays small."""


def doc_topic(
    model: Model,
    topics: Topics,
    corpus: Corpus,
    pool: Pool | None = None,
    tell: Callable[[int], None] | None = None,
) -> F32:
    """Expected proportions of all documents: float32 (D, K); what is missing to 1 is unseen.

    By the model's `fold_in`, the same for all methods; for mixtures q(z = k | document). The result
    does not depend on `pool`; `tell` hears how many documents are done. Of many documents it lies
    on the disk (`core/arrays.py`). Raises ValueError if topics and corpus differ in their words,
    and OSError if there is no room.
    """
    if topics.topic_word.shape[1] != corpus.n_words:
        raise ValueError(
            f"The topics have {topics.topic_word.shape[1]:,} words but the corpus has "
            f"{corpus.n_words:,}."
        )
    if not len(topics):
        return np.zeros((corpus.n_docs, 0), np.float32)

    def blocks() -> Iterator[F64]:
        n_read = 0
        for docs in corpus.without_text().chunks(BLOCK):
            yield model.fold_in(topics, docs, pool)
            n_read += docs.n_docs
            if tell is not None:
                tell(n_read)

    return filled(corpus.n_docs, len(topics), blocks())


class FoldingIn(Working[F32]):
    """`doc_topic` under way; `found` float32 (D, K), read-only, comes when all are read."""

    title = "folding in"

    def __init__(self, model: Model, topics: Topics, corpus: Corpus) -> None:
        self._model, self._topics, self._corpus = model, topics, corpus
        self.n_docs, self.n_read = corpus.n_docs, 0
        super().__init__()

    def _work(self) -> None:
        def tell(n_read: int) -> None:
            self.n_read = n_read

        self.found = doc_topic(self._model, self._topics, self._corpus, cores(), tell)
