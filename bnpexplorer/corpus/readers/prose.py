"""How a plain text falls into documents: wrapped prose into paragraphs, other text into lines, and
a book of Project Gutenberg without its header and licence."""

import re
from collections.abc import Iterable, Iterator

FEWEST_LINES = 8
"""Filled lines from which on it shows whether prose is wrapped."""
NARROW, WIDE = 35, 110
"""Letters of the longer lines of wrapped prose."""
FULL = 0.7
"""A line that was broken is this long at least, measured by the longer lines."""
BROKEN = 0.7
"""Share of the lines within paragraphs that are full in wrapped prose."""
BEGIN = re.compile(r"\*\*\* ?START OF TH(E|IS) PROJECT GUTENBERG", re.IGNORECASE)
END = re.compile(r"\*\*\* ?END OF TH(E|IS) PROJECT GUTENBERG", re.IGNORECASE)


def is_wrapped(text: str) -> bool:
    """Whether lines were broken to fit a width, with blank lines between paragraphs."""
    paragraphs = [p.strip().split("\n") for p in re.split(r"\n[ \t]*\n", text) if p.strip()]
    lengths = sorted(len(line.strip()) for lines in paragraphs for line in lines)
    if len(paragraphs) < 2 or len(lengths) < FEWEST_LINES:
        return False
    width = lengths[len(lengths) * 9 // 10]
    within = [line.strip() for lines in paragraphs for line in lines[:-1]]
    if not NARROW <= width <= WIDE or len(within) < len(lengths) / 3:
        return False
    full = sum(len(line) >= FULL * width for line in within)
    ended = sum(line.endswith((".", "!", "?", "。")) for line in within)
    return full >= BROKEN * len(within) and ended <= len(within) / 2


def is_prose(lines: list[str]) -> bool:
    """Whether the lines are mostly words."""
    letters = sum(sum(map(str.isalpha, line[:500])) for line in lines)
    signs = sum(len("".join(line[:500].split())) for line in lines)
    return letters >= signs / 2


def is_gutenberg(text: str) -> bool:
    """Whether a text begins as a book of Project Gutenberg."""
    return BEGIN.search(text) is not None


def without_licence(lines: Iterable[str]) -> Iterator[str]:
    """The lines between those that begin and end a book of Project Gutenberg."""
    begun = False
    for line in lines:
        if END.search(line):
            return
        if begun:
            yield line
        begun = begun or BEGIN.search(line) is not None
