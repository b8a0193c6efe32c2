"""Round tables, words in a row, and choices with their numbers; plain functions, text escaped."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from ...plots.style import percent

CSS = """<style>
.lab { font-size: 0.95rem; line-height: 1.4; font-variant-numeric: tabular-nums; }
.lab ul.lab-room { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center;
  min-height: 4.6rem; padding: .4rem .3rem; list-style: none; margin: 0; }
.lab-room > li { margin: 0; border-radius: 50%; border: 3px solid; display: flex;
  flex-direction: column; align-items: center; justify-content: center; line-height: 1.1; }
.lab-room > li.last { outline: 2px solid currentColor; outline-offset: 3px; }
.lab-room b { font-size: 1.05rem; }
.lab-room small { font-size: .74rem; }
.lab-words { display: flex; flex-wrap: wrap; gap: .45rem; padding: .3rem 0 .6rem; }
.lab-words > span { border: 2px solid; border-radius: .4rem; padding: .1rem .5rem; }
.lab-words > span.last { outline: 2px solid currentColor; outline-offset: 3px; }
.lab-choices { width: 100%; border-collapse: collapse; }
.lab-choices th, .lab-choices td { border: 0; padding: .22rem .7rem .22rem 0; text-align: left;
  vertical-align: baseline; }
.lab-choices th { font-weight: 400; opacity: .75; font-size: .87rem; }
.lab-choices tr + tr td { border-top: 1px solid color-mix(in srgb, currentColor 9%, transparent); }
.lab-choices tr.taken td { font-weight: 600; }
.lab-choices .bar { min-width: 14rem; white-space: nowrap; }
.lab-choices .bar i { display: inline-block; height: .7rem; border-radius: .15rem; min-width: 2px;
  margin-right: .45rem; vertical-align: baseline; }
.lab-wide { overflow-x: auto; }
@media (max-width: 640px) {  /* a choice is a paragraph, its last line the bar */
  .lab-choices tr:first-child { display: none; }
  .lab-choices tr { display: block; padding: .35rem 0; }
  .lab-choices tr + tr { border-top: 1px solid color-mix(in srgb, currentColor 9%, transparent); }
  .lab-choices tr td, .lab-choices tr + tr td { display: block; border: 0; padding: 0; }
  .lab-choices td[data-head]::before { content: attr(data-head) " "; opacity: .75; }
}
</style>"""
BAR = 8.0
"""Width of a probability of 1, in sizes of the letters."""


@dataclass(frozen=True)
class Seat:
    """A round table."""

    customers: int
    words: str
    """What stands below the number."""
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


def room(seats: Sequence[Seat], label: str) -> str:
    """Tables as circles, larger with more customers; the last one seated is outlined twice."""
    items = []
    for seat in seats:
        width = 3.1 + 0.35 * seat.customers**0.5
        last = ' class="last"' if seat.last else ""
        items.append(
            f'<li{last} style="width:{width:.2f}rem;height:{width:.2f}rem;'
            f'border-color:{seat.ink}"><b>{seat.customers}</b>'
            f"<small>{escape(seat.words)}</small></li>"
        )
    inside = "".join(items)
    name = escape(label, quote=True)
    if not items:
        return f'<div class="lab"><p aria-label="{name}">Nobody is here yet.</p></div>'
    return f'<div class="lab"><ul class="lab-room" aria-label="{name}">{inside}</ul></div>'


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
