"""The choice of runs to compare, live or saved, and the facts of each."""

import time
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from ...compare import Compared, compared, ground_of, settings_of, told_apart
from ...compare.rows import coherence_of
from ...core.store import StoreError
from ...runs.keeping import ENDED
from ...runs.registry import Entry
from ...runs.run import Run
from ...runs.saved.rows import Saved
from ..frame import holding, pages, server, session
from ..frame.words import plain, told

FIRST_SAVED = 4
"""Saved runs that are laid side by side where the tab has none of its own."""


def choose_runs() -> list[str]:
    """Ask for runs, of this tab or saved; their identities."""
    address_says = pages.asked("compared")
    asked = list(filter(None, (address_says or "").split(",")))
    live = {s.entry.run_id: s.entry for s in session.shown_runs()}
    saved = {s.run_id: s for s in holding.saved_runs(asked) if s.facts.get("docs_seen")}
    names = {run_id: _live_name(entry) for run_id, entry in live.items()}
    names |= {run_id: _saved_name(s) for run_id, s in saved.items() if run_id not in names}
    if not names:
        return []
    usual = list(live) or _latest_alike(list(saved.values()))
    key = f"compare-runs-{','.join(live)}"
    for run_id in st.session_state.get(key, []):
        if run_id not in names:
            _say_deleted(run_id)
    if known := [run_id for run_id in asked if run_id in names]:
        st.session_state[key] = known
    elif address_says == "":
        st.session_state[key] = usual
    chosen = st.multiselect(
        "Runs to compare",
        list(names),
        usual,
        format_func=lambda run_id: names[run_id],
        key=key,
        persist_state="session",
        help="Those of this tab and all saved ones; type to search.",
    )
    pages.write("compared", ",".join(chosen) if chosen != usual else "")
    return chosen


def _say_deleted(run_id: str) -> None:
    saved = server.library().get(run_id)
    name = saved.name if saved is not None else f"The run {run_id}"
    st.warning(
        f"{plain(name)} was deleted and is left out; within a week the Runs page brings it back.",
        icon=":material/delete:",
    )


def _live_name(entry: Entry) -> str:
    run: Run = entry.background.run
    return f"{run.name} · {run.corpus.name} · on this page · {entry.run_id[:4]}"


def _saved_name(saved: Saved) -> str:
    when = time.strftime("%d %b %H:%M", time.localtime(saved.updated))
    return f"{saved.name} · {saved.facts.get('corpus', '')} · {when} · {saved.run_id[:4]}"


def _latest_alike(saved: Sequence[Saved]) -> list[str]:
    """The latest saved runs of the corpus that was learned last."""
    alike = [s.run_id for s in saved if s.corpus_key == saved[0].corpus_key]
    return alike[:FIRST_SAVED]


def read_runs(run_ids: Sequence[str]) -> list[Compared]:
    """Return the facts of each run now; say on the page which cannot be read, and why."""
    found = []
    for run_id in run_ids:
        entry = server.registry().get(run_id)
        try:
            row = _live(entry) if entry is not None else _saved(run_id)
        except StoreError as problem:
            st.error(f"{told(problem)} The other runs are shown.")
            continue
        if entry is not None and entry.background.status == "failed":
            shown = "its numbers until then are shown" if row else "it has no numbers"
            st.error(
                f"{plain(entry.background.run.name)} stopped with an error: "
                f"{told(entry.background.error.rstrip('.'))}; {shown}."
            )
        if row is not None:
            found.append(row)
    names = told_apart([row.name for row in found], [row.settings for row in found])
    return [replace(row, name=name) for row, name in zip(found, names, strict=True)]


def _live(entry: Entry) -> Compared | None:
    """A run in the registry; None before its first numbers."""
    background = entry.background
    # The status first: a run publishes its last step before it says that it is paused.
    status, run, snapshot = background.status, background.run, background.latest
    if snapshot is None:
        return None
    moment, resting = server.moment_of(entry, snapshot), status in ENDED or status == "paused"
    coherence = float("nan")
    if resting:
        coherence = moment.derived("mean coherence", lambda: coherence_of(run, moment))
    # It never changes, and takes a pass over the corpus.
    ground = run.corpus.derived(("ground", entry.run_id), lambda: ground_of(run))
    settings = settings_of(run)
    return Compared(moment, run.name, run.method.name, status, ground, settings, coherence)


def _saved(run_id: str) -> Compared | None:
    saved = server.library().get(run_id)
    if saved is None or saved.deleted is not None:
        _say_deleted(run_id)
        return None
    with st.spinner(f"Reading {plain(saved.name)} ..."):
        row = _read_saved(run_id, saved.updated)
    return replace(row, name=saved.name, moment=replace(row.moment, labels=saved.labels))


@st.cache_resource(show_spinner=False, max_entries=64)
def _read_saved(run_id: str, updated: float) -> Compared:
    """Read a saved run, and keep only what is compared."""
    run = server.library().load(run_id, to_go_on=False)
    moment = run.moment(run_id=run_id)
    status = "finished" if run.done else "saved, unfinished"
    row = compared(run, moment, run.name, status, coherence_of(run, moment))
    return replace(row, moment=replace(moment, corpus=run.corpus.take([])))
