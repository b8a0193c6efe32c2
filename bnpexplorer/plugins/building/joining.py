"""Texts joined by a column, wherever they stand in the files.

The rows of a group may be anywhere. So every chunk is gone through for hashes of its groups; from
these it follows to which chunk of joined documents each row goes; every chunk is written again with
the rows of each of those together; and each of those is put together from the pieces.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...core import store
from ...core.arrays import I64
from ...corpus.corpus import CorpusError, DocTable
from ...corpus.documents.joining import is_alone, join_part, units_of
from ...corpus.readers.source import FIELDS, ReadOptions, Source, strings
from . import chunks
from .chunks import chunk_file, read_chunk, source_of, write_chunk, written
from .counting import days_of_chunk, read_arrays, write_arrays
from .facts import JOINED, RECORDS, Facts, FileFacts, Task, known
from .gathering import sign_of

KEYS, SHUFFLED = "keys", "shuffled"
"""Folders: hashes of the groups of a chunk; its rows, those of one joined chunk together."""
JOINING, PLACES = "joining.json", "places.npy"
"""Files: what is known of the joined chunks; int32 (D,), to which of them each row goes."""
CELL = "join"
"""The column of the cells to join by."""
LONGEST = 50_000_000
"""Letters of a joined document: counting one takes 10 bytes a letter. A book has a million."""


@dataclass(frozen=True)
class Joining:
    """What there is to know of the chunks of joined documents."""

    firsts: tuple[int, ...] = ()
    """Of each the first chunk with rows of it."""
    lasts: tuple[int, ...] = ()
    n_alone: int = 0
    """Rows that stay documents of their own."""
    keep_labels: bool = False
    """Whether all texts of every document have the same label."""

    @property
    def n_chunks(self) -> int:
        return len(self.firsts)

    def part_of(self, read: Facts) -> Facts:
        """The joined documents of all files as one part, of which only the chunks are known."""
        first = read.parts[0]
        sizes = (0,) * self.n_chunks
        part = FileFacts(read.name, first.kind, (), 0, sizes, (), text_column=first.text_column)
        return Facts((part,), JOINED)


def key_chunk(home: Path, task: Task, chunk: int) -> None:
    """Note of every row of a chunk its group (a hash, 0 where it stays alone), the letters that it
    brings along and its label (a hash)."""
    part = task.facts.part(chunk)
    source = source_of(home / RECORDS, part, chunk)
    days = days_of_chunk(home, task, chunk, source.docs)
    cells = read_chunk(home / RECORDS, chunk, [CELL])[CELL]
    if source.docs.date is None:
        days = np.full(source.n_docs, np.datetime64("NaT", "D"))
    units = units_of(days, task.options.period, source.n_docs)
    groups = [
        0 if is_alone(cell, unit) else sign_of(f"{cell.strip()}\0{unit}")
        for cell, unit in zip(cells, units, strict=True)
    ]
    labels = source.docs.label
    signs = [0] * source.n_docs if labels is None else [sign_of(str(label)) for label in labels]
    arrays = {
        "group": np.array(groups, np.uint64),
        "letters": np.array([len(text) + 2 for text in source.texts or ()], np.int64),
        "label": np.array(signs, np.uint64),
    }
    write_arrays(chunk_file(home / KEYS, chunk, ".npz"), arrays)


def regrouped(home: Path, read: Facts, options: ReadOptions) -> Joining:
    """To which chunk each row goes: groups in the order of their first row, as many to a chunk as
    to one of rows. Holds some 60 bytes of every row. Raises CorpusError.

    Two groups of one hash would go to the same chunk, where they are told apart by their cells.
    """
    group, n_groups, keep_labels, n_alone = _numbered(home, read)
    letters = np.zeros(n_groups, np.int64)
    for own, arrays in _keys(home, read):
        np.add.at(letters, group[own], arrays["letters"])
    longest = int(letters.argmax())
    rows = np.flatnonzero(group == longest)
    if letters[longest] > LONGEST and len(rows) > 1:
        raise _too_long(home, read, options, int(rows[0]), int(letters[longest]))
    starts = _starts(letters)
    places = (np.searchsorted(starts, group, side="right") - 1).astype(np.int32)
    with store.replacing(home / PLACES) as file:
        np.save(file, places, allow_pickle=False)
    firsts, lasts = np.full(len(starts), -1), np.zeros(len(starts), np.int64)
    for chunk, (own, _) in enumerate(_keys(home, read)):
        there = np.unique(places[own])
        firsts[there] = np.where(firsts[there] < 0, chunk, firsts[there])
        lasts[there] = chunk
    return Joining(tuple(firsts.tolist()), tuple(lasts.tolist()), n_alone, keep_labels)


def _numbered(home: Path, read: Facts) -> tuple[I64, int, bool, int]:
    """int64 (D,): the group of every row, numbered by their first rows; how many there are, whether
    all texts of each have one label, and how many rows stay alone."""
    signs = np.concatenate([arrays["group"] for _, arrays in _keys(home, read)])
    order = np.argsort(signs, kind="stable")
    ordered = signs[order]
    begins = np.concatenate(([True], (ordered[1:] != ordered[:-1]) | (ordered[1:] == 0)))
    n_alone = int((signs == 0).sum())
    del signs, ordered
    keep_labels = "label" in read.fields
    if keep_labels:
        label = np.concatenate([arrays["label"] for _, arrays in _keys(home, read)])[order]
        keep_labels = bool((label[1:] == label[:-1])[~begins[1:]].all())
    firsts = order[begins]
    rank = np.empty(len(firsts), np.int64)
    rank[np.argsort(firsts)] = np.arange(len(firsts))
    group = np.empty(len(order), np.int64)
    group[order] = rank[np.cumsum(begins) - 1]
    return group, len(firsts), keep_labels, n_alone


def _starts(letters: I64) -> I64:
    """int64: the first group of every chunk, by the limits of `chunks`."""
    ends = np.cumsum(letters)
    starts = [0]
    while True:
        first = starts[-1]
        before = ends[first - 1] if first else 0
        fits = int(np.searchsorted(ends, before + chunks.LETTERS, side="right"))
        after = max(min(fits, first + chunks.DOCUMENTS), first + 1)
        if after >= len(letters):
            return np.array(starts, np.int64)
        starts.append(after)


def _keys(home: Path, read: Facts) -> Any:
    """Of every chunk where its rows are among all, and what `key_chunk` noted."""
    for chunk, own in enumerate(read.slices()):
        yield own, read_arrays(chunk_file(home / KEYS, chunk, ".npz"))


def _too_long(home: Path, read: Facts, options: ReadOptions, row: int, letters: int) -> CorpusError:
    chunk, own = next((i, own) for i, own in enumerate(read.slices()) if row < own.stop)
    cell = read_chunk(home / RECORDS, chunk, [CELL])[CELL][row - own.start].strip()
    shorter = "a shorter period" if options.period else "a period, too"
    return CorpusError(
        f"{read.name}: the texts of {cell!r} in {options.join!r} would be one document of "
        f"{letters:,} letters; the most is {LONGEST:,}. Join by another column, or for each of "
        f"{shorter}."
    )


def shuffle_chunk(home: Path, task: Task, chunk: int) -> None:
    """Write the rows of a chunk with those together that go to one joined chunk; dates as days."""
    part, own = task.facts.part(chunk), list(task.facts.slices())[chunk]
    places: npt.NDArray[np.int32] = np.load(home / PLACES, mmap_mode="r")[own]
    source = source_of(home / RECORDS, part, chunk)
    days = days_of_chunk(home, task, chunk, source.docs)
    columns: dict[str, list[str]] = {CELL: read_chunk(home / RECORDS, chunk, [CELL])[CELL]}
    for name in task.facts.fields:
        column = days if name == "date" and len(days) else getattr(source.docs, name)
        columns[name] = [""] * len(places) if column is None else written(column)
    there, begins = np.unique(np.sort(places), return_index=True)
    rows = pa.RecordBatch.from_pydict(
        {name: pa.array(values, pa.string()) for name, values in columns.items()}
    ).take(np.argsort(places, kind="stable"))
    rows = rows.replace_schema_metadata({"places": json.dumps(there.tolist())})
    options = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
    with (
        store.replacing(chunk_file(home / SHUFFLED, chunk)) as file,
        pa.ipc.new_file(file, rows.schema, options=options) as writer,
    ):
        for first, last in zip(begins, [*begins[1:], len(places)], strict=True):
            writer.write_batch(rows.slice(first, last - first))


def join_chunk(home: Path, task: Task, chunk: int) -> None:
    """Put a chunk of joined documents together."""
    there = known(Joining, home / JOINING)
    names = (CELL, *task.facts.fields)
    columns: dict[str, list[str]] = {name: [] for name in names}
    for source in range(there.firsts[chunk], there.lasts[chunk] + 1):
        with open(chunk_file(home / SHUFFLED, source), "rb") as file:
            reader = pa.ipc.open_file(file, options=pa.ipc.IpcReadOptions(use_threads=False))
            places = json.loads(reader.schema.metadata[b"places"])
            if chunk in places:
                piece = reader.get_batch(places.index(chunk))
                for name in names:
                    columns[name] += piece.column(name).to_pylist()
    joined = _joined(columns, task.options.period, there.keep_labels)
    made = joined.docs.columns()
    in_order = [name for name in FIELDS if name in made]
    write_chunk(home / JOINED, chunk, {name: written(made[name]) for name in in_order})


def _joined(columns: dict[str, list[str]], period: str, keep_labels: bool) -> Source:
    cells = columns.pop(CELL)
    docs: dict[str, Any] = {name: strings(values) for name, values in columns.items()}
    if "date" in docs:
        docs["date"] = np.array(columns["date"], "datetime64[D]")
    source = Source("", "", texts=tuple(columns["text"]), docs=DocTable(**docs))
    return join_part(source, cells, period, keep_labels)
