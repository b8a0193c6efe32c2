"""Check stability: learn the texts of a run from other starts, and say which topics came again.

Chains do it (`chains/`); Study shows how they meet, Explore only the topics they have found.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from ...chains import chains_of, found_topics
from ...runs.choices import reads_once
from ...runs.keeping import ENDED
from ...runs.plan import Plan
from ...runs.registry import Entry
from ...runs.run import Run
from ...state.moment import Moment
from ..frame import access, look, server, session
from ..frame.session import RunOnPage
from ..frame.words import plain, status_words
from ..seam.widgets import ticking
from .studies import minutes

USUAL = 4
"""Chains that are started; the first repeats the run itself."""
CHECKS = f"Learns the texts from {USUAL} starts, and says which topics all of them find."
"""The hint of the button."""
TELLING = 0.05
"""Share of a check after which it is said how long the rest takes."""
NAMED = 5
"""Topics that the sentence names."""


@dataclass(frozen=True)
class Stability:
    """How many of the runs of a check have found each topic of the run that is checked."""

    n_runs: int
    by: Mapping[int, int]
    """Topic, but for filler -> runs that have it, the checked one included."""

    @property
    def alone(self) -> list[int]:
        """Topics that no other run has found."""
        return [topic for topic, n in self.by.items() if n == 1]

    def sentence(self, moment: Moment) -> str:
        """Say how many topics all runs have found, and name those of this run alone."""
        noun, everywhere = moment.noun, sum(n == self.n_runs for n in self.by.values())
        said = f"All {self.n_runs} runs found {everywhere} of {len(self.by)} {noun}s."
        names = [f"“{moment.name(topic)}”" for topic in self.alone]
        if not names:
            return said
        if len(names) > NAMED:
            names = [*names[:NAMED], f"{len(names) - NAMED} more"]
        shown = ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1]
        return f"{said} Only this one found {shown}: do not quote {'them' if names[1:] else 'it'}."


def check_button(shown: RunOnPage) -> None:
    """Offer the owner of a run that has ended to check it, once."""
    loaded = access.texts_of(shown.entry)
    if loaded is None or not shown.owned or look.is_embedded() or _check_of(shown.entry):
        return
    icon, key = ":material/call_split:", f"check-{shown.entry.run_id}"
    if st.button("Check stability", icon=icon, type="tertiary", key=key, help=CHECKS):
        run: Run = shown.entry.background.run
        try:
            chains = chains_of(_plan(run), loaded.corpus, learn_all=run.heldout is None)
            entry = session.launch_together("chains", chains, loaded)
        except ValueError as problem:
            st.error(plain(str(problem)))
            return
        entry.checks = shown.entry.run_id
        st.rerun()


def _plan(run: Run) -> Plan:
    """The plan of chains that read as much as the run has read: chains seldom all settle."""
    passes = max(1, -(-run.docs_seen // run.corpus.n_docs))
    plan = replace(Plan.of_run(run), chains=USUAL, until="passes", minutes=None)
    return plan if reads_once(run.method, run.order) else replace(plan, passes=passes)


def stability(shown: RunOnPage) -> None:
    """Draw how far the check of a run is, or its result; draw nothing without a check."""
    check = _check_of(shown.entry)
    if check is None:
        return
    drawn = check.background.status

    @ticking(None if drawn in ENDED else server.registry().tick_seconds())
    def line() -> None:
        if check.background.status != drawn:
            st.rerun()
        share = min(check.background.run.share_done, 1.0)
        state = status_words(check.background)
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            st.progress(
                share,
                f"Checking stability: {share:.0%} of {USUAL} runs ({state}{_left(check, share)}).",
            )
            if shown.owned and not look.is_embedded():
                st.button("Stop the check", type="tertiary", on_click=_give_up, args=(check,))

    if drawn not in ENDED:
        line()
        return
    moment = server.moment_of(shown.entry, shown.entry.background.latest)
    found = stability_of(shown.entry, moment)
    if found is None:
        st.caption("The check of stability ended before it could tell anything.")
    else:
        st.markdown(plain(found.sentence(moment)))


def stability_of(entry: Entry, moment: Moment) -> Stability | None:
    """Return the result of an ended check for the topics of a moment; None without one."""
    check = _check_of(entry)
    if check is None or check.background.status not in ENDED or check.background.latest is None:
        return None
    chains, snapshots = check.background.run, check.background.latest
    others = [chains.runs[i].moment(snapshots[i]) for i in chains.sound if i]
    key = ("stability", check.run_id, tuple(other.snapshot.step for other in others))
    return moment.derived(key, lambda: _compared(moment, others)) if others else None


def found_again(entry: Entry, moment: Moment, topic: int) -> None:
    """Say how many runs of a check have found a topic; nothing without a check."""
    found = stability_of(entry, moment)
    if found is not None and topic in found.by:
        st.caption(f"Found by {found.by[topic]} of {found.n_runs} runs.")


def _compared(moment: Moment, others: Sequence[Moment]) -> Stability:
    found = found_topics([moment.topics, *(other.topics for other in others)])
    told = set(moment.telling())
    by = {one.topic: len(one.chains) for one in found if one.chain == 0 and one.topic in told}
    return Stability(1 + len(others), by)


def _left(check: Entry, share: float) -> str:
    """Return how long the rest takes, once a part is done by which to tell."""
    if share < TELLING:
        return ""
    seconds = sum(run.seconds for run in check.background.run.runs)
    return f", about {minutes(seconds * (1.0 - share) / share)} left"


def _give_up(check: Entry) -> None:
    """Stop a check; another one may then be begun. What was learned stays a comparison of runs."""
    check.background.stop()
    check.checks = ""


def _check_of(entry: Entry) -> Entry | None:
    """The newest chains on this server that check a run."""
    found = [one for one in server.registry().entries() if one.checks == entry.run_id]
    return found[0] if found else None
