"""Name -> method: ours, and those that other installed packages offer.

Each of ours is imported when it is asked for. Another package offers a method by an entry point
of the group `bnpexplorer.methods`; these are imported when the registry first lists its names,
not when this module is: else a package that imports ours would be asked for its method before it
has one.

From names and numbers to a method: what the form, the command line and the tables share.
"""

import logging
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .base import Method
from dataclasses import replace
from typing import Any

from ..core.knob import knobs_of
from ..models.base import Model
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

    pass  # MERGED

    method: type[Method] = point.load()
    if not isinstance(method, type) or not isinstance(method(), Method):
        raise TypeError("it is not a method as bnpexplorer/methods/base.py describes it")
    model = model_class(method)
    if MODELS.get(model.name) is not model:
        raise ValueError(f"its model {model.name!r} is none of {', '.join(MODELS)}")
    return method


def model_class(method: type[Method]) -> type[Model]:
    """The model class of a method class."""
    return type(method().model)


def build(
    methods: Mapping[str, type[Method]],
    name: str,
    preset: str = "default",
    values: Mapping[str, Any] = {},
) -> Method:
    """The method `name` with a preset and then single `values` of its knobs or its model's fields.

    Raises ValueError that names the unknown method, preset or setting, or the value out of range.
    """
    if name not in methods:
        raise ValueError(f"There is no method {name!r}; choose from {', '.join(methods)}.")
    method = methods[name]()
    if preset not in method.presets:
        known = ", ".join(method.presets)
        raise ValueError(f"{name} has no preset {preset!r}; choose from {known}.")
    chosen = method.presets[preset]
    of_model = dict(chosen.model)
    of_method = dict(chosen.knobs)
    model_names = [n for n, _, _ in knobs_of(method.model)]
    method_names = [n for n, _, _ in knobs_of(method)]
    for key, value in values.items():
        if key in model_names:
            of_model[key] = value
        elif key in method_names:
            of_method[key] = value
        else:
            known = ", ".join(model_names + method_names)
            raise ValueError(f"{name} has no setting {key!r}; choose from {known}.")
    return replace(method, model=replace(method.model, **of_model), **of_method)


def markdown_table(methods: Mapping[str, type[Method]]) -> str:
    """The method table of the docs."""
    rows = ["| method | model | inference | source |", "|---|---|---|---|"]
    for name, method in methods.items():
        model = model_class(method)
        rows.append(f"| `{name}` | {model.title} | {method.title} | {method.source} |")
    return "\n".join(rows)
