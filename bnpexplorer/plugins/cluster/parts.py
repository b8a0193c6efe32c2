"""Documents that need not be sent: a worker reads them from the corpus itself, or has kept them.

Some documents of a mini-batch are rows of a corpus that has a fingerprint: a `SlicePart` names
them, and the worker makes of it the `Slice` or the `Docs` that it stands for, with the same bits.
"""

import threading
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ...core.arrays import I32, I64
from ...corpus.corpus import CorpusError
from ...corpus.stored.counts import runs_of
from ...inference.slices import Docs, Slice, cut_elsewhere, read_only
from .message import Message
from .shards import counts_at, open_anew

ROOM = 2**28
"""Bytes of documents that a worker keeps: some 400,000 of 80 distinct words."""
STALE = 600.0
"""Seconds without use after which others may take the room of what was kept. Before that newcomers
are not kept: a pass over more than there is room for would else drop all before it is used."""
MISSING = "missing"
"""Why a part was not computed that a worker was thought to have."""


class StepReading(NamedTuple):
    """How the parts of one step are read."""

    fingerprint: str
    address: str
    """Where workers read the corpus; of a corpus in memory empty."""
    name: str
    """Of its folder."""
    n_words: int
    """V."""
    words: I32
    """int32 (W,): the distinct words of the mini-batch, ascending."""
    keep: bool
    """Whether the same documents make up a batch again."""


class SlicePart(NamedTuple):
    """Stands for a `Slice` of the mini-batch, or for `Docs` over all words."""

    first: int
    last: int
    """As of `Slice`."""
    is_slice: bool
    key: bytes
    """Of the documents among those of all corpora."""
    rows: I64
    """int64 (S,): where they lie in the corpus."""
    mark: int
    """Of their counts, so that none is taken for another."""
    held: Docs | None
    """The documents themselves over all words, where a worker neither has nor reads them."""


class Trouble(NamedTuple):
    """Why a part was not computed."""

    why: str
    """A sentence; or `MISSING`; empty where other numbers were read than this machine has."""
    marks: I64
    """int64 (S,): of each document as it was read; then `why` is empty."""


class Reply(NamedTuple):
    """The answer of a worker to some pieces."""

    found: list[Any] | None
    """Results in the order of the pieces; None if there is trouble with one."""
    kept: list[bytes]
    """Keys of parts that the worker keeps."""
    troubles: dict[int, Trouble]
    """By the places of pieces."""


def mark_of(docs: Docs) -> int:
    """A sum over the counts of some documents over all words: another for any one change. 160 kB of
    a slice take 0.03 ms."""
    mark = 0
    for array in docs:
        mark = zlib.crc32(np.ascontiguousarray(array).data.cast("B"), mark)
    return mark


def marks_of(docs: Docs) -> I64:
    """The same of every document: int64 (S,)."""
    parts = [slice(a, b) for a, b in pairwise(docs.indptr.tolist())]
    data = [(docs.local[own].tobytes(), docs.counts[own].tobytes()) for own in parts]
    return np.array([zlib.crc32(counts, zlib.crc32(words)) for words, counts in data], np.int64)


class KeptDocuments:
    """Documents that a worker keeps for the next pass; several threads may use it at once."""

    def __init__(self, room: int = ROOM, clock: Callable[[], float] = time.monotonic) -> None:
        self.room, self._clock = room, clock
        self.n_bytes = 0
        self._docs: OrderedDict[bytes, tuple[Docs, float]] = OrderedDict()
        """Key -> documents, and when they were used; what was used last is last."""
        self._lock = threading.Lock()

    def get(self, key: bytes) -> Docs | None:
        with self._lock:
            found = self._docs.pop(key, None)
            if found is None:
                return None
            self._docs[key] = found[0], self._clock()
            return found[0]

    def put(self, key: bytes, docs: Docs) -> bool:
        """Keep a copy of these documents if there is room; whether they are kept."""
        with self._lock:
            if key in self._docs:
                return True
            now, size = self._clock(), _bytes_of(docs)
            while self.n_bytes + size > self.room and self._docs:
                oldest, (old, used) = next(iter(self._docs.items()))
                if now - used < STALE:
                    return False
                del self._docs[oldest]
                self.n_bytes -= _bytes_of(old)
            if self.n_bytes + size > self.room:
                return False
            # What was sent is a piece of a message, all of which would be kept with it.
            copies: list[Any] = [read_only(array.copy()) for array in docs]
            self._docs[key] = Docs(*copies), now
            self.n_bytes += size
            return True


def _bytes_of(docs: Docs) -> int:
    return sum(array.nbytes for array in docs)


KEPT = KeptDocuments()
"""Of this process, on a worker."""


# ---- on a worker ---------------------------------------------------------------------------------


def compute(work: Callable[..., Any], given: Message, pieces: Message) -> Message:
    """`work` of every piece, in which parts stand for their documents; a `Reply`."""
    (reading, shared), asked = given.value(), list[list[Any]]()
    kept, troubles = list[bytes](), dict[int, Trouble]()
    for place, piece in enumerate(pieces.value()):
        whole = [_whole(one, reading, kept) if isinstance(one, SlicePart) else one for one in piece]
        for one in whole:
            if isinstance(one, Trouble):
                troubles[place] = one
        asked.append(whole)
    found = None if troubles else [work(*piece, shared) for piece in asked]
    return Message(Reply(found, kept, troubles))


def _whole(part: SlicePart, reading: StepReading, kept: list[bytes]) -> Slice | Docs | Trouble:
    """What was cut here out of the mini-batch; its key goes to `kept` if its documents are kept."""
    docs = KEPT.get(part.key) or part.held or _read(part, reading)
    if isinstance(docs, Trouble):
        return docs
    if reading.keep and KEPT.put(part.key, docs):
        kept.append(part.key)
    if not part.is_slice:
        return docs
    return cut_elsewhere(part.first, part.last, docs, reading.n_words, reading.words)


def _read(part: SlicePart, reading: StepReading) -> Docs | Trouble:
    """The documents of a part over all words, as they lie in the corpus."""
    why, marks = MISSING, np.empty(0, np.int64)
    if reading.address:
        try:
            counts = counts_at(reading.address, reading.name, reading.fingerprint)
            firsts, lasts, _ = runs_of(part.rows)  # one look at the disk for those in a row
            docs = Docs(*counts.documents(firsts, lasts))
            if mark_of(docs) == part.mark:
                return docs
            why, marks = "", marks_of(docs)
        except CorpusError as problem:
            why = str(problem)
        open_anew(reading.address, reading.fingerprint)
    return Trouble(why, marks)
