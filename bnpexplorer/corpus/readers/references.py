"""Reader of references with their abstracts: RIS, BibTeX, Web of Science, PubMed and EndNote. Each
record is a row; the abstract is its text, and the columns have the same names for all forms."""

import datetime
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice

from ..corpus import CorpusError
from .bibtex import bibtex_records
from .dates import in_words
from .decoding import decode, find_encoding, open_text
from .reader import NAMED, SAMPLE, SURE, Look, Reader
from .reference_forms import BIBTEX, ReferenceForm, form_of
from .source import Source, Upload
from .spans import first_day, tidied
from .table import check_columns
from .tables import SAMPLE_ROWS, Row, RowTable, read_rows

Record = dict[str, str]
"""Tag -> its value; of a tag that repeats, all values with semicolons between, abstracts as
paragraphs."""
FIELDS = {"id": "id", "title": "title", "date": "date", "label": "journal"}
"""Field -> column; the text is the abstract."""


# ---- records -----------------------------------------------------------------------------------


@dataclass
class TaggedRecords:
    """The records of a text with a tag at the begin of each value, one after the other."""

    lines: Iterable[str]
    form: ReferenceForm
    open: list[int] = field(default_factory=list)
    """The lines where records begin whose end is missing, as far as they were read."""

    def __iter__(self) -> Iterator[Record]:
        form, record, begun, tag, blank = self.form, dict[str, list[list[str]]](), 0, "", False
        for number, line in enumerate(self.lines, start=1):
            line = line.rstrip().lstrip("\ufeff")
            found = form.tag.match(line)
            if not found:
                blank = blank or not line
                if line and tag in record:
                    record[tag][-1].append(line.strip())
                continue
            tag, value = found[1], (found[2] or "").strip()
            if record and (tag in (form.first, form.end) or (blank and not form.first)):
                yield self._closed(record, begun, tag)
                record = {}
            blank = False
            if record or tag == form.first or not (form.first or tag == form.end):
                begun = begun if record else number
                record.setdefault(tag, []).append([value])
        if record:
            yield self._closed(record, begun, "")

    def _closed(self, record: dict[str, list[list[str]]], begun: int, tag: str) -> Record:
        if tag != self.form.end:
            self.open.append(begun)
        return {tag: self._joined(tag, values) for tag, values in record.items()}

    def _joined(self, tag: str, values: list[list[str]]) -> str:
        between = "; " if tag in self.form.lists else self.form.between
        apart = "\n\n" if tag in self.form.columns["abstract"] else "; "
        return apart.join(between.join(lines).strip() for lines in values)


def cells_of_record(form: ReferenceForm, record: Record) -> Record:
    """The cells of a record by column: those that all forms have, then its other tags."""
    taken = {
        column: next((tag for tag in tags if record.get(tag)), "")
        for column, tags in form.columns.items()
    }
    cells = {column: record.get(tag, "") for column, tag in taken.items()}
    cells["date"] = one_day([record.get(tag, "") for tag in form.dates])
    used = {*form.dates, *(tag for column, tag in taken.items() if column != "id")}
    others = {tag.lstrip("@"): value for tag, value in record.items() if tag not in used}
    cells |= {f"{t} (field)" if t in cells else t: value for t, value in others.items()}
    return {column: cell for column, cell in cells.items() if cell}


SLASHED = re.compile(r"(\d{4})/(\d{1,2})?/?(\d{1,2})?(?:/.*)?")
"""2019/03/02/ and 2019///, as RIS has them."""
ISO = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?(?:[T/].*)?")
PART = re.compile(r"(\d{4})\s+([^\W\d_]{3,9})\b.*")
YEAR = re.compile(r"(?<!\d)(?:1[4-9]|20)\d\d")
NUMBERS = r"\d{1,2}[./-]\d{1,2}[./-]"


