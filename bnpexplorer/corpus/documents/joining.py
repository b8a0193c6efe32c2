"""Short documents joined into longer ones: all of an account, or all of an account on one day."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...core.display import plural
from ..corpus import Column, CorpusError, DocTable
from ..readers.source import Source, strings

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
    check_period(source.name, source.docs.date is not None, period)
    groups = _groups(source, keys, period)
    label = source.docs.label
    several = label is None or any(len(set(label[rows])) > 1 for rows in groups.values())
    joined = join_part(source, keys, period, not several)
    n_alone = sum(not key for key, _ in groups)
    note = joined_note(source.n_docs, joined.n_docs, n_alone, column, period)
    rows = source.rows and source.rows.joined([*groups.values()])
    return replace(joined, notes=(*source.notes, note), rows=rows)


def join_part(source: Source, keys: Sequence[str], period: str, keep_labels: bool) -> Source:
    """As `join`, of all rows of some documents; labels stay if they do everywhere. Without a note
    on it."""
    groups = _groups(source, keys, period)
    assert source.texts is not None
    texts = [
        "\n\n".join(text for row in rows if (text := source.texts[row].strip()))
        for rows in groups.values()
    ]
    docs = _docs(source, groups, [key.strip() for key in keys], bool(period), keep_labels)
    return replace(source, texts=tuple(texts), docs=replace(docs, text=strings(texts)))


def joined_note(n_docs: int, n_joined: int, n_alone: int, column: str, period: str) -> str:
    """What is to be said of texts that were joined; `n_alone` have no value, or no date."""
    said = f"{plural(n_docs, 'text')} joined into {plural(n_joined, 'document')}, one"
    note = f"{said} for each {column!r}{f' and {period}' if period else ''}."
    if n_alone:
        without = f"{column!r} or date" if period else repr(column)
        stays = "stays" if n_alone == 1 else "stay"
        note += f" {plural(n_alone, 'text')} without {without} {stays} alone."
    return note


def check_period(name: str, has_dates: bool, period: str) -> None:
    """Raise CorpusError for what is no period, or where there are no dates to tell it."""
    if period and period not in PERIODS:
        raise CorpusError(
            f"{name}: texts are joined by {', '.join(PERIODS)}, or for all time; got {period!r}."
        )
    if period and not has_dates:
        raise CorpusError(
            f"{name} has no dates by which its texts could be joined for each {period}; "
            "choose the column with the date, or join without a period."
        )


def units_of(dates: Column | None, period: str, n_docs: int) -> list[str]:
    """The period of every text, such as 2014-03, of `dates` datetime64[D] (D,); an empty string
    where it has no date, and the same for all without a period."""
    if not period or dates is None:
        return ["-"] * n_docs
    shift = MONDAY if period == "week" else 0
    units = (dates.astype("datetime64[D]") - shift).astype(f"datetime64[{PERIODS[period]}]")
    if shift:
        units = units.astype("datetime64[D]") + shift
    return ["" if np.isnat(unit) else str(unit) for unit in units]


def is_alone(key: str, unit: str) -> bool:
    """Whether a text with this cell and period is joined to no other."""
    return not key.strip() or not unit


def _groups(source: Source, keys: Sequence[str], period: str) -> dict[tuple[str, str], list[int]]:
    """Value and period -> rows; of texts that stay alone an empty value, and the row."""
    units = units_of(source.docs.date, period, source.n_docs)
    groups: dict[tuple[str, str], list[int]] = {}
    for row, (key, unit) in enumerate(zip(keys, units, strict=True)):
        own = ("", str(row)) if is_alone(key, unit) else (key.strip(), unit)
        groups.setdefault(own, []).append(row)
    return groups


def _docs(
    source: Source,
    groups: dict[tuple[str, str], list[int]],
    keys: Sequence[str],
    dated: bool,
    keep_labels: bool,
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
    if label is None or not keep_labels:
        label = strings(keys)
    return replace(docs, title=strings(titles), date=date, label=label[first])


def _earliest(days: Column) -> np.datetime64:
    known = days[~np.isnat(days)]
    return known.min() if len(known) else np.datetime64("NaT", "D")


def _names(source: Source) -> list[str]:
    """What a text that stays alone is called."""
    title = source.docs.title
    return [""] * source.n_docs if title is None else [str(t) for t in title]
