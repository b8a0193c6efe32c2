"""How far scores depend on starts of the fold-in: `python -m benchmarks.fold_in FILE ...`.

The recommended sampler learns every corpus (4,000 texts at most). Its last state then predicts the
first 25, the first 100 and all held-out documents: from one start, of six in turn, and from four
starts together, of which two are drawn anew by three seeds. Printed is how far the highest score
lies above the lowest, and what a score and the whole run take of the processor.
Without `FILE` the State of the Union, by paragraph, and the samples `small-csv` and `bars`.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bnpexplorer import Corpus, Plan, Run, recommend
from bnpexplorer.core.arrays import F64
from bnpexplorer.evaluate import Heldout, from_one_start
from bnpexplorer.evaluate.score import averaged, completion_by_start
from bnpexplorer.inference import fold_in

from .compare import chosen_corpus
from .starts import part

CORPORA, MOST, SEEDS = ("sample:sotu", "sample:small-csv", "sample:bars"), 4_000, 3
DOCUMENTS = (25, 100, 10**9)


def of_first(heldout: Heldout, p: F64) -> list[float]:
    """Scores of the first documents by probabilities of hidden pairs, float64 (U,)."""
    hidden = heldout.hidden
    ends = [hidden.indptr[min(n, hidden.n_docs)] for n in DOCUMENTS]
    logs = hidden.counts * np.log(p)
    return [float(logs[:end].sum() / hidden.counts[:end].sum()) for end in ends]


def scores(run: Run) -> tuple[F64, F64]:
    """(starts alone, starts together) of the last state: float64 (6, 3) and (3, 3)."""
    heldout, model, seed = run.heldout, run.method.model, fold_in.SEED
    assert heldout is not None
    alone, together = [], []
    for i in range(SEEDS):
        fold_in.SEED = seed + i
        found = completion_by_start(model, run.topics, heldout, run.pool)
        alone += [of_first(heldout, p) for p in found.p[2 if i > 0 else 0 :]]
        together.append(of_first(heldout, averaged(found, np.diff(heldout.hidden.indptr))))
    fold_in.SEED = seed
    return np.array(alone[:6]), np.array(together)


def seconds_of(plan: Plan, corpus: Corpus) -> tuple[Run, float, float]:
    """A run, what it took in all, and what a score of its last state takes."""
    run = plan.split_and_start(corpus)
    run.prepare()
    began = time.process_time()
    while not run.done:
        run.step()
    whole = time.process_time() - began
    assert run.heldout is not None
    took = []
    for _ in range(3):
        began = time.process_time()
        completion_by_start(run.method.model, run.topics, run.heldout, run.pool)
        took.append(time.process_time() - began)
    return run, whole, sorted(took)[1]


def measure(corpus: Corpus, name: str) -> None:
    """Print the row of one corpus."""
    corpus = part(corpus, MOST) if corpus.n_docs > MOST else corpus
    plan = recommend(corpus)
    seconds_of(replace(plan, passes=1), corpus)  # compiles, or loads what is compiled
    one = replace(plan, protocol=from_one_start(plan.protocol_for(corpus)))
    _, whole_before, score_before = seconds_of(one, corpus)
    run, whole, score = seconds_of(plan, corpus)
    alone, together = (np.ptp(found, axis=0) for found in scores(run))
    cells = [f"{a:.3f} → {b:.3f}" for a, b in zip(alone, together, strict=True)]
    times = [f"{1e3 * score_before:.0f} → {1e3 * score:.0f}", f"{whole_before:.1f} → {whole:.1f}"]
    n_topics = int(run.topics.in_use.sum())
    print(f"| {name} | {n_topics} | " + " | ".join([*cells, *times]) + " |", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fold_in", description=__doc__)
    parser.add_argument("file", nargs="*", default=CORPORA)
    print("| corpus | topics | 25 documents | 100 | all | score, ms | run, s |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for file in parser.parse_args(arguments).file:
        measure(chosen_corpus(file, None), file.rpartition("/")[2])
    return 0


if __name__ == "__main__":
    sys.exit(main())
