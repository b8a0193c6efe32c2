"""Nanoseconds a token of collapsed Gibbs samplers: `python -m benchmarks.pace FILE`.

All learn the whole corpus in one process on one thread, one sweep after the other in turn, after
sweeps that are not timed, since counts gather in few topics meanwhile. Everything that belongs to
a sweep counts, in processor time.
"""

import argparse
import sys
from collections.abc import Sequence
from statistics import median

import numpy as np

from bnpexplorer.corpus import Batch, Corpus

from .compare import chosen_corpus, machine
from .measure import Stopwatch
from .peers import Learner, Own, Settings, TomotopyLda

ALPHA, ETA = 0.1, 0.1
"""As the group "lda" of the comparison has them."""


def contestants(n_topics: int) -> dict[str, Learner]:
    """Samplers with so many topics; the HDP's from a start from many, which loses some of them."""
    lda = Settings("lda", n_topics, ALPHA, ETA, tau=1.0, kappa=0.6)
    hdp = Settings("hdp", n_topics, ALPHA * n_topics, ETA, 1.0, 0.6, gamma=10.0)
    many = {"start": "many", "n_start": n_topics, "start_passes": 5}
    return {
        "lda-gibbs": Own(lda, "lda-gibbs"),
        "hdp-gibbs": Own(hdp, "hdp-gibbs", **many),
        "tomotopy LDAModel": TomotopyLda(lda),
    }


def measured(corpus: Corpus, n_topics: int, sweeps: int, runs: int) -> dict[str, list[float]]:
    """Nanoseconds a token of every contestant, one for each run."""
    learners, batch = contestants(n_topics), Batch(corpus, np.arange(corpus.n_docs), 0, 1)
    found: dict[str, list[float]] = {name: [] for name in learners}
    for learner in learners.values():
        learner.start(corpus, 0)
        for _ in range(sweeps):
            learner.learn(learner.prepare(batch))
    for _ in range(runs):
        for name, learner in learners.items():
            watch, prepared = Stopwatch(), learner.prepare(batch)
            with watch:
                for _ in range(3):
                    learner.learn(prepared)
            found[name].append(watch.seconds / 3 / corpus.n_tokens * 1e9)
    found["topics of hdp-gibbs"] = [float(len(learners["hdp-gibbs"].topics()))]
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pace", description=__doc__)
    parser.add_argument("corpus", help="a corpus file or folder, or sample:NAME")
    parser.add_argument("--vocab", help="the vocabulary of a counts file")
    parser.add_argument("--topics", type=int, nargs="+", default=[50, 100, 200, 400, 800])
    parser.add_argument("--sweeps", type=int, default=30, help="before those that are timed")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args(arguments)
    try:
        corpus = chosen_corpus(options.corpus, options.vocab)
    except ValueError as problem:
        print(f"pace: {problem}", file=sys.stderr)
        return 2
    print(f"{machine()}\n{corpus.n_docs:,} documents, {corpus.n_tokens:,} tokens\n")
    print("| topics | lda-gibbs | hdp-gibbs (its topics) | tomotopy | times as fast |")
    print("|---:|---:|---:|---:|---:|")
    for n_topics in options.topics:
        found = measured(corpus, n_topics, options.sweeps, options.runs)
        theirs = found["tomotopy LDAModel"]
        lda, hdp = found["lda-gibbs"], found["hdp-gibbs"]
        times = [median(b / a for a, b in zip(ours, theirs, strict=True)) for ours in (lda, hdp)]
        print(
            f"| {n_topics} | {median(lda):.0f} ns | {median(hdp):.0f} ns "
            f"({found['topics of hdp-gibbs'][0]:.0f}) | {median(theirs):.0f} ns "
            f"| {times[0]:.2f}, {times[1]:.2f} |",
            flush=True,
        )
    print(f"\n{machine()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
