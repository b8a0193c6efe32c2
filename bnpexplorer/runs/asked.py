"""Change the topics of a background run by hand, with their names.

Each function returns at once; the run's own thread makes the change between two steps.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ..state.labels import Labels
from .registry import Entry

KeepLabels = Callable[[Labels], None]
"""Writes the labels of topics to the disk, beside the run."""


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
    """Undo the last change; what was learned and named since is lost."""

    def act(run: Any) -> None:
        run.undo()
        if entry.labels_before:
            entry.labels, entry.labels_before = entry.labels_before[-1], entry.labels_before[:-1]
            keep(entry.labels)

    entry.background.change(act)
