"""What of D documents hangs together: passages of one text, and texts that stand there again.

Who compares sets of documents asks how many texts chose their words on their own. Ten passages of a
speech are one such text, and so is a message that a hundred others sent on. Counted as ten or as a
hundred, they make chance look like certainty (`explore/means.py`).
"""

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.arrays import I32, I64

Column = npt.NDArray[Any]

SIGN = "¶"
BLOCK = 65_536
"""Documents at once, so that what is needed beside the result stays small."""
MARKED = re.compile(rf"\s{SIGN}\d+$")


def mark(place: int) -> str:
    """What a passage's title and id end with; `place` counts from 0 within its text."""
    return f" {SIGN}{place + 1}"


def origins(id: Column | None, title: Column | None, *known: Column | None) -> I64 | None:
    """Which documents (D,) are passages of the same text, by the mark that passages carry: int64
    numbers, equal for these and for no others; None where no document is a passage.

    Texts are told apart by their ids, or where passages have none by their titles together with
    what else is `known`, such as dates. Two texts that have all of this in common count as one.
    """
    names = [column for column in (id, title) if column is not None]
    if not any(SIGN in str(name) for column in names for name in column):
        return None
    keys: dict[tuple[object, ...], int] = {}
    numbers = np.empty(len(names[0]), np.int64)
    for d in range(len(numbers)):
        key: tuple[object, ...] = (d,)
        if id is not None and (stem := _stem(id[d])):
            key = ("id", stem)
        elif title is not None and (stem := _stem(title[d])):
            key = ("title", stem, *(str(column[d]) for column in known if column is not None))
        numbers[d] = keys.setdefault(key, len(keys))
    return numbers


def _stem(name: object) -> str:
    """What the text of a passage is called; empty for what is none."""
    text = str(name)
    found = MARKED.search(text) if SIGN in text else None
    return text[: found.start()] if found else ""


def units(indptr: I64, word_ids: I32, counts: I32, origin: I64 | None) -> I64 | None:
    """Which documents are one text: int64 (D,) from 0; None where each is one of its own.

    Passages of the same `origin` are, and texts with the same counts of all words. Counts are
    compared by sums of random 64-bit numbers: two different texts of a million agree with a
    probability of 3e-8.
    """
    n_docs = len(indptr) - 1
    signs = np.random.default_rng(0).integers(
        0, 2**64, int(word_ids.max(initial=0)) + 1, np.uint64, endpoint=False
    )
    of_text = np.zeros(n_docs, np.uint64)
    for begin in range(0, n_docs, BLOCK):
        ends = indptr[begin : begin + BLOCK + 1]
        part = slice(ends[0], ends[-1])
        sums = np.zeros(part.stop - part.start + 1, np.uint64)
        np.cumsum(signs[word_ids[part]] * counts[part].astype(np.uint64), out=sums[1:])
        of_text[begin : begin + BLOCK] = np.diff(sums[ends - ends[0]])
    if origin is not None:
        whole = np.zeros(int(origin.max(initial=0)) + 1, np.uint64)
        np.add.at(whole, origin, of_text)
        of_text = whole[origin]
    found, numbers = np.unique(of_text, return_inverse=True)
    return None if len(found) == n_docs else np.asarray(numbers, np.int64)
