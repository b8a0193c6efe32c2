"""The numbers behind figures: read back from what is drawn, and written as CSV."""

import csv
import io

import numpy as np
import pandas as pd
import pytest

from bnpexplorer.claims import CLAIMS
from bnpexplorer.plots.claims import ClaimLine, against, words_figure
from bnpexplorer.plots.corpus import numbers_of, proportions_figure
from bnpexplorer.plots.style import base_figure, percent, topic_colour
from bnpexplorer.ui.parts.figure import csv_bytes
from tests.tools.moments import made


def test_words_in_a_table_are_shown_as_they_are_and_read_back():
    figure = words_figure(["<a> now"], [["<b> & 'c'", "d"]], False)
    assert list(figure.data[0].header.values) == ["&lt;a&gt; now"]
    assert [list(column) for column in figure.data[0].cells.values] == [
        ["&lt;b&gt; &amp; 'c'", "d"]
    ]
    assert numbers_of(figure) == {"<a> now": ["<b> & 'c'", "d"]}


def test_numbers_of_lines_are_medians_and_extremes():
    lines = [
        ClaimLine("a", 0, [{1.0: 5.0, 2.0: 7.0}, {1.0: 9.0}, {1.0: 6.0}]),
        ClaimLine("b", 1, [{2.0: 1.0}]),
    ]
    columns = numbers_of(against(lines, "seconds", "score", False))
    assert columns["line"] == ["a", "a", "b"]
    assert columns["seconds"] == [1.0, 2.0, 2.0]
    assert columns["score"] == [6.0, 7.0, 1.0]
    assert columns["lowest"] == [5.0, 7.0, 1.0]
    assert columns["highest"] == [9.0, 7.0, 1.0]


def test_numbers_of_a_table_are_its_columns():
    figure = words_figure(["first", "last"], [["war", "peace"], ["tax", "bank"]], True)
    assert numbers_of(figure) == {"first": ["war", "peace"], "last": ["tax", "bank"]}


def test_every_picture_of_a_claim_that_needs_no_trials_has_numbers():
    exact = [claim for claim in CLAIMS.values() if not claim.trials(1)]
    assert exact
    for claim in exact:
        for picture in claim.pictures({}):
            table = pd.DataFrame(numbers_of(picture.figure(False, 14)))
            assert len(table) > 1


def test_other_traces_are_refused():
    figure = base_figure(False)
    figure.add_pie(values=[1, 2])
    with pytest.raises(ValueError, match="pie"):
        numbers_of(figure)


def test_a_csv_keeps_numbers_and_disarms_formulas():
    table = pd.DataFrame(
        {"word": ["=1+1", "-x", "@a", "+b", "tax, income", 'a "b"'], "n": np.arange(-3, 3)}
    )
    rows = list(csv.DictReader(io.StringIO(csv_bytes(table).decode())))
    assert [row["word"] for row in rows] == ["'=1+1", "'-x", "'@a", "'+b", "tax, income", 'a "b"']
    assert [int(row["n"]) for row in rows] == [-3, -2, -1, 0, 1, 2]
    assert table["word"][0] == "=1+1", "the table itself stays as it is"


def test_names_of_columns_are_disarmed_too():
    assert csv_bytes(pd.DataFrame({"=1+1": [1], 3: [2]})) == b"'=1+1,3\n1,2\n"


def test_cells_of_every_kind_are_written_as_pandas_writes_them():
    table = pd.DataFrame(
        {
            "text": ["a, b", None, 'q"r', "l\nm"],
            "number": [1e-7, np.nan, -0.0, 12345678.123456789],
            "single": np.array([0.1, 0.2, np.nan, 1.0], np.float32),
            "count": [1, -2, 3, 10**12],
            "yes": [True, False, True, True],
            "any": [1, True, 1.0, "x"],
            "day": np.array(["2020-01-01", "NaT", "2021-05-06", "2020-01-01"], "datetime64[s]"),
        }
    )
    assert csv_bytes(table) == table.to_csv(index=False, lineterminator="\n").encode()
    empty = pd.DataFrame({"a": [], "b": []})
    assert csv_bytes(empty) == b"a,b\n"


def test_bars_of_a_document_have_topic_colours_names_and_numbers():
    moment = made({9: 5.0, 2: 5.0, 4: 5.0}, {9: "<b>", 2: "tax"})
    theta = np.array([0.7, 0.2, 0.004])
    (bars,) = proportions_figure(moment, theta, False).data
    assert list(bars.text) == ["70\u00a0%", "20\u00a0%", "10\u00a0%"], "0.4 % has no bar"
    moment = made(dict.fromkeys((9, 2, *range(20, 35)), 5.0), {9: "<b>", 2: "tax"})
    theta = np.array([0.7, 0.2, *[0.004] * 15])
    figure = proportions_figure(moment, theta, False)
    (bars,) = figure.data
    assert list(bars.text) == ["70\u00a0%", "20\u00a0%", "6\u00a0%", "4\u00a0%"]
    assert list(bars.marker.color)[:2] == [
        topic_colour(moment.look(topic), False) for topic in (9, 2)
    ]
    assert list(figure.layout.yaxis.ticktext) == [
        "9 · &lt;b&gt;",
        "2 · tax",
        "all others",
        "not yet seen",
    ]


def test_shares_are_never_rounded_to_nothing_or_all():
    found = [percent(x).replace("\u00a0", " ") for x in (0.0, 0.001, 0.25, 0.997, 1.0)]
    assert found == ["0 %", "under 0.5 %", "25 %", "99.7 %", "100 %"]
    assert percent(0.9999) == "over 99.9\u00a0%"
    assert percent(0.9996, 1) == "99.96\u00a0%"
    assert percent(1.0 - 1e-9, 1) == "over 99.99\u00a0%"
    assert percent(0.0002, 1) == "under 0.05\u00a0%"
    assert percent(0.0916, 1) == "9.2\u00a0%"
