"""How a topic ended, and what was weighed where topics were split, merged or done without."""

import streamlit as st

from ...explore import why
from ...plots.style import percent
from ...state.edits import listed
from ...state.moment import Moment
from ...state.snapshot import Details, Event
from ..frame.words import plain

WEIGHED = {
    "merge": "What was weighed: to make one of {old}, against leaving them apart.",
    "split": "What was weighed: to divide {old} into {new}, against leaving it whole.",
    "splits": "What was weighed: to divide {old} into {new}, and others likewise, all or none.",
    "delete": "What was weighed: to give the {unit} of {old} to others, against keeping it.",
}
"""By what was tried."""
RAISED = {
    "splits": "They were taken because together they raised the bound, by {}.",
    "delete": "It went because the bound is higher without it, by {}.",
}
"""The others: it alone raised the bound."""


def of_an_end(moment: Moment, event: Event) -> None:
    """What the topic was."""
    for topic in event.parents:
        life = why.life_until(moment.snapshot, moment.snapshot.frames, topic, event.docs_seen)
        if life is None:
            st.markdown("It held nothing at any of the moments that were kept.")
            continue
        began = "It was there from the start"
        if life.born is not None:
            how = "born"
            if life.parents:
                names = listed([f"“{plain(moment.name(t))}”" for t in life.parents])
                how = f"{'merged' if len(life.parents) > 1 else 'split'} from {names}"
            began = f"It was {how} after {life.born:,} documents"
        st.markdown(
            f"{began}, had {percent(life.largest, 1)} of all {moment.unit} at most, and "
            f"{percent(life.last, 2)} when {life.last_docs:,} documents had been seen."
        )


def of_a_move(moment: Moment, event: Event) -> None:
    """The parts of a split or a merge."""
    told = event.details
    if told is None or not told.sizes:
        return
    ends = event.children if event.kind == "split" else event.parents
    parts = ", ".join(
        f"“{moment.name(topic)}” {size:,}" for topic, size in zip(ends, told.sizes, strict=True)
    )
    st.markdown(f"{moment.unit.capitalize()} of the parts: {plain(parts)}.")


def decided(moment: Moment, event: Event, told: Details, climbs: bool) -> None:
    """What was weighed, and by what it was taken; `climbs`: by a bound, not by a draw."""
    if told.trial in WEIGHED:
        old, new = (
            listed([f"“{moment.name(topic)}”" for topic in topics])
            for topics in (event.parents, event.children)
        )
        st.markdown(plain(WEIGHED[told.trial].format(old=old, new=new, unit=moment.unit)))
    if told.log_ratio is None:
        return
    number = f"{told.log_ratio:+,.2f}".replace("-", "−")
    if climbs:
        raised = RAISED.get(told.trial, "It was taken because it raised the bound, by {}.")
        st.markdown(raised.format(number))
    else:
        chance = "so it was sure to be taken"
        if told.log_ratio < 0:
            chance = f"so it was taken with probability {why.power(told.log_ratio)}"
        st.markdown(f"The logarithm of its acceptance ratio was {number}, {chance}.")
