"""What a claim is: its trials, what they find, and the verdict by a rule over seeds.

Whether a verdict after equal seconds is one of speed, or of where somebody stopped to look.

As long as the compared curves climb, each at its own pace, the one that is behind may be ahead
later. The papers looked after hours, when theirs had levelled off; so nothing is said of who is
faster before the verdict would be the same after ten times as long.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import plotly.graph_objects as go

from .learned import (
    CONDITION,
    FEWEST,
    FURTHEST,
    curves,
    cut_short,
    line_of,
    nothing_learned,
    too_early,
    with_minus,
)
from .trial import UNLIMITED
from .trial import Findings as Findings
from .trial import Trial as Trial
from .trial import TrialOutcome as TrialOutcome

MARGIN = 0.01
"""Differences of held-out scores below this mean nothing."""
TOO_FEW = "Too few trials have ended."
SETTLED = ("holds", "does not hold")
"""Outcomes that say something of a claim."""
INSTEAD = (
    "Where that is so from the published start, and from ours it is not, the same is asked of the "
    "lines from our start."
)
FROM_OURS = "From the published start next to nothing was learned; this is from ours."
NOTE_OURS = "from our start; from the published one next to nothing is learned"


@dataclass(frozen=True)
class ClaimVerdict:
    """`holds`, `does not hold`, `undecided` or `too early`, and a sentence that says by which
    numbers."""

    outcome: str
    sentence: str
    note: str = ""
    """What must be said in one breath with the outcome; a clause."""


@dataclass(frozen=True)
class Picture:
    """A figure of the paper, drawn with our numbers."""

    title: str
    figure: Callable[[bool, int], go.Figure]
    """Dark theme and the size of the letters in pixels -> figure."""
    look: str = ""
    """What to look for in it, and what its marks mean."""


class Experiment(Protocol):
    """What a study tries: a paper's claim, or a sweep over settings that somebody asked for."""

    @property
    def name(self) -> str:
        """Begins the name of the file of findings."""
        ...

    @property
    def title(self) -> str: ...

    @property
    def trials(self) -> Callable[[int], list[Trial]]:
        """Seeds -> all trials, seed by seed."""
        ...

    @property
    def pictures(self) -> Callable[[Findings], list[Picture]]: ...

    @property
    def protocol(self) -> str:
        """How held-out documents are scored; empty: as usual for the model."""
        ...

    @property
    def passes(self) -> int:
        """At which trials end that have no number of their own; 0: when their time is over."""
        ...

    @property
    def orders(self) -> bool:
        """Whether the places on the axis are orders of reading the same texts."""
        ...

    @property
    def one_split(self) -> bool:
        """Whether all seeds are tested on the same documents; else every seed on its own."""
        ...


@dataclass(frozen=True)
class Judged:
    """Where the paper judged a claim, and where it is judged here."""

    paper: str
    """After how long, on which texts and against which axis, with the number of the figure."""
    passes: int = 0
    """Here every trial is judged after so many passes: it is a claim of what is learned. 0: of
    speed, after equal seconds."""
    numbers: str = ""
    """The paper's own numbers, in sentences, where it prints them."""
    minutes: float = 10.0
    """In which something is learned of 22,000 paragraphs, three seeds, on two cores: of a claim of
    speed the time for all trials, of others the longest."""

    @property
    def where(self) -> str:
        """Where it is judged here, in words, unless somebody asks for other passes."""
        return after(self.passes)


def after(passes: int) -> str:
    """Where trials of so many passes are judged, in words; 0: of equal seconds."""
    if not passes:
        return "after equal seconds"
    return "after one pass" if passes == 1 else f"after {passes:,} passes"


EXACT = Judged("")
"""Of a claim that is computed, not tried."""


