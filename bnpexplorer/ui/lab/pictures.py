"""Round tables, words in a row, and choices with their numbers; plain functions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from ...core.display import style_beside
from ...core.html import Markup, render
from ...plots.style import percent

draw = partial(render, "ui/lab/pictures.html")
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


def room(seats: Sequence[Seat], title: str, walk: float = 0.5) -> Markup:
    """Draw tables as circles below a title, area by customers; the last one is outlined.

    The customer who sat down last walks from the door to it, in `walk` seconds; where less motion
    is asked for, the customer sits there at once. Places are in sizes of letters downwards and in
    shares of the width across, so that the room is as wide as there is place.
    """
    placed = list(_placed(seats))
    places = []
    for x, y, wide, seat in placed:
        edge = wide * (0.5 + 0.5 * 0.5**0.5)  # to the right, halfway down
        places.append(
            {
                "seat": seat,
                "marks": " ".join(
                    ["last"] * seat.last + ["opened"] * (seat.last and seat.customers == 1)
                ),
                "left": f"{x:.1f}",
                "top": f"{y:.2f}",
                "width": f"{wide:.3f}",
                "walks_to": (f"{edge - wide / 2:.2f}", f"{y + edge:.2f}"),
            }
        )
    low = max((y + wide for _, y, wide, _ in placed), default=DOOR) + LABEL
    return draw("room", title=title, walk=f"{walk:.2f}", height=f"{low:.2f}", places=places)


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


def words(tokens: Sequence[TokenPicture]) -> Markup:
    """Draw the words of a document in a row."""
    return draw("words", tokens=tokens)


def choices(
    heads: Sequence[str], rows: Sequence[Row], bars: Sequence[str] = ("probability",)
) -> Markup:
    """Draw a table of choices; the last column is the probability, as a bar and as a number.

    The last two are, where a choice has one by another rule, too. `bars`: their heads.
    """
    wide = BAR / len(bars)
    drawn = []
    for row in rows:
        shares = [row.share] if row.other is None else [row.share, row.other]
        drawn.append(
            (
                row,
                [
                    {
                        "head": head,
                        "room": f"{wide + 6:.0f}",
                        "width": f"{wide * share:.2f}",
                        "share": percent(share, 1),
                    }
                    for head, share in zip(bars, shares, strict=False)
                ],
            )
        )
    return draw("choices", all_heads=[*heads, *bars], heads=heads, rows=drawn)
