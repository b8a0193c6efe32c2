"""Files and folders of this machine by their paths, for whoever sits at it: corpora that were built
are opened where they lie, and others are looked at.

Nothing of it exists on a server that others reach: neither on a page nor here, where every function
refuses. Who could name a path would read whatever the account of the server may.
"""

from collections.abc import Sequence
from pathlib import Path

from ...corpus import CorpusError
from ...corpus.intake import api
from ...corpus.intake.work import Looked
from ...corpus.readers.source import ReadOptions, Source
from ...runs import limits
from ..seam.callers import called_at_home
from .server import LoadedCorpus

REFUSED = (
    "Paths of the machine are read only where the app is open to this machine alone; upload the "
    "texts, or build a corpus of them with python -m bnpexplorer corpus build."
)


def is_local() -> bool:
    """Whether this tab may name paths: the app is for one person, open to this machine alone, and
    the tab is of this machine."""
    return not limits.is_shared() and called_at_home()


def check() -> None:
    """Raise CorpusError unless this tab may name paths."""
    if not is_local():
        raise CorpusError(REFUSED)


# ---- looking and opening -------------------------------------------------------------------------


def look(paths: Sequence[Path], options: ReadOptions) -> tuple[Source, Looked]:
    """The first documents of files and folders, and how much they are. Raises CorpusError."""
    check()
    return api.look(paths, options)


def open_corpus(folder: Path) -> tuple[LoadedCorpus, tuple[str, ...]]:
    """A corpus that was built, where it lies, and what its build noted. Raises CorpusError."""
    check()
    opened = api.load_with_report(folder)
    return LoadedCorpus(opened.corpus, opened.report), (*opened.notes, *opened.warnings)
