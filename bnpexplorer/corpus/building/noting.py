"""What is written into the manifest of a corpus of how it was made."""

from pathlib import Path
from typing import Any

from ...core import store
from ..readers.source import shown
from ..text import Report
from .plan import BuildPlan


def made_of(plan: BuildPlan) -> dict[str, Any]:
    """What of a plan is written into the corpus: no folders of this machine."""
    files = [[shown(Path(file.path).name), file.size, file.changed] for file in plan.files]
    return {"files": files, "options": plan.options, "words": plan.words}


def noted(report: Report, notes: tuple[str, ...], warnings: tuple[str, ...]) -> dict[str, Any]:
    """A report for the manifest of the corpus, without what its arrays tell."""
    ranks, frequencies = report.zipf
    names = ("n_read", "dropped", "removed", "settings", "n_repeated", "reading")
    return {
        **{name: store.pack(getattr(report, name), {}) for name in names},
        "zipf": [ranks.tolist(), frequencies.tolist()],
        "notes": list(notes),
        "warnings": list(warnings),
    }
