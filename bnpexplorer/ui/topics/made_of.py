"""Topics page: which of the run's topics one is made of, where fewer are shown in their place."""

import numpy as np
import pandas as pd

from ...state.moment import Moment
from ..parts.figure import read_as_table
from ..parts.topics_choice import top_words

LEAST = 0.01
"""Of the words of a topic: what fewer come from is not counted as a part of it."""
WORDS = 5


def made_of(moment: Moment, topic: int) -> None:
    """A button that opens the list of its parts; nothing where all topics are shown."""
    if moment.fewer is None:
        return
    table = parts_of(moment, topic)
    n = int((table["of its words"] >= LEAST).sum())
    read_as_table(
        f"topics-made-of-{topic}",
        lambda: table,
        label=f"Made of {n} of the run's topics" if n != 1 else "Made of one of the run's topics",
        note="Of the words of this topic, and of those of the run's topic, which part they share. "
        f"Counted are topics with {LEAST:.0%} of its words and more.",
    )


def parts_of(moment: Moment, topic: int) -> pd.DataFrame:
    """A row for each of the run's topics that shares words with it, the largest part first."""
    fewer, whole = moment.fewer, moment.whole
    assert whole is not None
    alone = whole.ungrouped
    words = fewer.made_of[np.isin(fewer.topics.topic_ids, moment.members(topic))].sum(axis=0)
    of_all = fewer.made_of.sum(axis=0)
    places = [k for k in np.argsort(-words, kind="stable").tolist() if words[k] >= 0.5]
    ids = fewer.of[places].tolist()
    return pd.DataFrame(
        {
            "topic of the run": [alone.head(i) for i in ids],
            "of its words": (words[places] / max(words.sum(), 1.0)).round(3),
            "of that topic's words": (words[places] / np.maximum(of_all[places], 1.0)).round(3),
            "words": [top_words(alone, i, WORDS) for i in ids],
        }
    )
