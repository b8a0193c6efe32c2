"""Readers of counts with a vocabulary file: UCI bag of words, LDA-C and Matrix Market.

Matrix Market is read here rather than by `scipy.io.mmread`, which ends the whole process on some
damaged files and does not say which entry is wrong.
"""

import csv
import io
import re
from typing import Any, NoReturn

import numpy as np
import pandas as pd
from scipy import sparse

from ...core.arrays import F64, I64
from ...core.display import plural
from ...core.progress import passing
from ..corpus import CorpusError
from ..matrix import MAX_COUNT
from .decoding import decode
from .reader import CLEAR, NAMED, SURE, Look, Reader
from .source import MAX_DOCUMENTS, Source, Upload, check_number
from .vocabulary import Vocabulary, read_vocab

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def read_uci(upload: Upload) -> Source:
    """UCI bag of words: lines D, W, N, then N lines `document word count`, ids from 1."""
    name = upload.name
    text, _ = decode(name, upload.data, upload.options.encoding)
    found = read_vocab(upload)
    header, body = _uci_header(name, text)
    n_docs, n_words, n_entries = header
    vocab = found.of_sizes(n_words)
    if len(vocab.words) != n_words:
        raise CorpusError(
            f"{vocab.name} has {len(vocab.words):,} words but {name}, line 2, announces "
            f"{n_words:,}; give the vocabulary that belongs to these counts{vocab.wrong_size()}."
        )
    table = read_numbers(name, body, 4, "document word count")
    if len(table) != n_entries:
        raise CorpusError(
            f"{name}, line 3, announces {n_entries:,} entries but the file has {len(table):,}; it "
            "was cut short or edited, so copy it again or correct the line."
        )
    check_range(name, table[:, 0], 1, n_docs, "document", 4)
    check_range(name, table[:, 1], 1, n_words, "word", 4)
    check_range(name, table[:, 2], 1, MAX_COUNT, "count", 4)
    counts = sum_counts(name, table[:, 2], table[:, 0] - 1, table[:, 1] - 1, (n_docs, n_words))
    return counted(name, "uci", counts, vocab, "Read as UCI bag of words.")


def read_ldac(upload: Upload) -> Source:
    """LDA-C: one document a line, `M word:count word:count ...` with M pairs, ids from 0."""
    name = upload.name
    text, _ = decode(name, upload.data, upload.options.encoding)
    found = read_vocab(upload)
    check_number(name, text.count("\n"), "lines")
    rows = []
    lines = text.rstrip().split("\n")
    for number, line in enumerate(passing(lines, "documents", len(lines)), start=1):
        rows.append(_ldac_line(name, number, line, len(found.words)))
    lengths = [len(row) for row in rows]
    pairs = np.concatenate(rows)
    documents = np.repeat(np.arange(len(rows)), lengths)
    vocab = found.of_ids(int(pairs[:, 0].max(initial=-1)) + 1)
    shape = (len(rows), len(vocab.words))
    counts = sum_counts(name, pairs[:, 1], documents, pairs[:, 0], shape)
    return counted(name, "ldac", counts, vocab, "Read as LDA-C.")


def counted(
    name: str,
    format: str,
    counts: sparse.csr_matrix,
    vocab: Vocabulary,
    *said: str,
    doubts: tuple[str, ...] = (),
) -> Source:
    """The source of counts int32 (D, V) and their vocabulary of V words; `said`: notes, `doubts`:
    warnings."""
    told = (*doubts, *vocab.warnings(int(counts.indices.max()) + 1))
    notes = (*said, *vocab.notes(), *told)
    return Source(name, format, None, counts, vocab.words, notes=notes, warnings=told)


def _uci_header(name: str, text: str) -> tuple[list[int], str]:
    """D, W, N, and the text after them."""
    lines = text.split("\n", 3)
    header = []
    for number, (line, what) in enumerate(
        zip([*lines, "", "", ""], ("documents", "words", "entries"), strict=False), start=1
    ):
        if not re.fullmatch(r"\d{1,18}", line.strip()):
            raise CorpusError(
                f"{name}, line {number}: the number of {what} should stand here, alone; found "
                f"{line.strip()[:40]!r}. A UCI file begins with the lines D, W and N."
            )
        header.append(int(line))
    if header[0] > MAX_DOCUMENTS:
        raise CorpusError(
            f"{name}, line 1, announces {header[0]:,} documents; the most is {MAX_DOCUMENTS:,}, "
            "so give a part of them."
        )
    return header, lines[3] if len(lines) > 3 else ""


def read_numbers(name: str, body: str, first_line: int, what: str) -> F64:
    """Lines of numbers as float64 (N, number of words in `what`); a bad line is named.

    `what` names the fields in order, such as "document word count". Floats hold every allowed id
    and count exactly.
    """
    fields = what.split()
    if not body.strip():
        return np.zeros((0, len(fields)))
    try:
        frame = pd.read_csv(
            io.StringIO(body.rstrip()),
            sep=r"\s+",
            header=None,
            dtype=np.float64,
            skip_blank_lines=False,
            quoting=csv.QUOTE_NONE,
        )
    except (ValueError, OverflowError, pd.errors.ParserError):
        frame = pd.DataFrame()  # the lines are looked through below, to name the one that is wrong
    if frame.shape[1] == len(fields) and not frame.isna().any(axis=None):
        return frame.to_numpy()
    for number, line in enumerate(body.rstrip().split("\n"), start=first_line):
        cells = line.split()
        if len(cells) != len(fields) or not all(NUMBER.fullmatch(cell) for cell in cells):
            raise CorpusError(
                f"{name}, line {number:,}: {plural(len(fields), 'whole number')} "
                f"({', '.join(fields)}) should stand here; found {line.strip()[:60]!r}. "
                "Correct the line."
            )
    raise CorpusError(f"{name} has lines that cannot be read; write it again.")


