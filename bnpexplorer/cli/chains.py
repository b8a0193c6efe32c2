"""What `fit --chains` tells beside the first run: whether the chains have met, whom to trust."""

import math
from typing import Any

from ..chains import QUANTITIES, Chains, Found, found_topics
from ..corpus.source import plural

LISTED = 8
"""Topics that are listed at most of those found by so many chains."""


def facts_of_chains(chains: Chains) -> dict[str, Any]:
    """What the JSON object has beside the facts of the first chain; null for what is no number."""
    verdict, found = chains.verdict(), topics_of_chains(chains)
    parts = zip(chains.runs, chains.starts, chains.snapshot(), strict=True)
    return {
        "chains": [
            {
                "seed": run.seed,
                "start": start or None,
                "heldout": snapshot.heldout,
                "topics": len(run.moment(snapshot).in_use),
            }
            for run, start, snapshot in parts
        ],
        "heldout_of_all": chains.score(),
        "rhat": _finite(verdict.rhat),
        "ess": _finite(verdict.ess),
        "met": verdict.met,
        "sentence": verdict.sentence,
        "topics_found_by": {
            str(n): sum(len(one.chains) == n for one in found)
            for n in range(len(chains.sound), 0, -1)
        },
    }


def print_chains(chains: Chains) -> None:
    """The sentence, a row a quantity with its mean in every chain, and the topics to trust."""
    verdict, draws = chains.verdict(), chains.kept_draws()
    print(f"\n{verdict.sentence}")
    if draws:
        print(f"\nmeans over the latter half of each chain, {plural(verdict.n_draws, 'draw')}:")
        starts = [f"{i + 1} {chains.starts[i]}".strip() for i in chains.sound]
        rows = [["", "R-hat", "ESS", *starts]]
        for key, values in draws.items():
            means = [f"{mean:,.2f}" for mean in values.mean(axis=1)]
            numbers = [f"{verdict.rhat[key]:.3f}", f"{verdict.ess[key]:.0f}"]
            rows.append([QUANTITIES[key].title, *numbers, *means])
        _print_rows(rows)
    score = chains.score()
    if score is not None:
        print(f"\nheld-out score       {score:.4f} log likelihood per word, over all chains")
    _print_found(chains, topics_of_chains(chains))


def topics_of_chains(chains: Chains) -> list[Found]:
    """The topics of the chains as they stand, without those of a chain that failed."""
    snapshots = chains.snapshot()
    return found_topics([snapshots[i].topics for i in chains.sound])


def _print_rows(rows: list[list[str]]) -> None:
    """The first column at the left, numbers at the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        print("  ".join([first.ljust(widths[0]), *cells]).rstrip())


def _print_found(chains: Chains, found: list[Found]) -> None:
    """How many topics so many chains have found, and the largest of them."""
    snapshots = chains.snapshot()
    moments = [chains.runs[i].moment(snapshots[i]) for i in chains.sound]
    for n in range(len(moments), 0, -1):
        those = [one for one in found if len(one.chains) == n]
        if those:
            print(f"\nfound by {n} of {len(moments)} chains: {plural(len(those), moments[0].noun)}")
        for one in those[:LISTED]:
            words = moments[one.chain].words_line(one.topic, 8, " ")
            print(f"{one.share:6.1%}  {words}")


def _finite(numbers: dict[str, float]) -> dict[str, float | None]:
    return {key: value if math.isfinite(value) else None for key, value in numbers.items()}
