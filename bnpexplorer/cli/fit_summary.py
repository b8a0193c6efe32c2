"""What `fit` prints of a run that has ended."""

import argparse
import sys
from typing import Any

from ..cluster import ClusterPool
from ..compare.verdict import Verdict, rivals_of, verdict_of
from ..corpus.source import plural
from ..evaluate import unigram_score
from ..explore.filler import filler
from ..runs.run import Run
from ..saved.library import Library
from ..state.moment import Moment
from .printing import Out
from .reading import Given


def summary(
    run: Run, given: Given, options: argparse.Namespace, more: dict[str, Any] | None = None
) -> None:
    """What was learned; `more` goes into the JSON object."""
    moment = run.moment()
    snapshot = moment.snapshot
    facts = {
        "method": run.method.name,
        "seed": options.seed,
        "heldout": snapshot.heldout,
        "protocol": run.protocol,
        "topics": len(moment.in_use),
        "seconds": round(run.seconds, 3),
        "documents_per_second": round(run.docs_seen / max(run.seconds, 1e-9), 1),
        "threads": run.threads,
        "ending": run.ending or None,
    }
    if run.given is not None:
        facts["start_from"] = run.given.said
    verdict = _verdict(run, moment, kept=options.keep is not None)
    facts["verdict"] = verdict.sentence
    out = Out(options)
    if out.as_json:
        for head, line in given.said().items():
            print(f"bnpexplorer: {head}: {line}", file=sys.stderr)
        out.give(facts | (more or {}))
        return
    corpus = run.corpus
    print(
        f"corpus               {corpus.name}: {plural(corpus.n_docs, 'document')} to learn, "
        f"{plural(corpus.n_words, 'word')}"
    )
    for head, line in given.said().items():
        print(f"{head:<20} {line}")
    print(
        f"method               {run.method.name}, seed {options.seed}, "
        f"{plural(run.passes, 'pass', 'passes')}, "
        f"{plural(run.batch_size, 'document')} per step"
    )
    if run.given is not None:
        print(f"began from           {run.given.said}")
    score = f"none yet ({run.protocol})" if run.protocol else "none: nothing was held out"
    if snapshot.heldout is not None:
        score = f"{snapshot.heldout:.4f} log likelihood per word ({run.protocol})"
    print(f"held-out score       {score}")
    print(f"topics in use        {facts['topics']}")
    print(
        f"seconds              {facts['seconds']:.2f} "
        f"({facts['documents_per_second']:,.0f} documents/s)"
    )
    print(f"threads              {_threads(run)}")
    if run.ending:
        print(f"ended                {run.ending}")
    for topic in moment.in_use[:8]:
        print(f"topic {topic:<14d} {moment.words_line(topic, 8, ' ')}")
    if options.out is not None:
        print(f"saved in             {options.out}")
    print(f"verdict              {verdict.sentence}")
    if verdict.meaning:
        print(f"                     {verdict.meaning}")


def _threads(run: Run) -> str:
    """On how many it learned, and where that is not all of its work, why."""
    why, pool = run.method.in_turn, run.pool
    if isinstance(pool, ClusterPool) and run.method.parallel == "documents":
        return f"those of {pool.in_words} {pool.where}"
    return f"{run.threads} ({why.rstrip('.')})" if why else f"{run.threads}"


def _verdict(run: Run, moment: Moment, kept: bool) -> Verdict:
    """In words; beside other methods only where the run is `kept` among theirs."""
    unigram = unigram_score(run.corpus, run.heldout) if run.heldout else float("nan")
    rivals = rivals_of(run, Library().saved()) if kept else {}
    return verdict_of(run, moment, unigram, rivals, filler(moment))
