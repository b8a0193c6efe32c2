"""`fit`: learn a corpus and print a summary."""

import argparse
import secrets
import sys
import threading

from ..chains import Chains, chains_of
from ..core.bar import Bar
from ..core.not_now import NotNow
from ..corpus.source import plural
from ..inference.pool import PoolLost
from ..runs.plan import Plan
from ..runs.run import Run
from ..runs.warming import warm
from ..saved.library import Library
from .chains import facts_of_chains, print_chains
from .cluster import LOST, pool_for, say_if_alone, say_if_at_once, say_who_reads, way_on
from .fit_options import check, plan_of, recommended
from .fit_summary import summary
from .printing import Out
from .reading import Given, asked_to_stop, beginning_of, corpus_of


def fit(options: argparse.Namespace) -> int:
    check(options)
    with pool_for(options) as pool:
        if options.go_on:
            run = Run.load(options.path, pool)
            return _finish(run, Given(run.corpus, None), options)
        start_from = None if options.start_from is None else beginning_of(options.start_from)
        chosen = None
        if options.method is not None:  # refused, if so, before anything is read
            chosen = plan_of(options, options.method, "default", start_from)
        given = corpus_of(options)
        plan = recommended(options, given, start_from) if chosen is None else chosen
        if plan.method.caution():
            print(f"bnpexplorer: {plan.method.caution()}", file=sys.stderr)
        learns_all = options.heldout == 0
        if plan.chains > 1:
            chains = chains_of(plan, given.corpus, learns_all, pool)
            _say_why(plan)
            return _fit_chains(chains, given, options)
        train, heldout = (given.corpus, None) if learns_all else plan.split(given.corpus)
        run = plan.start(train, heldout, pool=pool)
        run.known = given.true_topics
        _say_why(plan)
        return _finish(run, given, options)


def _finish(run: Run, given: Given, options: argparse.Namespace) -> int:
    """Learn what is left of a run, keep it, and print its summary."""
    say_if_alone(options, run.method)
    say_who_reads(run)
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
        summary(run, given, options)
    return 0 if run.done else LOST if lost else 130


def _fit_chains(chains: Chains, given: Given, options: argparse.Namespace) -> int:
    """All chains; then the summary of the first, which is the run without --chains, and of all."""
    _warm(chains.runs[0])
    with asked_to_stop() as asked:
        bar = Bar()
        lost, chains.hurried = "", asked.is_set
        try:
            chains.prepare()
            say_if_at_once(chains)
            while not (chains.done or asked.is_set()):
                chains.step()
                bar.draw(chains.share_done, plural(len(chains.sound), "chain"), chains.done)
        except NotNow as why:
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
        as_json = Out(options).as_json
        summary(chains.runs[0], given, options, facts_of_chains(chains) if as_json else None)
        if not as_json:
            print_chains(chains)
    return 0 if chains.done else LOST if lost else 130


def _say_why(plan: Plan) -> None:
    """The reason of a plan that nobody chose."""
    if plan.reason:
        print(f"bnpexplorer: recommended for these texts: {plan.reason}", file=sys.stderr)


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


def _drive(run: Run, asked: threading.Event) -> NotNow | None:
    """Run to the end, or until asked to stop, with a progress bar on standard error.

    Returns what cut it short: a lost cluster, or a corpus on the disk that could not be read; what
    was learned before stays.
    """
    bar, problem = Bar(), None
    while not (run.done or asked.is_set() or problem):
        try:
            run.step()
        except NotNow as found:
            problem = found
        pace = run.docs_seen / max(run.seconds, 1e-9)
        bar.draw(run.docs_seen / run.planned_docs, f"{pace:,.0f} documents/s", run.done)
    bar.end()
    return problem
