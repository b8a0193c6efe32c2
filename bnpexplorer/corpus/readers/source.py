"""What a reader is given (`Upload`) and what it makes of it (`Source`): texts or counts, not yet a
corpus. `Reading` says how a corpus was made of files: enough to make it again of the same ones.
"""

import contextlib
import datetime
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from pathlib import Path, PurePath
from typing import Any

import numpy as np
from scipy import sparse

from ..corpus import Column, CorpusError, DocTable
from ..documents.file_rows import FileRows
from ..words.settings import TextSettings

MAX_DOCUMENTS = 20_000_000
"""Most documents a file may claim: guards against a header that asks for all the memory."""
MAX_TEXTS = 5_000_000
"""Most documents, or words of a vocabulary, that are read as texts: each takes 100 to 200 bytes of
memory before its first letter."""
FIELDS = ("text", "id", "title", "date", "label")
TEXTS = (".txt", ".text", ".md", "")
"""Endings of texts, which fit any form of text."""
NONE = "-"
"""The name of "no column" in `ReadOptions`."""

MINUTES, SPEECHES = "minutes", "speeches"
APART, SHORT, FIRST, LEAVE_OUT = "apart", "short", "first", "leave out"
BY_HEADINGS = "headings"
"""Values of `ReadOptions`."""


@dataclass(frozen=True)
class ReadOptions:
    """How to read a file; an empty string means: find out."""

    format: str = ""
    """A key of `READERS`; empty: chosen by content and name."""
    text: str = ""
    """Name of the column with the texts; several, a line each, are one text or `questions`."""
    id: str = ""
    """Column of identities; "-" means none (so too for title, date and label)."""
    title: str = ""
    date: str = ""
    label: str = ""
    """Several columns, a line each, are one label, such as "FR · left"."""
    delimiter: str = ""
    """One character between the fields of a CSV file."""
    header: str = ""
    """ "yes" or "no": does the first row of a CSV file, or of a vocabulary, name its columns?"""
    encoding: str = ""
    """A Python codec name such as "cp1252"."""
    split: str = ""
    """Plain text: "lines" (one document a line), "paragraphs" (blank lines between), or empty:
    paragraphs where lines are wrapped, and no licence of Project Gutenberg. Documents of writing
    programs, books and pages: "headings" (one document a heading), or else one a file.
    Transcripts: "minutes". TEI: "speeches" or "paragraphs"; there, "lines" is as empty."""
    sheet: str = ""
    """The name of a sheet of an Excel file; empty: the first with rows."""
    entry: str = ""
    """The table of an archive that is read, or "*" for all of them as one; empty: the only one."""
    file_names: str = ""
    """What names of files say, in folders and archives: "date", "label" or "date label"."""
    join: str = ""
    """A column: the texts of each of its values become one document (`joining.py`)."""
    period: str = ""
    """Join them for each "day", "week", "month" or "year" apart; empty: for all time."""
    passages: str = ""
    """Divide documents into passages of so many words, or "paragraphs" (`passages.py`)."""
    as_of: str = ""
    """The day of the first reading, such as 2026-03-05. With it, columns, header rows and dialects
    of tables are found by their content, and no two-digit year lies after it; empty: they are found
    by names, as in the first version."""
    questions: str = ""
    """Where `text` names several columns, a line each: "apart" (one document for each, with the
    column as its label), else their texts are joined."""
    add_title: str = ""
    """"short": texts that are empty or of few words begin with their title."""
    label_parts: str = ""
    """"first": of a label such as "sea;trade" the first counts."""
    ragged: str = ""
    """"leave out": rows with more or fewer fields than the header are left out; else an error."""


CHOICES = {
    "questions": (APART,),
    "add_title": (SHORT,),
    "label_parts": (FIRST,),
    "ragged": (LEAVE_OUT,),
}
"""Field of `ReadOptions` -> its values beside the empty one."""
FIND_OUT = ReadOptions()


@dataclass(frozen=True)
class Upload:
    """One file on its way into a reader. `data` is unpacked already if it came gzipped."""

    name: str
    data: Any
    """bytes, or `decoding.Stored` for a reader of tables."""
    vocab: tuple[str, bytes] | None = None
    options: ReadOptions = FIND_OUT


@dataclass(frozen=True)
class Offer:
    """A choice that a person may want, and the options that it sets."""

    sentence: str
    """Empty where the offer before says it."""
    button: str
    sets: dict[str, str]
    """Fields of `ReadOptions` and their values."""


