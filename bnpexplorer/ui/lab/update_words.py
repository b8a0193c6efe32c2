"""What the toy example's numbers say, in words."""

import numpy as np

from ...core.arrays import F64, I64
from ...lab.toy import Case, favoured, probability


def copies(n: int) -> str:
    return "1 copy" if n == 1 else f"{n} copies"


def signed(odds: float) -> str:
    """Log odds with a sign and a real minus, at least two figures of them."""
    if favoured(odds) == 0:
        return "0.00"
    text = f"{odds:+,.2f}" if abs(odds) >= 0.1 else f"{odds:+.2g}"
    return text.replace("-", "−")


def percent(share: float) -> str:
    """Three figures, but never rounded up to certainty."""
    return f"{100 * share:.3g} %" if share < 0.995 else f"{100 * share:.4g} %"


def decision(odds: float) -> str:
    """In words: the likelier component and how likely it is."""
    winner = int(favoured(odds))
    if winner == 0:
        return "exact tie: 50 % each"
    share = float(probability(abs(odds)))
    certain = "over 99.99 %" if share > 0.9999 else percent(share)
    return f"component {winner}: {certain}"


def look_for(case: Case, counts: I64, mean_field: F64, collapsed: F64) -> str:
    """One paragraph that points out the straight line, the tie and the change of sign."""
    slope, side = mean_field[0], int(favoured(mean_field[0]))
    if side == 0:
        first = "Mean field is an exact tie at every count."
    else:
        first = (
            f"In log odds mean field is a straight line: every copy adds {signed(slope)}, "
            f"so it can only grow surer of component {side}."
        )
    sides = favoured(collapsed)
    apart = counts[(sides != side) & (sides != 0) & (side != 0)]
    if (sides == side).all():
        agreement = "The two ways agree at every count."
    elif len(apart) == 0:
        agreement = "The two ways never choose different components."
    elif len(apart) == len(counts):
        agreement = "The two ways choose **different components** at every count."
    else:
        agreement = f"So the two ways choose **different components** from {copies(apart[0])} on."
    expected = (case.lam1[0] / case.lam1.sum(), case.lam2[0] / case.lam2.sum())
    if sides[0] == 0:
        opening = (
            f"at 1 copy an **exact tie**, since both components expect word 1 equally often "
            f"({percent(expected[0])})"
        )
    else:
        opening = (
            f"at 1 copy for component {sides[0]}, which expects word 1 more often "
            f"({percent(max(expected))} against {percent(min(expected))})"
        )
    turns = np.flatnonzero((sides != sides[0]) & (sides != 0))
    if len(turns):
        verb = "changes sides" if sides[0] else "turns"
        later = (
            f"from {copies(int(counts[turns[0]]))} on it **{verb} to component {sides[turns[0]]}**"
        )
    elif sides[0] == 0:
        later = "and so at every count"
    else:
        later = f"and it stays there up to {copies(int(counts[-1]))}"
    return f"{first} The locally collapsed line bends: {opening}; {later}. {agreement}"
