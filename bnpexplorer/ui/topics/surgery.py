"""Topics page: topics merged, split and deleted for good, by the owner of the run."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from ...core.display import plural
from ...methods import METHODS
from ...methods.base import can_edit
from ...runs import asked
from ...state.labels import Labels
from ...state.moment import Moment
from ..frame import explore_or_study, link, server
from ..frame.words import plain
from ..parts import explore
from ..parts.explore import Explored
from ..parts.topics_choice import as_choice, choose_topic, with_words
from ..seam.widgets import ticking

KINDS = {
    "merge": ("Merge for good", "call_merge", "All their {unit} go to the largest."),
    "split": ("Split in two", "call_split", "Its {unit} are divided into two subjects."),
    "delete": ("Delete for good", "delete", "Its {unit} go to the others, where they fit."),
}
"""What can be done -> its button, icon, and what becomes of words or documents."""
WAITING, CONFIRM = "surgery-waiting", "surgery-confirm"
LISTED = 50
"""Changes by hand that are named, the last."""
MORE = 10
"""Passes that are offered to a run that has ended."""


def edit_topics(explored: Explored) -> None:
    """What was changed by hand, and for the owner how to change more."""
    run_id, background = explored.moment.run_id, explored.shown.entry.background
    waiting = st.session_state.get(WAITING) == run_id
    asking = st.session_state.get(CONFIRM, ("",))[0] == run_id
    edits = explored.moment.snapshot.edits
    fits = can_edit(background.run.method) or not explore_or_study.explores()
    if not ((explored.shown.owned and fits) or edits):
        return
    said = f" · {plural(len(edits), 'change')} by hand" if edits else ""
    with st.expander(f"Change topics for good{said}", expanded=waiting or asking, key="surgery"):
        if len(edits) > LISTED:
            st.markdown(f"- {len(edits) - LISTED:,} before these")
        for edit in edits[-LISTED:]:
            st.markdown(f"- {plain(edit.sentence)}")
        if not explored.shown.owned:
            return
        if explored.moment.whole is not None:
            st.caption("Shown are fewer topics than the run has; show all of them to change these.")
        elif not can_edit(background.run.method):
            _say_who_can(background.run.method.name)
        elif waiting:
            _wait(explored)
        elif asking:
            _confirm(explored)
        else:
            _choose(explored)


def _say_who_can(name: str) -> None:
    able = [other for other in METHODS if can_edit(METHODS[other]())]
    st.caption(
        f"Topics of {name} cannot be changed by hand: it does not hold which word belongs to which "
        "topic. Hide or group them for show instead, or learn the texts with "
        f"{', '.join(able[:-1])} or {able[-1]}, whose topics can be changed."
    )


# ---- choosing ------------------------------------------------------------------------------------


def _choose(explored: Explored) -> None:
    """Topics, and what to do with them."""
    moment, key = explored.moment, f"surgery-topics-{explored.moment.run_id}"
    problem = explored.shown.entry.background.refusal
    if problem and st.session_state.pop(f"{WAITING}-done", False):
        st.error(plain(problem), icon=":material/error:")
    ids = moment.ordered(True)
    if key in st.session_state:  # those that have come to their end leave the field
        st.session_state[key] = [i for i in st.session_state[key] if i in ids]
    topics = st.multiselect(
        f"{moment.noun.capitalize()}s to change",
        ids,
        key=key,
        format_func=lambda i: as_choice(moment, i),
        placeholder=f"choose {moment.noun}s",
    )
    n_members = len(_members(moment, topics))  # a group is merged for good, or deleted, as a whole
    fits = {"merge": n_members > 1, "split": n_members == 1, "delete": n_members > 0}
    fits["delete"] &= len(topics) < len(ids)
    for kind, column in zip(KINDS, st.columns(3), strict=True):
        words, icon, what = KINDS[kind]
        with column:
            st.button(
                words,
                icon=f":material/{icon}:",
                key=f"surgery-{kind}",
                disabled=not fits[kind],
                width="stretch",
                on_click=_ask,
                args=(moment.run_id, kind, tuple(topics)),
            )
            st.caption(what.format(unit=moment.unit))
    st.caption(_law(explored))
    _undo_and_go_on(explored)


def _law(explored: Explored) -> str:
    """What the run makes of a change."""
    moment, model = explored.moment, explored.shown.entry.background.run.method.model
    words = (
        f"The run goes on from the changed {moment.noun}s and is free to move {moment.unit} again; "
        "what it averages begins anew. Names stay with the largest part."
    )
    if hasattr(model, "n_topics"):
        words += (
            f" It always has {model.n_topics:,} {moment.noun}s: an emptied one may fill with other "
            f"{moment.unit}, and a split needs an empty one."
        )
    return words


def _ask(run_id: str, kind: str, topics: tuple[int, ...]) -> None:
    st.session_state[CONFIRM] = (run_id, kind, topics)


def _confirm(explored: Explored) -> None:
    """Name what is about to be changed, once more."""
    moment = explored.moment
    _, kind, topics = st.session_state[CONFIRM]
    if not set(topics) <= set(moment.row):
        del st.session_state[CONFIRM]
        st.rerun()
    words, icon, what = KINDS[kind]
    named = "; ".join(plain(with_words(moment, i)) for i in topics)
    st.warning(f"**{words}:** {named}. {what.format(unit=moment.unit)}", icon=f":material/{icon}:")
    with st.container(horizontal=True):
        st.button(
            f"Yes, {kind} {'it' if len(topics) == 1 else f'these {len(topics)}'}",
            type="primary",
            key="surgery-yes",
            on_click=partial(_begin, explored, kind, topics),
        )
        st.button("Cancel", key="surgery-no", on_click=st.session_state.pop, args=(CONFIRM, None))


# ---- doing ---------------------------------------------------------------------------------------


def _begin(explored: Explored, kind: str, topics: Sequence[int]) -> None:
    """Ask the run's thread; the page then waits for it."""
    st.session_state.pop(CONFIRM, None)
    entry, moment = explored.shown.entry, explored.moment
    every = _members(moment, topics)
    names = _names(moment, every)
    _start(explored, lambda: asked.change_topics(entry, kind, every, names, _keeping(explored)))


