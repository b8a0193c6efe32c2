"""The Claims page's parts: choose and start a study, watch it, read its verdict."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from ..background import ENDED
from ..claims import Claim, Study
from ..claims.claim import Findings
from ..claims.study import OVERHEAD
from ..corpus import Corpus
from ..plots.claims import HEIGHT
from ..plots.numbers import numbers_of
from ..registry import Entry
from . import session
from .figure import live_figure
from .findings import Finds, Found, exact_outcome, paper_and_place, papers
from .live import STATUS_WORDS
from .look import is_dark, text_size
from .tables import read_as_table

VERDICTS: dict[str, tuple[str, str, Literal["green", "red", "gray"]]] = {
    "holds": ("holds here", ":material/check_circle:", "green"),
    "does not hold": ("does not hold here", ":material/cancel:", "red"),
    "undecided": ("undecided", ":material/help:", "gray"),
}


def choose_paper() -> list[Claim]:
    """The claims of one paper."""
    claims = papers()
    first = next(iter(claims))
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
        key=f"claim-of-{claims[0].name}",
        persist_state="session",
    )
    return names[name]


def _caption(claim: Claim, found: Sequence[Found]) -> str:
    """Where the paper says it, and the outcome of the longest study."""
    outcome = exact_outcome(claim.name)
    if found:
        outcome = found[0].outcome
    place = paper_and_place(claim)[1]
    if not outcome:
        return f"{place} · not tried"
    words, icon, _ = VERDICTS[outcome]  # no colour: faded as captions are, it would be too faint
    unfinished = f" after {found[0].progress}" if found and not found[0].study.done else ""
    return f"{place} · {icon} {words}{unfinished}"


def estimate(study: Study[Any]) -> str:
    """What a study will take, in words."""
    left = len(study.waiting)
    if not left:
        return f"All {len(study.trials)} trials were found before: see below."
    words = (
        f"{len(study.trials)} trials that learn for {study.share:.1f} seconds each, about "
        f"{minutes(left * (study.share + OVERHEAD))} in all."
    )
    found = len(study.trials) - left
    return f"{words} {found} of them were found before and are kept." if found else words


def minutes(seconds: float) -> str:
    """A time span in words."""
    return f"{seconds:.0f} seconds" if seconds < 90 else f"{seconds / 60:.0f} minutes"


def study_form(claim: Claim, corpus: Corpus) -> Study[Claim] | None:
    """Ask for time and seeds; the study when the person presses the button, else None."""
    left, right = st.columns(2)
    budget = left.number_input(
        "Minutes", 1, 1440, 10, key="claim-minutes", persist_state="session",
        help="All trials together. More time: longer trials, nearer to the papers' hours.",
    )  # fmt: skip
    seeds = right.number_input(
        "Seeds", 2, 20, 3, key="claim-seeds", persist_state="session",
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


def tries_a_claim(entry: Entry) -> bool:
    """Whether it is a study of a claim, not a run or a sweep."""
    run = entry.background.run
    return isinstance(run, Study) and isinstance(run.plan, Claim)


def begin(study: Study[Claim], source: object) -> None:
    """Start the study in the background, or go on with the same one of this tab."""
    for entry in session.registry().entries():
        same = tries_a_claim(entry) and entry.background.run.path == study.path
        if same and entry.run_id in st.session_state["studies"] and not entry.background.ended:
            _go_on(entry)
            return
    entry = session.registry().add(study, source)
    st.session_state["studies"][entry.run_id] = entry.secret
    session.registry().attach(session.tab_id(), entry.run_id)
    st.session_state["study"] = (entry.run_id, entry.secret)
    entry.background.start()


def _go_on(entry: Entry) -> None:
    """Put a study on the page; the tab's own goes on if it was paused."""
    secret = st.session_state["studies"].get(entry.run_id, "")
    st.session_state["study"] = (entry.run_id, secret)
    session.registry().attach(session.tab_id(), entry.run_id)
    if session.registry().owned(entry.run_id, secret):
        entry.background.resume()


