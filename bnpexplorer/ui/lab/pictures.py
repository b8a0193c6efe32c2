"""Round tables, words in a row, and choices with their numbers; plain functions, text escaped."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from ...core.display import style_beside
from ...plots.style import percent

CSS = style_beside(__file__, "pictures.css")
BAR = 8.0
"""Width of a probability of 1, in sizes of the letters."""


ONE, FEW = 1.1, 12
"""Width of a table with one customer, likewise, and tables that stand four in a row."""
DOOR, LABEL = 1.2, 1.9
"""Heights of what is above all tables, and of what stands below each, likewise."""


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
    other: float | None = None
    """Its probability by another rule."""


@dataclass(frozen=True)
class TokenPicture:
    """A token of a document."""

    text: str
    ink: str
    last: bool = False


def room(seats: Sequence[Seat], title: str, walk: float = 0.5) -> str:
    """A title and tables as circles; their areas go with the customers, the last is outlined.

    The customer who sat down last walks from the door to it, in `walk` seconds; where less motion
    is asked for, the customer sits there at once. Places are in sizes of letters downwards and in
    shares of the width across, so that the room is as wide as there is place.
    """
    name, placed = escape(title), list(_placed(seats))
    items = []
    for x, y, wide, seat in placed:
        marks = " ".join(["last"] * seat.last + ["opened"] * (seat.last and seat.customers == 1))
        fill = f"color-mix(in srgb, {seat.ink} 30%, transparent)"
        items.append(
            f'<li class="{marks}" style="left:{x:.1f}%;top:{y:.2f}rem">'
            f'<i style="width:{wide:.3f}rem;height:{wide:.3f}rem;'
            f'border-color:{seat.ink};background:{fill}"></i>'
            f"<span>{seat.customers} · {escape(seat.words)}</span></li>"
        )
        if seat.last:
            edge = wide * (0.5 + 0.5 * 0.5**0.5)  # to the right, halfway down
            items.append(
                f'<li class="walker" aria-hidden="true" style="left:calc({x:.1f}% + '
                f'{edge - wide / 2:.2f}rem);top:{y + edge:.2f}rem;border-color:{seat.ink}"></li>'
            )
    low = max((y + wide for _, y, wide, _ in placed), default=DOOR) + LABEL
    inside = "".join(items) or '<li style="left:50%;top:1.5rem">Nobody is here yet.</li>'
    return (
        f'<div class="lab lab-room" style="--walk:{walk:.2f}s"><b>{name}</b>'
        f'<span class="door">door</span><ul style="height:{low:.2f}rem">{inside}</ul></div>'
    )


def _placed(seats: Sequence[Seat]) -> Iterator[tuple[float, float, float, Seat]]:
    """Of every table its middle in percent, its top and its width in sizes of letters."""
    per_row, most = (4, 5.0) if len(seats) <= FEW else (5, 3.6)
    largest = max((seat.customers for seat in seats), default=1)
    one, y = min(ONE, most / largest**0.5), DOOR
    for first in range(0, len(seats), per_row):
        row = seats[first : first + per_row]
        widths = [one * seat.customers**0.5 for seat in row]
        for place, (wide, seat) in enumerate(zip(widths, row, strict=True)):
            yield 100 * (place + 0.5) / per_row, y + max(widths) - wide, wide, seat
        y += max(widths) + LABEL


def words(tokens: Sequence[TokenPicture]) -> str:
    """The words of a document in a row."""
    marks = []
    for token in tokens:
        last = ' class="last"' if token.last else ""
        marks.append(f'<span{last} style="border-color:{token.ink}">{escape(token.text)}</span>')
    return f'<div class="lab"><div class="lab-words">{"".join(marks)}</div></div>'


def choices(
    heads: Sequence[str], rows: Sequence[Row], bars: Sequence[str] = ("probability",)
) -> str:
    """A table of choices; the last column is the probability, as a bar and as a number, or the
    last two where a choice has it by another rule, too. `bars`: their heads."""
    head = "".join(f'<th scope="col">{escape(h)}</th>' for h in [*heads, *bars])
    body, wide = [], BAR / len(bars)
    for row in rows:
        # The first cell names the choice; on a phone the others carry their heads with them.
        cells = f"<td>{escape(row.cells[0])}</td>" + "".join(
            f'<td data-head="{escape(head, quote=True)}">{escape(cell)}</td>'
            for head, cell in zip(heads[1:], row.cells[1:], strict=True)
        )
        taken = ' class="taken"' if row.taken else ""
        mark = " ← taken" if row.taken else ""
        drawn = [_bar(row.share, row.ink, wide, bars[0], mark)]
        if row.other is not None:
            drawn.append(_bar(row.other, row.ink, wide, bars[1], ""))
        body.append(f"<tr{taken}>{cells}{''.join(drawn)}</tr>")
    return (
        f'<div class="lab lab-wide" tabindex="0" role="region" aria-label="choices">'
        f'<table class="lab-choices"><tr>{head}</tr>{"".join(body)}</table></div>'
    )


def _bar(share: float, ink: str, wide: float, head: str, mark: str) -> str:
    room = f'data-bar="{escape(head, quote=True)}" style="min-width:{wide + 6:.0f}rem"'
    drawn = f'<i style="width:{wide * share:.2f}rem;background:{ink}"></i>'
    return f'<td class="bar" {room}>{drawn}{percent(share, 1)}{mark}</td>'
