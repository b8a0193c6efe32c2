"""A stick of length 1 is broken for ever: GEM, and the order in which samples meet the parts."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import streamlit as st

from ...lab.sticks import break_sticks, expected_sticks, order_of_appearance
from ...plots.lab import beside_expected, strips_figure
from ...plots.style import percent
from ..frame import look
from ..parts.figure import live_figure, read_as_table
from . import demonstration
from .demonstration import all_but
from .parts import CONCENTRATIONS, look_for, seed_input, setting, whole

MANY = 400
"""Sticks that are broken before samples are drawn from them."""


def show() -> Callable[[], str]:
    st.markdown(
        "Break a piece off a stick of length 1, then off what is left, and so on. The pieces are "
        "the weights of infinitely many topics. **How fast do they shrink, and in which order "
        "would a reader meet the topics?**"
    )
    columns = st.columns([3, 3, 2], gap="medium")
    with columns[0]:
        concentration = setting(
            "Concentration (γ)",
            CONCENTRATIONS,
            3.0,
            "lab_gem",
            "Each break takes a Beta(1, γ) share of what is left: 1 / (1 + γ) on average.",
        )
    with columns[1]:
        n = whole("Sticks shown", 3, 30, 10, "lab_gem_shown")
    with columns[2]:
        seed = seed_input("lab_gem_seed")
    # By appearance a small stick may come from far behind, hence many more are broken than shown.
    broken = break_sticks(max(MANY, round(20 * concentration)), concentration, seed)
    expected = expected_sticks(n, concentration)
    order = order_of_appearance(broken.weights, seed)[:n]
    _figures(broken.weights, expected.weights, order)
    left = 1.0 - float(broken.weights[:n].sum())
    look_for(
        f"The first {n} sticks hold {all_but(left)} in this draw and {all_but(expected.left)} on "
        f"average; what no stick shown holds is left for topics not met yet. "
        f"{_forward(broken.weights, order, n // 2)} And the diamonds are the same below both: over "
        "all draws, sticks in order of appearance have **the same law** as sticks in the order of "
        "breaking. That is what makes GEM its own size-biased order, and why a sampler may number "
        "topics as they appear."
    )
    read_as_table(
        "stick-breaking",
        lambda: pd.DataFrame(
            {
                "place": np.arange(1, n + 1),
                "weight as broken": broken.weights[:n],
                "stick in order of appearance": order + 1,
                "its weight": broken.weights[order],
                "expected weight": expected.weights,
            }
        ),
    )
    return lambda: demonstration.sticks(concentration, n)


def _forward(weights: np.ndarray, order: np.ndarray, n: int) -> str:
    """What sorting by appearance did to the first `n` of this draw."""
    appeared, broken = float(weights[order[:n]].sum()), float(weights[:n].sum())
    numbers = f"{percent(appeared, 1)} by appearance and {percent(broken, 1)} as broken"
    return (
        f"The first {n} of this draw hold {numbers}; in another draw it may be the other way round."
    )


def _figures(weights: np.ndarray, expected: np.ndarray, order: np.ndarray) -> None:
    dark, size, n = look.is_dark(), look.text_size(), len(expected)
    as_broken = range(n)
    live_figure(
        strips_figure(
            [
                ("as broken", weights[:n], as_broken),
                ("by appearance", weights[order], order.tolist()),
                ("expected", expected, None),
            ],
            dark,
            size,
        ),
        "lab_strips",
        13 * size,
        "Three sticks of length 1: the pieces as broken, by order of appearance, and expected.",
    )
    left, right = st.columns(2, gap="large")
    for column, title, ids in (
        (left, "In the order of breaking", list(as_broken)),
        (right, "In the order of appearance", order.tolist()),
    ):
        with column:
            st.markdown(f"## {title}")
            live_figure(
                beside_expected(weights[ids], expected, ids, "place", dark, size),
                f"lab_{title.split()[-1]}",
                17 * size,
                f"{title}: weights of this draw as bars, their expectation as diamonds.",
            )
    st.caption("Bars: this draw, numbered and coloured by stick. Diamonds: the average of all.")
