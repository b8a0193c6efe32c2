"""No setting of a method is without effect: with another value it learns or tells otherwise."""

from functools import cache
from typing import Any

import pytest

from bnpexplorer.checks.expecting import bars, known
from bnpexplorer.core.knob import knobs_of
from bnpexplorer.methods import METHODS, make_method
from bnpexplorer.runs.run import Run

pytestmark = pytest.mark.second

PASSES = {"shuffled": 3, "fixed": 7, "once": 1}
"""Batch methods learn concentrations in the sixth for the first time."""
BASE: dict[str, Any] = {
    "n_topics": 5,
    "truncation": 6,
    "doc_truncation": 3,
    "burn_in": 1,
    "thin": 1,
    "n_kept": 3,
    "n_start": 6,
    "start_passes": 2,
    "start_docs": 20,
    "kept_sweeps": 2,
    "sweeps": 2,
    "particles": 20,
    "start_topics": 6,
    "spare": 4,
}
OTHER: dict[str, Any] = {
    "gamma": 17.0,
    "alpha": 0.7,
    "eta": 0.35,
    "n_topics": 6,
    "truncation": 7,
    "doc_truncation": 2,
    "start_length": 40.0,
    "bound_tolerance": 1.0,
    "tolerance": 1.0,
    "max_iterations": 1,
    "tau": 3.0,
    "kappa": 0.9,
    "burn_in": 6,
    "thin": 2,
    "n_kept": 1,
    "n_start": 2,
    "start_size": 3,
    "start_passes": 4,
    "start_docs": 40,
    "moves": 30,
    "merge_passes": 0,
    "start_per_root": 1,
    "alpha_rate": 5.0,
    "spare": 9,
    "draw": "poisson",
    "keep": 2,
    "kept_sweeps": 3,
    "alone": 1.0,
    "prune_every": 15,
    "start_topics": 3,
    "sweeps": 3,
    "mu": 0.3,
    "base_gamma": 0.5,
    "particles": 4,
    "splits": 0,
    "merges": 0,
    "parts": 2,
    "max_topics": 2,
}
"""Of numbers, and of what would be chosen anyway; of others the choice that comes next."""
MANY, OPENS = {"start": "many"}, {"start_topics": 0, "gamma": 20.0, "eta": 0.5}
NEEDS: dict[str, dict[str, Any]] = {
    "n_start": MANY,
    "start_size": MANY | {"n_start": 500},
    "start_passes": MANY,
    "start_per_root": MANY | {"n_start": 500},
    "start_docs": MANY,
    "start_length": {"start": "k-means"},
    "alpha_rate": {"learn_alpha": True},
    "kappa": {"tau": 1.0},
    "bound_tolerance": {"n_start": 1, "max_topics": 1},
    "new_topic_word": OPENS,
    "warm_new": OPENS,
    "parts": {"n_start": 1},
    "max_topics": {"n_start": 1},
    "splits": {"n_start": 1},
    "merges": {"n_start": 25, "start": "random"},
}
"""What must be set so that a setting matters at all, where the method has it."""


@cache
def told(name: str, settings: tuple[tuple[str, Any], ...]) -> tuple[Any, ...]:
    """What a run shows and reports after every step, and what it averages over at the end."""
    method = make_method(name, "default", dict(settings))
    passes = 18 if name == "hdp-splitmerge" else PASSES[method.batching]
    run, seen = Run(method, bars(40), seed=3, batch_size=15, passes=passes), []
    while not run.done:
        run.step()
        topics = method.topics(run.state)
        seen.append((topics.topic_word.tobytes(), topics.weight.tobytes(), repr(run.latest_info)))
    return tuple(seen), tuple(t.topic_word.tobytes() for _, t in method.kept(run.state))


def possible(name: str, values: dict[str, Any]) -> dict[str, Any]:
    """Those of the `values` that the method knows, and whose choice it has."""
    choices = {knob: about.choices for knob, _, about in knobs_of(METHODS[name]())}
    there = known(name, values).items()
    return {knob: value for knob, value in there if value in (choices.get(knob) or [value])}


def another(default: Any, about: Any, knob: str) -> Any:
    if knob in OTHER:
        return OTHER[knob]
    if isinstance(default, bool):
        return not default
    return about.choices[(about.choices.index(default) + 1) % len(about.choices)]


CASES = [
    (name, knob)
    for name in METHODS.ours
    for owner in (METHODS[name]().model, METHODS[name]())
    for knob, _, _ in knobs_of(owner)
]


@pytest.mark.parametrize(("name", "knob"), CASES)
def test_another_value_leads_elsewhere(name, knob):
    base = possible(name, BASE | NEEDS.get(knob, {}))
    method = make_method(name, "default", base)
    owner = method if hasattr(method, knob) else method.model
    (about,) = (about for known_as, _, about in knobs_of(owner) if known_as == knob)
    other = another(getattr(owner, knob), about, knob)
    assert getattr(owner, knob) != other
    ours, theirs = (tuple(sorted(v.items())) for v in (base, base | {knob: other}))
    without_effect = told(name, ours) == told(name, theirs)
    assert not without_effect, f"{knob} of {name} might as well be {other}"
