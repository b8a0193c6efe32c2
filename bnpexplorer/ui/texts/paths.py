"""Texts that lie on this machine, by their paths: a corpus that was built is opened, and files of
any size are built into one, by the pages of a plugin.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import streamlit as st

from ...core.plugins import plugin, plugin_if_there
from ...corpus import CorpusError
from ...corpus.readers.source import refusing
from ...corpus.stored import is_stored
from ...corpus.stored.layout import MANIFEST
from ..frame import machine
from ..frame.server import LoadedCorpus
from ..frame.words import plain
from ..parts.under_way import UnderWay, say_under_way
from .form import say_refused

WAY, PATHS = "corpus-way", "By path"
"""Where the page asks where texts come from, and what it calls this way."""
ASKED = "corpus-paths"
"""Where it asks for paths."""
MARKS = re.compile(r"""^(["'])(.+)\1$""")
"""Around a path, as some systems copy it."""


class BuildPages(Protocol):
    """The module `plugins/building/pages.py`."""

    def take_built(self) -> None: ...

    def say_builds(self) -> bool: ...

    def build_form(self, paths: Sequence[Path]) -> None: ...


def say_builds() -> None:
    """Show every build that somebody may want to look at."""
    pages: BuildPages | None = plugin_if_there("build pages") if machine.is_local() else None
    if pages is not None:
        pages.say_builds()


def from_paths() -> LoadedCorpus | None:
    """Ask for paths; the corpus that lies there, or None: nothing is asked for, it cannot be
    opened, or it is to be built first. Says what is being built, too; a corpus that this tab began
    to build is asked for by itself when it is complete."""
    pages: BuildPages | None = plugin_if_there("build pages")
    if pages is not None:
        pages.take_built()
    asked = st.text_area(
        "A corpus that was built, or files and folders to build one from; a path a line",
        placeholder="/home/me/news-2019.csv.gz\n/home/me/news-2020.csv.gz",
        height=100,
        key=ASKED,
    )
    st.caption(
        "They are read where they lie, in pieces, and may be larger than memory: CSV, TSV, JSON "
        "lines and plain text, packed or not, Parquet, and folders of .txt files; ZIP and Excel up "
        "to 500 MB. Word counts are uploaded, or built by `python -m bnpexplorer corpus build`."
    )
    loaded = None
    try:
        paths = paths_of(asked)
        if len(paths) == 1 and _is_stored(paths[0]):
            loaded = _opened(paths[0])
        elif paths:
            plugin("build pages").build_form(paths)
            return None
    except UnderWay as waited_for:
        say_under_way(waited_for.going)
    except (CorpusError, ValueError) as problem:
        say_refused(problem)
    say_builds()
    return loaded


def paths_of(asked: str) -> list[Path]:
    """The paths in what a person wrote, absolute. Raises CorpusError for one that no system has."""
    found = []
    for line in asked.splitlines():
        written = MARKS.sub(r"\2", line.strip())
        if written:
            path = Path(written)
            with refusing(path):
                if "\0" in written:
                    raise ValueError("no path")
                try:
                    found.append(path.expanduser().absolute())
                except RuntimeError:  # there is nobody of that name
                    raise FileNotFoundError from None
    return found


def _is_stored(path: Path) -> bool:
    """Whether a corpus was built there. Raises CorpusError where nobody may look."""
    with refusing(path):
        return is_stored(path)


def _opened(folder: Path) -> LoadedCorpus:
    """A corpus that was built, and what is to be said of it. Raises CorpusError."""
    manifest = folder / MANIFEST
    stamp = manifest.stat().st_mtime_ns if manifest.is_file() else 0
    loaded, notes = _open(folder, stamp)
    for note in notes:
        st.caption(plain(note))
    return loaded


@st.cache_resource(show_spinner="Opening ...", max_entries=2, scope="session")
def _open(folder: Path, stamp: int) -> tuple[LoadedCorpus, tuple[str, ...]]:
    return machine.open_corpus(folder)
