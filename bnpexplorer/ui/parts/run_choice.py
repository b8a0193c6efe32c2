"""The runs of a tab by name, and the field that turns to one of them."""

from collections.abc import Sequence

import streamlit as st

from ...compare import settings_of, told_apart
from ...corpus.absent import AbsentCorpus
from ...plots.style import shortened
from ...runs.run import Run
from ..frame import address, session
from ..frame.session import Shown
from ..frame.words import plain, told

EXPLORED = "explore-run"
"""The field of the pages that explore a run."""
LETTERS = 40
"""Of a name in the field, where the names stay apart."""


def labels_of(runs: Sequence[Shown]) -> list[str]:
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


def turn_to(runs: Sequence[Shown], place: int, key: str) -> None:
    """From now on the field of this key stands at one of the runs; not on the page that has it."""
    st.session_state[f"{key}-{len(runs)}"] = labels_of(runs)[place]


def chosen_place(runs: Sequence[Shown], key: str) -> int:
    """Where the field of this key stands, which is drawn further down: the first if it does not."""
    labels = labels_of(runs)
    wanted = st.session_state.get(f"{key}-{len(labels)}")
    return labels.index(wanted) if wanted in labels else 0


def run_field(label: str, runs: Sequence[Shown], key: str, in_address: bool = True) -> int:
    """Ask which of the runs, where there are several; its place.

    Kept in the address by its name (a bound widget would write the name as it is escaped).
    """
    labels = labels_of(runs)
    if len(labels) == 1:
        return 0
    key = f"{key}-{len(labels)}"
    asked = address.asked(key) if in_address else None
    wanted = st.session_state.get(key) if asked is None else asked
    # Set anew every time: a page that has the same field drew it without its choice.
    st.session_state[key] = wanted if wanted in labels else labels[0]
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
    place = labels.index(chosen or labels[0])
    if in_address:
        address.write(key, chosen if place else "")
    return place
