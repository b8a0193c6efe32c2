"""CSV is written in one place: its cells, its lines and its encoding."""

import csv
import io
import math
import re
from pathlib import Path

import numpy as np
import pytest

from bnpexplorer.core import spreadsheet
from bnpexplorer.core.spreadsheet import cell, csv_text, encoded

PACKAGE = Path(spreadsheet.__file__).parents[1]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("plain", "plain"),
        ("=1+1", "'=1+1"),
        ('a "b", c', '"a ""b"", c"'),
        ("a\rb", '"a\rb"'),
        (None, ""),
        (math.nan, ""),
        (np.float32("nan"), ""),
        (-1.5, "-1.5"),
        (np.float64(-0.1), "-0.1"),
        (np.int64(-3), "-3"),
        (True, "True"),
        ((1, 2), '"(1, 2)"'),
    ],
)
def test_a_cell_is_text_without_formulas_or_a_number_or_nothing(value, written):
    assert cell(value) == written


def test_numbers_are_written_as_they_are_asked_for():
    assert cell(1 / 3, "{:.3f}".format) == "0.333"
    assert cell("1/3", "{:.3f}".format) == "1/3"
    assert cell(math.nan, "{:.3f}".format) == ""


def test_every_row_is_read_back_even_one_empty_cell_alone():
    rows = [["a\nb", ""], ["", "="], ["", ""]]
    text = csv_text(rows)
    assert text.endswith("\n")
    assert [*csv.reader(io.StringIO(text, newline=""))] == [["a\nb", ""], ["", "'="], ["", ""]]
    assert [*csv.reader(io.StringIO(csv_text([[""], ["x"]])))] == [[""], ["x"]]
    assert csv_text([]) == ""


def test_a_file_is_utf_8_with_a_mark_where_one_is_asked_for():
    assert encoded("Zürich\n") == "Zürich\n".encode()
    assert encoded("Zürich\n", bom=True) == b"\xef\xbb\xbf" + "Zürich\n".encode()


def test_nothing_else_writes_csv():
    other = re.compile(r"\bcsv\.(?:writer|DictWriter)\b|\.to_csv\b")
    assert other.search("frame.to_csv(index=False)")
    found = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if other.search(path.read_text("utf-8"))
    ]
    assert not found, "see core/spreadsheet.py"
