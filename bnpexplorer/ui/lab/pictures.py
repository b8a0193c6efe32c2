"""Round tables, words in a row, and choices with their numbers; plain functions, text escaped."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from ...plots.style import percent

CSS = """<style>
.lab { font-size: 0.95rem; line-height: 1.4; font-variant-numeric: tabular-nums; }
.lab-room b { font-size: 1.1rem; font-weight: 600; }
.lab-room ul { display: flex; flex-wrap: wrap; gap: .3rem .9rem; align-items: flex-end;
  align-content: flex-start; min-height: 4.2rem; padding: .3rem; list-style: none; margin: 0; }
.lab-room li { margin: 0; display: flex; flex-direction: column; align-items: center; gap: .25rem;
  line-height: 1.2; font-size: .8rem; white-space: nowrap; }
.lab-room li > i { display: block; border-radius: 50%; border: 2px solid; box-sizing: border-box; }
.lab-room li.last > i { outline: 2px solid currentColor; outline-offset: 2px; }
.lab-room li.last { font-weight: 600; }
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
