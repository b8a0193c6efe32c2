"""Which documents of the corpus a run has learned, which it holds out, which are still to come."""

from ...core.arrays import I64, Bools
from ...export.result import held_out_rows
from ...runs.whole import learned_rows, parts
from ..parts.explore import Explored
from ..parts.in_background import worked_out

PARTS = ("parts",)
"""The key of the derived value that tells which documents the run has learned."""


def learned(explored: Explored) -> Bools | None:
    """Which documents of the corpus the run had learned by this moment: bool (D,).

    None if the run does not tell: its texts were divided by a rule that is not ours.
    """
    return _rows(explored)[1]


def told_apart(explored: Explored) -> bool:
    """Whether it is known which documents the run learned; where they are many, it may still be
    under way, and the page says so."""
    what = "which were learned"
    return worked_out(explored.moment, PARTS, lambda: _find(explored), what) is not None


def part(explored: Explored, row: int) -> str:
    """`learned`, `held out` or `not yet learned`; empty if the run does not tell."""
    held_out, learned = _rows(explored)
    if held_out is None or learned is None:
        return ""
    return str(parts(held_out[row], learned[row]))


def parts_of(explored: Explored, rows: I64) -> list[str]:
    """The `part` of several documents, by one look."""
    held_out, learned = _rows(explored)
    if held_out is None or learned is None:
        return [""] * len(rows)
    found: list[str] = parts(held_out[rows], learned[rows]).tolist()
    return found


def _rows(explored: Explored) -> tuple[Bools | None, Bools | None]:
    return explored.moment.derived(PARTS, lambda: _find(explored))


def _find(explored: Explored) -> tuple[Bools | None, Bools | None]:
    """Which documents are held out, and which were learned, each bool (D,)."""
    moment, run = explored.moment, explored.shown.entry.background.run
    held_out = held_out_rows(run, moment.corpus)
    if held_out is None:
        return None, None
    return held_out, learned_rows(run, held_out, moment.snapshot.docs_seen)
