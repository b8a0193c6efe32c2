"""Writing a corpus into its folder, shard by shard, so that a build that was killed goes on."""

import hashlib
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...core import store
from ...core.arrays import I64
from ..corpus import Corpus, CorpusError, DocTable, fingerprint_of
from ..matrix import MAX_COUNT
from .counts import StoredCounts, file_hash
from .layout import (
    COUNTS,
    HEADER,
    INDPTR,
    JOURNAL,
    LENGTHS,
    MANIFEST,
    SHARD_DOCS,
    TOTALS,
    TYPES,
    VOCABULARY,
    WORD_IDS,
    Manifest,
    Shard,
    fields_of,
    read_manifest,
    write_tree,
)
from .stored import StoredCorpus

if TYPE_CHECKING:
    from .parquet import FieldsWriter

Array = npt.NDArray[Any]


class ShardWriter:
    """Documents become a stored corpus, in the order in which they are added.

    >>> import tempfile
    >>> from bnpexplorer import load
    >>> docs = load("sample_data/small.csv")
    >>> folder = tempfile.mkdtemp(suffix=".corpus")
    >>> writer = ShardWriter(folder, docs.vocab, "notes", made={"files": ["small.csv"]})
    >>> writer.done
    0
    >>> writer.add(docs)
    >>> writer.finish().n_docs == docs.n_docs
    True

    What is complete is on the disk and named in `building.json` after every shard. A writer that is
    made of the same folder, words and `made` goes on from there: `done` says with which document.

    Raises CorpusError where the folder holds something else, a complete corpus or one begun with
    other words or another `made`, and where nothing can be written; what is there stays.
    """

    def __init__(
        self,
        folder: str | Path,
        vocab: Sequence[str],
        name: str = "corpus",
        made: Mapping[str, Any] | None = None,
        shard_docs: int = SHARD_DOCS,
    ) -> None:
        """`made`: what must be the same to go on, such as files with their sizes and the settings
        of words, as JSON has it. Memory: the counts of two shards, 60 MB at 70 words a document,
        and the texts of what is added at once."""
        self.folder, self.vocab = Path(folder), tuple(vocab)
        words = _json(list(self.vocab))
        fresh = Manifest(
            name,
            len(self.vocab),
            hashlib.sha256(words).hexdigest(),
            shard_docs=shard_docs,
            made=json.loads(_json(dict(made or {}))),
        )
        self._parts: list[Corpus] = []
        """Of the shard at hand; their texts are written as they come."""
        self._fields: FieldsWriter | None = None
        self._names: tuple[str, ...] | None = None
        """Of the columns of its documents."""
        self._waiting = 0
        self._manifest = self._resumed(fresh) if self._begun() else fresh
        with self._writing():
            if not self._manifest.shards:
                self.folder.mkdir(parents=True, exist_ok=True)
                write_tree(self.folder / VOCABULARY, list(self.vocab))
            self._note(self._manifest)
            self._cut_back()

    @property
    def done(self) -> int:
        """Documents that are safely stored; the next to be added is the one with this number."""
        return self._manifest.n_docs

    def add(self, docs: Corpus) -> None:
        """Add documents over the same vocabulary, each with a token at least; they are kept until a
        shard is full.

        Raises ValueError if their words or columns are others than before, CorpusError if they
        cannot be written: add the same ones again once there is room (from `done` on).
        """
        if docs.n_words != len(self.vocab) or (
            docs.vocab is not self.vocab and docs.vocab != self.vocab
        ):
            raise ValueError("Documents of one stored corpus have one vocabulary.")
        if self._columns not in (None, docs.docs.names()):
            raise ValueError("All documents of one stored corpus have the same columns.")
        first = 0
        while first < docs.n_docs:
            last = min(first + self._manifest.shard_docs - self._waiting, docs.n_docs)
            self._take(docs.part(first, last))
            first = last
            if self._waiting == self._manifest.shard_docs:
                self._write_shard()

    def finish(
        self, report: Mapping[str, Any] | None = None, n_empty_dropped: int = 0
    ) -> StoredCorpus:
        """The last shard, sums over all, the fingerprint, and the manifest: the corpus is complete.

        `report`: what the reading left out and why, as JSON has it. Raises CorpusError if there is
        no document, if a word occurs more than `MAX_COUNT` times, or if it cannot be written.
        """
        if self._waiting:
            self._write_shard()
        if not self.done:
            raise CorpusError("No document has a single token; nothing is left to learn from.")
        counts = StoredCounts(self.folder, self._manifest)
        totals = _totals(counts, self._manifest)
        most = int(totals[0].argmax())
        if totals[0, most] > MAX_COUNT:
            raise CorpusError(
                f"The word {self.vocab[most]!r} occurs {totals[0, most]:,} times; the most is "
                f"{MAX_COUNT:,}, so leave the word out or divide all counts."
            )
        with self._writing():
            with store.replacing(self.folder / TOTALS) as file:
                file.write(_header(TOTALS, totals.shape) + totals.tobytes())
            complete = replace(
                self._manifest,
                fingerprint=fingerprint_of(_all_numbers(counts, self._manifest), self.vocab),
                totals_sha256=file_hash(self.folder / TOTALS),
                n_empty_dropped=n_empty_dropped,
                report=json.loads(_json(dict(report or {}))),
            )
            write_tree(self.folder / MANIFEST, complete.tree())
            (self.folder / JOURNAL).unlink()
        counts.close()
        return StoredCorpus(self.folder)

    # ---- going on ------------------------------------------------------------------------------

    def _begun(self) -> bool:
        if (self.folder / MANIFEST).is_file():
            raise CorpusError(
                f"{self.folder} holds a complete corpus; choose another folder, or remove this one."
            )
        if (self.folder / JOURNAL).is_file():
            return True
        if self.folder.exists() and (not self.folder.is_dir() or any(self.folder.iterdir())):
            raise CorpusError(
                f"{self.folder} is not empty and holds no corpus; choose another folder."
            )
        return False

    def _resumed(self, fresh: Manifest) -> Manifest:
        begun = read_manifest(self.folder, JOURNAL)
        for what, found, asked in (
            ("words", begun.vocabulary_sha256, fresh.vocabulary_sha256),
            ("files or settings", begun.made, fresh.made),
            ("shards", begun.shard_docs, fresh.shard_docs),
        ):
            if found != asked:
                raise CorpusError(
                    f"The corpus in {self.folder} was begun with other {what}; give the same to go "
                    "on with it, choose another folder, or remove this one."
                )
        for name, size in begun.sizes().items():
            path = self.folder / name
            there = path.stat().st_size if path.is_file() else 0
            if begun.shards and name != TOTALS and there < size:
                raise CorpusError(
                    f"{path} was cut short since the build was begun; remove {self.folder} and "
                    "build the corpus again."
                )
        return begun

    def _cut_back(self) -> None:
        """Remove from the files what belongs to no complete shard."""
        for name, n in self._manifest.lengths().items():
            with open(self.folder / name, "ab") as file:
                file.truncate(HEADER + int(TYPES[name][2]) * n if self._manifest.shards else 0)
        if not self._manifest.shards:
            for name in self._manifest.lengths():
                self._append(name, [np.zeros(int(name == INDPTR), np.int64)], 0)

    # ---- one shard -----------------------------------------------------------------------------

    @property
    def _columns(self) -> tuple[str, ...] | None:
        return self._manifest.columns if self._manifest.shards else self._names

    def _take(self, part: Corpus) -> None:
        """Keep the counts of a part, and write all else."""
        if self._names is None:
            self._names = part.docs.names()
        if self._names:
            from .parquet import FieldsWriter  # 0.1 s, for which a first start need not wait

            with self._writing():
                if self._fields is None:
                    self._fields = FieldsWriter(self._fields_path)
                self._fields.add(part.docs)
        self._parts.append(replace(part, docs=DocTable()))
        self._waiting += part.n_docs

    @property
    def _fields_path(self) -> Path:
        return self.folder / fields_of(len(self._manifest.shards))

    def _write_shard(self) -> None:
        done, parts, columns = self._manifest, self._parts, self._names or ()
        sizes = np.concatenate([np.diff(part.indptr) for part in parts])
        own = np.concatenate(([0], np.cumsum(sizes)))
        words, counts = [part.word_ids for part in parts], [part.counts for part in parts]
        lengths = [part.doc_lengths for part in parts]
        path = self._fields_path
        with self._writing():
            self._append(INDPTR, [own[1:] + done.n_pairs], done.n_docs + 1)
            self._append(WORD_IDS, words, done.n_pairs)
            self._append(COUNTS, counts, done.n_pairs)
            self._append(LENGTHS, lengths, done.n_docs)
            if self._fields is not None:
                self._fields.close()
            shard = Shard(
                done.n_docs,
                done.n_docs + len(sizes),
                done.n_pairs,
                done.n_pairs + int(own[-1]),
                sum(int(each.sum()) for each in lengths),
                fingerprint_of((own, *words, *counts), self.vocab),
                path.stat().st_size if columns else 0,
                file_hash(path) if columns else "",
            )
            grown = replace(done, columns=columns, shards=(*done.shards, shard))
            self._note(grown)
        self._manifest, self._parts, self._fields, self._waiting = grown, [], None, 0

    def _append(self, name: str, arrays: Iterable[Array], n_before: int) -> None:
        """Write after the first `n_before` numbers of a file, with the length of all in front."""
        with open(self.folder / name, "r+b") as file:
            file.seek(HEADER + int(TYPES[name][2]) * n_before)
            n = n_before
            for array in arrays:
                _write(file, array.astype(TYPES[name], copy=False))
                n += len(array)
            file.seek(0)
            file.write(_header(name, (n,)))
            file.flush()
            os.fsync(file.fileno())

    def _note(self, manifest: Manifest) -> None:
        write_tree(self.folder / JOURNAL, manifest.tree())

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            self._give_up()
            why = getattr(problem, "strerror", None) or store.short(problem)
            raise CorpusError(
                f"{self.folder} cannot be written ({why}); {self.done:,} documents are stored "
                "there. Make room, or see to the folder, and start the same build again, which "
                "goes on."
            ) from problem

    def _give_up(self) -> None:
        """Of the shard at hand nothing is kept: its documents are added once more."""
        if self._fields is not None:
            self._fields.give_up()
        self._parts, self._fields, self._waiting = [], None, 0


