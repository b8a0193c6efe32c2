"""The settings of runs, by name and in words, where they differ, and names that tell runs apart.

Runs of one method are named by what differs ("hdp-svi batch size 64"), two settings at most, knobs
first; what nothing tells apart gets a number.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import count
from typing import Any

from ..core.knob import knobs_of, label_of
from ..methods import METHODS
from ..methods.base import Method

BATCH_SIZE = "batch_size"
OF_RUNS = (BATCH_SIZE, "passes", "order", "seed")
"""What is chosen beside the knobs of model and method."""
MOST_NAMED = 2
"""Settings in the name of a run at most."""


def settings_of(run: Any) -> dict[str, Any]:
    """Everything that was chosen: seed, batch size, passes, order, knobs of model and method.

    Of a `Run`, or of whatever else has these and a `method`.
    """
    found = {name: getattr(run, name) for name in ("seed", BATCH_SIZE, "passes", "order")}
    for owner in (run.method.model, run.method):
        found |= {name: getattr(owner, name) for name, _, _ in knobs_of(owner)}
    return found


def sweepable(method: Method) -> list[str]:
    """Settings of a method that have a number: batch size, model's, method's."""
    found = [BATCH_SIZE]
    for owner in (method.model, method):
        for name, default, _ in knobs_of(owner):
            if isinstance(default, (int, float)) and not isinstance(default, bool):
                found.append(name)
    return found


@cache
def _words() -> dict[str, str]:
    owners = [owner for method in METHODS.values() for owner in (method(), method().model)]
    return {
        name: label_of(name, about).lower()
        for owner in owners
        for name, _, about in knobs_of(owner)
    }


def word_of(name: str) -> str:
    """A setting's name as it stands in a sentence: `batch size`."""
    return _words().get(name, name.replace("_", " "))


def differing(settings: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    """Names of settings that differ between runs, and of those that are equal in all.

    A setting that some runs do not have (another method's knob) differs.
    """
    names = list(dict.fromkeys(name for one in settings for name in one))
    missing = object()
    apart = [
        name
        for name in names
        if any(s.get(name, missing) != settings[0].get(name) for s in settings)
    ]
    return apart, [name for name in names if name not in apart]


def told_apart(names: Sequence[str], settings: Sequence[Mapping[str, Any]]) -> list[str]:
    """The runs' names; those that are equal with the settings in which these runs differ.

    At most `MOST_NAMED` of them, knobs first and the seed last; what is still equal gets a number,
    so that no two are alike.
    """
    found = []
    for name, mine in zip(names, settings, strict=True):
        apart, _ = differing([s for n, s in zip(names, settings, strict=True) if n == name])
        apart.sort(key=lambda key: OF_RUNS.index(key) + 1 if key in OF_RUNS else 0)
        parts = [_part(key, mine[key]) for key in apart if key in mine][:MOST_NAMED]
        found.append(" ".join([name, *parts]))
    taken = set(found)
    return [_numbered(name, taken) if found.count(name) > 1 else name for name in found]


def _numbered(name: str, taken: set[str]) -> str:
    """The name with the first number that nobody has taken, a person neither."""
    numbered = next(other for i in count(1) if (other := f"{name} #{i}") not in taken)
    taken.add(numbered)
    return numbered


def _part(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return f"{word_of(name)} {'on' if value else 'off'}"
    return f"{word_of(name)} {value:g}" if isinstance(value, float) else f"{word_of(name)} {value}"
