"""Readers of counts: UCI bag of words, LDA-C, Matrix Market; each with a vocabulary file."""

import io
import re
from itertools import islice
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import io as scipy_io
from scipy import sparse

from .corpus import MAX_COUNT, CorpusError
from .decoding import decode, gunzip
from .source import MAX_DOCUMENTS, Source, Upload

Whole = npt.NDArray[np.int64]


def read_uci(upload: Upload) -> Source:
    """UCI bag of words: lines D, W, N, then N lines `document word count`, ids from 1."""
    name = upload.name
    text, _ = decode(name, upload.data, upload.options.encoding)
    vocab, notes = read_vocab(upload)
    header, body = _uci_header(name, text)
    n_docs, n_words, n_entries = header
    if len(vocab) != n_words:
        raise CorpusError(
            f"{_vocab_name(upload)} has {len(vocab):,} words but {name}, line 2, announces "
            f"{n_words:,}; give the vocabulary that belongs to these counts."
        )
    table = _whole_numbers(name, body, 4)
    if len(table) != n_entries:
        raise CorpusError(
            f"{name}, line 3, announces {n_entries:,} entries but the file has {len(table):,}; it "
            "was cut short or edited, so copy it again or correct the line."
        )
    _check_range(name, table[:, 0], 1, n_docs, "document")
    _check_range(name, table[:, 1], 1, n_words, "word")
    _check_range(name, table[:, 2], 1, MAX_COUNT, "count")
    counts = _counts(name, table[:, 2], table[:, 0] - 1, table[:, 1] - 1, (n_docs, n_words))
    return Source(name, "uci", None, counts, vocab, notes=("Read as UCI bag of words.", *notes))


def read_ldac(upload: Upload) -> Source:
    """LDA-C: one document a line, `M word:count word:count ...` with M pairs, ids from 0."""
    name = upload.name
    text, _ = decode(name, upload.data, upload.options.encoding)
    vocab, notes = read_vocab(upload)
    rows = []
    for number, line in enumerate(text.rstrip().split("\n"), start=1):
        rows.append(_ldac_line(name, number, line, len(vocab)))
    lengths = [len(row) for row in rows]
    pairs = np.concatenate(rows)
    documents = np.repeat(np.arange(len(rows)), lengths)
    counts = _counts(name, pairs[:, 1], documents, pairs[:, 0], (len(rows), len(vocab)))
    return Source(name, "ldac", None, counts, vocab, notes=("Read as LDA-C.", *notes))


def read_mtx(upload: Upload) -> Source:
    """Matrix Market: a matrix of documents by words, or (said in a note) words by documents."""
    name = upload.name
    vocab, notes = read_vocab(upload)
    first = _mtx_first_entry(upload.data)
    try:
        n_rows, n_columns, n_entries, layout, kind, _ = scipy_io.mminfo(io.BytesIO(upload.data))
        if kind == "complex":
            raise CorpusError(f"{name} holds complex numbers; counts must be whole numbers >= 1.")
        if n_entries > len(upload.data):
            raise CorpusError(
                f"{name} announces {n_entries:,} entries, more than its length allows; it was cut "
                "short, so copy it again."
            )
        if len(vocab) not in (n_rows, n_columns):
            raise CorpusError(
                f"{_vocab_name(upload)} has {len(vocab):,} words but the matrix in {name} has "
                f"{n_columns:,} columns; give the vocabulary that belongs to these counts."
            )
        if max(n_rows, n_columns) > MAX_DOCUMENTS:
            raise CorpusError(f"{name} claims more than {MAX_DOCUMENTS:,} rows; give a part of it.")
        matrix = sparse.coo_matrix(scipy_io.mmread(io.BytesIO(upload.data)))
    except (ValueError, OverflowError, TypeError, OSError) as error:
        if isinstance(error, CorpusError):
            raise
        raise CorpusError(
            f"{name} is not a sound Matrix Market file ({error}); its totals on the size line must "
            "agree with its entries. Write it again, for example with scipy.io.mmwrite."
        ) from None
    coordinate = layout == "coordinate"
    _check_counts(name, matrix.data, first if coordinate else None)
    said = ["Read as Matrix Market."]
    if len(vocab) != n_columns:
        matrix = matrix.T
        said.append("The matrix has one row a word; it was turned round.")
    counts = _counts(name, matrix.data, matrix.row, matrix.col, matrix.shape)
    return Source(name, "mtx", None, counts, vocab, notes=(*said, *notes))


