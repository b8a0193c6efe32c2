"""Whether a verdict after equal seconds is one of speed, or of where somebody stopped to look.

As long as the compared curves climb, each at its own pace, the one that is behind may be ahead
later. The papers looked after hours, when theirs had levelled off; so nothing is said of who is
faster before the verdict would be the same after ten times as long.
"""

import math
from collections.abc import Callable
from dataclasses import replace

from .learned import FEWEST, FURTHEST, line_of
from .trial import Findings, Outcome

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


def slope_of(outcome: Outcome) -> float:
    """What a score rises by where the documents grow e times; nan where nobody can tell. One that
    has converged stays where it is: batch HDP did after 92 of 133 seconds, with too few moments
    among its last passes for a line."""
    return 0.0 if outcome.converged else line_of(outcome.docs_seen, outcome.scores)[0]


def continued(outcome: Outcome, slope: float, times: float) -> Outcome:
    """An outcome whose score goes on, by `slope`, for so many times as many documents."""
    end = outcome.scores[-1] + slope * math.log(times)
    return replace(outcome, scores=(*outcome.scores[:-1], end))
