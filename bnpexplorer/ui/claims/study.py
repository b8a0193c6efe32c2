"""The Claims page's parts: choose and start a study, watch it, read its verdict."""

from collections.abc import Sequence
from functools import partial
from typing import Literal

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from ...claims import CLAIMS, Claim, Study
from ...claims.claim import Findings
from ...claims.trial import UNLIMITED, Trial
from ...corpus import Corpus
from ...plots.claims import HEIGHT
from ...plots.corpus import numbers_of
from ...runs.keeping import ENDED
from ...runs.limits import most_minutes
from ...runs.registry import Entry
from ..frame import server
from ..frame.look import is_dark, text_size
from ..frame.words import plain
from ..parts import studies
from ..parts.figure import live_figure, read_as_table
from ..parts.forms import sound
from ..parts.studies import estimate, table
from ..parts.to_topics import asked_claim, keep_in_address
from ..seam.widgets import number_field, ticking
from .findings import Finds, StudyOnDisk, exact_outcome, kept_finds, paper_and_place, papers

VERDICTS: dict[str, tuple[str, str, Literal["green", "red", "gray", "orange"]]] = {
    "holds": ("holds here", ":material/check_circle:", "green"),
    "does not hold": ("does not hold here", ":material/cancel:", "red"),
    "undecided": ("undecided", ":material/help:", "gray"),
    "too early": ("too early", ":material/hourglass_empty:", "orange"),
}


def choose_paper() -> list[Claim]:
    """The claims of one paper."""
    claims = papers()
    first = next(iter(claims))
    if asked := asked_claim():
        paper = paper_and_place(CLAIMS[asked])[0]
        st.session_state["claim-paper"] = paper
        st.session_state[_of_paper(claims[paper])] = asked
    paper = st.pills(
        "Paper",
        list(claims),
        default=first,
        required=True,
        key="claim-paper",
        persist_state="session",
    )
    return claims[paper]


def choose_claim(claims: Sequence[Claim], finds: Finds) -> Claim:
    """One of the claims, each with what was found on these texts."""
    names = {claim.name: claim for claim in claims}
    name = st.radio(
        "Claim",
        list(names),
        format_func=lambda key: names[key].title,
        captions=[_caption(claim, finds.get(claim.name, ())) for claim in names.values()],
        key=_of_paper(claims),
        persist_state="session",
    )
    keep_in_address(name)
    return names[name]


def _of_paper(claims: Sequence[Claim]) -> str:
    """The field that asks for one of a paper's claims."""
    return f"claim-of-{claims[0].name}"


def _caption(claim: Claim, found: Sequence[StudyOnDisk]) -> str:
    """Where the paper says it, and the outcome of the longest study, else of a kept finding."""
    outcome, on = exact_outcome(claim.name), ""
    if found:
        outcome = found[0].outcome
    elif kept := kept_finds().get(claim.name):
        outcome, on = kept[0][1], f" on {plain(kept[0][0].on)}"
    place = paper_and_place(claim)[1]
    if not outcome:
        return f"{place} · not tried"
    words, icon, _ = VERDICTS[outcome]  # no colour: faded as captions are, it would be too faint
    words = f"{words.removesuffix(' here')}{on}" if on else words
    unfinished = f" after {found[0].progress}" if found and not found[0].study.done else ""
    return f"{place} · {icon} {words}{unfinished}"


def study_form(claim: Claim, corpus: Corpus) -> Study[Claim] | None:
    """Ask for time, passes and seeds; the study when the person presses the button, else None."""
    problems: list[str] = []
    fields, passes = iter(st.columns(3 if claim.asks_passes else 2)), claim.passes
    with next(fields):
        budget = number_field(
            "Minutes at most" if claim.passes else "Minutes",
            1,
            most_minutes(),
            min(claim.judged.minutes, float(most_minutes())),
            problems,
            key=f"claim-minutes-{claim.name}",
            persist_state="session",
            help="All trials together. When they are over it ends, keeps what it has found, and "
            "goes on from there when it is begun again."
            if claim.passes
            else "All trials together. More time: longer trials, nearer to the papers' hours.",
        )
    if claim.asks_passes:
        with next(fields):
            passes = number_field(
                "Passes",
                1,
                UNLIMITED - 1,
                claim.passes,
                problems,
                key=f"claim-passes-{claim.name}",
                persist_state="session",
                help="How often every trial reads the texts before it is judged.",
            )
    with next(fields):
        seeds = number_field(
            "Seeds",
            2,
            20,
            3,
            problems,
            key="claim-seeds",
            persist_state="session",
            help="How often every trial is repeated with other chances. More: a surer verdict.",
        )
    if not sound(problems):
        return None
    try:
        study = Study(claim, corpus, 60.0 * budget, seeds, passes=passes)
    except ValueError as problem:
        st.error(plain(problem))
        return None
    st.caption(estimate(study))
    if st.button("Try again here", type="primary", icon=":material/play_arrow:", key="claim-start"):
        return study
    return None


