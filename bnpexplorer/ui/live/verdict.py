"""What a run that has ended is worth, in a sentence above its charts."""

from collections.abc import Sequence

import streamlit as st

from ...compare.verdict import Verdict, rivals_of, verdict_of
from ...core.store import StoreError
from ...corpus.source import plural
from ...runs.background import ENDED
from ...saved.rows import Saved
from ..frame import holding, lead, link, server, session
from ..frame.session import Shown
from ..frame.words import plain
from ..parts.likeness import filler_of
from ..parts.run_choice import labels_of
from ..parts.to_topics import topics_button

TO_COME = (
    "When it has ended, this line says how many topics there are, how much better than word "
    "frequencies they predict unseen words, how that compares with other methods tried on these "
    "texts, and whether to run it longer."
)
"""About as long as what will stand in its place, so that nothing below it moves."""


def verdicts(runs: Sequence[Shown]) -> None:
    """A line for every run that has ended; before the first has, what will stand there."""
    ended = [
        (place, shown, label)
        for place, (shown, label) in enumerate(zip(runs, labels_of(runs), strict=True))
        if shown.entry.background.status in ENDED and shown.entry.background.latest is not None
    ]
    if not ended and all(shown.entry.background.ended for shown in runs):
        return  # they have failed before their first step, and the page says so
    with st.container(key="verdict", gap="xsmall"):
        if not ended:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption(TO_COME)
                if lead.explores() and runs[0].entry.background.latest is not None:
                    topics_button(runs, 0)
            return
        others = _saved()
        for place, shown, label in ended:
            verdict = _verdict(shown, others)
            said = verdict.sentence if len(runs) == 1 else f"{label}: {verdict.sentence}"
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(plain(said), help=plain(verdict.meaning) or None, width="content")
                topics_button(runs, place)
                if verdict.longer.startswith("yes"):
                    _run_on_button(shown)


def _run_on_button(shown: Shown) -> None:
    """For the owner of a run that has read all it was to read: half as many passes more."""
    background = shown.entry.background
    passes = -(-background.run.passes // 2)
    if shown.owned and background.status == "finished":
        st.button(
            f"Run it for {plural(passes, 'more pass', 'more passes')}",
            icon=":material/play_arrow:",
            key=f"run-on-{shown.entry.run_id}",
            on_click=link.go_on,
            args=(background, lambda: background.run_on(passes)),
        )


def _verdict(shown: Shown, others: Sequence[Saved]) -> Verdict:
    """At the last moment; beside those of the saved `others` that are judged alike."""
    entry = shown.entry
    run = entry.background.run
    moment = server.moment_of(entry, entry.background.latest)
    unigram = session.unigram_of(entry.run_id, run)
    return verdict_of(run, moment, unigram, rivals_of(run, others), filler_of(moment))


def _saved() -> Sequence[Saved]:
    """Runs that this tab may see; none where the index cannot be read, as the Runs page says."""
    try:
        return holding.saved_runs()
    except StoreError:
        return ()
