"""What is seen after "Watch it learn", by sample: `python -m benchmarks.demonstration`.

For every sample of the Start page and three seeds, the two plans of the demonstration learn as far
as they go, and a row of a table is printed: topics in use after the first mini-batch and at most,
at how many counts of documents the line rises, where the truncated method begins to shrink, and how
many topics it has at the end. `--seeds N` takes others; it needs half a minute of processor time a
seed.
"""

import argparse
from dataclasses import dataclass

from bnpexplorer.runs.demonstration import SEEN, plans
from bnpexplorer.runs.plan import Plan
from bnpexplorer.samples import load_sample


@dataclass(frozen=True)
class Curve:
    """Topics in use of one run: (documents seen, topics) at every row of its history."""

    points: tuple[tuple[int, int], ...]

    @property
    def topics(self) -> list[int]:
        return [n for _, n in self.points]

    @property
    def rises(self) -> list[int]:
        """Counts of documents at which there are more topics than ever before."""
        return [d for i, (d, n) in enumerate(self.points) if i and n > max(self.topics[:i])]

    @property
    def shrinks_at(self) -> int:
        """Documents seen when there are fewer topics than at first; -1 if that never happens."""
        return next((d for d, n in self.points if n < self.topics[0]), -1)


def curve(plan: Plan, sample: str) -> Curve:
    """The curve that the page draws of the plan's run, as it stands at its end."""
    run = plan.split_and_start(load_sample(sample).corpus)
    while not run.done:
        run.step()
    return Curve(tuple((p.docs_seen, p.n_topics) for p in run.history))


def row(sample: str, seed: int) -> str:
    """One row of the table."""
    grown, shrunk = (curve(p, sample) for p in plans(sample, load_sample(sample).corpus, seed))
    return (
        f"| {sample} | {seed} | {grown.topics[0]} | {max(grown.topics)} | {len(grown.rises)} | "
        f"{shrunk.topics[0]} | {shrunk.shrinks_at:,} | {shrunk.topics[-1]} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.demonstration")
    parser.add_argument("--seeds", type=int, default=3)
    seeds = parser.parse_args().seeds
    print(
        "| sample | seed | begins | at most | rises at | starts with | shrinks from | ends with |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for sample in SEEN:
        for seed in range(seeds):
            print(row(sample, seed), flush=True)


if __name__ == "__main__":
    main()
