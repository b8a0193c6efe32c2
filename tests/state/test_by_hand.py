"""What a person did and said of topics: its sentences and limits, and how it is kept."""

import pytest

from bnpexplorer.state import labels as labels_module
from bnpexplorer.state.edits import LETTERS, Edit, check_edit, listed
from bnpexplorer.state.labels import Labels


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (
            Edit("merge", names=("sea", "ships"), docs_seen=12_345, step=7),
            "sea and ships merged into one after 12,345 documents.",
        ),
        (
            Edit("split", names=("sea",), children=(3, 8), docs_seen=60),
            "sea split in two after 60 documents.",
        ),
        (Edit("delete", names=("sea",), docs_seen=60), "sea deleted after 60 documents."),
        (Edit("run on", passes=1, planned=5, docs_seen=60), "1 more pass after 60 documents."),
        (
            Edit("run on", passes=1200, planned=5, docs_seen=60),
            "1,200 more passes after 60 documents.",
        ),
    ],
)
def test_what_was_done_is_said_in_a_sentence(edit, sentence):
    assert edit.sentence == sentence


def test_of_many_names_the_first_four_are_listed():
    names = [f"n{i}" for i in range(1205)]
    assert [listed(names[:n]) for n in range(6)] == [
        "",
        "n0",
        "n0 and n1",
        "n0, n1 and n2",
        "n0, n1, n2 and n3",
        "n0, n1, n2, n3 and 1 more",
    ]
    assert listed(names) == "n0, n1, n2, n3 and 1,201 more"


def test_long_names_are_cut():
    edit = Edit("merge", names=("x" * (LETTERS + 1), "y" * LETTERS, "z"))
    assert edit.names == ("x" * 200, "y" * 200, "z")


ONE = "Choose one topic to split."
TWO = "Choose two topics or more to merge."
SOME = "Choose topics to delete, and leave one at least for their words."


@pytest.mark.parametrize(
    ("kind", "topics", "said"),
    [
        ("merge", [4, 2], ""),
        ("merge", [4, 2, 9], ""),
        ("merge", [4], TWO),
        ("split", [4], ""),
        ("split", [], ONE),
        ("split", [4, 2], ONE),
        ("delete", [4, 2], ""),
        ("delete", [2, 4, 9], SOME),
        ("delete", [], SOME),
        ("delete", [2, 7, 4], "There is no topic 7 now; it has come to its end."),
        ("merge", [4, 2, 4], "A topic was named twice."),
        ("cut", [4], "Topics are merged, split or deleted; got 'cut'."),
        ("run on", [4], "Topics are merged, split or deleted; got 'run on'."),
    ],
)
def test_what_can_be_done_to_topics_in_use(kind, topics, said):
    if not said:
        check_edit(kind, topics, {2, 4, 9})
        return
    with pytest.raises(ValueError, match=rf"^{said}$"):
        check_edit(kind, topics, {2, 4, 9})


# ---- labels --------------------------------------------------------------------------------------


def test_each_thing_that_is_said_is_taken_back_alone():
    labels = Labels({3: "sea", 4: "tax"}, frozenset({3, 5}), frozenset({3, 6}), {}, frozenset({3}))
    assert labels.rename(3, "  the sea ").names == {3: "the sea", 4: "tax"}
    assert labels.rename(3, "  ").names == labels.rename(3, "").names == {4: "tax"}
    assert labels.pin(3, False).pinned == {6}
    assert labels.pin(8).pinned == {3, 6, 8}
    shown = labels.hide(3, False)
    assert (shown.hidden, shown.folded, shown.pinned) == ({5}, set(), {3, 6})
    assert (labels.hide(8).hidden, labels.hide(8).folded) == ({3, 5, 8}, {3})
    assert labels.unseen == {3, 5}
    assert labels.group([4, 9]).members(4) == (4, 9)


def test_of_a_split_only_the_other_part_is_new_and_flags_of_a_deleted_topic_go():
    flags = frozenset({3, 5}), frozenset({3, 6})
    labels = Labels({3: "sea", 12: "old"}, *flags, {3: (5, 6)}, frozenset({3, 8}), 30)
    assert labels.after(Edit("split", (3,), children=(3, 12))) == labels
    gone = labels.after(Edit("delete", (3,)))
    assert (gone.names, gone.hidden, gone.pinned, gone.folded) == ({12: "old"}, {5}, {6}, {8})
    assert (gone.groups, gone.about) == ({5: (6,)}, 30)
    assert labels.after(Edit("delete", (5, 6))).groups == {}


def test_what_was_said_is_written_by_parts_and_read_with_limits(monkeypatch):
    said = Labels({30: "sea"}, frozenset({9, 4}), frozenset({8}), {7: (2, 5)}, frozenset({6}))
    tree = {
        "names": {"30": "sea"},
        "hidden": [4, 9],
        "pinned": [8],
        "groups": {"7": [2, 5]},
        "folded": [6],
    }
    assert said.to_json() == tree
    assert said.show(0).to_json() == tree | {"about": 0}
    assert Labels.from_json(tree | {"about": 20}) == said.show(20)
    assert Labels.from_json(tree | {"groups": {"7": [5, 2]}}) == said
    for part, empty in (("names", {}), ("hidden", []), ("groups", {}), ("folded", [])):
        left = {key: value for key, value in tree.items() if key != part}
        assert Labels.from_json(left) == Labels.from_json(tree | {part: empty}) != said
    with pytest.raises(ValueError, match="share a topic"):
        Labels.from_json({"groups": {"7": [2, 7]}})
    monkeypatch.setattr(labels_module, "MOST_GROUPED", 3)
    assert Labels.from_json(tree) == said
    with pytest.raises(ValueError, match="or are too many"):
        Labels.from_json({"groups": {"7": [2, 5, 6]}})
