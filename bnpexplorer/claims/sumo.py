"""What Das, Bansal & Bhattacharyya 2015 claim: table 2, figures 1 to 3, theorem 2."""

import numpy as np

from ..models.osbp import innovation_bound
from ..plots.claims import Line, against
from .reading import at_the_end, by_seed, leads, listed, mean, over_seconds
from .study import Claim, Findings, Outcome, Picture, Trial, Verdict, judged

SUMO, TSVI, GIBBS, PARTICLES = "SUMO", "truncation-free", "Gibbs", "particle filter"
SAME = (("gamma", 0.5), ("eta", 0.5))
"""Concentration and topic prior of the comparison (section 5.1)."""


def sumo_trial(seed: int, x: float = 0, size: int = 100, gamma: float = 0.5) -> Trial:
    return Trial(SUMO, x, "dpm-sumo", seed, size, "das-2015", (("gamma", gamma),))


def tsvi_trial(seed: int, x: float = 0, size: int = 100, gamma: float = 0.5) -> Trial:
    values = (("gamma", gamma), ("eta", 0.5))
    return Trial(TSVI, x, "dpm-tsvi", seed, size, "wang-blei-2012", values)


# ---- table 2 and figure 1 ----------------------------------------------------------------------


def _trials(n_seeds: int) -> list[Trial]:
    return [
        trial
        for seed in range(n_seeds)
        for trial in (
            sumo_trial(seed),
            tsvi_trial(seed),
            Trial(GIBBS, 0, "dpm-gibbs", seed, 256, values=SAME),
            Trial(PARTICLES, 0, "dpm-particle", seed, 16, values=SAME),
        )
    ]


def _verdict(findings: Findings) -> Verdict:
    over_tsvi = leads(findings, SUMO, [TSVI])
    over_particles = leads(findings, SUMO, [PARTICLES])
    near = [0.1 + lead for lead in leads(findings, SUMO, [GIBBS])]
    return judged(
        (over_tsvi, over_particles, near),
        f"SUMO stands {mean(over_tsvi):+.3f} from truncation-free inference (by seed: "
        f"{listed(over_tsvi)}), {mean(over_particles):+.3f} from the particle filter "
        f"({listed(over_particles)}) and {mean(near) - 0.1:+.3f} from Gibbs sampling.",
    )


def _pictures(findings: Findings) -> list[Picture]:
    names = [SUMO, TSVI, GIBBS, PARTICLES]
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
    "All have the same seconds, gamma 0.5 and eta 0.5; SUMO and the particle filter read the texts "
    "once and may end sooner. It holds if in every seed SUMO ends more than 0.01 above the other "
    "two and less than 0.09 below Gibbs; it does not hold if one of the three is the other way "
    "round in every seed.",
    _trials,
    _verdict,
    _pictures,
)


# ---- table 2, memory ---------------------------------------------------------------------------

MEGABYTE = 2**20


def _most(outcome: Outcome) -> float:
    """The most memory that a trial took at any of its moments, in megabytes."""
    return max(outcome.memory, default=0) / MEGABYTE


def _memory_verdict(findings: Findings) -> Verdict:
    """How many times as much the others take, by seed, as logarithms to base two."""
    taken = {line: by_seed(findings, line) for line in (SUMO, TSVI, GIBBS, PARTICLES)}
    seeds = sorted(set.intersection(*(set(by) for by in taken.values())))
    most = {line: [_most(by[seed][0]) for seed in seeds] for line, by in taken.items()}
    if not seeds or min(map(min, most.values())) <= 0:
        return judged(((),), "")
    times = {line: np.array(most[line]) / np.array(most[SUMO]) for line in (TSVI, GIBBS, PARTICLES)}
    conditions = [np.log2(times[line] / 2).tolist() for line in (GIBBS, PARTICLES)]
    return judged(
        (*conditions, np.log2(2 * times[TSVI]).tolist()),
        f"SUMO took {mean(most[SUMO]):.1f} MB at most, Gibbs sampling {mean(most[GIBBS]):.1f}, "
        f"the particle filter {mean(most[PARTICLES]):.1f} and truncation-free inference "
        f"{mean(most[TSVI]):.1f}.",
    )


SUMO_MEMORY = Claim(
    "sumo-memory",
    "SUMO: how much memory?",
    "Das, Bansal & Bhattacharyya 2015, table 2",
    "SUMO uses several times less memory than Gibbs sampling and the particle filter (4.4 and 4 "
    "times in the paper), and not much more than truncation-free inference (1.5 times).",
    "Memory is the most that a method's state and the texts it needs at hand took: one mini-batch, "
    "or the whole corpus for Gibbs sampling. It holds if in every seed SUMO takes less than half "
    "of Gibbs sampling and of the particle filter, and less than twice truncation-free inference; "
    "it does not hold if one of the three is the other way round in every seed.",
    _trials,
    _memory_verdict,
    lambda findings: [
        at_the_end(
            findings, [SUMO, TSVI, GIBBS, PARTICLES], "Memory (table 2)", "", "megabytes", _most
        )
    ],
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
    "Both have the same seconds; coherence is NPMI in the training texts, over the twenty largest "
    "components. It holds if in every seed SUMO's is more than 0.01 higher; it does not hold if it "
    "is lower in every seed.",
    lambda n_seeds: [make(seed) for seed in range(n_seeds) for make in (sumo_trial, tsvi_trial)],
    _coherence_verdict,
    lambda findings: [
        at_the_end(
            findings, [SUMO, TSVI], "Coherence at the end (figure 2)", "", "mean NPMI",
            lambda outcome: outcome.coherence[-1],
        )
    ],
)  # fmt: skip


# ---- figure 3 ----------------------------------------------------------------------------------


def _growth_trials(n_seeds: int) -> list[Trial]:
    return [sumo_trial(seed) for seed in range(n_seeds)]


def _restaurants(findings: Findings) -> list[dict[float, float]]:
    """Documents seen -> restaurants, one mapping a seed."""
    return [
        {
            float(docs): series.get("restaurants", float("nan"))
            for docs, series in zip(outcome.docs_seen, outcome.scalars, strict=True)
        }
        for outcomes in by_seed(findings, SUMO).values()
        for outcome in outcomes.values()
    ]


def _growth_verdict(findings: Findings) -> Verdict:
    """Fast at first: per document, the second half of the way opens fewer than the first."""
    slowing, ends = [], []
    for curve in _restaurants(findings):
        docs = sorted(curve)
        if len(docs) < 3:
            continue
        half = min(docs, key=lambda d: abs(d - docs[-1] / 2))
        first = curve[half] / half
        second = (curve[docs[-1]] - curve[half]) / max(docs[-1] - half, 1.0)
        slowing.append((first - second) / first)
        ends.append(curve[docs[-1]])
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
