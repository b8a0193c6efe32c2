"""At home: which documents of a step need not be sent to which worker."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..core.arrays import I64
from ..corpus.corpus import Batch, Corpus
from ..corpus.stored import StoredCorpus
from ..corpus.stored.elsewhere import said
from ..inference.pool import Pieces
from ..inference.slices import Docs, Slice, by_distinct_word
from .holdings import Holdings
from .parts import MISSING, Reply, SlicePart, StepReading, Trouble, mark_of, marks_of
from .places import Remote
from .sending import Group, Sending


@dataclass
class BatchStep:
    """One mini-batch, as rows of a corpus that workers have or read."""

    batch: Batch
    holdings: Holdings
    address: str
    """Where workers read it; empty if none does."""
    keep: bool
    """Whether the same documents make up a batch again."""
    _ends: I64 = field(init=False)

    def __post_init__(self) -> None:
        self._ends = self.batch.docs.indptr

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

    def named(self, pieces: Pieces) -> "list[tuple[int, SlicePart] | None]":
        """Of every piece the place of what a part may stand for, and the part, without documents;
        None where there is nothing of this batch in it."""
        return [
            next((found for i, m in enumerate(piece) if (found := self._named(i, m))), None)
            for piece in pieces
        ]

    def _named(self, place: int, member: Any) -> tuple[int, SlicePart] | None:
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


class Naming(Sending):
    """Sends the pieces of a step, and parts only in the place of documents that a worker has."""

    def __init__(
        self, *arguments: Any, step: BatchStep, named: "list[tuple[int, SlicePart] | None]"
    ) -> None:
        super().__init__(*arguments)
        self._step, self._named = step, named
        self._holders: dict[Group, str] = {}

    def _next(self, worker: str) -> Group:
        """First what this worker has, then what none has; else it takes something from another."""
        if not self._step.keep:
            return super()._next(worker)
        best, left = None, self._left()
        for place, group in enumerate(self._todo):
            holder = self._holder(group)
            if holder == worker:
                best = place
                break
            if best is None and holder not in left:
                best = place
        place = best or 0
        group = self._todo[place]
        del self._todo[place]
        return group

    def _holder(self, group: Group) -> str:
        if group not in self._holders:
            named = self._named[group[0]]
            self._holders[group] = "" if named is None else self._holdings.holder(named[1].key)
        return self._holders[group]

    @property
    def _holdings(self) -> Holdings:
        return self._step.holdings

    async def one(
        self, work: Callable[..., Any], given: Remote, pieces: Pieces, begin: int
    ) -> list[Any]:
        worker, places = given.held.worker, range(begin, begin + len(pieces))
        reads = self._step.address and self._holdings.reads(worker, self._step.fingerprint)
        for whole in (False, True):
            sent = [
                self._packed(piece, self._named[place], worker, bool(reads) and not whole, whole)
                for place, piece in zip(places, pieces, strict=True)
            ]
            reply: Reply = await self._asked(work, given, sent)
            self._holdings.keeps(worker, reply.kept)
            if reply.found is not None:
                return reply.found
            self._note(worker, begin, reply.troubles)
        raise RuntimeError(f"A worker that had all documents found none: {reply.troubles}")

    def _packed(
        self,
        piece: tuple[Any, ...],
        named: tuple[int, SlicePart] | None,
        worker: str,
        reads: bool,
        whole: bool,
    ) -> tuple[Any, ...]:
        """A piece as it is sent to a worker."""
        if named is None:
            return piece
        place, part = named
        has = reads or (not whole and self._holdings.holder(part.key) == worker)
        if has:
            self.moved.named += 1
        else:
            part = self._step.whole(part)
        return (*piece[:place], part, *piece[place + 1 :])

    def _note(self, worker: str, begin: int, troubles: dict[int, Trouble]) -> None:
        for place, (why, marks) in troubles.items():
            named = self._named[begin + place]
            assert named is not None
            part = named[1]
            if why == MISSING:
                self._holdings.keeps_not(part.key)
                continue
            sentence = (
                f"Worker {worker} could not read on: {why} It is sent its documents from now on."
                if why
                else self._step.differs(part, worker, marks)
            )
            self._holdings.reads_no_more(worker, self._step.fingerprint, sentence)
