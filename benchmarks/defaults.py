"""The recommended plan beside the alternatives: `python -m benchmarks.defaults FILE ...`.

For every corpus and method, as its form starts it: held-out score, coherence of the topics that
hold nearly everything, seconds of learning, topics, and the share of filler. `--minutes` ends each
run. `FILE`: as the app reads it, or `sample:NAME`; `--documents` takes so many of each, evenly.
Prints a Markdown table and writes a line for every run to `--out`.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from bnpexplorer.corpus import Corpus
from bnpexplorer.evaluate import npmi, topics_covering, unigram_score
from bnpexplorer.explore.filler import filler
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.recommend import recommend

from .compare import chosen_corpus

METHODS = ("hdp-gibbs", "dpm-gibbs", "hdp-tsvi", "hdp-svi", "lda-gibbs", "lda-svi")
HEADS = ("corpus", "method", "score", "over word frequencies", "coherence", "topics", "filler", "s")


def plans(corpus: Corpus, minutes: float) -> Iterator[tuple[str, Plan]]:
    """The recommended plan, and each method's own."""
    chosen = recommend(corpus)
    yield f"**{chosen.method.name}**", replace(chosen, minutes=minutes)
    for name in METHODS:
        if name != chosen.method.name:
            yield name, Plan.of(name, minutes=minutes)


def measured(corpus: Corpus, name: str, plan: Plan) -> dict[str, object]:
    """One run to its end, and what came of it."""
    run = plan.split_and_start(corpus)
    while not run.done:
        run.step()
    moment = run.moment()
    topics = moment.topics
    rows = topics.by_size[: topics_covering(topics)]
    values = npmi(topics.topic_word[rows], run.corpus)
    useless = filler(moment.model, topics, run.corpus)
    share = sum(moment.share(topic) for topic in useless)
    unigram = unigram_score(run.corpus, run.heldout) if run.heldout else float("nan")
    score = moment.snapshot.heldout if moment.snapshot.heldout is not None else float("nan")
    return {
        "corpus": corpus.name,
        "method": name,
        "score": round(score, 3),
        "over word frequencies": f"{100 * (np.exp(score - unigram) - 1):.0f} %",
        "coherence": round(float(np.nanmean(values)), 3),
        "topics": len(moment.in_use),
        "filler": f"{len(useless)} ({100 * share:.0f} %)",
        "s": round(moment.snapshot.seconds, 1),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--documents", type=int, default=4000)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--out", type=Path, default=Path("defaults.jsonl"))
    options = parser.parse_args(arguments)
    print(f"| {' | '.join(HEADS)} |\n|---|---|{'---:|' * (len(HEADS) - 2)}")
    for file in options.files:
        corpus = chosen_corpus(file, None)
        if corpus.n_docs > options.documents:
            rows = np.linspace(0, corpus.n_docs - 1, options.documents).astype(np.int64)
            corpus = corpus.take(np.unique(rows))
        for name, plan in plans(corpus, options.minutes):
            found = measured(corpus, name, plan)
            with options.out.open("a") as lines:
                lines.write(json.dumps(found) + "\n")
            print(f"| {' | '.join(str(found[head]) for head in HEADS)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
