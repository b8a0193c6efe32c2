"""Reader of Matrix Market files.

Read here rather than by `scipy.io.mmread`, which ends the whole process on some damaged files and
does not say which entry is wrong.
"""

import re

import numpy as np

from ..core.arrays import F64
from .corpus import CorpusError
from .decoding import decode
from .matrix import MAX_COUNT
from .readers_counts import check_range, counted, read_numbers, sum_counts
from .source import MAX_DOCUMENTS, Source, Upload
from .vocabulary import read_vocab

SIZE_LINE = re.compile(r"^(?!%)[^\S\n]*\S.*$", re.MULTILINE)
"""The first line that is neither blank nor a comment."""
FIELDS = ("integer", "unsigned-integer", "real", "double", "pattern")


def read_mtx(upload: Upload) -> Source:
    """Matrix Market: a matrix of documents by words, or (said in a note) words by documents.

    The layouts `coordinate` and `array` are read, with whole numbers or with `pattern`, where every
    entry counts once.
    """
    name = upload.name
    text, _ = decode(name, upload.data, upload.options.encoding)
    found = read_vocab(upload)
    layout, field, size, first_line, body = _header(name, text)
    n_rows, n_columns = size[:2]
    vocab = found.of_sizes(n_columns, n_rows)
    if len(vocab.words) not in (n_rows, n_columns):
        raise CorpusError(
            f"{vocab.name} has {len(vocab.words):,} words but the matrix in {name} has "
            f"{n_columns:,} columns; give the vocabulary that belongs to these counts"
            f"{vocab.wrong_size()}."
        )
    what = (
        "count" if layout == "array" else "row column" if field == "pattern" else "row column count"
    )
    table = read_numbers(name, body, first_line, what)
    announced = n_rows * n_columns if layout == "array" else size[2]
    if len(table) != announced:
        raise CorpusError(
            f"{name}, line {first_line - 1:,}, announces {announced:,} entries but the file has "
            f"{len(table):,}; it was cut short or edited, so copy it again or correct the line."
        )
    rows, columns, values = _entries(table, what, n_rows)
    check_range(name, rows, 1, n_rows, "row", first_line)
    check_range(name, columns, 1, n_columns, "column", first_line)
    check_range(name, values, 0, MAX_COUNT, "count", first_line)
    said = ["Read as Matrix Market."]
    if len(vocab.words) != n_columns:
        rows, columns, n_rows, n_columns = columns, rows, n_columns, n_rows
        said.append("The matrix has one row a word; it was turned round.")
    counts = sum_counts(name, values, rows - 1, columns - 1, (n_rows, n_columns))
    return counted(name, "mtx", counts, vocab, *said)


def _header(name: str, text: str) -> tuple[str, str, list[int], int, str]:
    """Layout, field, the numbers of the size line, the number of the line after it, the rest."""
    lines = text.split("\n", 1)
    banner = lines[0].lower().split()
    if len(banner) != 5 or banner[:2] != ["%%matrixmarket", "matrix"]:
        raise CorpusError(
            f"{name}, line 1: '%%MatrixMarket matrix coordinate integer general' or the like "
            f"should stand here; found {lines[0].strip()[:60]!r}. Write the file again, for "
            "example with scipy.io.mmwrite."
        )
    layout, field, symmetry = banner[2:]
    if layout not in ("coordinate", "array") or field not in FIELDS or symmetry != "general":
        raise CorpusError(
            f"{name}, line 1: a matrix '{layout} {field} {symmetry}' holds no counts of words; "
            "write it as 'coordinate integer general'."
        )
    rest = lines[1] if len(lines) > 1 else ""
    sized = SIZE_LINE.search(rest)
    line = sized[0] if sized else ""
    number = 1 + (rest.count("\n", 0, sized.start()) + 1 if sized else bool(rest))
    rest = rest[sized.end() + 1 :] if sized else ""
    fields = line.split()
    if len(fields) != (3 if layout == "coordinate" else 2) or not all(
        cell.isdecimal() and len(cell) < 19 for cell in fields
    ):
        raise CorpusError(
            f"{name}, line {number:,}: the size of the matrix (rows, columns, entries) should "
            f"stand here; found {line.strip()[:60]!r}. Correct the line."
        )
    size = [int(cell) for cell in fields]
    if max(size[:2]) > MAX_DOCUMENTS:
        raise CorpusError(
            f"{name}, line {number:,}, claims {max(size[:2]):,} rows or columns; the most is "
            f"{MAX_DOCUMENTS:,}, so give a part."
        )
    return layout, field, size, number + 1, rest


def _entries(table: F64, what: str, n_rows: int) -> tuple[F64, F64, F64]:
    """Rows and columns from 1, and values; the array layout goes down the columns."""
    if what == "count":
        place = np.arange(len(table), dtype=np.float64)
        return place % n_rows + 1, place // n_rows + 1, table[:, 0]
    ones: F64 = np.ones(len(table))
    return table[:, 0], table[:, 1], table[:, 2] if table.shape[1] == 3 else ones
