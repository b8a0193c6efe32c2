"""Topics page, synthetic corpora: how many of the topics that made the texts were found again."""

import pandas as pd
import streamlit as st

from ...core.arrays import F64
from ...evaluate import heaviest
from ...explore.known import FoundAgain
from ...explore.likeness import CLOSE
from ...state.moment import Moment
from ..parts import known as known_parts
from ..parts.tables import read_as_table
from ..parts.topics_choice import top_words

N_WORDS = 5


def known_topics(moment: Moment, known: F64 | None) -> None:
    """One sentence, and which topic is which; nothing where no topics are known, (J, V)."""
    if known is None or not known_parts.fits(moment, known):
        return
    found = known_parts.found_at(moment.at, known, moment.topics)
    made = f"the {len(known):,} topics that made these texts"
    st.markdown(f"**Found again: {found.count:,} of {made}**")
    if drawn := known_parts.sheet(moment, known):
        st.html(known_parts.CSS + drawn)
        st.caption(known_parts.EXPLAINED)
    read_as_table(
        "known-topics",
        lambda: known_table(moment, known, found),
        label="Which topic is which",
        note="Each topic that made the texts beside its partner in this run, one to one by the "
        f"smallest sum of Jensen-Shannon distances. Nearer than {CLOSE} counts as found again; a "
        "topic that mixes two of them evenly lies at 0.56 from both.",
    )


def known_table(moment: Moment, known: F64, found: FoundAgain) -> pd.DataFrame:
    """A row a known topic, the best found first."""
    words = heaviest(known, N_WORDS)
    rows = []
    for j in found.distances.argsort(kind="stable"):  # nan last
        row = int(found.rows[j])
        topic = int(moment.topics.topic_ids[row]) if row >= 0 else None
        rows.append(
            (
                "yes" if found.close[j] else "no",
                float(found.distances[j]),
                " · ".join(moment.vocab[w] for w in words[j]),
                "" if topic is None else moment.head(topic),
                "" if topic is None else top_words(moment, topic, N_WORDS),
            )
        )
    heads = ["found again", "distance", "made the texts", "partner", "its words"]
    return pd.DataFrame(rows, columns=heads)
