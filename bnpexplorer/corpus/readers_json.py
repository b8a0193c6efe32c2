"""Reader of JSON: one object a line, or one list of objects."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from .corpus import CorpusError
from .decoding import Data, find_encoding, open_text
from .source import Source, Upload
from .tables import Row, Table, read_rows

BLANKS = re.compile(r"[ \t\n\r]*")
MAX_VALUES = 5_000_000
"""Most values of one object: each takes up to 90 bytes, empty lists within lists the most."""


def read_jsonl(upload: Upload) -> Source:
    """One JSON object a line (or one JSON list of objects); keys are columns."""
    return read_rows(json_table(upload), upload.options)


def json_table(upload: Upload) -> Table:
    """The rows of `read_jsonl`."""
    name, data = upload.name, upload.data
    codec, encoding = find_encoding(name, data, upload.options.encoding)
    if open_text(data, codec).read(1000).lstrip().startswith("["):
        notes = [f"Read as a JSON list, {encoding}."]
        return Table(name, "jsonl", _list_rows(name, data, codec), (), notes, "item")
    notes = [f"Read as JSON lines, {encoding}."]
    return Table(name, "jsonl", _json_rows(name, data, codec), (), notes)


def _json_rows(name: str, data: Data, codec: str) -> Iterator[Row]:
    for number, line in enumerate(open_text(data, codec, newline=None), start=1):
        if line.strip():
            yield number, _json_object(name, f"line {number:,}", _line(name, number, line))


def _list_rows(name: str, data: Data, codec: str) -> Iterator[Row]:
    """One item after the other: a list of 99 MB, parsed at once, took 2.3 GB."""
    text, parse = open_text(data, codec).read(), json.JSONDecoder().raw_decode
    place = _after_blanks(text, _after_blanks(text, 0) + 1)
    number, sign = 0, ","
    if text[place : place + 1] == "]":
        sign, place = "]", place + 1
    while sign == ",":
        number += 1
        item, place = _parsed(name, 1, lambda at: parse(text, at), _after_blanks(text, place))
        yield number, _json_object(name, f"item {number:,}", item)
        place = _after_blanks(text, place)
        sign, place = text[place : place + 1], place + 1
    end = _after_blanks(text, place)
    if sign != "]":
        raise _no_json(name, 1, json.JSONDecodeError("Expecting ',' delimiter", text, place - 1))
    if end < len(text):
        raise _no_json(name, 1, json.JSONDecodeError("Extra data", text, end))


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


def _no_json(name: str, line: int, error: Exception) -> CorpusError:
    why = "nested too deeply or a number too long"
    if isinstance(error, json.JSONDecodeError):
        line, why = line + error.lineno - 1, f"{error.msg}, column {error.colno}"
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
