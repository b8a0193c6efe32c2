"""How common one word is over time, of the documents or of the words."""

import numpy as np

from ..corpus.corpus import Corpus
from .choosing import with_word
from .columns import lengths_of
from .over_documents import Prevalence, prevalence
from .periods import Period


def word_trend(corpus: Corpus, word: int, period: Period, of_words: bool) -> Prevalence:
    """The share of the words that are this one, or of the documents that use it, by period.

    One column. Raises ValueError if no document has a date.
    """
    dates = corpus.docs.date
    if dates is None:
        raise ValueError("No document has a date that could be read.")
    used, units = with_word(corpus, word), corpus.units
    if not of_words:
        return prevalence(used.astype(np.float64)[:, None], dates, period, units=units)
    lengths = lengths_of(corpus).astype(np.float64)
    share = np.zeros(corpus.n_docs)
    share[used] = corpus.counts[corpus.word_ids == word] / lengths[used]
    return prevalence(share[:, None], dates, period, lengths, units=units)
