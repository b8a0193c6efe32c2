"""Readers of one text: lines or paragraphs of a file, a box to paste into."""

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...core.progress import passing
from ..corpus import CorpusError, DocTable
from ..documents.file_rows import FileRows
from ..words.cleaning import clean
from .decoding import decode
from .keeping import packed_rows
from .prose import is_gutenberg, is_prose, is_wrapped, without_licence
from .reader import ANY_TEXT, LAST, SAMPLE, Look, Reader
from .source import TEXTS, Source, Upload, check_number, strings

HTML_BEGINS = re.compile(r"(<!--.*?-->\s*)*<(!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL)
SPLITS = ("", "lines", "paragraphs")


@dataclass(frozen=True)
class Split:
    """How a plain text falls into documents."""

    by: str
    """ "lines" or "paragraphs"."""
    wrapped: bool = False
    """Whether paragraphs were chosen because its lines are wrapped."""
    gutenberg: bool = False
    """Whether it is a book whose header and licence are left out."""
    prose: bool = True

    def notes(self, encoding: str, blank_lines: bool) -> tuple[str, ...]:
        """Return sentences about the text."""
        why = ", since its lines are wrapped" if self.wrapped else ""
        notes = [f"Read as plain text, one document {_each(self.by)}{why}, {encoding}."]
        if self.by == "lines" and blank_lines:
            notes.append("It has blank lines: if these separate documents, choose paragraphs.")
        if self.gutenberg:
            notes.append("The header and the licence of Project Gutenberg are left out.")
        return (*notes, *self.warnings())

    def warnings(self) -> tuple[str, ...]:
        """Return sentences about what the person probably did not mean."""
        told = "Most of its signs are no letters, so it may be a table or another form of files."
        return () if self.prose else (told,)

    def body(self, lines: Iterable[str]) -> Iterable[str]:
        """The lines that are read."""
        return without_licence(lines) if self.gutenberg else lines


def split_of(name: str, asked: str, head: str) -> Split:
    """How a text that begins with `head` is split: as is asked for, or as its lines say.

    Raises CorpusError where it is to be split as none can be.
    """
    if asked not in SPLITS:
        raise CorpusError(f"{name}: split must be 'lines' or 'paragraphs'; got {asked!r}.")
    head = head[:SAMPLE]
    prose = is_prose(head.split("\n"))
    if asked:
        return Split(asked, prose=prose)
    gutenberg = is_gutenberg(head)
    body = "".join(without_licence(io.StringIO(head))) if gutenberg else head
    wrapped = is_wrapped(body)
    return Split("paragraphs" if wrapped else "lines", wrapped, gutenberg, prose)


def read_text(upload: Upload) -> Source:
    """Plain text: one document a line, or paragraphs with blank lines between."""
    text, encoding = decode(upload.name, upload.data, upload.options.encoding)
    split = split_of(upload.name, upload.options.split, text)
    check_number(upload.name, text.count("\n"), "lines")
    text = "".join(split.body(io.StringIO(text))) if split.gutenberg else text
    notes = split.notes(encoding, _has_blank_line(text))
    pieces = _numbered(text, split.by)
    return _of_pieces(upload.name, "text", pieces, _unit(split.by), notes, split.warnings())


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
    return _of_pieces(upload.name, "pasted", _numbered(text, split), _unit(split), notes)


def without_tags(text: str) -> str:
    """The letters that a browser shows of a page."""
    return re.sub(r"[ \t]{2,}", " ", clean(text, "html"))


def split_text(text: str, split: str) -> list[str]:
    """The documents of a text: its lines, or its paragraphs; blank ones are no documents."""
    return [piece for _, piece in _numbered(text, split)]


def _numbered(text: str, split: str) -> list[tuple[int, str]]:
    """The documents of `split_text`, with the numbers of their lines or paragraphs."""
    if split == "lines":
        lines = text.split("\n")
        numbered = enumerate(passing(lines, split, len(lines)), start=1)
        return [(number, piece.strip()) for number, piece in numbered if piece.strip()]
    paragraphs = re.split(r"\n[ \t]*\n", text)
    told = passing(paragraphs, split, len(paragraphs))
    return [*enumerate((piece.strip() for piece in told if piece.strip()), start=1)]


def _has_blank_line(text: str) -> bool:
    """Whether a blank line lies between two that are not."""
    return re.search(r"\n[ \t]*\n", text.strip()) is not None


def _each(split: str) -> str:
    return "a line" if split == "lines" else "a paragraph"


def _unit(split: str) -> str:
    return "line" if split == "lines" else "paragraph"


def _of_pieces(
    name: str,
    kind: str,
    pieces: Sequence[tuple[int, str]],
    unit: str,
    notes: Sequence[str],
    warnings: Sequence[str] = (),
) -> Source:
    """The documents of one text with their numbers in it. Raises CorpusError if there is none."""
    if not pieces:
        raise CorpusError(f"{name} holds nothing but blanks; give at least one document.")
    numbers, texts = zip(*pieces, strict=True)
    rows = FileRows.of(numbers, unit, packed_rows({"text": text} for text in texts))
    docs = DocTable(text=strings(texts), row=np.arange(len(texts)))
    return Source(
        name, kind, texts, docs=docs, notes=tuple(notes), warnings=tuple(warnings), rows=rows
    )


def is_html(text: str) -> bool:
    """Whether a text begins as a page of HTML does."""
    return HTML_BEGINS.match(text.lstrip("\ufeff \t\n")[:10_000]) is not None


def _sniff_text(look: Look) -> float:
    if look.suffix and look.suffix in TEXTS:
        return ANY_TEXT
    return LAST if look.text else 0.0


TEXT = Reader(
    "text",
    "Plain text",
    "One document a line, or blank lines between documents.",
    tuple(filter(None, TEXTS)),
    _sniff_text,
    read_text,
)
PASTED = Reader("pasted", "Pasted text", "Texts copied into a box.", (), lambda _: 0.0, read_pasted)
