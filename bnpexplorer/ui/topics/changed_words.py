"""Words that rose and fell between two sides, as tables and sentences."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from ...core.arrays import I64
from ...core.display import rounded_rates
from ...explore.changed_words import ChangedWords
from ...explore.documents import shares_of_words
from ...explore.mix import Mix
from ...explore.sentences import WORDS_OF_1000, Sides, with_mix, word_sentence
from ...state.moment import Moment
from ..frame.words import plain
from ..parts.explore import Explored
from ..parts.figure import read_as_table
from .mixed import labels_between, mixes_of
from .quoted import quoted, words_changed
from .two_sides import TwoSides

WORDS, SAID = 12, 2
"""Words in a table, and sentences below it."""
PER = 10_000
"""Words in which a word stands so many times, in tables: sides differ in size."""


def changed_words_view(explored: Explored, sides: TwoSides) -> None:
    """The words that rose and fell most, as tables and, where they are sure, as sentences."""
    moment, found = explored.moment, words_changed(explored, sides)
    if found is None:
        return
    called, filler = sides.called, moment.filler_words
    labels, two = labels_between(explored, sides), called if called.labels else None
    risen = f"More often in {called.after}" if called.labels else "Rose"
    fallen = f"More often in {called.before}" if called.labels else "Fell"
    halves = ((risen, found.risen(WORDS)), (fallen, found.fallen(WORDS)))
    for column, (head, words) in zip(st.columns(2, gap="large"), halves, strict=True):
        with column:
            st.markdown(f"### {plain(head)}")
            if not len(words):
                st.caption("No word that is common enough.")
                continue
            sure = [w for w in words.tolist() if found.sure[w] and not filler[w]]
            table = _words_table(moment, found, words, called)
            st.dataframe(
                table.assign(sure=np.where(table["sure"], "sure", "")),
                hide_index=True,
                height="content",
                column_config={"z": st.column_config.NumberColumn(format="%+.1f")},
            )
            told = sure[:SAID]
            causes = _mixes_of_words(explored, sides, told, found.n_compared)
            for w, mix in zip(told, causes or [None] * len(told), strict=True):
                sentence = word_sentence(moment.vocab[w], found, w, called)
                quoted(with_mix(sentence, mix, labels, "words", two, WORDS_OF_1000))
    st.caption(
        f"Times in {PER:,} words. Log-odds with an informative Dirichlet prior (Monroe, Colaresi & "
        "Quinn 2008), widened where a word comes in bursts; sure beyond "
        f"{found.least:.1f} standard errors, for all {found.n_compared:,} words that are common "
        "enough together."
    )
    read_as_table(
        "topics-changed-words",
        lambda: _words_table(
            moment, found, np.append(found.risen(10_000), found.fallen(10_000)[::-1]), called
        ),
        lazy=True,
    )


def _mixes_of_words(
    explored: Explored, sides: TwoSides, words: Sequence[int], n_compared: int
) -> list[Mix | None] | None:
    """Return the parts of the change of each word's rate, as `mixes_of` does for topics."""
    corpus = explored.moment.corpus
    return mixes_of(
        explored.moment,
        ("of words", sides.asked, tuple(words)),
        "words",
        lambda: shares_of_words(corpus, words),
        lambda: [(k, sides.before, sides.after) for k in range(len(words))],
        labels_between(explored, sides),
        n_compared,
        of_words=True,
    )


def _words_table(moment: Moment, found: ChangedWords, words: I64, called: Sides) -> pd.DataFrame:
    before, after = called.heads
    return pd.DataFrame(
        {
            "word": [moment.vocab[w] for w in words],
            before: rounded_rates(found.before[words] / found.n_before, PER),
            after: rounded_rates(found.after[words] / found.n_after, PER),
            "z": np.round(found.z[words], 1),
            "sure": found.sure[words],
        }
    )
