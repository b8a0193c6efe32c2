"""A run is one line: its colour, name and progress, what it does, and what can be done with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from ...chains.running import start_of
from ...core.display import plural, style_beside
from ...core.html import Markup, joined
from ...inference.pool import RemotePool
from ...plots.style import colour, slots_of
from ...runs.background import BackgroundRun
from ...runs.keeping import ENDED, Status
from ...runs.run import Run
from ..frame import explore_or_study, session
from ..frame.look import is_dark, is_embedded
from ..frame.session import RunOnPage
from ..frame.words import status_words
from ..parts import html
from ..parts.run_buttons import buttons, labels_of, pause_all
from ..seam.widgets import Place

CSS = style_beside(__file__, "rows.css")


@dataclass(frozen=True)
class Rows:
    """The rows as they were drawn by the page."""

    statuses: list[Status]
    """For which the buttons were drawn."""
    places: list[Place]
    """Where what a run does is written, each second anew, beside its buttons."""


def rows(runs: Sequence[RunOnPage]) -> Rows:
    """A line a run, with its buttons; outside of what ticks, so that no tick swallows a click.

    Each status is read once: it may change at any moment, and the panel draws the page anew as soon
    as the buttons no longer fit.
    """
    statuses = [shown.entry.background.status for shown in runs]
    places = []
    st.html(html.CSS + CSS)
    with st.container(key="runs", gap=None):
        for shown, status in zip(runs, statuses, strict=True):
            with st.container(
                horizontal=True,
                vertical_alignment="center",
                gap="small",
                key=f"row-{shown.entry.run_id}",
            ):
                places.append(st.empty())
                _controls(shown, status)
    return Rows(statuses, places)


def _controls(shown: RunOnPage, status: Status) -> None:
    run_id = shown.entry.run_id
    if not shown.owned:
        if not is_embedded():
            st.caption("watching only", width="content", help="The owner's address controls it.")
        return
    with st.container(horizontal=True, gap=None, width="content", key=f"controls-{run_id}"):
        buttons(shown.entry.background, run_id, status)
        st.button(
            "Remove",
            icon=":material/close:",
            type="tertiary",
            key=f"remove-{run_id}",
            disabled=status not in ENDED,
            on_click=session.leave,
            args=(run_id,),
            help="Take the run off the page; it stays under Runs",
        )


def pause_all_button(runs: Sequence[RunOnPage], statuses: Sequence[Status]) -> None:
    """Where there are several runs that can be paused or can go on: one button for all of them."""
    owned = [
        (shown.entry.background, status)
        for shown, status in zip(runs, statuses, strict=True)
        if shown.owned and status not in ENDED
    ]
    if len(owned) > 1:
        pause_all(owned, "hold-all")


def write(runs: Sequence[RunOnPage], places: Sequence[Place]) -> None:
    """What every run does now, into its row."""
    for place, line in zip(places, _lines(runs), strict=True):
        place.html(line)


def lines(runs: Sequence[RunOnPage]) -> Markup:
    """Return what every run does now, without buttons."""
    return html.CSS + CSS + joined(_lines(runs))


def _lines(runs: Sequence[RunOnPage]) -> list[Markup]:
    slots = slots_of([shown.entry.background.run.method.colour for shown in runs])
    labels = labels_of(runs)
    if explore_or_study.explores() and labels == [runs[0].entry.background.run.method.name]:
        labels = ["This run"]
    found = []
    for shown, label, slot in zip(runs, labels, slots, strict=True):
        line = html.status_line(status_of(shown.entry.background, label, *slot))
        found.append(Markup('<div aria-live="off">{}</div>').format(line))
    return found


def status_of(background: BackgroundRun[Run], label: str, slot: int, dash: int) -> html.StatusLine:
    """The words and numbers of a run's line."""
    # The status first: a run publishes its last step before it says that it is paused.
    words, run, latest = status_words(background), background.run, background.latest
    line = partial(html.StatusLine, label, colour(slot, is_dark()), dash, words)
    if latest is None:
        return line(0.0, (), about=run.method.title)
    fraction = 1.0 if background.status == "finished" else latest.docs_seen / run.planned_docs
    pace = latest.docs_seen / latest.seconds if latest.seconds > 0 else 0.0
    n_pass = min(latest.docs_seen // run.corpus.n_docs + 1, run.passes)
    # By what is missed first: those that find no place in the line are left out.
    explores = explore_or_study.explores()
    facts = [] if explores else [plural(latest.docs_seen, "document")]
    if background.status == "running" and pace > 0 and run.until == "passes":
        left = int((run.planned_docs - latest.docs_seen) / pace)
        facts.append(f"about {left // 60}:{left % 60:02d} left")
    facts.append(f"pass {n_pass:,} of {'at most ' if run.until == 'settled' else ''}{run.passes:,}")
    if explores:
        return line(fraction, tuple(facts))
    facts.append(f"{pace:,.0f} documents/s")
    if background.status == "running":
        facts.append(_on_what(run))
    start = start_of(run.method) if run.given is None else run.given.said
    if f"from {start}" in label:  # a chain's name has it
        start = ""
    return line(fraction, tuple(facts), start, run.method.title)


def _on_what(run: Run) -> str:
    """What computes its steps."""
    if isinstance(run.pool, RemotePool) and run.method.parallel == "documents":
        return run.pool.in_words
    return plural(run.threads, "thread")
