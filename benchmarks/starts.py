"""What starts and moves are worth: `python -m benchmarks.starts FILE [FILE ...]`.

Every preset of the methods below learns every corpus with three seeds; a table of medians is
printed. Score: document completion for topics, the exact predictive for clusters. Where texts have
labels, clusters are also held against them (normalised mutual information). `FILE`: as the app
reads it, or the name of a sample.
"""

import argparse
from dataclasses import dataclass
from statistics import median

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

from bnpexplorer import Plan
from bnpexplorer.corpus import Corpus, load
from bnpexplorer.inference.mixture import log_joint
from bnpexplorer.runs.run import Run
from bnpexplorer.samples import SAMPLES, load_sample

PRESETS = (
    ("dpm-gibbs", "neal-2000"),
    ("dpm-gibbs", "default"),
    ("dpm-gibbs", "short-texts"),
    ("hdp-gibbs", "from-nothing"),
    ("hdp-gibbs", "default"),
    ("dpm-tsvi", "default"),
    ("dpm-tsvi", "from-many"),
    ("hdp-tsvi", "default"),
    ("hdp-tsvi", "from-many"),
)
SEEDS = range(3)


@dataclass(frozen=True)
class Reached:
    """Where one run ended."""

    n_topics: int
    heldout: float
    seconds: float
    information: float
    """Normalised mutual information of clusters and labels; nan where there are none."""


def reached(method: str, preset: str, corpus: Corpus, seed: int) -> Reached:
    run = Plan.of(method, preset, seed=seed).split_and_start(corpus)
    while not run.done:
        run.step()
    last = run.history[-1]
    return Reached(last.n_topics, last.heldout, run.seconds, information(run))


def information(run: Run) -> float:
    """Of the most probable cluster of every document about its label."""
    labels = run.corpus.docs.label
    if labels is None or not run.method.model.mixture:
        return float("nan")
    clusters = log_joint(run.method.topics(run.state), run.corpus, None).argmax(axis=1)
    return float(normalized_mutual_info_score(labels.astype(str), clusters))


def row(method: str, preset: str, runs: list[Reached]) -> str:
    topics = median(run.n_topics for run in runs)
    known = np.median([run.information for run in runs])
    return (
        f"| `{method}`, {preset} | {topics:.0f} | {median(run.heldout for run in runs):.3f} | "
        f"{'' if np.isnan(known) else f'{known:.2f}'} | "
        f"{median(run.seconds for run in runs):.1f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.starts", description=__doc__)
    parser.add_argument("file", nargs="+")
    parser.add_argument("--vocab", help="the vocabulary of files of counts")
    asked = parser.parse_args()
    for file in asked.file:
        corpus = load_sample(file).corpus if file in SAMPLES else load(file, vocab=asked.vocab)
        print(f"\n{corpus.name}: {corpus.n_docs:,} documents, {corpus.n_tokens:,} tokens\n")
        print("| method, preset | topics | score | information | seconds |")
        print("|---|---:|---:|---:|---:|")
        for method, preset in PRESETS:
            print(row(method, preset, [reached(method, preset, corpus, s) for s in SEEDS]))


if __name__ == "__main__":
    main()
