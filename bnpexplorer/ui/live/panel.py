"""The live panel: controls outside, everything that moves inside one polling fragment."""

from collections.abc import Sequence

import streamlit as st

from ...chains.running import start_of
from ...cluster import ClusterPool
from ...corpus.source import plural
from ...plots.style import colour, slots_of
from ...runs import limits
from ...runs.background import ENDED, BackgroundRun, Status
from ...runs.run import Run
from ..frame import lead, link, server, session
from ..frame.look import is_dark, is_embedded
from ..frame.session import Shown
from ..frame.words import plain, status_words, told
from ..parts import html
from ..parts.run_buttons import buttons
from ..parts.run_choice import labels_of
from ..seam.ticking import ticking
from .charts import main_charts, more_charts, topic_list


def controls(runs: Sequence[Shown]) -> list[Status]:
    """A group of buttons a run; outside the fragment, so that a tick cannot swallow a click.

    Returns the statuses that the buttons were drawn for. Each is read once: it may change at any
    moment, and `panel` draws the buttons anew as soon as they no longer fit.
    """
    statuses = [shown.entry.background.status for shown in runs]
    for shown, label, status in zip(runs, labels_of(runs), statuses, strict=True):
        if is_embedded() and not shown.owned:
            continue  # nothing to press, and the status line has the name
        background, run_id = shown.entry.background, shown.entry.run_id
        with st.container(
            horizontal=True,
            vertical_alignment="center",
            gap="small",
            width="content",
            key=f"controls-{run_id}",
        ):
            st.markdown(f"**{plain(label)}**", width="content", help=background.run.method.title)
            if shown.owned:
                buttons(background, run_id, status)
                st.button(
                    "Remove",
                    icon=":material/close:",
                    key=f"remove-{run_id}",
                    disabled=status not in ENDED,
                    on_click=session.leave,
                    args=(run_id,),
                    help="Take an ended run off the page",
                )
            else:
                st.caption("watching only: the owner's address controls it", width="content")
    return statuses


def panel(runs: Sequence[Shown], statuses: Sequence[Status]) -> None:
    """Everything that moves. Polls once a second while something computes, never afterwards.

    `statuses` are those that the buttons were drawn for.
    """
    busy = any(status not in ENDED for status in statuses)
    tick = server.registry().tick_seconds() if busy else None
    if busy and all(s.entry.background.latest is None for s in runs):
        tick = 0.5  # the first point should not wait for a whole tick

    @ticking(tick)
    def live() -> None:
        # First of all, not at the end: a rerun that is asked for while somebody who has just read
        # "finished" is on the way to another page leads back to this one.
        now = [s.entry.background.status for s in runs]
        renewed = any(server.registry().get(s.entry.run_id) is not s.entry for s in runs)
        if (
            renewed
            or now != [*statuses]
            or (tick == 0.5 and runs[0].entry.background.latest is not None)
        ):
            st.rerun()  # the buttons are outside this fragment
        _status_lines(runs)
        if lead.explores():
            place = topic_list(runs)
            with st.expander("Curves: how it learns", icon=":material/show_chart:"):
                more_charts(runs, main_charts(runs), place)
        else:
            axis = main_charts(runs)
            more_charts(runs, axis, topic_list(runs))

    live()


# ---- inside the fragment -----------------------------------------------------------------------


def status_of(background: BackgroundRun[Run], label: str, slot: int, dash: int) -> html.StatusLine:
    """The words and numbers of a run's status line."""
    run, latest = background.run, background.latest
    words = status_words(background)
    ink = colour(slot, is_dark())
    if latest is None:
        return html.StatusLine(label, ink, dash, words, 0.0, ())
    fraction = 1.0 if background.status == "finished" else latest.docs_seen / run.planned_docs
    pace = latest.docs_seen / latest.seconds if latest.seconds > 0 else 0.0
    n_pass = min(latest.docs_seen // run.corpus.n_docs + 1, run.passes)
    facts = [
        f"pass {n_pass:,} of {'at most ' if run.until == 'settled' else ''}{run.passes:,}",
        f"{latest.docs_seen:,} documents",
        f"{pace:,.0f} documents/s",
    ]
    if background.status == "running":
        facts.append(_on_what(run))
    if background.status == "running" and pace > 0 and run.until == "passes":
        left = int((run.planned_docs - latest.docs_seen) / pace)
        facts.append(f"about {left // 60}:{left % 60:02d} left")
    start = start_of(run.method) if run.given is None else run.given.said
    if f"from {start}" in label:  # a chain's name has it
        start = ""
    return html.StatusLine(label, ink, dash, words, fraction, tuple(facts), start)


def _on_what(run: Run) -> str:
    """What computes its steps."""
    if isinstance(run.pool, ClusterPool) and run.method.parallel == "documents":
        return run.pool.in_words
    return plural(run.threads, "thread")


def _status_lines(runs: Sequence[Shown]) -> None:
    lines = []
    slots = slots_of([shown.entry.background.run.method.colour for shown in runs])
    for shown, label, (slot, dash) in zip(runs, labels_of(runs), slots, strict=True):
        lines.append(html.status_line(status_of(shown.entry.background, label, slot, dash)))
    st.html(html.CSS + '<div aria-live="off">' + "".join(lines) + "</div>")
    pools = {shown.entry.background.run.pool for shown in runs}
    known = link.sees_addresses()
    for note in (n for p in pools if isinstance(p, ClusterPool) and known for n in p.notes):
        st.caption(plain(note))
    for shown, label in zip(runs, labels_of(runs), strict=True):
        background, name = shown.entry.background, plain(label)
        problem = told(background.error.rstrip("."))
        if background.lost and not known:
            problem = "what computes it, or its texts, cannot be reached; your lecturer sees why"
        if background.status == "failed":
            st.error(
                f"{name} stopped with an error: {problem}. The other runs go on; "
                "start it again with other settings, or report this sentence.",
                icon=":material/error:",
            )
            if shown.owned or not limits.is_shared():  # it names folders of this machine
                with st.expander("Details for a report"):
                    st.code(background.error_details)
        elif background.status == "paused" and background.lost:
            st.error(
                f"{name} is paused: {problem}. Resume goes on once that is mended.",
                icon=":material/error:",
            )
        elif background.status == "paused" and background.error:  # opened from the saved runs
            st.error(
                f"{name} stopped with an error: {problem}. Resume goes on "
                f"from step {background.latest.step:,}, as it was saved.",
                icon=":material/error:",
            )
        if background.not_kept:
            going = "is" if background.ended else "goes on but is"
            st.warning(
                f"{name} {going} not saved. {told(background.not_kept)}", icon=":material/save:"
            )
