"""Round tables, words in a row, and choices with their numbers; plain functions, text escaped."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from ...core.beside import style_beside
from ...plots.style import percent

CSS = style_beside(__file__, "pictures.css")
BAR = 8.0
"""Width of a probability of 1, in sizes of the letters."""


ONE = 1.1
"""Width of a table with one customer, likewise."""


@dataclass(frozen=True)
class Seat:
    """A round table."""

    customers: int
    words: str
    """What stands beside the number."""
    ink: str
    last: bool = False


@dataclass(frozen=True)
class Row:
    """One choice: its words and numbers, its probability."""

    cells: tuple[str, ...]
    share: float
    ink: str
    taken: bool = False


@dataclass(frozen=True)
class Word:
    """A token of a document."""

    text: str
    ink: str
    last: bool = False


def room(seats: Sequence[Seat], title: str) -> str:
    """A title and tables as circles; their areas go with the customers, the last is outlined."""
    items = []
    for seat in seats:
        width = ONE * seat.customers**0.5
        last = ' class="last"' if seat.last else ""
        fill = f"color-mix(in srgb, {seat.ink} 30%, transparent)"
        items.append(
            f'<li{last}><i style="width:{width:.3f}rem;height:{width:.3f}rem;'
            f'border-color:{seat.ink};background:{fill}"></i>'
            f"<span>{seat.customers} · {escape(seat.words)}</span></li>"
        )
    name = escape(title)
    inside = f"<ul>{''.join(items)}</ul>" if items else "<ul><li>Nobody is here yet.</li></ul>"
    return f'<div class="lab lab-room"><b>{name}</b>{inside}</div>'


def words(tokens: Sequence[Word]) -> str:
    """The words of a document in a row."""
    marks = []
    for token in tokens:
        last = ' class="last"' if token.last else ""
        marks.append(f'<span{last} style="border-color:{token.ink}">{escape(token.text)}</span>')
    return f'<div class="lab"><div class="lab-words">{"".join(marks)}</div></div>'


def choices(heads: Sequence[str], rows: Sequence[Row]) -> str:
    """A table of choices; the last column is the probability, as a bar and as a number."""
    head = "".join(f'<th scope="col">{escape(h)}</th>' for h in heads)
    body = []
    for row in rows:
        # The first cell names the choice; on a phone the others carry their heads with them.
        cells = f"<td>{escape(row.cells[0])}</td>" + "".join(
            f'<td data-head="{escape(head, quote=True)}">{escape(cell)}</td>'
            for head, cell in zip(heads[1:], row.cells[1:], strict=True)
        )
        taken = ' class="taken"' if row.taken else ""
        mark = " ← taken" if row.taken else ""
        body.append(
            f'<tr{taken}>{cells}<td class="bar"><i style="width:{BAR * row.share:.2f}rem;'
            f'background:{row.ink}"></i>{percent(row.share, 1)}{mark}</td></tr>'
        )
    return (
        f'<div class="lab lab-wide" tabindex="0" role="region" aria-label="choices">'
        f'<table class="lab-choices"><tr>{head}<th scope="col">probability</th></tr>'
        f"{''.join(body)}</table></div>"
    )
