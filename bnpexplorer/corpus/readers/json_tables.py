"""The table within one JSON object: a list of objects, columns or rows by their names, as pandas
and the answers of servers have them."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from .keeping import RawCells
from .tables import Row

DEEPEST = 4
"""Objects within objects that are looked through for a list."""
MANY_TEXTS = 20
"""Texts by id in one object from which on they are documents, whatever their ids."""
LOOKED_AT = 100
FIELDS = {"text", "body", "content", "abstract", "title", "date", "label", "author", "full_text"}
"""Names that are of columns rather than of documents."""


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


def flattened(rows: Iterable[Row]) -> Iterator[Row]:
    """Give the fields of objects within an object columns of their own: `user.name`."""
    for number, cells in rows:
        raw = getattr(cells, "raw", None)
        if raw is None or not any(isinstance(value, dict) for value in raw.values()):
            yield number, cells
        else:
            own = {str(key): value for key, value in raw.items() if not isinstance(value, dict)}
            every = {**dict(_inner(raw, "", DEEPEST)), **own}
            yield number, RawCells({key: plain_value(value) for key, value in every.items()}, raw)


def _inner(item: Mapping[str, Any], path: str, deep: int) -> Iterator[tuple[str, Any]]:
    for key, value in item.items():
        if isinstance(value, dict) and len(value) == 1 and next(iter(value)).startswith("$"):
            (value,) = value.values()  # {"$date": "2020-01-01"} of MongoDB
        if isinstance(value, dict) and value and deep:
            yield from _inner(value, f"{path}{key}.", deep - 1)
        else:
            yield f"{path}{key}", value


@dataclass(frozen=True)
class TableWithin:
    """The table inside one JSON object."""

    rows: Iterable[Any]
    said: str


def table_within(item: Any) -> TableWithin | None:
    """The rows of the table in an object; None where it is one document."""
    if not isinstance(item, dict) or not item:
        return None
    return _split(item) or _list_in(item) or _columns(item) or _by_name(item) or _texts(item)


def _split(item: Mapping[str, Any]) -> TableWithin | None:
    """`{"columns": [...], "data": [[...], ...]}`."""
    columns, data = item.get("columns"), item.get("data")
    if not isinstance(columns, list) or not isinstance(data, list) or not data:
        return None
    if not all(isinstance(row, list) and len(row) == len(columns) for row in data):
        return None
    rows = (dict(zip(map(str, columns), row, strict=True)) for row in data)
    return TableWithin(rows, "columns and rows apart")


def _list_in(item: Mapping[str, Any]) -> TableWithin | None:
    """Return the one list of objects or texts that holds most of the object's content."""
    lists = [(path, found) for path, found in _lists(item, (), DEEPEST)]
    if not lists:
        return None
    sizes = [_letters(found) for _, found in lists]
    best = max(range(len(lists)), key=sizes.__getitem__)
    if 2 * sizes[best] < _letters(item):
        return None
    path, rows = lists[best]
    return TableWithin(rows, f"the list {'.'.join(path)!r}")


def _lists(item: Any, path: tuple[str, ...], deep: int) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in item.items():
        if isinstance(value, dict) and deep:
            yield from _lists(value, (*path, str(key)), deep - 1)
        if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
            yield (*path, str(key)), value


def _letters(item: Any) -> int:
    """Letters of all strings within."""
    todo, letters = [item], 0
    while todo:
        one = todo.pop()
        if isinstance(one, str):
            letters += len(one)
        elif isinstance(one, dict):
            todo += one.values()
        elif isinstance(one, list):
            todo += one
    return letters


def _columns(item: Mapping[str, Any]) -> TableWithin | None:
    """`{"text": ["...", ...], "year": [...]}`; one list alone must be of texts."""
    lists = {str(key): value for key, value in item.items() if isinstance(value, list) and value}
    if len(lists) < len(item) or len({*map(len, lists.values())}) != 1:
        return None
    if any(isinstance(cell, dict) for values in lists.values() for cell in values[:LOOKED_AT]):
        return None
    if len(lists) == 1 and not all(isinstance(cell, str) for cell in next(iter(lists.values()))):
        return None
    rows = (dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True))
    return TableWithin(rows, "a list for every column")


def _by_name(item: Mapping[str, Any]) -> TableWithin | None:
    """`{"text": {"0": "...", ...}, ...}`, columns of rows, or `{"0": {"text": "..."}, ...}`."""
    if not all(isinstance(value, dict) and value for value in item.values()):
        return None
    inner = [
        *dict.fromkeys(str(key) for value in islice(item.values(), LOOKED_AT) for key in value)
    ]
    scalar = not any(
        isinstance(cell, dict)
        for value in islice(item.values(), LOOKED_AT)
        for cell in islice(value.values(), LOOKED_AT)
    )
    if scalar and _are_columns([*map(str, item)], inner, item):
        names = [*dict.fromkeys(key for value in item.values() for key in value)]
        rows: Iterable[Any] = (
            {str(column): values.get(name) for column, values in item.items()} for name in names
        )
        return TableWithin(rows, "a column in every object")
    if len(item) < 2 and not _are_numbers([*map(str, item)]):
        return None
    by_id = ({"id": str(key), **value} for key, value in item.items())
    return TableWithin(by_id, "a document by its id")


def _are_columns(outer: list[str], inner: list[str], item: Mapping[str, Any]) -> bool:
    """Whether the outer names are the columns: the inner ones are numbers, or the values of each
    object are of one type, and those across them are not."""
    if _are_numbers(inner) != _are_numbers(outer):
        return _are_numbers(inner)
    same = all({*value} == {*next(iter(item.values()))} for value in item.values())
    if not same:
        return False  # rows may lack a field, columns of pandas lack no row
    if ({*outer} & FIELDS) != ({*inner} & FIELDS):
        return len({*outer} & FIELDS) > len({*inner} & FIELDS)
    within = sum(len({*map(type, value.values())}) for value in item.values()) / len(outer)
    across = sum(len({type(value[key]) for value in item.values()}) for key in inner) / len(inner)
    return (within, len(outer)) < (across, len(inner))


def _are_numbers(names: list[str]) -> bool:
    return all(name.isdecimal() for name in names)


def _texts(item: Mapping[str, Any]) -> TableWithin | None:
    """`{"doc1": "...", "doc2": "..."}`: texts by their ids."""
    if len(item) < 2 or not all(isinstance(value, str) for value in item.values()):
        return None
    numbered = all(any(map(str.isdigit, str(key))) for key in item)
    if not numbered and len(item) < MANY_TEXTS:
        return None
    rows = ({"id": str(key), "text": value} for key, value in item.items())
    return TableWithin(rows, "a text by its id")
