"""The restaurant fills up, customer by customer."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import streamlit as st

from ...core.display import plural
from ...lab import restaurant
from ...lab.draws import topics_for
from ...plots.lab import HEIGHT, Growth, growth_figure
from ...plots.style import QUIET, topic_colour
from ..frame import look
from ..parts.figure import live_figure, read_as_table
from . import demonstration, pictures
from .parts import CONCENTRATIONS, look_for, moved, seed_input, setting
from .restaurant_pictures import ALPHA, room, rules
from .stepper import stepper, walk_of

MOST = 100


def show() -> Callable[[], str]:
    st.markdown("**How many tables will there be, and how unequal?**")
    left, right = st.columns([4, 1], gap="medium")
    with left:
        alpha = setting(
            "Concentration (α)",
            CONCENTRATIONS,
            2.0,
            ALPHA,
            "As many imagined customers stand at the door and wait for a new table.",
        )
    with right:
        seed = seed_input("lab_crp_seed")
    seats = restaurant.seat(MOST, alpha, seed)
    stepper("lab_crp", MOST, "Customer", lambda n: _draw(seats, n, alpha))
    return lambda: demonstration.tables(alpha, seed)


def _draw(seats: np.ndarray, n: int, alpha: float) -> None:
    dark = look.is_dark()
    opened = np.append(0, np.maximum.accumulate(seats) + 1)
    tables = np.bincount(seats[:n], minlength=0).tolist() if n else []
    expected = restaurant.expected_tables(MOST, alpha)
    low, high = restaurant.spread_of_tables(MOST, alpha)
    left, right = st.columns(2, gap="large")
    with left:
        last = int(seats[n - 1]) if n else -1
        st.html(pictures.CSS + room(tables, last, dark, walk_of("lab_crp")))
    with right:
        st.markdown("## Number of tables")
        top = 1.1 * max(float(high[-1]), float(opened[-1]), 2.0)
        line = Growth("tables", 0, opened[: n + 1], expected, low, high)
        live_figure(
            growth_figure([line], top, dark, look.text_size()),
            "lab_crp_growth",
            HEIGHT,
            "Number of tables after each customer, beside its expectation and 90 % of all draws.",
        )
        st.caption("Solid: this draw. Dashed: expected. Shaded: where 90 % of all draws lie.")
    st.markdown(
        "Customers come one after the other and sit down at a table in proportion to how many sit "
        "there, or open a new one."
    )
    if n < MOST:
        _next_customer(tables, n, alpha, dark)
    look_for(
        f"After {plural(n, 'customer')} there are **{plural(len(tables), 'table')}**; "
        f"{expected[n]:.1f} are expected.{_unequal(tables)} The sum of α / (α + i) grows like "
        "α ln n: tables never stop coming, and come ever more slowly. Large tables attract most "
        "customers, and the smaller α, the more so."
    )
    read_as_table(
        "restaurant",
        lambda: pd.DataFrame(
            {
                "customers": np.arange(n + 1),
                "tables": opened[: n + 1],
                "expected tables": expected[: n + 1],
                "5 % of draws up to": low[: n + 1],
                "95 % of draws up to": high[: n + 1],
            }
        ),
    )


def _unequal(tables: list[int]) -> str:
    """How the customers are shared out; nothing where nobody is here."""
    if not tables:
        return ""
    most = int(topics_for(np.array([tables], np.float64))[0])
    return (
        f" The largest holds {max(tables)} of {sum(tables)} customers, and "
        f"{most} of {len(tables)} hold 90 %."
    )


def _next_customer(tables: list[int], n: int, alpha: float, dark: bool) -> None:
    st.markdown(f"## Where may customer {n + 1} sit?")
    names = [f"table {k + 1}" for k in range(len(tables))] + ["a new table"]
    terms = [f"{c} / ({n} + {alpha:g})" for c in tables] + [f"{alpha:g} / ({n} + {alpha:g})"]
    inks = [topic_colour(k, dark) for k in range(len(tables))] + [QUIET[dark]]
    shares = restaurant.choices(tables, alpha)
    st.html(pictures.CSS + rules(tables, alpha, moved()))
    rows = [
        pictures.Row((name, term), float(share), ink)
        for name, term, share, ink in zip(names, terms, shares, inks, strict=True)
    ]
    heads = ("choice", "customers there (new: α) / (all so far + α)")
    st.html(pictures.choices(heads, rows))
