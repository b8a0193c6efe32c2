"""What `fit` prints of a run that has ended.

What `fit --chains` tells beside the first run: whether the chains have met, whom to trust.
"""

import argparse
import math
import sys
from dataclasses import asdict
from typing import Any

from ..chains import QUANTITIES, Chains, SharedTopic, found_topics
from ..compare.models import ModelsCompared
from ..compare.verdict import RunVerdict, rivals_of, verdict_of
from ..core.display import plural
from ..evaluate import unigram_score
from ..inference.pool import RemotePool
from ..runs.at_limits import at_limits
from ..runs.recommend import clusters_beside, one_each
from ..runs.run import Run
from ..runs.saved.library import Library
from ..state.moment import Moment
from .printing import Out
from .reading import CorpusRead

FIND_CLUSTERS = "--method dpm-gibbs --preset short-texts"


def summary(
    run: Run,
    given: CorpusRead,
    options: argparse.Namespace,
    more: dict[str, Any] | None = None,
    trial: ModelsCompared | None = None,
) -> None:
    """Tell the result; `more` goes into the JSON object. `trial`: its topics beside clusters."""
    moment = run.moment()
    snapshot = moment.snapshot
    facts = {
        "method": run.method.name,
        "seed": run.seed,
        "heldout": snapshot.heldout,
        "spread": snapshot.spread,
        "protocol": run.protocol,
        "topics": len(moment.in_use),
        "seconds": round(run.seconds, 3),
        "processor_seconds": round(run.processor_seconds, 3),
        "documents_per_second": round(run.docs_seen / max(run.seconds, 1e-9), 1),
        "threads": run.threads,
        "ending": run.ending or None,
    }
    if run.given is not None:
        facts["start_from"] = run.given.said
    verdict = _verdict(run, moment, kept=options.keep is not None)
    facts["verdict"] = verdict.sentence
    limits = at_limits(run.method.model, snapshot.trace)
    facts["at_limits"] = limits
    if trial is not None:
        facts["clusters"] = asdict(trial) | {"better": trial.better, "sentence": trial.sentence}
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
        f"method               {run.method.name}, seed {run.seed}, "
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
        f"{_of_the_processor(run, options)}"
    )
    print(f"threads              {_threads(run)}")
    if run.ending:
        print(f"ended                {run.ending}")
    for topic in moment.ordered(hidden=True)[:8]:
        print(f"topic {topic:<14d} {moment.words_line(topic, 8, ' ')}")
    if options.out is not None:
        print(f"saved in             {options.out}")
    print(f"verdict              {verdict.sentence}")
    if verdict.meaning:
        print(f"                     {verdict.meaning}")
    for sentence in limits:
        print(f"at its limit         {sentence}")
    if trial is not None:
        print(f"clusters             {trial.sentence}")
        if trial.better == "clusters":
            print(f"                     Find them with `fit` and {FIND_CLUSTERS}.")
    elif clusters_beside(run) is not None:
        print(f"clusters             {one_each(run)} Try both with `fit` and --try-clusters.")


def _of_the_processor(run: Run, options: argparse.Namespace) -> str:
    """Return the processor seconds, unless another process or a cluster had a part."""
    spent, elsewhere = run.processor_seconds, isinstance(run.pool, RemotePool)
    if not spent or elsewhere or getattr(options, "go_on", False):
        return ""
    return f"; {spent:.2f} of the processor ({run.docs_seen / spent:,.0f} documents/s)"


def _threads(run: Run) -> str:
    """On how many it learned, and where that is not all of its work, why."""
    why, pool = run.method.in_turn, run.pool
    if isinstance(pool, RemotePool) and run.method.parallel == "documents":
        return f"those of {pool.in_words} {pool.where}"
    return f"{run.threads} ({why.rstrip('.')})" if why else f"{run.threads}"


def _verdict(run: Run, moment: Moment, kept: bool) -> RunVerdict:
    """In words; beside other methods only where the run is `kept` among theirs."""
    unigram = unigram_score(run.corpus, run.heldout) if run.heldout else float("nan")
    rivals = rivals_of(run, Library().saved()) if kept else {}
    return verdict_of(run, moment, unigram, rivals, moment.filler)


LISTED = 8
"""Topics that are listed at most of those found by so many chains."""


def facts_of_chains(chains: Chains) -> dict[str, Any]:
    """What the JSON object has beside the facts of the first chain; null for what is no number."""
    verdict, found = chains.verdict(), topics_of_chains(chains)
    parts = zip(chains.runs, chains.starts, chains.snapshot(), strict=True)
    return {
        "chains": [
            {
                "seed": run.seed,
                "start": start or None,
                "heldout": snapshot.heldout,
                "topics": len(run.moment(snapshot).in_use),
            }
            for run, start, snapshot in parts
        ],
        "heldout_of_all": chains.score(),
        "rhat": _finite(verdict.rhat),
        "ess": _finite(verdict.ess),
        "met": verdict.met,
        "sentence": verdict.sentence,
        "topics_found_by": {
            str(n): sum(len(one.chains) == n for one in found)
            for n in range(len(chains.sound), 0, -1)
        },
    }


def print_chains(chains: Chains) -> None:
    """The sentence, a row a quantity with its mean in every chain, and the topics to trust."""
    verdict, draws = chains.verdict(), chains.kept_draws()
    print(f"\n{verdict.sentence}")
    if draws:
        print(f"\nmeans over the latter half of each chain, {plural(verdict.n_draws, 'draw')}:")
        starts = [f"{i + 1} {chains.starts[i]}".strip() for i in chains.sound]
        rows = [["", "R-hat", "ESS", *starts]]
        for key, values in draws.items():
            means = [f"{mean:,.2f}" for mean in values.mean(axis=1)]
            numbers = [f"{verdict.rhat[key]:.3f}", f"{verdict.ess[key]:.0f}"]
            rows.append([QUANTITIES[key].title, *numbers, *means])
        _print_rows(rows)
    score = chains.score()
    if score is not None:
        print(f"\nheld-out score       {score:.4f} log likelihood per word, over all chains")
    _print_found(chains, topics_of_chains(chains))


def topics_of_chains(chains: Chains) -> list[SharedTopic]:
    """The topics of the chains as they stand, without those of a chain that failed."""
    snapshots = chains.snapshot()
    return found_topics([snapshots[i].topics for i in chains.sound])


def _print_rows(rows: list[list[str]]) -> None:
    """The first column at the left, numbers at the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        print("  ".join([first.ljust(widths[0]), *cells]).rstrip())


def _print_found(chains: Chains, found: list[SharedTopic]) -> None:
    """How many topics so many chains have found, and the largest of them."""
    snapshots = chains.snapshot()
    moments = [chains.runs[i].moment(snapshots[i]) for i in chains.sound]
    for n in range(len(moments), 0, -1):
        those = [one for one in found if len(one.chains) == n]
        if those:
            print(f"\nfound by {n} of {len(moments)} chains: {plural(len(those), moments[0].noun)}")
        for one in those[:LISTED]:
            words = moments[one.chain].words_line(one.topic, 8, " ")
            print(f"{one.share:6.1%}  {words}")


def _finite(numbers: dict[str, float]) -> dict[str, float | None]:
    return {key: value if math.isfinite(value) else None for key, value in numbers.items()}
