"""What changed, on the Topics page: which sides are asked for, and which way leads to which."""

import numpy as np
import pytest

from bnpexplorer.explore.choosing import Filter
from bnpexplorer.explore.sentences import Sides
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.topics import changed, two_sides
from tests.tools.alone import SHARES, drawn, explored, moment
from tests.tools.pages import check, field, texts


@pytest.mark.parametrize(
    ("days", "cut"),
    [
        ([], None),
        ([1], None),
        ([1, 1], None),
        ([1, 2], 2),
        ([1, 2, 3], 2),
        ([1, 2, 3, 4], 3),
        ([1, 1, 1, 4], 4),
        ([1, 4, 4, 4], 4),
    ],
)
def test_the_later_half_begins_after_the_first_day(days, cut):
    known = np.array([f"2001-01-0{day}" for day in days], "datetime64[D]")
    found = two_sides.half_way(known)
    assert found == (None if cut is None else np.datetime64(f"2001-01-0{cut}"))


def test_two_times_begin_at_the_halves_and_each_field_changes_its_own_end(monkeypatch):
    found, noted = explored(moment()), []
    monkeypatch.setattr(two_sides, "_sides", lambda _, asked, called: noted.append((asked, called)))
    app = drawn(two_sides.two_times, found, found.moment.corpus.docs.date)
    days = ["2001-02-03", "2002-03-03", "2002-03-04", "2003-08-09"]
    assert [(d.label, str(d.value)) for d in app.date_input] == list(
        zip(["Before: from", "Before: to", "After: from", "After: to"], days, strict=True)
    )
    for place, day in enumerate(["2001-03-01", "2001-04-01", "2002-05-01", "2003-06-01"]):
        days[place] = day
        check(app.date_input[place].set_value(np.datetime64(day).item()).run())
        asked, called = noted[-1]
        assert [asked[0].since, asked[0].until, asked[1].since, asked[1].until] == days
    assert called == Sides("1 March 2001 to 1 April 2001", "1 May 2002 to 1 June 2003")


def test_two_labels_are_at_first_the_two_largest_and_each_is_its_own_side(monkeypatch):
    found, noted = explored(moment()), []
    monkeypatch.setattr(two_sides, "_sides", lambda _, *what: noted.append(what))
    app = drawn(two_sides.two_labels, found)
    assert noted.pop() == ((Filter(("state",)), Filter(("sea",))), Sides("state", "sea", True))
    check(field(app.selectbox, "One label").set_value("garden").run())
    assert noted.pop() == ((Filter(("garden",)), Filter(("sea",))), Sides("garden", "sea", True))
    check(field(app.selectbox, "Another").set_value("state").run())
    assert noted.pop()[1] == Sides("garden", "state", True)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ((Filter(("sea",)), Filter(("nowhere",))), "There is no document from two."),
        ((Filter(("nowhere",)), Filter(("sea",))), "There is no document from one."),
        ((Filter(("sea",)), Filter(("sea", "state"))), "The two ranges share documents;"),
    ],
)
def test_a_side_without_documents_is_named(asked, said):
    app = drawn(two_sides._sides, explored(moment()), asked, Sides("one", "two"))
    assert texts(app.warning).startswith(said)


def test_a_hidden_topic_is_not_compared_and_where_all_are_the_page_says_so():
    hidden = moment(Labels(hidden=frozenset({4, 9, 2})))
    assert "Every topic in use is hidden." in texts(
        drawn(changed.groups_view, explored(hidden)).info
    )


@pytest.mark.parametrize(
    ("way", "led"),
    [
        ("found", ["_found_by_itself"]),
        ("dates", ["two_times", "of two_times"]),
        ("labels", ["two_labels", "of two_labels"]),
    ],
)
def test_each_way_leads_to_its_own_comparison(monkeypatch, way, led):
    went = []
    monkeypatch.setattr(changed, "proportions", lambda _: SHARES)
    for name in ("_found_by_itself", "two_times", "two_labels"):
        monkeypatch.setattr(changed, name, lambda *_, name=name: went.append(name) or f"of {name}")
    monkeypatch.setattr(changed, "_between", lambda _, __, sides, *___: went.append(sides))
    app = drawn(changed.groups_view, explored(moment()), **{changed.WAY: way})
    assert went == led
    assert not app.info


@pytest.mark.parametrize(
    ("n_dated", "said"),
    [
        (0, "None of these 1,200 texts has a date to compare."),
        (1, "Only one of these 1,200 texts has a date to compare."),
        (1100, "All 1,100 texts that have a date have the same one."),
        (1200, "All these texts have the same date."),
    ],
)
def test_why_there_are_no_two_times(n_dated, said):
    days = np.full(1200, np.datetime64("NaT", "D"))
    days[:n_dated] = np.datetime64("2001-02-03")
    todo = " Compare two labels, or load texts of other days."
    assert two_sides.too_few_dates(days) == said + todo
    days[:2] = np.array(["2001-02-03", "2001-02-04"], "datetime64[D]")
    assert two_sides.too_few_dates(days) == ""


def test_days_that_no_field_can_hold_are_left_out_and_the_others_sorted():
    days = ["2021-03-04", "NaT", "12000-01-01", "2020-01-02", "-0005-01-01"]
    known = two_sides._known(np.array(days, "datetime64[D]"))
    assert known.astype(str).tolist() == ["2020-01-02", "2021-03-04"]
