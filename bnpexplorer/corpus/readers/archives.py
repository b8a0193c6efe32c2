"""Entries of ZIP and tar archives within limits, and which of them to read.

Nothing is ever written to disk. Links, devices, names that lead out, archives in archives and
entries that grow beyond any text are refused.
"""

import contextlib
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath

from ...core.display import plural
from ...core.faults import is_own
from ..corpus import CorpusError
from .decoding import MAX_UNPACKED, Data, opened
from .refused import refuse_office
from .source import reason, shown

MAX_ENTRIES = 50_000
"""Most entries of an archive."""
MAX_RATIO = 200
"""An entry above 1 MB may be at most so many times larger than its packed form."""
BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    NotImplementedError,
    ValueError,
    IndexError,
)
"""What zipfile and tarfile raise on archives that are damaged or packed in an unusual way."""
PACKED = (".zip", ".gz", ".tgz", ".tar", ".7z", ".rar", ".bz2", ".xz", ".jar")
ZIPS = (b"PK\x03\x04", b"PK\x05\x06")
BLOCK = 512
"""Bytes of a header of tar."""
ALL = "*"
"""The name of all tables of an archive together in `ReadOptions.entry`."""
ABOUT = re.compile(
    r"(readme|licen[cs]e|copying|changelog|citation)\b.*|.*metadata\.\w+", re.IGNORECASE
)
"""Names of files that tell about the others."""
JUNK = re.compile(r"(.*/)?(__MACOSX/.*|\.[^/]*|Thumbs\.db|desktop\.ini|~\$[^/]*)", re.IGNORECASE)
"""What systems and programs put beside files of people."""


@dataclass(frozen=True)
class ArchiveEntry:
    """One file in an archive."""

    path: str
    content: Callable[[], bytes]
    """Reads it while the archive is open."""

    @property
    def is_about(self) -> bool:
        """Whether it tells about the other files, such as a README."""
        return ABOUT.fullmatch(PurePosixPath(self.path).name) is not None


@dataclass(frozen=True)
class Archive:
    """An open archive that was looked through."""

    name: str
    kind: str
    """ "ZIP" or "tar"."""
    entries: tuple[ArchiveEntry, ...]
    """Its files, without what systems put beside them."""


