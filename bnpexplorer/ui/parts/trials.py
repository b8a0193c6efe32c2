"""The trials of a study, of a claim or of a sweep: what they will take, and how each ended."""

from typing import Any

import pandas as pd

from ...claims import Study
from ...claims.claim import Findings
from ...corpus.source import plural


def estimate(study: Study[Any]) -> str:
    """What a study will take, in words."""
    left = len(study.waiting)
    if not left:
        return f"All {len(study.trials)} trials were found before: see below."
    n, found = len(study.trials), len(study.trials) - left
    where = "the cluster" if study.is_away else "free cores"
    at_once = f", {study.n_at_once} at once on {where}" if study.n_at_once > 1 else ""
    if study.passes:
        words = (
            f"{plural(n, 'trial that reads', 'trials that read')} the texts "
            f"{_how_often(study)}{at_once}; it ends after "
            f"{minutes(study.longest)} at the latest and goes on from there when begun again."
        )
    else:
        each = "of one core each" if n > 1 else "of one core"
        words = (
            f"{plural(n, 'trial that learns', 'trials that learn')} for {study.share:.1f} seconds "
            f"{each}, about {minutes(study.seconds_left)} in all{at_once}, "
            f"{minutes(study.longest)} at the most."
        )
    return f"{words} Of them {found:,} found before and kept." if found else words


def _how_often(study: Study[Any]) -> str:
    """Passes of its trials, in words."""
    passes = sorted({trial.passes for trial in study.trials})
    if passes == [1]:
        return "once"
    if len(passes) == 1:
        return f"{passes[0]:,} times"
    return f"{passes[0]:,} to {passes[-1]:,} times"


def minutes(seconds: float) -> str:
    """A time span in words."""
    return f"{seconds:.0f} seconds" if seconds < 90 else f"{seconds / 60:.0f} minutes"


def table(findings: Findings) -> pd.DataFrame:
    """Every trial and how it ended."""
    return pd.DataFrame(
        [
            {
                "line": trial.line,
                "at": trial.x,
                "seed": trial.seed,
                "method": trial.method,
                "mini-batch": trial.batch,
                "documents": outcome.docs_seen[-1],
                "seconds": round(outcome.seconds[-1], 2),
                "held-out": round(outcome.scores[-1], 4),
                "topics in use": outcome.topics[-1],
            }
            for trial, outcome in findings.items()
            if outcome.scores
        ]
    )
