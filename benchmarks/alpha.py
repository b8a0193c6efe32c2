"""Whether to learn alpha: `python -m benchmarks.alpha FILE ...`.

The sampler of topics learns every corpus with its alpha of 5, and with alpha learned: three
seeds, 4,000 texts and half a minute of learning each at most. Printed are held-out scores, the
topics and alpha at the end, as means of the seeds, and what learning alpha gains, with the standard
error by seeds.
"""

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bnpexplorer import Corpus, Plan, recommend

from .compare import chosen_corpus
from .granularity import score_of
from .starts import part

MOST, SEEDS, MINUTES = 4_000, 3, 0.5


@dataclass(frozen=True)
class Outcome:
    """One run at its end."""

    score: float
    topics: int
    alpha: float
    passes: float


def outcome(corpus: Corpus, seed: int, learns: bool, minutes: float) -> Outcome:
    best = recommend(corpus)
    plan = Plan.of("hdp-gibbs", "learned-alpha" if learns else "default", minutes=minutes)
    plan = replace(plan, seed=seed, passes=best.passes)
    run = plan.split_and_start(corpus)
    while not run.done:
        run.step()
    topics = run.topics
    passes = run.docs_seen / run.corpus.n_docs
    return Outcome(score_of(run), int(topics.in_use.sum()), topics.concentration, passes)


def row(corpus: Corpus, seeds: int, minutes: float) -> str:
    found = [
        [outcome(corpus, seed, learns, minutes) for seed in range(seeds)]
        for learns in (False, True)
    ]
    gains = np.array([two.score - one.score for one, two in zip(*found, strict=True)])
    error = gains.std(ddof=1) / math.sqrt(seeds) if seeds > 1 else math.nan
    cells = [corpus.name, f"{corpus.n_docs:,}", f"{corpus.doc_lengths.mean():.0f}"]
    for runs in found:
        means = [np.mean([getattr(one, f) for one in runs]) for f in ("score", "topics", "passes")]
        cells += [f"{means[0]:.3f}", f"{means[1]:.0f}", f"{means[2]:.0f}"]
    alpha = np.mean([one.alpha for one in found[1]])
    return "| " + " | ".join([*cells, f"{alpha:.2f}", f"{gains.mean():+.3f} ± {error:.3f}"]) + " |"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", default=["sample:sotu", "sample:small-csv"])
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--minutes", type=float, default=MINUTES)
    options = parser.parse_args(arguments)
    print(
        "| texts | number | words | alpha 5 | topics | passes | alpha learned | topics | "
        "passes | alpha | gain |"
    )
    print("|---|" + "---:|" * 10)
    for file in options.files:
        corpus = part(chosen_corpus(file, None), MOST)
        print(row(corpus, options.seeds, options.minutes), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
