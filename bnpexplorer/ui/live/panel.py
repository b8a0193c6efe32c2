"""The live panel: everything that moves, in two polling fragments; buttons stand outside.

The topics of a run as a table whose rows keep their places for a while.

Live page, texts whose true topics are known: pictures of the topics and how many are found.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from ...core.display import plural
from ...evaluate import effective_topics, topics_covering
from ...explore.likeness import FOUND_AGAIN
from ...inference.pool import RemotePool
from ...plots import live as plots
from ...runs import limits
from ...runs.at_limits import at_limits
from ...runs.keeping import ENDED
from ...state.moment import Moment
from ..frame import explore_or_study, link, server
from ..frame.fewer import shown_of
from ..frame.look import is_dark, is_embedded, text_size
from ..frame.session import RunOnPage
from ..frame.words import plain, told
from ..parts import html, known, why
from ..parts.explore import at_rest
from ..parts.figure import live_figure
from ..parts.run_buttons import chosen_place, labels_of, run_field
from ..seam.widgets import ticking
from . import charts
from .charts import WHY, chosen_axis, drawn_moment, main_charts, more_charts
from .rows import Rows, write


def panel(runs: Sequence[RunOnPage], drawn: Rows, between: Callable[[], None]) -> None:
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
        if explore_or_study.explores():
            topic_list(runs)
        else:
            main_charts(runs)
        if _chosen(runs) != chosen:
            st.rerun()

    @ticking(tick)
    def more() -> None:
        true_topics(runs, chosen_axis(), chosen_run(runs))
        if not explore_or_study.explores():
            place = topic_list(runs)
            more_charts(runs, chosen_axis(), place)
        if why.chosen(WHY) != chosen[-1]:
            st.rerun()

    first()
    between()
    more()


def _chosen(runs: Sequence[RunOnPage]) -> tuple[object, ...]:
    """What is chosen beside the first figures that those below depend on."""
    beside = chosen_run(runs) if explore_or_study.explores() else chosen_axis()
    return (beside, why.chosen(WHY))


# ---- inside the fragment -----------------------------------------------------------------------


def _problems(runs: Sequence[RunOnPage]) -> None:
    pools = {shown.entry.background.run.pool for shown in runs}
    known = link.sees_addresses()
    for note in (n for p in pools if isinstance(p, RemotePool) and known for n in p.notes):
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
        trace = background.latest.trace if background.latest is not None else ()
        for sentence in at_limits(background.run.method.model, trace):
            words = sentence if len(runs) == 1 else f"{name}: {sentence}"
            st.warning(words, icon=":material/warning:")
        if background.not_kept:
            going = "is" if background.ended else "goes on but is"
            st.warning(
                f"{name} {going} not saved. {told(background.not_kept)}", icon=":material/save:"
            )


RESORT_SECONDS = 6.0
"""Topics keep their places this long before they are sorted again, so that rows can be read."""
TOPICS_OF = "view-run"
"""The field that asks whose topics are listed."""


def chosen_run(runs: Sequence[RunOnPage]) -> int:
    """The place of the run whose topics are listed."""
    return chosen_place(runs, TOPICS_OF)


def _stable_order(moment: Moment, settled: bool) -> list[int]:
    """`Moment.ordered`, sorted anew only every few seconds; new ones join at the end until then.

    Only then are documents read again to find filler.
    """
    kept: dict[str, Any] = st.session_state.setdefault("topic-order", {})
    when, order = kept.get(moment.run_id, (0.0, []))
    if settled or time.monotonic() - when > RESORT_SECONDS:
        order = moment.ordered()
        kept[moment.run_id] = (time.monotonic(), order)
    now = [i for i in moment.in_use if i not in moment.labels.unseen]
    there, before = set(now), set(order)
    steady = [i for i in order if i in there] + [i for i in now if i not in before]
    return sorted(steady, key=lambda i: i not in moment.labels.pinned)


def largest_topics(shown: RunOnPage, most: int) -> None:
    """The table alone, without ways to elsewhere."""
    moment = drawn_moment(shown)
    if moment is None or not moment.in_use:
        st.caption("No topics yet: they appear here with the first mini-batch.")
        return
    order = _stable_order(moment, shown.entry.background.ended)
    st.html(html.CSS + html.topic_table(moment, order[:most], is_dark()))


def topic_list(runs: Sequence[RunOnPage]) -> int:
    """The topics of one run as a table; returns the place of the run that the person chose."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("## Topics, largest first", width="stretch")
        place = run_field("Topics of", runs, TOPICS_OF)
        how_many = st.segmented_control(
            "Topics shown",
            ["10", "20", "all"],
            default="10",
            required=True,
            key="view-topics",
            bind="query-params",
            label_visibility="collapsed",
        )
    moment = drawn_moment(runs[place])
    if moment is None or not moment.in_use:
        st.caption("No topics yet: they appear here with the first mini-batch.")
        return place
    moment = shown_of(runs[place].entry, moment)
    order = _stable_order(moment, runs[place].entry.background.ended)
    # Only of a run at rest: in a table that is drawn anew every second no button keeps its focus.
    leads = at_rest(runs[place]) and not is_embedded()
    n = len(order) if how_many == "all" else int(how_many)
    st.html(html.topic_table(moment, order[:n], is_dark(), leads))
    n_hidden = len(moment.in_use) - len(order)
    left_off = f" {n_hidden:,} hidden on the Topics page." if n_hidden else ""
    if runs[place].entry.background.ended and moment.filler:
        left_off += f" {moment.filler_ones} last."
    leading = " A name leads to its topic." if leads else ""
    if explore_or_study.explores():
        st.caption(f"Slanted and underlined: a word that is new in the list.{leading}{left_off}")
        return place
    in_place_of = f", in place of {len(moment.whole.in_use):,}" if moment.whole else ""
    evenness, since = effective_topics(moment.topics), html.new_since(moment)
    st.caption(
        f"{plain(labels_of(runs)[place])}: {plural(len(moment.in_use), 'topic')} in use"
        f"{in_place_of}; 99 % of the {moment.unit} are in {topics_covering(moment.topics):,}, and "
        f"all are as diverse as {plural(round(evenness), 'topic')} of equal size. Slanted and "
        f"underlined: a word that entered the list since {since:,} documents had been seen. Rows "
        f"keep their places for {RESORT_SECONDS:.0f} seconds at a time; the number is the topic's "
        f"identity.{leading}{left_off}"
    )
    return place


