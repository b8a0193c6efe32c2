"""No pattern of anybody's holds the server."""

import re
from pathlib import Path

import numpy as np

from bnpexplorer.corpus.intake import work
from bnpexplorer.corpus.intake.children import CHILDREN
from bnpexplorer.corpus.intake.process import ReadingFailed
from bnpexplorer.corpus.text import TextSettings
from bnpexplorer.corpus.words import pattern
from tests.tools.waiting import at_most, children_at_most

PIECES = (
    *(r"\w", "a", "b", r"\b", "[^b]", r"\d", ".", "ß", "\U0001f600", "!", "(?i:A)", "(?=a)"),
    *("(?:a|aa)+", "(?:a|b|ab)*", r"(?:\w|\w\w)+", "(a+)+", "(?:a?){30}", "(?:(?:|a){999}){999}"),
)
ENDS = ("", "+", "*", "?", "{2,9}", "$", "|c")
IN_GATE = 4
SECONDS = 0.5
"""For one text, of the processor."""
HELD = 1.0
"""Seconds of the processor for which the server may be at it itself; it only waits."""


def patterns(rng: np.random.Generator, folder: Path) -> None:
    """A random pattern is refused, or cuts a text, or is given up in time."""
    pieces = rng.choice(PIECES, int(rng.integers(1, 5)))
    made = "".join(piece + str(rng.choice(ENDS)) for piece in pieces)
    text = "".join(rng.choice(["a", "ab", "b", " ", "\U0001f600", "1"], 60)) + 40 * "a"
    try:
        with at_most(HELD), children_at_most(pattern.SECONDS + 1):
            settings = TextSettings(min_df=1, stop_words="none", token_pattern=made)
    except ValueError as problem:
        told, settings = str(problem), None
    if settings is None:
        assert repr(made) in told
        return
    CHILDREN.warm()
    try:
        with at_most(HELD):
            found = CHILDREN.do(work.cut, at_most=SECONDS, text=text, settings=settings)
    except ReadingFailed as problem:
        why = problem.why
    else:
        why = "time"
        group = min(re.compile(made).groups, 1)
        wanted = [m.group(group) or "" for m in re.finditer(made, text.lower())]
        assert [found.plain[a:b] for a, b in found.spans.tolist()] == wanted, made
    assert why == "time", made


TRIALS = {"patterns": patterns}
