"""The Topics page's list, map and tree, the chosen topic, and known topics that were found."""

from collections.abc import Sequence, Set
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import streamlit as st

from ...explore.duplicates import FEWEST
from ...explore.likeness import CLOSE
from ...plots import topics as plots
from ...plots.style import percent, topic_colour, topic_symbol, word_ink
from ...state.moment import Moment
from ..frame import explore_or_study
from ..frame.look import is_dark, text_size
from ..frame.words import plain
from ..parts.explore import Explored
from ..parts.figure import live_figure, read_as_table
from ..parts.in_background import at_hand, worked_out
from ..parts.known import picture_of
from ..parts.likeness import COHERENCE, Likeness, coherence_at, duplicates_of, likeness_at, tree_at
from ..parts.stability import found_again
from ..parts.to_topics import TREE, duplicates_button
from ..parts.topics_choice import (
    choose_topic,
    chosen_topic,
    is_chosen,
    label_fields,
    top_words,
    topic_field,
)
from .about import about_topic, made_of
from .grouping import (
    FILLER,
    filler_switch,
    list_of_several,
    parts_of_group,
    several_switch,
    undo_button,
)
from .surgery import edit_topics

if TYPE_CHECKING:  # it brings a language of templates, for the first topics that are listed
    from pandas.io.formats.style import Styler
from ...core.arrays import F64
from ...core.display import plural
from ...evaluate import heaviest
from ...explore.kinship import Tree
from ...explore.likeness import FoundAgain
from ...plots.topics import tree_figure, tree_height
from ..parts import known as known_parts
from .grouping import group

MAP_HEIGHT = 480
N_WORDS = 8
"""Words of a topic in the list."""
WIDEST = 3.0
"""Bits a word up to which the tree can be cut: thirty topics of newsgroups become one at 2.6."""


# ---- the view ------------------------------------------------------------------------------------


def topics_view(explored: Explored) -> None:
    """The list of all topics and their map beside the chosen one; below, their tree if it is asked
    for.

    A topic that was just hidden leaves list and map, but its details stay until another is chosen:
    the same click takes it back, and a second one does not hide the next topic.
    """
    moment, with_hidden = explored.moment, bool(st.session_state.get("topics-hidden", False))
    ids = moment.ordered(with_hidden)
    if not st.session_state.get(FILLER, False):
        folded = moment.filler.difference(moment.telling())
        ids = [i for i in ids if i not in folded or is_chosen(moment.run_id, i)]
    if not ids:
        st.info("Every topic in use is hidden.", icon=":material/visibility_off:")
        st.toggle("Show hidden topics", key="topics-hidden")
        undo_button(explored)
        return
    with_chosen = [i for i in moment.ordered(True) if i in ids or is_chosen(moment.run_id, i)]
    chosen = chosen_topic(moment.run_id, with_chosen)
    like = likeness_at(moment)
    left, right = st.columns([11, 9], gap="large")
    with left, st.container(key="topics-map-beside"):  # stays in sight while one reads beside it
        _list(explored, like, ids, chosen)
        _map(moment, like, ids, chosen)
    with right:
        topic = topic_field(moment, with_chosen)
        _facts(moment, like, topic)
        found_again(explored.shown.entry, moment, topic)
        if drawn := picture_of(moment, topic, explored.loaded.true_topics):
            st.html(drawn)
        if explored.shown.owned:
            label_fields(explored, topic)
            parts_of_group(explored, topic)
        made_of(moment, topic)
        about_topic(explored, topic)
    if len(ids) > 1 and st.toggle(
        "Tree of the topics", key=TREE, bind="query-params", persist_state="session"
    ):
        tree_view(explored)
    known_topics(moment, explored.loaded.true_topics)
    edit_topics(explored)


