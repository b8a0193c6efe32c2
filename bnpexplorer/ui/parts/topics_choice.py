"""The chosen topic of the Topics page: which it is, what it is called, pinned or hidden."""

from collections.abc import Sequence

import streamlit as st

from ...plots.style import percent
from ...runs.saved.rows import LABEL_LENGTH
from ...state.moment import Moment
from ..frame import pages
from .explore import Explored, relabel

FOUND_BY = 12
"""Words of a topic that a list of choices is searched by."""
BEHIND = "\u00a0"
"""Before a word that is not of the name: by fzy, which Streamlit's lists are searched with, the
letter after a plain blank counts 0.8 more, and 100 letters before or after it 0.5 less."""


def choose_topic(run_id: str, topic: int | None) -> None:
    """From now on this topic's details are shown (None: the first one's).

    The list is drawn anew with its row marked.
    """
    st.session_state.setdefault("explored-topic", {})[run_id] = (
        topic if topic is None else int(topic)
    )
    st.session_state["topics-list"] = st.session_state.get("topics-list", 0) + 1


def is_chosen(run_id: str, topic: int) -> bool:
    """Whether somebody chose just this topic."""
    return _chosen(run_id, [topic]) is not None


def _chosen(run_id: str, ids: Sequence[int]) -> int | None:
    chosen = st.session_state.get("explored-topic", {}).get(run_id)
    return int(chosen) if chosen in set(ids) else None


def chosen_topic(run_id: str, ids: Sequence[int]) -> int:
    """The topic whose details are shown: the one that was chosen, else the first."""
    chosen = _chosen(run_id, ids)
    return ids[0] if chosen is None else chosen


def topic_of_address(run_id: str, ids: Sequence[int]) -> None:
    """Turn to the topic that the address asks for, if the run has it; "" asks for no choice."""
    asked = pages.asked("topic")
    if asked is not None and (not asked or pages.number_of(asked) in set(ids)):
        choose_topic(run_id, pages.number_of(asked))


def keep_in_address(run_id: str, ids: Sequence[int]) -> None:
    """Keep the chosen topic in the address; without a choice a link shows the first one."""
    chosen = _chosen(run_id, ids)
    pages.write("topic", "" if chosen is None else chosen)


def read_documents(run_id: str, topic: int) -> None:
    """Turn to the Documents page, which lists this topic's documents, best first."""
    choose_topic(run_id, topic)
    st.session_state.pop("documents-row", None)
    st.session_state["documents-way"] = "topic"
    pages.go_to("documents")


def topic_field(moment: Moment, ids: Sequence[int]) -> int:
    """A field that shows the chosen topic and lets another be chosen."""
    key = f"topics-topic-{moment.run_id}"
    st.session_state[key] = chosen_topic(moment.run_id, ids)
    topic = st.selectbox(
        "Topic",
        list(ids),
        key=key,
        format_func=lambda i: as_choice(moment, i),
        on_change=lambda: choose_topic(moment.run_id, st.session_state[key]),
    )
    return int(topic)


def with_words(moment: Moment, topic: int, blank: str = " ") -> str:
    """The topic with its share and its most probable words."""
    words = moment.words_line(topic, FOUND_BY, f"{blank}·{blank}")
    return f"{moment.head(topic)} ({percent(moment.share(topic), 1)}):{blank}{words}"


def as_choice(moment: Moment, topic: int) -> str:
    """`with_words` in a list of choices, which finds it by any of its words, by its name first."""
    return with_words(moment, topic, BEHIND)


def top_words(moment: Moment, topic: int, n: int) -> str:
    """The topic's most probable words as a line."""
    return moment.words_line(topic, n)


def label_fields(explored: Explored, topic: int) -> None:
    """Name, pin and hide; what the owner says goes with the topic through the run."""
    moment, labels = explored.moment, explored.moment.labels
    run_id = moment.run_id
    at = f"{run_id}-{topic}"
    for key, value in (
        (f"topics-name-{at}", labels.names.get(topic, "")),
        (f"topics-pin-{at}", topic in labels.pinned),
        (f"topics-hide-{at}", topic in labels.hidden),
    ):
        st.session_state[key] = value

    def rename() -> None:
        name = st.session_state[f"topics-name-{at}"]
        relabel(explored, lambda now: now.rename(topic, name))
        choose_topic(run_id, topic)

    def pin() -> None:
        on = st.session_state[f"topics-pin-{at}"]
        relabel(explored, lambda now: now.pin(topic, on))

    def hide() -> None:
        on = st.session_state[f"topics-hide-{at}"]
        relabel(explored, lambda now: now.hide(topic, on))
        choose_topic(run_id, topic)

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            "Name",
            key=f"topics-name-{at}",
            on_change=rename,
            max_chars=LABEL_LENGTH,
            placeholder=" ".join(moment.vocab[w] for w in moment.own_words.get(topic, ())),
            help="Stays with the topic through the run, on every page. Empty: the words that are "
            "its own name it.",
        )
        st.checkbox("Pin", key=f"topics-pin-{at}", on_change=pin, help="Keep it first in lists")
        st.checkbox("Hide", key=f"topics-hide-{at}", on_change=hide, help="Leave it off lists")
