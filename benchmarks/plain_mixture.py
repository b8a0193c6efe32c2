"""`dpm-gibbs` beside a plain sampler: `python -m benchmarks.plain_mixture FILE [FILE ...]`.

The plain sampler is the Dirichlet process form of Yin & Wang (2014), short loops and nothing else:
no moves, no history, no averages, nothing learned but clusters. Both begin with as many random
clusters and read all texts equally often, in turns, on one thread; the plain one has the eta that
`dpm-gibbs` ends with, since the number of clusters depends on it most. Seconds are processor time,
with everything that a run does but compiling and scoring.
"""

import argparse
import time
from statistics import median

import numba
import numpy as np

from bnpexplorer import Corpus, Plan, load
from bnpexplorer.core.arrays import F64, I32, I64
from bnpexplorer.methods.dpm_gibbs import DpmGibbs
from bnpexplorer.samples import SAMPLES, load_sample

PRESETS = ("default", "short-texts")


@numba.njit(cache=True)
def sweep(
    indptr: I64,
    words: I32,
    counts: I32,
    z: I64,
    docs_in: I64,
    tokens_in: I64,
    held: I64,
    gamma: float,
    eta: float,
    u: F64,
) -> None:
    """Take each document out of its cluster and draw it one anew, given those of all others.

    `indptr` int64 (D+1,), `words` int32 (U,), `counts` int32 (U,): the documents. `z` int64 (D,):
    their clusters. `docs_in` int64 (K,), `tokens_in` int64 (K,) and `held` int64 (K, V): documents,
    tokens and words of each cluster. `u` float64 (D,): uniforms.
    """
    n_clusters, n_words = held.shape
    weight = np.empty(n_clusters)
    for d in range(z.size):
        docs_in[z[d]] -= 1
        for i in range(indptr[d], indptr[d + 1]):
            held[z[d], words[i]] -= counts[i]
            tokens_in[z[d]] -= counts[i]
        total, empty = 0.0, -1
        for k in range(n_clusters):
            weight[k] = 0.0
            if docs_in[k] == 0 and empty >= 0:
                continue  # one empty cluster stands for a new one
            if docs_in[k] == 0:
                empty = k
            chance, length = float(docs_in[k]) if docs_in[k] else gamma, 0
            for i in range(indptr[d], indptr[d + 1]):
                for j in range(counts[i]):
                    above = held[k, words[i]] + eta + j
                    chance *= above / (tokens_in[k] + n_words * eta + length)
                    length += 1
            weight[k] = chance
            total += chance
        left, k = u[d] * total, 0
        while k < n_clusters - 1 and left >= weight[k]:
            left -= weight[k]
            k += 1
        z[d] = k
        docs_in[k] += 1
        for i in range(indptr[d], indptr[d + 1]):
            held[k, words[i]] += counts[i]
            tokens_in[k] += counts[i]


def plain(
    corpus: Corpus, method: DpmGibbs, eta: float, passes: int, seed: int
) -> tuple[float, int]:
    """Return the processor seconds of so many passes from where `method` begins, and how many
    clusters it found."""
    rng, started = np.random.default_rng(seed), time.process_time()
    most = min(method.n_start, max(corpus.n_docs // method.start_size, 1))
    z, room = rng.permutation(corpus.n_docs) % most, most + 50
    docs_in, held = np.bincount(z, minlength=room), np.zeros((room, corpus.n_words), np.int64)
    owners = np.repeat(z, np.diff(corpus.indptr))
    np.add.at(held, (owners, corpus.word_ids), corpus.counts)
    tokens_in, documents = held.sum(axis=1), (corpus.indptr, corpus.word_ids, corpus.counts)
    for _ in range(passes):
        u = rng.random(corpus.n_docs)
        sweep(*documents, z, docs_in, tokens_in, held, method.model.gamma, eta, u)
    return time.process_time() - started, int((docs_in > 0).sum())


def pair(
    corpus: Corpus, preset: str, passes: int, seed: int
) -> tuple[tuple[float, int], tuple[float, int]]:
    """Return the processor seconds and the clusters of `dpm-gibbs`, then those of the other."""
    run = Plan.of("dpm-gibbs", preset, seed=seed, passes=passes).start(corpus)
    started = time.process_time()
    while not run.done:
        run.step()
    found, method = (time.process_time() - started, len(run.topics)), run.method
    assert isinstance(method, DpmGibbs)
    return found, plain(corpus, method, run.topics.eta, passes, seed)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.plain_mixture", description=__doc__)
    parser.add_argument("file", nargs="+", help="a file as the app reads it, or a sample's name")
    parser.add_argument("--passes", type=int, default=30)
    parser.add_argument("--runs", type=int, default=5)
    asked = parser.parse_args()
    print("| texts | preset | dpm-gibbs, s | plain, s | times | clusters | of the plain one |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for file in asked.file:
        corpus = load_sample(file).corpus if file in SAMPLES else load(file)
        for preset in PRESETS:
            pairs = [pair(corpus, preset, asked.passes, s) for s in range(asked.runs + 1)]
            # The first compiles.
            a, n = (median(ours[i] for ours, _ in pairs[1:]) for i in (0, 1))
            b, m = (median(theirs[i] for _, theirs in pairs[1:]) for i in (0, 1))
            row = f"{corpus.name} | {preset} | {a:.2f} | {b:.2f} | {a / b:.2f} | {n:.0f} | {m:.0f}"
            print(f"| {row} |", flush=True)


if __name__ == "__main__":
    main()