ABOUT = (
    "How many of the topics that made these texts are found again, at each row of the history; "
    "dotted: all of them."
)


def n_known(runs: Sequence[RunOnPage]) -> int:
    """How many topics made the texts of these runs; 0 where nobody knows."""
    topics = runs[0].entry.background.run.known
    return 0 if topics is None else len(topics)


def true_topics(runs: Sequence[RunOnPage], axis: plots.Axis, place: int) -> None:
    """Of the run at `place` what each topic looks like, and of all runs how many are found again;
    nothing where no topics are known."""
    if not n_known(runs):
        return
    moment = charts.drawn_moment(runs[place])
    pictured = moment is not None and known.has_pictures(moment)
    if not pictured:
        _curves(runs, axis)
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        whose = f" of {plain(labels_of(runs)[place])}" if len(runs) > 1 else ""
        st.markdown(f"## Topics{whose} as pictures, beside the true ones")
        pictures(runs[place])
        st.caption(known.EXPLAINED)
    with right:
        _curves(runs, axis)


def _curves(runs: Sequence[RunOnPage], axis: plots.Axis) -> None:
    st.markdown("## True topics found again")
    series = found_again_chart(runs, axis)
    st.caption(ABOUT)
    charts.table("found-again", series, ["documents", "seconds", FOUND_AGAIN], _rows)


def _rows(moment: Moment) -> list[tuple[Any, ...]]:
    return [
        (p.docs_seen, round(p.seconds, 3), int(p.scalars[FOUND_AGAIN]))
        for p in moment.trace
        if FOUND_AGAIN in p.scalars
    ]


def pictures(shown: RunOnPage, others: bool = True) -> None:
    """The sheet of a run, with or without the topics that are no true one's partner."""
    moment = charts.drawn_moment(shown)
    if moment is not None:
        found = shown.entry.background.run.known
        st.html(known.CSS + known.sheet(moment, found, others=others))


def found_again_chart(
    runs: Sequence[RunOnPage], axis: plots.Axis, height: int = plots.HEIGHT
) -> list[plots.Series]:
    """The curves of all runs; returns what is drawn."""
    series, dark, size = charts.series_of(runs), is_dark(), text_size()
    of = n_known(runs)
    live_figure(
        lambda: plots.found_again_figure(series, of, axis, dark, size, height),
        "found-again",
        height,
        "Number of true topics that every run has found again; dotted, how many there are.",
        same=charts.same(series, of, axis, height),
    )
    return series
