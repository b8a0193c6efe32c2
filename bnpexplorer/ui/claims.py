"""The Claims page's parts: choose and start a study, watch it, read its verdict."""

from typing import Literal

import pandas as pd
import streamlit as st

from ..background import ENDED
from ..claims import Claim, Study
from ..claims.claim import Findings
from ..claims.study import OVERHEAD
from ..corpus import Corpus
from ..registry import Entry
from . import session
from .figure import live_figure
from .live import STATUS_WORDS
from .look import is_dark

VERDICTS: dict[str, tuple[str, str, Literal["green", "red", "gray"]]] = {
    "holds": ("holds here", ":material/check_circle:", "green"),
    "does not hold": ("does not hold here", ":material/cancel:", "red"),
    "undecided": ("undecided", ":material/help:", "gray"),
}


def estimate(study: Study) -> str:
    """What a study will take, in words."""
    left = len(study.waiting)
    words = (
        f"{len(study.trials)} trials that learn for {study.share:.1f} seconds each, about "
        f"{minutes(left * (study.share + OVERHEAD))} in all."
    )
    found = len(study.trials) - left
    return f"{words} {found} of them were found before and are kept." if found else words


def minutes(seconds: float) -> str:
    """A time span in words."""
    return f"{seconds:.0f} seconds" if seconds < 90 else f"{seconds / 60:.0f} minutes"


def study_form(claim: Claim, corpus: Corpus) -> Study | None:
    """Ask for time and seeds; the study when the person presses the button, else None."""
    left, right = st.columns(2)
    budget = left.number_input(
        "Minutes", 1, 1440, 10, key="claim-minutes",
        help="All trials together. More time: longer trials, nearer to the papers' hours.",
    )  # fmt: skip
    seeds = right.number_input(
        "Seeds", 2, 20, 3, key="claim-seeds",
        help="How often every trial is repeated with other chances. More: a surer verdict.",
    )  # fmt: skip
    try:
        study = Study(claim, corpus, 60.0 * budget, int(seeds))
    except ValueError as problem:
        st.error(str(problem))
        return None
    st.caption(estimate(study))
    if st.button("Try it", type="primary", icon=":material/play_arrow:", key="claim-start"):
        return study
    return None


def begin(study: Study, source: object) -> None:
    """Start the study in the background and remember it in the address."""
    entry = session.registry().add(study, source)
    st.session_state["study"] = (entry.run_id, entry.secret)
    session.registry().attach(session.tab_id(), entry.run_id)
    entry.background.start()


def current() -> tuple[Entry, bool] | None:
    """The study of this tab and whether the tab controls it."""
    run_id, secret = st.session_state["study"]
    entry = session.registry().get(run_id)
    if entry is None or not isinstance(entry.background.run, Study):
        return None
    return entry, session.registry().owned(run_id, secret)


def watch(entry: Entry, owned: bool) -> None:
    """Buttons, and what moves: progress, verdict, pictures."""
    background = entry.background
    drawn = background.status
    if owned:
        with st.container(horizontal=True):
            if drawn == "paused":
                st.button("Resume", icon=":material/play_arrow:", on_click=background.resume)
            elif drawn not in ENDED:
                st.button("Pause", icon=":material/pause:", on_click=_pause, args=(entry,))
            st.button(
                "Another claim", icon=":material/arrow_back:", on_click=_leave,
                help="What was found is kept; the same claim, texts, time and seeds go on from it.",
            )  # fmt: skip
    tick = session.registry().tick_seconds() if drawn not in ENDED else None

    @st.fragment(run_every=tick)
    def live() -> None:
        study: Study = background.run
        findings = background.latest or study.findings
        n_found = len(study.trials) - len(study.waiting)
        if study.trials:
            words = STATUS_WORDS[background.status]
            share = n_found / len(study.trials)
            st.progress(share, f"{words}: {n_found} of {len(study.trials)} trials")
        if background.status == "failed":
            problem = background.error.rstrip(".")
            st.error(f"{problem}. What was found before is kept; start the claim again.")
        if not study.done:
            st.markdown("So far:")
        show_verdict(study.claim, findings)
        with st.expander("All trials as a table"):
            st.dataframe(table(findings), hide_index=True)
        if background.status != drawn:
            st.rerun()  # the buttons outside depend on the status

    live()


def _pause(entry: Entry) -> None:
    entry.background.pause()
    entry.background.settle(0.4)  # a step takes 0.1 seconds, and a score as much again


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


def _leave() -> None:
    """Pause the study and go back to the list."""
    found = current()
    if found is not None:
        entry, owned = found
        if owned:
            entry.background.pause()
        session.registry().detach(session.tab_id(), entry.run_id)
    st.session_state["study"] = ("", "")


def show_verdict(claim: Claim, findings: Findings) -> None:
    """The sentence, the rule, and the paper's pictures with the numbers found."""
    verdict = claim.verdict(findings)
    words, icon, colour = VERDICTS[verdict.outcome]
    st.badge(words, icon=icon, color=colour)
    st.markdown(verdict.sentence)
    st.caption(f"How this is decided: {claim.rule}")
    if not findings and claim.trials(1):
        return
    for i, picture in enumerate(claim.pictures(findings)):
        st.markdown(f"## {picture.title}")
        live_figure(
            picture.figure(is_dark()), f"claim-{i}", 340,
            f"{claim.title}: {picture.title}; numbers of all trials in the table below.",
        )  # fmt: skip
