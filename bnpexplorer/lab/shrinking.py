"""How a small topic of truncated mean field loses its words, step by step.

N tokens of one word are shared between a small topic and one that knows the word well. The small
topic has n of them beside its prior, lambda = eta + n for this word and T = V eta + n in all. In
each step a token goes to it with the odds m(n) : c, where c is the weight of the known topic and
m(n) that of the small one:

    mean field   exp(psi(lambda) - psi(T))    Wang & Blei 2012, eq. 5
    collapsed    lambda / T                   eq. 6: the topic integrated out

so that the next n is N m / (m + c). Since exp psi(x) is next to nothing below 1, mean field lets a
topic of fewer than about one token die, where its average would keep it.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import psi

Way = Literal["mean field", "collapsed"]


@dataclass(frozen=True)
class Contest:
    """The setting."""

    n_words: int = 100
    """V."""
    eta: float = 0.1
    n_tokens: int = 10
    """N, of the word in question."""
    known: float = 0.6
    """c: what the known topic gives the word."""


@dataclass(frozen=True)
class ShrinkingTurn:
    """Where the small topic stands before a step."""

    tokens: float
    """n."""
    weight: float
    """m(n): what it counts for the word."""
    spread: float
    """The standard deviation of the word's probability over its mean, under Dir(lambda)."""


def exp_psi(x: float) -> float:
    """exp psi(x), `x` > 0: what mean field puts in the place of a count."""
    return float(np.exp(psi(x)))


def shrinking(
    way: Way, n_turns: int, start: float = 1.0, contest: Contest | None = None
) -> list[ShrinkingTurn]:
    """The first `n_turns` turns of a topic that begins with `start` tokens, 0 or more."""
    setting, n, turns = contest or Contest(), start, list[ShrinkingTurn]()
    for _ in range(n_turns):
        mine, all_words = setting.eta + n, setting.n_words * setting.eta + n
        mean = mine / all_words
        weight = exp_psi(mine) / exp_psi(all_words) if way == "mean field" else mean
        spread = float(np.sqrt((1 - mean) / mean / (all_words + 1)))
        turns.append(ShrinkingTurn(n, weight, spread))
        n = setting.n_tokens * weight / (weight + setting.known)
    return turns
