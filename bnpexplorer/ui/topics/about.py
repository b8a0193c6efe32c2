"""Topics page, one topic on one screen: what it is about, and the documents that say it best.

Topics page, one topic on one screen: its line through time, and its share by label.

Topics page: which of the run's topics one is made of, where fewer are shown in their place.
"""

import numpy as np
import pandas as pd
import streamlit as st

from ...core.arrays import F32, I64
from ...explore.documents import snippet_of, title_of
from ...explore.means import Means, group_means
from ...explore.over_documents import Prevalence, prevalence
from ...explore.passages import best_rows, passage_of
from ...explore.periods import Column, Labelled, suitable_period
from ...explore.sentences import Counted
from ...plots import labels as dots
from ...plots.over_time import SMALL, TimeLine, faint_said, one_line
from ...plots.style import percent, shortened, topic_colour
from ...state.moment import Moment
from ..frame import pages
from ..frame.look import is_dark, text_size
from ..frame.words import plain
from ..parts.explore import Explored, at_rest, labels_of, proportions_at_hand, relabel
from ..parts.figure import live_figure, read_as_table
from ..parts.in_background import worked_out
from ..parts.to_topics import lead_to_documents
from ..parts.topics_choice import choose_topic, read_documents, top_words
from ..seam.widgets import ticking
from .grouping import basis_of, counted_now, weights_of
from .labels import documents_of
from .words import words_of_topic

N_BEST, LETTERS = 3, 240
"""Documents, and letters of each."""
HEIGHT = 300
"""Pixels that they take, also before they are there."""
TITLE = 60
"""Letters of a title that becomes a name, as `saved.rows` allows."""


LEAST = 0.01
"""Of the words of a topic: what fewer come from is not counted as a part of it."""
WORDS = 5
"""Of each part, in the list of them."""


def about_topic(found: Explored, topic: int) -> None:
    """All that is told of one topic: when and where it is, what says it best, its words."""
    shares = proportions_at_hand(found.shown)
    if shares is not None:
        time_line(found, topic, shares)
        by_label(found, topic, shares)
    best_documents(found, topic, shares)
    words_of_topic(found.moment, topic)


def best_documents(found: Explored, topic: int, shares: F32 | None) -> None:
    """The documents with the largest share of the topic, as soon as they are read; for readers."""
    if not found.readable or not pages.is_there("documents"):
        return
    # Of this height only while they are waited for: what scrolls cannot be reached by keyboard.
    with st.container(height=HEIGHT if shares is None else "content", border=False):
        rows = _wait(found) if shares is None else _best(found, topic, shares)
    with st.container(horizontal=True, vertical_alignment="center"):
        pressed = st.button(
            "Read its documents", icon=":material/article:", key=f"topics-read-{topic}"
        )
        if len(rows) and found.shown.owned:
            _names_from_titles(found, topic, rows)
    if pressed:
        read_documents(found.moment.run_id, topic)


def _best(found: Explored, topic: int, shares: F32) -> I64:
    """The documents with the largest share of the topic; each with what says most of it."""
    moment, corpus = found.moment, found.loaded.corpus
    rows = worked_out(
        moment, ("best", topic), lambda: _best_rows(topic, moment, shares), "the best", HEIGHT
    )
    if rows is None:
        return np.zeros(0, np.int64)
    report = found.loaded.report
    settings = report.settings if report else None
    passages = moment.derived(
        ("passages", found.readable, topic),
        lambda: [passage_of(moment, corpus, settings, topic, row) for row in rows.tolist()],
    )
    for row, passage in zip(rows.tolist(), passages, strict=True):
        share = percent(float(shares[row, moment.row[topic]]))
        text = shortened(passage, LETTERS) or snippet_of(corpus, row, LETTERS, TITLE)
        st.markdown(f"**{plain(title_of(corpus, row, TITLE))}** · {share}  \n{plain(text)}")
    return rows


def _best_rows(topic: int, moment: Moment, shares: F32) -> I64:
    """The documents with the largest share of the topic."""
    everywhere = np.ones(moment.corpus.n_docs, bool)
    return best_rows(moment, shares, topic, everywhere, N_BEST)


def _wait(found: Explored) -> I64:
    """Until the documents are read, which begins when the page stands: it is not to be held up."""
    none = np.zeros(0, np.int64)
    if not at_rest(found.shown):
        return none

    @ticking(1.0)
    def wait() -> None:
        if proportions_at_hand(found.shown) is not None:
            st.rerun()
        st.caption("Its best documents come here as soon as all are read with these topics.")

    wait()
    return none


