"""How well fewer topics of a run predict: `python -m benchmarks.granularity FILE ...`.

The recommended sampler learns every corpus (4,000 texts at most), and then so many topics go on for
20 passes from its largest, from its topics joined where that costs least of the likelihood of the
words (Slonim & Tishby 1999), or from nothing. Printed is, as the mean of three seeds, which part is
kept of what all topics gain over word frequencies on held-out words. `bnpexplorer.runs.about` rests
on it. Without `FILE` only the State of the Union, by paragraph, and the sample `small-csv`.
"""

import argparse
import sys
import time
from collections.abc import Sequence

import numpy as np
from scipy.special import xlogy

from bnpexplorer import Corpus, Run, recommend
from bnpexplorer.core.arrays import F64
from bnpexplorer.evaluate import score, unigram_score
from bnpexplorer.runs.about import COUNTS, plan_about
from bnpexplorer.runs.beginning import Beginning, tokens_of

from .compare import chosen_corpus
from .starts import part

CORPORA, MOST, SEEDS = ("sample:sotu", "sample:small-csv"), 4_000, 3
STARTS = ("largest", "joined", "nothing")


def entropy(tokens: F64) -> F64:
    """sum_v n_v ln n_v - n ln n of every row."""
    total = tokens.sum(axis=-1)
    return np.asarray(xlogy(tokens, tokens).sum(axis=-1) - xlogy(total, total))


def joined(tokens: F64, n_topics: int) -> F64:
    """Rows of (K, V) joined two by two, each time those that lose least, until so many are left."""
    rows = tokens.copy()
    while len(rows) > n_topics:
        own = entropy(rows)
        lost = [own[i] + own[:i] - entropy(rows[:i] + rows[i]) for i in range(1, len(rows))]
        i = min(range(len(lost)), key=lambda i: lost[i].min())
        j, i = int(lost[i].argmin()), i + 1
        rows[j] += rows[i]
        rows = np.delete(rows, i, axis=0)
    return rows[np.argsort(-rows.sum(axis=1))]


def score_of(run: Run) -> float:
    assert run.heldout is not None
    kept = run.method.kept(run.state)
    return float(score(run.method.model, run.topics, run.heldout, kept=kept))


def finish(run: Run) -> float:
    """Learn to the end; seconds of the processor."""
    began = time.process_time()
    while not run.done:
        run.step()
    return time.process_time() - began


def begun(run: Run, start: str, n_topics: int) -> Beginning | None:
    tokens = tokens_of(run.topics)
    rows = {"largest": lambda: tokens[:n_topics], "joined": lambda: joined(tokens, n_topics)}
    return Beginning(rows[start](), run.corpus.vocab, start) if start in rows else None


def measure(corpus: Corpus, name: str) -> None:
    """Print the rows of one corpus."""
    corpus = part(corpus, MOST) if corpus.n_docs > MOST else corpus
    run = recommend(corpus).split_and_start(corpus)
    seconds = finish(run)
    whole = score_of(run)
    gain = whole - unigram_score(run.corpus, run.heldout)
    n_there = int(run.topics.in_use.sum())
    print(f"\n{name}: {n_there} topics, {gain:.3f} beyond word frequencies, {seconds:.0f} s\n")
    print("| topics | " + " | ".join(STARTS) + " | seconds |\n| ---: |" + " ---: |" * 4)
    for n in (n for n in COUNTS if n < n_there):
        means = []
        for start in STARTS:
            kept = []
            for seed in range(SEEDS):
                child = plan_about(run.topics, n, begun(run, start, n), seed).start(
                    run.corpus, run.heldout
                )
                took = finish(child)
                kept.append(1.0 + (score_of(child) - whole) / gain)
            means.append(float(np.mean(kept)))
        row = " | ".join(f"{mean:.2f}" for mean in means)
        print(f"| {n} | {row} | {took:.1f} |", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.granularity", description=__doc__)
    parser.add_argument("file", nargs="*", default=CORPORA)
    for file in parser.parse_args(arguments).file:
        measure(chosen_corpus(file, None), file.rpartition("/")[2])
    return 0


if __name__ == "__main__":
    sys.exit(main())
