"""The Topics page's view of a run's past: its moments, a river, words over time."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from ...core.display import plural, style_beside
from ...core.html import Markup, render
from ...explore.through import Past, largest_at_some_time, life, marks, river
from ...plots import topics_over as plots
from ...plots.style import percent, topic_paint
from ...state.moment import Moment
from ...state.snapshot import Frame
from ..frame.look import is_dark, text_size
from ..parts import why
from ..parts.explore import Explored
from ..parts.figure import live_figure, read_as_table
from ..parts.html import CSS, marked_words
from ..parts.topics_choice import chosen_topic

draw = partial(render, "ui/topics/through.html")
WHY = "topics"
"""Which event was chosen on this page, by the name that `parts.why` keeps it under."""
N_BANDS, N_ROWS, N_WORDS, N_MOMENTS = 14, 12, 10, 6

TABLE_CSS = style_beside(__file__, "through.css")


@st.fragment
def run_view(explored: Explored) -> None:
    """The river with the moment that the slider stands at, who is there, and a topic's words."""
    moment = explored.moment
    frames = moment.frames
    if len(frames) < 2:
        st.info("The run has one moment so far; refresh after some mini-batches.")
        return
    st.markdown("## Topics through the run")
    key = f"topics-moment-{moment.run_id}-{moment.snapshot.step}"
    at = st.select_slider(
        "Documents seen",
        list(range(len(frames))),
        value=len(frames) - 1,
        key=key,
        format_func=lambda i: f"{frames[i].docs_seen:,}",
        bind="query-params",
        help="Drag, or use the arrow keys; the dotted line in the figure follows.",
    )
    _river(moment, frames, at, _label(explored))
    why.why_born(WHY, [_subject(explored)])
    left, right = st.columns([9, 11], gap="large")
    with left:
        _who_is_there(moment, frames, at)
    with right:
        _words_over_time(moment, frames)


def _label(explored: Explored) -> str:
    return str(explored.shown.entry.background.run.name)


def _subject(explored: Explored) -> why.Subject:
    """The run at the moment that is explored."""
    run = explored.shown.entry.background.run
    texts = explored.loaded if explored.readable else None
    return why.Subject(_label(explored), explored.moment, run, texts)


def _river(moment: Moment, frames: Sequence[Frame], at: int, label: str) -> None:
    found = river(frames, moment.snapshot.events, moment.labels.unseen, N_BANDS)
    figure = plots.river_figure(moment, found, frames[at].docs_seen, is_dark(), text_size(), label)
    live_figure(
        figure,
        "topics-river",
        plots.RIVER_HEIGHT,
        "Shares of the largest topics over the run, stacked, with births and deaths marked; "
        "numbers in the table.",
        on_click=why.clicked(WHY),
    )
    n_born = sum(mark.born for mark in found.marks)
    n_gone = len(found.marks) - n_born
    st.caption(
        f"The {len(found.topics)} topics that were largest at some time, the oldest at the bottom; "
        f"grey is the rest. △ born, ▽ gone: {plural(n_born, 'birth')} and "
        f"{plural(n_gone, 'end')} in all. Look for a band that opens while its neighbour "
        "narrows, and for those that dry up. Click "
        "a triangle to see why."
    )
    read_as_table(
        "topics-river",
        lambda: pd.DataFrame(
            [
                (frame.docs_seen, int(topic), moment.name(int(topic)), float(weight))
                for frame in frames
                for topic, weight in zip(frame.topic_ids, frame.weight, strict=True)
            ],
            columns=["documents", "topic", "name", "share"],
        ),
    )


# ---- one moment ----------------------------------------------------------------------------------


