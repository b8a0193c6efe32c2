"""What a person sees of a corpus before it is learned.

What much of the texts is lost by, said with a button that keeps it.
"""

import pandas as pd
import streamlit as st

from ...corpus.documents.enough import kept_sentence, losses
from ...corpus.text import Report
from ...plots.corpus import Lengths, lengths_figure, lengths_of, zipf_figure
from ..frame import explore_or_study
from ..frame.look import is_dark, text_size
from ..frame.server import LoadedCorpus
from ..frame.words import plain
from ..parts.figure import live_figure, read_as_table
from ..parts.in_background import worked_out
from ..parts.shortage import say_too_little
from .stop_words import FORM, commonest

SHOWN = 20
"""Documents; of a corpus on the disk no others are read."""
HEIGHT = 240
"""Of a figure."""


def preview(loaded: LoadedCorpus) -> None:
    """Show sizes, lengths, the commonest words, losses and the first documents; in Study Zipf's
    law, too."""
    corpus, report = loaded.corpus, loaded.report
    say_too_little(corpus)
    left_out = sum(report.dropped.values()) if report else corpus.n_empty_dropped
    with st.container(horizontal=True):  # on a phone two by two
        for words, number in (
            ("Documents", corpus.n_docs),
            ("Words in all", corpus.n_tokens),
            ("Different words", corpus.n_words),
            ("Documents left out", left_out),
        ):
            st.metric(words, f"{number:,}", width=170)
    if report is None:
        return
    say_losses(report)
    if report.left_out:
        st.caption(f"Left out: {plain(report.left_out)}.")
    if sentence := kept_sentence(report):
        st.caption(sentence)
    if report.repeated:
        st.caption(
            f"{report.repeated}. Where one is learned and the other held out, the "
            "held-out score is better than it should be; *Keep repeated documents once*, among the "
            "settings of words, keeps the first of each."
        )
    parts = [_lengths, _zipf, _commonest, _left_out]
    if explore_or_study.explores():
        parts.remove(_zipf)
    for first in range(0, len(parts), 2):
        for part, column in zip(parts[first : first + 2], st.columns(2, gap="large"), strict=False):
            with column:
                part(loaded, report)
    _documents(loaded)


def _zipf(loaded: LoadedCorpus, report: Report) -> None:
    st.markdown("### Zipf's law")
    live_figure(
        zipf_figure(report, is_dark(), text_size()),
        "zipf",
        HEIGHT,
        "Word frequency against rank, both on logarithmic axes; numbers in the table.",
    )
    st.caption("Natural language comes close to a straight line; before any word is left out.")
    read_as_table(
        "zipf", lambda: pd.DataFrame(dict(zip(("rank", "times"), report.zipf, strict=True)))
    )


def _lengths(loaded: LoadedCorpus, report: Report) -> None:
    st.markdown("### Document lengths")
    found: Lengths | None = worked_out(
        loaded.corpus,
        ("histogram of lengths",),
        lambda: lengths_of(report.lengths),
        "the lengths",
        HEIGHT,
    )
    if found is None:
        return
    live_figure(
        lengths_figure(found, is_dark(), text_size()),
        "lengths",
        HEIGHT,
        "Histogram of document lengths in words that count; numbers in the table.",
    )
    st.caption(
        f"Half of the documents have at most {int(found.median):,} words that count. Very short "
        "ones say little; very long ones take time."
    )
    names = ("words in a document", "documents")
    numbers = (found.lengths, found.documents)
    read_as_table("lengths", lambda: pd.DataFrame(dict(zip(names, numbers, strict=True))))


def _commonest(loaded: LoadedCorpus, report: Report) -> None:
    st.markdown("### The commonest words that count")
    commonest(loaded, report)


def _left_out(loaded: LoadedCorpus, report: Report) -> None:
    st.markdown("### Words left out")
    removed = report.removed | (report.lost.removed if report.lost else {})
    if not removed:
        st.caption("None.")
        return
    reason = st.selectbox(
        "Why",
        list(removed),
        format_func=lambda r: f"{r} ({removed[r].total:,})",
        key="removed-reason",
    )
    table = pd.DataFrame(removed[reason].words, columns=["word", "documents"])
    st.dataframe(table, hide_index=True, height=226, width="stretch")


def _documents(loaded: LoadedCorpus) -> None:
    columns = loaded.corpus.docs.take(slice(0, SHOWN)).columns()
    if not columns:
        return
    st.markdown("### The first documents")
    shown = {}
    for name in ("id", "date", "title", "label", "text"):
        if name in columns:
            shown[name] = [str(x)[:200] if name == "text" else x for x in columns[name]]
    table, config = pd.DataFrame(shown), {}
    days = table["date"].dropna() if "date" in table else None
    if days is not None and (days.dt.normalize() == days).all():
        config["date"] = st.column_config.DateColumn(format="YYYY-MM-DD")
    st.dataframe(table, hide_index=True, height=260, width="stretch", column_config=config)


def say_losses(report: Report) -> None:
    """A warning for every loss; where the texts come from the form above, with its remedy."""
    form = st.session_state.get(FORM)
    for loss in losses(report):
        with st.container(horizontal=True, vertical_alignment="center", key=f"lost-{loss.name}"):
            st.warning(plain(loss.sentence), icon=":material/warning:", width="stretch")
            if form:
                st.button(
                    loss.remedy,
                    icon=":material/undo:",
                    key=f"keep-{loss.name}",
                    on_click=_set,
                    args=(f"{form}-{loss.name}", loss.value),
                )


def _set(field: str, value: object) -> None:
    st.session_state[field] = value
