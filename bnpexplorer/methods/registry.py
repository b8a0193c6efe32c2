"""Name -> method: ours, and those that other installed packages offer.

A package offers a method by an entry point of the group `bnpexplorer.methods`. They are imported
when the registry is first asked, not when this module is: else a package that imports ours would be
asked for its method before it has one.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points

from ..models import MODELS
from .base import Method
from .making import model_class

GROUP = "bnpexplorer.methods"
LOG = logging.getLogger(__name__)


class Registry(Mapping[str, type[Method]]):
    """Our methods in their order, and after them those from outside by name."""

    def __init__(self, ours: Sequence[type[Method]]) -> None:
        self._ours = {method.name: method for method in ours}

    @cached_property
    def _all(self) -> dict[str, type[Method]]:
        found = dict(self._ours)
        for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
            try:
                method = _method_of(point)
                if method.name in found:
                    raise ValueError(f"there is a method {method.name!r} already")
            except Exception as problem:  # whatever another package's code may raise
                why = f"{type(problem).__name__}: {problem}"
                LOG.warning("The method %s (%s) is left out: %s.", point.name, point.value, why)
            else:
                found[method.name] = method
        return found

    def __getitem__(self, name: str) -> type[Method]:
        return self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    @property
    def ours(self) -> tuple[str, ...]:
        """Names of the methods of this package."""
        return tuple(self._ours)


def _method_of(point: EntryPoint) -> type[Method]:
    """The class behind an entry point. Raises whatever its package raises, TypeError or ValueError
    if it is no method."""
    method: type[Method] = point.load()
    if not isinstance(method, type) or not isinstance(method(), Method):
        raise TypeError("it is not a method as bnpexplorer/methods/base.py describes it")
    model = model_class(method)
    if MODELS.get(model.name) is not model:
        raise ValueError(f"its model {model.name!r} is none of {', '.join(MODELS)}")
    return method
