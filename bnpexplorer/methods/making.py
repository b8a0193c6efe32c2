"""Make a method from names and numbers, for the form, the command line and the tables."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..core.knob import knobs_of
from ..models.base import Model
from .base import Method


def model_class(method: type[Method]) -> type[Model]:
    """Return the model class of a method class."""
    return type(method().model)


def build(
    methods: Mapping[str, type[Method]],
    name: str,
    preset: str = "default",
    values: Mapping[str, Any] = {},
) -> Method:
    """Return the method `name` with a preset, then single `values` of its knobs or model's fields.

    Raises ValueError, which names the unknown method, preset or setting, or the value out of range.
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
    """Return the docs' table of methods."""
    rows = ["| method | model | inference | source |", "|---|---|---|---|"]
    for name, method in methods.items():
        model = model_class(method)
        rows.append(f"| `{name}` | {model.title} | {method.title} | {method.source} |")
    return "\n".join(rows)
