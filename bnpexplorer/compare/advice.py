"""Which value of a swept setting to use, in words: the smallest one that is as good as the best.

Every seed tries every value on the same held-out documents, so values are compared seed by seed.
A value is as good as the best where the mean of these differences is within the noise: a one-sided
t test at 5 %, and 0.01 in any case, which means nothing (`claims.claim.MARGIN`). Where that noise
is larger than `POWERLESS`, nothing is claimed: the seeds cannot tell.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..claims.claim import MARGIN, Findings
from ..claims.learned import curves, nothing_learned
from ..claims.reading import by_seed, last_score
from ..explore.means import student_below
from .rows import word_of
from .sweep import Sweep
from .verdict import compared

Scores = Mapping[float, Mapping[int, float]]
"""Value -> seed -> held-out score per word."""
LEVEL = 0.95
POWERLESS = 2 * MARGIN
"""A test with more noise than this would miss a lead that matters: not found is not absent."""
HOW_MANY = {"n_topics": "{:g} topics", "truncation": "room for {:g} topics"}
"""Settings that say how many topics there are, or may be: more are slower, so fewer are wanted."""


@dataclass(frozen=True)
class SettingAdvice:
    """What a line of a sweep says of its setting."""

    best: float
    """The value with the highest mean."""
    enough: float
    """The smallest value that is as good."""
    as_good: tuple[float, ...]
    """All of them, rising, the best among them."""
    values: tuple[float, ...]
    """All that were tried by the same seeds, rising."""
    means: Mapping[float, float]
    n_seeds: int
    untold: tuple[float, ...] = ()
    """Those of `as_good` that the seeds cannot tell from the best: too noisy to be called equal."""


def choose(scores: Scores) -> SettingAdvice | None:
    """The choice among values that were tried by the same seeds; None for fewer than two values.

    Seeds that have not tried every value do not count.
    """
    tried = {x: seeds for x, seeds in sorted(scores.items()) if seeds}
    seeds = sorted(set.intersection(*(set(found) for found in tried.values()))) if tried else []
    if len(tried) < 2 or not seeds:
        return None
    table = {x: np.array([found[seed] for seed in seeds]) for x, found in tried.items()}
    means = {x: float(row.mean()) for x, row in table.items()}
    best = max(means, key=lambda x: means[x])
    if not math.isfinite(means[best]):
        return None
    leads = {x: table[best] - row for x, row in table.items()}
    as_good = tuple(x for x, lead in leads.items() if within_noise(lead))
    untold = tuple(x for x in as_good if noise(leads[x]) > POWERLESS)
    return SettingAdvice(best, as_good[0], as_good, tuple(table), means, len(seeds), untold)


def within_noise(lead: np.ndarray) -> bool:
    """Whether the best value's lead by seed, float64 (S,), may be chance."""
    if not np.isfinite(lead).all():  # the other rules out a word that is there
        return False
    return float(lead.mean()) <= max(MARGIN, noise(lead))


def noise(lead: np.ndarray) -> float:
    """How large a mean lead by seed, float64 (S,), may be by chance; 0 for one seed."""
    if len(lead) < 2:
        return 0.0
    error = float(lead.std(ddof=1)) / math.sqrt(len(lead))
    return float(student_below(LEVEL, len(lead) - 1)) * error


def advice(sweep: Sweep, findings: Findings) -> str:
    """Return the recommendation of a sweep that has ended; empty if too little was found."""
    if warning := nothing_learned(curves(findings)):
        return warning
    choices = {}
    for line in sweep.line_names():
        found = by_seed(findings, line)
        scores: dict[float, dict[int, float]] = {}
        for seed, outcomes in found.items():
            for x, outcome in outcomes.items():
                scores.setdefault(x, {})[seed] = last_score(outcome)
        if (choice := choose(scores)) is not None:
            choices[line] = choice
    if not choices:
        return ""
    best = max(choices, key=lambda line: choices[line].means[choices[line].best])
    choice, of_line = choices[best], "" if sweep.lines is None else f"With {best}: "
    words = of_line + said(choice, sweep.across.name)
    return f"{words[0].upper()}{words[1:]} {_ground(choice)}"


def said(choice: SettingAdvice, name: str) -> str:
    """The choice in a sentence, for the setting of that name."""
    if name in HOW_MANY:
        return _how_many(choice, HOW_MANY[name])
    word = word_of(name)
    others = [x for x in choice.as_good if x != choice.best]
    worse = [x for x in choice.values if x not in choice.as_good]
    if not worse and choice.untold:
        last = min(choice.untold, key=lambda x: choice.means[x])
        return _cannot_tell(choice, last, f"{word} {last:g}")
    if not worse:
        return f"it does not matter here which {word} is used: all differ by chance alone."
    nearest = max(worse, key=lambda x: choice.means[x])
    gain = choice.means[nearest] - choice.means[choice.best]
    equal = f"; {_listed(others)} may be as good" if others else ""
    return (
        f"use {word} {choice.best:g}{equal}; {nearest:g} is {compared(gain, f'{choice.best:g}')}."
    )


def _how_many(choice: SettingAdvice, words: str) -> str:
    enough = words.format(choice.enough)
    if choice.enough in choice.untold:
        return _cannot_tell(choice, choice.enough, enough)
    if choice.enough == choice.best and choice.untold:
        other = max(choice.untold, key=lambda x: choice.means[x])
        return _cannot_tell(choice, other, words.format(other))
    if choice.enough == choice.values[-1]:
        return f"use {enough} or more: the most that was tried predicts best."
    fewer = [x for x in choice.values if x < choice.enough]
    if not fewer:
        return f"use {enough}, the fewest that were tried; more does not help."
    gain = choice.means[fewer[-1]] - choice.means[choice.enough]
    return f"use about {enough}; more does not help, {fewer[-1]:g} is {compared(gain, 'that')}."


def _cannot_tell(choice: SettingAdvice, other: float, words: str) -> str:
    """Of the best and another, in `words`, that may be anything from much worse to better."""
    gain = choice.means[choice.best] - choice.means[other]
    return (
        f"{choice.n_seeds} seeds cannot tell {words} from {choice.best:g}: the best mean is that "
        f"of {choice.best:g}, {compared(gain, f'{other:g}')}; try more seeds."
    )


def _ground(choice: SettingAdvice) -> str:
    if choice.n_seeds == 1:
        return "One seed alone: differences of 1 % and more count."
    return f"By {choice.n_seeds} seeds, on the same held-out documents."


def _listed(values: list[float]) -> str:
    return " and ".join(f"{x:g}" for x in values)
