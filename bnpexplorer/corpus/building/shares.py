"""How far a build is, in all its steps together."""

SHARES = {
    **{"reading": 0.25, "grouping": 0.05, "bringing together": 0.1, "joining": 0.1},
    **{"dividing": 0.1, "cutting": 0.4, "finding pairs": 0.1, "finding threes": 0.1},
    **{"finding phrases": 0.2, "counting": 0.45, "numbering": 0.1, "writing": 0.2},
}
"""Of the time, in their order; steps that nobody asks for are passed over."""


def of_all(what: str, share: float) -> float:
    """The share of all work that is done, from 0 to 1, with so much of a step.

    Raises ValueError for a step that there is not.
    """
    steps = [*SHARES]
    before = sum(SHARES[step] for step in steps[: steps.index(what)])
    return (before + SHARES[what] * share) / sum(SHARES.values())