def _map(moment: Moment, like: Likeness, ids: Sequence[int], chosen: int) -> None:
    st.markdown("## Which topics are alike")
    seen = set(ids)
    rows = [k for k, topic in enumerate(like.ids) if topic in seen]
    drawn = [like.ids[k] for k in rows]
    places = like.map.places[rows]
    at = dict(zip(drawn, places, strict=True))
    looks = [(moment.name(topic), moment.look(topic)) for topic in drawn]
    named = sorted(moment.labels.names)
    live_figure(
        lambda: plots.map_figure(moment, at, chosen, is_dark(), text_size()),
        "topics-map",
        MAP_HEIGHT,
        "Map of the topics: near ones use similar words, larger circles hold more; the list below "
        "has the same topics.",
        on_click=lambda topic: choose_topic(moment.run_id, topic),
        same=(moment.at, drawn, looks, named, chosen, is_dark(), text_size()),
    )
    left_off = len(ids) - len(drawn)
    hidden = ", without those hidden" if moment.labels.unseen - seen else ""
    hidden += ", without filler" if moment.filler - seen else ""
    few = f"{plural(left_off, 'topic')} too small to compare {'is' if left_off == 1 else 'are'}"
    small = f" {few} only in the list." if left_off else ""
    shapes = len({topic_symbol(moment.look(topic)) for topic in drawn}) > 1
    told = " Shapes tell topics of one colour apart." if shapes else ""
    method = (
        " Jensen-Shannon distances by classical scaling: the plane shows "
        f"{percent(like.map.shown)} of the squared distances, so mind the nearest topics that "
        f"are named with the details. Drawn are topics that together hold 99 %{hidden}."
    )
    st.caption(
        f"Click a topic. Near ones use similar words; a circle's area is its share of "
        f"{moment.unit}.{'' if explore_or_study.explores() else method}{small}{told}"
    )
    read_as_table(
        "topics-map",
        lambda: pd.DataFrame(
            {
                "topic": drawn,
                "name": [moment.name(topic) for topic in drawn],
                "share": [moment.share(topic) for topic in drawn],
                "x": places[:, 0],
                "y": places[:, 1],
                "words": [top_words(moment, topic, plots.WORDS) for topic in drawn],
            }
        ),
    )


def _facts(moment: Moment, like: Likeness, topic: int) -> None:
    """Share and nearest topics of the chosen one, as a sentence; in Study its coherence, too."""
    facts = [f"**{percent(moment.share(topic), 1)}** of {moment.unit}"]
    explores = explore_or_study.explores()
    if not explores:
        work = partial(coherence_at, moment)
        known = worked_out(moment, COHERENCE, work, "the coherence of topics over all", 60)
        value = None if known is None else known.get(topic)
        if value is not None and np.isfinite(value):
            facts.append(f"coherence {value:+.2f}".replace("-", "−"))
    near = [
        moment.name(other) + ("" if explores else f" ({distance:.2f})")
        for other, distance in like.nearest(topic, moment.telling())
    ]
    if near:
        facts.append(f"nearest {plain(', '.join(near))}")
    st.markdown(
        " · ".join(facts),
        help=None
        if explores
        else "Coherence: mean NPMI of the ten most probable words over all documents, from −1 to "
        "1 (always together). Distances: Jensen-Shannon, from 0 (equal) to 1 (no word in common).",
    )
    twins = [p for p in like.pairs if topic in (like.ids[p.first], like.ids[p.second])]
    for pair in twins[:3]:
        other = like.ids[pair.second if like.ids[pair.first] == topic else pair.first]
        st.caption(
            f"Its words do not tell it from {plain(moment.name(other))}: distance "
            f"{pair.distance:.2f}, {pair.shared} of ten words shared."
        )


# ---- the list ------------------------------------------------------------------------------------


