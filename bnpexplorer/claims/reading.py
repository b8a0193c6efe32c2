"""Reading findings: scores by seed and place, the pictures that most claims share."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from ..plots.claims import ClaimLine, against
from .claim import Findings, Picture, TrialOutcome

Value = Callable[[TrialOutcome], float]
WHISKERS = (
    "Marks are medians over seeds; whiskers reach from the lowest seed to the highest. Lines whose "
    "whiskers overlap may differ by chance."
)
CURVES = "One curve a seed, so that curves of one colour show how much chance does."
HIGHER = (
    " Higher is better; what does not lie above the dotted line, word frequencies alone, has "
    "learned nothing."
)


def by_seed(findings: Findings, line: str) -> dict[int, dict[float, TrialOutcome]]:
    """Outcomes of one line: seed -> place on the axis -> outcome."""
    found: dict[int, dict[float, TrialOutcome]] = {}
    for trial, outcome in findings.items():
        if trial.line == line and outcome.scores:
            found.setdefault(trial.seed, {})[trial.x] = outcome
    return found


def common_places(a: Mapping[float, TrialOutcome], b: Mapping[float, TrialOutcome]) -> list[float]:
    """Places on the axis where both lines have an outcome."""
    return sorted(a.keys() & b.keys())


def last_score(outcome: TrialOutcome) -> float:
    return outcome.scores[-1]


def last_topics(outcome: TrialOutcome) -> float:
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
        ClaimLine(
            name,
            slot,
            [{x: value(o) for x, o in seed.items()} for seed in by_seed(findings, name).values()],
        )
        for slot, name in enumerate(names)
    ]

    scored = value is last_score
    levels = word_frequencies(findings, names) if scored else []

    def figure(dark: bool, size: int) -> go.Figure:
        return against(lines, x_title, y_title, dark, logarithmic, size, levels)

    return Picture(title, figure, WHISKERS + (HIGHER if scored else ""))


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
            lines.append(ClaimLine(name, slot, [points]))

    levels = [] if topics else word_frequencies(findings, names)

    def figure(dark: bool, size: int) -> go.Figure:
        return against(
            lines, "seconds of learning", y_title, dark, size=size, levels=levels, over_time=True
        )

    return Picture(title, figure, CURVES + ("" if topics else HIGHER))


def word_frequencies(findings: Findings, names: Sequence[str]) -> list[float]:
    """The scores of word frequencies on the documents that these lines were tested on."""
    found = {o.unigram[-1] for t, o in findings.items() if t.line in names and o.unigram}
    return sorted(found)


def mean(numbers: Sequence[float]) -> float:
    """The mean, nan for none."""
    return float(np.mean(numbers)) if len(numbers) else float("nan")
