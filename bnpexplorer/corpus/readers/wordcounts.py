"""Readers of tables of counts that bring their words with them: a column for every word, or rows of
document, word and number. They are found among CSV files, and among tables of Excel, Parquet and
feather, whose readers give their rows."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from ..corpus import CorpusError, DocTable
from . import columnar, excel
from .decoding import MAX_UNPACKED, find_encoding, open_text
from .reader import CLEAR, SURE, Look, Reader
from .source import Source, Upload, check_number, strings
from .table import sniff_delimiter
from .tables import RowTable, read_rows, why_left_out
from .tallies import ENDINGS, LONGEST_NGRAM, NUMBER, WHOLE, WordTally, number_of

Cells = list[str]

SAMPLED = 50
"""Rows by which a table is known."""
FEWEST_WORDS, MANY_WORDS = 3, 10
LARGEST = 1000
"""Counts of a table of fewer than `MANY_WORDS` columns are below it: years are not."""
IDS = {"", "id", "doc", "docid", "document", "documents", "file", "filename", "text", "name"}
IDS |= {"title", "row", "rownames", "index", "docname", "documentid", "textid", "unnamed0", "x"}
"""Names of a first column that holds no counts although it may hold numbers."""
WORD_NAMES = {"word", "words", "term", "terms", "token", "tokens", "feature", "features", "lemma"}
WORD_NAMES |= {"ngram", "bigram", "unigram", "stem", "type", "wort"}
COUNT_NAMES = {"n", "count", "counts", "freq", "frequency", "tf", "value", "occurrences", "anzahl"}
COUNT_NAMES |= {"wordcount", "termcount", "nn", "total", "times"}
UNNAMED = {"column 1", "__index_level_0__"}
"""The readers' and pandas' names of a column that has none, such as that of row names."""
LONGEST_NAME = 8
"""Words of the names in a column, on average: texts are longer."""
LAST_IDS = {"", "docid", "documentid", "textid"}
"""Names of a last column, where pandas writes row names, that holds no counts although it may hold
numbers."""
BINARY = (*excel.READERS, *columnar.READERS)
DOCUMENT_NAMES = ("docid", "document", "doc", "documentid", "id", "file", "filename", "title")


# ---- tables ------------------------------------------------------------------------------------


def _sign(text: str) -> str:
    """Between the cells: a blank where R wrote quotes and blanks."""
    first = text.split("\n", 1)[0]
    quoted = first.startswith('"') and '" "' in first
    return " " if quoted else sniff_delimiter(text)


def _rows(lines: Iterable[str], sign: str) -> Iterator[Cells]:
    csv.field_size_limit(MAX_UNPACKED)
    return (row for row in csv.reader(lines, delimiter=sign) if row)


def _head(look: Look) -> list[Cells]:
    """Return the first rows of a table, none for another file. The first row names every column,
    also where R left out the name of the row names."""
    if look.suffix not in ENDINGS or not look.text:
        return []
    lines = look.text.split("\n", SAMPLED + 1)
    try:
        rows = [*_rows(lines[:-1] or lines, _sign(look.text))]
    except csv.Error:
        return []
    if len(rows) < 2 or len({*map(len, rows[1:])}) > 1:
        return []
    rows[0] = _named(rows[0], len(rows[1]))
    return rows if len(rows[0]) == len(rows[1]) else []


def _named(header: Cells, width: int) -> Cells:
    return ["", *header] if len(header) == width - 1 else header


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name.casefold())


def _has_ids(header: Cells, rows: Sequence[Cells]) -> bool:
    """Return whether the first column holds ids: by its name, or since it holds no numbers."""
    return _plain(header[0]) in IDS or not all(NUMBER.fullmatch(row[0].strip()) for row in rows)


def _is_wide(rows: Sequence[Cells]) -> bool:
    header, rest = rows[0], rows[1:]
    first = int(_has_ids(header, rest))
    words, cells = header[first:], [cell.strip() for row in rest for cell in row[first:]]
    if len(words) < FEWEST_WORDS or not all(map(NUMBER.fullmatch, cells)):
        return False
    named = sum(any(map(str.isalpha, word)) for word in words)
    if named < 0.8 * len(words) or any(len(word) > 60 for word in words):
        return False
    if len(words) >= MANY_WORDS:
        return True
    small = all(WHOLE.fullmatch(cell) and float(cell) < LARGEST for cell in cells)
    return small and not {*map(_plain, words)} & {"year", "date", "age", "month"}


def _sniff_wide(look: Look) -> float:
    rows = _head(look)
    return CLEAR if rows and _is_wide(rows) else 0.0


def read_wide(upload: Upload) -> Source:
    """A table with a row a document and a column a word, as R's `convert(dfm, "data.frame")` and
    `as.matrix` and pandas write it; the first column may hold names of documents."""
    return _wide(_opened(upload))


def _wide(table: "_Table") -> Source:
    name = table.name
    tally, ids = WordTally(name), list[str]()
    first = int(_has_ids(table.header, table.head[1:]))
    words_of = table.header[first:]
    for number, row in table.numbered():
        check_number(name, len(ids) + 1, "rows or more")
        ids.append(row[0].strip() if first else str(len(ids) + 1))
        for word, cell in zip(words_of, row[first:], strict=True):
            if cell != "0":
                where = f"row {number:,}, column {word!r}"
                tally.add(len(ids) - 1, word, number_of(name, where, cell))
    counts, words = tally.matrix(len(ids))
    notes = (
        f"Read as a table of counts, a document a row and a word a column, {table.form}: "
        f"{len(words):,} words.",
    )
    names = strings(ids)
    docs = DocTable(id=names, title=names) if first and len({*ids}) == len(ids) else DocTable()
    return Source(name, "wide", None, counts, words, docs, sheets=table.sheets, notes=notes)


@dataclass(frozen=True)
class _Table:
    """A table of counts that is being read."""

    name: str
    form: str
    """Its encoding, or its form where that has none."""
    header: Cells
    begin: list[tuple[int, Cells]]
    """Its first rows, with their numbers in the file."""
    rows: Iterator[tuple[int, Cells]]
    """All others."""
    sheets: tuple[str, ...] = ()

    @property
    def head(self) -> list[Cells]:
        """The names of the columns and the first rows as wide as they are."""
        rows = [row for _, row in self.begin if len(row) == len(self.header)]
        return [self.header, *rows]

    def numbered(self) -> Iterator[tuple[int, Cells]]:
        """Every row with its number in the file. Raises CorpusError for one of another width."""
        try:
            for number, row in chain(self.begin, self.rows):
                if len(row) != len(self.header):
                    raise CorpusError(
                        f"{self.name}, row {number:,}: {len(row):,} fields where the first row has "
                        f"{len(self.header):,}; mend the row."
                    )
                yield number, row
        except csv.Error as error:
            raise _no_table(self.name, error) from None


def _opened(upload: Upload) -> _Table:
    name, look = upload.name, Look(upload.name, upload.data)
    for reader in BINARY:
        if reader.table is not None and reader.sniff(look) == SURE:
            return _of_rows(reader.table(upload), reader.title)
    codec, encoding = find_encoding(name, upload.data, upload.options.encoding)
    sign = _sign(Look(name, upload.data, codec).text)
    rows = _rows(open_text(upload.data, codec), sign)
    numbered = enumerate(rows, start=1)
    try:
        header, begin = next(numbered, (1, Cells()))[1], [*islice(numbered, SAMPLED)]
    except csv.Error as error:
        raise _no_table(name, error) from None
    if not begin:
        raise _no_rows(name)
    return _Table(name, encoding, _named(header, len(begin[0][1])), begin, numbered)


def _of_rows(table: RowTable, title: str) -> _Table:
    """Return the table of rows with named fields; a last column of ids becomes the first."""
    columns, rows = [*table.columns], ((n, row) for n, row in table.rows if not why_left_out(row))
    begin = [*islice(rows, SAMPLED)]
    if not begin or not columns:
        raise _no_rows(table.name)
    last = [row.get(columns[-1], "").strip() for _, row in begin]
    if _plain(_own_name(columns[-1])) in LAST_IDS or not all(map(NUMBER.fullmatch, last)):
        columns = [columns[-1], *columns[:-1]]
    cells = ((n, [row.get(column, "") for column in columns]) for n, row in chain(begin, rows))
    header = [*map(_own_name, columns)]
    return _Table(table.name, title, header, [*islice(cells, len(begin))], cells, table.sheets)


def _own_name(column: str) -> str:
    return "" if column in UNNAMED else column


def read_binary(upload: Upload, reader: Reader) -> Source:
    """Read a file as `reader` does; of Excel, Parquet and feather, a table of counts as counts.

    Such tables are known by the rules for CSV files, and hold no column of texts. They are looked
    for where nobody chose the form or the texts, in readings with `ReadOptions.as_of`.
    """
    options = upload.options
    found_out = options.as_of and not options.format and not options.text
    if reader not in BINARY or reader.table is None or not found_out:
        return reader.read(upload)
    table = reader.table(upload)
    rows = iter(table.rows)
    begin = [*islice(rows, SAMPLED)]
    whole = replace(table, rows=chain(begin, rows))
    if len(table.columns) >= FEWEST_WORDS and not all(why_left_out(row) for _, row in begin):
        head = _of_rows(replace(table, rows=begin), reader.title).head
        if not _has_texts(head[1:]):
            if _places(head):
                return _long(_of_rows(whole, reader.title))
            if _is_wide(head) and _are_ids([row[0] for row in head[1:]]):
                return _wide(_of_rows(whole, reader.title))
    return read_rows(whole, options)


def _has_texts(rows: Sequence[Cells]) -> bool:
    """Return whether a column holds more than names."""
    words = ([len(cell.split()) for cell in column] for column in zip(*rows, strict=True))
    return any(sum(column) > LONGEST_NAME * len(rows) for column in words)


def _are_ids(cells: Sequence[str]) -> bool:
    """Return whether a first column holds numbers or names documents: short answers repeat."""
    return all(map(NUMBER.fullmatch, cells)) or len({*cells}) == len(cells)


def _no_rows(name: str) -> CorpusError:
    return CorpusError(f"{name} has no rows of data; give a file with at least one document.")


def _no_table(name: str, error: csv.Error) -> CorpusError:
    return CorpusError(f"{name} is no table of counts ({error}); write it again, as CSV.")


def _places(rows: Sequence[Cells]) -> tuple[int, int, int] | None:
    """The columns of document, word and count; None for another table."""
    header = [*map(_plain, rows[0])]
    counts = [
        j
        for j, column in enumerate(header)
        if column in COUNT_NAMES and all(WHOLE.fullmatch(row[j].strip()) for row in rows[1:])
    ]
    words = [
        j
        for j, column in enumerate(header)
        if column in WORD_NAMES and all(len(row[j].split()) <= LONGEST_NGRAM for row in rows[1:])
    ]
    if not counts or not words or len(header) < 3:
        return None
    rest = [j for j in range(len(header)) if j not in (counts[0], words[0])]
    known = [header.index(one) for one in DOCUMENT_NAMES if one in header]
    named = [j for j in (*known, *rest) if j in rest and header[j]]  # R's row names have no name
    return (named[0], words[0], counts[0]) if named else None


def _sniff_long(look: Look) -> float:
    rows = _head(look)
    return CLEAR if rows and _places(rows) else 0.0


def read_long(upload: Upload) -> Source:
    """A table of rows document, word and number, as tidytext's `count(document, word)` gives it."""
    return _long(_opened(upload))


