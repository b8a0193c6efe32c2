"""Reader of the lines that MALLET imports: an id, a label and a text, with blanks between."""

import re
from collections.abc import Iterator

from ..corpus import CorpusError
from .decoding import Data, find_encoding, open_text
from .reader import TABLE, Look, Reader
from .source import NONE, Source, Upload
from .tables import Row, RowTable, read_rows

FEWEST = 6
"""Lines by which the form is known."""
REPEATED = 3
"""Lines for each label, at least, on average."""
WORDS = 4
"""Words that a text has on average, so that short lists are none."""
LISTED = re.compile(r"[(\[]?[\w]{1,3}[.):\]]|[\d.,:/-]+")
"""The number before an item of a list, a page or a time, and no id of MALLET's."""
ID = re.compile(r"[^\s]*[\d/_\\][^\s]*")
COLUMNS = ("id", "label", "text")
FIELDS = {"text": "text", "id": "id", "title": NONE, "date": NONE, "label": "label"}


def mallet_table(upload: Upload) -> RowTable:
    """Return the lines as rows. Raises CorpusError for a line of one word."""
    name, data = upload.name, upload.data
    codec, encoding = find_encoding(name, data, upload.options.encoding)
    notes = [f"Read as lines of id, label and text, as MALLET imports them, {encoding}."]
    rows = _rows(name, data, codec)
    return RowTable(name, "mallet", rows, COLUMNS, notes, "line", fields=FIELDS)


def read_mallet(upload: Upload) -> Source:
    """Return a document for each line, whose first words are its id and label."""
    return read_rows(mallet_table(upload), upload.options)


def _rows(name: str, data: Data, codec: str) -> Iterator[Row]:
    for number, line in enumerate(open_text(data, codec, newline=None), start=1):
        words = line.split(maxsplit=2)
        if len(words) == 1:
            raise CorpusError(
                f"{name}, line {number:,}: there is no label after the id {words[0][:40]!r}; write "
                "id, label and text, or read the file as plain text."
            )
        if words:
            text = words[2].strip() if len(words) > 2 else ""
            yield number, {"id": words[0], "label": words[1], "text": text}


def _sniff(look: Look) -> float:
    """Unique ids with a number or a path, few labels, and a text in every line."""
    rows = [line.split(maxsplit=2) for line in look.lines]
    if len(rows) < FEWEST or any(len(row) < 3 for row in rows):
        return 0.0
    ids, labels, texts = zip(*rows, strict=True)
    if len({*ids}) < len(ids) or len({*labels}) > len(labels) / REPEATED:
        return 0.0
    listed = any(LISTED.fullmatch(one) or not ID.fullmatch(one) for one in ids)
    words = sum(len(text.split()) for text in texts)
    return TABLE if not listed and words >= WORDS * len(rows) else 0.0


MALLET = Reader(
    "mallet",
    "Lines of id, label and text",
    "As MALLET imports them, with blanks between.",
    (),
    _sniff,
    read_mallet,
    mallet_table,
    later=True,
)
