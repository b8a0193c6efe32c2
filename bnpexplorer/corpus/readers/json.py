"""Reader of JSON: one object a line, or one list of objects."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, TextIO

from ..corpus import CorpusError
from .decoding import CHUNK, MAX_UNPACKED, Data, find_encoding, open_text
from .source import Source, Upload
from .tables import Row, RowTable, read_rows

BLANKS = re.compile(r"[ \t\n\r]*")
MAX_VALUES = 5_000_000
"""Most values of one object: each takes up to 90 bytes, empty lists within lists the most."""


def read_jsonl(upload: Upload) -> Source:
    """One JSON object a line (or one JSON list of objects); keys are columns."""
    return read_rows(json_table(upload), upload.options)


def json_table(upload: Upload) -> RowTable:
    """The rows of `read_jsonl`."""
    name, data = upload.name, upload.data
    codec, encoding = find_encoding(name, data, upload.options.encoding)
    if open_text(data, codec).read(1000).lstrip().startswith("["):
        notes = [f"Read as a JSON list, {encoding}."]
        return RowTable(name, "jsonl", _list_rows(name, data, codec), (), notes, "item")
    notes = [f"Read as JSON lines, {encoding}."]
    return RowTable(name, "jsonl", _json_rows(name, data, codec), (), notes)


def _json_rows(name: str, data: Data, codec: str) -> Iterator[Row]:
    for number, line in enumerate(open_text(data, codec, newline=None), start=1):
        if line.strip():
            yield number, _json_object(name, f"line {number:,}", _line(name, number, line))


def _list_rows(name: str, data: Data, codec: str) -> Iterator[Row]:
    """One item after the other: a list of 99 MB, parsed at once, took 2.3 GB."""
    text = _Window(name, open_text(data, codec))
    text.sign()
    number, sign = 0, ","
    if text.next_sign() == "]":
        sign = text.sign()
    while sign == ",":
        number += 1
        yield number, _json_object(name, f"item {number:,}", text.item())
        sign = text.sign()
    if sign != "]":
        raise text.fault("Expecting ',' delimiter", -1)
    if text.next_sign():
        raise text.fault("Extra data", 0)


class _Window:
    """A JSON text of which no more is held than what is being parsed."""

    def __init__(self, name: str, stream: TextIO) -> None:
        self._name, self._stream = name, stream
        self._text, self._place = "", 0
        self._line, self._column = 1, 0
        """Where the text that is held begins."""

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

    def item(self) -> Any:
        """The next value. Raises CorpusError."""
        self.next_sign()
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
    if not isinstance(item, dict):
        raise CorpusError(
            f'{name}, {where}: a JSON object such as {{"text": "..."}} is needed, not '
            f"{type(item).__name__}."
        )
    return {str(key): plain_value(value) for key, value in item.items()}


def plain_value(value: Any) -> str:
    """A JSON or Parquet value as text; half surrogate pairs, which no encoding can write, as �."""
    if value is None:
        return ""
    if isinstance(value, list):
        return " ".join(map(plain_value, value))
    if isinstance(value, dict):
        return json.dumps(value)
    text = value if isinstance(value, str) else str(value)
    return (
        text
        if text.isascii()
        else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    )
