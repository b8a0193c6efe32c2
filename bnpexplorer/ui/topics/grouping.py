"""Topics page: topics that count as one, with undo, and filler that is folded away.

What counts the same in a mean share, every word or every document, and how that is said.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from ...core.display import plural
from ...state.labels import Labels
from ..frame.words import plain
from ..parts.explore import Explored, can_take_back, relabel, take_back
from ..parts.topics_choice import choose_topic

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler
import numpy as np

from ...core.arrays import F64
from ...explore.documents import lengths_of
from ...explore.periods import Column
from ...explore.sentences import Basis, Counted
from ...state.moment import Moment

FILLER = "topics-filler"
"""The switch that shows filler."""


# ---- groups --------------------------------------------------------------------------------------


def group(explored: Explored, groups: Sequence[Sequence[int]]) -> None:
    """Let each of these count as one from now on; `undo_button` takes it back at once.

    A group goes by its largest topic that is no filler: name, colour and place are that one's.
    """
    moment = explored.moment
    filler = moment.filler
    by_share = [sorted(of, key=lambda i: (i in filler, -moment.share(i))) for of in groups]

    def change(now: Labels) -> Labels:
        for topics in by_share:
            now = now.group(topics)
        return now

    relabel(explored, change)
    choose_topic(moment.run_id, by_share[0][0])


def undo_button(explored: Explored) -> None:
    """Takes back one name, group, pin or hidden topic after the other, as this tab set them; until
    somebody else changes some, or topics are changed for good."""

    def undo() -> None:
        take_back(explored)
        choose_topic(explored.moment.run_id, None)

    if can_take_back(explored):
        st.button(
            "Undo",
            icon=":material/undo:",
            key="topics-undo-button",
            on_click=undo,
            help="Takes back your last change of names, groups, pins or hidden topics; press it "
            "again for the one before.",
        )


def several_switch(explored: Explored) -> bool:
    """Whether rows of the list are ticked to be grouped or hidden; only the owner may."""
    if not explored.shown.owned:
        return False
    return st.toggle(
        "Tick several",
        key="topics-several",
        help="Tick rows of the list to group topics, so that they count as one, or to hide them.",
    )


def list_of_several(
    explored: Explored, ids: Sequence[int], styled: "Styler", columns: dict[str, Any]
) -> None:
    """The list with a tick before every row, and what can be done with those ticked."""
    moment = explored.moment
    order = hash((tuple(ids), moment.at))
    found = st.dataframe(
        styled,
        hide_index=True,
        key=f"topics-several-{moment.run_id}-{order}",
        on_select="rerun",
        selection_mode="multi-row",
        height=min(36 * len(ids) + 40, 330),
        column_config=columns,
    )
    ticked = [ids[k] for k in found["selection"]["rows"]]

    def hide() -> None:
        def change(now: Labels) -> Labels:
            for topic in ticked:
                now = now.hide(topic)
            return now

        relabel(explored, change)

    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            f"Group these {len(ticked)}" if len(ticked) > 1 else "Group them",
            type="primary",
            icon=":material/join:",
            key="topics-group",
            disabled=len(ticked) < 2,
            on_click=group,
            args=(explored, [ticked]),
        )
        st.button(
            "Hide them",
            icon=":material/visibility_off:",
            key="topics-hide-ticked",
            disabled=not ticked,
            on_click=hide,
        )


def parts_of_group(explored: Explored, topic: int) -> None:
    """Which topics count as one with this, and the button that takes them apart."""
    moment = explored.moment
    if topic not in moment.labels.groups:
        return
    alone = moment.ungrouped
    rest = "; ".join(alone.head(i) for i in moment.members(topic) if i != topic)
    said = f"One with {plain(rest)}." if rest else "The others of its group have come to their end."

    def apart() -> None:
        relabel(explored, lambda now: now.ungroup(topic))
        choose_topic(moment.run_id, topic)

    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(said, width="stretch")
        st.button("Take apart", icon=":material/call_split:", key="topics-apart", on_click=apart)


# ---- filler --------------------------------------------------------------------------------------


def filler_switch(moment: Moment) -> None:
    """How many topics are filler, and the switch that shows them; nothing where none is."""
    if moment.filler:
        st.toggle(
            f"Show {moment.filler_ones}",
            key=FILLER,
            help="Filler is spread over the documents about as evenly as all words are, so it "
            "tells no document from another. It stands last in lists and on no map, and no "
            f"sentence is of it. Name or pin such a {moment.noun} to have it among the others.",
        )


KEY = "topics-counted"
EARLIER = ("topics-changed-counted", "topics-label-counted", "topics-word-counted")
"""What the views called it when each asked for itself: addresses of then say so."""
WORDS: dict[Counted, str] = {"words": "Every word counts", "documents": "Every document counts"}


def at_first(moment: Moment) -> Counted:
    """By words, since that is what most sentences say; clusters hold documents."""
    return "documents" if moment.mixture else "words"


def usual(moment: Moment) -> Counted:
    """As an address of earlier says, else as at first."""
    asked = {st.query_params.get(name) for name in EARLIER}
    found = next((counted for counted in WORDS if counted in asked), None)
    # Kept, since the address forgets it on another page.
    kept: Counted | None = st.session_state.setdefault("topics-counted-before", found)
    return kept or at_first(moment)


def counted_now(moment: Moment) -> Counted:
    """What was chosen, for views that do not ask."""
    counted: Counted = st.session_state.get(KEY) or usual(moment)
    return counted


def counted_field(moment: Moment) -> Counted:
    """Ask for it; all views of topics have the same answer, so that they show the same numbers."""
    counted: Counted = st.segmented_control(
        "What counts the same",
        list(WORDS),
        default=usual(moment),
        required=True,
        key=KEY,
        format_func=WORDS.__getitem__,
        bind="query-params",
        persist_state="session",
        help="By words a long text weighs more than a short one.",
    )
    return counted


def weights_of(moment: Moment, counted: str) -> F64 | None:
    """float64 (D,) the weights of documents; None where all are equal."""
    return lengths_of(moment.corpus).astype(float) if counted == "words" else None


def basis_of(moment: Moment, counted: Counted) -> Basis:
    return Basis(counted, moment.mixture, moment.noun)


def explained(moment: Moment, counted: Counted) -> str:
    """Which share it is, and what its interval is, in sentences."""
    what = {
        "words": "The share is of all words that count, so that long texts weigh more.",
        "documents": "The share is the mean over documents, long or short.",
    }[counted]
    return (
        f"{what} Intervals are for 95 %, each alone: {units_of_chance(moment)}, and they are wide "
        f"where these are few. They take the {moment.noun}s as given: another run finds others."
    )


def units_of_chance(moment: Moment) -> str:
    """What is counted as independent, for the middle of a sentence."""
    units = moment.corpus.units
    if units is None:
        return "documents are the units of chance"
    return (
        f"the units of chance are {int(units.max()) + 1:,} different texts, since passages of a "
        "text and repeated texts count as one"
    )


def undated(dates: Column | None) -> str:
    """How many documents are left aside where dates are compared; a sentence to add, or nothing."""
    n = 0 if dates is None else int(np.isnat(dates).sum())
    return (
        f" {plural(n, 'document')} without a date {'is' if n == 1 else 'are'} left aside."
        if n
        else ""
    )
