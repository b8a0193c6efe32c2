"""`fit`: learn a corpus and print a summary.

What `fit` may be asked for, and the plan that it makes of that.
"""

import argparse
import secrets
import sys
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..chains import FEWEST, MOST, Chains, chains_of
from ..compare.models import ModelsCompared, trial_of
from ..core.display import plural
from ..core.faults import NotNow
from ..core.plugins import plugin
from ..core.progress import Bar
from ..export import result_of
from ..export.your_file import your_file
from ..inference.pool import PoolLost
from ..runs.beginning import Beginning
from ..runs.choices import Order
from ..runs.plan import Plan
from ..runs.recommend import beside_preset, clusters_for, reason_for, recommend
from ..runs.run import Run
from ..runs.saved.library import Library
from ..runs.warming import warm
from .fit_summary import facts_of_chains, print_chains, summary
from .printing import Out, may_write
from .reading import CorpusRead, asked_to_stop, beginning_of, corpus_of, inputs_of, parsed
from .tables import may_write_table, write_table
from .threads import LOST, pool_for


def fit(options: argparse.Namespace) -> int:
    check(options)
    with pool_for(options) as pool:
        if options.go_on:
            run = Run.load(options.path, pool)
            return _finish(run, CorpusRead(run.corpus, None), options)
        start_from = None if options.start_from is None else beginning_of(options.start_from)
        chosen = None
        if options.method is not None:  # refused, if so, before anything is read
            chosen = plan_of(options, options.method, "default", start_from)
        given = corpus_of(options, as_forms=True)
        plan = recommended(options, given, start_from) if chosen is None else chosen
        if said := plan.caution(given.corpus):
            print(f"bnpexplorer: {said}", file=sys.stderr)
        learns_all = options.heldout == 0
        if plan.chains > 1:
            chains = chains_of(plan, given.corpus, learns_all, pool)
            for run in chains.runs:
                run.known = given.true_topics
            _say_why(plan)
            return _fit_chains(chains, given, options)
        train, heldout = (given.corpus, None) if learns_all else plan.split(given.corpus)
        run = plan.start(train, heldout, pool=pool)
        run.known = given.true_topics
        run.reading = None if given.report is None else given.report.reading
        _say_why(plan)
        return _finish(run, given, options)


def _finish(run: Run, given: CorpusRead, options: argparse.Namespace) -> int:
    """Learn what is left of a run, keep it, and print its summary."""
    if options.try_clusters:
        _may_try(run)
    if options.cluster is not None:
        plugin("cluster command").say_who_learns(run)
    _warm(run)
    kept = ""
    with asked_to_stop() as asked:
        problem = _drive(run, asked)
        if options.out is not None:
            run.save(options.out)
        if options.write_back is not None and run.docs_seen:
            _write_back(run, given, options)
        lost = isinstance(problem, PoolLost)
        name = options.keep or (f"{run.name}, cut short" if lost and not options.out else None)
        if name is not None and run.docs_seen:
            kept = _keep(run, given, name)
        trial = _trial(run, given, options, asked) if options.try_clusters and run.done else None
    if lost:
        way_on = plugin("cluster command").way_on(options, kept)
        print(f"bnpexplorer: {problem} {way_on}", file=sys.stderr)
    elif problem is not None:
        print(f"bnpexplorer: stopped after {run.docs_seen:,} documents.", file=sys.stderr)
        raise problem
    if not run.done:
        print(f"bnpexplorer: stopped after {run.docs_seen:,} documents.", file=sys.stderr)
    if run.done or run.snapshot().trace:
        summary(run, given, options, trial=trial)
    return 0 if run.done else LOST if lost else 130


def _write_back(run: Run, given: CorpusRead, options: argparse.Namespace) -> None:
    """Write the file that was read, with the topics of its rows."""
    result = result_of(run, run.moment(), given.corpus, given.report)
    out = Path(options.write_back)
    write_table(out, your_file(result, options.all_shares, out.suffix.lower()))


def _may_try(run: Run) -> None:
    """Refuse a trial of clusters beside a run that has no score, or has clusters itself."""
    if run.method.model.mixture:
        raise ValueError(
            f"--try-clusters holds topics against clusters, and {run.method.name} learns clusters; "
            "leave it out."
        )
    if run.heldout is None or not run.heldout.by_word:
        raise ValueError(
            "--try-clusters needs documents of which words are held out, and this run has none; "
            "leave it out."
        )


