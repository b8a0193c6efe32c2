"""How common one word is over time, of the documents or of the words."""

import numpy as np

from ..corpus.corpus import Corpus
from .columns import lengths_of, uses_of
from .over_documents import Prevalence, prevalence
from .periods import Period


def word_trend(corpus: Corpus, word: int, period: Period, of_words: bool) -> Prevalence:
    """The share of the words that are this one, or of the documents that use it, by period.

    One column. Raises ValueError if no document has a date.
    """
    dates = corpus.docs.date
    if dates is None:
        raise ValueError("No document has a date that could be read.")
    (rows, often), units = uses_of(corpus, word), corpus.units
    share = np.zeros(corpus.n_docs)
    if not of_words:
        share[rows] = 1.0
        return prevalence(share[:, None], dates, period, units=units)
    lengths = lengths_of(corpus).astype(np.float64)
    share[rows] = often / lengths[rows]
    return prevalence(share[:, None], dates, period, lengths, units=units)
