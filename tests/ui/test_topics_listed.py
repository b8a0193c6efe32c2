"""The list of topics and the tree of those that are alike, on the Topics page, each part alone."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from bnpexplorer.explore.kinship import tree
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.parts.likeness import likeness_at, tree_at
from bnpexplorer.ui.topics import map as page
from tests.tools.alone import drawn, explored, handed, moment
from tests.tools.pages import button, check, field, texts

HELD = {9: [0, 1, 11, 12, 0], 4: [10, 5, 1, 0, 0], 2: [1, 0, 0, 1, 10]}
"""The words in each topic of `alone.moment`, rounded, without what eta adds."""


def tree_of(*ids):
    return tree(ids, np.array([HELD[topic] for topic in ids]))


@pytest.mark.parametrize("rows", [[], [0], [1]])
def test_a_row_chooses_the_topic_that_stands_there(monkeypatch, rows):
    """Also with hidden topics among them, and where the list is of some only."""
    went = []
    monkeypatch.setattr(page, "choose_topic", lambda *where: went.append(where))

    def ticked(*_, key, on_select, **__):
        page.st.session_state[key] = {"selection": {"rows": rows}}
        on_select()

    monkeypatch.setattr(page.st, "dataframe", ticked)
    table = pd.DataFrame({"topic": ["a", "b"]}).style
    drawn(page._list_of_one, moment(), [2, 4], 4, table)
    assert went == [("run-a", [2, 4][row]) for row in rows]


def test_the_tree_has_no_hidden_topic_and_its_groups_are_those_of_the_cut(monkeypatch):
    told = handed(monkeypatch, page)
    grouped, went = [], []
    monkeypatch.setattr(page, "group", lambda _, groups: grouped.append(groups))
    monkeypatch.setattr(page, "choose_topic", lambda *where: went.append(where))
    low, high = (joint.heights[1] for joint in tree_of(9, 4, 2).joints)
    (alone,) = (joint.heights[1] for joint in tree_of(9, 2).joints)
    for hidden, near, groups in (
        (frozenset(), (low + high) / 2, tree_of(9, 4, 2).groups((low + high) / 2)),
        (frozenset(), high + 0.01, [(9, 4, 2)]),
        (frozenset({4}), alone + 0.01, [(9, 2)]),
        (frozenset({4}), alone - 0.01, []),
    ):
        at = moment(Labels(hidden=hidden))
        app = drawn(page.tree_view, explored(at), topics_cut_run_a_5=near)
        table = told.tables["topics-tree"]
        ids = [topic for topic in (9, 4, 2) if topic not in hidden]
        assert sorted(table["topic"]) == sorted(at.head(topic) for topic in ids)
        number = {at.head(topic): "1" for one in groups for topic in one}
        assert table["group"].tolist() == [number.get(head, "") for head in table["topic"]]
        share = {at.head(topic): at.share(topic) for topic in ids}
        assert table["share"].tolist() == [share[head] for head in table["topic"]]
        n = sum(map(len, groups))
        said = button(app, f"Group these {n} topics as 1" if groups else "Group these")
        assert said.disabled != bool(groups)
        if groups:
            check(said.click().run())
            assert [sorted(one) for one in grouped.pop()] == [sorted(one) for one in groups]
    told.clicks["topics-tree"](9)
    assert went == [("run-a", 9)]
    watched = drawn(page.tree_view, explored(moment(), owned=False))
    assert not watched.button
    alone = moment(Labels(hidden=frozenset({4, 2})))
    assert "It takes two topics" in texts(drawn(page.tree_view, explored(alone)).info)


def test_the_largest_group_is_the_one_with_the_largest_share():
    at = moment(Labels({9: "<laws>"}))
    said = page._sentence(at, [(4, 2), (9,)])
    assert said.replace("\\", "") == "3 topics would become 2 groups. The largest: " + (
        f"{at.name(4)}; {at.name(2)}."
    )
    shares = {1: 0.5, 2: 0.1, 3: 0.2}
    few = SimpleNamespace(share=shares.get, name=lambda topic: f"topic {topic}")
    assert page._sentence(few, [(2, 3), (1,)]).endswith("The largest: topic 1.")
    said = page._sentence(at, [(9,), (2,)])
    assert said.replace("\\", "") == "2 topics would become 2 groups. The largest: <laws>."
    assert page._sentence(at, []) == "No two topics are so near; move the slider to the right."


def test_the_tree_is_of_the_words_in_topics_of_their_names():
    at, expected = moment(), tree_of(9, 4, 2)
    assert tree_at(at).ids == expected.ids
    assert tree_at(at).merges == pytest.approx(expected.merges)
    seen = tree_at(moment(Labels(hidden=frozenset({4}))))
    assert seen.ids == tree_of(9, 2).ids
    assert seen.merges == pytest.approx(tree_of(9, 2).merges)


def test_where_fewer_topics_are_shown_the_tree_is_of_these():
    at = moment()
    few = replace(at.topics, topic_ids=np.array([7, 5, 3]), total=at.topics.total[[1, 0, 2]])
    shown = at.about(SimpleNamespace(n_topics=3, topics=few, model=at.model))
    assert sorted(tree_at(at).ids) == [2, 4, 9]
    assert sorted(tree_at(shown).ids) == [3, 5, 7]
    assert not np.allclose(tree_at(shown).merges[:, 2], tree_at(at).merges[:, 2])


def test_a_topic_without_words_is_not_in_the_tree():
    """Rounded, it holds none beside what eta adds."""
    at = moment()
    total = np.where(at.topics.topic_ids == 4, 0.4, at.topics.total)
    shown = replace(at, snapshot=replace(at.snapshot, topics=replace(at.topics, total=total)))
    assert 4 in likeness_at(shown).ids
    assert sorted(tree_at(shown).ids) == [2, 9]


def test_the_cut_begins_where_the_tree_proposes(monkeypatch):
    handed(monkeypatch, page)
    at = moment()
    (slider,) = drawn(page.tree_view, explored(at)).slider
    assert slider.value == round(tree_of(9, 4, 2).proposed, 2)


def test_a_figure_that_tabs_share_is_made_anew_for_whatever_it_shows(monkeypatch):
    """Another topic that is chosen, another name, a hidden topic, another cut."""
    told, made = handed(monkeypatch, page), []
    said = Labels(), Labels({9: "laws"}), Labels({9: "acts"}), Labels(hidden=frozenset({2}))
    alike = [moment(labels) for labels in said]
    for at in alike:
        like = likeness_at(at)
        for chosen in (9, 4):
            drawn(page._map, at, like, at.ordered(), chosen)
            made.append(told.more["topics-map"]["same"])
    assert len(set(map(repr, made))) == 8
    made.clear()
    for at in alike:
        for cut in (0.2, 0.7):
            drawn(page.tree_view, explored(at), topics_cut_run_a_5=cut)
            made.append(told.more["topics-tree"]["same"])
    assert len(set(map(repr, made))) == 8


@pytest.fixture
def whole(monkeypatch):
    """The parts of the view, and what they are given."""
    found = {}
    for name in ("_map", "_facts", "_list", "label_fields", "parts_of_group", "about_topic"):
        monkeypatch.setattr(page, name, lambda *what, name=name: found.update({name: what}))
    for name in ("known_topics", "edit_topics"):
        monkeypatch.setattr(page, name, lambda *what: None)
    monkeypatch.setattr(page, "picture_of", lambda *what: found.update(picture=what))
    return found


@pytest.mark.parametrize("owned", [True, False])
def test_a_topic_that_was_just_hidden_leaves_the_list_and_keeps_its_details(whole, owned):
    at = moment(Labels(hidden=frozenset({9})))
    state = {"explored_topic": {"run-a": 9}}
    app = drawn(page.topics_view, explored(at, owned), **state)
    assert whole["_map"][2:] == ([4, 2], 9)
    assert whole["_list"][2:] == ([4, 2], 9)
    assert (whole["_facts"][2], whole["picture"][1], whole["about_topic"][1]) == (9, 9, 9)
    assert ("label_fields" in whole) == ("parts_of_group" in whole) == owned
    if owned:
        assert (whole["label_fields"][1], whole["parts_of_group"][1]) == (9, 9)
    check(field(app.selectbox, "Topic").set_value(2).run())
    assert (whole["_facts"][2], whole["picture"][1]) == (2, 2)
    drawn(page.topics_view, explored(at, owned), topics_hidden=True)
    assert whole["_map"][2:] == ([9, 4, 2], 9), "hidden ones too, where they are asked for"


def test_a_picture_is_that_of_the_topic_that_the_field_shows(whole, monkeypatch):
    monkeypatch.setattr(page, "topic_field", lambda at, ids: 2)
    drawn(page.topics_view, explored(moment()))
    assert (whole["_map"][3], whole["picture"][1], whole["_facts"][2]) == (9, 2, 2)


def test_what_is_not_known_is_not_said_of_a_topic(monkeypatch):
    at = moment()
    for value, said in ((float("nan"), False), (None, False), (-0.25, True)):
        known = None if value is None else {9: value}
        monkeypatch.setattr(page, "worked_out", lambda *_, known=known: known)
        words = texts(drawn(page._facts, at, likeness_at(at), 9).markdown)
        assert ("coherence −0.25" in words) == said
        assert ("coherence" in words) == said


@pytest.mark.parametrize("owned", [True, False])
def test_only_the_owner_is_told_to_group_duplicates(monkeypatch, owned):
    handed(monkeypatch, page)
    asked, at = [], moment()
    monkeypatch.setattr(page, "duplicates_of", lambda _: 3)
    monkeypatch.setattr(page, "duplicates_button", asked.append)
    drawn(page._list, explored(at, owned), likeness_at(at), [9, 4, 2], 9)
    assert asked == [3] * owned


def test_a_group_says_how_many_it_is_and_shares_are_drawn_beside_the_largest():
    at = moment(Labels(groups={9: (2,)}))
    like = replace(likeness_at(at), pairs=[])
    found = page._table(at, like, [9, 4], frozenset())
    assert found["remarks"].tolist() == ["2 topics as one", ""]
    scale = page._columns_of(at)["share"]["type_config"]
    assert (scale["min_value"], scale["max_value"]) == (0.0, pytest.approx(100 * 37 / 53))
