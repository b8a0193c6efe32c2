"""The file that was read comes back with its topics: every row, every cell, every reason."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from python_calamine import CalamineWorkbook

from bnpexplorer import Run
from bnpexplorer.__main__ import main
from bnpexplorer.core.xlsx import sheet_bytes
from bnpexplorer.corpus.documents.added import Added
from bnpexplorer.corpus.documents.file_rows import FileRows
from bnpexplorer.corpus.intake import api
from bnpexplorer.corpus.readers.formats import ReadOptions, read
from bnpexplorer.corpus.readers.writing_back import with_columns
from bnpexplorer.export import result_of, tables, your_file
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.saved import bundle
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.state.labels import Labels
from tests.tools.surveys import EMPTY, FORMS, HEADS, N_ROWS, REPEATED, SHORT, objects, rows
from tests.tools.tables_of_zip import frames

pytestmark = pytest.mark.second
ADDED = ("topic (bnpexplorer)", "topic_name", "topic_share", "second_topic", "second_topic_name")
LEFT = dict.fromkeys(EMPTY, "no text") | dict.fromkeys(SHORT, "no word left")
WORDS = {"drop_repeated": True}


def loaded(tmp_path, name, **more):
    path = tmp_path / name
    path.write_bytes(FORMS[name]())
    return api.load_with_report(path, None, api.ReadOptions(text="Answer", **more), WORDS)


def learned(corpus):
    plan = Plan.of("lda-svi", "default", {"n_topics": 4}, seed=1, passes=5, n_heldout=6)
    run = plan.split_and_start(corpus)
    while not run.done:
        run.step()
    return run


def result(tmp_path, name, **more):
    found = loaded(tmp_path, name, **more)
    run = learned(found.corpus)
    return result_of(run, run.moment(), found.corpus, found.report)


def read_back(name, data):
    """The rows of a file, read by another library: its heads, and all cells by row."""
    if name.endswith("sv"):
        text = data.decode("utf-8-sig")
        lines = [
            *csv.reader(io.StringIO(text, newline=""), delimiter="\t" if "tsv" in name else ";")
        ]
        return lines[0], lines[1:]
    if name.endswith("xlsx"):
        lines = CalamineWorkbook.from_filelike(io.BytesIO(data)).get_sheet_by_index(0).to_python()
        return lines[0], lines[1:]
    if name.endswith("parquet"):
        table = pq.read_table(io.BytesIO(data))
        return table.column_names, [list(row.values()) for row in table.to_pylist()]
    items = [json.loads(line) for line in data.decode().splitlines()]
    return [*items[0]], items


@pytest.mark.parametrize("name", ["survey.csv", "survey.tsv", "survey.xlsx", "survey.parquet"])
def test_every_cell_comes_back(tmp_path, name):
    data = FORMS[name]()
    heads, cells = read_back(name, data)
    made = your_file(result(tmp_path, name))
    new_heads, new_cells = read_back(name, made)
    assert new_heads[: len(heads)] == heads
    assert tuple(new_heads[len(heads) : len(heads) + 5]) == ADDED
    assert [row[: len(heads)] for row in new_cells] == cells
    assert len(cells) == N_ROWS
    if name == "survey.csv":
        assert made.startswith(b"\xef\xbb\xbf")
        assert made.count(b"\r\n") == N_ROWS + 1
        cut = [line.partition(b";topic (bnp")[0] for line in made.split(b"\r\n")[:1]]
        assert data.startswith(cut[0])


def test_every_value_of_json_comes_back(tmp_path):
    made = your_file(result(tmp_path, "survey.jsonl"))
    found = [json.loads(line) for line in made.decode().splitlines()]
    for before, after in zip(objects(), found, strict=True):
        assert {
            key: after[key] for key in after if key not in (*ADDED, "part", "left_out")
        } == before


def test_rows_have_the_topics_of_their_documents(tmp_path):
    found = result(tmp_path, "survey.csv")
    table = found.run.table(all_shares=True)
    assert table["Answer"].tolist() == [row[0] for row in rows()]
    again = f"same text as line {found.corpus.file_rows.number[REPEATED[1]]}"
    reasons = LEFT | {REPEATED[0]: again}
    for place in range(N_ROWS):
        row = table.iloc[place]
        if place in reasons:
            assert row["left_out"] == reasons[place]
            assert row["part"] == "left out"
            assert row[[*ADDED]].isna().all()
            continue
        d = int(np.flatnonzero(found.corpus.docs.row == place)[0])
        assert (row["part"] == "held out") == found.held_out[d]
        best = found.shares[d].argmax()
        assert row[ADDED[0]] == found.moment.topics.topic_ids[best]
        assert row["topic_share"] == pytest.approx(float(found.shares[d, best]), abs=1e-5)
        shares = row[[c for c in table.columns if str(c).startswith("topic ") and ":" in str(c)]]
        assert sorted(shares.astype(float)) == pytest.approx(sorted(found.shares[d]), abs=1e-5)
    assert (table["part"] == "held out").sum() == 6


@pytest.mark.parametrize("known", [True, False])
def test_tables_stand_in_the_order_of_the_file(tmp_path, known):
    """Also where a file of `Run.save` alone is known."""
    found = result(tmp_path, "survey.csv")
    if not known:
        found.run.save(tmp_path / "run.zip")
        run = Run.load(tmp_path / "run.zip")
        found = result_of(run, run.moment())
        assert run.corpus.file_rows.cells is None
    made = frames(tables(found))
    wide = made["document_topics_wide.csv"]
    lines = found.corpus.file_rows.number.tolist()
    assert wide["file_line"].tolist() == lines
    gone = wide["part"] == "left out"
    assert np.flatnonzero(gone).tolist() == sorted([*LEFT, REPEATED[0]])
    assert {p: wide["left_out"][p] for p in LEFT} == LEFT
    assert wide.loc[gone].iloc[:, -4:].isna().all(axis=None)
    assert wide["document"].dropna().tolist() == [*range(1, found.corpus.n_docs + 1)]
    held = wide.loc[wide["part"] == "held out", "file_line"]
    assert len(held) == 6
    assert set(held) != set(lines[-6:])
    long = made["document_topics_long.csv"]
    assert long["file_line"].is_monotonic_increasing
    assert set(long["file_line"]) == set(lines)
    assert "in the order of its file" in made["README.txt"]


def test_a_row_of_passages_has_their_mean_by_words(tmp_path):
    found = result(tmp_path, "survey.csv", passages="20")
    row, lengths = found.corpus.docs.row, found.corpus.doc_lengths
    assert len(row) > len(np.unique(row))
    table = found.run.table()
    for place in np.unique(row).tolist():
        own = row == place
        mean = (lengths[own] / lengths[own].sum()) @ found.shares[own].astype(float)
        assert table["topic_share"][place] == pytest.approx(mean.max(), abs=1e-5)
    wide = frames(tables(found))["document_topics_wide.csv"]
    assert wide["document"].count() == found.corpus.n_docs
    assert wide["file_line"].nunique() == N_ROWS


def test_rows_that_were_joined_have_the_topics_of_their_document(tmp_path):
    """The last two rows have the same id."""
    found = result(tmp_path, "survey.csv", join="id")
    table = found.run.table()
    assert table["Answer"].tolist() == [row[0] for row in rows()]
    pd.testing.assert_series_equal(
        table.iloc[-1][[*ADDED, "part"]], table.iloc[-2][[*ADDED, "part"]], check_names=False
    )
    assert table["topic_share"][N_ROWS - 1] > 0
    wide = frames(tables(found))["document_topics_wide.csv"]
    numbers = found.corpus.file_rows.number
    assert wide["left_out"].iloc[-1] == f"joined with line {numbers[-2]}"


def test_saved_runs_keep_the_table_and_bundles_without_texts_do_not(tmp_path):
    found = loaded(tmp_path, "survey.csv")
    run = learned(found.corpus)
    expected = run.table()
    library = Library(tmp_path / "library")
    library.keep("r1", run, found.corpus, "finished", "secret", found.report)
    whole = library.corpus("r1")
    np.testing.assert_array_equal(whole.file_rows.cells, found.corpus.file_rows.cells)
    assert whole.file_rows.reason(6) == "no text"
    for with_text in (True, False):
        path = tmp_path / f"{with_text}.zip"
        with path.open("wb") as file:
            bundle.export(library, "r1", file, with_text)
        back = bundle.read(path)
        assert (back.corpus.file_rows.cells is not None) == with_text
        table = Run.load(path).table()
        assert ("Answer" in table) == with_text
        kept = table[[*table.columns[-6:]]]
        pd.testing.assert_frame_equal(kept, expected[[*kept.columns]])
    assert b"theirs 5" not in (tmp_path / "False.zip").read_bytes()


def test_names_of_topics_are_no_formulas(tmp_path):
    found = result(tmp_path, "survey.csv")
    topic = found.by_size[0]
    evil = found.run.moment(labels=Labels({topic: "=cmd()"}))
    made = your_file(result_of(found.run, evil, found.corpus))
    assert b"'=cmd()" in made
    assert b";=cmd()" not in made
    assert b"=1+2" in made


@pytest.mark.parametrize("name", ["survey.jsonl", "survey.csv"])
def test_columns_are_added_here_as_in_the_child(name):
    source = read(name, FORMS[name](), options=ReadOptions(text="Answer"))
    added = Added("name", texts=("=evil()",) * N_ROWS)
    made = with_columns(source.rows, [added]).decode("utf-8-sig")
    if name.endswith("csv"):
        assert made.count(";'=evil()\r\n") == N_ROWS
        return
    found = [json.loads(line) for line in made.splitlines()]
    assert found == [one | {"name": "=evil()"} for one in objects()]


def test_fit_writes_back(tmp_path, capsys):
    path, out = tmp_path / "survey.csv", tmp_path / "out.csv"
    path.write_bytes(FORMS["survey.csv"]())
    fit = ["fit", str(path), "--text", "Answer", "--method", "lda-svi", "--passes", "2"]
    assert main([*fit, "--write-back", str(out), "--all-shares"]) == 0
    heads, cells = read_back("survey.csv", out.read_bytes())
    assert len(cells) == N_ROWS
    assert tuple(heads[: len(HEADS)]) == HEADS
    assert heads[-1] == "topics not yet seen"
    assert main([*fit, "--write-back", str(out)]) == 2
    assert "exists" in capsys.readouterr().err
    assert main([*fit, "--write-back", str(tmp_path / "out.doc")]) == 2
    assert "cannot be written with this ending" in capsys.readouterr().err
    assert main([*fit, "--all-shares"]) == 2


def test_an_index_without_a_name_is_a_column_and_nothing_else(tmp_path):
    """As pandas writes it; its name stays empty."""
    path = tmp_path / "index.csv"
    lines = [f"{i},{' '.join(row[0].split()[:20]) or 'sea'}" for i, row in enumerate(rows())]
    path.write_text("\n".join([",Answer", *lines]) + "\n")
    found = api.load_with_report(path)
    assert found.corpus.docs.names() == ("text", "row")
    run = learned(found.corpus)
    made = your_file(result_of(run, run.moment(), found.corpus))
    assert made.startswith(b",Answer,topic,topic_name")


def test_rows_of_passages_left_out_keep_the_reason_of_the_first():
    """A row stays as long as one of its documents does."""
    before = FileRows.of([2, 3, 5], "line")
    row, why = np.array([0, 0, 1, 1, 2]), np.array([1, 0, 2, 1, -1])
    after = before.judged(row, why, ["no text", "no word left"])
    assert [after.reason(place) for place in range(3)] == [
        "",
        "no word left",
        "same text as line 2",
    ]
    again = after.judged(np.array([0]), np.array([1]), ["gone"])
    assert [again.reason(p) for p in range(3)] == ["gone", "no word left", "same text as line 2"]
    assert after.fault(np.array([0]), 1) == ""
    assert "lacks" in after.fault(np.array([3]), 1)
    assert "have no rows" in after.fault(None, 1)
    place, doc = after.entries(np.array([2, 0, 0]))
    assert place.tolist() == [0, 0, 1, 2]
    assert doc.tolist() == [1, 2, -1, 0]


PREAMBLE = """sep=;
Export of the survey;;
id;Answer;party
1;{0} one;sea
2;{0};wind;oak;"a;b"
3;{0} three
4;{0} four;left
Total;4;
"""
GIVEN_BACK = [
    ["Export of the survey", "", "", "", ""],
    ["id", "Answer", "party", "", ""],
    ["1", "{0} one", "sea", "", ""],
    ["2", "{0}", "wind", "oak", "a;b"],
    ["3", "{0} three", "", "", ""],
    ["4", "{0} four", "left", "", ""],
    ["Total", "4", "", "", ""],
]
SAID = {
    0: "above the names of the columns",
    3: "another number of fields than the header",
    4: "another number of fields than the header",
    6: "a total",
}
TEXT = "the harbour and its ships lie in fog"


def test_rows_that_are_no_documents_come_back_in_their_place():
    """Rows above the names, of another width, and a total; none of them is a document."""
    data = PREAMBLE.format(TEXT).encode()
    options = ReadOptions(text="Answer", as_of="2026-03-01", ragged="leave out")
    source = read("survey.csv", data, options=options)
    assert source.texts == (f"{TEXT} one", f"{TEXT} four")
    assert source.rows.number.tolist() == [2, 4, 5, 6, 7, 8]
    left = tuple(source.rows.reason(place) for place in range(6))
    made = with_columns(source.rows, [Added("left_out", texts=left)]).decode()
    assert made.startswith("sep=;\n")
    lines = [*csv.reader(io.StringIO(made.partition("\n")[2]), delimiter=";")]
    assert [line[:-1] for line in lines] == [
        [cell.format(TEXT) for cell in cells] for cells in GIVEN_BACK
    ]
    assert [line[-1] for line in lines] == [
        "left_out" if place == 1 else SAID.get(place, "") for place in range(7)
    ]


def test_a_sheet_comes_back_with_what_stands_around_its_table():
    given = [
        (1, [None, "Export of the survey", None, None]),
        (3, [None, "id", "Answer", "party"]),
        *((n, [None, n - 3, f"{TEXT} {n}", "sea"]) for n in range(4, 9)),
        (9, [None, "Total", 5, None]),
    ]
    options = ReadOptions(text="Answer", as_of="2026-03-01")
    source = read("survey.xlsx", sheet_bytes(given), options=options)
    assert source.n_docs == 5
    left = tuple(source.rows.reason(place) for place in range(len(source.rows)))
    assert left == (SAID[0], *[""] * 5, SAID[6])
    made = with_columns(source.rows, [Added("left_out", texts=left)])
    before, after = (
        CalamineWorkbook.from_filelike(io.BytesIO(one))
        .get_sheet_by_index(0)
        .to_python(skip_empty_area=False)
        for one in (sheet_bytes(given), made)
    )
    assert [cells[:4] for cells in after] == before
    assert [cells[4] for cells in after] == [SAID[0], "", "left_out", *[""] * 5, SAID[6]]
