"""The parallel sampler beside the collapsed one: `python -m benchmarks.scale.gibbs FILE`.

Four figures: processor time a token with 100 topics, beside `hdp-gibbs`; the same with 1,000
topics, over that with 100; passes with two threads, over one, by wall clock, in turns; and held-out
scores after equal seconds, with two threads and one.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from statistics import median

import numpy as np

from bnpexplorer.corpus import Batch, Corpus
from bnpexplorer.evaluate import score, split_heldout
from bnpexplorer.inference.pool import Pool, Threads
from bnpexplorer.inference.start import GivenTopics
from bnpexplorer.methods import make_method

from ..compare import chosen_corpus, machine

COLLAPSED, PARALLEL = "hdp-gibbs", "hdp-parallel-gibbs"
KNOBS = {COLLAPSED: {}, PARALLEL: {"draw": "poisson"}}
"""Poisson counts whatever the texts, so that figures of several texts compare."""


class Chain:
    """One sampler that reads the whole corpus at every step."""

    def __init__(self, corpus: Corpus, name: str, n_topics: int | None = None) -> None:
        self.method, self.rng = make_method(name, "default", KNOBS[name]), np.random.default_rng(0)
        self.batch = Batch(corpus, np.arange(corpus.n_docs), 0, 1, corpus)
        if n_topics is None:
            self.state = self.method.init(corpus, self.rng)
        else:
            given = random_topics(corpus, n_topics, self.rng)
            self.state = self.method.begin(corpus, given, self.rng)

    def learn(self, n_passes: int, pool: Pool | None = None) -> None:
        for _ in range(n_passes):
            self.state, _ = self.method.step(self.state, self.batch, self.rng, pool)


def random_topics(corpus: Corpus, n_topics: int, rng: np.random.Generator) -> GivenTopics:
    """So many, of documents at random and all others a little: a start by number has at most as
    many as suit the length of the texts."""
    some = corpus.take(
        np.sort(rng.choice(corpus.n_docs, n_topics, replace=n_topics > corpus.n_docs))
    )
    return GivenTopics(some.to_csr().toarray() + np.asarray(corpus.to_csr().mean(axis=0)))


def nanoseconds(
    corpus: Corpus, chains: dict[str, Chain], sweeps: int, runs: int
) -> dict[str, float]:
    """Processor time a token of every chain after `sweeps` passes; medians of `runs` in turn."""
    found: dict[str, list[float]] = {name: [] for name in chains}
    for chain in chains.values():
        chain.learn(sweeps)
    for _ in range(runs):
        for name, chain in chains.items():
            found[name].append(timed(time.process_time, lambda c=chain: c.learn(3)) / 3)  # type: ignore[misc]
    return {name: median(times) / corpus.n_tokens * 1e9 for name, times in found.items()}


def timed(clock: Callable[[], float], work: Callable[[], None]) -> float:
    began = clock()
    work()
    return clock() - began


def speedup(chain: Chain, runs: int) -> float:
    """Wall clock of three passes with one thread over that with two; median of `runs` in turn."""
    ratios = []
    with Threads(2) as two:
        for _ in range(runs):
            alone = timed(time.perf_counter, lambda: chain.learn(3))
            ratios.append(alone / timed(time.perf_counter, lambda: chain.learn(3, two)))
    return median(ratios)


def scores(corpus: Corpus, seconds: float) -> dict[str, float]:
    """Held-out scores after so many seconds by wall clock, averaged over kept states."""
    train, heldout = split_heldout(corpus, seed=0, n=max(corpus.n_docs // 10, 1))
    found = {}
    for name, n_threads in ((COLLAPSED, 1), (PARALLEL, 2)):
        chain = Chain(train, name)
        with Threads(n_threads) as pool:
            ends = time.perf_counter() + seconds
            while time.perf_counter() < ends:
                chain.learn(1, pool)
        topics, kept = chain.method.topics(chain.state), chain.method.kept(chain.state)
        found[name] = score(chain.method.model, topics, heldout, kept=kept)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale.gibbs", description=__doc__)
    parser.add_argument("corpus", help="a corpus file or folder, or sample:NAME")
    parser.add_argument("--vocab", help="the vocabulary of a counts file")
    parser.add_argument("--sweeps", type=int, default=30, help="before those that are timed")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each scored run")
    options = parser.parse_args(arguments)
    try:
        corpus = chosen_corpus(options.corpus, options.vocab)
    except ValueError as problem:
        print(f"gibbs: {problem}", file=sys.stderr)
        return 2
    print(f"{machine()}\n{corpus.n_docs:,} documents, {corpus.n_tokens:,} tokens\n", flush=True)
    print("| sampler | topics | ns a token and core | goal |\n|---|---:|---:|---|")
    chains = {
        COLLAPSED: Chain(corpus, COLLAPSED, 100),
        PARALLEL: Chain(corpus, PARALLEL, 100),
        "many": Chain(corpus, PARALLEL, 1000),
    }
    found = nanoseconds(corpus, chains, options.sweeps, options.runs)
    print(f"| {COLLAPSED} | 100 | {found[COLLAPSED]:.0f} | |")
    print(f"| {PARALLEL} | 100 | {found[PARALLEL]:.0f} | no more than {COLLAPSED} |")
    times = found["many"] / found[PARALLEL]
    n_first = len(chains["many"].state.count)
    print(f"| {PARALLEL} | {n_first} | {found['many']:.0f} ({times:.2f} times) | twice at most |")
    print(f"\nTwo threads: {speedup(chains[PARALLEL], options.runs):.2f} times one (goal 1.8).")
    reached = scores(corpus, options.seconds)
    print(
        f"After {options.seconds:g} s: {COLLAPSED}, one thread {reached[COLLAPSED]:.4f}; "
        f"{PARALLEL}, two threads {reached[PARALLEL]:.4f} (goal: no worse).\n\n{machine()}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
