"""Topic proportions of a whole corpus under fixed topics."""

from collections.abc import Callable

import numpy as np

from ..core.arrays import F32
from ..corpus.corpus import Corpus
from ..inference.pool import Pool
from ..models import Model
from ..state.snapshot import Topics

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
    does not depend on `pool`; `tell` hears how many documents are done. Raises ValueError if topics
    and corpus differ in their words.
    """
    if topics.topic_word.shape[1] != corpus.n_words:
        raise ValueError(
            f"The topics have {topics.topic_word.shape[1]:,} words but the corpus has "
            f"{corpus.n_words:,}."
        )
    proportions = np.zeros((corpus.n_docs, len(topics)), np.float32)
    if not len(topics):
        return proportions
    for start in range(0, corpus.n_docs, BLOCK):
        rows = np.arange(start, min(start + BLOCK, corpus.n_docs))
        proportions[rows] = model.fold_in(topics, corpus.take(rows), pool)
        if tell is not None:
            tell(start + len(rows))
    return proportions
