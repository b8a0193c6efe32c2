"""What a build knows once its files were read: kept in the folder of its work."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from ...core import store
from ...core.faults import note
from ...corpus.corpus import CorpusError
from ...corpus.readers.dates import Clues
from ...corpus.readers.source import FIND_OUT, ReadOptions, shown

T = TypeVar("T")
RECORDS, JOINED, PASSAGES = "records", "joined", "passages"
"""Folders of chunks of documents: as they were read, joined, divided."""
SLOT = "\0"
"""Stands in a part's notes for what is to be said of its dates."""


class BegunOtherwise(CorpusError):
    """What stands in a folder was begun for something else, or was changed: `force` starts anew."""


@dataclass(frozen=True)
class FileFacts:
    """What was read of one file, or of one folder of texts."""

    name: str
    kind: str
    """The key in `READERS` of its reader."""
    fields: tuple[str, ...]
    """Of `DocTable`, the text first."""
    first: int
    """The number of its first chunk; it ends where the next part begins."""
    sizes: tuple[int, ...]
    """Documents of each of its chunks."""
    notes: tuple[str, ...]
    clues: Clues = Clues()
    """Of its dates."""
    text_column: str = ""
    as_of: str = ""
    """As `ReadOptions` has it: how its dates are read."""

    @property
    def n_docs(self) -> int:
        return sum(self.sizes)

    @property
    def day_first(self) -> bool | None:
        """Of its dates, as `Clues` has it."""
        return self.clues.day_first

    def holds(self, chunk: int) -> bool:
        return self.first <= chunk < self.first + len(self.sizes)

    def before(self, chunk: int) -> int:
        """How many of its documents come before a chunk of it."""
        return sum(self.sizes[: chunk - self.first])

    def said(self, of_dates: str) -> tuple[str, ...]:
        """Its notes, with what is to be said of its dates."""
        fitting = (note for note in self.notes if of_dates or not note.endswith(SLOT))
        return tuple(note.replace(SLOT, of_dates) for note in fitting)


@dataclass(frozen=True)
class Facts:
    """All parts in the order of their files."""

    parts: tuple[FileFacts, ...] = ()
    folder: str = RECORDS
    """Where their chunks are."""

    @property
    def n_docs(self) -> int:
        return sum(part.n_docs for part in self.parts)

    @property
    def n_chunks(self) -> int:
        return sum(len(part.sizes) for part in self.parts)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Documents of every chunk."""
        return tuple(size for part in self.parts for size in part.sizes)

    def slices(self) -> Iterator[slice]:
        """The documents of every chunk among all."""
        end = 0
        for size in self.sizes:
            yield slice(end, end + size)
            end += size

    @property
    def fields(self) -> tuple[str, ...]:
        """Those that any part has."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.fields))

    @property
    def name(self) -> str:
        """What the corpus is called."""
        others = len(self.parts) - 1
        more = f" and {others:,} other{'s' * (others > 1)}" if others else ""
        return f"{self.parts[0].name}{more}"

    def part(self, chunk: int) -> FileFacts:
        """The part that a chunk is of."""
        return next(part for part in self.parts if part.holds(chunk))


@dataclass(frozen=True)
class Task:
    """What a process is told once of the chunks that it will be given."""

    facts: Facts
    settings: dict[str, Any] = field(default_factory=dict)
    """Fields of `TextSettings`."""
    options: ReadOptions = FIND_OUT
    asked: dict[str, Any] = field(default_factory=dict)
    """Fields of `TextSettings` that are asked for, before settings are known."""


@dataclass(frozen=True)
class Keys:
    """The keys of the words that stay, in order."""

    keys: tuple[str, ...]


def write(path: Path, value: Any) -> None:
    """A dataclass as a JSON file, whole or not at all. Raises OSError."""
    with store.replacing(path) as file:
        file.write(json.dumps(store.pack(value, {})).encode())


def read(kind: type[T], path: Path) -> T | None:
    """What `write` wrote; None if there is no such file, or a damaged one."""
    try:
        value: T = store.unpack(kind, json.loads(path.read_text("utf-8")), {})
    except store.DAMAGE as problem:
        note(str(path), problem)
        return None
    return value


def known(kind: type[T], path: Path) -> T:
    """What a step before wrote for all. Raises BegunOtherwise if it is gone."""
    found = read(kind, path)
    if found is None:
        raise BegunOtherwise(
            f"{shown(path)} was removed or changed while a corpus was built; build it again with "
            "--force."
        )
    return found
