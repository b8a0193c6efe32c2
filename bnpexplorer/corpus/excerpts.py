"""Before and after a clean-up: a few places of a few documents, for a person to look at."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .cleaning import Cleaned, cleaned
from .suggesting import LETTERS_OF_ONE

N_EXCERPTS = 3
LETTERS = 280
"""Of an excerpt at most: four lines."""
BEFORE = 60
"""Letters before the first change."""
TRIES = 50
"""Documents that are looked at for one that changes."""


@dataclass(frozen=True)
class Stretch:
    """A stretch of a text."""

    text: str
    """As it was."""
    fate: Literal["kept", "removed", "mended"]
    now: str = ""
    """What stands there after, if it was mended."""


def excerpts(texts: Sequence[str], switches: str) -> list[list[Stretch]]:
    """At most three documents that change, spread over all, each around its first change."""
    found = []
    rows = set[int]()
    for i in range(N_EXCERPTS):
        first = i * len(texts) // N_EXCERPTS
        for row in range(first, min(first + TRIES, len(texts))):
            text = texts[row][:LETTERS_OF_ONE]
            after = cleaned(text, switches)
            if row not in rows and (after.removed or after.mended):
                rows.add(row)
                found.append(excerpt(text, after))
                break
    return found


def excerpt(text: str, after: Cleaned) -> list[Stretch]:
    """The text around its first change; blanks in a row are one."""
    changes = sorted([*((a, b, None) for a, b in after.removed), *after.mended])
    start = max(changes[0][0] - BEFORE, 0)
    if start:  # not in the middle of a word
        blank = text.find(" ", start, changes[0][0])
        start = blank + 1 if blank >= 0 else start
    stop, at, pieces = min(start + LETTERS, len(text)), start, list[Stretch]()
    for a, b, new in changes:
        if a < at or a >= stop:  # inside what was removed, or beyond
            continue
        pieces += [Stretch(_line(text[at:a]), "kept")] if a > at else []
        fate: Literal["removed", "mended"] = "removed" if new is None else "mended"
        pieces.append(Stretch(_line(text[a : min(b, stop)]), fate, new or ""))
        at = min(b, stop)
    rest = [Stretch(_line(text[at:stop]), "kept")] if at < stop else []
    head = [Stretch("… ", "kept")] if start else []
    tail = [Stretch(" …", "kept")] if stop < len(text) else []
    return [*head, *pieces, *rest, *tail]


def _line(text: str) -> str:
    """On one line, its outer blanks kept as one each."""
    words = " ".join(text.split())
    if not words:
        return " " if text else ""
    return f"{' ' * text[0].isspace()}{words}{' ' * text[-1].isspace()}"
