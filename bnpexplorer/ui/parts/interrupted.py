"""Races, studies and sweeps that went on when their server ended: one click goes on with them."""

from functools import partial

import streamlit as st

from ...core.store import StoreError
from ...saved.jobs import Job
from ..frame import access, holding, jobs, link, server, session
from ..frame.words import plain

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


def _title(job: Job) -> str:
    """What it tries; a race without a title is named by its runs."""
    title = str(job.about.get("title", ""))
    if title or job.kind != "race":
        return title
    names = [server.library().get(run_id) for run_id in job.about.get("run_ids", ())]
    return " against ".join(saved.name for saved in names if saved is not None)


def _go_on(job: Job) -> None:
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