@dataclass(frozen=True)
class Claim:
    """What a paper says, how to try it, and how to tell whether it holds."""

    name: str
    title: str
    source: str
    statement: str
    rule: str
    """How the trials are compared, in words."""
    trials: Callable[[int], list[Trial]]
    """Seeds -> all trials of the whole picture, seed by seed."""
    compare: Callable[[Findings], ClaimVerdict]
    """The verdict, of trials that have learned enough."""
    pictures: Callable[[Findings], list[Picture]]
    judged: Judged
    protocol: str = ""
    """How held-out documents are scored; empty: as usual for the model."""
    orders: bool = False
    """Whether the places on the axis are orders of reading the same texts."""
    one_split: bool = False
    """Verdicts compare within a seed, so that documents that are hard to predict cancel out."""
    beside: tuple[str, ...] = ()
    """Lines that are drawn and not judged."""
    instead: Mapping[str, str] = field(default_factory=dict)
    """Such a line -> the published one in whose place it is judged where next to nothing is learned
    as published: on few short texts mean field may never leave the papers' start (ten passes of the
    HDP end 0.02 below word frequencies, whatever the forgetting rate), and what a claim says of
    settings could not be seen."""

    @property
    def passes(self) -> int:
        """As in `Experiment`."""
        return self.judged.passes

    @property
    def asks_passes(self) -> bool:
        """Whether its trials read the texts as often as somebody asks for."""
        return self.passes > 0 and any(t.passes == UNLIMITED for t in self.trials(1))

    def where(self, trials: Iterable[Trial]) -> str:
        """Where these trials, or findings, are judged, in words; of none where it is usual."""
        passes = [trial.passes for trial in trials]
        return after(max(passes)) if self.asks_passes and passes else self.judged.where

    def said(self, verdict: ClaimVerdict, findings: Findings, on: str = "here") -> str:
        """Return the outcome, the texts, after how long, and the verdict's note."""
        if verdict.outcome not in SETTLED:
            return verdict.outcome
        where = f" {self.where(findings)}" if self.judged.paper else ""
        return ", ".join(filter(None, (f"{verdict.outcome} {on}{where}", verdict.note)))

    @property
    def decided(self) -> str:
        """How the verdict is found, in words."""
        if not self.trials(1):
            return self.rule
        words = [self.rule, CONDITION]
        if self.instead:
            words.append(INSTEAD)
        return " ".join(words if self.passes else [*words, LEVELLED])

    def verdict(self, findings: Findings) -> ClaimVerdict:
        """What the findings say of the claim, by the seeds of which all trials have ended: nothing,
        as long as nothing has been learned."""
        whole = {trial.seed for trial in of_whole_seeds(self._as_published(findings))}
        findings = {trial: o for trial, o in findings.items() if trial.seed in whole}
        found = self.compare(findings)
        if not findings or found.sentence == TOO_FEW:
            return found
        as_published = self._as_published(findings)
        early = self._too_early(as_published, found)
        if not early:
            return found
        if nothing_learned(curves(as_published)) and not cut_short(as_published):
            ours = self._from_our_start(findings)
            if ours is not None:
                return ours
        return ClaimVerdict("too early", early)

    def _as_published(self, findings: Findings) -> Findings:
        """Those of the lines that are judged."""
        return {trial: o for trial, o in findings.items() if trial.line not in self.beside}

    def _too_early(self, judged: Findings, found: ClaimVerdict) -> str:
        """Why it is too early to say `found` of these findings; empty where it is not."""
        early = too_early(judged)
        if not early and not self.passes and found.outcome in SETTLED:
            early = still_climbing(judged, found.outcome, lambda f: self.compare(f).outcome)
        return early

    def _from_our_start(self, findings: Findings) -> ClaimVerdict | None:
        """The verdict on the lines from our start, each in the place of a published one; None where
        it is too early for that too."""
        ours = {
            replace(trial, line=self.instead[trial.line]): outcome
            for trial, outcome in findings.items()
            if trial.line in self.instead
        }
        ours = of_whole_seeds(ours)
        found = self.compare(ours)
        if not ours or found.sentence == TOO_FEW or self._too_early(ours, found):
            return None
        return ClaimVerdict(found.outcome, f"{FROM_OURS} {found.sentence}", NOTE_OURS)


def of_whole_seeds(findings: Findings) -> dict[Trial, TrialOutcome]:
    """Those of the seeds that have an outcome at every place that any seed has: else a study that
    was cut short compares the best of all settings in one seed and the best of a few in another."""
    places: dict[int, set[tuple[str, float]]] = {}
    for trial in findings:
        places.setdefault(trial.seed, set()).add((trial.line, trial.x))
    most = set().union(*places.values())
    return {trial: o for trial, o in findings.items() if places[trial.seed] == most}


def decide(*conditions: Sequence[float]) -> str:
    """The verdict over seeds. Each condition has one number a seed, positive if it supports.

    Holds if every number of every condition is above its noise; does not hold if some condition's
    numbers are all below; undecided otherwise, or with fewer than two seeds.
    """
    if not conditions or any(len(numbers) < 2 for numbers in conditions):
        return "undecided"
    if all(number > MARGIN for numbers in conditions for number in numbers):
        return "holds"
    if any(all(number < -MARGIN for number in numbers) for numbers in conditions):
        return "does not hold"
    return "undecided"


def judged(conditions: Sequence[Sequence[float]], sentence: str, note: str = "") -> ClaimVerdict:
    """The verdict by `decide`, with its sentence where all its numbers are there."""
    if not all(conditions) or re.search(r"\bnan\b", sentence):
        return ClaimVerdict("undecided", TOO_FEW)
    return ClaimVerdict(decide(*conditions), with_minus(sentence), with_minus(note))


LATER = (2.0, 5.0, FURTHEST)
"""Times as long, at which the verdict must be the same."""
LEVELLED = (
    f"And the verdict must be the same after {LATER[0]:g} to {LATER[-1]:g} times as long, by the "
    "slopes of the curves (what has converged stays where it is); as long as they climb towards "
    "another one it is too early."
)


def still_climbing(findings: Findings, outcome: str, compare: Callable[[Findings], str]) -> str:
    """Why it is too early to say `outcome` of speed; empty where it is not.

    `compare`: findings -> the outcome by them.
    """
    slopes = {trial: slope_of(outcome) for trial, outcome in findings.items()}
    unknown = sum(map(math.isnan, slopes.values()))
    if unknown:
        return (
            f"Nobody can tell whether the curves still climb: of {unknown} of {len(findings)} "
            f"trials fewer than {FEWEST} scores are known. Try it again, with more time."
        )
    for times in LATER:
        then = compare({t: continued(o, slopes[t], times) for t, o in findings.items()})
        if then != outcome:
            seconds = times * max(o.seconds[-1] for o in findings.values())
            return (
                f"The curves still climb. At this moment the verdict is: {outcome}; but by their "
                f"slopes it would be: {then}, after {times:g} times as long, {seconds:,.0f} "
                "seconds a trial. The later three quarters of each curve, against the logarithm of "
                "the documents read, go on in a straight line."
            )
    return ""


def slope_of(outcome: TrialOutcome) -> float:
    """What a score rises by where the documents grow e times; nan where nobody can tell. One that
    has converged stays where it is: batch HDP did after 92 of 133 seconds, with too few moments
    among its last passes for a line."""
    return 0.0 if outcome.converged else line_of(outcome.docs_seen, outcome.scores)[0]


def continued(outcome: TrialOutcome, slope: float, times: float) -> TrialOutcome:
    """An outcome whose score goes on, by `slope`, for so many times as many documents."""
    end = outcome.scores[-1] + slope * math.log(times)
    return replace(outcome, scores=(*outcome.scores[:-1], end))
