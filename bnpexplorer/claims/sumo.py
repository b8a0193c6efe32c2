"""What Das, Bansal & Bhattacharyya 2015 claim: table 2, figures 1 and 3 to 6, theorem 2."""

from collections.abc import Callable

import numpy as np

from ..models.osbp import innovation_bound
from ..plots.claims import Line, against
from .reading import (
    at_the_end,
    by_seed,
    common_places,
    last_score,
    leads,
    listed,
    mean,
    over_seconds,
)
from .study import Claim, Findings, Picture, Trial, Verdict, judged

SUMO, TSVI, GIBBS, PARTICLES = "SUMO", "truncation-free", "Gibbs", "particle filter"
AGAIN = "truncation-free, more passes"
SAME = (("gamma", 0.5), ("eta", 0.5))
"""Concentration and topic prior of the comparison (section 5.1)."""
NIPS, NYT = 1267, 333
"""Tokens in a document of these corpora (table 1). What a mini-batch can tell about components
goes by its tokens, so ours are measured in them: with eta 0.5 and 11,000 words the prior is worth
5,500 tokens, more than 100 paragraphs have, and SUMO ends with three components in place of seven.
"""


def _sumo(seed: int, x: float = 0, tokens: int = 100 * NIPS, gamma: float = 0.5) -> Trial:
    values = (("gamma", gamma),)
    return Trial(SUMO, x, "dpm-sumo", seed, 0, "das-2015", values, batch_tokens=tokens)


def _tsvi(
    seed: int, x: float = 0, tokens: int = 100 * NIPS, gamma: float = 0.5, passes: int = 1
) -> Trial:
    """One pass, as SUMO: the paper compares sequential inference."""
    line, values = TSVI if passes == 1 else AGAIN, (("gamma", gamma), ("eta", 0.5))
    return Trial(
        line, x, "dpm-tsvi", seed, 0, "wang-blei-2012", values, batch_tokens=tokens, passes=passes
    )


def _cut_short(findings: Findings) -> bool:
    """Whether time was up before SUMO had read what truncation-free inference has."""
    ours, theirs = by_seed(findings, SUMO), by_seed(findings, TSVI)
    return any(
        ours[seed][x].docs_seen[-1] < theirs[seed][x].docs_seen[-1]
        for seed in ours.keys() & theirs.keys()
        for x in common_places(ours[seed], theirs[seed])
    )


def _same_texts(verdict: Callable[[Findings], Verdict]) -> Callable[[Findings], Verdict]:
    """`verdict`, but undecided where SUMO has not read to the end."""

    def judge(findings: Findings) -> Verdict:
        if not _cut_short(findings):
            return verdict(findings)
        return Verdict(
            "undecided",
            "Too little time: SUMO has not read all texts that truncation-free inference has.",
        )

    return judge


# ---- table 2 and figure 1 ----------------------------------------------------------------------


def _trials(n_seeds: int) -> list[Trial]:
    return [
        trial
        for seed in range(n_seeds)
        for trial in (
            _sumo(seed),
            _tsvi(seed),
            _tsvi(seed, passes=10_000),
            Trial(GIBBS, 0, "dpm-gibbs", seed, 256, values=SAME),
            Trial(PARTICLES, 0, "dpm-particle", seed, 16, values=SAME),
        )
    ]


def _verdict(findings: Findings) -> Verdict:
    over_tsvi = leads(findings, SUMO, [TSVI])
    over_particles = leads(findings, SUMO, [PARTICLES])
    over_again = leads(findings, SUMO, [AGAIN])
    near = [0.1 + lead for lead in leads(findings, SUMO, [GIBBS])]
    return judged(
        (over_tsvi, over_particles, near),
        f"SUMO stands {mean(over_tsvi):+.3f} from truncation-free inference after the same one "
        f"pass (by seed: {listed(over_tsvi)}), {mean(over_again):+.3f} from it after more passes, "
        f"{mean(over_particles):+.3f} from the particle filter ({listed(over_particles)}) and "
        f"{mean(near) - 0.1:+.3f} from Gibbs sampling.",
    )


