"""`fit`: learn a corpus and print a summary."""

import argparse
import json
import secrets
import sys
import threading
from dataclasses import replace
from typing import Any, get_args

from ..chains import FEWEST, MOST, Chains, chains_of
from ..cluster import ClusterPool
from ..compare.verdict import Verdict, rivals_of, verdict_of
from ..corpus import CorpusError
from ..corpus.source import plural
from ..evaluate import unigram_score
from ..explore.filler import filler
from ..inference.pool import PoolLost
from ..methods import METHODS
from ..runs.beginning import Beginning
from ..runs.choices import Order, Until
from ..runs.plan import Plan
from ..runs.recommend import recommend
from ..runs.run import Run
from ..runs.warming import warm
from ..saved.library import Library
from ..state.moment import Moment
from .chains import facts_of_chains, print_chains
from .cluster import LOST, add_cluster, at_once, pool_for, say_if_alone, way_on
from .progress import Bar
from .reading import Given, add_reading, asked_to_stop, beginning_of, corpus_of, inputs_of, parsed
from .threads import add_threads
from .writing import add_force, may_write

ANEW = ("method", "preset", "start_from", "passes", "minutes", "stream", "batch_size", "settings")
"""Options of a run that begins."""


def add_fit(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_fit)
    parser.add_argument("path", help="a corpus file or folder, or sample:NAME for a sample")
    parser.add_argument(
        "--method",
        choices=list(METHODS),
        metavar="NAME",
        help="as `methods` lists it [what measures best for such texts]",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--preset", help="a named setting of the method")
    parser.add_argument(
        "--start-from",
        metavar="RUN",
        help="begin at the topics of another run: its file, or its id or name as `runs` lists it",
    )
    parser.add_argument("--passes", type=int, help="times the corpus is read, at most")
    parser.add_argument(
        "--minutes", type=float, help="of learning, after which it ends in any case [no limit]"
    )
    parser.add_argument(
        "--until",
        choices=get_args(Until),
        default="passes",
        help="settled: end as soon as the run has settled, or the chains have met",
    )
    parser.add_argument(
        "--stream", action="store_true", help="read the corpus once, by date, never looking back"
    )
    parser.add_argument("--batch-size", type=int, help="documents per step")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="settings",
        help="a knob of the method or a field of its model; may be repeated",
    )
    parser.add_argument(
        "--heldout",
        type=int,
        metavar="N",
        help="documents kept for the score; 0: learn all, without a score",
    )
    parser.add_argument(
        "--chains",
        type=int,
        metavar="N",
        help="run so many chains from different starts and seeds, and say whether they have met",
    )
    add_threads(parser)
    add_cluster(parser)
    parser.add_argument(
        "--go-on",
        action="store_true",
        help="the path is the file of a run that was saved before its end: learn the rest of it",
    )
    parser.add_argument("--out", metavar="RUN", help="save the run in this file")
    add_force(parser)
    parser.add_argument("--keep", metavar="NAME", help="save it among the runs of the app")
    parser.add_argument("--json", action="store_true", help="the summary as one JSON object")
    add_reading(parser)


def _fit(options: argparse.Namespace) -> int:
    _check(options)
    with pool_for(options) as pool:
        if options.go_on:
            run = Run.load(options.path, pool)
            return _finish(run, Given(run.corpus, None), options)
        start_from = None if options.start_from is None else beginning_of(options.start_from)
        chosen = None
        if options.method is not None:  # refused, if so, before anything is read
            chosen = _plan(options, options.method, "default", start_from)
        given = corpus_of(options)
        plan = _recommended(options, given, start_from) if chosen is None else chosen
        if plan.method.caution():
            print(f"bnpexplorer: {plan.method.caution()}", file=sys.stderr)
        learns_all = options.heldout == 0
        if plan.chains > 1:
            chains = chains_of(plan, given.corpus, learns_all, pool)
            at_once(chains, pool)
            _say_why(plan)
            return _fit_chains(chains, given, options)
        train, heldout = (given.corpus, None) if learns_all else plan.split(given.corpus)
        run = plan.start(train, heldout, pool=pool)
        _say_why(plan)
        return _finish(run, given, options)


