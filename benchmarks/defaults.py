"""The recommended plan beside the alternatives: `python -m benchmarks.defaults FILE ...`.

For every corpus: the recommended plan, the same with no more passes than its form has, the same on
texts cleaned up or with phrases joined, and each method as its form starts it. Held-out score, of
the same hidden words for all methods (texts read in another way have other words); by how much it
predicts better than word frequencies; coherence of the topics that hold nearly everything; topics;
filler with its share of the words; seconds of learning. `--minutes` ends each run. `FILE`: as the
app reads it, or `sample:NAME`; `--documents` takes so many of each, evenly. Adds a line for every
run to `--out` and prints its tables in Markdown; without files it prints them alone.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bnpexplorer import load
from bnpexplorer.corpus import Corpus
from bnpexplorer.evaluate import (
    default_protocol,
    from_one_start,
    npmi,
    topics_covering,
    unigram_score,
)
from bnpexplorer.explore.filler import filler
from bnpexplorer.inference.pool import Threads
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.recommend import recommend

from .compare import chosen_corpus

KEPT = Path(__file__).with_name("defaults.jsonl")
METHODS = ("hdp-gibbs", "dpm-gibbs", "hdp-tsvi", "hdp-svi", "lda-gibbs", "lda-svi")
COUNTED = (".gz", ".ldac")
"""Files that hold counts, of which nothing is read anew."""
READINGS: dict[str, dict[str, Any]] = {
    "cleaned up": {"clean": "auto"},
    "with phrases": {"phrases": True},
}
"""How texts may be read besides as they stand."""


def alternatives(file: str, documents: int, minutes: float) -> Iterator[tuple[Corpus, str, Plan]]:
    """The recommended plan of a file, and what one could do instead."""
    corpus = some(chosen_corpus(file, None), documents)
    chosen = recommend(corpus)
    name = chosen.method.name
    yield corpus, f"**{name}**", replace(chosen, minutes=minutes)
    same = default_protocol(chosen.method.model.name, corpus)
    own = Plan.of(name, minutes=minutes)
    if chosen.passes_for(corpus.n_docs) != own.passes_for(corpus.n_docs):
        yield corpus, f"{name}, {own.passes_for(corpus.n_docs)} passes", own
    for words, settings in READINGS.items():
        if Path(file).is_file() and not file.endswith(COUNTED):
            read = some(load(file, **settings), documents)
            yield read, f"{name}, {words}", replace(recommend(read), minutes=minutes)
    for other in METHODS:
        if other != name:
            yield corpus, other, Plan.of(other, minutes=minutes, protocol=same)


def some(corpus: Corpus, most: int) -> Corpus:
    """So many of its documents at most, evenly."""
    if corpus.n_docs <= most:
        return corpus
    return corpus.take(np.unique(np.linspace(0, corpus.n_docs - 1, most).astype(np.int64)))


def measured(corpus: Corpus, name: str, plan: Plan) -> dict[str, object]:
    """One run to its end, and what came of it."""
    plan = replace(plan, protocol=from_one_start(plan.protocol_for(corpus)))  # as lines kept
    run = plan.split_and_start(corpus, pool=Threads(1))  # whose seconds compare across machines
    while not run.done:
        run.step()
    moment = run.moment()
    topics = moment.topics
    rows = topics.by_size[: topics_covering(topics)]
    values = npmi(topics.topic_word[rows], run.corpus)
    useless = filler(moment)
    share = sum(moment.share(topic) for topic in useless)
    unigram = unigram_score(run.corpus, run.heldout) if run.heldout else float("nan")
    score = moment.snapshot.heldout if moment.snapshot.heldout is not None else float("nan")
    return {
        "corpus": corpus.name,
        "method": name,
        "score": round(score, 3),
        "better": round(100 * (np.exp(score - unigram) - 1)),
        "coherence": round(float(np.nanmean(values)), 2),
        "topics": len(moment.in_use),
        "filler": len(useless),
        "share": round(100 * share),
        "seconds": round(moment.snapshot.seconds, 1),
    }


CELLS = {
    "Held-out score, topics in brackets": "{score:.3f} ({topics})",
    "Better than word frequencies at unseen words, per cent": "{better}",
    "Coherence (NPMI)": "{coherence:.2f}",
    "Filler topics, share of the words in brackets": "{filler} ({share} %)",
    "Seconds of learning": "{seconds:.1f}",
}
"""Title of a table -> what stands in its cells."""


def tables(lines: Sequence[dict[str, Any]]) -> str:
    """The newest run of every method and corpus, in Markdown; the plan recommended leads."""
    found = {(line["method"], line["corpus"]): line for line in lines}
    methods = sorted({m for m, _ in found}, key=lambda m: ("*" not in m, "," not in m, m))
    corpora = list(dict.fromkeys(corpus for _, corpus in found))
    parts = []
    for title, cell in CELLS.items():
        rows = [[title, *corpora], ["---", *["---:"] * len(corpora)]]
        for method in methods:
            cells = (found.get((method, corpus)) for corpus in corpora)
            rows.append([method, *(cell.format(**line) if line else "" for line in cells)])
        parts.append("\n".join(f"| {' | '.join(row)} |" for row in rows))
    return "\n\n".join(parts)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.defaults", description=__doc__)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--documents", type=int, default=4000)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--out", type=Path, default=KEPT)
    options = parser.parse_args(arguments)
    for file in options.files:
        for corpus, name, plan in alternatives(file, options.documents, options.minutes):
            with options.out.open("a") as lines:
                lines.write(json.dumps(measured(corpus, name, plan)) + "\n")
    print(tables([json.loads(line) for line in options.out.read_text().splitlines()]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
