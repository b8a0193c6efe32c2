"""Bytes of the disk that saved runs take, and may take; in a class a part is the lecturer's."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ...core import store
from .. import lecturer
from ..limits import disk_limit, is_shared
from .jobs import Jobs
from .rows import Saved

KEPT_FOR_LECTURER = 4
"""The lecturer of a class has one part in this many of the disk that saved runs may take."""


class LibraryView(Protocol):
    """The parts of the library that are looked at here."""

    @property
    def folder(self) -> Path: ...

    @property
    def n_bytes(self) -> int: ...

    @property
    def jobs(self) -> Jobs: ...

    def saved(self, deleted: bool = False) -> list[Saved]: ...

    def secret(self, run_id: str) -> str: ...


@dataclass(frozen=True)
class Room:
    """Bytes that saved runs and their texts take, and those they may take."""

    taken: int
    limit: int

    @property
    def is_full(self) -> bool:
        return self.taken >= self.limit


def room(library: LibraryView, is_lecturers: bool = False) -> Room:
    """Return the room for one more run; deleted runs that can come back take some, too.

    In a class `is_lecturers` says whether the run is the lecturer's. All guests together may fill
    the disk up to the lecturer's part. What they take beyond that, as their runs grow, does not
    count for the lecturer.
    """
    taken, limit = library.n_bytes, disk_limit()
    if not is_shared():
        return Room(taken, limit)
    for_guests = limit - limit // KEPT_FOR_LECTURER
    if not is_lecturers:
        return Room(taken, for_guests)
    own = _bytes_of_lecturer(library)
    return Room(own + min(taken - own, for_guests), limit)


def _bytes_of_lecturer(library: LibraryView) -> int:
    """Bytes of the lecturer's runs, and of the texts of these and of their studies."""
    every = [*library.saved(), *library.saved(deleted=True)]
    runs = [run for run in every if lecturer.is_lecturers(library.secret(run.run_id))]
    jobs = [job for job in library.jobs.all() if lecturer.is_lecturers(job.secret)]
    keys = {run.corpus_key for run in runs} | {job.corpus_key for job in jobs}
    texts = (library.folder / "corpora" / f"{key}.zip" for key in keys)
    return sum(run.n_bytes for run in runs) + store.bytes_of(texts)