def watch(entry: Entry, owned: bool) -> None:
    """Buttons, and what moves: progress, verdict, pictures."""
    background = entry.background
    drawn = background.status
    with st.container(horizontal=True, vertical_alignment="center"):
        studies.buttons(entry, owned)
        st.button(
            "Another claim" if owned else "All claims",
            icon=":material/arrow_back:",
            on_click=studies.leave,
            args=("study", Claim),
            help="What was found is kept, and the list of studies leads back.",
        )
        if not owned:
            st.caption("watching only: the owner's address controls it", width="content")
    tick = server.registry().tick_seconds() if drawn not in ENDED else None

    @ticking(tick)
    def live() -> None:
        if background.status != drawn:
            st.rerun()  # the buttons outside depend on the status
        study: Study[Claim] = background.run
        if study.trials:
            studies.progress(entry, "start the claim again")
        if study.why_over:
            st.warning(study.why_over, icon=":material/timer_off:")
        elif not study.done:
            st.markdown("So far:")
        show_findings(study, background.latest or study.findings)

    live()


def show_findings(study: Study[Claim], findings: Findings) -> None:
    """The verdict by the trials that have ended, the pictures, and the numbers behind them."""
    show_verdict(study.experiment, findings, study.findings, study.trials)
    if findings:
        read_as_table("all-trials", lambda: table(findings), label="All trials as a table")


def offer(claim: Claim, found: Sequence[StudyOnDisk]) -> None:
    """Show one finding: of an earlier study of these texts, or one that comes with bnpexplorer."""
    kept = [one for one, _ in kept_finds().get(claim.name, ())]
    names = [f"These texts, {one.size}: {one.progress}" for one in found]
    names += [f"Kept: {one.corpus}" for one in kept]
    if not names:
        return
    st.markdown("## Found before")
    chosen = 0
    if len(names) > 1:
        key = f"claim-found-{claim.name}"
        chosen = names.index(st.selectbox("Texts", names, width=640, key=key))
    else:
        st.caption(plain(names[0]))
    if chosen < len(found):
        study = found[chosen].study
        show_findings(study, study.findings)
        return
    one = kept[chosen - len(found)]
    st.caption(f"This finding comes with bnpexplorer. Made {one.made}.")
    show_verdict(claim, one.findings, one.findings, list(one.findings), f"on {one.on}")
    read_as_table("kept-trials", lambda: table(one.findings), label="All trials as a table")


def show_verdict(
    claim: Claim, findings: Findings, ended: Findings, trials: Sequence[Trial], on: str = "here"
) -> None:
    """Show the verdict, its rule, and the paper's pictures with the numbers found.

    `ended`: those of trials that go on no more; pictures show the others, too. `trials`: all.
    `on`: the texts, in words.
    """
    verdict = claim.verdict(ended)
    _, icon, colour = VERDICTS[verdict.outcome]
    st.badge(plain(claim.said(verdict, ended, on)), icon=icon, color=colour)
    st.markdown(plain(verdict.sentence))
    st.caption(f"How this is decided: {claim.decided}")
    if claim.judged.paper:
        st.caption(f"Where the paper judged it: {claim.judged.paper} Here {claim.where(trials)}.")
    if claim.judged.numbers:
        st.caption(f"The paper's numbers: {claim.judged.numbers}")
    if not findings and claim.trials(1):
        return
    pictures = claim.pictures(findings)
    n_columns = min(len(pictures), 2)
    for start in range(0, len(pictures), 2):
        row = st.columns(n_columns, gap="large")
        for i, picture in enumerate(pictures[start : start + 2], start):
            with row[i - start]:
                st.markdown(f"## {picture.title}")
                figure = picture.figure(is_dark(), text_size())
                live_figure(
                    figure,
                    f"claim-{i}",
                    HEIGHT,
                    f"{claim.title}: {picture.title}; numbers in the table.",
                )
                st.caption(picture.look)
                read_as_table(f"claim-{i}", partial(_frame, figure))


def _frame(figure: go.Figure) -> pd.DataFrame:
    return pd.DataFrame(numbers_of(figure))
