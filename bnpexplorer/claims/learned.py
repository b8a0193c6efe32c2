"""Whether anything was learned, without which no verdict says anything of a claim.

The held-out score of predicting every document by the word frequencies of the corpus is what a
method reaches that has learned nothing. As long as no curve has left it behind in every seed, the
question which of the curves is higher is a question of chance, and it is too early for an answer.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .trial import UNLIMITED, Findings, Trial, TrialOutcome

MARGIN = 0.05
"""A score so far above that of word frequencies shows that something was learned."""
FROM, FEWEST = 0.25, 3
"""A curve is continued by its moments after this share of its way, of which it needs so many."""
FURTHEST = 10.0
"""And no further than to this many times its length."""
CONDITION = (
    f"Before that, one of the curves compared must end more than {MARGIN:g} above the score of "
    "word frequencies in every seed; until then it is too early for a verdict."
)


@dataclass(frozen=True)
class OutcomeCurve:
    """One line of a picture at one of its places: an outcome a seed."""

    line: str
    x: float
    outcomes: Sequence[TrialOutcome]

    @property
    def gains(self) -> list[float]:
        """By seed, of the last score over that of word frequencies."""
        return [gains(outcome)[-1] for outcome in self.outcomes]

    @property
    def worst(self) -> float:
        return min(self.gains)

    @property
    def times(self) -> float:
        """How many times as long all seeds must learn; nan where that cannot be told."""
        return float(np.max([times_as_long(outcome) for outcome in self.outcomes]))


def with_minus(words: str) -> str:
    """Numbers with a real minus sign."""
    return re.sub(r"(?<!\w)-(?=\d)", "\u2212", words)


def gains(outcome: TrialOutcome) -> list[float]:
    """At every moment: the score less that of word frequencies on the same documents."""
    return [a - b for a, b in zip(outcome.scores, outcome.unigram, strict=True)]


def curves(findings: Findings) -> list[OutcomeCurve]:
    """Those that all seeds have, as far as they were tried; the highest first."""
    places: dict[tuple[str, float], dict[int, TrialOutcome]] = {}
    for trial, outcome in findings.items():
        if outcome.scores and outcome.unigram:
            places.setdefault((trial.line, trial.x), {})[trial.seed] = outcome
    most = max(map(len, places.values()), default=0)
    found = [
        OutcomeCurve(line, x, [seeds[seed] for seed in sorted(seeds)])
        for (line, x), seeds in places.items()
        if len(seeds) == most
    ]
    return sorted(found, key=lambda curve: -curve.worst)


def times_as_long(outcome: TrialOutcome) -> float:
    """How many times as many documents a trial must read to leave word frequencies behind.

    A held-out score rises by about as much with every doubling of the documents, so a straight
    line is laid through the gains against the logarithm of the documents, by least squares, and
    followed to the margin. 1 for a trial that is there; nan where too few moments are known, where
    they do not rise, or where it would take more than ten times as long; also of one that has
    converged.
    """
    found = gains(outcome)
    if found[-1] > MARGIN:
        return 1.0
    if outcome.converged:
        return math.nan
    slope, end = line_of(outcome.docs_seen, found)
    if not slope > 0.0:
        return math.nan
    further = (MARGIN - end) / slope
    return math.exp(max(further, 0.0)) if further <= math.log(FURTHEST) else math.nan


def line_of(docs_seen: Sequence[int], values: Sequence[float]) -> tuple[float, float]:
    """The straight line through the later values against the logarithm of the documents, by least
    squares: what it rises by where these grow e times, and where it is at the end. Both nan where
    too few moments are known."""
    last = docs_seen[-1]
    points = [
        (math.log(docs / last), value)
        for docs, value in zip(docs_seen, values, strict=True)
        if docs >= FROM * last and math.isfinite(value)
    ]
    if len(points) < FEWEST:
        return math.nan, math.nan
    slope, end = np.polyfit([t for t, _ in points], [value for _, value in points], 1)
    return float(slope), float(end)


def too_early(findings: Findings) -> str:
    """Why it is too early for a verdict, and how long it would take; empty where it is not."""
    if cut := cut_short(findings):
        return cut
    found = curves(findings)
    if not found:
        return (
            "Nobody can tell whether anything was learned: the score of word frequencies was not "
            "noted. Try it again."
        )
    return nothing_learned(found)


def nothing_learned(found: Sequence[OutcomeCurve]) -> str:
    """That no curve has left word frequencies behind, and how long it would take; empty where one
    has, or where there is none."""
    if not found or found[0].worst > MARGIN:
        return ""
    by_seed = ", ".join(f"{gain:+.3f}" for gain in found[0].gains)
    return with_minus(
        f"No curve ends more than {MARGIN:g} above word frequencies in every seed, so next to "
        f"nothing was learned. The nearest is {named(found[0], found)} with {by_seed}. "
        f"{how_long(found)}"
    )


def named(curve: OutcomeCurve, among: Sequence[OutcomeCurve]) -> str:
    """The line, and its place where the lines have several."""
    several = len({other.x for other in among if other.line == curve.line}) > 1
    return _called(curve.line, curve.x, several)


def _called(line: str, x: float, several: bool) -> str:
    return f"{line} at {x:g}" if several else line


def how_long(found: Sequence[OutcomeCurve]) -> str:
    """Passes and seconds that the first curve would need, in a sentence."""
    known = {i: curve.times for i, curve in enumerate(found) if math.isfinite(curve.times)}
    if not known:
        return (
            "How long it would take cannot be estimated: of no curve do all seeds rise, over three "
            f"moments or more, so that they would be there within {FURTHEST:g} times as long."
        )
    seconds = {i: times * _most(found[i], "seconds") for i, times in known.items()}
    first = min(seconds, key=lambda i: seconds[i])
    passes = known[first] * _most(found[first], "passes")
    span = f"{passes:.2g} passes, " if passes > 0.0 else ""
    return (
        f"By its curve {named(found[first], found)} would be there after about {span}"
        f"{seconds[first]:,.0f} seconds a trial: the later three quarters of its scores, against "
        "the logarithm of the documents read, go on in a straight line."
    )


def _most(curve: OutcomeCurve, name: str) -> float:
    """The most that any seed has used; 0 where it was not noted."""
    return max((getattr(outcome, name) or (0.0,))[-1] for outcome in curve.outcomes)


def cut_short(findings: Findings) -> str:
    """Which trials ended before the passes at which they are judged; empty where none did."""
    short: Mapping[Trial, TrialOutcome] = {
        trial: outcome for trial, outcome in findings.items() if is_short(trial, outcome)
    }
    if not short:
        return ""
    share = {t: outcome.passes[-1] / t.passes for t, outcome in short.items()}
    worst = min(share, key=lambda t: share[t])
    seconds = short[worst].seconds[-1] / share[worst]
    several = len({trial.x for trial in findings if trial.line == worst.line}) > 1
    return (
        f"{len(short)} of {len(findings)} trials were made with too little time: they ended before "
        f"the passes at which they are judged, {_called(worst.line, worst.x, several)} after "
        f"{short[worst].passes[-1]:.2g} of {worst.passes:,}, which at its pace take "
        f"{seconds:,.0f} seconds."
    )


def is_short(trial: Trial, outcome: TrialOutcome) -> bool:
    """Whether the trial was to read more: not one that ends with its time, nor where nobody noted
    how much it read."""
    limited = trial.passes < UNLIMITED and bool(outcome.passes)
    return limited and outcome.passes[-1] < trial.passes * (1.0 - 1e-9)
