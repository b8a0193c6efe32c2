"""CSV as programs write it: delimiters, quotes, line ends, rows above the names, below the data."""

import csv
import io

import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers.formats import read
from bnpexplorer.corpus.readers.source import ReadOptions
from tests.tools.readers import notes

LINE = "The sea and the hill were grey, and nobody went out that day for long"
DAYS = [f"2014-03-{day:02}" for day in range(1, 13)]
LONG_QUESTION = (
    "Please describe in your own words what went well last year, and what you would change if you "
    "could decide all of it alone."
)


def written(rows, **how):
    file = io.StringIO()
    csv.writer(file, lineterminator="\n", **how).writerows(rows)
    return file.getvalue()


def body(n=12):
    return [(f"{LINE} {i}", DAYS[i % 12], ("left", "right")[i % 2]) for i in range(n)]


NAMES = ("text", "date", "party")
PLAIN = written([NAMES, *body()])


def opened(content, name="t.csv", **options):
    data = content if isinstance(content, bytes) else content.encode()
    return read(name, data, options=ReadOptions(as_of="2026-03-05", **options))


def check(source, n=12):
    """The twelve texts with their dates and parties."""
    assert source.texts == tuple(text for text, _, _ in body(n))
    assert source.chosen == {"text": "text", "date": "date", "label": "party"}
    assert source.docs.date.astype(str).tolist() == [day for _, day, _ in body(n)]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_delimiter_that_fits_best_and_any_line_end(delimiter, end):
    check(opened(written([NAMES, *body()], delimiter=delimiter).replace("\n", end)))


@pytest.mark.parametrize("first", ["sep=;\n", '"sep=;"\r\n', "\ufeffsep=;\n", "SEP=;\n"])
def test_excels_line_names_the_delimiter(first):
    check(opened(first + written([NAMES, *body()], delimiter=";")))


def test_a_delimiter_of_excels_line_that_is_no_usual_one():
    check(opened("sep=~\n" + written([NAMES, *body()], delimiter="~")))


def test_backslashes_before_quotes():
    rows = "\n".join(f'"He said \\"{LINE}\\" {i}","{DAYS[i]}",\\N' for i in range(12))
    source = opened(f"text,date,party\n{rows}")
    assert source.texts[3] == f'He said "{LINE}" 3'
    assert "a backslash before quotes" in notes(source)
    doubled = opened(written([NAMES, *((f'"a\\" {t}', d, p) for t, d, p in body())]))
    assert doubled.texts[0] == f'"a\\" {body()[0][0]}', "doubled quotes fit"
    assert "backslash" not in notes(doubled)


def test_single_quotes_around_fields():
    quoted = written([NAMES, *body()], quotechar="'", quoting=csv.QUOTE_ALL)
    source = opened(quoted)
    check(source)
    assert "single quotes around fields" in notes(source)
    apostrophes = opened(written([NAMES, *((f"'Tis {t}", d, p) for t, d, p in body())]))
    assert apostrophes.texts[0].startswith("'Tis ")


@pytest.mark.parametrize(
    "above",
    [
        "Report: articles\n",
        "Report: articles,,\nExported on 2026-03-04,,\n,,\n",
        "Name;News\nUser;me\n\n",
        "Report\n" * 9,
    ],
)
def test_rows_above_the_names_are_left_out(above):
    source = opened(above + PLAIN)
    check(source)
    assert "The names of the columns are in row" in notes(source)


@pytest.mark.parametrize(
    "below", ["Total: 12\n", "Total,,12\n", "Summe;12\n", '"Source: an archive",,\n', "Итого,12,\n"]
)
def test_a_total_below_is_left_out_and_said(below):
    source = opened(PLAIN + below)
    check(source)
    assert "holds a total, and was left out" in notes(source)


def test_a_last_text_that_begins_like_a_total_stays():
    last = ("Total war is what nobody in this house has ever wanted", "2014-04-01", "left")
    assert opened(written([NAMES, *body(), last])).n_docs == 13


