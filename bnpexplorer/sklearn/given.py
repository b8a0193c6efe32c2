"""What an estimator is given: counts checked as scikit-learn checks them, threads, a seed."""

import warnings
from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_non_negative, validate_data

from ..core.arrays import I32, I64
from ..core.environment import usual_threads
from ..corpus.corpus import Corpus, CorpusError
from ..corpus.matrix import Array, compressed, fault_of_totals
from ..corpus.rounding import is_whole, rounded
from ..corpus.weighted import Weighted
from ..inference.pool import Threads
from ..methods import METHODS
from ..methods.base import Method
from ..methods.making import model_class


def corpus_of(estimator: Any, given: Any, whom: str, reset: bool, method: Method) -> Corpus:
    """Dense or sparse counts (D, V) as documents, of which some may have no word.

    Names of columns become the vocabulary. With `reset` the columns are learned, else compared.
    Amounts that are not whole stand as they are (`Weighted`) where the method `weighs` words; for
    others they are rounded (`corpus/rounding.py`) with a DataConversionWarning.

    Raises ValueError or TypeError as scikit-learn's own estimators do, and CorpusError, a
    ValueError, if there are more words than a corpus can hold.
    """
    checked = validate_data(estimator, given, reset=reset, accept_sparse="csr")
    check_non_negative(checked, whom)
    (_, n_words), indptr, word_ids, amounts = compressed(checked)
    names = getattr(estimator, "feature_names_in_", None)
    vocab = tuple(f"word {w}" for w in range(n_words)) if names is None else tuple(names)
    kind: type[Corpus] = Corpus
    if not is_whole(amounts):
        if method.weighs:
            kind, amounts = Weighted, np.asarray(amounts, np.float64)
        else:
            _say_rounded(whom, method)
            indptr, word_ids, amounts = _rounded(indptr, word_ids, amounts)
    if wrong := fault_of_totals(indptr, word_ids, amounts, vocab):
        raise CorpusError(wrong)
    return kind(indptr, word_ids, amounts, vocab)


def _say_rounded(whom: str, method: Method) -> None:
    alike = [kind for kind in METHODS.values() if model_class(kind) is type(method.model)]
    weigh = [kind.name for kind in alike if kind.weighs]
    warnings.warn(
        f"{whom} with {method.name} places word by word, and some amounts are not whole: each row "
        "was rounded, its sum to the nearest whole number and its amounts by largest remainders. "
        f"Multiply weights first where that is too coarse, or choose {', '.join(weigh)}, which "
        "learn them as they stand.",
        DataConversionWarning,
        stacklevel=4,
    )


def _rounded(indptr: I64, word_ids: I32, amounts: Array) -> tuple[I64, I32, I64]:
    """Documents in whole counts; words of which none is left vanish."""
    counts = rounded(indptr, np.asarray(amounts, np.float64))
    kept = counts > 0
    return np.append(0, np.cumsum(kept))[indptr], word_ids[kept], counts[kept]


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
