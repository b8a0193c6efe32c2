"""What Das, Bansal & Bhattacharyya 2015 claim of settings: figures 4 (order), 5 and 6.

What Das, Bansal & Bhattacharyya 2015 prove: theorem 2, tried on draws of the prior.
"""

import numpy as np

from ...core.arrays import F64
from ...lab import ordered
from ...plots.claims import ClaimLine, against
from ..claim import EXACT, Claim, ClaimVerdict, Findings, Judged, Picture, Trial, judged
from ..reading import at_the_end, by_seed, last_score, listed, mean
from .das_2015 import NYT, ONE_PASS, SUMO, TSVI, after_the_same_texts, sumo_trial, tsvi_trial

# ---- figure 4 ----------------------------------------------------------------------------------

N_ORDERS = 5


def _order_trials(n_seeds: int) -> list[Trial]:
    return [
        make(seed, order)
        for seed in range(n_seeds)
        for order in range(N_ORDERS)
        for make in (sumo_trial, tsvi_trial)
    ]


def _scores(findings: Findings) -> list[tuple[list[float], list[float]]]:
    """By seed: the scores of SUMO and of truncation-free inference over all settings."""
    ours, theirs = by_seed(findings, SUMO), by_seed(findings, TSVI)
    both = [
        (
            [last_score(o) for o in ours[seed].values()],
            [last_score(o) for o in theirs[seed].values()],
        )
        for seed in sorted(ours.keys() & theirs.keys())
    ]
    return [(a, b) for a, b in both if min(len(a), len(b)) >= 2]


def _order_verdict(findings: Findings) -> ClaimVerdict:
    scores = _scores(findings)
    better = [mean(a) - mean(b) for a, b in scores]
    spreads = [float(np.ptp(a)) for a, _ in scores], [float(np.ptp(b)) for _, b in scores]
    stable = [0.1 - max(a, b) for a, b in zip(*spreads, strict=True)]
    return judged(
        (better, stable),
        f"On average over {N_ORDERS} orders SUMO stands {mean(better):+.3f} from truncation-free "
        f"inference (by seed: {listed(better)}); over the orders SUMO's scores spread by "
        f"{mean(spreads[0]):.3f}, the other's by {mean(spreads[1]):.3f}.",
    )


SUMO_ORDER = Claim(
    "sumo-order",
    "SUMO: does the order of the texts matter?",
    "Das, Bansal & Bhattacharyya 2015, figure 4",
    "Both methods are quite stable when the mini-batches come in another order, and SUMO is "
    "consistently better.",
    "The same texts are held out, the others read once in each of five orders. It holds if in "
    "every seed SUMO scores more than 0.01 higher on average over the orders and the scores of "
    "both spread by less than 0.09; it does not hold if one of the two is the other way round in "
    "every seed.",
    _order_trials,
    after_the_same_texts(_order_verdict),
    lambda findings: [
        at_the_end(findings, [SUMO, TSVI], "Held-out likelihood by order (figure 4)", "order")
    ],
    Judged(f"Figure 4: {ONE_PASS} NIPS, the same documents in other orders.", 1),
    orders=True,
)


# ---- figures 5 and 6 ---------------------------------------------------------------------------

GAMMAS, SIZES = (0.5, 1.0, 2.0, 5.0), (300, 400, 500, 2000)
"""Sizes in articles of NYT; the paper's fourth, 10,000, would be all that most corpora have."""


def _gamma_trials(n_seeds: int) -> list[Trial]:
    return [
        make(seed, g, gamma=g)
        for seed in range(n_seeds)
        for g in GAMMAS
        for make in (sumo_trial, tsvi_trial)
    ]


def _size_trials(n_seeds: int) -> list[Trial]:
    return [
        make(seed, size, size * NYT)
        for seed in range(n_seeds)
        for size in SIZES
        for make in (sumo_trial, tsvi_trial)
    ]


def _stability(findings: Findings) -> ClaimVerdict:
    scores = _scores(findings)
    better = [mean(a) - mean(b) for a, b in scores]
    steadier = [float(np.ptp(b) - np.ptp(a)) for a, b in scores]
    return judged(
        (better, steadier),
        f"On average SUMO stands {mean(better):+.3f} from truncation-free inference (by seed: "
        f"{listed(better)}); its scores spread {mean(steadier):+.3f} less ({listed(steadier)}).",
    )


_STABLE_RULE = (
    "Both read the texts once, in mini-batches of as many tokens as the paper's. The "
    "largest of figure 6, of "
    "10,000 articles, is 2,000 here. It holds if in "
    "every seed SUMO scores more than 0.01 higher on average over the settings and its scores "
    "spread more than 0.01 less; it does not hold if one of the two is the other way round in "
    "every seed."
)
SUMO_GAMMA = Claim(
    "sumo-gamma",
    "SUMO: which concentration?",
    "Das, Bansal & Bhattacharyya 2015, figure 5",
    "SUMO is better and more stable than truncation-free inference when gamma varies.",
    _STABLE_RULE,
    _gamma_trials,
    after_the_same_texts(_stability),
    lambda findings: [
        at_the_end(findings, [SUMO, TSVI], "Held-out likelihood by gamma (figure 5)", "gamma")
    ],
    Judged(f"Figure 5: {ONE_PASS} NIPS, by gamma.", 1),
)
SUMO_BATCH = Claim(
    "sumo-batch",
    "SUMO: which batch size?",
    "Das, Bansal & Bhattacharyya 2015, figure 6",
    "SUMO is better and more consistent than truncation-free inference when batches vary in size.",
    _STABLE_RULE,
    _size_trials,
    after_the_same_texts(_stability),
    lambda findings: [
        at_the_end(
            findings,
            [SUMO, TSVI],
            "Held-out likelihood by batch size (figure 6)",
            "articles of 333 tokens in a batch",
        )
    ],
    Judged(f"Figure 6: {ONE_PASS} the New York Times, by the size of mini-batches.", 1),
)


MU, GAMMA, N_DRAWS, N_ATOMS = 0.6, 0.5, 20_000, 30
QUANTILES = (0.5, 0.9, 0.99)


def _left_over() -> F64:
    """alpha_n, what is left after n ordered sticks of the prior, float64 (N_DRAWS, N_ATOMS)."""
    return ordered.draw_left_over(N_ATOMS, MU, GAMMA, N_DRAWS, 0)


def _theorem_verdict(findings: Findings) -> ClaimVerdict:
    bounds, exceeds = ordered.bounds(N_ATOMS), ordered.share_above(_left_over())
    room = bounds - exceeds
    return ClaimVerdict(
        "holds" if (room > 0).all() else "does not hold",
        f"Of {N_DRAWS:,} draws of the prior (mu {MU}, gamma {GAMMA}), at most "
        f"{exceeds.max():.1%} left more than epsilon after n atoms, where the theorem allows "
        f"epsilon = 2^(-n/2); the closest was n = {int(np.argmin(room / bounds)) + 1}.",
    )


def _theorem_pictures(findings: Findings) -> list[Picture]:
    left = _left_over()
    lines = [ClaimLine("bound of theorem 2", 1, [_by_atoms(ordered.bounds(N_ATOMS))])]
    for slot, q in enumerate(QUANTILES):
        values = _by_atoms(np.quantile(left, q, axis=0))
        lines.append(ClaimLine(f"{q:.0%} of draws are below", slot + 2, [values]))
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