def test_ragged_rows_are_refused_with_their_line_or_left_out():
    lines = PLAIN.splitlines()
    lines[5] += ",more"
    with pytest.raises(
        CorpusError,
        match=r"line 6: 4 fields where the header has 3.*leave out rows of another width",
    ):
        opened("\n".join(lines))
    source = opened("\n".join(lines), ragged="leave out")
    assert source.n_docs == 11
    assert "1 row has not 3 fields and were left out (line 6)." in notes(source)


def test_a_zero_byte_in_a_text_is_left_out_and_said():
    data = PLAIN.encode()
    source = opened(data[:40] + b"\0" + data[40:])
    check(source)
    assert "1 zero byte left out." in notes(source)
    with pytest.raises(CorpusError, match="zero byte"):
        opened(data + b"\0" * 60)


def test_long_questions_are_names():
    rows = [("Timestamp", "Email Address", "Where do you work?", LONG_QUESTION)]
    rows += [
        (f"1/{i + 1}/2014 10:01:33", f"p{i}@a.org", "ab"[i % 2], t)
        for i, (t, _, _) in enumerate(body())
    ]
    source = opened(written(rows))
    assert source.chosen == {
        "text": LONG_QUESTION,
        "date": "Timestamp",
        "label": "Where do you work?",
    }
    assert source.n_docs == 12
    asked = LONG_QUESTION.replace(".", "?")
    one = opened(f"{asked}\n" + "\n".join(f'"{t}"' for t, _, _ in body()))
    assert (one.chosen, one.n_docs) == ({"text": asked}, 12)


def test_three_rows_of_names_of_qualtrics():
    names = ["StartDate", "ResponseId", "Q1", "Q2_TEXT"]
    asked = [
        "Start Date",
        "Response ID",
        "Where do you live?",
        "What, in your own words, did you like?",
    ]
    imported = [f'{{"ImportId":"{name}"}}' for name in names]
    rows = [(day, f"R_{i}a", "ab"[i % 2], text) for i, (text, day, _) in enumerate(body())]
    source = opened(written([names, asked, imported, *rows]))
    assert source.chosen == {
        "text": "Q2_TEXT",
        "id": "ResponseId",
        "date": "StartDate",
        "label": "Q1",
    }
    assert source.n_docs == 12
    assert source.column_titles["Q2_TEXT"] == asked[3]
    again = opened(written([names, asked, imported, *rows]), text="Q2_TEXT\nQ1", questions="apart")
    assert again.docs.label.tolist()[:2] == [asked[3], asked[2]]


@pytest.mark.parametrize(
    ("content", "columns", "n"),
    [
        (written(body()), ["column 1", "column 2", "column 3"], 12),
        (
            written([("text", 2019, 2020), *((t, i, 7 * i) for i, (t, _, _) in enumerate(body()))]),
            ["text", "2019", "2020"],
            12,
        ),
        (
            written([("", *NAMES), *((i, *row) for i, row in enumerate(body()))]),
            ["column 1", *NAMES],
            12,
        ),
        (written([NAMES, *((i, *row) for i, row in enumerate(body()))]), ["column 1", *NAMES], 12),
        (written([NAMES, *((*row, "") for row in body())]), [*NAMES, "column 4"], 12),
        (
            written([("a (3)", "a", "a", "b"), *(("x", "y", "z", t) for t, _, _ in body())]),
            ["a (3)", "a", "a (4)", "b"],
            12,
        ),
        (
            written([("left", "x", "right"), *((p, t, p) for t, _, p in body())]),
            ["column 1", "column 2", "column 3"],
            13,
        ),
        ("text\n" + "\n".join(f"roses &amp; hills {i}" for i in range(12)), ["text"], 12),
    ],
    ids=["data", "years", "index", "R", "trailing", "repeated", "value", "entities"],
)
def test_the_row_of_names(content, columns, n):
    source = opened(content)
    assert list(source.columns) == columns
    assert source.n_docs == n


def test_files_of_before_are_read_as_before():
    """Without a day of reading no form of these is read in another way."""
    for content in (
        "Report\n" + PLAIN,
        PLAIN + "Total,,12\n",
        "".join(PLAIN.splitlines(True)[1:]) + PLAIN,
    ):
        try:
            source = read("t.csv", content.encode())
        except CorpusError:
            continue
        else:
            assert source.n_docs >= 13
