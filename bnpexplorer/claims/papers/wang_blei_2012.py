"""What Wang & Blei 2012 claim: figures 2, 3 and 4."""

from functools import partial
from typing import Any

import numpy as np

from ...lab.toy import CASES, collapsed_log_odds, mean_field_log_odds
from ...plots.claims import signs_figure
from ..claim import (
    EXACT,
    Claim,
    ClaimVerdict,
    Findings,
    Judged,
    Picture,
    Trial,
    TrialOutcome,
    judged,
)
from ..learned import MARGIN as LEARNED
from ..learned import gains
from ..reading import at_the_end, by_seed, common_places, last_topics, listed, mean, over_seconds

BATCH_SIZES = (1, 2, 5, 10, 50, 100, 500)
FREE, TRUNCATED = "truncation-free", "truncated mean field"


# ---- figure 2 ----------------------------------------------------------------------------------

COPIES = range(2, 11)
"""At one copy case B is an exact tie."""


def _log_odds() -> dict[tuple[str, str], list[float]]:
    """(method, case) -> log odds of component 1 for a document of so many copies of word 1."""
    found = {}
    for name, odds in (("mean field", mean_field_log_odds), ("collapsed", collapsed_log_odds)):
        for letter, case in CASES.items():
            documents = [np.eye(1, case.n_words, dtype=int)[0] * n for n in COPIES]
            found[name, letter] = [float(odds(d, case.lam1, case.lam2)) for d in documents]
    return found


def _toy_verdict(findings: Findings) -> ClaimVerdict:
    signs = {key: [value > 0 for value in values] for key, values in _log_odds().items()}
    as_printed = {key: [key == ("mean field", "B")] * len(COPIES) for key in signs}
    if signs != as_printed:
        return ClaimVerdict("does not hold", "The signs differ from the paper's.")
    return ClaimVerdict(
        "holds",
        "From 2 to 10 copies of the word both methods choose component 2 in case A; in case B mean "
        "field chooses component 1 and the locally collapsed method component 2.",
    )


TOY = Claim(
    "toy",
    "Mean field misjudges a component that it hardly knows",
    "Wang & Blei 2012, figure 2",
    "In case B mean field assigns the document to component 1, whatever its length; the locally "
    "collapsed approach assigns it to component 2 as the word is repeated.",
    "Exact: the signs of the closed forms at 2 to 10 copies of the word. No corpus is needed.",
    lambda n_seeds: [],
    _toy_verdict,
    lambda findings: [
        Picture(
            "Log odds of component 1",
            lambda dark, size: signs_figure(COPIES, _log_odds(), dark, size),
            "Above zero component 1 is the likelier one: look which lines end there.",
        )
    ],
    EXACT,
)


# ---- figures 3 and 4 ---------------------------------------------------------------------------


MEAN_FIELD: dict[str, tuple[str, dict[str, Any]]] = {
    "dpm": ("wang-blei-2012", {}),
    "hdp": ("wang-2011", {"truncation": 300, "tau": 1.0, "kappa": 0.6}),
}
"""Preset and settings of the truncated method for each model (section 3)."""


def _trials(model: str, n_seeds: int) -> list[Trial]:
    preset, values = MEAN_FIELD[model]
    settings = tuple(values.items())
    return [
        trial
        for seed in range(n_seeds)
        for size in BATCH_SIZES
        for trial in (
            Trial(FREE, size, f"{model}-tsvi", seed, size, "wang-blei-2012"),
            Trial(TRUNCATED, size, f"{model}-svi", seed, size, preset, settings),
        )
    ]


