"""From names and numbers to a method: what the form, the command line and the tables share."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from ..core.knob import knobs_of
from .base import Preset


def model_class(method: type) -> Any:
    """The model class of a method class."""
    return type(next(f.default for f in fields(method) if f.name == "model"))


def build(
    methods: Mapping[str, Any], name: str, preset: str = "default", values: Mapping[str, Any] = {}
) -> Any:
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


SMALL_CORPUS_DOCUMENTS = 30_000
"""Documents that a small corpus should be read for in all: 1,000 documents need some 30 passes
until truncation-free inference has its bars apart (distance 0.1 on average; 0.3 after 4 passes)."""


def suggested_passes(preset_name: str, preset: Preset, n_docs: int) -> int:
    """The preset's passes; our own presets read a small corpus more often, 40 times at most."""
    if preset_name != "default":
        return preset.passes
    return max(preset.passes, min(40, -(-SMALL_CORPUS_DOCUMENTS // n_docs)))


def markdown_table(methods: Mapping[str, Any]) -> str:
    """The method table of the README."""
    rows = ["| method | model | inference | source |", "|---|---|---|---|"]
    for name, method in methods.items():
        model = model_class(method)
        rows.append(f"| `{name}` | {model.title} | {method.title} | {method.source} |")
    return "\n".join(rows)
