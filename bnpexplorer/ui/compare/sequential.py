"""Runs that one worker steps in turn, a race or chains: kept, steered and opened on Compare."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from ...compare.sequential import SequentialRuns
from ...runs.background import BackgroundRun
from ...runs.keeping import ENDED, Status
from ...runs.registry import Entry
from ..frame import pages, server, session
from ..frame.words import plain, told
from ..parts.run_buttons import buttons
from ..parts.studies import say_cluster


@dataclass(frozen=True)
class SequentialKind:
    """What a tab may have one of."""

    name: str
    """A key of `session.JOBS`."""
    runs: type[SequentialRuns]
    hints: Mapping[str, str]
    """What its buttons say of themselves."""
    another: str
    """The button that leaves it."""
    gone: str
    """What is said of one that is no longer here, with its identity to be filled in."""


def current(kind: SequentialKind) -> tuple[Entry, bool] | None:
    """Return this tab's job of the kind, and whether the tab controls it."""
    run_id, secret = st.session_state[kind.name]
    entry = server.registry().get(run_id)
    if entry is None or not isinstance(entry.background.run, kind.runs):
        if run_id:
            st.info(kind.gone.format(plain(run_id)), icon=":material/info:")
        return None
    return entry, server.registry().owned(run_id, secret)


def steer(
    kind: SequentialKind,
    entry: Entry,
    owned: bool,
    drawn: Status,
    beside: Callable[[], None] | None = None,
) -> None:
    """The row of buttons, for a page that is drawn while the status is `drawn`, and what else it
    has `beside` them."""
    background: BackgroundRun[Any] = entry.background
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if owned and drawn not in ENDED:  # of one that has ended none comes back
            key = f"controls-{kind.name}"
            with st.container(horizontal=True, gap=None, width="content", key=key):
                buttons(background, kind.name, drawn, kind.hints)
        elif not owned:
            st.caption("watching only: the owner's address controls it", width="content")
        st.button(
            kind.another,
            icon=":material/arrow_back:",
            type="tertiary",
            on_click=_leave,
            args=(kind, entry, owned),
            key=f"{kind.name}-another",
        )
        if (
            drawn in ENDED
            and background.latest is not None
            and st.button(
                "Open its runs on Live",
                icon=":material/monitoring:",
                type="tertiary",
                key=f"{kind.name}-open",
                help="Each is kept as an ordinary run; all pages can show it.",
            )
        ):
            _open(kind, entry, owned)
        if beside is not None:
            beside()


def say_problems(
    kind: SequentialKind, background: BackgroundRun[Any], name: Callable[[int], str]
) -> None:
    """Show the errors of the job and of single runs; `name` gives a run's name by its place."""
    if background.status == "failed":
        problem = background.error.rstrip(".")
        st.error(f"The {kind.name} stopped with an error: {told(problem)}. Try other settings.")
    say_cluster(background)
    if background.run.is_at_once:
        st.caption(
            f"All at once, each as a whole by one of {background.run.runs[0].pool.in_words}."
        )
    for i, problem in background.run.failed.items():
        st.error(
            f"{plain(name(i))} stopped with an error: {told(problem.rstrip('.'))}. "
            "The others go on; its numbers are those before.",
            icon=":material/error:",
        )
    if background.not_kept:
        st.warning(f"Not saved: {told(background.not_kept)}")


def _leave(kind: SequentialKind, entry: Entry, owned: bool) -> None:
    if owned:
        entry.background.pause()
    server.registry().detach(session.tab_id(), entry.run_id)
    st.session_state[kind.name] = ("", "")


def _open(kind: SequentialKind, entry: Entry, owned: bool) -> None:
    """The runs, as they were kept, on this tab's pages."""
    together: SequentialRuns = entry.background.run
    own = {}
    for run_id in together.run_ids:
        if server.open_saved(run_id) is not None:
            own[run_id] = entry.secret if owned else ""
            server.registry().attach(session.tab_id(), run_id)
        elif entry.background.not_kept:
            why = told(entry.background.not_kept)
            st.error(f"A run of this {kind.name} is not in the library: {why}")
            return
    if not own:  # those that failed before they were kept, or were deleted, are not there
        st.error("None of its runs is there. Those deleted within a week come back under Runs.")
        return
    st.session_state["own"] = own
    pages.go_to("live")
