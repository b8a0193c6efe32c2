"""The runs of a tab: the field that chooses one, and the buttons that steer it.

Pause, Resume, Step and Stop of a run or a race, and Pause of all runs of a page.

The runs of a tab by name, and the field that turns to one of them.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from ...compare import settings_of, told_apart
from ...corpus.documents.absent import AbsentCorpus
from ...plots.style import shortened
from ...runs.background import BackgroundRun
from ...runs.keeping import ENDED, Status
from ...runs.run import Run
from ..frame import link, pages, session
from ..frame.session import RunOnPage
from ..frame.words import plain, told

HINTS = {
    "Resume": "Go on learning",
    "Pause": "After this mini-batch",
    "Step": "One mini-batch more",
    "Stop": "End the run; what it learned stays",
}
"""What the buttons of a run say of themselves."""
AT_REST = ("paused", "ready")
"""Ready: it was saved before its first step."""

Some = Sequence[tuple[BackgroundRun[Any], Status]]
"""Runs, each with the status for which its buttons are drawn."""


def buttons(
    background: BackgroundRun[Any], key: str, status: Status, hints: Mapping[str, str] = HINTS
) -> None:
    """Pause or Resume, Step and Stop, for their owner; as icons, in a container "controls-...".

    Only those that do something are seen. The others are there all the same, switched off and out
    of sight (`look.css`): a click must not land on its neighbour because another button came or
    grew. Pause and Resume are one button, so that it keeps the focus.
    """

    def button(words: str, icon: str, action: Callable[[], None], name: str, off: bool) -> None:
        st.button(
            words,
            icon=f":material/{icon}:",
            type="tertiary",
            on_click=_ask,
            args=(action, background),
            key=f"{name}-{key}",
            disabled=off,
            help=f"{words}: {hints[words][0].lower()}{hints[words][1:]}",
        )

    ended, paused = status in ENDED, status in AT_REST
    if paused:
        button("Resume", "play_arrow", partial(link.go_on, background), "pause", False)
    else:
        button("Pause", "pause", background.pause, "pause", ended)
    button("Step", "skip_next", partial(_step, background), "step", not paused)
    button("Stop", "stop", background.stop, "stop", ended)


def pause_all(runs: Some, key: str, help: str = "Every run of this page") -> None:
    """One button for several runs that have not ended: pauses all, or lets all go on."""
    going = are_going(runs)
    st.button(
        "Pause all" if going else "Resume all",
        icon=":material/pause:" if going else ":material/play_arrow:",
        type="tertiary",
        key=key,
        on_click=turn_all,
        args=(runs, going),
        help=help,
    )


def are_going(runs: Some) -> bool:
    """Whether one of them learns, or is to."""
    return any(status not in (*ENDED, *AT_REST) for _, status in runs)


def turn_all(runs: Some, going: bool) -> None:
    """Pause those that are going, or let all go on that have not ended."""
    asked = [background for background, status in runs if status not in ENDED]
    if not going:
        link.go_on_all((background, background.start) for background in asked)
    for background in asked if going else ():
        background.pause()
    for background in asked:
        background.settle()


def step_all(runs: Some) -> None:
    """One mini-batch more for each that has not ended; those that are going pause after theirs."""
    asked = [background for background, status in runs if status not in ENDED]
    link.go_on_all((background, background.step_once) for background in asked)
    for background in asked:
        background.settle()


def _step(background: BackgroundRun[Any]) -> None:
    link.go_on(background, background.step_once)


def _ask(action: Callable[[], None], background: BackgroundRun[Any]) -> None:
    action()
    background.settle()


EXPLORED = "explore-run"
"""The field of the pages that explore a run."""
LETTERS = 40
"""Of a name in the field, where the names stay apart."""


def labels_of(runs: Sequence[RunOnPage]) -> list[str]:
    """The runs' names; equal ones with the settings in which these runs differ."""
    found = [shown.entry.background.run for shown in runs]
    return told_apart([run.name for run in found], [settings_of(run) for run in found])


def say_missing(where: str = "on the Live page") -> None:
    """Runs of the address that are not there, or whose texts are not: why, and what to do."""
    for shown in session.shown_runs():
        run = shown.entry.background.run
        if isinstance(run.corpus, AbsentCorpus):
            st.info(
                f"{plain(run.name)} opens without its texts: its file does not hold them. Its "
                f"topics and curves are here. {_documents_of(run)} It cannot go on here.",
                icon=":material/info:",
            )
    again = f"Start it again {where}"
    if session.loaded_corpus() is None:
        again = "Choose the texts again and start it anew"
    for run_id in session.missing_runs():
        words = told(session.why_missing(run_id))
        if not session.waits(run_id):
            words += f" {again}; the same seed gives the same numbers."
        st.info(words, icon=":material/info:")


def _documents_of(run: Run) -> str:
    """Which documents a run without its texts shows."""
    if run.heldout is None:
        return "None of its documents is."
    return f"Of its documents only the {run.heldout.whole.n_docs:,} held-out ones are."


def turn_to(runs: Sequence[RunOnPage], place: int, key: str) -> None:
    """From now on the field of this key stands at one of the runs; not on the page that has it."""
    st.session_state[f"{key}-{len(runs)}"] = labels_of(runs)[place]


def chosen_place(runs: Sequence[RunOnPage], key: str) -> int:
    """Where the field of this key stands, which is drawn further down: the first if it does not."""
    labels = labels_of(runs)
    wanted = st.session_state.get(f"{key}-{len(labels)}")
    return labels.index(wanted) if wanted in labels else 0


def run_field(
    label: str, runs: Sequence[RunOnPage], key: str, in_address: bool = True, usual: int = 0
) -> int:
    """Ask which of the runs, where there are several; its place, `usual` where nobody has chosen.

    Kept in the address by its name (a bound widget would write the name as it is escaped).
    """
    labels = labels_of(runs)
    if len(labels) == 1:
        return 0
    key = f"{key}-{len(labels)}"
    asked = pages.asked(key) if in_address else None
    wanted = st.session_state.get(key) if asked is None else asked
    # Set anew every time: a page that has the same field drew it without its choice.
    st.session_state[key] = wanted if wanted in labels else labels[usual]
    cut = [shortened(name, LETTERS) for name in labels]
    shown = dict(zip(labels, cut if len(set(cut)) == len(cut) else labels, strict=True))
    chosen = st.segmented_control(
        label,
        labels,
        required=True,
        key=key,
        label_visibility="collapsed",
        format_func=lambda name: plain(shown.get(name, name)),
        persist_state="session" if in_address else None,
    )
    place = labels.index(chosen or labels[usual])
    if in_address:
        pages.write(key, chosen if place != usual else "")
    return place