def on_this_server() -> None:
    """Studies under way in any tab: progress, and a way in."""
    entries = [
        entry
        for entry in session.registry().entries()
        if tries_a_claim(entry) and not entry.background.ended
    ]
    if not entries:
        return
    st.markdown("## Under way on this server")
    for entry in entries:
        secret = st.session_state["studies"].get(entry.run_id, "")
        yours = session.registry().owned(entry.run_id, secret)
        with st.container(horizontal=True, vertical_alignment="center", key=f"way-{entry.run_id}"):
            with st.container(width="stretch"):
                # Only the words tick: a button in a fragment may lose a click.
                st.fragment(run_every=2 * session.registry().tick_seconds())(_one_line)(
                    entry, "yours" if yours else "somebody else's: to watch only"
                )
            st.button(
                "Go on" if yours else "Watch",
                icon=f":material/{'play_arrow' if yours else 'visibility'}:",
                on_click=partial(_go_on, entry), key=f"watch-{entry.run_id}",
            )  # fmt: skip


def _one_line(entry: Entry, whose: str) -> None:
    study: Study[Claim] = entry.background.run
    n_found = len(study.trials) - len(study.waiting)
    words = STATUS_WORDS[entry.background.status]
    st.markdown(
        f"**{study.plan.title}** · {study.corpus.name} · {words}, {n_found} of "
        f"{len(study.trials)} trials · {whose}"
    )


def current() -> tuple[Entry, bool] | None:
    """The study of this tab and whether the tab controls it."""
    run_id, secret = st.session_state["study"]
    entry = session.registry().get(run_id)
    if entry is None or not tries_a_claim(entry):
        if run_id:
            st.info(
                f"The study {run_id} is no longer on this server. What it found is kept: choose "
                "its claim, and the same time and seeds go on from there.",
                icon=":material/info:",
            )
        return None
    return entry, session.registry().owned(run_id, secret)


def watch(entry: Entry, owned: bool) -> None:
    """Buttons, and what moves: progress, verdict, pictures."""
    background = entry.background
    drawn = background.status
    with st.container(horizontal=True, vertical_alignment="center"):
        if owned:
            if drawn == "paused":
                st.button("Resume", icon=":material/play_arrow:", on_click=background.resume)
            elif drawn not in ENDED:
                st.button("Pause", icon=":material/pause:", on_click=_pause, args=(entry,))
            st.button(
                "Another claim", icon=":material/arrow_back:", on_click=_leave,
                help="Pauses it. What was found is kept, and the list of studies leads back.",
            )  # fmt: skip
        else:
            st.button("All claims", icon=":material/arrow_back:", on_click=_leave)
            st.caption("watching only: the owner's address controls it", width="content")
    tick = session.registry().tick_seconds() if drawn not in ENDED else None

    @st.fragment(run_every=tick)
    def live() -> None:
        study: Study[Claim] = background.run
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
        show_findings(study.plan, findings)
        if background.status != drawn:
            st.rerun()  # the buttons outside depend on the status

    live()


def _pause(entry: Entry) -> None:
    entry.background.pause()
    entry.background.settle(0.4)  # a step takes 0.1 seconds, and a score as much again


def show_findings(claim: Claim, findings: Findings) -> None:
    """The verdict, the pictures, and the numbers behind them."""
    show_verdict(claim, findings)
    if findings:
        read_as_table("all-trials", lambda: table(findings), label="All trials as a table")


def offer(found: Sequence[Found]) -> None:
    """Findings on disk for one claim; a choice where there are several studies."""
    if not found:
        return
    sizes = [f"{one.size}: {one.progress}" for one in found]
    st.markdown("## Found before on these texts")
    chosen = 0
    if len(found) > 1:
        chosen = sizes.index(st.selectbox("Study", sizes, width=320))
    else:
        st.caption(sizes[0])
    show_findings(found[chosen].study.plan, found[chosen].study.findings)


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
    pictures = claim.pictures(findings)
    n_columns = min(len(pictures), 2)
    for start in range(0, len(pictures), 2):
        row = st.columns(n_columns, gap="large")
        for i, picture in enumerate(pictures[start : start + 2], start):
            with row[i - start]:
                st.markdown(f"## {picture.title}")
                figure = picture.figure(is_dark(), text_size())
                live_figure(
                    figure, f"claim-{i}", HEIGHT,
                    f"{claim.title}: {picture.title}; numbers in the table.",
                )  # fmt: skip
                read_as_table(f"claim-{i}", partial(_frame, figure))


def _frame(figure: go.Figure) -> pd.DataFrame:
    return pd.DataFrame(numbers_of(figure))
