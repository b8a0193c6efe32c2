"""Name -> method: ours, and those that other installed packages offer.

Each of ours is imported when it is asked for. Another package offers a method by an entry point
of the group `bnpexplorer.methods`; these are imported when the registry first lists its names,
not when this module is: else a package that imports ours would be asked for its method before it
has one.
"""

import logging
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .base import Method

GROUP = "bnpexplorer.methods"
LOG = logging.getLogger(__name__)


class MethodRegistry(Mapping[str, "type[Method]"]):
    """Our methods in their order, and after them those from outside by name."""

    def __init__(self, ours: Mapping[str, str]) -> None:
        """`ours`: name -> "module:Class", the module as seen from this package."""
        self._places = dict(ours)
        self._ours: dict[str, type[Method]] = {}

    @cached_property
    def _outside(self) -> "dict[str, type[Method]]":
        found: dict[str, type[Method]] = {}
        for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
            try:
                method = _method_of(point)
                if method.name in found or method.name in self._places:
                    raise ValueError(f"there is a method {method.name!r} already")
            except Exception as problem:  # whatever another package's code may raise
                why = f"{type(problem).__name__}: {problem}"
                LOG.warning("The method %s (%s) is left out: %s.", point.name, point.value, why)
            else:
                found[method.name] = method
        return found

    def __getitem__(self, name: str) -> "type[Method]":
        if name not in self._places:
            return self._outside[name]
        if name not in self._ours:
            module, _, kind = self._places[name].partition(":")
            self._ours[name] = getattr(import_module(module, __package__), kind)
        return self._ours[name]

    def __contains__(self, name: object) -> bool:
        return name in self._places or name in self._outside

    def __iter__(self) -> Iterator[str]:
        return iter((*self._places, *self._outside))

    def __len__(self) -> int:
        return len(self._places) + len(self._outside)

    @property
    def ours(self) -> tuple[str, ...]:
        """Names of the methods of this package."""
        return tuple(self._places)


def _method_of(point: EntryPoint) -> "type[Method]":
    """The class behind an entry point. Raises whatever its package raises, TypeError or ValueError
    if it is no method."""
    from ..models import MODELS
    from .base import Method
    from .making import model_class

    method: type[Method] = point.load()
    if not isinstance(method, type) or not isinstance(method(), Method):
        raise TypeError("it is not a method as bnpexplorer/methods/base.py describes it")
    model = model_class(method)
    if MODELS.get(model.name) is not model:
        raise ValueError(f"its model {model.name!r} is none of {', '.join(MODELS)}")
    return method
