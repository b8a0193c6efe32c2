"""The map of texts as a figure: every document once, in its group's colour; names apart."""

import re

import numpy as np
import pytest

from bnpexplorer.plots.atlas import Groups, Name, atlas_figure, label_groups, topic_groups
from bnpexplorer.plots.style import IF_ROOM, topic_colours

PLACES = np.random.default_rng(0).normal(0, 20, (300, 2)).astype(np.float32)


def drawn(groups=None, years=None, names=None, **settings):
    return atlas_figure(PLACES, groups, years, names or [], False, **settings)


def test_every_document_stands_once_in_the_colour_of_its_group():
    of = np.arange(300) % 4
    figure = drawn(Groups(of, ["a", "b", "c", "d"], ["#111111", "#222222", "#333333"]))
    rows = np.concatenate([trace.customdata for trace in figure.data])
    assert sorted(rows) == list(range(300))
    for trace in figure.data:
        inks = {["#111111", "#222222", "#333333"][g] for g in of[trace.customdata] if g < 3}
        assert inks == ({trace.marker.color} if inks else set()), "what shares a grey has no ink"
        np.testing.assert_array_equal(trace.x, PLACES[trace.customdata, 0])
    asked = re.findall("%{.*?}", drawn(Groups(np.zeros(300, int), ["%{y} sea"], ["red"])).to_json())
    assert set(asked) == {"%{text}"}, "names ask plotly for nothing"


def test_years_colour_what_is_dated_and_the_rest_is_grey():
    years = np.where(np.arange(300) < 40, np.nan, np.arange(300.0))
    grey, dated = drawn(years=years).data
    assert len(grey.x) == 40
    np.testing.assert_array_equal(dated.marker.color, years[40:])


def test_documents_without_a_group_are_grey():
    (grey, one) = drawn(Groups(np.arange(300) % 3 - 1, ["a"], ["#111111"])).data
    assert len(grey.x) == 200
    assert one.customdata.tolist() == list(range(1, 300, 3))


def test_what_is_outside_the_outline_is_faint_and_its_corners_are_drawn():
    chosen = np.zeros(300, bool)
    chosen[[5, 9]] = True
    corners = np.array([0.0, 4.0, 4.0]), np.array([1.0, 1.0, 2.5])
    groups = Groups(np.zeros(300, int), ["a"], ["#111111"])
    figure = drawn(groups, chosen=chosen, outline=corners)
    (trace,) = figure.data
    assert trace.customdata[trace.selectedpoints].tolist() == [5, 9]
    two = drawn(Groups(np.arange(300) % 2, ["a", "b"], ["#111111", "#222222"]), chosen=chosen)
    assert [trace.selectedpoints.tolist() for trace in two.data] == [[], [2, 4]], "places in each"
    (shape,) = figure.layout.shapes
    assert shape.path == "M0,1L4,1L4,2.5Z"
    assert figure.layout.selectionrevision != drawn(groups).layout.selectionrevision


def test_names_are_no_html_and_the_browser_leaves_out_what_has_no_room():
    names = [Name(0.0, 0.0, "<war>", "#111111"), Name(0.5, 0.1, "a" * 60)]
    first, second = drawn(Groups(np.zeros(300, int), ["a"], []), names=names).layout.annotations
    assert (first.text, first.name) == ("<b>&lt;war&gt;</b>", IF_ROOM)
    assert len(second.text) < 40
    assert first.bordercolor == "#111111"


def test_fifty_thousand_points_are_a_megabyte():
    rng = np.random.default_rng(1)
    places = rng.normal(0, 20, (50_000, 2)).astype(np.float32)
    groups = Groups(rng.integers(0, 14, 50_000), ["a"] * 14, ["#111111"] * 14)
    figure = atlas_figure(places, groups, None, [], False)
    assert len(figure.to_json(validate=False)) < 860_000  # places 533,000 and documents 267,000


def test_a_zoom_lasts_as_long_as_the_places_do():
    groups = Groups(np.zeros(300, int), ["a"], ["#111111"])
    revision = drawn(groups).layout.uirevision
    assert drawn(years=np.arange(300.0)).layout.uirevision == revision
    assert drawn(groups, drawn=np.arange(9)).layout.uirevision == revision
    other = atlas_figure(2.0 * PLACES, groups, None, [], False)
    assert other.layout.uirevision != revision, "a zoom into another round's map means nothing"


def test_groups_of_topics_have_the_colours_of_the_first_looks():
    largest, looks = np.array([0, 19, 3]), list(range(5, 25))
    groups = topic_groups(largest, looks, [f"t{k}" for k in range(20)], True)
    assert groups.of.tolist() == [0, 19, 3]
    assert groups.names[19] == "t19"
    assert groups.inks == topic_colours(looks[:14], True)


def test_no_two_labels_share_a_colour():
    groups = label_groups(np.zeros(3, int), [str(g) for g in range(20)], True)
    assert len(set(groups.inks)) == len(groups.inks) == 7


@pytest.mark.parametrize(
    ("first", "days", "expected"),
    [
        ("2021-01-01", 31, ["1 Jan 2021", "31 Jan 2021"]),
        ("2021-01-01", 0, ["1 Jan 2021", "1 Jan 2021"]),
        ("2020-02-01", 100, ["1 Feb 2020", "10 May 2020"]),
        ("2020-02-01", 183, ["1 Feb 2020", "1 Aug 2020"]),
        ("2020-02-01", 184, ["Feb 2020", "Aug 2020"]),
        ("2020-02-01", 1700, ["Feb 2020", "Sep 2024"]),
    ],
)
def test_marks_of_the_colour_bar_are_dates_that_differ(first, days, expected):
    day = np.datetime64(first).astype(int) + np.linspace(0, max(days - 1, 0), 300).round()
    (dated,) = drawn(years=1970 + day / 365.2425).data
    bar = dated.marker.colorbar
    assert [bar.ticktext[0], bar.ticktext[-1]] == expected
    assert len(set(bar.ticktext)) == len(bar.ticktext) == (6 if days else 1)


def test_over_several_years_the_colour_bar_has_years():
    assert drawn(years=np.linspace(2000, 2010, 300)).data[0].marker.colorbar.tickformat == "d"
