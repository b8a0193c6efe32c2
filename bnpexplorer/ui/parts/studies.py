"""Studies under way, of claims and of sweeps: whose they are, and the list that leads back to them.

A tab has one of each kind on its page (`session.JOBS`) and the keys of those that it has left. A
key is lost with its tab; a paused study that no tab shows goes over to whoever goes on with it, as
saved runs do, but not on a shared server: its texts would go over, too. Everybody who may open the
app sees the list, since a study takes one of the places to compute; in a class only what others try
and how far it is, not the name of their texts, nor a way to watch, which shows words of them.
"""

from functools import partial
from typing import Any

import streamlit as st

from ...claims import Study
from ...runs import limits
from ...runs.background import ENDED
from ...runs.links import check_minutes
from ...runs.registry import Entry
from ..frame import access, jobs, link, server, session
from ..frame.words import plain, status_words, told
from ..seam.ticking import ticking
from .cluster import say_cluster
from .interrupted import interrupted


def tries(entry: Entry, kind: type[Any]) -> bool:
    """Whether it is a study of that kind of experiment, not a run."""
    run = entry.background.run
    return isinstance(run, Study) and isinstance(run.experiment, kind)


def current(job: str, kind: type[Any], gone: str) -> tuple[Entry, bool] | None:
    """The study of this tab and whether the tab controls it; says `gone` if the server forgot."""
    run_id, secret = st.session_state[job]
    entry = server.registry().get(run_id)
    if entry is None or not tries(entry, kind):
        if run_id:
            st.info(
                f"The {job} {plain(run_id)} is no longer on this server. {gone}",
                icon=":material/info:",
            )
        return None
    return entry, server.registry().owned(run_id, secret)


def begin(job: str, study: Study[Any], source: object) -> None:
    """Start the study in the background, or go on with the same one if it is under way.

    Raises ValueError with a sentence.
    """
    check_minutes(study.budget / 60)
    kind = type(study.experiment)
    for entry in server.registry().entries():
        same = tries(entry, kind) and entry.background.run.path == study.path
        if same and not entry.background.ended and _key(entry):
            go_on(job, entry)
            return
    entry = server.registry().add(study, source, jobs.keep_study, secret=link.secret())
    st.session_state["studies"][entry.run_id] = entry.secret
    go_on(job, entry)


def go_on(job: str, entry: Entry) -> None:
    """Put a study on the page; the tab's own goes on if it was paused."""
    secret = _key(entry)
    if _is_closed(entry):
        return
    st.session_state[job] = (entry.run_id, secret)
    server.registry().attach(session.tab_id(), entry.run_id)
    if secret:
        access.hold(secret)
        st.session_state["studies"][entry.run_id] = secret
        link.go_on(entry.background)


def leave(job: str, kind: type[Any]) -> None:
    """Pause the tab's study and go back to the list."""
    entry = server.registry().get(st.session_state[job][0])
    if entry is not None and tries(entry, kind):
        if server.registry().owned(*st.session_state[job]):
            entry.background.pause()
        server.registry().detach(session.tab_id(), entry.run_id)
    st.session_state[job] = ("", "")


def pause(entry: Entry) -> None:
    entry.background.pause()
    entry.background.settle(0.4)  # a step takes 0.1 seconds, and a score as much again


def under_way(job: str, kind: type[Any]) -> list[Entry]:
    """List studies of that kind that have not ended, in any tab: progress, and a way in."""
    entries = [
        entry
        for entry in server.registry().entries()
        if tries(entry, kind) and not entry.background.ended
    ]
    if entries:
        st.markdown("## Under way on this server")
    for entry in entries:
        if _is_closed(entry):
            _ticking_line(entry)  # nothing here has a key: who is told the name may watch
            continue
        with st.container(horizontal=True, vertical_alignment="center", key=f"way-{entry.run_id}"):
            with st.container(width="stretch"):
                _ticking_line(entry)
            yours = bool(_key(entry))
            st.button(
                "Go on" if yours else "Watch",
                icon=f":material/{'play_arrow' if yours else 'visibility'}:",
                on_click=partial(go_on, job, entry),
                key=f"watch-{entry.run_id}",
            )
    interrupted(job)
    return entries


def _key(entry: Entry) -> str:
    """The secret that controls the study, if this tab has it or may take it; else empty."""
    known: str = st.session_state["studies"].get(entry.run_id, "")
    if server.registry().owned(entry.run_id, known):
        return known
    if limits.is_shared() or entry.background.status != "paused":
        return ""
    return "" if entry.tabs - {session.tab_id()} else entry.secret


def _is_closed(entry: Entry) -> bool:
    """Whether it is somebody else's in a class, and this tab does not have its address."""
    named = entry.run_id in st.session_state["studies"]
    return limits.is_shared() and not named and not _key(entry)


def _ticking_line(entry: Entry) -> None:
    """Only the words tick: a button in a fragment may lose a click."""
    ticking(2 * server.registry().tick_seconds())(_one_line)(entry)


def _one_line(entry: Entry) -> None:
    study: Study[Any] = entry.background.run
    n_found = len(study.trials) - len(study.waiting)
    words = f"{status_words(entry.background)}, {n_found} of {len(study.trials)} trials"
    title = plain(study.experiment.title)
    if _is_closed(entry):
        st.markdown(f"**{title}** · {words} · somebody else's")
        return
    whose = "somebody else's: to watch only"
    if server.registry().owned(entry.run_id, st.session_state["studies"].get(entry.run_id, "")):
        whose = "yours"
    elif _key(entry):
        whose = "its tab is gone"
    st.markdown(f"**{title}** · {plain(study.corpus.name)} · {words} · {whose}")


def progress(entry: Entry, again: str) -> None:
    """How far it is, and what to do if it failed."""
    background = entry.background
    study: Study[Any] = background.run
    words = status_words(background)
    n_found, n_trials = len(study.trials) - len(study.waiting), len(study.trials)
    st.progress(
        n_found / n_trials, f"{words}: {n_found} of {n_trials} trials on {plain(study.corpus.name)}"
    )
    if background.status == "failed":
        problem = background.error.rstrip(".")
        st.error(f"{told(problem)}. What was found before is kept; {again}.")
    say_cluster(background)
    if not_kept := background.not_kept or study.not_written:
        st.warning(f"Not saved: {told(not_kept)}")


def buttons(entry: Entry, owned: bool) -> None:
    """Pause or resume, for whoever controls it."""
    status = entry.background.status
    if owned and status in ("paused", "ready"):  # ready: opened before a trial had ended
        again = partial(link.go_on, entry.background)
        st.button("Resume", icon=":material/play_arrow:", on_click=again)
    elif owned and status not in ENDED:
        st.button("Pause", icon=":material/pause:", on_click=pause, args=(entry,))