def kind_of(data: Data) -> str:
    """Return "ZIP", "tar", or an empty string for another file."""
    if data[:4] in ZIPS:
        return "ZIP"
    if len(data) < BLOCK or not data[:1].strip(b"\0"):
        return ""
    try:
        tarfile.TarInfo.frombuf(data[:BLOCK], "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError):
        return ""
    return "tar"


@contextlib.contextmanager
def open_archive(name: str, data: Data) -> Iterator[Archive]:
    """Open the entries of an archive. Raises CorpusError for a damaged, encrypted or too large one,
    also while entries are read."""
    kind = kind_of(data)
    try:
        if kind == "tar":
            with tarfile.open(fileobj=opened(data), mode="r:") as packed:
                yield Archive(name, kind, tuple(_of_tar(name, packed)))
        else:
            with zipfile.ZipFile(opened(data)) as archive:
                yield Archive(name, "ZIP", tuple(_of_zip(name, archive)))
    except CorpusError:
        raise
    except BROKEN as error:
        if is_own(error):
            raise
        raise CorpusError(
            f"{name} is a damaged or unusual {kind or 'ZIP'} archive ({reason(error)}); pack the "
            "texts again."
        ) from None


def _of_zip(name: str, archive: zipfile.ZipFile) -> Iterator[ArchiveEntry]:
    found = [entry for entry in archive.infolist() if not entry.is_dir()]
    refuse_office(name, [entry.filename for entry in found])
    _check_number(name, len(found), sum(entry.file_size for entry in found))
    for entry in found:
        path = entry.filename.replace("\\", "/")
        _check_path(name, entry.filename, path)
        if entry.flag_bits & 1:
            raise CorpusError(
                f"{name}, entry {entry.filename} is encrypted; pack the texts without a password."
            )
        check_growth(name, entry.filename, entry.file_size, entry.compress_size)
        if not JUNK.fullmatch(path):
            yield ArchiveEntry(path, partial(archive.read, entry))


def _of_tar(name: str, packed: tarfile.TarFile) -> Iterator[ArchiveEntry]:
    found, size = [], 0
    for member in packed:
        size += member.size
        if not member.isdir():
            found.append(member)
        _check_number(name, len(found), size)
    for member in found:
        path = shown(member.name)
        _check_path(name, path, path.replace("\\", "/"))
        if JUNK.fullmatch(path):
            continue
        if not member.isreg():
            raise CorpusError(
                f"{name}, entry {path} is a link or device, which is not followed; pack the files "
                "themselves."
            )
        yield ArchiveEntry(path.removeprefix("./"), partial(_member, packed, member))


def _member(packed: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = packed.extractfile(member)
    content = b"" if file is None else file.read()
    if len(content) != member.size:
        raise EOFError(f"entry {shown(member.name)} is cut short")
    return content


def _check_number(name: str, n: int, size: int) -> None:
    if n > MAX_ENTRIES:
        raise CorpusError(
            f"{name} has {n:,} entries; the most is {MAX_ENTRIES:,}, so put the texts into one CSV "
            "file."
        )
    if size > MAX_UNPACKED:
        raise CorpusError(
            f"{name} unpacks to {size / 1e6:,.0f} MB; the most is {MAX_UNPACKED // 10**6:,} MB, so "
            "pack a part of the texts."
        )


def _check_path(name: str, entry: str, path: str) -> None:
    where = f"{name}, entry {entry}"
    if path.startswith("/") or re.match(r"[A-Za-z]:", path) or ".." in path.split("/"):
        raise CorpusError(
            f"{where}: the name leads out of the archive; pack the folder again, with plain names."
        )
    if path.lower().endswith(PACKED):
        raise CorpusError(f"{where} is an archive in an archive; pack its texts directly.")


def check_growth(name: str, entry: str, size: int, packed: int) -> None:
    """Raise CorpusError for an entry that grows beyond any text."""
    if size > 1e6 and size > MAX_RATIO * max(packed, 1):
        raise CorpusError(
            f"{name}, entry {entry} grows {size // max(packed, 1):,}-fold when unpacked, which no "
            f"text does (the most is {MAX_RATIO}-fold); check where the file is from."
        )


# ---- which entries -----------------------------------------------------------------------------

Fits = Callable[[ArchiveEntry], bool]


def chosen_tables(
    archive: Archive, asked: str, is_table: Fits, is_text: Fits
) -> list[ArchiveEntry]:
    """The entries to be read as tables; none where the archive is one of texts.

    `asked`: `ReadOptions.entry`. Raises CorpusError, which names the entries, where a person has to
    choose, or chose what is not there.
    """
    if asked and asked != ALL:
        return [_asked(archive, asked)]
    tables = [entry for entry in archive.entries if is_table(entry) and not entry.is_about]
    texts = [e for e in archive.entries if e not in tables and is_text(e) and not e.is_about]
    if asked and not tables:
        raise CorpusError(f"{archive.name} has no tables in it that could be read together.")
    if asked or (len(tables) == 1 and not texts):
        return tables
    if not tables or len(texts) > len(tables):
        return []
    beside = f" beside {plural(len(texts), 'text')}" if texts else ""
    together = f', or "{ALL}" to read all tables as one' if len(tables) > 1 else ""
    raise CorpusError(
        f"{archive.name} holds {plural(len(tables), 'table')} ({listed(tables)}){beside}; choose "
        f"the entry to read (--entry {tables[0].path}){together}."
    )


def _asked(archive: Archive, asked: str) -> ArchiveEntry:
    named = [e for e in archive.entries if asked in (e.path, PurePosixPath(e.path).name)]
    exact = [e for e in named if e.path == asked]
    if len(exact or named) != 1:
        what = f"several entries named {asked!r}" if named else f"no entry {asked!r}"
        raise CorpusError(
            f"{archive.name} has {what}; choose one of: {listed(named or archive.entries)}."
        )
    return (exact or named)[0]


def listed(entries: Iterable[ArchiveEntry]) -> str:
    """The paths of the first ten."""
    paths = [entry.path for entry in entries]
    return ", ".join(paths[:10]) + (", ..." if len(paths) > 10 else "") or "nothing"