def _finish(run: Run, given: Given, options: argparse.Namespace) -> int:
    """Learn what is left of a run, keep it, and print its summary."""
    say_if_alone(options, run.method)
    _warm(run)
    kept = ""
    with asked_to_stop() as asked:
        problem = _drive(run, asked)
        if options.out is not None:
            run.save(options.out)
        lost = isinstance(problem, PoolLost)
        name = options.keep or (f"{run.name}, cut short" if lost and not options.out else None)
        if name is not None and run.docs_seen:
            kept = _keep(run, given, name)
    if lost:
        print(f"bnpexplorer: {problem} {way_on(options, kept)}", file=sys.stderr)
    elif problem is not None:
        print(f"bnpexplorer: stopped after {run.docs_seen:,} documents.", file=sys.stderr)
        raise problem
    if not run.done:
        print(f"bnpexplorer: stopped after {run.docs_seen:,} documents.", file=sys.stderr)
    if run.done or run.snapshot().trace:
        _summary(run, given, options)
    return 0 if run.done else LOST if lost else 130


def _fit_chains(chains: Chains, given: Given, options: argparse.Namespace) -> int:
    """All chains; then the summary of the first, which is the run without --chains, and of all."""
    _warm(chains.runs[0])
    with asked_to_stop() as asked:
        bar = Bar()
        lost = ""
        try:
            chains.prepare()
            while not (chains.done or asked.is_set()):
                chains.step()
                bar.draw(chains.share_done, plural(len(chains.sound), "chain"), chains.done)
        except PoolLost as why:
            lost = str(why)
        bar.end()
        chains.note()
        name = options.keep or (f"{chains.method.name}, cut short" if lost else None)
        if name is not None and chains.docs_seen:
            for i in chains.sound:
                _keep(chains.runs[i], given, f"{name}, chain {i + 1}")
    if lost:
        kept = " The chains are among the runs of the app." if chains.docs_seen else ""
        print(f"bnpexplorer: {lost}{kept}", file=sys.stderr)
    for i, problem in chains.failed.items():
        print(f"bnpexplorer: chain {i + 1} failed: {problem}", file=sys.stderr)
    if not chains.done:
        print(f"bnpexplorer: stopped after {chains.docs_seen:,} documents.", file=sys.stderr)
    if chains.docs_seen:
        _summary(chains.runs[0], given, options, facts_of_chains(chains) if options.json else None)
        if not options.json:
            print_chains(chains)
    return 0 if chains.done else LOST if lost else 130


def _check(options: argparse.Namespace) -> None:
    """Refuse what can be refused before anything is read or learned."""
    if options.seed < 0:
        raise ValueError(f"--seed must be 0 or more; got {options.seed}.")
    if options.heldout is not None and options.heldout < 0:
        raise ValueError(f"--heldout must be 0 or more; got {options.heldout}.")
    if options.go_on and (
        chosen := [
            f"--{name}".replace("_", "-")
            for name in (*ANEW, "chains", "heldout")
            if getattr(options, name)
        ]
    ):
        raise ValueError(
            f"--go-on learns the rest of a run as it was begun; leave {', '.join(chosen)} out."
        )
    if options.stream and (options.passes or 1) > 1:
        raise ValueError(
            f"--stream reads the corpus once, --passes {options.passes} would read it again; "
            "leave one of them out."
        )
    if options.chains is not None and not FEWEST <= options.chains <= MOST:
        raise ValueError(f"--chains must be {FEWEST} to {MOST}; got {options.chains}.")
    if options.chains is not None and options.out is not None:
        raise ValueError(
            "--chains makes several runs and --out writes one; leave one of them out, or keep all "
            "chains among the runs of the app with --keep."
        )
    if options.keep is not None and not options.keep.strip():
        raise ValueError("--keep needs a name for the run; got an empty one.")
    if options.out is not None:
        may_write(options.out, options.force, *([] if options.go_on else inputs_of(options)))


