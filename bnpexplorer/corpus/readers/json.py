"""Reader of JSON: one object a line, a list, or an object with a table in it."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TextIO

from ..corpus import CorpusError
from .decoding import CHUNK, MAX_UNPACKED, Data, find_encoding, open_text
from .json_tables import flattened, plain_value, table_within
from .keeping import RawCells
from .reader import CLEAR, MAY_BE, NAMED, Look, Reader
from .source import Source, Upload
from .tables import Row, RowTable, read_rows

BLANKS = re.compile(r"[ \t\n\r]*")
ASSIGNED = re.compile(
    r"\ufeff?\s*(?:(?:var|let|const)\s+)?[A-Za-z_$][\w.$\[\]'\"]{0,200}\s*=\s*(?=[\[{])"
)
"""What stands before the list in the files of an archive of tweets: window.YTD.tweets.part0 = """
LARGEST_WHOLE = 200_000_000
"""Bytes of an object that is parsed at once."""
MAX_VALUES = 5_000_000
"""Most values of one object: each takes up to 90 bytes, empty lists within lists the most."""


def read_jsonl(upload: Upload) -> Source:
    """JSON lines, a list, or an object that holds a table; keys are columns."""
    return read_rows(json_table(upload), upload.options)


def json_table(upload: Upload) -> RowTable:
    """The rows of `read_jsonl`."""
    table = _table_of(upload)
    return replace(table, rows=flattened(table.rows)) if upload.options.as_of else table


def _table_of(upload: Upload) -> RowTable:
    name, data = upload.name, upload.data
    codec, encoding = find_encoding(name, data, upload.options.encoding)
    text = _Window(name, open_text(data, codec))
    text.skip(ASSIGNED)
    if text.next_sign() == "[":
        return _table(name, _list_rows(name, text), f"a JSON list, {encoding}", "json list")
    if text.assigned is None and _has_lines(data, codec):
        return _table(name, _json_rows(name, data, codec), f"JSON lines, {encoding}", "json lines")
    if len(data) > LARGEST_WHOLE:
        raise CorpusError(
            f"{name} is one JSON object of more than {LARGEST_WHOLE // 10**6:,} MB; write one "
            "object a line, a document each."
        )
    first = text.item(MAX_VALUES)
    if text.next_sign() not in ("", ";"):
        return _table(name, _objects(name, first, text), f"JSON objects, {encoding}", "json list")
    table = table_within(first)
    if table is None:
        rows = iter([(1, _json_object(name, "line 1", first))])
        return _table(name, rows, f"JSON lines, {encoding}", "json lines")
    rows = ((n, _json_object(name, f"item {n:,}", row)) for n, row in enumerate(table.rows, 1))
    return _table(name, rows, f"JSON, {table.said}, {encoding}", "json list")


def _table(name: str, rows: Iterator[Row], said: str, form: str) -> RowTable:
    unit = "line" if form == "json lines" else "item"
    return RowTable(name, "jsonl", rows, (), [f"Read as {said}."], unit, how={"form": form})


def _has_lines(data: Data, codec: str) -> bool:
    """Whether the first filled line is a whole object and others follow."""
    stream = open_text(data, codec, newline=None)
    lines = (line for line in stream if line.strip())
    first = next(lines, "").strip()
    return first.startswith("{") and first.endswith("}") and next(lines, None) is not None


def _json_rows(name: str, data: Data, codec: str) -> Iterator[Row]:
    for number, line in enumerate(open_text(data, codec, newline=None), start=1):
        if line.strip():
            yield number, _json_object(name, f"line {number:,}", _line(name, number, line))


def _objects(name: str, first: Any, text: "_Window") -> Iterator[Row]:
    """Objects one after the other, over as many lines as they take."""
    number, item = 1, first
    while True:
        yield number, _json_object(name, f"item {number:,}", item)
        if not text.next_sign():
            return
        number, item = number + 1, text.item()


def _list_rows(name: str, text: "_Window") -> Iterator[Row]:
    """One item after the other: a list of 99 MB, parsed at once, took 2.3 GB."""
    text.sign()
    number, sign = 0, ","
    if text.next_sign() == "]":
        sign = text.sign()
    while sign == ",":
        number += 1
        item = text.item()
        if text.assigned is not None and isinstance(item, dict) and len(item) == 1:
            (inner,) = item.values()  # {"tweet": {...}}
            item = inner if isinstance(inner, dict) else item
        yield number, _json_object(name, f"item {number:,}", item)
        sign = text.sign()
    if sign != "]":
        raise text.fault("Expecting ',' delimiter", -1)
    if text.next_sign() not in ("", ";") or (text.assigned is None and text.next_sign()):
        raise text.fault("Extra data", 0)


class _Window:
    """A JSON text of which no more is held than what is being parsed."""

    def __init__(self, name: str, stream: TextIO) -> None:
        self._name, self._stream = name, stream
        self._text, self._place = "", 0
        self._line, self._column = 1, 0
        """Where the text that is held begins."""
        self.assigned: str | None = None
        """What the value is assigned to in JavaScript."""

    def skip(self, begin: re.Pattern[str]) -> None:
        """Go beyond what stands before the value."""
        self._more()
        if found := begin.match(self._text):
            self.assigned, self._place = found[0], found.end()

    def next_sign(self) -> str:
        """The next sign that is no blank; empty at the end."""
        while True:
            self._place = _after_blanks(self._text, self._place)
            if self._place < len(self._text) or not self._more():
                return self._text[self._place : self._place + 1]

    def sign(self) -> str:
        """As `next_sign`, which is then behind us."""
        sign = self.next_sign()
        self._place += 1
        return sign

    def item(self, most: int | None = None) -> Any:
        """Return the next value, which holds at most `most` values. Raises CorpusError."""
        self.next_sign()
        if most is not None:
            while self._more():
                pass
            if sum(map(self._text.count, "[{:,")) > most:
                raise CorpusError(
                    f"{self._name}: more than {most:,} values in one object; write one object a "
                    "line, a document each."
                )
        while True:
            try:
                item, self._place = json.JSONDecoder().raw_decode(self._text, self._place)
                return item
            except json.JSONDecodeError as error:
                # What is wrong a few signs before the end, or a string that goes beyond it, may be
                # right once more is read.
                near = error.pos + 16 > len(self._text) or error.msg.startswith("Unterminated")
                if not (near and len(self._text) < MAX_UNPACKED and self._more()):
                    raise self._no_json(error) from None
            except (ValueError, RecursionError) as error:
                raise self._no_json(error) from None

    def fault(self, what: str, offset: int) -> CorpusError:
        """That `what` is wrong so many signs from here."""
        return self._no_json(json.JSONDecodeError(what, self._text, self._place + offset))

    def _no_json(self, error: Exception) -> CorpusError:
        return _no_json(self._name, self._line, error, self._column)

    def _more(self) -> bool:
        """Read on, as much again as is held; False at the end."""
        piece = self._stream.read(max(CHUNK, len(self._text) - self._place))
        if not piece:
            return False
        done, lines = self._text[: self._place], self._text.count("\n", 0, self._place)
        self._column = len(done) - done.rfind("\n") - 1 if lines else self._column + len(done)
        self._line += lines
        self._text, self._place = self._text[self._place :] + piece, 0
        return True


def _after_blanks(text: str, place: int) -> int:
    found = BLANKS.match(text, place)
    return found.end() if found else place


def _line(name: str, number: int, line: str) -> Any:
    if sum(map(line.count, "[{:,")) > MAX_VALUES:
        raise CorpusError(
            f"{name}, line {number:,}: more than {MAX_VALUES:,} values; give one object a document."
        )
    return _parsed(name, number, json.loads, line)


def _parsed(name: str, line: int, parse: Callable[[Any], Any], what: Any) -> Any:
    try:
        return parse(what)
    except (ValueError, RecursionError) as error:
        raise _no_json(name, line, error) from None


def _no_json(name: str, line: int, error: Exception, before: int = 0) -> CorpusError:
    """`before`: signs on the line before the text that was parsed."""
    why = "nested too deeply or a number too long"
    if isinstance(error, json.JSONDecodeError):
        column = error.colno + (before if error.lineno == 1 else 0)
        line, why = line + error.lineno - 1, f"{error.msg}, column {column}"
    return CorpusError(
        f"{name}, line {line:,}: not valid JSON ({why}); every line must be one whole object "
        'such as {"text": "..."}.'
    )


def _json_object(name: str, where: str, item: Any) -> dict[str, str]:
    """The fields of a document: those of an object, or a text alone."""
    if isinstance(item, str):
        return {"text": plain_value(item)}
    if not isinstance(item, dict):
        raise CorpusError(
            f'{name}, {where}: a JSON object such as {{"text": "..."}} is needed, not '
            f"{type(item).__name__}."
        )
    return RawCells({str(key): plain_value(value) for key, value in item.items()}, item)


def _sniff(look: Look) -> float:
    """Tell JSON by its first value, which is whole or reaches beyond the sample."""
    begin = look.text.lstrip("\ufeff \t\r\n")
    named = look.suffix in JSON.suffixes
    if found := ASSIGNED.match(begin):
        begin = begin[found.end() :]
    elif look.suffix == ".js":
        return 0.0
    if not begin.startswith(("{", "[")):
        return NAMED * (named and bool(begin))
    if _is_json(begin):
        return CLEAR
    return NAMED if named else MAY_BE * begin.startswith(("{", "[{", '["'))


def _is_json(begin: str) -> bool:
    inner = begin[1:].lstrip() if begin.startswith("[") else begin
    if not inner.startswith(("{", '"')):
        return False
    try:
        json.JSONDecoder().raw_decode(inner)
    except json.JSONDecodeError as error:
        cut = error.pos + 16 > len(inner) or error.msg.startswith("Unterminated")
        return cut and KEY.match(inner) is not None
    except (ValueError, RecursionError):
        return False
    return True


KEY = re.compile(r'[{\s]*"(?:[^"\\]|\\.)*"\s*(:|,|$)')
"""How an object or a list of texts begins."""

JSON = Reader(
    "jsonl",
    "JSON lines",
    "One JSON object a line, a list of objects or texts, or a table in an object.",
    (".jsonl", ".ndjson", ".json", ".js"),
    _sniff,
    read_jsonl,
    json_table,
)
