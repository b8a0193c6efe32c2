"""The restaurant as the Lab and the files for slides draw it: its room and its rule."""

from collections.abc import Sequence

import numpy as np

from ...core.html import Markup, joined
from ...lab.restaurant import choices
from ...plots.style import percent, topic_colour
from . import pictures
from .formula import Fraction, Part, Term, formula

ALPHA = "lab_crp"
"""The slider."""


def room(tables: Sequence[int], last: int, dark: bool, walk: float) -> Markup:
    """Draw the tables; the last customer walks to the table `last` (-1: nobody)."""
    seats = [
        pictures.Seat(customers, f"table {k + 1}", topic_colour(k, dark), k == last)
        for k, customers in enumerate(tables)
    ]
    return pictures.room(seats, "Tables, in the order of opening", walk)


def rules(tables: Sequence[int], alpha: float, moved: str = "") -> Markup:
    """Draw the probability of the largest table, and that of a new one, with their numbers."""
    n, shares = sum(tables), choices(tables, alpha)
    a = Term("α", f"{alpha:g}", (ALPHA,))
    below: list[Part] = [Term("n", str(n)), "+", a]
    drawn = []
    if tables:
        k = int(np.argmax(tables))
        there: list[Part] = [Term(f"n_{k + 1}", str(tables[k]))]
        old: list[Part] = [f"p(table {k + 1}) =", Fraction(there, below)]
        drawn.append(formula(old, f"= {percent(float(shares[k]), 1)}", moved))
    new: list[Part] = ["p(a new table) =", Fraction([a], below)]
    drawn.append(formula(new, f"= {percent(float(shares[-1]), 1)}", moved))
    return Markup('<div class="lab-rules">{}</div>').format(joined(drawn))
