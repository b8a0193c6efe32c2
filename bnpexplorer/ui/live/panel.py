"""The live panel: everything that moves, in two polling fragments; buttons stand outside."""

from collections.abc import Callable, Sequence

import streamlit as st

from ...cluster import ClusterPool
from ...runs import limits
from ...runs.background import ENDED
from ..frame import lead, link, server
from ..frame.session import Shown
from ..frame.words import plain, told
from ..parts import why
from ..parts.run_choice import labels_of
from ..seam.ticking import ticking
from .charts import WHY, chosen_axis, main_charts, more_charts
from .known import true_topics
from .listed import chosen_run, topic_list
from .rows import Rows, write


def panel(runs: Sequence[Shown], drawn: Rows, between: Callable[[], None]) -> None:
    """Everything that moves. Polls once a second while something computes, never afterwards.

    Rows and the first figures, then what is drawn `between`, whose buttons no tick may swallow, and
    all else. What is chosen in one of both parts and drawn in the other draws the page anew.
    """
    busy = any(status not in ENDED for status in drawn.statuses)
    tick = server.registry().tick_seconds() if busy else None
    waits = busy and all(s.entry.background.latest is None for s in runs)
    if waits:
        tick = 0.5  # the first point should not wait for a whole tick
    chosen = _chosen(runs)

    @ticking(tick)
    def first() -> None:
        # First of all, not at the end: a rerun that is asked for while somebody who has just read
        # "finished" is on the way to another page leads back to this one.
        now = [s.entry.background.status for s in runs]
        renewed = any(server.registry().get(s.entry.run_id) is not s.entry for s in runs)
        come = waits and runs[0].entry.background.latest is not None
        if renewed or now != drawn.statuses or come:
            st.rerun()  # the buttons are outside this fragment
        write(runs, drawn.places)
        _problems(runs)
        if lead.explores():
            topic_list(runs)
        else:
            main_charts(runs)
        if _chosen(runs) != chosen:
            st.rerun()

    @ticking(tick)
    def more() -> None:
        true_topics(runs, chosen_axis(), chosen_run(runs))
        if lead.explores():
            with st.expander("Curves: how it learns", icon=":material/show_chart:"):
                more_charts(runs, main_charts(runs), chosen_run(runs))
        else:
            place = topic_list(runs)
            more_charts(runs, chosen_axis(), place)
        if why.chosen(WHY) != chosen[-1]:
            st.rerun()

    first()
    between()
    more()


def _chosen(runs: Sequence[Shown]) -> tuple[object, ...]:
    """What is chosen beside the first figures that those below depend on."""
    beside = chosen_run(runs) if lead.explores() else chosen_axis()
    return (beside, why.chosen(WHY))


# ---- inside the fragment -----------------------------------------------------------------------


def _problems(runs: Sequence[Shown]) -> None:
    pools = {shown.entry.background.run.pool for shown in runs}
    known = link.sees_addresses()
    for note in (n for p in pools if isinstance(p, ClusterPool) and known for n in p.notes):
        st.caption(plain(note))
    for shown, label in zip(runs, labels_of(runs), strict=True):
        background, name = shown.entry.background, plain(label)
        problem = told(background.error.rstrip("."))
        if background.lost and not known:
            problem = "what computes it, or its texts, cannot be reached; your lecturer sees why"
        if background.status == "failed":
            st.error(
                f"{name} stopped with an error: {problem}. The other runs go on; "
                "start it again with other settings, or report this sentence.",
                icon=":material/error:",
            )
            if shown.owned or not limits.is_shared():  # it names folders of this machine
                with st.expander("Details for a report"):
                    st.code(background.error_details)
        elif background.status == "paused" and background.lost:
            st.error(
                f"{name} is paused: {problem}. Resume goes on once that is mended.",
                icon=":material/error:",
            )
        elif background.status == "paused" and background.error:  # opened from the saved runs
            st.error(
                f"{name} stopped with an error: {problem}. Resume goes on "
                f"from step {background.latest.step:,}, as it was saved.",
                icon=":material/error:",
            )
        if background.not_kept:
            going = "is" if background.ended else "goes on but is"
            st.warning(
                f"{name} {going} not saved. {told(background.not_kept)}", icon=":material/save:"
            )