def _who_is_there(moment: Moment, frames: Sequence[Frame], at: int) -> None:
    frame, before = frames[at], frames[at - 1] if at else None
    st.markdown(f"## After {frame.docs_seen:,} documents")
    st.html(CSS + moment_table(moment, frame, before, is_dark()))
    since = before.docs_seen if before else 0
    found = marks(moment.snapshot.events, since if before else -1, frame.docs_seen)
    born = [moment.name(m.topic) for m in found if m.born]
    gone = [moment.name(m.topic) for m in found if not m.born]
    words = [f"{_some(born)} born" if born else "", f"{_some(gone)} gone" if gone else ""]
    news = "; ".join(filter(None, words)) or "nobody came or went"
    there = {int(topic) for topic in frame.topic_ids[frame.weight > 0]}
    n_hidden = len(there & moment.labels.unseen)
    st.html(
        draw(
            "news",
            shown=min(N_ROWS, len(there) - n_hidden),
            n_there=f"{len(there):,}",
            n_hidden=f"{n_hidden:,}" if n_hidden else "",
            since=f"{since:,}",
            news=news,
        )
    )


def _some(names: Sequence[str], most: int = 6) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def moment_table(moment: Moment, frame: Frame, before: Frame | None, dark: bool) -> Markup:
    """Draw the largest topics of a frame: share and words, those new since `before` marked."""
    order = [k for k in (-frame.weight).argsort(kind="stable") if frame.weight[k] > 0.0]
    order = [k for k in order if int(frame.topic_ids[k]) not in moment.labels.unseen][:N_ROWS]
    earlier = (
        {
            int(i): set(row[:N_WORDS].tolist())
            for i, row, weight in zip(before.topic_ids, before.word_ids, before.weight, strict=True)
            if weight > 0.0
        }
        if before
        else None
    )
    largest = float(frame.weight.max(initial=0.0)) or 1.0
    rows = []
    for k in order:
        topic, share = int(frame.topic_ids[k]), float(frame.weight[k])
        known = None if earlier is None else earlier.get(topic)
        rows.append(
            {
                "topic": topic,
                "name": moment.name(topic),
                "share": f"{100 * share:.1f}",
                "width": f"{4.2 * share / largest:.2f}",
                "paint": topic_paint(moment.look(topic), dark),
                "words": marked_words(moment, frame.words(k, 8), known),
                "new": earlier is not None and known is None,
            }
        )
    return draw("moment_table", rows=rows)


# ---- one topic -----------------------------------------------------------------------------------


def _words_over_time(moment: Moment, frames: Sequence[Frame]) -> None:
    """Columns of ten words at moments of one topic's life, as Wang et al. 2011 print them."""
    st.markdown("## How one topic's words changed")
    ids = moment.ordered()
    gone = [i for i in largest_at_some_time(frames, 60) if i not in moment.in_use]
    options = [*ids, *gone]
    if not options:
        return
    start = chosen_topic(moment.run_id, ids) if ids else options[0]
    topic = st.selectbox(
        "Topic",
        options,
        options.index(start),
        key=f"topics-past-{moment.run_id}-{start}",
        format_func=lambda i: moment.head(i) + (" (gone)" if i in gone else ""),
        bind="query-params",
    )
    found = life(frames, topic, N_MOMENTS, N_WORDS)
    if not found:
        st.caption("This topic never held a word at any of the moments that were kept.")
        return
    st.html(CSS + TABLE_CSS + moments_table(moment, found))
    st.caption("Slanted and underlined: a word that was not in the column before.")
    read_as_table(
        "topics-moments",
        lambda: pd.DataFrame(
            [
                (past.docs_seen, rank + 1, moment.vocab[w], p)
                for past in found
                for rank, (w, p) in enumerate(zip(past.words, past.probs, strict=True))
            ],
            columns=["documents", "rank", "word", "probability"],
        ),
    )


def moments_table(moment: Moment, found: Sequence[Past]) -> Markup:
    """Draw a column a moment: documents seen, share, ten words."""
    heads = [(f"{past.docs_seen:,}", percent(past.share, 1)) for past in found]
    before = [None, *(past.words for past in found)]
    columns = [
        marked_words(moment, past.words, known) for past, known in zip(found, before, strict=False)
    ]
    return draw("moments_table", heads=heads, rows=[*zip(*columns, strict=False)])
