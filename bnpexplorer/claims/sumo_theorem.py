"""What Das, Bansal & Bhattacharyya 2015 prove: theorem 2, tried on draws of the prior."""

import numpy as np

from ..models.osbp import innovation_bound
from ..plots.claims import Line, against
from .claim import Claim, Findings, Picture, Verdict

MU, GAMMA, N_DRAWS, ATOMS = 0.6, 0.5, 20_000, range(1, 31)
QUANTILES = (0.5, 0.9, 0.99)


def _left_over() -> np.ndarray:
    """alpha_n, what is left after n ordered sticks of the prior, float64 (N_DRAWS, 30)."""
    rng = np.random.default_rng(0)
    nu = GAMMA * (1.0 - MU) ** np.arange(len(ATOMS))
    stays = rng.beta(np.maximum((1.0 - MU) * nu, 1e-12), np.maximum(MU * nu, 1e-12), (N_DRAWS, 30))
    return np.cumprod(stays, axis=1)


def _theorem_verdict(findings: Findings) -> Verdict:
    left = _left_over()
    bounds = np.array([innovation_bound(n) for n in ATOMS])
    exceeds = (left > bounds).mean(axis=0)
    room = bounds - exceeds
    return Verdict(
        "holds" if (room > 0).all() else "does not hold",
        f"Of {N_DRAWS:,} draws of the prior (mu {MU}, gamma {GAMMA}), at most "
        f"{exceeds.max():.1%} left more than epsilon after n atoms, where the theorem allows "
        f"epsilon = 2^(-n/2); the closest was n = {int(np.argmin(room / bounds)) + 1}.",
    )


def _theorem_pictures(findings: Findings) -> list[Picture]:
    left = _left_over()
    lines = [Line("bound of theorem 2", 1, [{float(n): innovation_bound(n) for n in ATOMS}])]
    for slot, q in enumerate(QUANTILES):
        values = dict(zip(map(float, ATOMS), np.quantile(left, q, axis=0).tolist(), strict=True))
        lines.append(Line(f"{q:.0%} of draws are below", slot + 2, [values]))
    return [
        Picture(
            "Probability of a new atom after n atoms",
            lambda dark, size: against(lines, "atoms", "probability", dark, size=size),
        )
    ]


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
)
