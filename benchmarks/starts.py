"""What starts and moves are worth: `python -m benchmarks.starts FILE [FILE ...]`.

Every preset of the methods below learns every corpus with three seeds; a table of medians is
printed. Score: document completion for topics, the exact predictive for clusters. Where texts have
labels, clusters are also held against them (normalised mutual information). `FILE`: as the app
reads it, or the name of a sample. Seconds are processor time of learning and scoring.

Other settings than presets, on a part of the texts, as the defaults were chosen:

    python -m benchmarks.starts FILE --docs 2000 --seeds 2 --only dpm-gibbs \\
        --try dpm-gibbs gamma=5 learn_gamma=true --try dpm-gibbs learn_eta=false
"""

import argparse
import time
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

from bnpexplorer import Corpus, Plan, load
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


@dataclass(frozen=True)
class Reached:
    """Where one run ended."""

    n_topics: int
    heldout: float
    seconds: float
    information: float
    """Normalised mutual information of clusters and labels; nan where there are none."""


def reached(
    method: str, preset: str, corpus: Corpus, seed: int, values: Mapping[str, Any] = {}
) -> Reached:
    run = Plan.of(method, preset, values, seed=seed).split_and_start(corpus)
    started = time.process_time()
    while not run.done:
        run.step()
    last = run.history[-1]
    seconds = time.process_time() - started
    return Reached(last.n_topics, last.heldout, seconds, information(run))


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


def setting_of(words: list[str]) -> tuple[str, str, dict[str, Any]]:
    """`dpm-gibbs gamma=5 learn_eta=true`: the method, how its row is called, and its values."""
    method, *settings = words
    plain = dict(setting.split("=", 1) for setting in settings)
    switches = {"true": True, "false": False}
    return method, ", ".join(settings), {k: switches.get(v, v) for k, v in plain.items()}


def part(corpus: Corpus, n_docs: int | None) -> Corpus:
    """So many documents at random, always the same; all if that is more, or None."""
    if n_docs is None or n_docs >= corpus.n_docs:
        return corpus
    rows = np.random.default_rng(0).permutation(corpus.n_docs)[:n_docs]
    return corpus.take(np.sort(rows))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.starts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", nargs="+")
    parser.add_argument("--vocab", help="the vocabulary of files of counts")
    parser.add_argument("--docs", type=int, help="learn no more than so many documents")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", help="presets of this sampler alone")
    parser.add_argument("--try", nargs="+", action="append", default=[], dest="tries")
    asked = parser.parse_args()
    presets = [(m, p) for m, p in PRESETS if asked.only in (None, m)]
    for file in asked.file:
        whole = load_sample(file).corpus if file in SAMPLES else load(file, vocab=asked.vocab)
        corpus = part(whole, asked.docs)
        print(f"\n{corpus.name}: {corpus.n_docs:,} documents, {corpus.n_tokens:,} tokens\n")
        print("| method, preset | topics | score | information | seconds |")
        print("|---|---:|---:|---:|---:|")
        for method, preset in presets:
            runs = [reached(method, preset, corpus, s) for s in range(asked.seeds)]
            print(row(method, preset, runs), flush=True)
        for method, name, values in map(setting_of, asked.tries):
            runs = [reached(method, "default", corpus, s, values) for s in range(asked.seeds)]
            print(row(method, name, runs), flush=True)


if __name__ == "__main__":
    main()
