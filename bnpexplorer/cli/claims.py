"""`claims`: try what the papers say on a corpus."""

import argparse
import sys
import threading
from collections.abc import Sequence
from typing import Any

from ..claims import CLAIMS, Claim, Study
from ..core.display import plural
from ..core.faults import NotNow
from ..core.progress import Bar
from ..inference.cores import use_everywhere
from .printing import Out
from .reading import asked_to_stop, corpus_of
from .threads import LOST, pool_for


def try_claims(options: argparse.Namespace) -> int:
    if not options.names:
        out = Out(options)
        out.say(*(f"{n:<20} {claim.title}\n{'':<20} {claim.source}" for n, claim in CLAIMS.items()))
        out.give({"claims": [_facts(claim) for claim in CLAIMS.values()]})
        return 0
    names = list(CLAIMS) if options.names == ["all"] else options.names
    unknown = [name for name in names if name not in CLAIMS]
    if unknown:
        raise ValueError(f"There is no claim {unknown[0]!r}; choose from {', '.join(CLAIMS)}.")
    if options.seeds < 1:
        raise ValueError(f"--seeds must be at least 1; got {options.seeds}.")
    with pool_for(options) as pool:
        use_everywhere(pool)  # every trial's run draws from it, or is tried by its workers
        try:
            return _try(names, options)
        finally:
            use_everywhere(None)


def _try(names: Sequence[str], options: argparse.Namespace) -> int:
    """Try the claims of these names, and print what was found."""
    given = corpus_of(options)
    studies = [
        Study(CLAIMS[n], given.corpus, 60.0 * options.minutes, options.seeds, passes=options.passes)
        for n in names
    ]
    out = Out(options)
    out.say(f"tried on {given.corpus.name}: {plural(given.corpus.n_docs, 'document')}")
    out.say(*(f"  {head}: {line}" for head, line in given.said().items()))
    left = sum(study.seconds_left for study in studies)
    if left:
        print(f"about {max(left / 60, 1):.0f} min for {len(studies)} claim(s)", file=sys.stderr)
    if options.seeds == 1 and left:
        print("bnpexplorer: one seed decides nothing; a verdict needs two.", file=sys.stderr)
    with asked_to_stop() as asked:
        for study in studies:
            problem = _drive(study, asked)
            if problem is not None:
                goes_on = "What was found is kept, and the same command goes on from it."
                print(f"bnpexplorer: {problem} {goes_on}", file=sys.stderr)
                return LOST
            if asked.is_set():
                print(
                    "bnpexplorer: stopped; what was found is kept, and the same command goes on "
                    "from it.",
                    file=sys.stderr,
                )
                return 130
            out.say(_said(study))
    verdicts = [_facts(study.experiment) | _found(study) for study in studies]
    out.give({"corpus": given.corpus.name, "documents": given.corpus.n_docs, "claims": verdicts})
    return 0


def _facts(claim: Claim) -> dict[str, Any]:
    """A claim, for programs."""
    return {"name": claim.name, "title": claim.title, "source": claim.source}


def _found(study: Study[Claim]) -> dict[str, Any]:
    """What was found, for programs."""
    claim = study.experiment
    verdict = claim.verdict(study.findings)
    return {
        "said": claim.said(verdict, study.findings),
        "verdict": verdict.sentence,
        "why_over": study.why_over or None,
    }


def _said(study: Study[Claim]) -> str:
    """The verdict with what must be said beside it."""
    claim = study.experiment
    verdict = claim.verdict(study.findings)
    said = claim.said(verdict, study.findings)
    over = f" {study.why_over}" if study.why_over else ""
    return f"{claim.source}: {claim.title}\n  {said}. {verdict.sentence}{over}"


def _drive(study: Study[Claim], asked: threading.Event) -> NotNow | None:
    """Run all trials, or until asked to stop, with a progress bar on standard error.

    Returns what cut it short: a lost cluster, or a corpus on the disk that could not be read.
    """
    if study.done:
        return None
    study.hurried, problem = asked.is_set, None
    bar, n_trials = Bar(), len(study.trials)
    study.prepare()
    while True:
        n_found = n_trials - len(study.waiting)
        ends = study.done or asked.is_set() or problem is not None
        bar.draw(
            n_found / n_trials, f"{study.experiment.name}: {n_found} of {n_trials} trials", ends
        )
        if ends:
            break
        try:
            study.step()
        except NotNow as found:
            problem = found
    bar.end()
    if study.not_written:
        print(f"bnpexplorer: {study.not_written}", file=sys.stderr)
    return problem
