"""Texts that lie on this machine, by their paths: a corpus that was built is opened, and files of
any size are built into one."""

import hashlib
import re
from dataclasses import asdict
from functools import partial
from pathlib import Path

import streamlit as st

from ...corpus import CorpusError
from ...corpus.paths import refusing, shown
from ...corpus.settings import TextSettings
from ...corpus.source import ReadOptions, Source, plural
from ...corpus.stored import is_stored
from ...corpus.stored.layout import MANIFEST
from ...corpus.text import AS_COUNTED, usual_settings
from ...intake.building import Order
from ...intake.work import Looked
from ..frame import machine
from ..frame.server import Loaded
from ..frame.words import plain
from .builds import ASKED, MINE, say_builds, take_built
from .form import Chosen, choose, say_refused
from .under_way import UnderWay, say_under_way

SUFFIX = ".corpus"
"""Of the folder that is proposed."""
MARKS = re.compile(r"""^(["'])(.+)\1$""")
"""Around a path, as some systems copy it."""
UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def from_paths() -> Loaded | None:
    """Ask for paths; the corpus that lies there, or None: nothing is asked for, it cannot be
    opened, or it is to be built first. Says what is being built, too; a corpus that this tab began
    to build is asked for by itself when it is complete."""
    take_built()
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
            _build_form(paths)
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


def _opened(folder: Path) -> Loaded:
    """A corpus that was built, and what is to be said of it. Raises CorpusError."""
    manifest = folder / MANIFEST
    stamp = manifest.stat().st_mtime_ns if manifest.is_file() else 0
    loaded, notes = _open(folder, stamp)
    for note in notes:
        st.caption(plain(note))
    return loaded


@st.cache_resource(show_spinner="Opening ...", max_entries=2, scope="session")
def _open(folder: Path, stamp: int) -> tuple[Loaded, tuple[str, ...]]:
    return machine.open_corpus(folder)


@st.cache_resource(show_spinner="Looking at the first rows ...", max_entries=4, scope="session")
def _look(paths: tuple[Path, ...], stamps: str, options: ReadOptions) -> tuple[Source, Looked]:
    return machine.look(paths, options)


# ---- what is built -------------------------------------------------------------------------------


def _build_form(paths: list[Path]) -> None:
    """Ask how these files are read, by their first documents, and where the corpus is to lie; begin
    to build it, and say what is being built. Raises CorpusError and UnderWay before anything of
    that is said."""
    stamps = " ".join(map(_stamp, paths))
    read = partial(_look, tuple(paths), stamps)
    _, looked = read(ReadOptions())
    with st.container(border=True, key="build-form"):
        st.markdown(_sizes(paths, looked))
        named = "\0".join(map(str, (*paths, stamps)))
        fingerprint = hashlib.sha256(named.encode("utf-8", "surrogateescape")).hexdigest()
        chosen = choose(lambda options: read(options)[0], fingerprint, partial(_usual, looked))
        out = st.text_input(
            "Folder of the corpus, which is made",
            str(_proposed(paths[0])),
            key=f"build-out-{fingerprint[:12]}",
            help="It takes about as much room as the texts, and twice as much while it is built; "
            "four times where texts are joined or phrases found.",
        )
        # Where the eyes are: a form is long, and what stands below it is not seen.
        if not say_builds() and st.button(
            "Build it", type="primary", icon=":material/construction:", key="build"
        ):
            try:
                _begin(paths, out, chosen, looked)
            except CorpusError as problem:
                say_refused(problem)
            else:
                st.rerun()


def _stamp(path: Path) -> str:
    """What changes with a file or folder. Raises CorpusError if it is not there."""
    with refusing(path):
        found = path.stat()
    return f"{found.st_size}-{found.st_mtime_ns}"


def _sizes(paths: list[Path], looked: Looked) -> str:
    """How much there is, and of what the form below speaks."""
    what = plain(shown(paths[0].name)) + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")
    files = f"{plural(looked.n_files, 'file')}, " if looked.n_files > 1 else ""
    first = "" if looked.whole else f" Below is what its first {looked.n_docs:,} documents say."
    return f"**{what}**: {files}{bytes_in_words(looked.n_bytes)}.{first}"


def bytes_in_words(n: float) -> str:
    """`1.2 GB`."""
    size, unit = next(((size, unit) for size, unit in UNITS if n >= size), (1.0, "bytes"))
    return f"{n / size:,.{0 if size == 1.0 else 1}f} {unit}"


def _usual(looked: Looked, options: ReadOptions, source: Source) -> TextSettings:
    """The settings that suit as many documents as there are, by those looked at.

    Of joined ones no more are thought to come: 3,000 rows of twelve accounts may be all twelve, of
    which settings for many documents would leave hardly a word."""
    if source.texts is None:
        return AS_COUNTED
    if options.join:
        return usual_settings(source.n_docs)
    letters = sum(map(len, source.texts))
    share = 1.0 if looked.whole else min(letters / max(looked.n_bytes, 1), 1.0)
    return usual_settings(round(source.n_docs / max(share, 1e-9)))


def _proposed(path: Path) -> Path:
    """Beside the file, by its name without endings: news.csv.gz -> news.corpus."""
    name = path.name.split(".")[0] if path.is_file() else path.name
    return path.with_name((name or "texts") + SUFFIX)


def _begin(paths: list[Path], out: str, chosen: Chosen, looked: Looked) -> None:
    """Begin to build. Raises CorpusError."""
    folders = paths_of(out)
    if len(folders) != 1:
        raise CorpusError("The corpus needs a folder; give the path of one that is to be made.")
    words = {name: value for name, value in asdict(chosen.settings).items() if name != "joined"}
    order = Order(tuple(map(str, paths)), str(folders[0]), chosen.options, words, looked.n_bytes)
    build_id = machine.begin(order)
    st.session_state.setdefault(MINE, set()).add(build_id)
