"""Check the input of an estimator: counts as scikit-learn checks them, threads, a seed.

From an estimator's parameters to a plan, in the estimator's words.
"""

import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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
from ..corpus.weighted import Weighted, is_whole, rounded
from ..inference.pool import Threads
from ..methods import METHODS
from ..methods.base import Method
from ..methods.making import model_class
from ..runs.plan import Plan


def corpus_of(estimator: Any, given: Any, whom: str, reset: bool, method: Method) -> Corpus:
    """Dense or sparse counts (D, V) as documents, of which some may have no word.

    Names of columns become the vocabulary. With `reset` the columns are learned, else compared.
    Amounts that are not whole stand as they are (`Weighted`) where the method `weighs` words; for
    others they are rounded (`corpus/weighted.py`) with a DataConversionWarning.

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


RENAMED = {"n_components": "n_topics", "max_iter": "passes", "random_state": "seed"}
"""What scikit-learn calls differently from our forms."""
OF_THE_RUN = {"batch_size", "max_iter", "total_samples", "n_jobs", "random_state"}
NO_SETTINGS = {"method", "preset", "knobs"} | OF_THE_RUN
"""Parameters that are no settings of a method or of its model."""


def methods_of(model: str) -> dict[str, type[Method]]:
    """Name -> method of a model, in the order of the registry."""
    return {name: kind for name, kind in METHODS.items() if model_class(kind).name == model}


def method_of(model: str, name: Any) -> type[Method] | None:
    """The method of a model with this name; None if there is none."""
    return methods_of(model).get(name) if isinstance(name, str) else None


def reads_streams(method: type[Method]) -> bool:
    """Whether it learns documents as they come, each mini-batch once."""
    return method.batching != "fixed"


def plan_of(estimator: Any, model: str) -> Plan:
    """Return the plan of an estimator. Raises ValueError, which names the parameter and the allowed
    values."""
    known = methods_of(model)
    if method_of(model, estimator.method) is None:
        raise ValueError(f"method must be one of {', '.join(known)}; got {estimator.method!r}.")
    seed = seed_of(estimator.random_state)
    with _in_its_words():
        return Plan.of(
            estimator.method,
            estimator.preset,
            _values(estimator),
            seed=seed,
            batch_size=estimator.batch_size,
            passes=estimator.max_iter,
        )


def _values(estimator: Any) -> dict[str, Any]:
    """Settings that were given, by their names in forms."""
    chosen = {
        RENAMED.get(name, name): value
        for name, value in estimator.get_params(deep=False).items()
        if name not in NO_SETTINGS and value is not None
    }
    others = {} if estimator.knobs is None else estimator.knobs
    if not isinstance(others, Mapping):
        raise ValueError(f"knobs must be a dict of settings by name; got {others!r}.")
    if twice := sorted(chosen.keys() & others.keys()):
        raise ValueError(f"Given twice, among knobs and beside them: {', '.join(twice)}.")
    return {**chosen, **others}


@contextmanager
def _in_its_words() -> Iterator[None]:
    """Faults of settings by the estimator's names for them."""
    try:
        yield
    except ValueError as problem:
        said = str(problem)
        for theirs, ours in RENAMED.items():
            said = re.sub(rf"\b{ours}\b", theirs, said)
        raise ValueError(said) from problem
