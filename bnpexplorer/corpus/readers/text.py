"""Readers of plain text: one file of many documents, a folder, a ZIP, a box to paste into."""

import contextlib
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import PurePosixPath

from ...core.display import plural
from ...core.faults import is_own
from ..corpus import CorpusError, DocTable
from .decoding import MAX_UNPACKED, Data, decode, opened
from .source import ReadOptions, Source, Upload, check_number, reason, strings

MAX_ENTRIES = 50_000
"""Most entries of a ZIP archive."""
MAX_RATIO = 200
"""An entry above 1 MB may be at most so many times larger than its packed form."""
BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    NotImplementedError,
    ValueError,
    IndexError,
)
"""What zipfile raises on archives that are damaged or packed in an unusual way."""
ARCHIVES = (".zip", ".gz", ".tgz", ".tar", ".7z", ".rar", ".bz2", ".xz", ".jar")


def read_text(upload: Upload) -> Source:
    """Plain text: one document a line, or paragraphs with blank lines between."""
    text, encoding = decode(upload.name, upload.data, upload.options.encoding)
    split = upload.options.split
    check_split(upload.name, split)
    check_number(upload.name, text.count("\n"), "lines")
    notes = text_notes(split, encoding, _has_blank_line(text))
    return Source(
        upload.name, "text", *_documents(upload.name, split_text(text, split)), notes=notes
    )


def check_split(name: str, split: str) -> None:
    """Raise CorpusError where a text is to be split as none can be."""
    if split not in ("lines", "paragraphs"):
        raise CorpusError(f"{name}: split must be 'lines' or 'paragraphs'; got {split!r}.")


def text_notes(split: str, encoding: str, blank_lines: bool) -> tuple[str, ...]:
    """What is to be said of a plain text."""
    notes = [f"Read as plain text, one document {_each(split)}, {encoding}."]
    if split == "lines" and blank_lines:
        notes.append("It has blank lines: if these separate documents, choose paragraphs.")
    return tuple(notes)


class SplitDocuments:
    """The documents of a long text as `split_text` has them, one after the other."""

    def __init__(self, lines: Iterable[str], split: str) -> None:
        self._lines, self._split = lines, split
        self.blank_lines = False
        """Whether a blank line lay between two that are not, once all are read."""

    def __iter__(self) -> Iterator[str]:
        paragraph: list[str] = []
        filled = blank = False
        for line in self._lines:
            if not line.strip(" \t\n"):  # no other blanks part paragraphs
                blank = filled
                yield from self._documents(paragraph)
                paragraph = []
                continue
            if line.strip():
                self.blank_lines = self.blank_lines or blank
                filled = True
            paragraph.append(line)
            if self._split == "lines":
                yield from self._documents(paragraph)
                paragraph = []
        yield from self._documents(paragraph)

    def _documents(self, lines: list[str]) -> Iterator[str]:
        if text := "".join(lines).strip():
            yield text


def read_pasted(upload: Upload) -> Source:
    """Texts pasted into a box: paragraphs if it holds a blank line, else one document a line."""
    text, _ = decode(upload.name, upload.data, "utf-8")
    split = "paragraphs" if _has_blank_line(text) else "lines"
    notes = (f"Read as pasted text, one document {_each(split)}.",)
    return Source(
        upload.name, "pasted", *_documents(upload.name, split_text(text, split)), notes=notes
    )


def read_zip(upload: Upload) -> Source:
    """A ZIP of `.txt` files: one document a file, its name the title, its folder the label.

    Nothing is ever written to disk. Raises CorpusError for archives that are damaged, encrypted,
    nested, too large, or that hold names leading out of the folder.
    """
    with open_zip(upload.name, upload.data) as archive:
        files = [(path, content()) for path, content in archive.lazily]
    return from_files(upload.name, "zip", files, upload.options, archive.notes)


class ZipOfTexts:
    """An open archive of `.txt` files."""

    def __init__(self, name: str, archive: zipfile.ZipFile) -> None:
        entries = [e for e in archive.infolist() if not e.is_dir()]
        _check_archive(name, entries)
        wanted = [e for e in entries if _is_text(e.filename)]
        if not wanted:
            raise CorpusError(_nothing_inside(name, [e.filename for e in entries]))
        self._archive = archive
        self._entries = [(e.filename.replace("\\", "/"), e) for e in wanted]
        self.notes = not_read(len(entries) - len(wanted), "entry", "entries")

    @property
    def lazily(self) -> list[tuple[str, Callable[[], bytes]]]:
        """The path of every text, and what reads its content while the archive is open."""
        return [(path, partial(self._archive.read, entry)) for path, entry in self._entries]


@contextlib.contextmanager
def open_zip(name: str, data: Data) -> Iterator[ZipOfTexts]:
    """The texts of an archive. Raises CorpusError, also for what is found while they are read."""
    try:
        with zipfile.ZipFile(opened(data)) as archive:
            yield ZipOfTexts(name, archive)
    except CorpusError:
        raise
    except BROKEN as error:
        if is_own(error):
            raise
        raise CorpusError(
            f"{name} is a damaged or unusual ZIP archive ({reason(error)}); pack the texts again."
        ) from None


def not_read(n: int, noun: str, several: str = "") -> tuple[str, ...]:
    """The sentence about what else is in a ZIP or a folder of texts; none for nothing."""
    return (f"{plural(n, noun, several)} not ending in .txt left out.",) if n else ()


