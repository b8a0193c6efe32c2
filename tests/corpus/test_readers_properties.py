"""Tables in: what other programs wrote is read back, cell by cell, whatever stands in the cells."""

import csv
import io
import json
from datetime import date, datetime

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnpexplorer.corpus.readers import json as readers_json
from bnpexplorer.corpus.readers.excel import excel_table
from bnpexplorer.corpus.readers.formats import read
from bnpexplorer.corpus.readers.json import json_table
from bnpexplorer.corpus.readers.source import ReadOptions, Upload
from bnpexplorer.corpus.readers.table import csv_table
from tests.tools.spreadsheets import excel

SIGNS = st.one_of(
    st.sampled_from(",;|\t\"' \n\r=+-@\\%äß中\u00a0\u2028\ufeff😀"),
    st.characters(exclude_categories=["Cs", "Cc"]),
)
"""Of text files: no controls but tabs and ends of lines."""
CELLS = st.text(SIGNS, max_size=12)
NAMES = st.text(st.characters(codec="ascii", categories=["Lu", "Ll"]), min_size=1, max_size=8)


@st.composite
def tables(draw, cells=CELLS, least=2):
    """Names of columns and rows of cells; in each row something is written."""
    names = draw(st.lists(NAMES, min_size=least, max_size=4, unique=True))
    row = st.lists(cells, min_size=len(names), max_size=len(names))
    return names, draw(st.lists(row.filter(any), min_size=1, max_size=5))


def cells_of(table):
    return [list(row.values()) for _, row in table.rows]


WAYS = [
    {"quoting": csv.QUOTE_ALL, "lineterminator": "\n"},
    {"quoting": csv.QUOTE_ALL, "lineterminator": "\r\n"},
    {"quoting": csv.QUOTE_MINIMAL, "lineterminator": "\r\n"},
]
"""Python 3.11 leaves a return in a cell without quotes where lines end without one."""


@pytest.mark.second
@given(
    tables(least=1),
    st.sampled_from(",;\t|"),
    st.sampled_from(WAYS),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_a_table_that_python_wrote_is_read_back(table, delimiter, way, codec):
    names, rows = table
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, **way).writerows([names, *rows])
    options = ReadOptions(delimiter=delimiter, header="yes", encoding=codec)
    found = csv_table(Upload("x.csv", out.getvalue().encode(codec), options=options))
    assert found.columns == names
    assert cells_of(found) == rows


@given(tables(), st.sampled_from(",;\t|"))
def test_a_table_that_pandas_wrote_is_read_back_without_being_told_how(table, sign):
    """Where all cells are in quotes no other delimiter parts the names."""
    names, rows = table
    frame = pd.DataFrame(rows, columns=names, dtype=object)
    data = frame.to_csv(index=False, sep=sign, quoting=csv.QUOTE_ALL).encode()
    found = csv_table(Upload("x.csv", data))
    assert found.columns == names
    assert cells_of(found) == rows


PLAIN = st.text(st.characters(codec="latin-1", categories=["Lu", "Ll"]), min_size=1, max_size=9)


@given(tables(PLAIN), st.sampled_from(["csv", "tsv", "jsonl", "json", "parquet"]))
def test_all_formats_give_the_same_texts_and_labels(table, kind):
    names, rows = table
    frame = pd.DataFrame(rows, columns=names, dtype=object)
    data = {
        "csv": lambda: frame.to_csv(index=False).encode(),
        "tsv": lambda: frame.to_csv(index=False, sep="\t").encode(),
        "jsonl": lambda: frame.to_json(orient="records", lines=True).encode(),
        "json": lambda: frame.to_json(orient="records", indent=1).encode(),
        "parquet": lambda: frame.to_parquet(),
    }[kind]()
    options = ReadOptions(text=names[0], label=names[1], id="-", title="-", date="-", header="yes")
    found = read(f"x.{kind}", data, options=options)
    assert found.texts == tuple(frame[names[0]])
    assert found.docs.label.tolist() == frame[names[1]].tolist()
    assert found.columns == tuple(names)


def written(value):
    """A cell of a spreadsheet as text: what a person would type to have it."""
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case datetime():
            return str(value) if value.time() != datetime.min.time() else str(value.date())
        case float():
            return f"{value:.15g}"
        case str():
            return value.strip()
    return str(value)


EXCEL = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**14), 10**14),
    st.decimals(-1000, 1000, places=3).map(float),
    st.dates(date(1900, 3, 1), date(9999, 12, 31)),
    st.datetimes(datetime(1900, 3, 1), datetime(2200, 1, 1)).map(
        lambda t: t.replace(microsecond=0)
    ),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=9),
)


@given(tables(EXCEL))
def test_a_sheet_is_read_back_as_people_write_its_cells(table):
    names, rows = table
    rows = [["begin", *row] for row in rows]
    data = excel({"one": [["first", *names], *rows]})
    found = excel_table(Upload("x.xlsx", data, options=ReadOptions(header="yes")))
    assert found.columns == ["first", *names]
    assert cells_of(found) == [[written(cell) for cell in row] for row in rows]


QUOTED = st.text(
    st.sampled_from('"\\\n\t\0') | st.characters(exclude_categories=["Cs", "Cc"]), max_size=8
)
"""JSON escapes the controls among these; a file with others as they are is refused as no text."""
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False)
    | QUOTED,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(QUOTED, inner, max_size=3),
    max_leaves=6,
)


def as_text(value):
    if value is None:
        return ""
    if isinstance(value, list):
        return " ".join(map(as_text, value))
    return json.dumps(value) if isinstance(value, dict) else str(value)


@pytest.mark.second
@pytest.mark.parametrize("as_list", [False, True])
@given(
    st.lists(st.dictionaries(NAMES, JSON, min_size=1, max_size=3), min_size=1, max_size=4),
    st.booleans(),
    st.sampled_from([None, 0, 3, "\t"]),
    st.integers(1, 40),
)
def test_json_is_read_as_python_reads_it_however_it_is_cut(
    as_list, items, ascii_alone, indent, cut
):
    if as_list:
        text = json.dumps(items, ensure_ascii=ascii_alone, indent=indent)
    else:
        text = "\n".join(json.dumps(item, ensure_ascii=ascii_alone) for item in items)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(readers_json, "CHUNK", cut)
        found = [row for _, row in json_table(Upload("x.json", text.encode())).rows]
    assert found == [{key: as_text(value) for key, value in item.items()} for item in items]
