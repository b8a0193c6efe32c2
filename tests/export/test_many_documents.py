"""Tables of many documents are made and written some rows at a time, and are the same bytes."""

import io
import sys
import zipfile

import pytest

from bnpexplorer.cli import export as command
from bnpexplorer.export import result_of, tables, write_tables
from bnpexplorer.export.tables import csv, long_table, wide_table
from tests.tools.pages import small_run

room = sys.modules["bnpexplorer.export.tables"]  # the package calls a function the same


@pytest.fixture(scope="module")
def result():
    run, loaded = small_run("lda-svi")
    while not run.done:
        run.step()
    return result_of(run, run.moment(), loaded.corpus, loaded.report)


def members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("bom", [False, True])
def test_rows_made_a_few_at_a_time_are_those_of_the_whole_table(result, monkeypatch, bom):
    made, wide = [], room.wide_table

    def noted(result, rows):
        found = wide(result, rows=rows)
        made.append(len(found))
        return found

    monkeypatch.setattr(room, "BLOCK", 17)
    monkeypatch.setattr(room, "wide_table", noted)
    found = members(tables(result, bom))
    assert found["document_topics_wide.csv"] == csv(wide(result), bom)
    assert found["document_topics_long.csv"] == csv(long_table(result), bom)
    assert max(made) == 17
    assert sum(made) == result.corpus.n_docs


def test_a_file_is_what_the_bytes_are(result):
    out = io.BytesIO()
    write_tables(out, result)
    assert out.getvalue() == tables(result)


def test_the_command_hands_the_file_on_instead_of_the_bytes(result, tmp_path):
    ((path, write),) = command._files(result, tmp_path / "tables.zip", "csv", False).items()
    with path.open("wb") as file:
        write(file)
    assert path.read_bytes() == tables(result)
    assert len(wide_table(result)) == result.corpus.n_docs
