"""What Das, Bansal & Bhattacharyya 2015 prove: theorem 2, tried on draws of the prior."""

import numpy as np

from ...core.arrays import F64
from ...lab import ordered
from ...plots.claims import Line, against
from ..claim import EXACT, Claim, Findings, Picture, Verdict

MU, GAMMA, N_DRAWS, N_ATOMS = 0.6, 0.5, 20_000, 30
QUANTILES = (0.5, 0.9, 0.99)


def _left_over() -> F64:
    """alpha_n, what is left after n ordered sticks of the prior, float64 (N_DRAWS, N_ATOMS)."""
    return ordered.draw_left_over(N_ATOMS, MU, GAMMA, N_DRAWS, 0)


def _theorem_verdict(findings: Findings) -> Verdict:
    bounds, exceeds = ordered.bounds(N_ATOMS), ordered.share_above(_left_over())
    room = bounds - exceeds
    return Verdict(
        "holds" if (room > 0).all() else "does not hold",
        f"Of {N_DRAWS:,} draws of the prior (mu {MU}, gamma {GAMMA}), at most "
        f"{exceeds.max():.1%} left more than epsilon after n atoms, where the theorem allows "
        f"epsilon = 2^(-n/2); the closest was n = {int(np.argmin(room / bounds)) + 1}.",
    )


def _theorem_pictures(findings: Findings) -> list[Picture]:
    left = _left_over()
    lines = [Line("bound of theorem 2", 1, [_by_atoms(ordered.bounds(N_ATOMS))])]
    for slot, q in enumerate(QUANTILES):
        values = _by_atoms(np.quantile(left, q, axis=0))
        lines.append(Line(f"{q:.0%} of draws are below", slot + 2, [values]))
    return [
        Picture(
            "Probability of a new atom after n atoms",
            lambda dark, size: against(lines, "atoms", "probability", dark, size=size),
            "Look how the draws fall off with every atom, beside what the theorem allows.",
        )
    ]


def _by_atoms(values: F64) -> dict[float, float]:
    """Values for 1, 2, ... atoms."""
    return {float(n): value for n, value in enumerate(values.tolist(), 1)}


THEOREM_2 = Claim(
    "theorem-2",
    "The probability of a new atom falls exponentially",
    "Das, Bansal & Bhattacharyya 2015, theorem 2",
    "If every mu is above 1/2, then after n atoms the probability of a new one exceeds 2^(-n/2) "
    "with a probability below 2^(-n/2).",
    "20,000 draws of the ordered sticks with the paper's mu and gamma. It holds if for every n "
    "from 1 to 30 the share of draws that exceed the bound is below it. No corpus is needed.",
    lambda n_seeds: [],
    _theorem_verdict,
    _theorem_pictures,
    EXACT,
)