def _pictures(findings: Findings) -> list[Picture]:
    names = [SUMO, TSVI, GIBBS, PARTICLES, AGAIN]
    return [
        over_seconds(findings, names, "Held-out likelihood over time (table 2, figure 1)"),
        over_seconds(findings, names, "Components over time", "components in use", topics=True),
    ]


SUMO_CLAIM = Claim(
    "sumo",
    "SUMO against truncation-free inference, particles and Gibbs",
    "Das, Bansal & Bhattacharyya 2015, table 2 and figure 1",
    "SUMO predicts much better than truncation-free inference and the particle filter, and nearly "
    "as well as Gibbs sampling.",
    "Gamma and eta are 0.5 and mini-batches of SUMO and of truncation-free inference as large, in "
    "tokens, as the paper's of 100 NIPS papers; these two and the particle filter read the texts "
    "once, all others learn for the same seconds. It holds if in every seed SUMO ends more than "
    "0.01 above the other two and less than 0.09 below Gibbs; it does not hold if one of the three "
    "is the other way round in every seed.",
    _trials,
    _same_texts(_verdict),
    _pictures,
)


# ---- figure 2 ----------------------------------------------------------------------------------


def _coherence_verdict(findings: Findings) -> Verdict:
    ours, theirs = by_seed(findings, SUMO), by_seed(findings, TSVI)
    leads = [
        ours[seed][0].coherence[-1] - theirs[seed][0].coherence[-1]
        for seed in sorted(ours.keys() & theirs.keys())
    ]
    return judged(
        (leads,),
        f"The mean NPMI of SUMO's twenty largest components stands {mean(leads):+.3f} from that of "
        f"truncation-free inference (by seed: {listed(leads)}).",
    )


SUMO_COHERENCE = Claim(
    "sumo-coherence",
    "SUMO: how coherent are its components?",
    "Das, Bansal & Bhattacharyya 2015, figure 2",
    "The ten most probable words of SUMO's components are more coherent than those of "
    "truncation-free inference.",
    "Both read the texts once, in mini-batches of as many tokens as the paper's; coherence is "
    "NPMI in the training texts, over the twenty largest components. It holds if in every seed "
    "SUMO's is more than 0.01 higher; it does not hold if it is lower in every seed.",
    lambda n_seeds: [make(seed) for seed in range(n_seeds) for make in (_sumo, _tsvi)],
    _same_texts(_coherence_verdict),
    lambda findings: [
        at_the_end(
            findings, [SUMO, TSVI], "Coherence at the end (figure 2)", "", "mean NPMI",
            lambda outcome: outcome.coherence[-1],
        )
    ],
)  # fmt: skip


# ---- figures 5 and 6 ---------------------------------------------------------------------------

GAMMAS, SIZES = (0.5, 1.0, 2.0, 5.0), (300, 400, 500, 2000)
"""Sizes in articles of NYT; the paper's fourth, 10,000, would be all that most corpora have."""


def _gamma_trials(n_seeds: int) -> list[Trial]:
    return [
        make(seed, g, gamma=g) for seed in range(n_seeds) for g in GAMMAS for make in (_sumo, _tsvi)
    ]


def _size_trials(n_seeds: int) -> list[Trial]:
    return [
        make(seed, size, size * NYT) for seed in range(n_seeds) for size in SIZES
        for make in (_sumo, _tsvi)
    ]  # fmt: skip


def _stability(findings: Findings) -> Verdict:
    better, steadier = [], []
    ours, theirs = by_seed(findings, SUMO), by_seed(findings, TSVI)
    for seed in sorted(ours.keys() & theirs.keys()):
        a = [last_score(outcome) for outcome in ours[seed].values()]
        b = [last_score(outcome) for outcome in theirs[seed].values()]
        if min(len(a), len(b)) >= 2:
            better.append(mean(a) - mean(b))
            steadier.append(float(np.ptp(b) - np.ptp(a)))
    return judged(
        (better, steadier),
        f"On average SUMO stands {mean(better):+.3f} from truncation-free inference (by seed: "
        f"{listed(better)}); its scores spread {mean(steadier):+.3f} less ({listed(steadier)}).",
    )


