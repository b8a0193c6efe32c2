"""The shares of one document: in one line above its text, or as bars."""

import numpy as np
import pandas as pd
import streamlit as st

from ...core.arrays import F64
from ...plots.documents import HEIGHT, LINE_HEIGHT, ROWS, proportions_figure, shares_in_a_line
from ...state.moment import Moment
from ..frame.look import is_dark, text_size
from ..parts.figure import live_figure
from ..parts.tables import read_as_table


def in_a_line(moment: Moment, theta: F64, key: str) -> None:
    """The shares in one line, so that the text below is seen at once; all of them as a table."""
    what = "Probability of each cluster" if moment.mixture else "Share of each topic"
    largest = moment.topics.topic_ids[np.argsort(-theta, kind="stable")[:ROWS]].tolist()
    looks = [(moment.name(topic), moment.look(topic)) for topic in largest]
    live_figure(
        lambda: shares_in_a_line(moment, theta, is_dark(), text_size()),
        key,
        LINE_HEIGHT,
        f"{what} in this document; numbers in the table.",
        same=(moment.at, looks, theta, is_dark(), text_size()),
    )
    _share_table(moment, theta, key)


def proportions(moment: Moment, theta: F64, key: str) -> None:
    """The shares as bars, with all of them as a table."""
    figure = proportions_figure(moment, theta, is_dark(), text_size())
    what = "Probability of each cluster" if moment.mixture else "Share of each topic"
    live_figure(figure, key, HEIGHT, f"{what} in this document; numbers in the table.")
    with st.container(horizontal=True, vertical_alignment="center"):
        if moment.mixture:
            st.caption("Which cluster it belongs to, and how surely: one long bar means no doubt.")
        else:
            st.caption("How the document divides among topics: one long bar, or a mixture of some.")
        _share_table(moment, theta, key)


def _share_table(moment: Moment, theta: F64, key: str) -> None:
    def frame() -> pd.DataFrame:
        order = np.argsort(-theta, kind="stable")
        ids = moment.topics.topic_ids[order].tolist()
        shares = zip(ids, theta[order].tolist(), strict=True)
        rows = [(topic, moment.name(topic), share) for topic, share in shares]
        unseen = max(1.0 - float(theta.sum()), 0.0)
        column = "probability" if moment.mixture else "share"
        return pd.DataFrame([*rows, (-1, "not yet seen", unseen)], columns=["id", "words", column])

    read_as_table(key, frame)
