"""Short documents joined into longer ones: all of an account, or all of an account on one day."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .corpus import Column, CorpusError, DocTable
from .source import Source, plural, strings

PERIODS = {"day": "D", "week": "W", "month": "M", "year": "Y"}
"""What may be asked for -> numpy's unit."""
MONDAY = 4
"""Days from the first of 1970, a Thursday, on which numpy's weeks begin."""


def join(source: Source, column: str, keys: Sequence[str], period: str = "") -> Source:
    """A source with one document for each value of `keys` (D,), the cells of `column`; with a
    `period`, for each value and period. Documents come in the order of their first text, and texts
    stand in the order of the file with blank lines between them.

    A document has the first date and id of its texts, and its value (and period) as the title.
    Labels stay where all texts of every document have the same; else the values are the labels.
    Rows without a value, or without a date where there are periods, stay documents of their own.

    Raises CorpusError where a period is asked for that is none, or of texts without dates.
    """
    units = _units(source, period)
    groups: dict[tuple[str, str], list[int]] = {}
    for row, (key, unit) in enumerate(zip(keys, units, strict=True)):
        key = key.strip()
        alone = not key or not unit
        groups.setdefault(("", str(row)) if alone else (key, unit), []).append(row)
    assert source.texts is not None
    texts = [
        "\n\n".join(text for row in rows if (text := source.texts[row].strip()))
        for rows in groups.values()
    ]
    docs = _docs(source, groups, [key.strip() for key in keys], bool(period))
    said = f"{plural(source.n_docs, 'text')} joined into {plural(len(texts), 'document')}, one"
    note = f"{said} for each {column!r}{f' and {period}' if period else ''}."
    left = sum(1 for key, _ in groups if not key)
    if left:
        without = f"{column!r} or date" if period else repr(column)
        note += (
            f" {plural(left, 'text')} without {without} {'stays' if left == 1 else 'stay'} alone."
        )
    return replace(
        source,
        texts=tuple(texts),
        docs=replace(docs, text=strings(texts)),
        notes=(*source.notes, note),
    )


def _units(source: Source, period: str) -> list[str]:
    """The period of every text, such as 2014-03; an empty string where it has no date."""
    if not period:
        return ["-"] * source.n_docs
    if period not in PERIODS:
        raise CorpusError(
            f"{source.name}: texts are joined by {', '.join(PERIODS)}, or for all time; got "
            f"{period!r}."
        )
    dates = source.docs.date
    if dates is None:
        raise CorpusError(
            f"{source.name} has no dates by which its texts could be joined for each {period}; "
            "choose the column with the date, or join without a period."
        )
    shift = MONDAY if period == "week" else 0
    units = (dates.astype("datetime64[D]") - shift).astype(f"datetime64[{PERIODS[period]}]")
    if shift:
        units = units.astype("datetime64[D]") + shift
    return ["" if np.isnat(unit) else str(unit) for unit in units]


def _docs(
    source: Source, groups: dict[tuple[str, str], list[int]], keys: Sequence[str], dated: bool
) -> DocTable:
    first = np.array([rows[0] for rows in groups.values()])
    docs = source.docs.take(first)
    names = _names(source)
    titles = [
        names[rows[0]] if not key else f"{key}, {unit}" if dated else key
        for (key, unit), rows in groups.items()
    ]
    date = source.docs.date
    if date is not None:
        date = np.array([_earliest(date[rows]) for rows in groups.values()], "datetime64[D]")
    label = source.docs.label
    if label is None or any(len(set(label[rows])) > 1 for rows in groups.values()):
        label = strings(keys)
    return replace(docs, title=strings(titles), date=date, label=label[first])


def _earliest(days: Column) -> np.datetime64:
    known = days[~np.isnat(days)]
    return known.min() if len(known) else np.datetime64("NaT", "D")


def _names(source: Source) -> list[str]:
    """What a text that stays alone is called."""
    title = source.docs.title
    return [""] * source.n_docs if title is None else [str(t) for t in title]
