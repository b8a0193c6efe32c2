"""On the client: the documents of a step that need not be sent to a worker.

A worker may read the corpus itself, or have kept documents that return in every pass.
"""

import asyncio
import hashlib
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...core.arrays import I64
from ...corpus.corpus import Batch, Corpus, CorpusError
from ...corpus.stored import StoredCorpus
from ...corpus.stored.elsewhere import said
from ...inference.pool import Pieces
from ...inference.slices import Docs, Slice, by_distinct_word
from .parts import SlicePart, StepReading, mark_of, marks_of
from .shards import counts_at

Named = tuple[int, SlicePart]
"""The place of a member in a piece, and the part that may stand for it."""
ASK_AGAIN = 300.0
"""Seconds after which a worker that could not read a corpus is asked again."""
ANSWER_SECONDS = 30.0
"""Most seconds for a worker to open a corpus; from an object store it takes about one."""
HANGING_SECONDS = ANSWER_SECONDS + 10.0
"""Seconds after which the client stops waiting for the answer of a worker."""
BEING_ASKED = "It is being asked."
REMEDY = (
    "It is sent its documents, which changes no number. To let it read them, make the folder's "
    "path the same there, or name its address with --shards (BNPEXPLORER_SHARDS)."
)
"""The advice if a worker cannot read the corpus."""


async def can_read(address: str, name: str, fingerprint: str, dask_worker: Any = None) -> str:
    """Return, on a worker, why it cannot read this corpus; empty if it can."""
    scratch = getattr(dask_worker, "local_directory", None)
    try:
        opening = asyncio.to_thread(counts_at, address, name, fingerprint, scratch)
        await asyncio.wait_for(opening, ANSWER_SECONDS)
    except CorpusError as problem:
        return str(problem)
    except TimeoutError:
        return f"{said(address)} does not answer within {ANSWER_SECONDS:.0f} s."
    return ""