def _json(tree: Any) -> bytes:
    return json.dumps(tree, ensure_ascii=False, separators=(",", ":")).encode()


def _header(name: str, shape: tuple[int, ...]) -> bytes:
    """What stands before the numbers of a .npy file: `HEADER` bytes, so that it may grow."""
    found = io.BytesIO()
    described = {"descr": TYPES[name], "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(found, described)
    if len(found.getvalue()) != HEADER:
        raise RuntimeError("numpy writes other headers than those that .npy files here have")
    return found.getvalue()


def _write(file: IO[bytes], array: Array) -> None:
    file.write(np.ascontiguousarray(array).data.cast("B") if array.size else b"")


def _all_numbers(counts: StoredCounts, manifest: Manifest) -> Iterator[Array]:
    """The three arrays of a corpus one after the other, in pieces."""
    for name in (INDPTR, WORD_IDS, COUNTS):
        yield from counts.pieces(name, 0, manifest.lengths()[name])


def _totals(counts: StoredCounts, manifest: Manifest) -> I64:
    """int64 (2, V): tokens of every word, and documents in which it occurs."""
    totals = np.zeros((2, manifest.n_words), np.int64)
    pieces = (counts.pieces(name, 0, manifest.n_pairs) for name in (WORD_IDS, COUNTS))
    for words, own in zip(*pieces, strict=True):
        totals[0] += np.bincount(words, own, manifest.n_words).astype(np.int64)
        totals[1] += np.bincount(words, minlength=manifest.n_words)
    return totals
