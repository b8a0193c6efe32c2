"""Ordered sticks, and how soon nothing new is to be expected."""

import numpy as np
import pandas as pd
import streamlit as st

from ...lab import ordered
from ...lab.controls import GAMMAS, MUS
from ...plots.lab import HEIGHT, bound_figure, strips_figure
from ...plots.style import percent
from ..frame import look
from ..parts.figure import live_figure, read_as_table
from .parts import look_for, seed_input, setting

N_ATOMS, N_DRAWS = 20, 20_000


@st.cache_data(show_spinner=False, max_entries=32)
def _draws(mu: float, gamma: float) -> tuple[np.ndarray, np.ndarray]:
    """What 300 draws leave, and the share of all draws above the bound."""
    left = ordered.draw_left_over(N_ATOMS, mu, gamma, N_DRAWS, 0)
    return left[:300], ordered.share_above(left)


def show() -> None:
    st.markdown(
        "Das, Bansal & Bhattacharyya (2015) break sticks that shrink by a rate of their own. What "
        "n sticks leave is the probability that the next batch needs a new atom. **How soon may "
        "one stop expecting anything new?**"
    )
    columns = st.columns([3, 3, 2], gap="medium")
    with columns[0]:
        mu = setting(
            "Mean share of a break (μ)",
            MUS,
            0.6,
            "lab_osbp_mu",
            "Every break takes this share of what is left, on average. Theorem 2 wants over 1/2.",
        )
    with columns[1]:
        gamma = setting(
            "Precision (γ)",
            GAMMAS,
            0.5,
            "lab_osbp_gamma",
            "Smaller: a break takes nearly all or nearly nothing. It shrinks from stick to stick.",
        )
    with columns[2]:
        seed = seed_input("lab_osbp_seed")
    left_over, share = _draws(mu, gamma)
    dark, size = look.is_dark(), look.text_size()
    bound, markov = ordered.bounds(N_ATOMS), ordered.markov(N_ATOMS, mu)
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("## The sticks of four draws")
        chosen = [left_over[(seed + i) % len(left_over)] for i in range(4)]
        strips = [
            (f"draw {seed + i}", ordered.weights_of(one), range(N_ATOMS))
            for i, one in enumerate(chosen)
        ]
        live_figure(
            strips_figure(strips, dark, size),
            "lab_osbp_strips",
            HEIGHT,
            "Four sticks of length 1 and how each was broken by the ordered stick-breaking prior.",
        )
        st.caption("Numbers are the order of breaking, and so of the first visit.")
    with right:
        st.markdown("## How often n sticks leave too much")
        lines = [
            ("theorem 2", bound, 1, "dash"),
            ("Markov", markov, 2, "dot"),
            ("draws", share, 0, "solid"),
        ]
        live_figure(
            bound_figure(lines, 0.2 / N_DRAWS, dark, size),
            "lab_osbp_bound",
            HEIGHT,
            "Share of draws above the bound of theorem 2, the bound itself and Markov's, by n.",
        )
        st.caption(
            "Too much: over 2^(−n/2), which is 50 % after two sticks and halves every two. "
            f"{N_DRAWS:,} draws of the prior; zero is not drawn on a logarithmic axis."
        )
    look_for(_verdict(mu, share, bound))
    with st.expander("Why it holds"):
        st.markdown(
            "The mean of what n sticks leave is (1 − μ)ⁿ, whatever γ. By Markov's inequality it "
            "exceeds 2^(−n/2) with a probability of at most ((1 − μ)√2)ⁿ, and for μ over 1/2 that "
            "is below 2^(−n/2)."
        )
    read_as_table(
        "ordered-sticks",
        lambda: pd.DataFrame(
            {
                "n": np.arange(1, N_ATOMS + 1),
                "bound 2^(-n/2)": bound,
                "share of draws above it": share,
                "Markov's bound of that share": markov,
                "expected probability of a new atom": ordered.expected_left(N_ATOMS, mu),
            }
        ),
    )


def _verdict(mu: float, share: np.ndarray, bound: np.ndarray) -> str:
    above = np.flatnonzero(share >= bound)
    at = int(np.argmax(share / bound))
    closest = f"closest at n = {at + 1}: {percent(share[at], 2)} of draws, where "
    closest += f"{percent(bound[at], 2)} may"
    if mu > 0.5:
        return (
            f"The solid line stays **below the dashed one** at every n ({closest}). Few atoms "
            "suffice, and the prior knows it: the probability of another falls exponentially."
        )
    if len(above):
        return (
            f"μ is not over 1/2, so theorem 2 promises nothing, and indeed **the draws pass its "
            f"bound** at {len(above)} of {len(bound)} places, first at n = {above[0] + 1}. Move μ "
            "to the right to get under it."
        )
    return (
        f"μ is not over 1/2, so theorem 2 promises nothing; the draws stay below its bound all the "
        f"same ({closest}). Make μ or γ smaller to break it."
    )
