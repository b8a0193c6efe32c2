"""What stands where a figure will be, as long as no run has learned anything to draw."""

from collections.abc import Sequence

import streamlit as st

from ...corpus.source import plural
from ...runs.warming import compiled
from ..frame.session import Shown
from ..frame.words import status_words
from ..parts import html
from ..parts.run_choice import labels_of

TOPICS = "Topics are counted as soon as the first documents are read."


def say_how_far(runs: Sequence[Shown], height: int) -> None:
    """Say of every run how far it is, in a place of so many pixels."""
    said = []
    for shown, label in zip(runs, labels_of(runs), strict=True):
        background = shown.entry.background
        words, done, needed = status_words(background), 0, 0
        if background.status == "compiling":
            done, needed = compiled(background.run.method)
        if needed:
            words = f"{done:,} of {plural(needed, 'kernel')} compiled, the first time only"
        said.append(html.progress_line(f"{label}: {words}", done, needed))
    _write("".join(said), height)


def say_when(height: int) -> None:
    """Say when topics are counted, in a place of so many pixels."""
    _write(f"<p>{TOPICS}</p>", height)


def _write(inside: str, height: int) -> None:
    st.html(f'{html.CSS}<div class="bnp bnp-wait" style="min-height:{height}px">{inside}</div>')
