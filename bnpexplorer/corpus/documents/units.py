"""What of D documents hangs together: passages of one text, and texts that stand there again.

Who compares sets of documents asks how many texts chose their words on their own. Ten passages of a
speech are one such text, and so is a message that a hundred others sent on. Counted as ten or as a
hundred, they make chance look like certainty (`explore/means.py`).
"""

import hashlib
import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from ...core.arrays import I64

Column = npt.NDArray[Any]

SIGN = "¶"
BLOCK = 65_536
"""Documents at once, so that what is needed beside the result stays small."""
MARKED = re.compile(rf"\s{SIGN}\d+$")


def mark(place: int) -> str:
    """What a passage's title and id end with; `place` counts from 0 within its text."""
    return f" {SIGN}{place + 1}"


def origins(tables: Iterable[Any], n_docs: int) -> I64 | None:
    """Which of `n_docs` documents are passages of the same text, by the mark that passages carry:
    int64 (D,), equal for these and for no others; None where no document is a passage.

    `tables`: the `DocTable` of some documents after the other; what is held beside the result is 17
    bytes for each document. Texts are told apart by their ids, or where passages have none by their
    titles together with their dates and labels. Two texts that have all of this in common count as
    one. Names are compared by hashes of 64 bits, as counts are.
    """
    keys, is_passage = np.zeros(n_docs, np.uint64), np.zeros(n_docs, bool)
    first = 0
    for table in tables:
        names = [column for column in (table.id, table.title) if column is not None]
        if not names:
            return None
        there = {d for column in names for d, name in enumerate(column) if SIGN in str(name)}
        for d in there:
            if key := _key(table, d):
                keys[first + d], is_passage[first + d] = _hash(key), True
        first += len(names[0])
    rows = np.flatnonzero(is_passage)
    if not len(rows):
        return None
    _, begins, text = np.unique(keys[rows], return_index=True, return_inverse=True)
    of_text = np.arange(n_docs)
    of_text[rows] = rows[begins][text]  # the first passage of each
    numbers: I64 = np.cumsum(of_text == np.arange(n_docs)) - 1
    return numbers[of_text]


def _key(table: Any, d: int) -> tuple[str, ...]:
    """What all passages of a text have in common; empty for what is no passage."""
    if table.id is not None and (stem := _stem(table.id[d])):
        return "id", stem
    if table.title is not None and (stem := _stem(table.title[d])):
        known = (column for column in (table.date, table.label) if column is not None)
        return "title", stem, *(str(column[d]) for column in known)
    return ()


def _hash(key: tuple[str, ...]) -> int:
    written = "\0".join(key).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(written, digest_size=8).digest(), "little")


def _stem(name: object) -> str:
    """What the text of a passage is called; empty for what is none."""
    text = str(name)
    found = MARKED.search(text) if SIGN in text else None
    return text[: found.start()] if found else ""


def units(parts: Iterable[Any], n_docs: int, n_words: int, origin: I64 | None) -> I64 | None:
    """Which of `n_docs` documents are one text: int64 (D,) from 0; None where each is one of its
    own.

    `parts`: the `Corpus` of some documents after the other, of `n_words` words. Passages of the
    same `origin` are one text, and texts with the same counts of all words. Counts are compared by
    sums of random 64-bit numbers: two different texts of a million agree with a probability of
    3e-8.
    """
    signs = np.random.default_rng(0).integers(0, 2**64, n_words, np.uint64, endpoint=False)
    of_text, first = np.zeros(n_docs, np.uint64), 0
    for part in parts:
        sums = np.zeros(len(part.word_ids) + 1, np.uint64)
        np.cumsum(signs[part.word_ids] * part.counts.astype(np.uint64), out=sums[1:])
        of_text[first : first + part.n_docs] = np.diff(sums[part.indptr])
        first += part.n_docs
    if origin is not None:
        whole = np.zeros(int(origin.max(initial=0)) + 1, np.uint64)
        np.add.at(whole, origin, of_text)
        of_text = whole[origin]
    found, numbers = np.unique(of_text, return_inverse=True)
    return None if len(found) == n_docs else np.asarray(numbers, np.int64)
