"""Reader of CoNLL-U: a word a line, with its lemma. The lemmas become the text.

The forms are a column too, which can be chosen as the text instead.
"""

import re
from collections.abc import Iterator

from ..corpus import CorpusError
from .decoding import Data, find_encoding, open_text
from .reader import CLEAR, Look, Reader
from .source import Source, Upload
from .tables import Row, RowTable, read_rows

LONGEST_KEY = 60
CELLS = 10
"""Cells of a line."""
NUMBER = re.compile(r"\d+(?:-\d+|\.\d+)?")
DOCUMENT = re.compile(r"#\s*newdoc\b(?:\s+id\s*=\s*(.*))?")
OF_SENTENCES = re.compile(r"(sent_id|text(_\w+)?|newpar.*|global\.columns|orig_file_sentence)")
"""What is said of a sentence and not of a document."""
FIELDS = {"text": "lemmas", "id": "document", "title": "title"}
OWN = ("document", "lemmas", "forms")


def conllu_table(upload: Upload) -> RowTable:
    """Return the documents of a CoNLL-U file as rows; its sentences where it names none."""
    name, data = upload.name, upload.data
    codec, encoding = find_encoding(name, data, upload.options.encoding)
    by_document = any(DOCUMENT.match(line) for line in open_text(data, codec, newline=None))
    each = "'newdoc'" if by_document else "sentence"
    notes = [f"Read as CoNLL-U, one document for each {each}, {encoding}."]
    notes += ["The lemmas are the text; choose the column 'forms' for the words as they stand."]
    rows = _rows(name, data, codec, by_document)
    return RowTable(name, "conllu", rows, (), notes, "line", fields=FIELDS)


def read_conllu(upload: Upload) -> Source:
    """Return the documents of a CoNLL-U file with their lemmas as texts."""
    return read_rows(conllu_table(upload), upload.options)


class _Words:
    """The words of one document."""

    def __init__(self, line: int, identity: str) -> None:
        self.line, self.identity = line, identity
        self.lemmas: list[str] = []
        self.forms: list[str] = []
        self.about: dict[str, str] = {}
        self._within = 0
        """The last word that the form of several words covers."""

    def add(self, cells: list[str]) -> None:
        """One line of a word, of several words written as one, or of a word that is not written."""
        number, form, lemma = cells[:3]
        if "-" in number:
            self._within = int(number.split("-")[1])
            self.forms.append(form)
        elif "." not in number:
            self.lemmas.append(form if lemma == "_" else lemma)
            if int(number) > self._within:
                self.forms.append(form)

    def end_sentence(self) -> None:
        """Begin to count words anew."""
        self._within = 0

    def row(self) -> Row:
        own = {"lemmas": " ".join(self.lemmas), "forms": " ".join(self.forms)}
        return self.line, {"document": self.identity} | self.about | own


def _rows(name: str, data: Data, codec: str, by_document: bool) -> Iterator[Row]:
    words: _Words | None = None
    for number, line in enumerate(open_text(data, codec, newline=None), start=1):
        line = line.rstrip("\n")
        if not line.strip():
            if words is not None:
                words.end_sentence()
                if not by_document and words.lemmas:
                    yield words.row()
                    words = None
        elif line.startswith("#"):
            found = DOCUMENT.match(line)
            if found and words is not None and words.lemmas:
                yield words.row()
                words = None
            words = words or _Words(number, "")
            if found:
                words.identity = (found[1] or "").strip()
            elif not words.lemmas and "=" in line:
                key, _, value = line[1:].partition("=")
                _tell(words, key.strip()[:LONGEST_KEY], value.strip(), by_document)
        else:
            words = words or _Words(number, "")
            words.add(_cells(name, number, line))
    if words is not None and words.lemmas:
        yield words.row()


def _tell(words: _Words, key: str, value: str, by_document: bool) -> None:
    if key == "sent_id" and not by_document:
        words.identity = value
    elif not OF_SENTENCES.fullmatch(key) and key not in OWN:
        words.about[key.removeprefix("meta::")] = value


def _cells(name: str, number: int, line: str) -> list[str]:
    cells = line.split("\t")
    if len(cells) != CELLS or not NUMBER.fullmatch(cells[0]):
        raise CorpusError(
            f"{name}, line {number:,}: a line of CoNLL-U has {CELLS} cells with tabs between and "
            "begins with the number of its word; mend the line."
        )
    return cells


def _sniff(look: Look) -> float:
    lines = [line for line in look.text.split("\n", 200)[:200] if line.strip()]
    words = [line.split("\t") for line in lines[:-1] or lines if not line.startswith("#")]
    fits = [len(cells) == CELLS and NUMBER.fullmatch(cells[0]) for cells in words]
    return CLEAR if fits and all(fits) and words[0][0][:1] in "01" else 0.0


CONLLU = Reader(
    "conllu",
    "CoNLL-U",
    "A word a line with its lemma: a 'newdoc' a document, or a sentence.",
    (".conllu", ".conll"),
    _sniff,
    read_conllu,
    conllu_table,
    later=True,
)
