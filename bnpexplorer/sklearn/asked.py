"""From an estimator's parameters to a plan, in the estimator's words."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..methods import METHODS
from ..methods.base import Method
from ..methods.making import model_class
from ..runs.plan import Plan
from .given import seed_of

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
    """The plan of an estimator. Raises ValueError that names the parameter and what is allowed."""
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
