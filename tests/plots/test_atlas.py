"""The map of texts as a figure: every document once, in its group's colour; names apart."""

import numpy as np
import pytest

from bnpexplorer.plots.atlas import Groups, atlas_figure, label_groups

PLACES = np.random.default_rng(0).normal(0, 20, (300, 2)).astype(np.float32)
HOVER = [f"<title> {row}" for row in range(300)]


def drawn(groups=None, years=None, names=None, **settings):
    return atlas_figure(PLACES, HOVER, groups, years, names or {}, False, **settings)


def test_every_document_stands_once_in_the_colour_of_its_group():
    of = np.arange(300) % 4
    figure = drawn(Groups(of, ["a", "b", "c", "d"], ["#111111", "#222222", "#333333"]))
    rows = np.concatenate([trace.customdata for trace in figure.data])
    assert sorted(rows) == list(range(300))
    for trace in figure.data:
        inks = {["#111111", "#222222", "#333333"][g] for g in of[trace.customdata] if g < 3}
        assert inks == ({trace.marker.color} if inks else set()), "what shares a grey has no ink"
        np.testing.assert_array_equal(trace.x, PLACES[trace.customdata, 0])
    assert figure.data[0].text[0] == "&lt;title&gt; 3", "titles are no HTML"


def test_years_colour_what_is_dated_and_the_rest_is_grey():
    years = np.where(np.arange(300) < 40, np.nan, np.arange(300.0))
    grey, dated = drawn(years=years).data
    assert len(grey.x) == 40
    np.testing.assert_array_equal(dated.marker.color, years[40:])


def test_what_is_outside_the_outline_is_faint():
    chosen = np.zeros(300, bool)
    chosen[[5, 9]] = True
    (trace,) = drawn(Groups(np.zeros(300, int), ["a"], ["#111111"]), chosen=chosen).data
    assert trace.customdata[trace.selectedpoints].tolist() == [5, 9]


def test_names_that_would_lie_on_a_more_important_one_are_left_out():
    names = {(0.0, 0.0): "<war>", (0.5, 0.1): "peace", (15.0, 15.0): "trade"}
    words = [
        a.text for a in drawn(Groups(np.zeros(300, int), ["a"], []), names=names).layout.annotations
    ]
    assert words == ["<b>&lt;war&gt;</b>", "<b>trade</b>"]


def test_no_two_labels_share_a_colour():
    groups = label_groups(np.zeros(3, int), [str(g) for g in range(20)], True)
    assert len(set(groups.inks)) == len(groups.inks) == 7


@pytest.mark.parametrize(
    ("first", "days", "expected"),
    [
        ("2021-01-01", 31, ["1 Jan 2021", "31 Jan 2021"]),
        ("2021-01-01", 0, ["1 Jan 2021", "1 Jan 2021"]),
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
