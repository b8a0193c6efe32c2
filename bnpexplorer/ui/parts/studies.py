"""Studies, races and sweeps under way: their list, their trials, and how they go on.

Studies under way, of claims and of sweeps: whose they are, and the list that leads back to them.

A tab has one of each kind on its page (`session.JOBS`) and the keys of those that it has left. A
key is lost with its tab; a paused study that no tab shows goes over to whoever goes on with it, as
saved runs do, but not on a shared server: its texts would go over, too. Everybody who may open the
app sees the list, since a study takes one of the places to compute; in a class only what others try
and how far it is, not the name of their texts, nor a way to watch, which shows words of them.

What is to be known of the workers of a cluster, where these compute.

The trials of a study, of a claim or of a sweep: what they will take, and how each ended.

Races, studies and sweeps that went on when their server ended: one click goes on with them.
"""

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from ...claims import Study
from ...claims.claim import Findings
from ...core.display import plural
from ...core.store import StoreError
from ...inference.cores import usual_pool
from ...inference.pool import RemotePool
from ...runs import limits
from ...runs.background import BackgroundRun
from ...runs.keeping import ENDED
from ...runs.registry import Entry
from ...runs.saved.jobs import UnfinishedJob
from ..frame import access, holding, jobs, link, server, session
from ..frame.words import plain, status_words, told
from ..seam.widgets import ticking


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
    limits.check_minutes(study.budget / 60)
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


def say_cluster(background: BackgroundRun[Any]) -> None:
    """That its cluster was lost, and what to do; and what its workers are to be known for."""
    if background.status == "paused" and background.lost:
        problem = plain(background.error.rstrip("."))
        st.error(f"Paused: {problem}. Resume goes on once that is mended.", icon=":material/error:")
    pool = usual_pool()
    for note in pool.notes if isinstance(pool, RemotePool) and link.sees_addresses() else ():
        st.caption(plain(note))


def estimate(study: Study[Any]) -> str:
    """What a study will take, in words."""
    left = len(study.waiting)
    if not left:
        return f"All {len(study.trials)} trials were found before: see below."
    n, found = len(study.trials), len(study.trials) - left
    where = "the cluster" if study.is_away else "free cores"
    at_once = f", {study.n_at_once} at once on {where}" if study.n_at_once > 1 else ""
    if study.passes:
        words = (
            f"{plural(n, 'trial that reads', 'trials that read')} the texts "
            f"{_how_often(study)}{at_once}; it ends after "
            f"{minutes(study.longest)} at the latest and goes on from there when begun again."
        )
    else:
        each = "of one core each" if n > 1 else "of one core"
        words = (
            f"{plural(n, 'trial that learns', 'trials that learn')} for {study.share:.1f} seconds "
            f"{each}, about {minutes(study.seconds_left)} in all{at_once}, "
            f"{minutes(study.longest)} at the most."
        )
    return f"{words} Of them {found:,} found before and kept." if found else words


def _how_often(study: Study[Any]) -> str:
    """Passes of its trials, in words."""
    passes = sorted({trial.passes for trial in study.trials})
    if passes == [1]:
        return "once"
    if len(passes) == 1:
        return f"{passes[0]:,} times"
    return f"{passes[0]:,} to {passes[-1]:,} times"


def minutes(seconds: float) -> str:
    """A time span in words."""
    return f"{seconds:.0f} seconds" if seconds < 90 else f"{seconds / 60:.0f} minutes"


def table(findings: Findings) -> pd.DataFrame:
    """Every trial and how it ended."""
    return pd.DataFrame(
        [
            {
                "line": trial.line,
                "at": trial.x,
                "seed": trial.seed,
                "method": trial.method,
                "mini-batch": trial.batch,
                "documents": outcome.docs_seen[-1],
                "seconds": round(outcome.seconds[-1], 2),
                "held-out": round(outcome.scores[-1], 4),
                "topics in use": outcome.topics[-1],
            }
            for trial, outcome in findings.items()
            if outcome.scores
        ]
    )


PROBLEM = "job-problem"


def interrupted(kind: str) -> None:
    """The list; nothing where there is none. On a shared server a tab sees its own."""
    if PROBLEM in st.session_state:
        st.error(plain(st.session_state.pop(PROBLEM)), icon=":material/error:")
    found = [job for job in jobs.interrupted(kind) if holding.holds(job.secret)]
    if found:
        st.markdown("## Not at their end yet")
    for job in found:
        with st.container(horizontal=True, vertical_alignment="center", key=f"job-{job.job_id}"):
            st.markdown(
                f"**{plain(_title(job))}** · {plain(job.texts)} · interrupted", width="stretch"
            )
            st.button(
                "Go on",
                icon=":material/play_arrow:",
                on_click=partial(_go_on, job),
                key=f"job-on-{job.job_id}",
                help="With its texts, from where it was saved last.",
            )
            st.button(
                "Forget",
                icon=":material/close:",
                on_click=server.library().jobs.remove,
                args=(job.job_id,),
                key=f"job-forget-{job.job_id}",
                help="What it found, and its runs, are kept.",
            )


def _title(job: UnfinishedJob) -> str:
    """What it tries; a race without a title is named by its runs."""
    title = str(job.about.get("title", ""))
    if title or job.kind != "race":
        return title
    names = [server.library().get(run_id) for run_id in job.about.get("run_ids", ())]
    return " against ".join(saved.name for saved in names if saved is not None)


def _go_on(job: UnfinishedJob) -> None:
    try:
        entry = jobs.open_job(job.kind, job.job_id)
    except StoreError as problem:
        st.session_state[PROBLEM] = str(problem)
        return
    if entry is not None:
        session.hold_job(job.kind, entry)
        st.session_state["studies"][entry.run_id] = entry.secret
        loaded = access.texts_of(entry)
        if loaded is not None:
            session.use_corpus(loaded)
        link.go_on(entry.background)
