"""Words for places that read Markdown: people's words as they are, and a run's status.

Streamlit reads Markdown nearly everywhere: in texts, messages and headings, in the labels and hints
of widgets, and in the options of segmented controls, pills and radio buttons, but not in those of
select boxes and not in tables. Everything that a person or a file has named (runs, corpora, topics,
documents, words, errors that quote them) goes through `plain` there.
"""

import re
from typing import Any

from ..background import BackgroundRun

JOINER = "\u2060"
"""Has no width; what is on both sides of it does not belong together."""
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


def plain(text: object) -> str:
    """Text for a place that reads Markdown: one line in which every sign stands for itself.

    Backslashes do not reach icons (`:material/home:`), bare addresses and arrows (`->`), which
    Streamlit finds only after it has taken the backslashes away; a joiner divides these.
    """
    line = re.sub(r"\s+", " ", str(text)).strip()
    line = re.sub(r":(?=\S)|@|www(?=\.)|[-<>~](?=[-=>])", rf"\g<0>{JOINER}", line, flags=re.I)
    line = re.sub(rf"[\\`*_\[\]#|~<>$&]|:(?={JOINER})", r"\\\g<0>", line)
    return re.sub(r"^(\d*)([-+=.)])", r"\1\\\2", line)  # lists and rules begin a line


def status_words(background: BackgroundRun[Any]) -> str:
    """Where a run, race or study stands, and its place if it waits."""
    words, place = STATUS_WORDS[background.status], background.place_in_queue
    return f"{words}, number {place}" if background.status == "queued" and place else words