_STABLE_RULE = (
    "Both read the texts once, in mini-batches of as many tokens as the paper's. It holds if in "
    "every seed SUMO scores more than 0.01 higher on "
    "average over the settings and its scores spread more than 0.01 less; it does not hold if one "
    "of the two is the other way round in every seed."
)
SUMO_GAMMA = Claim(
    "sumo-gamma",
    "SUMO: which concentration?",
    "Das, Bansal & Bhattacharyya 2015, figure 5",
    "SUMO is better and more stable than truncation-free inference when gamma varies.",
    _STABLE_RULE,
    _gamma_trials,
    _same_texts(_stability),
    lambda findings: [
        at_the_end(findings, [SUMO, TSVI], "Held-out likelihood by gamma (figure 5)", "gamma")
    ],
)
SUMO_BATCH = Claim(
    "sumo-batch",
    "SUMO: which batch size?",
    "Das, Bansal & Bhattacharyya 2015, figure 6",
    "SUMO is better and more consistent than truncation-free inference when batches vary in size.",
    _STABLE_RULE,
    _size_trials,
    _same_texts(_stability),
    lambda findings: [
        at_the_end(findings, [SUMO, TSVI], "Held-out likelihood by batch size (figure 6)",
                   "articles of 333 tokens in a batch")
    ],
)  # fmt: skip


# ---- figure 3 ----------------------------------------------------------------------------------


FEW_DOCS, MOMENTS_NEEDED = 100, 3
"""Small mini-batches, since each adds at most one restaurant: the paper's NYT has 400 of them."""


def _growth_trials(n_seeds: int) -> list[Trial]:
    values = (("gamma", 0.5),)
    return [
        Trial(SUMO, 0, "dpm-sumo", seed, FEW_DOCS, "das-2015", values) for seed in range(n_seeds)
    ]


def _restaurants(findings: Findings) -> list[dict[float, float]]:
    """Documents seen -> restaurants, one mapping a seed."""
    return [
        {
            float(docs): series["restaurants"]
            for docs, series in zip(outcome.docs_seen, outcome.scalars, strict=True)
            if "restaurants" in series
        }
        for outcomes in by_seed(findings, SUMO).values()
        for outcome in outcomes.values()
    ]


def _growth_verdict(findings: Findings) -> Verdict:
    """Fast at first: per document, the second half of the way opens fewer than the first."""
    slowing, ends = [], []
    for curve in _restaurants(findings):
        docs = sorted(curve)
        if len(docs) < MOMENTS_NEEDED:
            continue
        half = min(docs[:-1], key=lambda d: abs(d - docs[-1] / 2))
        first = curve[half] / half
        second = (curve[docs[-1]] - curve[half]) / (docs[-1] - half)
        slowing.append((first - second) / first)
        ends.append(curve[docs[-1]])
    if not slowing:
        return Verdict(
            "undecided",
            f"Too few mini-batches have been read: no seed has {MOMENTS_NEEDED} moments at which "
            f"restaurants were counted. Give more time, or a corpus of {4 * FEW_DOCS} documents or "
            "more.",
        )
    return judged(
        (slowing,),
        f"The second half of the documents opened {mean(slowing):.0%} fewer restaurants per "
        f"document than the first (by seed: {listed(slowing)}); {mean(ends):.1f} in the end.",
    )


def _growth_pictures(findings: Findings) -> list[Picture]:
    lines = [Line("restaurants", 0, [curve]) for curve in _restaurants(findings)]
    return [
        Picture(
            "Restaurants (figure 3)",
            lambda dark: against(lines, "documents seen", "restaurants", dark),
        )
    ]


SUMO_GROWTH = Claim(
    "sumo-growth",
    "SUMO: how many restaurants?",
    "Das, Bansal & Bhattacharyya 2015, figure 3",
    "The number of restaurants grows fast at first and gradually settles down.",
    "It holds if in every seed the second half of the documents opens at least 1 % fewer "
    "restaurants per document than the first; it does not hold if it opens more in every seed.",
    _growth_trials,
    _growth_verdict,
    _growth_pictures,
)


# ---- theorem 2 ---------------------------------------------------------------------------------

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
            lambda dark: against(lines, "atoms", "probability", dark),
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
