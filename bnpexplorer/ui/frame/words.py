"""Words for places that read Markdown: people's words as they are, and a run's status.

Streamlit reads Markdown nearly everywhere: in texts, messages and headings, in the labels and hints
of widgets, and in the options of segmented controls, pills and radio buttons, but not in those of
select boxes and not in tables. Everything that a person or a file has named (runs, corpora, topics,
documents, words, errors that quote them) goes through `plain` there.
"""

import re
from typing import Any

from ...core.display import plain
from ...runs import limits
from ...runs.background import BackgroundRun

__all__ = ["STATUS_WORDS", "plain", "status_words", "told"]

STATUS_WORDS = {
    "ready": "ready",
    "queued": "waiting in line",
    "compiling": "compiling kernels, first time only",
    "starting": "finding a start",
    "running": "learning",
    "paused": "paused",
    "finished": "finished",
    "stopped": "stopped",
    "failed": "failed",
}


FOLDERS = re.compile(r"(?<![\w.:/\\])(?:/|~|[A-Za-z]:\\).*[/\\]|(?<![\w.:/\\])/(?=\w)")
"""From where an absolute path begins to its last folder; names may have blanks."""


def told(problem: object) -> str:
    """Return an error as Markdown; on a shared server without folders of the machine."""
    said = str(problem)
    return plain(FOLDERS.sub("", said) if limits.is_shared() else said)


def status_words(background: BackgroundRun[Any]) -> str:
    """Where a run, race or study stands, its place if it waits, and why it was paused if no person
    paused it."""
    words, place = STATUS_WORDS[background.status], background.place_in_queue
    if background.asked_for:
        return {"pause": "pausing", "stop": "stopping"}[background.asked_for]
    if background.status == "paused" and background.why_paused:
        return f"{words} {background.why_paused}"
    return f"{words}, number {place}" if background.status == "queued" and place else words
