"""A small claim for tests of studies, by equal seconds and by equal passes."""

import dataclasses

from bnpexplorer.claims import Claim, ClaimVerdict, Judged, Trial


def trials(n_seeds):
    return [
        Trial(line, x, "lda-svi", seed, batch_size=x, values=(("n_topics", 4),))
        for seed in range(n_seeds)
        for x in (5, 10, 20)
        for line in ("one", "two")
    ]


SMALL = Claim(
    "small",
    "A small claim",
    "Nobody 2020",
    "One is one.",
    "By counting.",
    trials,
    lambda findings: ClaimVerdict("holds", f"{len(findings)}"),
    lambda findings: [],
    Judged("Nobody judged it."),
)
BY_PASSES = dataclasses.replace(SMALL, name="by-passes", judged=Judged("Nobody.", 2))


def finished(study):
    while not study.done:
        study.step()
    return study