@dataclass(frozen=True, eq=False)
class Source:
    """D documents as read: either `texts`, or `counts` with their `vocab`."""

    name: str
    format: str
    """The key in `READERS` of the reader that made it."""
    texts: tuple[str, ...] | None = None
    """D strings; an empty one is a document without text, left out when the corpus is made."""
    counts: sparse.csr_matrix | None = None
    """int32 (D, V), all entries at least 1."""
    vocab: tuple[str, ...] | None = None
    docs: DocTable = field(default_factory=DocTable)
    columns: tuple[str, ...] = ()
    """All columns of the file, for pickers; empty where the format has none."""
    chosen: dict[str, str] = field(default_factory=dict)
    """Field (text, id, title, date, label) -> the column it was read from."""
    sheets: tuple[str, ...] = ()
    """All sheets of an Excel file, for pickers."""
    notes: tuple[str, ...] = ()
    """Plain sentences about what was found and done."""
    warnings: tuple[str, ...] = ()
    """Those of the notes that say what is probably not meant."""
    offers: tuple[Offer, ...] = ()
    """Other choices of columns, for one click each."""
    column_titles: dict[str, str] = field(default_factory=dict)
    """Column -> its longer title, such as the question of a survey, where the file has one."""
    rows: FileRows | None = None
    """The rows of the file, of which `docs.row` says the places."""

    @property
    def n_docs(self) -> int:
        """Documents read, those without text included."""
        if self.texts is not None:
            return len(self.texts)
        return 0 if self.counts is None else int(self.counts.shape[0])


def strings(values: Iterable[Any]) -> Column:
    """A one-dimensional object array of strings, as `DocTable` wants its columns."""
    items = list(values)
    column = np.empty(len(items), dtype=object)
    column[:] = items
    return column


def check_number(name: str, n: int, what: str) -> None:
    """Raise CorpusError for more documents or words than `MAX_TEXTS`."""
    if n > MAX_TEXTS:
        raise CorpusError(
            f"{name} has {n:,} {what}; the most is {MAX_TEXTS:,}, so give a part of them."
        )


def check_choices(name: str, options: ReadOptions) -> None:
    """Raise CorpusError for an option that has no such value, and for a day that is none."""
    for field_name, choices in CHOICES.items():
        if (got := getattr(options, field_name)) not in ("", *choices):
            raise CorpusError(
                f"{name}: {field_name} is {' or '.join(map(repr, choices))} or empty; got {got!r}."
            )
    try:
        datetime.date.fromisoformat(options.as_of or "2000-01-01")
    except ValueError:
        raise CorpusError(
            f"{name}: as_of is the day of the first reading, such as 2026-03-05; got "
            f"{options.as_of!r}."
        ) from None


def reason(error: Exception) -> str:
    """Return the words of a library about a damaged file, short enough for a sentence."""
    return " ".join(str(error).split())[:80] or type(error).__name__


@dataclass(frozen=True)
class Reading:
    """What `load` is to be asked for so that the same files become the same corpus."""

    settings: TextSettings
    """In force when the words of the files were counted: nothing in them is left to be found."""
    options: ReadOptions = FIND_OUT
    files: tuple[str, ...] = ()
    """Their names, without folders."""
    vocabulary: bool = False
    """Whether one of the files is the vocabulary of the other's counts."""
    left_out: tuple[tuple[str, ...], ...] = ()
    """Words that were left out of the counted texts later, one after the other."""

    def without(self, words: Iterable[str]) -> "Reading":
        """The same, with these words left out afterwards."""
        return replace(self, left_out=(*self.left_out, tuple(words)))

    @property
    def chosen(self) -> dict[str, str]:
        """What was chosen of `options`: field -> value, where it is not the usual one."""
        usual = {f.name: getattr(FIND_OUT, f.name) for f in fields(ReadOptions)}
        if any(PurePath(name).suffix.lower() in TEXTS for name in self.files):
            usual["split"] = "lines"  # of `load`, as scripts of before call it
        return {name: value for name, value in vars(self.options).items() if value != usual[name]}


@contextlib.contextmanager
def refusing(path: Path) -> Iterator[None]:
    """Raise CorpusError, with the path as it was written, where it is not there or not to be
    read."""
    try:
        yield
    except (FileNotFoundError, ValueError):  # ValueError: no system has such a name
        raise CorpusError(
            f"There is no file {shown(path)}; check the name and the folder."
        ) from None
    except OSError as error:
        raise CorpusError(f"{shown(path)} cannot be read: {error.strerror}.") from None


def read_bytes(path: Path) -> bytes:
    """The content of a file. Raises CorpusError."""
    with refusing(path):
        return path.read_bytes()


def shown(path: str | Path) -> str:
    """A path for a sentence: bytes that are no UTF-8 become question marks."""
    return str(path).encode("utf-8", "replace").decode("utf-8")