def read_vocab(upload: Upload) -> tuple[tuple[str, ...], list[str]]:
    """The words of the vocabulary file, one a line, and sentences about it; raises CorpusError."""
    if upload.vocab is None:
        raise CorpusError(
            f"{upload.name} holds counts without words; give its vocabulary file with it (one "
            "word a line, in the order of the counts)."
        )
    name, data = upload.vocab
    if data.startswith(b"\x1f\x8b"):
        data = gunzip(name, data)
    text, encoding = decode(name, data, upload.options.encoding)
    words = tuple(line.strip() for line in text.rstrip().split("\n"))
    if "" in words:
        raise CorpusError(
            f"{name}, line {words.index('') + 1:,}, is empty; the vocabulary needs one word a "
            "line, since the place of a word is its number."
        )
    notes = [f"Vocabulary {name}: {len(words):,} words, {encoding}."]
    repeated = len(words) - len(set(words))
    if repeated:
        notes.append(f"{repeated:,} words of the vocabulary stand there more than once.")
    return words, notes


def _vocab_name(upload: Upload) -> str:
    return upload.vocab[0] if upload.vocab else "the vocabulary"


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


def _whole_numbers(name: str, body: str, first_line: int) -> Whole:
    """Lines of three whole numbers as int64 (N, 3); a bad line is named."""
    if not body.strip():
        return np.zeros((0, 3), np.int64)
    try:
        frame = pd.read_csv(
            io.StringIO(body), sep=r"\s+", header=None, dtype=np.int64, skip_blank_lines=False
        )
    except (ValueError, OverflowError, pd.errors.ParserError):
        frame = None
    if frame is not None and frame.shape[1] == 3:
        return frame.to_numpy()
    rows = []
    for number, line in enumerate(body.rstrip().split("\n"), start=first_line):
        fields = line.split()
        if len(fields) != 3 or not all(re.fullmatch(r"[+-]?\d{1,18}", f) for f in fields):
            raise CorpusError(
                f"{name}, line {number:,}: three whole numbers (document, word, count) should "
                f"stand here; found {line.strip()[:60]!r}. Correct the line."
            )
        rows.append([int(field) for field in fields])
    return np.array(rows, np.int64)


def _check_range(name: str, values: Whole, low: int, high: int, what: str) -> None:
    bad = np.flatnonzero((values < low) | (values > high))
    if len(bad):
        hint = "; ids start at 1 in this format" if what != "count" and values[bad[0]] == 0 else ""
        raise CorpusError(
            f"{name}, line {bad[0] + 4:,}: the {what} is {values[bad[0]]}, but it must lie from "
            f"{low} to {high:,}{hint}; correct the line or the header."
        )


def _ldac_line(name: str, number: int, line: str, n_words: int) -> Whole:
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


def _mtx_first_entry(data: bytes) -> int:
    """The line number of the first entry: after the banner, the comments and the size line."""
    for number, line in enumerate(islice(io.BytesIO(data), 10_000), start=1):
        if line.strip() and not line.startswith(b"%"):
            return number + 1
    return 1


def _check_counts(name: str, values: npt.NDArray[Any], first_line: int | None) -> None:
    bad = np.flatnonzero(~((values >= 0) & (values <= MAX_COUNT) & (values == np.round(values))))
    if len(bad):
        where = "" if first_line is None else f", line {first_line + bad[0]:,}"
        raise CorpusError(
            f"{name}{where}: the count is {values[bad[0]]:g}, but counts must be whole numbers "
            f"from 0 to {MAX_COUNT:,}; correct it, or give counts rather than weights."
        )


def _counts(name: str, values: Any, rows: Any, columns: Any, shape: Any) -> sparse.csr_matrix:
    """int32 (D, V); entries given twice are added."""
    csr = sparse.csr_matrix((values.astype(np.int64), (rows, columns)), shape=shape)
    if not csr.nnz:
        raise CorpusError(f"{name} has no counts; give a file with at least one document.")
    if csr.data.max() > MAX_COUNT:
        raise CorpusError(
            f"{name}: the counts of one word in one document add up to {csr.data.max():,}; the "
            f"most is {MAX_COUNT:,}, so correct the repeated entries."
        )
    csr.eliminate_zeros()
    return csr.astype(np.int32)
