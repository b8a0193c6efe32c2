"""What an estimator is given: counts checked as scikit-learn checks them, threads, a seed."""

import warnings
from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_non_negative, validate_data

from ..core.environment import usual_threads
from ..corpus.corpus import Corpus, CorpusError
from ..corpus.matrix import compressed, fault_of_totals
from ..corpus.rounding import is_whole, rounded
from ..inference.pool import Threads


def corpus_of(estimator: Any, given: Any, whom: str, reset: bool) -> Corpus:
    """Dense or sparse counts (D, V) as documents, of which some may have no word.

    Names of columns become the vocabulary. With `reset` the columns are learned, else compared.
    Amounts that are not whole are rounded (`corpus/rounding.py`) with a DataConversionWarning.

    Raises ValueError or TypeError as scikit-learn's own estimators do, and CorpusError, a
    ValueError, if there are more words than a corpus can hold.
    """
    checked = validate_data(estimator, given, reset=reset, accept_sparse="csr")
    check_non_negative(checked, whom)
    (_, n_words), indptr, word_ids, amounts = compressed(checked)
    names = getattr(estimator, "feature_names_in_", None)
    vocab = tuple(f"word {w}" for w in range(n_words)) if names is None else tuple(names)
    if is_whole(amounts):
        counts = amounts
    else:
        warnings.warn(
            f"{whom} counts words, and some amounts are not whole: each row was rounded, its sum "
            "to the nearest whole number and its amounts by largest remainders. Multiply weights "
            "first where that is too coarse.",
            DataConversionWarning,
            stacklevel=3,
        )
        counts = rounded(indptr, np.asarray(amounts, np.float64))
        kept = counts > 0
        indptr = np.append(0, np.cumsum(kept))[indptr]
        word_ids, counts = word_ids[kept], counts[kept]
    if wrong := fault_of_totals(indptr, word_ids, counts, vocab):
        raise CorpusError(wrong)
    return Corpus(indptr, word_ids, counts, vocab)


def with_words(docs: Corpus, whom: str) -> Corpus:
    """The documents that have a word. Raises CorpusError if none has."""
    filled = np.diff(docs.indptr) > 0
    if not filled.any():
        raise CorpusError(f"{whom} was given no row with a single word; give counts above 0.")
    return docs if filled.all() else docs.take(filled)


def seed_of(random_state: Any) -> int:
    """The seed of a run: a whole number stands for itself; else one is drawn.

    Raises ValueError if it is none of what scikit-learn takes.
    """
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def threads_of(n_jobs: Any) -> Threads:
    """A pool, to be closed: None is one thread, -1 all cores, -2 all but one.

    Raises ValueError for 0 and for what is no whole number.
    """
    if n_jobs is None:
        return Threads(1)
    if not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(
            f"n_jobs must be a whole number other than 0, or None; got {n_jobs!r}. It is how many "
            "threads fit documents, -1 for one a core."
        )
    n = int(n_jobs)
    return Threads(n if n > 0 else max(usual_threads() + 1 + n, 1))


def refuse(whom: str, extra: Mapping[str, Any]) -> None:
    """Raise TypeError for whatever `fit` and its like do not know; sample weights by a sentence."""
    for name, value in extra.items():
        if name != "sample_weight":
            raise TypeError(f"{whom}() got an unexpected keyword argument {name!r}")
        if value is not None:
            raise TypeError(
                f"{whom}() takes no sample_weight: a document counts by its words. Repeat rows "
                "that shall count more."
            )
