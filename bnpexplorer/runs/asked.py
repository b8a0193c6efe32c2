"""What the owner of a run in the background asks to be changed by hand; names go with the topics.

Each function answers at once: the run's own thread does it between two steps (`BackgroundRun`).
"""

from collections.abc import Callable, Sequence
from typing import Any

from ..state.labels import Labels
from .registry import Entry

KeepLabels = Callable[[Labels], None]
"""Writes what is said of topics to the disk, beside the run."""


def change_topics(
    entry: Entry, kind: str, topics: Sequence[int], names: Sequence[str], keep: KeepLabels
) -> None:
    """Merge, split or delete topics for good. Raises ValueError if the run was stopped."""

    def act(run: Any) -> None:
        edit = run.edit(kind, topics, names)
        entry.labels_before = (*entry.labels_before, entry.labels)
        entry.labels = entry.labels.after(edit)
        keep(entry.labels)

    entry.background.change(act)


def undo(entry: Entry, keep: KeepLabels) -> None:
    """Take the last change back, with all that was learned and said of topics since."""

    def act(run: Any) -> None:
        run.undo()
        if entry.labels_before:
            entry.labels, entry.labels_before = entry.labels_before[-1], entry.labels_before[:-1]
            keep(entry.labels)

    entry.background.change(act)
