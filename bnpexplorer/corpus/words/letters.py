"""One way to write every letter, before words are cut, and the way back to the text.

Letters with accents come composed (é) or apart (e and an accent): macOS and many PDF files part
them. Open this to change what counts as the same letter.
"""

import unicodedata
from collections.abc import Iterator

import numpy as np

from ...core.arrays import I64
from .junk import APOSTROPHE

APOSTROPHES = str.maketrans(dict.fromkeys(APOSTROPHE[1:-1], "'"))
DOTTED = "i\u0307"
"""What Python makes of İ in lower case; and so do files that a program wrote."""


def one_way(text: str, lower: bool, turkish: bool) -> str:
    """Return the text with composed letters and one kind of apostrophe, in lower case if `lower`.

    `turkish`: the small letter of I is ı.
    """
    text = same_length(composed(text), lower, turkish)
    return composed(text) if lower else text  # ǰ has no capital, but its parts have


def same_length(text: str, lower: bool, turkish: bool) -> str:
    """Return the middle part of `one_way`, which keeps the place of every letter."""
    text = text.translate(APOSTROPHES)
    if not lower:
        return text
    if turkish:
        text = text.replace("I", "ı")
    return text.replace("İ", "i").lower()


def composed(text: str) -> str:
    """Return the text in Unicode's composed form (NFC), with an i that has its dot apart as i."""
    text = unicodedata.normalize("NFC", text)
    if DOTTED in text:
        text = unicodedata.normalize("NFC", text.replace(DOTTED, "i"))
    return text


def one_way_places(text: str, lower: bool, turkish: bool) -> I64:
    """Return where every letter of `one_way(...)`, and its end, stood: int64 (n + 1,)."""
    first = composed_places(text)
    if not lower:
        return first
    return first[composed_places(same_length(composed(text), lower, turkish))]


def composed_places(text: str) -> I64:
    """Return where every letter of `composed(text)`, and its end, stood: int64 (n + 1,).

    Of letters with accents that changed, the first stands at their beginning and others at their
    end, so that a word never ends between a letter and its accents.
    """
    if composed(text) == text:
        return np.arange(len(text) + 1, dtype=np.int64)
    places = list[int]()
    for start, stop in _clusters(text):
        before = text[start:stop]
        after = composed(before)
        if after == before:
            places += range(start, stop)
        else:
            places += [start, *[stop] * (len(after) - 1)]
    return np.array([*places, len(text)], dtype=np.int64)


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each letter begins and where the marks behind it end: no others join."""
    start = 0
    for i, letter in enumerate(text):
        if i and not _joins(letter):
            yield start, i
            start = i
    if text:
        yield start, len(text)


def _joins(letter: str) -> bool:
    """Return whether a letter may become one with that before it: marks, and parts of Hangul and
    of Kirat Rai."""
    if letter < "\u0300":
        return False
    if "\u1160" <= letter <= "\u11ff" or "\U00016d60" <= letter <= "\U00016d6a":
        return True
    return unicodedata.category(letter)[0] == "M"