def _list(explored: Explored, like: Likeness, ids: Sequence[int], chosen: int) -> None:
    moment, filler = explored.moment, explored.moment.filler
    n_hidden = len(moment.ordered(True)) - len(moment.ordered())
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("## All topics", width="stretch")
        small = moment.small.intersection(ids)
        if small and not st.toggle(f"Show {moment.small_ones}", key="topics-small"):
            ids = [i for i in ids if i not in small or is_chosen(moment.run_id, i)]
        filler_switch(moment)
        several = several_switch(explored)
        if n_hidden:
            st.toggle(f"Show hidden ({n_hidden:,})", key="topics-hidden")
    undo_button(explored)
    if explored.shown.owned:
        duplicates_button(duplicates_of(moment))
    table = _table(moment, like, ids, filler)
    if several:
        list_of_several(explored, ids, _styled(moment, table, ids), _columns_of(moment))
    else:
        _list_of_one(moment, ids, chosen, _styled(moment, table, ids))
    how = (
        f" Share is that of {moment.unit}. Two could be one if their words differ no more than "
        f"those of one topic divided at random; tried are topics of {FEWEST} words and more."
    )
    st.caption(
        "Select a row to see the topic's details; click a head to sort."
        + ("" if explore_or_study.explores() else how)
    )
    read_as_table(
        "topics-list",
        lambda: table.rename(columns={"identity": "number", "share": "share in percent"}),
    )


def _styled(moment: Moment, table: pd.DataFrame, ids: Sequence[int]) -> "Styler":
    """The list as it is drawn: every topic's name in its colour."""
    dark = is_dark()
    inks = [f"color: {word_ink(topic_colour(moment.look(i), dark), dark)}" for i in ids]
    of_study = ["coherence"] if explore_or_study.explores() else []
    return (
        table.drop(columns=["identity", *of_study])
        .assign(topic=["■ " + name for name in table["topic"]])
        .style.apply(lambda _: inks, subset=["topic"])
    )


def _columns_of(moment: Moment) -> dict[str, Any]:
    column = st.column_config
    return {
        "share": column.ProgressColumn(
            "share",
            format="%.1f %%",
            min_value=0.0,
            width=80,
            max_value=100.0 * float(moment.shares.max(initial=0.0)) or 1.0,
        ),
        "coherence": column.NumberColumn(format="%.2f", width=70),
        "topic": column.TextColumn(width=200),
        "words": column.TextColumn("most probable words", width=330),
        "remarks": column.TextColumn(width=170),
    }


def _list_of_one(moment: Moment, ids: Sequence[int], chosen: int, styled: "Styler") -> None:
    # The browser keeps a tick by its row: a list of another order is a new one, ticked anew.
    order = hash(tuple(ids))
    key = f"topics-list-{moment.run_id}-{st.session_state.get('topics-list', 0)}-{order}"

    def pick() -> None:
        rows = st.session_state[key]["selection"]["rows"]
        if rows:
            choose_topic(moment.run_id, ids[rows[0]])

    st.dataframe(
        styled,
        hide_index=True,
        key=key,
        on_select=pick,
        selection_mode="single-row",
        selection_default={"selection": {"rows": [k for k, i in enumerate(ids) if i == chosen]}},
        height=min(36 * len(ids) + 40, 330),
        column_config=_columns_of(moment),
    )


def _table(moment: Moment, like: Likeness, ids: Sequence[int], filler: Set[int]) -> pd.DataFrame:
    coherence = at_hand(moment, COHERENCE, partial(coherence_at, moment)) or {}
    twins: dict[int, list[str]] = {}
    for pair in like.pairs:
        first, second = like.ids[pair.first], like.ids[pair.second]
        twins.setdefault(first, []).append(moment.name(second))
        twins.setdefault(second, []).append(moment.name(first))
    remarks = [
        ", ".join(
            [
                *(["pinned"] if i in moment.labels.pinned else []),
                *(["hidden"] if i in moment.labels.unseen else []),
                *(["filler"] if i in filler else []),
                *([f"{n} topics as one"] if (n := len(moment.members(i))) > 1 else []),
                *([f"could be one with {' and '.join(twins[i][:3])}"] if i in twins else []),
            ]
        )
        for i in ids
    ]
    return pd.DataFrame(
        {
            "identity": list(ids),
            "topic": [moment.head(i) for i in ids],
            "share": [100.0 * moment.share(i) for i in ids],
            "words": [top_words(moment, i, N_WORDS) for i in ids],
            "coherence": [coherence.get(i, float("nan")) for i in ids],
            "remarks": remarks,
        }
    )


