"""Choose documents: by label, date, word and topic, or one by one.

Documents that a person picked are (D + 7) // 8 bytes, one bit each, the first document the highest
bit of the first byte. An address holds them compressed by zlib, in the letters of base64 that need
no escape.
"""

import base64
import binascii
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..core.arrays import F32, I64, Bools
from ..corpus.corpus import Corpus
from .documents import BLOCK, uses_of
from .periods import Column, day_in_words, with_label


def picked(rows: I64, n_docs: int) -> bytes:
    """The bits of these documents out of `n_docs`; none at all if there are no rows."""
    found = np.zeros(n_docs, bool)
    found[rows] = True
    return np.packbits(found).tobytes() if len(rows) else b""


def are_picked(bits: bytes, n_docs: int) -> Bools:
    """Which documents the bits stand for: bool (D,)."""
    found = np.unpackbits(np.frombuffer(bits, np.uint8), count=n_docs)
    return found.astype(bool)


def how_many(bits: bytes) -> int:
    return int.from_bytes(bits, "big").bit_count()


def as_letters(bits: bytes) -> str:
    """The bits as an address has them."""
    return base64.urlsafe_b64encode(zlib.compress(bits, 9)).decode().rstrip("=")


def of_letters(letters: str, n_docs: int) -> bytes:
    """The bits again; empty where the letters are not those of some of `n_docs` documents.

    An address is anybody's to write: no more is unpacked than so many documents have bits.
    """
    n_bytes = (n_docs + 7) // 8
    try:
        packed = base64.b64decode(letters + "=" * (-len(letters) % 4), b"-_", validate=True)
        reader = zlib.decompressobj()
        bits = reader.decompress(packed, n_bytes + 1)
    except (binascii.Error, ValueError, zlib.error):
        return b""
    spare = 8 * n_bytes - n_docs
    whole = reader.eof and len(bits) == n_bytes and not bits[-1] & ((1 << spare) - 1)
    return bits if whole and any(bits) else b""


LEAST = 0.1
"""The share of a topic that is asked for where none is said."""


@dataclass(frozen=True)
class Filter:
    """Conditions that hold together; what is empty asks for nothing."""

    labels: tuple[str, ...] = ()
    """One of these."""
    but: tuple[str, ...] = ()
    """Some label, but none of these."""
    since: str = ""
    """A day, 2014-10-01: this one or later."""
    until: str = ""
    """This one or earlier."""
    words: tuple[str, ...] = ()
    """Words of the vocabulary; each of them is in the document."""
    topic: int | None = None
    """A topic by its identity, ..."""
    least: float = LEAST
    """... of which the document has at least this share."""
    picked: bytes = b""
    """One of these, by their bits (`choosing.py`)."""

    def __bool__(self) -> bool:
        conditions = (self.labels, self.but, self.since, self.until, self.words, self.picked)
        return any(conditions) or self.topic is not None

    def without(self, part: str) -> "Filter":
        """The same with one field as it was at first."""
        return replace(self, **{part: getattr(Filter(), part)})

    @property
    def period(self) -> str:
        """The range of dates in words; empty if none is asked for."""
        if self.since and self.until:
            if self.since == self.until:
                return day_in_words(self.since)
            return f"{day_in_words(self.since)} to {day_in_words(self.until)}"
        if self.since:
            return f"since {day_in_words(self.since)}"
        return f"until {day_in_words(self.until)}" if self.until else ""


def day_of(text: str) -> str:
    """A day as addresses have it, 2014-10-01; empty for anything else."""
    try:
        day = np.datetime64(text.strip(), "D")
    except ValueError:  # an address is anybody's to write
        return ""
    return "" if np.isnat(day) else str(day)


def between(dates: Column | None, n_docs: int, since: str, until: str) -> Bools:
    """Documents from one day to another, both included: bool (D,). Without a date: none of them."""
    if dates is None:
        return np.zeros(n_docs, bool)
    found = ~np.isnat(dates)
    if since:
        found &= dates >= np.datetime64(since)
    if until:
        found &= dates <= np.datetime64(until)
    return np.asarray(found)


def with_word(corpus: Corpus, word: int) -> Bools:
    """Documents that use a word, by its place in the vocabulary: bool (D,)."""
    found = np.zeros(corpus.n_docs, bool)
    found[uses_of(corpus, word)[0]] = True
    return found


def chosen(corpus: Corpus, asked: Filter, share: F32 | None, columns: Sequence[int]) -> Bools:
    """The documents that a filter lets pass: bool (D,).

    `share` (D, K), None as long as nobody has read the documents: then the topic is not asked for;
    `columns`: where the filter's topic stands in it (several are added; none: nobody passes). A
    word that is not in the vocabulary is in no document.
    """
    docs, n_docs = corpus.docs, corpus.n_docs
    found = are_picked(asked.picked, n_docs) if asked.picked else np.ones(n_docs, bool)
    if asked.labels:
        found &= with_label(docs.label, n_docs, asked.labels)
    if asked.but:
        found &= ~with_label(docs.label, n_docs, (*asked.but, ""))
    if asked.since or asked.until:
        found &= between(docs.date, n_docs, asked.since, asked.until)
    for word in asked.words:
        if word not in corpus.vocab:
            return np.zeros(n_docs, bool)
        found &= with_word(corpus, corpus.vocab.index(word))
    if asked.topic is not None and share is not None:
        for begin in range(0, n_docs, BLOCK):
            part = share[begin : begin + BLOCK, list(columns)].sum(axis=1)
            found[begin : begin + BLOCK] &= part >= asked.least
    return found
