"""The Topics page's tree: which topics are alike enough to count as one."""

import pandas as pd
import streamlit as st

from ...corpus.source import plural
from ...explore.tree import Tree, tree
from ...plots.tree import tree_figure, tree_height
from ...state.moment import Moment
from ..frame.look import is_dark, text_size
from ..frame.words import plain
from ..parts.explore import Explored
from ..parts.figure import live_figure
from ..parts.likeness import Likeness, likeness_at
from ..parts.tables import read_as_table
from ..parts.topics_choice import choose_topic
from .grouping import group, undo_button


def tree_view(explored: Explored) -> None:
    """The tree, where it is cut, and the groups that come of it."""
    moment = explored.moment
    like = likeness_at(moment.at, moment.topics)
    rows = [k for k, topic in enumerate(like.ids) if topic not in moment.labels.unseen]
    if len(rows) < 2:
        st.info("It takes two topics to be alike.", icon=":material/info:")
        undo_button(explored)
        return
    found = _tree(like, rows)
    st.markdown("## Which topics could be one")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        cut = st.slider(
            "Group what is nearer than",
            0.0,
            1.0,
            round(found.proposed, 2),
            0.01,
            key=f"topics-cut-{moment.run_id}-{moment.snapshot.step}",
            bind="query-params",
            width=340,
            help="Mean Jensen-Shannon distance between the words of topics: 0 equal, 1 no word in "
            "common.",
        )
        groups = found.groups(cut)
        n = sum(map(len, groups))
        if explored.shown.owned:
            st.button(
                f"Group these {n} topics as {len(groups)}" if groups else "Group these",
                type="primary",
                icon=":material/join:",
                key="topics-group-tree",
                disabled=not groups,
                on_click=group,
                args=(explored, groups),
            )
        undo_button(explored)
    st.caption(_sentence(moment, groups))
    looks = [(moment.head(topic), moment.look(topic)) for topic in found.ids]
    live_figure(
        lambda: tree_figure(moment, found, cut, is_dark(), text_size()),
        "topics-tree",
        tree_height(len(found.ids), text_size()),
        "Tree of the topics: lines join those whose words are alike, the sooner the more; groups "
        "in the table.",
        on_click=lambda topic: choose_topic(moment.run_id, topic),
        same=(moment.at, looks, cut, is_dark(), text_size()),
    )
    st.caption(
        "Look for topics that join far left: they say the same. Average linkage of Jensen-Shannon "
        "distances; drawn are the topics that together hold 99 %. Grouping changes what is shown, "
        "counted and exported, never what was learned."
    )
    read_as_table("topics-tree", lambda: _table(moment, found, groups))


def _tree(like: Likeness, rows: list[int]) -> Tree:
    return tree([like.ids[k] for k in rows], like.distances[rows][:, rows])


def _sentence(moment: Moment, groups: list[tuple[int, ...]]) -> str:
    if not groups:
        return "No two topics are so near; move the slider to the right."
    n = sum(map(len, groups))
    largest = max(groups, key=lambda topics: sum(map(moment.share, topics)))
    names = "; ".join(moment.name(topic) for topic in largest)
    return f"{n} topics would become {plural(len(groups), 'group')}. The largest: {plain(names)}."


def _table(moment: Moment, found: Tree, groups: list[tuple[int, ...]]) -> pd.DataFrame:
    number = {topic: g + 1 for g, topics in enumerate(groups) for topic in topics}
    return pd.DataFrame(
        {
            "topic": [moment.head(topic) for topic in found.ids],
            "share": [moment.share(topic) for topic in found.ids],
            "group": [str(number.get(topic, "")) for topic in found.ids],
        }
    )
