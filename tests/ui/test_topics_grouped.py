"""Topics that count as one, filler, and what counts the same: each part of the page alone."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from bnpexplorer.state.edits import Edit
from bnpexplorer.state.labels import Labels
from bnpexplorer.state.moment import Moment
from bnpexplorer.ui.parts import explore
from bnpexplorer.ui.topics import grouping
from tests.tools.alone import COUNTS, drawn, explored, moment
from tests.tools.pages import button, check, field, texts

LENGTHS = COUNTS.sum(axis=1).tolist()


@pytest.fixture
def labels(monkeypatch):
    """What the person has said of the topics so far, the newest last."""
    said = [Labels()]
    monkeypatch.setattr(grouping, "relabel", lambda _, change: said.append(change(said[-1])))
    return said


@pytest.fixture
def went(monkeypatch):
    found = []
    monkeypatch.setattr(grouping, "choose_topic", lambda *where: found.append(where))
    return found


# ---- groups --------------------------------------------------------------------------------------


def test_each_group_goes_by_its_largest_topic(labels, went):
    labels[-1] = before = Labels(groups={2: (7,)})
    drawn(grouping.group, explored(moment(before)), [[2, 4], [9, 3]][:1])
    assert labels[-1].groups == {4: (2, 7)}
    assert went == [("run-a", 4)]


@pytest.fixture
def library(monkeypatch):
    """What is kept beside the run, the newest last."""
    kept = []
    monkeypatch.setattr(explore.server, "library", lambda: None)
    monkeypatch.setattr(explore, "keep_labels", lambda _, run_id, labels: kept.append(labels))
    return kept


def said_of(found, *changes):
    """What a tab holds after these changes of a run."""

    def change():
        for one in changes:
            explore.relabel(found, one)

    return drawn(change).session_state[explore.UNDO]


def with_steps(owned=True, edits=()):
    """A run that was named and then grouped, its labels of before, and what the tab holds."""
    found = explored(moment(), owned=True, latest=SimpleNamespace(edits=()))
    entry = found.shown.entry
    entry.run_id, entry.labels = "run-a", Labels({3: "seas"})
    steps = said_of(found, lambda now: now.rename(4, "war"), lambda now: now.group((4, 2)))
    entry.background.latest = SimpleNamespace(edits=edits)
    return replace(found, shown=SimpleNamespace(entry=entry, owned=owned)), steps


def test_what_is_said_of_topics_is_taken_back_step_by_step(library, went):
    found, steps = with_steps()
    entry = found.shown.entry
    grouped = entry.labels
    assert grouped == Labels({3: "seas", 4: "war"}, groups={4: (2,)})
    entry.labels = grouped.show(30)  # how many topics are shown is no step
    app = drawn(grouping.undo_button, found, topics_undo=steps)
    check(button(app, "Undo").click().run())
    assert entry.labels == Labels({3: "seas", 4: "war"}).show(30)
    check(button(app, "Undo").click().run())
    assert entry.labels == library[-1] == Labels({3: "seas"}).show(30)
    assert not check(app.run()).button
    assert went[-1] == ("run-a", None)


@pytest.mark.parametrize(
    ("owned", "edits", "since", "there"),
    [
        (True, (), {}, True),
        (False, (), {}, False),
        (True, (Edit("delete", (3,)),), {}, False),
        (True, (Edit("run on"),), {}, True),
        (True, (), {5: "another tab's"}, False),
    ],
)
def test_only_the_last_word_of_its_owner_is_taken_back(library, owned, edits, since, there):
    """More passes change no topic."""
    found, steps = with_steps(owned, edits)
    for topic, name in since.items():
        found.shown.entry.labels = found.shown.entry.labels.rename(topic, name)
    app = drawn(grouping.undo_button, found, topics_undo=steps)
    assert bool(app.button) == there


def test_a_group_names_its_other_members_and_comes_apart(labels, went):
    at = moment(Labels({2: "<b>"}, groups={9: (2, 4)}))
    labels[-1] = at.labels
    app = drawn(grouping.parts_of_group, explored(at), 9)
    alone = at.ungrouped
    assert texts(app.caption).replace("\\", "") == f"One with {alone.head(2)}; {alone.head(4)}."
    check(button(app, "Take apart").click().run())
    assert labels[-1] == Labels({2: "<b>"})
    assert went == [("run-a", 9)]
    assert not drawn(grouping.parts_of_group, explored(at), 3).button
    gone = moment(Labels(groups={9: (77,)}))
    said = texts(drawn(grouping.parts_of_group, explored(gone), 9).caption)
    assert said == "The others of its group have come to their end."


@pytest.mark.parametrize(
    ("rows", "label", "group", "hide"),
    [
        ([], "Group them", False, False),
        ([2], "Group them", False, True),
        ([2, 0], "Group these 2", True, True),
    ],
)
def test_ticked_rows_are_the_topics_that_are_grouped_or_hidden(
    monkeypatch, labels, rows, label, group, hide
):
    groups = []
    monkeypatch.setattr(grouping, "group", lambda _, some: groups.append(some))
    ticked = {"selection": {"rows": rows}}
    monkeypatch.setattr(grouping.st, "dataframe", lambda *_, **more: ticked)
    table = pd.DataFrame({"topic": ["a", "b", "c"]}).style
    app = drawn(grouping.list_of_several, explored(moment()), [9, 4, 2], table, {})
    assert button(app, label).disabled != group
    assert button(app, "Hide them").disabled != hide
    if group:
        check(button(app, label).click().run())
        assert groups == [[[2, 9]]]
    if hide:
        check(button(app, "Hide them").click().run())
        assert labels[-1] == Labels(hidden=frozenset({[9, 4, 2][row] for row in rows}))


@pytest.mark.parametrize("owned", [True, False])
def test_only_the_owner_ticks(owned):
    app = drawn(grouping.several_switch, explored(moment(), owned))
    assert bool(app.toggle) == owned


# ---- filler --------------------------------------------------------------------------------------


def test_the_switch_says_how_much_filler_there_is(monkeypatch):
    monkeypatch.setattr(Moment, "_found_filler", frozenset({9, 2}))
    (switch,) = drawn(grouping.filler_switch, moment()).toggle
    assert switch.label == "Show 2 topics of filler (70\u00a0% of the words)"
    assert not switch.value
    pinned = moment(Labels(pinned=frozenset({9})), model="dpm")
    (switch,) = drawn(grouping.filler_switch, pinned).toggle
    assert switch.label.startswith("Show 1 cluster of filler (")
    named = moment(Labels(names={2: "Courtesies"}, pinned=frozenset({9})))
    assert not drawn(grouping.filler_switch, named).toggle


def test_a_group_goes_by_its_largest_topic_that_is_no_filler(monkeypatch, labels):
    monkeypatch.setattr(Moment, "_found_filler", frozenset({9}))
    drawn(grouping.group, explored(moment()), [[9, 4, 2]])
    assert labels[-1].groups == {4: (2, 9)}


# ---- what counts the same ------------------------------------------------------------------------


def test_what_counts_the_same_at_first_and_what_was_chosen(monkeypatch):
    answers = []

    def ask(at):
        answers[:] = [grouping.counted_now(at), grouping.usual(at)]

    for model, first in (("hdp", "words"), ("dpm", "documents")):
        drawn(ask, moment(model=model))
        assert answers == [first, first]
    drawn(ask, moment(), topics_counted="documents")
    assert answers == ["documents", "words"], "a view that does not ask goes by what was chosen"
    drawn(ask, moment(model="dpm"), topics_counted_before="words")
    assert answers == ["words", "words"], "an address of earlier"


def test_weights_are_lengths_where_words_count_and_what_counts_is_explained():
    at = moment()
    assert grouping.weights_of(at, "words").tolist() == LENGTHS
    assert grouping.weights_of(at, "documents") is None
    by_words, by_documents = (grouping.explained(at, c) for c in ("words", "documents"))
    assert by_words.startswith(
        "The share is of all words that count, so that long texts weigh more."
    )
    assert by_documents.startswith("The share is the mean over documents, long or short.")
    assert "Intervals are for 95 %, each alone: documents are the units of chance" in by_words
    assert grouping.basis_of(moment(model="dpm"), "documents").of == "of the documents"
    assert grouping.basis_of(at, "documents").of == "of the average document"


def test_texts_in_passages_are_counted_as_texts():
    units = np.array([0, 1, 1, 2, 0, 3])
    at = SimpleNamespace(corpus=SimpleNamespace(units=units))
    assert "the units of chance are 4 different texts, since" in grouping.units_of_chance(at)


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (None, ""),
        (["2001-01-01"], ""),
        (["NaT", "2001-01-01"], " 1 document without a date is left aside."),
        (["NaT", "2001-01-01", "NaT"], " 2 documents without a date are left aside."),
    ],
)
def test_documents_without_a_date_are_counted(days, said):
    dates = None if days is None else np.array(days, "datetime64[D]")
    assert grouping.undated(dates) == said


def test_the_field_shows_what_was_chosen():
    app = drawn(grouping.counted_field, moment(model="dpm"))
    assert field(app.get("button_group"), "What counts the same").value == "documents"
