"""Reading findings: scores by seed and place, the pictures that most claims share."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from ..plots.claims import Line, against
from .claim import Findings, Outcome, Picture

Value = Callable[[Outcome], float]
NEAR = 0.05
"""A score no more than this above word frequencies alone: next to nothing was learned."""
WHISKERS = (
    "Marks are medians over seeds; whiskers reach from the lowest seed to the highest. Lines whose "
    "whiskers overlap may differ by chance."
)
CURVES = "One curve a seed, so that curves of one colour show how much chance does."
HIGHER = " Higher is better."


def by_seed(findings: Findings, line: str) -> dict[int, dict[float, Outcome]]:
    """Outcomes of one line: seed -> place on the axis -> outcome."""
    found: dict[int, dict[float, Outcome]] = {}
    for trial, outcome in findings.items():
        if trial.line == line and outcome.scores:
            found.setdefault(trial.seed, {})[trial.x] = outcome
    return found


def common_places(a: Mapping[float, Outcome], b: Mapping[float, Outcome]) -> list[float]:
    """Places on the axis where both lines have an outcome."""
    return sorted(a.keys() & b.keys())


def last_score(outcome: Outcome) -> float:
    return outcome.scores[-1]


def last_topics(outcome: Outcome) -> float:
    return float(outcome.topics[-1])


def best_scores(findings: Findings, line: str) -> dict[int, float]:
    """The highest score at the end over all places of a line, by seed."""
    return {
        seed: max(map(last_score, outcomes.values()))
        for seed, outcomes in by_seed(findings, line).items()
    }


def leads(findings: Findings, ours: str, theirs: Sequence[str]) -> list[float]:
    """By seed: the best score of `ours` less the best score of any of `theirs`."""
    own = best_scores(findings, ours)
    others = [best_scores(findings, line) for line in theirs]
    return [
        score - max(other[seed] for other in others)
        for seed, score in sorted(own.items())
        if all(seed in other for other in others)
    ]


def listed(numbers: Sequence[float]) -> str:
    """Numbers by seed, in words."""
    return ", ".join(f"{number:+.3f}" for number in numbers)


def at_the_end(
    findings: Findings,
    names: Sequence[str],
    title: str,
    x_title: str,
    y_title: str = "log likelihood per word",
    value: Value = last_score,
    logarithmic: bool = False,
) -> Picture:
    """What every line has reached, against the places on the axis."""
    lines = [
        Line(
            name,
            slot,
            [{x: value(o) for x, o in seed.items()} for seed in by_seed(findings, name).values()],
        )
        for slot, name in enumerate(names)
    ]

    def figure(dark: bool, size: int) -> go.Figure:
        return against(lines, x_title, y_title, dark, logarithmic, size)

    return Picture(title, figure, WHISKERS + (HIGHER if value is last_score else ""))


def over_seconds(
    findings: Findings,
    names: Sequence[str],
    title: str,
    y_title: str = "log likelihood per word",
    topics: bool = False,
    place: float | None = None,
) -> Picture:
    """How every line went, against seconds of learning; one curve a seed.

    Of a line with several places, the one at `place`, else the one in the middle.
    """
    lines = []
    for slot, name in enumerate(names):
        for outcomes in by_seed(findings, name).values():
            places = sorted(outcomes)
            outcome = outcomes[place if place in outcomes else places[len(places) // 2]]
            values = outcome.topics if topics else outcome.scores
            points = dict(zip(outcome.seconds, map(float, values), strict=True))
            lines.append(Line(name, slot, [points]))

    def figure(dark: bool, size: int) -> go.Figure:
        return against(lines, "seconds of learning", y_title, dark, size=size)

    return Picture(title, figure, CURVES + ("" if topics else HIGHER))


def near_word_frequencies(findings: Findings) -> str:
    """A sentence of warning where no point of the picture is clearly better than no topics at all.

    A point is the median over seeds of what its trials reached, less the score of word frequencies
    alone on the same documents. Empty where one is more than `NEAR`, or nothing is known.
    """
    points: dict[tuple[str, float], list[float]] = {}
    for trial, outcome in findings.items():
        if outcome.scores and outcome.unigram:
            gain = outcome.scores[-1] - outcome.unigram[-1]
            points.setdefault((trial.line, trial.x), []).append(gain)
    medians = [float(np.median(gains)) for gains in points.values()]
    if not medians or max(medians) > NEAR:
        return ""
    return (
        f"No median is more than {NEAR:g} above word frequencies alone, without any topics: the "
        "runs have learned next to nothing that predicts these texts, so their differences say "
        "little. More minutes or more texts say more."
    )


def mean(numbers: Sequence[float]) -> float:
    """The mean, nan for none."""
    return float(np.mean(numbers)) if len(numbers) else float("nan")
