"""Sentences to quote, with the paragraphs that speak most of what they say.

What to try next where no topic rose or fell surely from one period to the next.
"""

from collections.abc import Sequence

import streamlit as st

from ...core.arrays import F32, Bools
from ...corpus import Corpus
from ...corpus.documents.enough import too_little
from ...explore.changed_words import ChangedWords, changed_words
from ...explore.choosing import Filter
from ...explore.documents import facts_of, title_of
from ...explore.passages import best_rows, passage_of
from ...explore.periods import PERIODS, Column, Period, count
from ...explore.sentences import Sentence, word_sentence
from ...plots.style import percent
from ..frame.words import plain
from ..parts.explore import Explored
from ..parts.in_background import worked_out
from ..parts.to_topics import lead_to_documents, show_tree
from ..seam.widgets import set_widget
from .two_sides import TwoSides, halves, too_few_dates

EACH = 2
"""Paragraphs of a side."""

Side = tuple[str, Bools, Filter]
"""What a side is called, its documents (D,), and how the Documents page finds them."""


def quoted(sentence: Sentence) -> None:
    """A sentence, and in small print what it rests on."""
    st.markdown(f"> {plain(sentence.text)}")
    st.caption(plain(sentence.detail))


def evidence(explored: Explored, shares: F32, topic: int, sides: Sequence[Side], key: str) -> None:
    """Below a sentence: its best paragraphs, and ways to all of its documents.

    Nothing for those who may not read the texts.
    """
    if not explored.readable:
        return
    moment = explored.moment
    with st.container(horizontal=True, vertical_alignment="center"):
        popover = st.popover(
            "Best paragraphs",
            icon=":material/format_quote:",
            type="tertiary",
            key=f"{key}-paragraphs",
            on_change="rerun",
        )
        for number, (name, _, asked) in enumerate(sides):
            st.button(
                f"Read: {plain(name)}",
                icon=":material/article:",
                type="tertiary",
                key=f"{key}-read-{number}",
                on_click=lead_to_documents,
                args=(moment, topic, asked),
            )
    if popover.open:
        with popover:
            for name, rows, asked in sides:
                st.markdown(f"**{plain(name)}**")
                for row in best_rows(explored.moment, shares, topic, rows, EACH).tolist():
                    share = percent(float(shares[row, explored.moment.row[topic]]))
                    _paragraph(explored, topic, row, share, asked, f"{key}-{row}")


def _paragraph(
    explored: Explored, topic: int, row: int, share: str, asked: Filter, key: str
) -> None:
    corpus, report = explored.loaded.corpus, explored.loaded.report
    settings = report.settings if report else None
    words = passage_of(explored.moment, corpus, settings, topic, row)
    if words:
        st.markdown(f"> {plain(words)}")
    facts = " · ".join([f"{share} of {title_of(corpus, row, 60)}", *facts_of(corpus, row)[:2]])
    st.button(
        plain(facts),
        type="tertiary",
        key=f"{key}-open",
        on_click=lead_to_documents,
        args=(explored.moment, topic, asked, "", row),
    )


WAY = "topics-changed"
"""The field that asks what is compared."""
WORDS = 4


def words_changed(explored: Explored, sides: TwoSides) -> ChangedWords | None:
    """The words of two sets of documents, compared once for all tabs that may read these; None
    while they are compared, which the page then says."""
    return worked_out(
        explored.loaded.corpus,
        ("changed words", sides.asked),
        lambda: changed_words(explored.moment.corpus, sides.before, sides.after),
        "which words changed",
        meanwhile="Comparing words ...",
    )


def longer_than(period: Period, dates: Column) -> Period | None:
    """The next longer period that still cuts the dates in two; None if none does."""
    for longer in PERIODS[PERIODS.index(period) + 1 :]:
        if 1 < count(dates, longer) < count(dates, period):
            return longer
    return None


def nothing_turned(explored: Explored, dates: Column, period: Period, key: str) -> None:
    """Why that may be, ways on, and the words that rose; `key` is the field of the period."""
    moment = explored.moment
    if why := _why_none(moment.corpus, dates, period):
        st.info(plain(why), icon=":material/trending_flat:")
        return
    st.info(
        f"No {moment.noun} rose or fell surely from one period to the next. A subject that is "
        f"split over several {moment.noun}s is too thin in each: group those that are alike. "
        "Longer periods hold more documents, and so do two times.",
        icon=":material/trending_flat:",
    )
    longer = longer_than(period, dates)
    with st.container(horizontal=True):
        st.button(
            f"Group {moment.noun}s that are alike",
            icon=":material/account_tree:",
            key="nothing-group",
            on_click=show_tree,
        )
        if longer:
            st.button(
                f"Compare by {longer}",
                icon=":material/date_range:",
                key="nothing-longer",
                on_click=set_widget,
                args=(key, longer),
            )
        st.button(
            "Compare two times",
            icon=":material/compare_arrows:",
            key="nothing-dates",
            on_click=set_widget,
            args=(WAY, "dates"),
        )
    _words_that_rose(explored, dates)


def _why_none(corpus: Corpus, dates: Column, period: Period) -> str:
    """Why nothing can rise or fall, and the one thing to do; nothing where something could."""
    why = too_little(corpus) or too_few_dates(dates)
    if why or count(dates, period) > 1:
        return why
    return f"All texts that have a date are from one {period}. Choose a shorter period."


def _words_that_rose(explored: Explored, dates: Column) -> None:
    """Between the halves of the documents: words are found without any topic. Counts of words are
    for who may read the texts."""
    moment, sides = explored.moment, halves(explored, dates)
    if sides is None or not explored.readable:
        return
    found = words_changed(explored, sides)
    if found is None:
        return
    sure = found.sure & ~moment.filler_words
    risen = [w for w in found.risen(WORDS).tolist() if sure[w]]
    if risen:
        st.markdown("## Words that rose")
        for w in risen:
            quoted(word_sentence(moment.vocab[w], found, w, sides.called))
