"""What a method says of itself."""

import dataclasses
import re
import typing
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np

from ..core.knob import knobs_of
from ..export.citations import papers_of
from ..methods import METHODS, Method, make_method
from ..plots.style import LIGHT
from ..state.invariants import Must
from .expecting import bars, expect, small


def describes_itself(name: str) -> None:
    method = METHODS[name]()
    expect(isinstance(method, Method), "it lacks something that `methods/base.py` asks for")
    expect(method.name == name, f"it calls itself {method.name!r}")
    expect(bool(type(method).__doc__), "its class has no docstring")
    expect(bool(re.search(r"\b(19|20)\d\d\b", method.source)), "its source names no year")
    expect(method.batching in ("shuffled", "fixed", "once"), f"batching is {method.batching!r}")
    expect(method.kind in ("mean field", "sampler", "particles"), f"kind is {method.kind!r}")
    expect(method.colour in range(len(LIGHT)), f"colour is {method.colour}")
    expect("default" in method.presets, 'it has no preset "default"')
    for preset in method.presets:
        make_method(name, preset)
    try:
        method.model = None  # type: ignore[misc, assignment]
    except FrozenInstanceError:
        return
    expect(False, "it is not frozen")


def describes_its_knobs(name: str) -> None:
    method = METHODS[name]()
    described = [*knobs_of(method), *knobs_of(method.model)]
    expect(bool(described), "it has no knobs")
    for knob, default, about in described:
        expect(about.help.endswith("."), f"the help of {knob} is no sentence")
        bounded = about.choices or isinstance(default, bool) or about.low is not None
        expect(bool(bounded), f"{knob} has neither choices nor a range")


def names_its_papers(name: str) -> None:
    method = METHODS[name]
    papers = papers_of(method)
    expect(bool(papers), "it names no paper")
    for paper in papers:
        family = paper.authors[0].split(",")[0]
        there = re.search(rf"\b{re.escape(family)}\b[^;]*\b{paper.year}\b", method.source)
        expect(bool(there), f"its source does not name {family} {paper.year}")


def refuses_values_out_of_range(name: str) -> None:
    method = METHODS[name]()
    for knob, _, about in [*knobs_of(method), *knobs_of(method.model)]:
        wrong: list[Any] = [] if about.low is None else [about.low - 1]
        wrong += ["no such choice"] if about.choices else []
        for value in wrong:
            try:
                make_method(name, "default", {knob: value})
            except ValueError as problem:
                expect(knob in str(problem), f"the refusal of a wrong {knob} does not name it")
            else:
                expect(False, f"it takes {value!r} for {knob}")


def declares_its_state(name: str) -> None:
    missing = undeclared(METHODS[name].state_type)
    expect(not missing, f"{', '.join(missing)} say nothing of what they must satisfy")


def undeclared(kind: type) -> list[str]:
    """Fields with arrays, all the way down, that say nothing of their shape."""
    missing = []
    for name, hint in typing.get_type_hints(kind, include_extras=True).items():
        inside = _parts(hint)
        for part in inside:
            if dataclasses.is_dataclass(part) and isinstance(part, type):
                missing += undeclared(part)
        has_array = any(typing.get_origin(part) is np.ndarray for part in inside)
        if has_array and not any(isinstance(part, Must) and part.axes for part in inside):
            missing.append(f"{kind.__qualname__}.{name}")
    return missing


def _parts(hint: Any) -> list[Any]:
    """A type and everything that stands in its brackets."""
    return [hint, *(part for inside in typing.get_args(hint) for part in _parts(inside))]


def estimates_its_memory(name: str) -> None:
    method = small(name)
    few, many = method.memory(bars(30)), method.memory(bars(300))
    expect(isinstance(few, int) and few >= 0, f"the estimate is {few!r}")
    expect(many >= few, "ten times as many documents are said to need less")