N_KNOWN_WORDS = 5


def known_topics(moment: Moment, known: F64 | None) -> None:
    """One sentence, and which topic is which; nothing where no topics are known, (J, V)."""
    if known is None or not known_parts.fits(moment, known):
        return
    found = known_parts.found_at(moment, known)
    made = f"the {len(known):,} topics that made these texts"
    st.markdown(f"**Found again: {found.count:,} of {made}**")
    if drawn := known_parts.sheet(moment, known):
        st.html(known_parts.CSS + drawn)
        st.caption(known_parts.EXPLAINED)
    read_as_table(
        "known-topics",
        lambda: known_table(moment, known, found),
        label="Which topic is which",
        note="Each topic that made the texts beside its partner in this run, one to one by the "
        f"smallest sum of Jensen-Shannon distances. Nearer than {CLOSE} counts as found again; a "
        "topic that mixes two of them evenly lies at 0.56 from both.",
    )


def known_table(moment: Moment, known: F64, found: FoundAgain) -> pd.DataFrame:
    """A row a known topic, the best found first."""
    words = heaviest(known, N_KNOWN_WORDS)
    rows = []
    for j in found.distances.argsort(kind="stable"):  # nan last
        row = int(found.rows[j])
        topic = int(moment.topics.topic_ids[row]) if row >= 0 else None
        rows.append(
            (
                "yes" if found.close[j] else "no",
                float(found.distances[j]),
                " · ".join(moment.vocab[w] for w in words[j]),
                "" if topic is None else moment.head(topic),
                "" if topic is None else top_words(moment, topic, N_KNOWN_WORDS),
            )
        )
    heads = ["found again", "distance", "made the texts", "partner", "its words"]
    return pd.DataFrame(rows, columns=heads)


def tree_view(explored: Explored) -> None:
    """The tree, where it is cut, and the groups that come of it."""
    moment = explored.moment
    found = tree_at(moment)
    if not found.joints:
        st.info("It takes two topics to be alike.", icon=":material/info:")
        return
    st.markdown("## Which topics could be one")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        cut = st.slider(
            "Group what is nearer than",
            0.0,
            WIDEST,
            round(found.proposed, 2),
            0.01,
            key=f"topics-cut-{moment.run_id}-{moment.snapshot.step}",
            bind="query-params",
            width=340,
            help="Bits that each word loses where topics become one: 0 if they are equal, 1 for "
            "two of one size with no word in common, more for several.",
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
        "Look for topics that join far left: they say the same. The tree joins the two parts that "
        "lose least by it, again and again, and draws each at what it loses a word. Drawn are the "
        "topics that together hold 99 %. Grouping changes what is shown, counted and exported, "
        "never what was learned."
    )
    read_as_table("topics-tree", lambda: _tree_table(moment, found, groups))


def _sentence(moment: Moment, groups: list[tuple[int, ...]]) -> str:
    if not groups:
        return "No two topics are so near; move the slider to the right."
    n = sum(map(len, groups))
    largest = max(groups, key=lambda topics: sum(map(moment.share, topics)))
    names = "; ".join(moment.name(topic) for topic in largest)
    return f"{n} topics would become {plural(len(groups), 'group')}. The largest: {plain(names)}."


def _tree_table(moment: Moment, found: Tree, groups: list[tuple[int, ...]]) -> pd.DataFrame:
    number = {topic: g + 1 for g, topics in enumerate(groups) for topic in topics}
    return pd.DataFrame(
        {
            "topic": [moment.head(topic) for topic in found.ids],
            "share": [moment.share(topic) for topic in found.ids],
            "group": [str(number.get(topic, "")) for topic in found.ids],
        }
    )