def _trial(
    run: Run, given: CorpusRead, options: argparse.Namespace, asked: threading.Event
) -> ModelsCompared | None:
    """Learn clusters of the same texts, and keep them beside the run if that is kept; None where
    this was stopped."""
    assert run.heldout is not None, "that something is held out was checked before it learned"
    clusters = clusters_for(run, run.heldout).start(run.corpus, run.heldout)
    _warm(clusters)
    problem = _drive(clusters, asked)
    if problem is not None:
        raise problem
    if options.keep is not None and clusters.docs_seen:
        _keep(clusters, given, f"{options.keep}, clusters")
    return trial_of(run, clusters)


def _fit_chains(chains: Chains, given: CorpusRead, options: argparse.Namespace) -> int:
    """All chains; then the summary of the first, which is the run without --chains, and of all."""
    _warm(chains.runs[0])
    with asked_to_stop() as asked:
        bar = Bar()
        lost, chains.hurried = "", asked.is_set
        try:
            chains.prepare()
            if options.cluster is not None:
                plugin("cluster command").say_if_at_once(chains)
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


def _keep(run: Run, given: CorpusRead, name: str) -> str:
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


ANEW = (
    *("method", "seed", "preset", "start_from", "passes", "minutes", "until", "stream"),
    *("batch_size", "set", "heldout", "chains"),
)
"""Options of a run that begins."""


def check(options: argparse.Namespace) -> None:
    """Refuse what can be refused before anything is read or learned."""
    if options.seed is not None and options.seed < 0:
        raise ValueError(f"--seed must be 0 or more; got {options.seed}.")
    if options.heldout is not None and options.heldout < 0:
        raise ValueError(f"--heldout must be 0 or more; got {options.heldout}.")
    chosen = [name for name in ANEW if _is_said(getattr(options, name))]
    if options.go_on and chosen:
        those = ", ".join(f"--{name}".replace("_", "-") for name in chosen)
        raise ValueError(f"--go-on learns the rest of a run as it was begun; leave {those} out.")
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
    if options.try_clusters and options.chains is not None:
        raise ValueError(
            "--try-clusters holds one run of topics against clusters; leave --chains out."
        )
    if options.keep is not None and not options.keep.strip():
        raise ValueError("--keep needs a name for the run; got an empty one.")
    if options.all_shares and options.write_back is None:
        raise ValueError("--all-shares goes with --write-back OUT; give the file to write.")
    if options.write_back is not None:
        if options.go_on or options.chains is not None:
            raise ValueError(
                "--write-back needs the file that one run learns; leave --go-on and --chains out."
            )
        may_write_table(options.write_back, options.force, *inputs_of(options))
    if options.out is not None:
        may_write(options.out, options.force, *([] if options.go_on else inputs_of(options)))


def _is_said(value: object) -> bool:
    """Whether an option was given, be it as 0, or stands at its default."""
    return not (value is None or value is False or value == [])


def recommended(
    options: argparse.Namespace, given: CorpusRead, start_from: Beginning | None
) -> Plan:
    """What the texts suggest, with all else as the options ask for."""
    best = recommend(given.corpus, order=_order(options))
    usual = {} if options.preset else beside_preset(best)
    plan = plan_of(options, best.method.name, best.preset, start_from, usual)
    size, passes = plan.batch_size or best.batch_size, plan.passes or best.passes
    plan = replace(plan, batch_size=size, passes=passes)
    return replace(plan, reason=reason_for(plan, given.corpus))


def _order(options: argparse.Namespace) -> Order:
    return "stream" if options.stream else "shuffled"


def plan_of(
    options: argparse.Namespace,
    method: str,
    preset: str,
    start_from: Beginning | None,
    usual: Mapping[str, Any] = {},
) -> Plan:
    """What the options ask for, of `method`, and `preset` if none is asked for; what they leave out
    is as in `usual`, or left open."""
    settings = dict(usual)
    for pair in options.set:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"--set needs NAME=VALUE; got {pair!r}.")
        settings[name.strip().replace("-", "_")] = parsed(value)
    return Plan.of(
        method,
        options.preset or preset,
        settings,
        seed=options.seed or 0,
        batch_size=options.batch_size,
        passes=options.passes,
        n_heldout=options.heldout or None,
        order=_order(options),
        until=options.until or "passes",
        minutes=options.minutes,
        chains=options.chains or 1,
        start_from=start_from,
    )
