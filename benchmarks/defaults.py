"""The recommended plan beside the alternatives: `python -m benchmarks.defaults FILE ...`.

For every corpus: the recommended plan, the same with no more passes than its form has, the same on
texts cleaned up or with phrases joined, and each method as its form starts it. Held-out score, of
the same hidden words for all methods (texts read in another way have other words); by how much it
predicts better than word frequencies; coherence of the topics that hold nearly everything; topics;
filler with its share of the words; seconds of learning. `--minutes` ends each run. `FILE`: as the
app reads it, or `sample:NAME`; `--documents` takes so many of each, evenly. Adds a line for every
run to `--out` and prints its tables in Markdown; without files it prints them alone.

`--check`: whether each method at its default is worth starting: it learns every sample, and the
files, to its end, with `--seeds` seeds. Told are, in the worst of them, by how much it predicts
held-out words better than word frequencies and the points of its curve; and, with the first seed,
where the log joint stood among those of a chain three times as long.
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
from bnpexplorer.corpus.text import usual_settings
from bnpexplorer.evaluate import (
    default_protocol,
    from_one_start,
    npmi,
    topics_covering,
    unigram_score,
)
from bnpexplorer.inference.pool import Threads
from bnpexplorer.methods import METHODS as ALL
from bnpexplorer.runs.plan import Plan, words_each
from bnpexplorer.runs.recommend import recommend
from bnpexplorer.runs.run import Run
from bnpexplorer.samples import SAMPLES

from .compare import chosen_corpus

KEPT = Path(__file__).with_name("defaults.jsonl")
METHODS = ("hdp-gibbs", "dpm-gibbs", "hdp-tsvi", "hdp-svi", "lda-gibbs", "lda-svi")
COUNTED = (".gz", ".ldac")
"""Files that hold counts, of which nothing is read anew."""
LONGER = 3
"""Times as long is the chain with which the log joint at the end is compared."""
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
    size = (corpus.n_docs, words_each(corpus))
    recommended, usual = chosen.passes_for(*size), own.passes_for(*size)
    if recommended != usual:
        yield corpus, f"{name}, {usual} passes", own
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


def read_alone(corpus: Corpus, most: int) -> Corpus:
    """So many of its documents at most, with the words that would count if these were all."""
    if corpus.n_docs <= most:
        return corpus
    part = some(corpus, most)
    words = np.flatnonzero(part.word_docs >= usual_settings(part.n_docs).min_df)
    return Corpus.from_csr(part.to_csr()[:, words], [part.vocab[w] for w in words], name=part.name)


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
    share = sum(moment.share(topic) for topic in moment.filler)
    unigram = unigram_score(run.corpus, run.heldout) if run.heldout else float("nan")
    score = moment.snapshot.heldout if moment.snapshot.heldout is not None else float("nan")
    return {
        "corpus": corpus.name,
        "method": name,
        "score": round(score, 3),
        "better": round(100 * (np.exp(score - unigram) - 1)),
        "coherence": round(float(np.nanmean(values)), 2),
        "topics": len(moment.in_use),
        "filler": len(moment.filler),
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


def checked(corpus: Corpus, name: str, seeds: int, longer: bool = True) -> dict[str, Any]:
    """What a method at its default makes of a corpus, in the worst of its seeds."""
    plans = [Plan.of(name, seed=seed) for seed in range(seeds)]
    runs = [plan.split_and_start(corpus, pool=Threads(1)) for plan in plans]
    joints = [log_joints(run) for run in runs]
    scores = [[row.heldout for row in run.history if np.isfinite(row.heldout)] for run in runs]
    baselines = [unigram_score(run.corpus, run.heldout) for run in runs if run.heldout]
    return {
        "corpus": corpus.name.split(".")[0],
        "words": round(words_each(corpus), 1),
        "method": name,
        "gain": round(min(own[-1] - b for own, b in zip(scores, baselines, strict=True)), 3),
        "cautioned": bool(plans[0].caution(corpus)),
        "points": min(map(len, scores)),
        "converged": any(run.done and run.docs_seen < run.planned_docs for run in runs),
        "rank": round(rank(runs[0], joints[0]), 2) if longer and joints[0] else None,
        "seconds": round(max(run.processor_seconds for run in runs), 1),
    }


def log_joints(run: Run) -> list[float]:
    """Learn to the end; return the log joint after each pass of a sampler that reports it."""
    found = []
    while not run.done:
        run.step()
        sampled = run.method.kind == "sampler" and "log joint" in run.latest_info.scalars
        if sampled and run.n_steps % run.n_batches == 0:
            found.append(run.latest_info.scalars["log joint"])
    return found


def rank(run: Run, joints: Sequence[float]) -> float:
    """Let a run that has ended go on until it is `LONGER` times as long; return which share of the
    log joints of its latter half lies below the median of the last quarter that it had ended with.
    About a half is right; near 0 the log joint still climbed."""
    run.run_on((LONGER - 1) * run.passes)
    later = log_joints(run)
    half = later[len(later) - LONGER * len(joints) // 2 :]
    return float(np.mean(np.array(half) < np.median(joints[-max(len(joints) // 4, 1) :])))


CHECKS = {
    "Better than word frequencies, log likelihood a word": "{gain:+.3f}{cautioned}",
    "Points of the curve": "{points}{converged}",
    "Rank of the log joint": "{rank}",
    "Seconds of learning": "{seconds:.1f}",
}
"""As `CELLS`, of `--check`."""
MARKS = {"cautioned": "!", "converged": " (converged)"}
"""What stands beside a number where this is so; else, and where there is no number, nothing."""


def shown(line: dict[str, Any], cell: str) -> str:
    """One cell of a table."""
    marked = {key: MARKS[key] if line[key] else "" for key in MARKS if key in line}
    known = {key: "" if value is None else value for key, value in line.items()}
    return cell.format(**known | marked)


def tables(lines: Sequence[dict[str, Any]]) -> str:
    """The newest run of every method and corpus, in Markdown; the plan recommended leads."""
    return _tables([line for line in lines if "gain" not in line], CELLS)


def check_tables(lines: Sequence[dict[str, Any]]) -> str:
    """What `--check` found, likewise."""
    return _tables([line for line in lines if "gain" in line], CHECKS)


def _tables(lines: Sequence[dict[str, Any]], cells: dict[str, str]) -> str:
    found = {(line["method"], line["corpus"]): line for line in lines}
    methods = sorted({m for m, _ in found}, key=lambda m: ("*" not in m, "," not in m, m))
    corpora = {line["corpus"]: line.get("words") for line in lines}
    heads = [name if words is None else f"{name} ({words:.0f})" for name, words in corpora.items()]
    parts = []
    for title, cell in cells.items():
        rows = [[title, *heads], ["---", *["---:"] * len(corpora)]]
        for method in methods:
            own = (found.get((method, corpus)) for corpus in corpora)
            row = [shown(line, cell) if line else "" for line in own]
            if any(row):
                rows.append([method, *row])
        parts.append("\n".join(f"| {' | '.join(row)} |" for row in rows))
    return "\n\n".join(parts)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.defaults", description=__doc__)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--documents", type=int, default=4000)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--out", type=Path, default=KEPT)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--methods", nargs="+", default=list(ALL), choices=list(ALL))
    options = parser.parse_args(arguments)
    for line in found_anew(options):
        with options.out.open("a") as lines:
            lines.write(json.dumps(line) + "\n")
    kept = [json.loads(line) for line in options.out.read_text().splitlines()]
    print(check_tables(kept) if options.check else tables(kept))
    return 0


def found_anew(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """A line for every run that is asked for."""
    if not options.check:
        for file in options.files:
            for corpus, name, plan in alternatives(file, options.documents, options.minutes):
                yield measured(corpus, name, plan)
        return
    for file in (*(f"sample:{name}" for name in SAMPLES), *options.files):
        corpus = read_alone(chosen_corpus(file, None), options.documents)
        for name in options.methods:
            yield checked(corpus, name, options.seeds)


if __name__ == "__main__":
    sys.exit(main())
