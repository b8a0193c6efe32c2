"""A small topic loses its words to mean field, step by step, where its average would keep it."""

import numpy as np
import pandas as pd
import streamlit as st

from ...lab.controls import KNOWN, STARTS
from ...lab.shrinking import Contest, ShrinkingTurn, exp_psi, shrinking
from ...plots.lab import SHRINKING_HEIGHT, contest_figure, counted_figure
from ...plots.style import percent
from ..frame import look
from ..parts.figure import live_figure, read_as_table
from .parts import SMALL_PRIORS, look_for, setting, whole

GONE = 0.05
"""Violins: who holds fewer has none to speak of."""
MOST_STEPS = 30
MEAN_FIELD, COLLAPSED = 1, 0
"""Slots of the palette."""


def show() -> None:
    st.markdown(
        "Ten violins stand in some texts. One topic knows the word well, and a small topic over "
        "100 words holds one or two. In each step every violin is divided between the two by what "
        "they count for it. **Does the small topic keep its word?**"
    )
    columns = st.columns(4, gap="medium")
    with columns[0]:
        start = setting("Violins it begins with", STARTS, 1.0, "lab_small_start")
    with columns[1]:
        eta = setting("Prior of a word (η)", SMALL_PRIORS, 0.1, "lab_small_eta")
    with columns[2]:
        words = "How likely the word is in the known topic."
        known = setting("The known topic counts", KNOWN, 0.6, "lab_small_known", words)
    with columns[3]:
        n_steps = whole("Steps", 1, MOST_STEPS, 10, "lab_small_steps")
    contest = Contest(eta=eta, known=known)
    lost = shrinking("mean field", n_steps + 1, start, contest)
    kept = shrinking("collapsed", n_steps + 1, start, contest)
    _figures(lost, kept, eta)
    look_for(_verdict(lost, kept, eta))
    read_as_table(
        "small-topic",
        lambda: pd.DataFrame(
            {
                "step": np.arange(n_steps + 1),
                "violins, mean field": _tokens(lost),
                "counts for one, mean field": [turn.weight for turn in lost],
                "uncertainty, mean field": [turn.spread for turn in lost],
                "violins, collapsed": _tokens(kept),
                "counts for one, collapsed": [turn.weight for turn in kept],
            }
        ),
    )


def _tokens(turns: list[ShrinkingTurn]) -> np.ndarray:
    return np.array([turn.tokens for turn in turns])


def _figures(lost: list[ShrinkingTurn], kept: list[ShrinkingTurn], eta: float) -> None:
    dark, size = look.is_dark(), look.text_size()
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("## Step by step")
        lines = [("collapsed", COLLAPSED, _tokens(kept)), ("mean field", MEAN_FIELD, _tokens(lost))]
        live_figure(
            contest_figure(lines, "violins", dark, size),
            "lab_small_steps_figure",
            SHRINKING_HEIGHT,
            "Violins of the small topic after each step, under mean field and collapsed.",
        )
    with right:
        st.markdown("## What mean field counts")
        mine = eta + _tokens(lost)
        at = np.linspace(0.01, max(1.5, 1.15 * float(mine.max())), 120)
        counted, own = (np.array([exp_psi(x) for x in xs]) for xs in (at, mine))
        live_figure(
            counted_figure(at, counted, (mine, own), (MEAN_FIELD, COLLAPSED), dark, size),
            "lab_small_counted",
            SHRINKING_HEIGHT,
            "exp psi of lambda beside lambda itself, and the steps of the small topic.",
        )
    st.caption("Dots: the steps of mean field, the first and the last with their numbers.")


def _gone(turns: list[ShrinkingTurn]) -> int | None:
    """The first step at which it has no violin to speak of."""
    return next((i for i, turn in enumerate(turns) if turn.tokens < GONE), None)


def _verdict(lost: list[ShrinkingTurn], kept: list[ShrinkingTurn], eta: float) -> str:
    """What became of the topic, in the numbers of the figure."""
    gone = _gone(lost)
    grows = kept[-1].tokens > kept[0].tokens
    way = "grows" if grows else "falls"
    average = f"its average {way} from {kept[0].tokens:.2f} violins to {kept[-1].tokens:.2f}"
    said = f"from {lost[0].tokens:.2f} to {lost[-1].tokens:.2f}"
    uncertain = f"{percent(lost[0].spread, 0)} to {percent(lost[-1].spread, 0)}"
    if gone is not None:
        return (
            f"Under mean field it is **gone after step {gone}**, while {average}. Its uncertainty, "
            "the standard deviation of its probability of a violin over the mean, went from "
            f"{uncertain}: the less it holds, the less it counts, and the more it loses."
        )
    moves = "grows" if lost[-1].tokens > lost[0].tokens else "shrinks"
    return (
        f"Under mean field it {moves} {said}, and {average}. Its uncertainty went from "
        f"{uncertain}. {_how_to_lose_it(eta)}"
    )


def _how_to_lose_it(eta: float) -> str:
    """What to move so that mean field lets the topic go; with a large prior only that."""
    hardest = shrinking("mean field", MOST_STEPS + 1, STARTS[0], Contest(eta=eta, known=KNOWN[-1]))
    if _gone(hardest) is not None:
        return "Begin with less, or let the known topic count more, until mean field lets it go."
    return (
        f"With η = {eta:g} its prior alone counts {exp_psi(eta):.2f} under mean field, so that it "
        "never loses all: make η smaller, and begin with less, until mean field lets it go."
    )