def from_files(
    name: str,
    kind: str,
    files: Sequence[tuple[str, bytes]],
    options: ReadOptions,
    notes: Sequence[str] = (),
) -> Source:
    """One document for each of `files` (path, content), in the order of their paths.

    Title: the file's name without ending. Label: its folder, below the folder common to all.
    """
    files = sorted(files)
    decoding = Decoding(name, options.encoding)
    texts = [decoding.text(path, data) for path, data in files]
    said = decoding.notes(kind, notes)
    ids, titles, labels = names_of([path for path, _ in files])
    docs = DocTable(
        id=strings(ids),
        title=strings(titles),
        label=strings(labels) if any(labels) else None,
        text=strings(texts),
    )
    return Source(name, kind, tuple(texts), docs=docs, notes=said)


class Decoding:
    """From files to texts, one after the other, and what was found on the way."""

    def __init__(self, name: str, encoding: str) -> None:
        self._name, self._wanted = name, encoding
        self._found: dict[str, int] = {}
        self._filled = False

    def text(self, path: str, data: bytes) -> str:
        """The text of a file; an empty one for what holds nothing but blanks."""
        if not data.strip():
            return ""
        where = f"{self._name}, entry {path}" if path != self._name else self._name
        text, encoding = decode(where, data, self._wanted)
        encoding = encoding.split(";")[0]
        self._found[encoding] = self._found.get(encoding, 0) + 1
        self._filled = self._filled or bool(text.strip())
        return text

    def notes(self, kind: str, more: Sequence[str]) -> tuple[str, ...]:
        """What is to be said of all files. Raises CorpusError if all were empty."""
        if not self._filled:
            raise CorpusError(
                f"{self._name}: all its text files are empty; give at least one with words."
            )
        found = ", ".join(f"{plural(n, 'file')} in {e}" for e, n in self._found.items())
        what = "a ZIP of texts" if kind == "zip" else "a folder of texts"
        return (f"Read as {what}, one document a file: {found}.", *more)


def names_of(files: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Ids, titles and labels of texts by the paths of their files; labels empty if there is one
    folder."""
    paths = [PurePosixPath(path) for path in files]
    return [*map(str, paths)], [path.stem for path in paths], _folders(paths)


def split_text(text: str, split: str) -> list[str]:
    """The documents of a text: its lines, or its paragraphs; blank ones are no documents."""
    pieces = text.split("\n") if split == "lines" else re.split(r"\n[ \t]*\n", text)
    return [piece.strip() for piece in pieces if piece.strip()]


def _has_blank_line(text: str) -> bool:
    """Whether a blank line lies between two that are not."""
    return re.search(r"\n[ \t]*\n", text.strip()) is not None


def _each(split: str) -> str:
    return "a line" if split == "lines" else "a paragraph"


def _documents(name: str, texts: list[str]) -> tuple[tuple[str, ...], None, None, DocTable]:
    if not texts:
        raise CorpusError(f"{name} holds nothing but blanks; give at least one document.")
    return tuple(texts), None, None, DocTable(text=strings(texts))


def _is_text(path: str) -> bool:
    hidden = path.startswith("__MACOSX") or PurePosixPath(path).name.startswith(".")
    return path.lower().endswith(".txt") and not hidden


def _check_archive(name: str, entries: Sequence[zipfile.ZipInfo]) -> None:
    if len(entries) > MAX_ENTRIES:
        raise CorpusError(
            f"{name} has {len(entries):,} entries; the most is {MAX_ENTRIES:,}, so put the texts "
            "into one CSV file."
        )
    total = sum(entry.file_size for entry in entries)
    if total > MAX_UNPACKED:
        raise CorpusError(
            f"{name} unpacks to {total / 1e6:,.0f} MB; the most is {MAX_UNPACKED // 10**6:,} MB, "
            "so pack a part of the texts."
        )
    for entry in entries:
        _check_entry(name, entry)


def _check_entry(name: str, entry: zipfile.ZipInfo) -> None:
    path = entry.filename.replace("\\", "/")
    where = f"{name}, entry {entry.filename}"
    if path.startswith("/") or re.match(r"[A-Za-z]:", path) or ".." in path.split("/"):
        raise CorpusError(
            f"{where}: the name leads out of the archive; pack the folder again, with plain names."
        )
    if entry.flag_bits & 1:
        raise CorpusError(f"{where} is encrypted; pack the texts without a password.")
    if path.lower().endswith(ARCHIVES):
        raise CorpusError(f"{where} is an archive in an archive; pack its texts directly.")
    if entry.file_size > 1e6 and entry.file_size > MAX_RATIO * max(entry.compress_size, 1):
        raise CorpusError(
            f"{where} grows {entry.file_size // max(entry.compress_size, 1):,}-fold when unpacked, "
            f"which no text does (the most is {MAX_RATIO}-fold); check where the file is from."
        )


def _nothing_inside(name: str, paths: list[str]) -> str:
    if any(path == "[Content_Types].xml" for path in paths):
        return f"{name} is a Word or PowerPoint file, not text; save it as plain text."
    holds = ", ".join(paths[:3]) or "nothing"
    return f"{name} has no .txt file in it (it holds {holds}); pack one .txt file a document."


def _folders(paths: Sequence[PurePosixPath]) -> list[str]:
    """The folder of every path, without the leading folders that all of them share."""
    parents = [path.parent.parts for path in paths]
    shared = 0
    while all(len(p) > shared for p in parents) and len({p[shared] for p in parents}) == 1:
        shared += 1
    return ["/".join(part for part in p[shared:] if part != ".") for p in parents]
