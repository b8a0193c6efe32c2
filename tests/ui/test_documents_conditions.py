"""Conditions on documents, on the Documents page: form, chips, what passes, and the file of it."""

import numpy as np
import pytest

from bnpexplorer.explore.choosing import Filter, picked
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.documents import filtering
from tests.tools.alone import SHARES, asked, drawn, explored, found_in, moment
from tests.tools.pages import button, check, field, texts

NB = "\u00a0"


@pytest.fixture
def cut(monkeypatch):
    monkeypatch.setattr(filtering, "found_in", found_in)


def test_every_condition_has_a_chip_in_words_that_takes_just_it_away(monkeypatch):
    at, said = moment(), []
    every = Filter(
        ("sea", "state"), ("garden",), "2001-01-02", "2003-04-05", ("tide", "tax"), 9, 0.25,
        picked(np.array([1, 2, 5]), 6),
    )  # fmt: skip
    assert filtering.chips_of(at, every) == {
        "picked": "3 texts of an outline on the map",
        "labels": "sea or state",
        "but": "a label other than garden",
        "since": "2 January 2001 to 5 April 2003",
        "words": "uses tide and tax",
        "topic": f"at least 25{NB}% {at.name(9)}",
    }
    assert filtering.chips_of(at, Filter(topic=77))["topic"] == f"at least 10{NB}% gone"
    monkeypatch.setattr(filtering, "choose_documents", lambda *what: said.append(what))
    app = drawn(filtering._chips, at, every, documents_filter={"run-a": every})
    for part in ("picked", "labels", "but", "words", "topic"):
        check(button(app, key=f"documents-chip-{part}").click().run())
        assert said.pop() == ("run-a", every.without(part))
    check(button(app, key="documents-chip-since").click().run())
    assert said.pop() == ("run-a", every.without("since").without("until"))


@pytest.mark.usefixtures("cut")
def test_every_field_of_the_form_changes_its_own_condition():
    found = explored(moment())
    before = Filter(labels=("sea",), topic=9, least=0.33)
    app = drawn(filtering._form, found, before, documents_filter={"run-a": before})

    def now():
        return app.session_state["documents-filter"]["run-a"]

    assert field(app.multiselect, "Label").options == ["state", "sea", "garden"]
    assert field(app.multiselect, "Label").value == ["sea"]
    slider = field(app.select_slider, "with at least this share of the document")
    assert slider.value == 0.3, "the nearest of those offered"
    first, last = (np.datetime64(day).item() for day in ("2001-02-03", "2003-08-09"))
    for name in ("From", "To"):
        assert (field(app.date_input, name).min, field(app.date_input, name).max) == (first, last)
    check(field(app.date_input, "From").set_value(np.datetime64("2002-01-05").item()).run())
    assert now() == Filter(("sea",), since="2002-01-05", topic=9, least=0.33)
    check(field(app.text_input, "Uses the words").set_value("tax xyzzy law").run())
    assert now().words == ("tax", "law")
    assert "Not in the vocabulary: xyzzy." in texts(app.caption)
    assert "Not in the vocabulary" not in texts(check(app.run()).caption), "it is said once"
    check(field(app.selectbox, "Holds the topic").set_value(2).run())
    assert now().topic == 2
    assert now().labels == ("sea",)


def test_conditions_are_shown_as_far_as_the_fields_can():
    asked_for = Filter(since="1999-01-01", until="2010-01-01", topic=77)
    app = drawn(filtering._form, explored(moment()), asked_for)
    days = [str(field(app.date_input, name).value) for name in ("From", "To")]
    assert days == ["2001-02-03", "2003-08-09"]
    assert field(app.selectbox, "Holds the topic").value is None
    gone = Filter(labels=("sea", "long gone"), topic=9)
    hidden = explored(moment(Labels(hidden=frozenset({9}))))
    app = drawn(filtering._form, hidden, gone)
    assert field(app.multiselect, "Label").value == ["sea"]
    assert field(app.selectbox, "Holds the topic").value is None
    assert not drawn(filtering._form, explored(moment()), Filter()).select_slider


