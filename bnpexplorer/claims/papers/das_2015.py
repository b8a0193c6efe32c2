"""What Das, Bansal & Bhattacharyya 2015 claim: table 2, figures 1 to 3."""

from collections.abc import Callable

import numpy as np

from ...plots.claims import ClaimLine, against
from ..claim import (
    MARGIN,
    Claim,
    ClaimVerdict,
    Findings,
    Judged,
    Picture,
    Trial,
    TrialOutcome,
    judged,
)
from ..reading import CURVES, at_the_end, by_seed, common_places, leads, listed, mean, over_seconds

SUMO, TSVI, GIBBS, PARTICLES = "SUMO", "truncation-free", "Gibbs", "particle filter"
AGAIN = "truncation-free, more passes"
SAME = (("gamma", 0.5), ("eta", 0.5))
"""Concentration and topic prior of the comparison (section 5.1)."""
NIPS, NYT = 1267, 333
"""Tokens in a document of these corpora (table 1). What a mini-batch can tell about components
goes by its tokens, so ours are measured in them: with eta 0.5 and 11,000 words the prior is worth
5,500 tokens, more than 100 paragraphs have, and SUMO ends with three components in place of seven.
"""


MORE_PASSES, SWEEPS = 10, 50
"""Of truncation-free inference that may read again, and of Gibbs sampling."""
ONE_PASS = "after one pass of sequential inference through"


def sumo_trial(seed: int, x: float = 0, tokens: int = 100 * NIPS, gamma: float = 0.5) -> Trial:
    values = (("gamma", gamma),)
    return Trial(SUMO, x, "dpm-sumo", seed, 0, "das-2015", values, batch_tokens=tokens, passes=1)


def tsvi_trial(
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


def after_the_same_texts(
    verdict: Callable[[Findings], ClaimVerdict],
) -> Callable[[Findings], ClaimVerdict]:
    """`verdict`, but undecided where SUMO has not read to the end."""

    def judge(findings: Findings) -> ClaimVerdict:
        if not _cut_short(findings):
            return verdict(findings)
        return ClaimVerdict(
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
            sumo_trial(seed),
            tsvi_trial(seed),
            tsvi_trial(seed, passes=MORE_PASSES),
            Trial(GIBBS, 0, "dpm-gibbs", seed, 256, "neal-2000", SAME, passes=SWEEPS),
            Trial(PARTICLES, 0, "dpm-particle", seed, 16, values=SAME, passes=1),
        )
    ]


def _verdict(findings: Findings) -> ClaimVerdict:
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
        f"{_beside_more_passes(over_again)} truncation-free inference that reads more often",
    )


def _beside_more_passes(leads: list[float]) -> str:
    """Where SUMO stands beside its rival with more passes, by the mean over seeds."""
    if mean(leads) > MARGIN:
        return "ahead of"
    return "behind" if mean(leads) < -MARGIN else "level with"


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
    f"once, Gibbs sampling {SWEEPS} times. It holds if in every seed SUMO ends more than "
    "0.01 above the other two and less than 0.09 below Gibbs; it does not hold if one of the three "
    "is the other way round in every seed.",
    _trials,
    after_the_same_texts(_verdict),
    _pictures,
    Judged(
        f"Table 2 and figure 1: {ONE_PASS} NIPS, the New York Times, PubMed and Wikipedia, beside "
        "Gibbs sampling of NIPS; the time is not printed.",
        1,
        "On NIPS the perplexity is 2,196 by Gibbs sampling, 2,386 by SUMO, 3,740 by "
        "truncation-free inference and 6,432 by the particle filter: SUMO stands \u22120.08, "
        "+0.45 and +0.99 from the other three.",
        minutes=30.0,
    ),
    beside=(AGAIN,),
)


# ---- table 2, memory ---------------------------------------------------------------------------

MEGABYTE = 2**20


def _most(outcome: TrialOutcome) -> float:
    """The most memory that a trial took at any of its moments, in megabytes."""
    return max(outcome.memory, default=0) / MEGABYTE


def _memory_verdict(findings: Findings) -> ClaimVerdict:
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
    Judged(f"Table 2: the most that was taken {ONE_PASS} NIPS.", 1, minutes=30.0),
    beside=(AGAIN,),
)


# ---- figure 2 ----------------------------------------------------------------------------------


def _coherence_verdict(findings: Findings) -> ClaimVerdict:
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
    lambda n_seeds: [make(seed) for seed in range(n_seeds) for make in (sumo_trial, tsvi_trial)],
    after_the_same_texts(_coherence_verdict),
    lambda findings: [
        at_the_end(
            findings,
            [SUMO, TSVI],
            "Coherence at the end (figure 2)",
            "",
            "mean NPMI",
            lambda outcome: outcome.coherence[-1],
        )
    ],
    Judged(f"Figure 2: {ONE_PASS} NIPS, the New York Times, PubMed and Wikipedia.", 1),
)


# ---- figure 3 ----------------------------------------------------------------------------------


FEW_DOCS, MOMENTS_NEEDED = 100, 3
"""Small mini-batches, since each adds at most one restaurant: the paper's NYT has 400 of them."""


def _growth_trials(n_seeds: int) -> list[Trial]:
    values = (("gamma", 0.5),)
    return [
        Trial(SUMO, 0, "dpm-sumo", seed, FEW_DOCS, "das-2015", values, passes=1)
        for seed in range(n_seeds)
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


def _growth_verdict(findings: Findings) -> ClaimVerdict:
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
        return ClaimVerdict(
            "undecided",
            f"Too few mini-batches have been read: no seed has {MOMENTS_NEEDED} moments at which "
            f"restaurants were counted. Give more time, or a corpus of {4 * FEW_DOCS} documents or "
            "more.",
        )
    return judged(
        (slowing,),
        f"The second half of the documents opened {abs(mean(slowing)):.0%} "
        f"{'fewer' if mean(slowing) >= 0 else 'more'} restaurants per document than the first "
        f"(fewer by seed: {listed(slowing)}); {mean(ends):.1f} in the end.",
    )


def _growth_pictures(findings: Findings) -> list[Picture]:
    lines = [ClaimLine("restaurants", 0, [curve]) for curve in _restaurants(findings)]
    return [
        Picture(
            "Restaurants (figure 3)",
            lambda dark, size: against(lines, "documents seen", "restaurants", dark, size=size),
            CURVES,
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
    Judged("Figure 3: along one pass through the New York Times, by mini-batches read.", 1),
)
