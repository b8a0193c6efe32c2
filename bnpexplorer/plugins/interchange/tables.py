"""Tables of documents: pandas, polars, pyarrow and Hugging Face `datasets`, by way of Arrow.

Whatever offers `__arrow_c_stream__` is read, so that none of these packages needs to be known here.
"""

import io
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ...corpus.corpus import Corpus, CorpusError, DocTable
from ...corpus.documents.enough import too_little
from ...corpus.readers.dates import parse_dates
from ...corpus.readers.json_tables import plain_value
from ...corpus.readers.source import NONE, ReadOptions, strings
from ...corpus.readers.tables import Row, RowTable, read_rows
from ...corpus.text import make_corpus
from ...corpus.words.suggesting import settled
from .bags import Bag, corpus_of_words

WORDS, COUNTS = "words", "counts"
"""Columns in which `to_arrow` puts the words of a document, and how often each occurs."""
NAMES = ("id", "title", "label", "text")
"""Columns of strings of a table of documents."""
ROWS = 1000
"""At once."""


def from_table(
    table: Any,
    *,
    text: str = "",
    words: str = "",
    counts: str = "",
    id: str = "",
    title: str = "",
    date: str = "",
    label: str = "",
    vocab: Sequence[str] | None = None,
    name: str = "table",
    **settings: Any,
) -> Corpus:
    """The corpus of a table with one row a document: a DataFrame of pandas or polars, a pyarrow
    Table, a `Dataset` of Hugging Face, or whatever else offers `__arrow_c_stream__`.

    *Of texts*: as `load` reads a file of the same columns; `text`, `id`, `title`, `date` and
    `label` name columns (empty: guessed, "-": none), and `settings` are those of `load`, such as
    `language="de"`.

    *Of words*: where `words` names a column of lists of strings, or there is one called "words",
    documents are what these lists hold. `counts` names a column of lists as long, of whole numbers
    ("counts", if it is there); without it every word counts once for each time it stands in its
    list. The vocabulary is `vocab`, or the words in the order of the alphabet. Columns called id,
    title, date, label, text and origin are kept; the others of one table can be chosen as above.

    A pandas index is not read. Rows without words are left out, and counted in `n_empty_dropped`.

    Raises CorpusError if a column asked for is absent or of another kind, for counts that are
    negative or no whole numbers, for what is no table, and as `load` and `Corpus.from_csr`; warns
    as `load` does.

    >>> import pandas
    >>> from bnpexplorer.interchange import from_table, to_pandas
    >>> frame = pandas.DataFrame({"words": [["tax", "house", "tax"], ["war"]], "id": ["a", "b"]})
    >>> corpus = from_table(frame)
    >>> corpus.vocab, corpus.to_csr().toarray().tolist()
    (('house', 'tax', 'war'), [[1, 2, 0], [0, 0, 1]])
    >>> to_pandas(corpus)["counts"].tolist()
    [array([1, 2], dtype=int32), array([1], dtype=int32)]
    """
    found = _arrow(table)
    asked = {"id": id, "title": title, "date": date, "label": label, "text": text}
    for field, column in (*asked.items(), (WORDS, words), (COUNTS, counts)):
        if column and column != NONE and column not in found.column_names:
            raise CorpusError(
                f"{name} has no column {column!r} for the {field}; choose one of: "
                f"{', '.join(found.column_names) or 'none'}."
            )
    if not words and not text and WORDS in found.column_names:
        words = WORDS if _is_list(found, WORDS) else ""
    if not words:
        if counts or vocab is not None:
            raise CorpusError(
                f"{name}: counts and a vocabulary go with a column of words; name it as words=..."
            )
        return _of_texts(found, asked, name, settings)
    if settings:
        raise CorpusError(
            f"{name}: {', '.join(settings)} cannot change words that are cut already; give the "
            "column of texts as text=..."
        )
    if not counts and words == WORDS and COUNTS in found.column_names:
        counts = COUNTS
    docs = _documents(found, asked)
    return corpus_of_words(_bags(found, words, counts, name), vocab, docs, name)


def to_arrow(corpus: Corpus) -> pa.Table:
    """A pyarrow Table with one row a document.

    Columns: those of `corpus.docs` that are there (`id`, `title`, `label`, `text` strings; `date`
    date32, null where unknown; `origin` int64), `words` (list of string) and `counts` (list of
    int32, as long). Words that occur nowhere, and the order of the vocabulary, have no place there:
    `from_table(table, vocab=corpus.vocab)` gives the same corpus back. All of it lies in memory.
    """
    parts = [_part(docs) for docs in corpus.chunks()]
    return pa.concat_tables(parts)


def to_pandas(corpus: Corpus) -> Any:
    """`to_arrow` as a pandas DataFrame: lists are numpy arrays, dates datetime64.

    For a DataFrame with a column a word: `pandas.DataFrame.sparse.from_spmatrix(corpus.to_csr(),
    columns=corpus.vocab)`, and back `Corpus.from_csr(frame.sparse.to_coo(), frame.columns)`.
    """
    return to_arrow(corpus).to_pandas(date_as_object=False)


def to_polars(corpus: Corpus) -> Any:
    """`to_arrow` as a polars DataFrame. Needs polars."""
    import polars

    return polars.from_arrow(to_arrow(corpus))