def _recommended(options: argparse.Namespace, given: Given, start_from: Beginning | None) -> Plan:
    """What the texts suggest, with all else as the options ask for."""
    best = recommend(given.corpus, order=_order(options))
    plan = _plan(options, best.method.name, best.preset, start_from)
    return replace(plan, reason=best.reason)


def _say_why(plan: Plan) -> None:
    """The reason of a plan that nobody chose."""
    if plan.reason:
        print(f"bnpexplorer: recommended for these texts: {plan.reason}", file=sys.stderr)


def _order(options: argparse.Namespace) -> Order:
    return "stream" if options.stream else "shuffled"


def _plan(
    options: argparse.Namespace, method: str, preset: str, start_from: Beginning | None
) -> Plan:
    """What the options ask for, of `method`, and `preset` if none is asked for; what they leave out
    is left open."""
    settings: dict[str, Any] = {}
    for pair in options.settings:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"--set needs NAME=VALUE; got {pair!r}.")
        settings[name.strip().replace("-", "_")] = parsed(value)
    return Plan.of(
        method,
        options.preset or preset,
        settings,
        seed=options.seed,
        batch_size=options.batch_size,
        passes=options.passes,
        n_heldout=options.heldout or None,
        order=_order(options),
        until=options.until,
        minutes=options.minutes,
        chains=options.chains or 1,
        start_from=start_from,
    )


def _keep(run: Run, given: Given, name: str) -> str:
    """Put the run into the library, where the Runs page finds it; its id."""
    library, run_id = Library(), secrets.token_hex(5)
    status = "finished" if run.done else "paused"
    secret = secrets.token_urlsafe(12)
    library.keep(run_id, run, given.corpus, status, secret, given.report, given.true_topics)
    library.rename(run_id, name)
    print(f"kept as {run_id}: {name}", file=sys.stderr)
    return run_id


def _warm(run: Run) -> None:
    """Compile what the run needs."""
    if sys.stderr.isatty():
        print("compiling kernels, first time only ...", end="\r", file=sys.stderr, flush=True)
    warm(run.method)


def _drive(run: Run, asked: threading.Event) -> PoolLost | CorpusError | None:
    """Run to the end, or until asked to stop, with a progress bar on standard error.

    Returns what cut it short: a lost cluster, or a corpus on the disk that could not be read; what
    was learned before stays.
    """
    bar, problem = Bar(), None
    while not (run.done or asked.is_set() or problem):
        try:
            run.step()
        except (PoolLost, CorpusError) as found:
            problem = found
        pace = run.docs_seen / max(run.seconds, 1e-9)
        bar.draw(run.docs_seen / run.planned_docs, f"{pace:,.0f} documents/s", run.done)
    bar.end()
    return problem


def _summary(
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
    if options.json:
        for head, line in given.said().items():
            print(f"bnpexplorer: {head}: {line}", file=sys.stderr)
        print(json.dumps(facts | (more or {})))
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
        print(f"topic {topic:<14d} {' '.join(moment.top_words(topic, 8))}")
    if options.out is not None:
        print(f"saved in             {options.out}")
    print(f"verdict              {verdict.sentence}")
    if verdict.meaning:
        print(f"                     {verdict.meaning}")


def _threads(run: Run) -> str:
    """On how many it learned, and where that is not all of its work, why."""
    why, pool = run.method.in_turn, run.pool
    if isinstance(pool, ClusterPool) and run.method.parallel == "documents":
        return f"those of {pool.in_words}"
    return f"{run.threads} ({why.rstrip('.')})" if why else f"{run.threads}"


def _verdict(run: Run, moment: Moment, kept: bool) -> Verdict:
    """In words; beside other methods only where the run is `kept` among theirs."""
    unigram = unigram_score(run.corpus, run.heldout) if run.heldout else float("nan")
    rivals = rivals_of(run, Library().saved()) if kept else {}
    return verdict_of(run, moment, unigram, rivals, filler(moment))