@pytest.mark.parametrize(
    ("asked_for", "rows", "found", "said"),
    [
        (Filter(), [3, 1, 0], [3, 1, 0], ""),
        (Filter(labels=("sea",)), [3, 1, 0], [1, 0], "2 of 3 documents pass the filter."),
        (Filter(labels=("garden",)), [3, 1, 0], [], "No document of this list is left:"),
        (Filter(labels=("sea",)), [1, 0], [1, 0], ""),
        (Filter(labels=("sea",)), [], [], ""),
        (Filter(topic=9, least=0.8), [4, 3, 2], [3, 2], "2 of 3 documents pass the filter."),
        (Filter(topic=2, least=0.8), [4, 3, 2], [4], "1 of 3 documents pass the filter."),
        (Filter(topic=77), [4, 3], [], "No document of this list is left:"),
    ],
)
def test_a_filter_keeps_the_order_of_the_list(asked_for, rows, found, said):
    state = {"documents_filter": {"run-a": asked_for}}
    given = explored(moment()), np.array(rows, int), SHARES
    app, (got,) = asked(filtering.filtered, *given, **state)
    assert got.tolist() == found
    assert texts(app.caption).startswith(said)
    assert bool(texts(app.caption)) == bool(said)


def test_a_share_is_asked_for_again_once_the_documents_are_read(monkeypatch):
    """Until then all pass."""
    state = {"documents_filter": {"run-a": Filter(topic=9, least=0.8)}}
    found = explored(moment())
    for shares, left in ((None, [4, 3, 2]), (SHARES, [3, 2]), (None, [4, 3, 2])):
        _, (got,) = asked(filtering.filtered, found, np.array([4, 3, 2]), shares, **state)
        assert got.tolist() == left


@pytest.mark.parametrize("gone", ["run-a", "run-b"])
def test_an_outline_of_another_tab_is_said_to_be_gone(gone):
    state = {"documents_picked_gone": gone}
    app, _ = asked(filtering.filtered, explored(moment()), np.array([1]), SHARES, **state)
    said = "asks for the texts of an outline that only the tab that drew it had"
    assert (said in texts(app.info)) == (gone == "run-a")


@pytest.mark.parametrize(
    ("rows", "most", "label"),
    [
        ([4], 1000, "Download this document"),
        ([4, 0, 2], 1000, "Download these 3 documents"),
        ([4, 0, 2], 20, "Download the first 2 of these 3 documents"),
        ([4, 0, 2], 9, "Download the first 1 of these 3 documents"),
        ([4, 0, 2], 30, "Download these 3 documents"),
    ],
)
def test_the_file_has_the_documents_of_the_list_as_far_as_it_says(monkeypatch, rows, most, label):
    made = {}
    monkeypatch.setattr(filtering, "MOST_CELLS", most)
    monkeypatch.setattr(
        filtering.st, "download_button", lambda words, data, **more: made.update({words: data()})
    )
    at = moment(Labels(hidden=frozenset({9})))
    app = drawn(filtering.export_button, explored(at), np.array(rows), SHARES)
    ((words, data),) = made.items()
    head = data.decode("utf-8-sig").splitlines()[0]
    assert all(at.head(topic) in head for topic in (4, 9, 2)), "hidden ones, too"
    assert words == label
    shown = int(label.split("first ")[1].split(" ")[0]) if "first" in label else len(rows)
    lines = data.decode("utf-8-sig").splitlines()[1:]
    assert [line.split(",")[0] for line in lines] == [str(row + 1) for row in rows[:shown]]
    assert ("export run-a tables.zip" in texts(app.caption)) == ("first" in label)


def test_words_of_texts_that_came_as_counts_are_those_between_blanks(monkeypatch):
    monkeypatch.setattr(filtering, "settings_of", lambda loaded: None)
    known, unknown = filtering.words_of(explored(moment()), "tax b a tax")
    assert (known, unknown) == (("tax",), ("b", "a"))