def _names_from_titles(found: Explored, topic: int, rows: I64) -> None:
    """Titles of the best documents that the topic may be named by."""
    titles = found.loaded.corpus.docs.title
    if titles is None:
        return
    key = f"topics-title-{found.moment.run_id}-{topic}"

    def name() -> None:
        chosen = st.session_state[key]
        if chosen:
            relabel(found, lambda now: now.rename(topic, chosen))
            choose_topic(found.moment.run_id, topic)

    options = dict.fromkeys(title_of(found.loaded.corpus, row, TITLE) for row in rows.tolist())
    with st.popover("Name it by a title", icon=":material/title:", type="tertiary"):
        st.pills(
            "Titles of its best documents",
            list(options),
            key=key,
            format_func=plain,
            on_change=name,
        )


LABELS, AROUND = 5, 56
"""Labels with a row of their own, and pixels around the rows."""


def _through_time(counted: Counted, moment: Moment, shares: F32, dates: Column) -> Prevalence:
    """All topics."""
    weights = weights_of(moment, counted)
    period = suitable_period(dates)
    return prevalence(shares, dates, period, weights, units=moment.corpus.units)


def _by_label(counted: Counted, topic: int, moment: Moment, shares: F32, drawn: Labelled) -> Means:
    """One topic."""
    column, weights = [moment.row[topic]], weights_of(moment, counted)
    n_labels, units = len(drawn.names), moment.corpus.units
    return group_means(shares, drawn.codes, n_labels, weights, units, column)


def time_line(found: Explored, topic: int, shares: F32) -> None:
    """The topic's share by period; nothing where texts have no dates, or all one period."""
    moment, dates = found.moment, found.moment.corpus.docs.date
    if dates is None or np.isnat(dates).all():
        return
    counted = counted_now(moment)
    known = worked_out(
        moment,
        ("time line", counted),
        lambda: _through_time(counted, moment, shares, dates),
        "the share by period",
        SMALL,
    )
    if known is None or len(known.starts) < 2:
        return
    k, ink = moment.row[topic], topic_colour(moment.look(topic), is_dark())
    low, high = (end[:, 0] for end in known.means.interval(columns=[k]))
    line = TimeLine(moment.name(topic), ink, known.share[:, k], low, high, known.few)
    by = f"Share {basis_of(moment, counted).of} by {suitable_period(dates)}"
    said = faint_said([line])
    st.caption(f"{by}.{said}" if said else by)
    shown = (known.starts, line, is_dark(), text_size())
    live_figure(
        lambda: one_line(*shown),
        "topics-about-time",
        SMALL,
        "The topic's share by period, with 95 % intervals; the view Over time has the numbers.",
        same=shown,
    )


def by_label(found: Explored, topic: int, shares: F32) -> None:
    """The topic's share in the largest labels; a dot leads to the documents behind it."""
    moment, corpus = found.moment, found.loaded.corpus
    labels = labels_of(corpus) if found.readable else None
    if labels is None:
        return
    drawn = labels.folded(LABELS)
    counted = counted_now(moment)
    means = worked_out(
        moment,
        ("share by label", found.readable, counted, topic),
        lambda: _by_label(counted, topic, moment, shares, drawn),
        "the share by label",
        dots.rows_height(len(drawn.names), AROUND),
    )
    if means is None:
        return
    low, high = (end[:, 0] for end in means.interval())
    shown = (
        drawn.names,
        drawn.n_docs.tolist(),
        means.mean[:, 0],
        low,
        high,
        f"share {basis_of(moment, counted).of}",
        topic_colour(moment.look(topic), is_dark()),
        is_dark(),
        text_size() - 2,
    )
    live_figure(
        lambda: dots.label_dots(*shown),
        "topics-about-label",
        dots.rows_height(len(drawn.names), AROUND),
        "The topic's share in the texts of the largest labels, with 95 % intervals; Compare "
        "groups has the numbers.",
        on_click=lambda row: lead_to_documents(
            moment, topic, documents_of(labels, drawn, int(row))
        ),
        same=shown,
    )


def made_of(moment: Moment, topic: int) -> None:
    """Draw a button that lists the parts of a topic, if fewer topics are shown."""
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
    """Return the run's topics that share words with a topic, largest part first."""
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
