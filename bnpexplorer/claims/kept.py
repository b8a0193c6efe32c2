"""Findings on the disk: one file a study."""

from collections.abc import Sequence
from pathlib import Path

from ..core.store import home, read_json
from .trial import Outcome, Trial


def results_folder() -> Path:
    """Where studies keep their findings."""
    return home() / "claims"


def findings_in(path: Path, trials: Sequence[Trial]) -> dict[Trial, Outcome]:
    """What a file of findings holds of these trials; a damaged one counts as empty."""
    known = {trial.key: trial for trial in trials}
    found = {}
    for key, outcome in read_json(path).items():
        try:
            lists = {name: tuple(values) for name, values in outcome.items()}
            if key in known and lists["scores"]:
                found[known[key]] = Outcome(**lists)
        except (TypeError, AttributeError, KeyError):
            continue  # written by another version or by hand: tried again
    return found
