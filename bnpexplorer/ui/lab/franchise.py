"""Restaurants that share their dishes: documents that share topics."""

import numpy as np
import pandas as pd
import streamlit as st

from ...core.display import plural
from ...lab import franchise
from ...plots.lab import HEIGHT, Growth, growth_figure
from ...plots.style import QUIET, topic_colour
from ..frame import look
from ..parts.figure import live_figure, read_as_table
from . import pictures
from .parts import CONCENTRATIONS, look_for, seed_input, setting
from .stepper import stepper, walk_of

MOST = 60


@st.cache_data(show_spinner=False, max_entries=32)
def _expected(n_restaurants: int, alpha: float, gamma: float) -> tuple[np.ndarray, np.ndarray]:
    """Expected tables and dishes after 0, 1, ..., MOST customers."""
    tables = [franchise.expected_tables(n, n_restaurants, alpha) for n in range(MOST + 1)]
    dishes = [franchise.expected_dishes(n, n_restaurants, alpha, gamma) for n in range(MOST + 1)]
    return np.array(tables), np.array(dishes)


@st.cache_data(show_spinner=False, max_entries=32)
def _counts(n_restaurants: int, alpha: float, gamma: float, seed: int) -> np.ndarray:
    """Tables and dishes of the draw after 0, 1, ..., MOST customers, int64 (MOST+1, 2)."""
    counts = []
    for n in range(MOST + 1):
        state, _ = franchise.fill(n, n_restaurants, alpha, gamma, seed)
        served = franchise.tables_of_dishes(state)
        counts.append((int(served.sum()), len(served)))
    return np.array(counts)


def dish_name(dish: int) -> str:
    """A, B, ..., Z, then A2, B2 and so on."""
    return chr(ord("A") + dish % 26) + (str(dish // 26 + 1) if dish >= 26 else "")


def show() -> None:
    st.markdown("**How do documents come to share topics?**")
    columns = st.columns([3, 3, 2, 2], gap="medium")
    with columns[0]:
        alpha = setting("Tables (α)", CONCENTRATIONS, 2.0, "lab_crf_alpha", "More: more tables.")
    with columns[1]:
        gamma = setting("Dishes (γ)", CONCENTRATIONS, 2.0, "lab_crf_gamma", "More: more dishes.")
    with columns[2]:
        n_restaurants = st.segmented_control(
            "Restaurants",
            [2, 3],
            default=3,
            required=True,
            key="lab_crf_houses",
            bind="query-params",
            persist_state="session",
        )
    with columns[3]:
        seed = seed_input("lab_crf_seed")
    houses = int(n_restaurants or 3)
    stepper("lab_crf", MOST, "Customer", lambda n: _draw(n, houses, alpha, gamma, seed))


def _draw(n: int, n_restaurants: int, alpha: float, gamma: float, seed: int) -> None:
    dark = look.is_dark()
    state, last = franchise.fill(n, n_restaurants, alpha, gamma, seed)
    tables, dishes = _expected(n_restaurants, alpha, gamma)
    counts = _counts(n_restaurants, alpha, gamma, seed)
    left, right = st.columns(2, gap="large")
    with left:
        rooms = [pictures.CSS]
        for j, house in enumerate(state):
            circles = [
                pictures.Seat(
                    table.customers,
                    f"dish {dish_name(table.dish)}",
                    topic_colour(table.dish, dark),
                    last is not None and (last.restaurant, last.table) == (j, t),
                )
                for t, table in enumerate(house)
            ]
            rooms.append(pictures.room(circles, f"Restaurant {j + 1}", walk_of("lab_crf")))
        st.html("".join(rooms))
    with right:
        st.markdown("## Tables and dishes of all restaurants")
        top = 1.1 * max(float(tables[-1]), float(counts.max()), 2.0)
        lines = [
            Growth("tables", 1, counts[: n + 1, 0], tables),
            Growth("dishes", 0, counts[: n + 1, 1], dishes),
        ]
        live_figure(
            growth_figure(lines, top, dark, look.text_size()),
            "lab_crf_growth",
            HEIGHT,
            "Number of tables and of dishes after each customer, beside their expectations.",
        )
        st.caption("Solid: this draw. Dashed: expected.")
    st.markdown(
        "Every document is a restaurant, every word a customer, and every dish a topic. A new "
        "table orders a dish in proportion to how many tables of **all** restaurants have it."
    )
    if n < MOST:
        _next_customer(state, franchise.turn(n, n_restaurants), alpha, gamma, dark)
    n_tables, n_dishes = (int(count) for count in counts[n])
    look_for(
        f"After {plural(n, 'customer')} {plural(n_tables, 'table')} ({tables[n]:.1f} expected) and "
        f"{plural(n_dishes, 'dish', 'dishes')} ({dishes[n]:.1f} expected). A dish that many tables "
        "have is ordered again elsewhere: that is how restaurants come to share dishes. With a "
        "small γ they share nearly all; with a large one each new table brings its own."
    )
    read_as_table(
        "franchise",
        lambda: pd.DataFrame(
            {
                "customers": np.arange(n + 1),
                "tables": counts[: n + 1, 0],
                "expected tables": tables[: n + 1],
                "dishes": counts[: n + 1, 1],
                "expected dishes": dishes[: n + 1],
            }
        ),
    )


def _next_customer(
    state: franchise.Franchise, j: int, alpha: float, gamma: float, dark: bool
) -> None:
    st.markdown(f"## The next customer comes to restaurant {j + 1}")
    here = state[j]
    n, at = sum(table.customers for table in here), franchise.table_choices(here, alpha)
    served, order = franchise.tables_of_dishes(state), franchise.dish_choices(state, gamma)
    total = int(served.sum())
    rows = [
        pictures.Row(
            (
                f"table {t + 1}, dish {dish_name(table.dish)}",
                f"{table.customers} / ({n} + {alpha:g})",
                "its own",
            ),
            float(share),
            topic_colour(table.dish, dark),
        )
        for t, (table, share) in enumerate(zip(here, at, strict=False))
    ]
    opens = f"{alpha:g} / ({n} + {alpha:g})"
    for dish, share in enumerate(order):
        new = dish == len(served)
        name = "a new dish" if new else f"dish {dish_name(dish)}"
        count = f"{gamma:g}" if new else str(served[dish])
        ink = QUIET[dark] if new else topic_colour(dish, dark)
        cells = (f"new table, {name}", opens, f"{count} / ({total} + {gamma:g})")
        rows.append(pictures.Row(cells, float(at[-1] * share), ink))
    heads = (
        "choice",
        "table: customers (new: α) / (here + α)",
        "× dish: tables (new: γ) / (all + γ)",
    )
    st.html(pictures.choices(heads, rows))