def one_day(parts: Iterable[str]) -> str:
    """Return the date that the parts of a record tell, such as 2019, 2019-03 or 2019-03-02: that of
    the first part with a year, or a closer one in this year. The first part unchanged where
    nothing can be read."""
    filled = [part for part in parts if part]
    days: list[str] = []
    for part in filled:
        year = days[0][:4] if days else ""
        day = _day(part if YEAR.search(part) else f"{part} {year}")
        if day and day[:4] == (year or day[:4]):
            days.append(day)
    if not days:
        return "".join(filled[:1])
    best = max(days, key=len)
    # Other dates of the file tell whether 3/4/2019 is in March.
    return next((part for part in filled if re.fullmatch(NUMBERS + best, part)), best)


def _day(text: str) -> str:
    """One date in ISO form, as closely as it is told; empty where there is no year."""
    if found := SLASHED.fullmatch(text) or ISO.fullmatch(text):
        year, month, day = found[1], int(found[2] or 0), int(found[3] or 0)
        told = f"{year}-{month:02}-{day or 1:02}" if month else year
        return (told if day else told[:7]) if _is_day(told) else year
    part = PART.fullmatch(text)
    in_year = f"{part[2]} {part[1]}" if part else ""
    for one in (tidied(text), in_year):
        told = in_words(one)[0] or first_day(one)
        if _is_day(told):
            return told
    found = YEAR.search(text)
    return found[0] if found else ""


def _is_day(told: str) -> bool:
    """Whether the calendar has this day; a year alone is one."""
    try:
        datetime.date.fromisoformat(told if len(told) != 4 else f"{told}-01-01")
    except ValueError:
        return False
    return True


def references_table(upload: Upload) -> RowTable:
    """The records of a file of references as rows. Raises CorpusError where it has none."""
    name, data = upload.name, upload.data
    codec, encoding = find_encoding(name, data, upload.options.encoding)
    begin = open_text(data, codec, newline=None).read(SAMPLE)
    form = form_of(begin, ".bib")
    if form is None:
        raise CorpusError(
            f"{name} has no references: it does not begin as RIS, BibTeX, Web of Science, PubMed "
            "or EndNote do. Export the references again, or as CSV."
        )
    notes = [f"Read as references ({form.title}), {encoding}."]
    if form is BIBTEX:
        records: Iterator[Record] = bibtex_records(decode(name, data, codec)[0], notes)
    else:
        records = _tagged(form, open_text(data, codec, newline=None), notes)
    rows = _rows(name, form, records)
    first = list(islice(rows, SAMPLE_ROWS))
    text = "abstract" if any("abstract" in row for _, row in first) else "title"
    fields = {"text": text, **FIELDS}
    # The list of notes grows while rows are read.
    return RowTable(name, READER.key, chain(first, rows), (), notes, "record", fields=fields)


def _rows(name: str, form: ReferenceForm, records: Iterable[Record]) -> Iterator[Row]:
    seen = dict[str, None]()
    for number, record in enumerate(records, start=1):
        row = cells_of_record(form, record)
        seen.update(dict.fromkeys(row))
        check_columns(f"{name}, record {number:,}", len(seen))
        yield number, row


def _tagged(form: ReferenceForm, lines: Iterable[str], notes: list[str]) -> Iterator[Record]:
    records = TaggedRecords(lines, form)
    yield from records
    if form.end and records.open:
        are = "1 record has" if len(records.open) == 1 else f"{len(records.open):,} records have"
        notes.append(
            f"{are} no end ({form.end}), the first from line {records.open[0]:,} on, so the file "
            "may be cut; what is there is read."
        )


def read_references(upload: Upload) -> Source:
    """RIS, BibTeX and the tagged files of Web of Science, PubMed and EndNote, a document a record.
    A record without an abstract has no text."""
    return read_rows(references_table(upload), upload.options)


def _sniff(look: Look) -> float:
    if not look.text:
        return 0.0
    if form_of(look.text, look.suffix) is not None:
        return SURE
    return NAMED if look.suffix in READER.suffixes else 0.0


READER = Reader(
    "references",
    "References",
    "Abstracts in RIS, BibTeX, or tagged by Web of Science, PubMed or EndNote.",
    (".ris", ".bib", ".ciw", ".nbib", ".enw"),
    _sniff,
    read_references,
    references_table,
)
