"""Judge whether chains have met, by quantities that do not depend on labels.

The rule: without the first half of every chain, rank-normalised split R-hat is at most 1.05 and the
bulk effective sample size at least 100 for every quantity (`evaluate/settling.py`). A constant
quantity has met if all chains have the same value.

Topics that all chains have found are those to trust.

C chains, N draws of each after the first half.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from scipy.optimize import linear_sum_assignment

from ..compare.alignment import NEAR, Side, side_of_topics
from ..core.arrays import F64
from ..core.display import plural
from ..evaluate.settling import (
    FEWEST_DRAWS,
    FEWEST_ESS,
    MOST_RHAT,
    QUANTITIES,
    constant_in_all,
    rhat_and_ess,
)
from ..explore.likeness import jensen_shannon
from ..state.snapshot import Topics


@dataclass(frozen=True)
class ChainsVerdict:
    """Whether the chains have met, and the numbers that say so."""

    rhat: dict[str, float]
    """Key of `QUANTITIES` -> R-hat; 1 for one constant, infinite for different ones, nan where
    there are too few draws."""
    ess: dict[str, float]
    """Key -> bulk effective sample size; for different constants the number of chains."""
    met: bool
    sentence: str
    n_draws: int
    """Of every chain, after the first half."""


def judge(draws: Mapping[str, F64], starts: Sequence[str], noun: str = "topic") -> ChainsVerdict:
    """The verdict on draws without their first half: key of `QUANTITIES` -> float64 (C, N).

    `starts` (C,): where each chain began; `noun`: what one topic is called.
    """
    both = {key: rhat_and_ess(values) for key, values in draws.items()}
    rhat = {key: found for key, (found, _) in both.items()}
    ess = {key: found for key, (_, found) in both.items()}
    n_draws = min((values.shape[1] for values in draws.values()), default=0)
    apart = [key for key in draws if not rhat[key] <= MOST_RHAT]
    short = [key for key in draws if not ess[key] >= FEWEST_ESS and not constant_in_all(draws[key])]
    if len(starts) < 2:
        said = "A single chain cannot tell whether it has converged."
    elif n_draws < FEWEST_DRAWS:
        said = (
            f"These chains are too short to judge: {plural(n_draws, 'draw')} of each without the "
            f"first half, and at least {FEWEST_DRAWS} are needed."
        )
    elif apart:
        said = _apart(draws, rhat, apart, starts, noun)
    elif short:
        worst = min(short, key=lambda key: ess[key])
        said = (
            "These chains agree so far but are too short to have met: the effective sample size of "
            f"{QUANTITIES[worst].title} is {ess[worst]:.0f}, and at least {FEWEST_ESS} is needed."
        )
    else:
        said = "These chains have met."
    met = len(starts) >= 2 and n_draws >= FEWEST_DRAWS and not apart and not short
    return ChainsVerdict(rhat, ess, met, said, n_draws)


# ---- the sentence --------------------------------------------------------------------------------


def _apart(
    draws: Mapping[str, F64],
    rhat: Mapping[str, float],
    apart: Sequence[str],
    starts: Sequence[str],
    noun: str,
) -> str:
    """What chains that have not met tell, by start or each: the topics, if they are apart."""
    key = "topics" if "topics" in apart else max(apart, key=lambda key: rhat[key])
    about, means = QUANTITIES[key], draws[key].mean(axis=1)
    what, unit = ("", f" {noun}s") if key == "topics" else (f"{about.title} ", "")
    groups = {start: means[[s == start for s in starts]] for start in starts}
    ordered = sorted(groups, key=lambda start: float(groups[start].mean()))
    if told_by_start([groups[start] for start in ordered]):
        numbers = _told([float(groups[start].mean()) for start in ordered], about.decimals)
        first, *others = [f"from {s} {n}" for s, n in zip(ordered, numbers, strict=True)]
        parts = ", ".join([first + unit, *others])
        return f"What you see depends on where it began: {what}{parts}."
    numbers = _told(means.tolist(), about.decimals)
    return f"What you see differs from chain to chain: {what}{', '.join(numbers)}{unit}."


def told_by_start(groups: Sequence[F64]) -> bool:
    """Whether the values of every start, an array (n,) each, lie above those of the one before."""
    return len(groups) > 1 and all(a.max() < b.min() for a, b in pairwise(groups))


def _told(values: Sequence[float], decimals: int) -> list[str]:
    """Numbers as people read them, with as many decimals more as it takes to tell them apart."""
    for more in range(decimals, decimals + 4):
        told = [f"{value:,.{more}f}" for value in values]
        if len(set(told)) > 1:
            break
    return told


@dataclass(frozen=True)
class SharedTopic:
    """A topic of one chain, and the chains that have found it."""

    chain: int
    """Place of the first chain that has it."""
    topic: int
    """Its identity there."""
    share: float
    """Its share of the words (mixtures: documents) of that chain."""
    chains: tuple[int, ...]
    """Places of the chains that have it, the first one's own included."""


def found_topics(chains: Sequence[Topics], near: float = NEAR) -> list[SharedTopic]:
    """The topics of several chains, each once: those that most chains have first, then by share.

    The largest topics of a chain that together hold 99 % are matched one to one with those of every
    other, so that the sum of Jensen-Shannon distances is smallest. A pair nearer than `near` is one
    topic: at 0.7 about half of the words' mass is common, as on the Compare page. A topic with a
    counterpart in an earlier chain is not listed again.
    """
    sides = [side_of_topics(topics) for topics in chains]
    found = []
    for c, (topics, side) in enumerate(zip(chains, sides, strict=True)):
        holders: list[list[int]] = [[] for _ in side.topic_ids]
        for other, another in enumerate(sides):
            rows = range(len(holders)) if other == c else _met(side, another, near)
            for row in rows:
                holders[row].append(other)
        shares = side.size / (float(topics.size.sum()) or 1.0)
        found += [
            SharedTopic(c, int(side.topic_ids[row]), float(shares[row]), tuple(held))
            for row, held in enumerate(holders)
            if held[0] == c
        ]
    return sorted(found, key=lambda one: (-len(one.chains), -one.share))


def _met(side: Side, other: Side, near: float) -> list[int]:
    """Rows of `side` that have a counterpart on the other."""
    if not len(side.topic_ids) or not len(other.topic_ids):
        return []
    distances = jensen_shannon(side.topic_word, other.topic_word)
    pairs = zip(*linear_sum_assignment(distances), strict=True)
    return [int(row) for row, column in pairs if distances[row, column] < near]