def _long(table: _Table) -> Source:
    name = table.name
    tally, documents = WordTally(name), dict[str, int]()
    places = _places(table.head)
    if places is None:
        raise CorpusError(
            f"{name} has no columns of documents, words and counts; name them document, word and n."
        )
    at_document, at_word, at_count = places
    for number, row in table.numbered():
        place = documents.setdefault(row[at_document].strip(), len(documents))
        where = f"row {number:,}, column {table.header[at_count]!r}"
        tally.add(place, row[at_word].strip(), number_of(name, where, row[at_count]))
    counts, words = tally.matrix(len(documents))
    told = [table.header[place] for place in places]
    notes = (
        f"Read as counts, {table.form}: document from {told[0]!r}, word from {told[1]!r}, "
        f"count from {told[2]!r}; {len(words):,} words.",
    )
    names = strings(documents)
    return Source(
        name,
        "long",
        None,
        counts,
        words,
        DocTable(id=names, title=names),
        sheets=table.sheets,
        notes=notes,
    )


READERS = (
    Reader(
        "wide",
        "Table of counts",
        "One document a row, one word a column, as R's dfm.",
        (),
        _sniff_wide,
        read_wide,
    ),
    Reader(
        "long",
        "Long table of counts",
        "Rows of document, word and number, as tidytext has them.",
        (),
        _sniff_long,
        read_long,
    ),
)