def to_datasets(corpus: Corpus) -> Any:
    """`to_arrow` as a `Dataset` of Hugging Face, in memory. Needs `datasets`."""
    from datasets import Dataset
    from datasets.table import InMemoryTable

    return Dataset(InMemoryTable(to_arrow(corpus)))


def _part(docs: Corpus) -> pa.Table:
    """The rows of some documents."""
    columns: dict[str, Any] = {}
    for field, values in docs.docs.without("row").columns().items():
        if field == "date":
            columns[field] = pa.array(values.astype("datetime64[D]"), pa.date32())
        elif field == "origin":
            columns[field] = pa.array(values, pa.int64())
        else:
            columns[field] = pa.array([plain_value(value) for value in values], pa.string())
    vocab = pa.array(list(docs.vocab), pa.string())
    ends = pa.array(docs.indptr, pa.int32())
    words = vocab.take(pa.array(docs.word_ids))
    columns[WORDS] = pa.ListArray.from_arrays(ends, words)
    columns[COUNTS] = pa.ListArray.from_arrays(ends, pa.array(docs.counts, pa.int32()))
    return pa.table(columns)


def _arrow(table: Any) -> pa.Table:
    """A pyarrow Table of whatever people call a table. Raises CorpusError."""
    try:
        if hasattr(table, "__arrow_c_stream__"):
            return pa.table(table)
        if hasattr(table, "with_format"):  # Hugging Face
            found = table.with_format("arrow")[:]
            if isinstance(found, pa.Table):
                return found
    except pa.ArrowException as problem:
        raise CorpusError(
            f"This {type(table).__name__} does not fit into Arrow ({' '.join(str(problem).split())}"
            "); give columns one type each."
        ) from problem
    except (TypeError, KeyError):  # a stream, or several splits, which have no rows to take
        pass
    raise CorpusError(
        f"A {type(table).__name__} is no table of rows; give a DataFrame of pandas or polars (of a "
        "LazyFrame what it collects), a pyarrow Table, or one split of Hugging Face's datasets, "
        "loaded."
    )


def _is_list(table: pa.Table, column: str) -> bool:
    kind = table.schema.field(column).type
    kinds = (pa.types.is_list, pa.types.is_large_list, pa.types.is_list_view)
    return any(is_such(kind) for is_such in kinds)


def _of_texts(table: pa.Table, asked: dict[str, str], name: str, settings: Any) -> Corpus:
    """The corpus of a column of texts, as `load` makes it of a file."""
    columns = [f.name for f in table.schema if not pa.types.is_nested(f.type)]
    whole = io.BytesIO()
    pq.write_table(table, whole)
    how = {"form": "parquet"}
    rows = RowTable(
        *(name, "parquet", _rows(table, columns), columns, (), "row"),
        how=how,
        whole=whole.getvalue(),
    )
    source = read_rows(rows, ReadOptions(**asked))
    made = settled(source, settings)
    corpus, _ = make_corpus(source, made.settings)
    for sentence in (*made.warnings, too_little(corpus)):
        if sentence:
            warnings.warn(f"{name}: {sentence}", stacklevel=3)
    return corpus


def _rows(table: pa.Table, columns: list[str]) -> Iterator[Row]:
    number = 0
    for batch in table.select(columns).to_batches(max_chunksize=ROWS):
        for row in batch.to_pylist():
            number += 1
            yield number, {column: plain_value(value) for column, value in row.items()}


def _documents(table: pa.Table, asked: dict[str, str]) -> DocTable:
    """What is known of documents beside their words."""
    chosen = {field: column or field for field, column in asked.items() if column != NONE}
    there = {field: table[c] for field, c in chosen.items() if c in table.column_names}
    columns: dict[str, Any] = {
        field: strings(map(plain_value, values.to_pylist()))
        for field, values in there.items()
        if field in NAMES
    }
    if "date" in there:
        columns["date"] = _days(there["date"])
    if "origin" in table.column_names and pa.types.is_integer(table["origin"].type):
        columns["origin"] = table["origin"].to_numpy().astype(np.int64)
    return DocTable(**columns)


def _days(values: Any) -> Any:
    """datetime64[D] of a column of days, of moments, or of strings."""
    if pa.types.is_date(values.type):
        return values.cast(pa.date32()).to_numpy().astype("datetime64[D]")
    return parse_dates([plain_value(value) for value in values.to_pylist()])[0]


def _bags(table: pa.Table, words: str, counts: str, name: str) -> Iterator[Bag]:
    for column in filter(None, (words, counts)):
        if not _is_list(table, column):
            raise CorpusError(
                f"{name}: column {column!r} holds {table.schema.field(column).type}, not lists; "
                "give lists of words, or the column of texts as text=..."
            )
    number = 0
    for batch in table.select([c for c in (words, counts) if c]).to_batches(max_chunksize=ROWS):
        lists = batch[words].to_pylist()
        numbers = batch[counts].to_pylist() if counts else [None] * len(lists)
        for held, times in zip(lists, numbers, strict=True):
            number += 1
            if counts and len(held or ()) != len(times or ()):
                raise CorpusError(
                    f"{name}, row {number:,}: {len(held or ()):,} words and {len(times or ()):,} "
                    "counts; give one count for every word."
                )
            each = times if counts else [1] * len(held or ())
            yield zip(held or (), each or (), strict=True)