def _verdict(findings: Findings) -> ClaimVerdict:
    free, truncated = by_seed(findings, FREE), by_seed(findings, TRUNCATED)
    better, steadier, grows, shrinks = [], [], [], []
    for seed in sorted(free.keys() & truncated.keys()):
        places = common_places(free[seed], truncated[seed])
        if len(places) < 2:
            continue
        ours = np.array([free[seed][x].scores[-1] for x in places])
        theirs = np.array([truncated[seed][x].scores[-1] for x in places])
        better.append(float((ours - theirs).mean()))
        steadier.append(float(np.ptp(theirs) - np.ptp(ours)))
        grows.append(float(_growth(free[seed], places)))
        shrinks.append(float(-_growth(truncated[seed], places)))
    conditions, note = [better, steadier, grows, shrinks], ""
    if not _learned(truncated):
        del conditions[1]
        note = f"but {TRUNCATED} learned nothing there, so its steadiness is not judged"
    return judged(
        conditions,
        f"On average over batch sizes the truncation-free method stands {mean(better):+.3f} from "
        f"the truncated one (by seed: {listed(better)}); its scores spread {mean(steadier):+.3f} "
        f"less over batch sizes; its number of components changed by {mean(grows):+.1f} on the "
        f"way, that of the truncated one by {-mean(shrinks):+.1f}.",
        note,
    )


def _learned(seeds: dict[int, dict[float, TrialOutcome]]) -> bool:
    """Return whether some run ended above word frequencies; True where their score is unknown."""
    ends = [outcome for places in seeds.values() for outcome in places.values()]
    return any(not end.unigram or gains(end)[-1] > LEARNED for end in ends)


def _growth(outcomes: dict[float, TrialOutcome], places: list[float]) -> float:
    """How many components were added since the first mini-batch, on average over places."""
    return float(np.mean([outcomes[x].topics[-1] - outcomes[x].topics[0] for x in places]))


def _pictures(findings: Findings) -> list[Picture]:
    both, sizes = (FREE, TRUNCATED), "components in use"
    return [
        at_the_end(
            findings,
            both,
            "Held-out likelihood at the end, by batch size (a)",
            "batch size",
            logarithmic=True,
        ),
        at_the_end(
            findings,
            both,
            "Components at the end, by batch size (b, left)",
            "batch size",
            sizes,
            last_topics,
            logarithmic=True,
        ),
        over_seconds(findings, both, "Components over time (b, right)", sizes, topics=True),
    ]


_PASSES = 10
"""With batches of 100 of the State of the Union's paragraphs truncation-free inference of the HDP
leaves word frequencies behind between the fourth pass and the eighth."""
_RULE = (
    "Both methods read the texts equally often at every batch size, in several seeds. It holds if "
    "in every seed the truncation-free method scores more than 0.01 higher on average over batch "
    "sizes, its scores spread more than 0.01 less over them, its components grow in number after "
    "the first mini-batch and the truncated method's fall; it does not hold if one of the four is "
    "the other way round in every seed. The spread does not count where no run of the truncated "
    "method ended above word frequencies: curves that learned nothing spread little."
)
_STATEMENT = (
    "Truncation-free inference predicts better, is more robust to the size of mini-batches, and "
    "grows its components where truncated mean field shrinks them."
)
BATCH_SIZE_MIXTURE = Claim(
    "batch-size-mixture",
    "Truncation-free against truncated: the mixture",
    "Wang & Blei 2012, figure 3",
    _STATEMENT,
    _RULE,
    partial(_trials, "dpm"),
    _verdict,
    _pictures,
    Judged(
        "Figure 3: the models at the end of ten hours of each method, by the size of mini-batches; "
        "Nature, 350,000 documents, and the New York Times, 1.8 million.",
        _PASSES,
        minutes=60.0,
    ),
)
BATCH_SIZE_HDP = Claim(
    "batch-size-hdp",
    "Truncation-free against truncated: the HDP",
    "Wang & Blei 2012, figure 4",
    _STATEMENT,
    _RULE,
    partial(_trials, "hdp"),
    _verdict,
    _pictures,
    Judged(
        "Figure 4: the models at the end of ten hours of each method, by the size of mini-batches; "
        "Nature, 350,000 documents, and the New York Times, 1.8 million.",
        _PASSES,
        minutes=90.0,
    ),
)