def check_range(
    name: str, values: F64, low: int, high: int, what: str, first_line: int | None
) -> None:
    """Raise CorpusError, naming the line, unless all values are whole numbers from low to high."""
    bad = np.flatnonzero(~((values >= low) & (values <= high) & (values == np.floor(values))))
    if len(bad):
        value = values[bad[0]]
        where = "" if first_line is None else f", line {bad[0] + first_line:,}"
        hint = "; ids start at 1 in this format" if value == 0 and what != "count" else ""
        raise CorpusError(
            f"{name}{where}: the {what} is {value:.15g}, but it must be a whole number from {low} "
            f"to {high:,}{hint}; correct it."
        )


def _ldac_line(name: str, number: int, line: str, n_words: int) -> I64:
    """The pairs of one document, int64 (M, 2)."""

    def fail(why: str) -> NoReturn:
        raise CorpusError(
            f"{name}, line {number:,}: {why}. A line is 'M word:count word:count ...' with M "
            "pairs, whole numbers, word ids from 0; correct it."
        )

    announced, *pairs = line.split() or [""]
    if not announced.isdecimal():
        fail(f"it should begin with the number of distinct words, not {announced[:20]!r}")
    for pair in pairs:
        if not re.fullmatch(r"-?\d{1,15}:-?\d{1,15}", pair):
            fail(f"{pair[:30]!r} is no pair of whole numbers")
    if int(announced) != len(pairs):
        fail(f"it announces {int(announced):,} words but has {len(pairs):,}")
    table = np.array([pair.split(":") for pair in pairs], np.int64).reshape(-1, 2)
    words, counts = table[:, 0], table[:, 1]
    for word in words[(words < 0) | (words >= n_words)]:
        fail(f"word id {word} is not in the vocabulary of {n_words:,} words")
    for count in counts[(counts < 1) | (counts > MAX_COUNT)]:
        fail(f"the count {count} is not from 1 to {MAX_COUNT:,}")
    return table


def sum_counts(name: str, values: Any, rows: Any, columns: Any, shape: Any) -> sparse.csr_matrix:
    """int32 (D, V); entries given twice are added."""
    csr = sparse.csr_matrix(
        (np.asarray(values, np.int64), (np.asarray(rows, np.int64), np.asarray(columns, np.int64))),
        shape=shape,
    )
    if not csr.nnz:
        raise CorpusError(f"{name} has no counts; give a file with at least one document.")
    if csr.data.max() > MAX_COUNT:
        raise CorpusError(
            f"{name}: the counts of one word in one document add up to {csr.data.max():,}; the "
            f"most is {MAX_COUNT:,}, so correct the repeated entries."
        )
    csr.eliminate_zeros()
    return csr.astype(np.int32)


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
    square = (
        f"The matrix has {n_rows:,} rows and {n_columns:,} columns; rows are taken for documents. "
        "If they are words, turn the matrix round."
    )
    doubts = (square,) if n_rows == n_columns else ()
    return counted(name, "mtx", counts, vocab, *said, doubts=doubts)


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


ENTRY = re.compile(r"-?\d+(\s+-?[\d.]+)+")
DOCUMENT = re.compile(r"(\d+)( +-?\d+:-?[\d.]+)+|0")


def _sniff_uci(look: Look) -> float:
    lines = [line.strip() for line in look.text.split("\n", 4)[:4]]
    totals = len(lines) > 3 and all(re.fullmatch(r"\d+", line) for line in lines[:3])
    return CLEAR if totals and ENTRY.fullmatch(lines[3]) else 0.0


def _sniff_ldac(look: Look) -> float:
    """LDA-C tells the number of pairs of every line, where svmlight has a class."""
    named = look.suffix in LDAC
    found = [DOCUMENT.fullmatch(line) for line in look.lines]
    right = [
        line.count(":") == int(line.split()[0])
        for line, one in zip(look.lines, found, strict=True)
        if one
    ]
    clear = bool(found) and all(found) and sum(right) >= len(right) / 2
    return CLEAR if clear else NAMED * (named and bool(look.text))


LDAC = (".ldac", ".lda-c")
READERS = (
    Reader(
        "uci",
        "UCI bag of words",
        "docword.*.txt: lines 'document word count'; with a vocabulary.",
        (),
        _sniff_uci,
        read_uci,
        needs_vocab=True,
    ),
    Reader(
        "ldac",
        "LDA-C",
        "Lines 'M word:count word:count ...'; with a vocabulary.",
        LDAC,
        _sniff_ldac,
        read_ldac,
        needs_vocab=True,
    ),
    Reader(
        "mtx",
        "Matrix Market",
        "A sparse matrix, documents by words; with a vocabulary.",
        (".mtx", ".mm"),
        lambda look: SURE * look.start.startswith(b"%%MatrixMarket"),
        read_mtx,
        needs_vocab=True,
        binary=True,
    ),
)
