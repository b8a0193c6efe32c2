"""The list of topics and the tree of those that are alike, on the Topics page, each part alone."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from bnpexplorer.explore.likeness import tree
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.topics import map as page
from tests.tools.alone import drawn, explored, handed, moment
from tests.tools.pages import button, check, texts

DISTANCES = np.array([[0.0, 0.3, 0.5], [0.3, 0.0, 0.6], [0.5, 0.6, 0.0]])
LIKE = SimpleNamespace(ids=(9, 4, 2), distances=DISTANCES)


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
    monkeypatch.setattr(page, "likeness_at", lambda at: LIKE)
    monkeypatch.setattr(page, "group", lambda _, groups: grouped.append(groups))
    monkeypatch.setattr(page, "choose_topic", lambda *where: went.append(where))
    for hidden, near, groups in (
        (frozenset(), 0.31, [(9, 4)]),
        (frozenset(), 0.7, [(9, 4, 2)]),
        (frozenset({4}), 0.51, [(9, 2)]),
        (frozenset({4}), 0.49, []),
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
    said = page._sentence(at, [(9,), (2,)])
    assert said.replace("\\", "") == "2 topics would become 2 groups. The largest: <laws>."
    assert page._sentence(at, []) == "No two topics are so near; move the slider to the right."


def test_rows_of_the_tree_are_of_the_topics_of_their_names():
    found = page._tree(LIKE, [2, 0])
    expected = tree([2, 9], np.array([[0.0, 0.5], [0.5, 0.0]]))
    assert found.ids == expected.ids
    assert found.groups(0.6) == expected.groups(0.6)