def _members(moment: Moment, topics: Sequence[int]) -> list[int]:
    """The topics in use that were learned behind these, of which some are groups."""
    return [member for topic in topics for member in moment.members(topic)]


def _names(moment: Moment, topics: Sequence[int]) -> list[str]:
    """What each is called; members of a group by their own names and words."""
    alone = moment.ungrouped
    return [moment.labels.names.get(topic) or with_words(alone, topic) for topic in topics]


def _keeping(explored: Explored) -> asked.KeepLabels:
    """Names beside the saved run; called by the thread of the run, which knows no page."""
    run_id, library = explored.moment.run_id, server.library()

    def keep(labels: Labels) -> None:
        explore.keep_labels(library, run_id, labels)

    return keep


def _start(explored: Explored, ask: Callable[[], None]) -> None:
    if not explored.shown.owned:
        return
    try:
        ask()
    except ValueError as problem:
        st.session_state[link.REFUSED] = [str(problem)]
        return
    explored.shown.entry.background.settle()
    st.session_state[WAITING] = explored.moment.run_id


def _wait(explored: Explored) -> None:
    """Until the run's thread has done it; then the page shows where the run stands."""
    shown = explored.shown
    background = shown.entry.background

    @ticking(0.3)
    def until_done() -> None:
        if not background.changing:
            st.session_state.pop(WAITING, None)
            st.session_state[f"{WAITING}-done"] = True
            _show_result(explored)
            st.rerun()
        st.caption("The topics are changed when the mini-batch at hand is through ...")

    until_done()


def _show_result(explored: Explored) -> None:
    """Take the run's moment of now, turn to what became of the topics, and say so."""
    shown, latest = explored.shown, explored.shown.entry.background.latest
    explore.hold(shown)
    st.session_state.pop(f"surgery-topics-{shown.entry.run_id}", None)
    if shown.entry.background.refusal:
        return
    edits = latest.edits
    if len(edits) > len(explored.moment.snapshot.edits):
        goes_by = shown.entry.labels.group_of
        made = [goes_by.get(topic, topic) for topic in edits[-1].children]
        choose_topic(shown.entry.run_id, made[0] if made else None)
        st.toast(plain(edits[-1].sentence), icon=":material/check:")
    else:
        st.toast("The last change is undone.", icon=":material/undo:")


def _undo_and_go_on(explored: Explored) -> None:
    """Take changes back, the last first, while their states are at hand; let an ended run go on."""
    entry = explored.shown.entry
    background = entry.background
    run, status = background.run, background.status
    if not run.befores and status != "finished":
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if run.befores:
            st.button(
                "Undo the last change",
                icon=":material/undo:",
                key="surgery-undo",
                on_click=_start,
                args=(explored, lambda: asked.undo(entry, _keeping(explored))),
                help="Returns the run to its state before the change. Later learning is lost.",
            )
        if status == "finished" and (run.edits or background.refusal):  # it may be too early
            key = "surgery-passes"
            st.number_input("More passes", 1, 10_000, MORE, key=key, width=140)
            st.button(
                "Run on",
                icon=":material/play_arrow:",
                key="surgery-on",
                on_click=link.go_on,
                args=(background, lambda: background.run_on(int(st.session_state[key]))),
                help="The run has ended; it goes on from the topics of now",
            )