class Holdings:
    """The parts of corpora that workers are known to have or read; thread-safe."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        """`tell` is called with sentences on workers."""
        self._tell = tell
        self._lock = threading.Lock()
        self.kept: dict[bytes, str] = {}
        """Key of a part -> the worker that kept it last."""
        self._readers: dict[tuple[str, str], tuple[str, float]] = {}
        """Worker and fingerprint -> why it does not read that corpus, or empty; and since when."""

    def ask(self, client: Any, workers: Sequence[str], address: str, corpus: StoredCorpus) -> None:
        """Find out which of `workers` read a corpus, unless that is known. Other runs do not wait
        meanwhile; for them these workers do not read it yet."""
        name, fingerprint = corpus.folder.name, corpus.manifest.fingerprint
        with self._lock:
            now = time.monotonic()
            unknown = [w for w in workers if self._unknown(w, fingerprint, now)]
            self._readers |= {(worker, fingerprint): (BEING_ASKED, now) for worker in unknown}

        async def ask_one(worker: str) -> None:
            try:
                async with asyncio.timeout(HANGING_SECONDS):
                    asked = (can_read, address, name, fingerprint)
                    how = {"workers": [worker], "on_error": "return", "asynchronous": True}
                    answer = (await client.run(*asked, **how)).get(worker, OSError("it is gone"))
            except (OSError, RuntimeError, ValueError) as problem:
                answer = problem
            why = answer if isinstance(answer, str) else f"{type(answer).__name__}: {answer}."
            if isinstance(answer, TimeoutError):
                why = "It does not answer."
            self._readers[worker, fingerprint] = why, now
            if why:
                self._tell(f"Worker {worker} cannot read the corpus itself: {why} {REMEDY}")

        async def ask_all() -> None:
            await asyncio.gather(*map(ask_one, unknown))

        try:
            if unknown:
                client.sync(ask_all)
        finally:  # where the cluster went meanwhile they are asked again
            for worker in unknown:
                if self._readers.get((worker, fingerprint)) == (BEING_ASKED, now):
                    del self._readers[worker, fingerprint]

    def _unknown(self, worker: str, fingerprint: str, now: float) -> bool:
        why, since = self._readers.get((worker, fingerprint), ("", -1.0))
        return since < 0 or bool(why and now - since > ASK_AGAIN)

    def reads(self, worker: str, fingerprint: str) -> bool:
        """Return whether a worker reads the corpus with this fingerprint."""
        return self._readers.get((worker, fingerprint), ("?", 0.0))[0] == ""

    def reads_no_more(self, worker: str, fingerprint: str, why: str) -> None:
        """Note that a worker failed to read, and tell `why` once for all pieces sent at once."""
        if self.reads(worker, fingerprint):
            self._readers[worker, fingerprint] = why, time.monotonic()
            self._tell(why)


@dataclass
class BatchStep:
    """A mini-batch as rows of a corpus that workers have or read."""

    batch: Batch
    holdings: Holdings
    address: str
    """Where workers read it; empty if none does."""
    keep: bool
    """Whether the same documents make up a batch again."""

    @property
    def _ends(self) -> I64:
        return self.batch.docs.indptr

    @cached_property
    def reading(self) -> StepReading:
        docs, whole = self.batch.docs, self._corpus
        words, _ = by_distinct_word(docs)
        name = whole.folder.name if isinstance(whole, StoredCorpus) else ""
        return StepReading(self.fingerprint, self.address, name, docs.n_words, words, self.keep)

    @property
    def _corpus(self) -> Corpus:
        assert self.batch.corpus is not None
        return self.batch.corpus

    @property
    def fingerprint(self) -> str:
        whole = self._corpus
        return whole.manifest.fingerprint if isinstance(whole, StoredCorpus) else whole.fingerprint

    @cached_property
    def _rows(self) -> I64:
        """int64 (S,): where the documents of the batch lie, also of a view."""
        whole, rows = self._corpus, self.batch.rows
        return whole.places(rows) if isinstance(whole, StoredCorpus) else rows

    def named(self, pieces: Pieces) -> "list[Named | None]":
        """Return for every piece the place of its documents and the part that stands for them; None
        if it holds no documents of this batch."""
        return [
            next((found for i, m in enumerate(piece) if (found := self._named(i, m))), None)
            for piece in pieces
        ]

    def _named(self, place: int, member: Any) -> Named | None:
        docs = member.docs if isinstance(member, Slice) else member
        if not isinstance(docs, Docs) or not len(docs.counts):
            return None
        batch = self.batch.docs
        # What is a view of the batch's counts is its documents; those of others lie elsewhere.
        begin = (_address(docs.counts) - _address(batch.counts)) // batch.counts.itemsize
        first, last = np.searchsorted(self._ends, (begin, begin + len(docs.counts))).tolist()
        if isinstance(member, Slice):
            first, last = member.first, member.last
        elif _address(docs.local) != _address(batch.word_ids) + begin * batch.word_ids.itemsize:
            return None  # over other words
        if not (
            0 <= first < last < len(self._ends)
            and begin == self._ends[first]
            and begin + len(docs.counts) == self._ends[last]
        ):
            return None
        rows = np.ascontiguousarray(self._rows[first:last])
        # A worker believes what it has kept by its key alone, whichever run or app kept it there.
        # So the key says what the documents are, not only where: the fingerprint is what a manifest
        # claims, and the counts beside it may have been changed since a worker read or got them.
        mark = mark_of(self._held(first, last))
        digest = hashlib.blake2b(self.fingerprint.encode(), digest_size=16)
        digest.update(mark.to_bytes(4, "little"))
        digest.update(rows.data)
        return place, SlicePart(
            first, last, isinstance(member, Slice), digest.digest(), rows, mark, None
        )

    def _held(self, first: int, last: int) -> Docs:
        """Documents of the batch over all words."""
        docs, (begin, end) = self.batch.docs, self._ends[[first, last]]
        indptr = self._ends[first : last + 1] - begin
        return Docs(indptr, docs.word_ids[begin:end], docs.counts[begin:end])

    def whole(self, part: SlicePart) -> SlicePart:
        """The same part with its documents."""
        return part._replace(held=self._held(part.first, part.last))

    def read_by(self, worker: str) -> bool:
        """Return whether a worker reads the documents itself."""
        return bool(self.address) and self.holdings.reads(worker, self.fingerprint)

    def differs(self, part: SlicePart, worker: str, marks: I64) -> str:
        """In a sentence, where a worker read other numbers than this machine has."""
        whole = self._corpus
        assert isinstance(whole, StoredCorpus)
        ours = marks_of(self._held(part.first, part.last))
        other = np.flatnonzero(ours != marks) if len(ours) == len(marks) else np.zeros(1, int)
        row = int(part.rows[other[0] if len(other) else 0])
        shard = next(i for i, s in enumerate(whole.manifest.shards) if row < s.last)
        return (
            f"Worker {worker} reads other numbers in shard {shard} of the corpus in "
            f"{said(self.address)} than this machine reads in {whole.folder}: one of them was "
            "changed since the corpus was built. It is sent its documents from now on, so that "
            "numbers stay those of this machine; `corpus check` tells which shard to bring back."
        )


def _address(array: Any) -> int:
    """Where an array begins in memory."""
    return int(array.__array_interface__["data"][0])
