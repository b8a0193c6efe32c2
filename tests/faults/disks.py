"""A disk that is full, or cannot be written: refused in a sentence, and nothing is damaged."""

import errno
from pathlib import Path

import numpy as np

from bnpexplorer.runs.saved.library import Library
from tests.tools.disk import Refuses, watched
from tests.tools.keeping import Person, check, exported, until_refused

FULL = OSError(errno.ENOSPC, "No space left on device")
READ_ONLY = OSError(errno.EROFS, "Read-only file system")


def full(rng: np.random.Generator, folder: Path) -> None:
    """Now and then a write is refused; what was there before stays, and goes on to be of use."""
    exported()
    person = Person(Library(folder), rng)
    for _ in range(int(rng.integers(1, 5))):
        person.act()
    unsure: set[str] = set()
    with watched(Refuses(FULL, float(rng.uniform(0.02, 0.5)), rng)):
        until_refused(person, 8, lambda: unsure.update(person.unsure))
    person.unsure |= unsure
    check(person, folder)


def read_only(rng: np.random.Generator, folder: Path) -> None:
    """All can be listed, opened and compared."""
    exported()
    person = Person(Library(folder), rng)
    for _ in range(int(rng.integers(1, 8))):
        person.act()
    library = Library(folder)
    with watched(Refuses(READ_ONLY, 1.0, rng)):
        there = {s.run_id: s for s in (*library.saved(), *library.saved(deleted=True))}
        assert library.damaged() == []
        for run_id, known in person.known.items():
            assert there[run_id].name == known.name
            assert library.load(run_id).docs_seen == known.docs_seen
            assert library.corpus(run_id).n_docs == 40
        person.library = library
        until_refused(person, 4)
    check(person, folder)


IN_GATE = 6
TRIALS = {"full": full, "read_only": read_only}
