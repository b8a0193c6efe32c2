"""A corpus on the disk is built from every form as it would be in memory."""

import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers.formats import READERS, read_path
from bnpexplorer.corpus.readers.source import FIND_OUT, ReadOptions
from bnpexplorer.plugins.building.head import head_of
from bnpexplorer.plugins.building.records import inputs_of, records_of
from tests.tools.forms import EXAMPLES, WITH_WORDS, delimited, found, options_for
from tests.tools.readers import packed_zip

TEXTS = [name for name in EXAMPLES if name not in WITH_WORDS]


def taken(path, options=FIND_OUT, folder=None):
    """Fields and rows of a file on their way to the disk, and what is said of it."""
    with records_of(path, options, folder or path.parent / "unpacked") as records:
        rows = [row for _, row in records.rows()]
        return records.fields, rows, records.notes(0)


@pytest.mark.parametrize("name", TEXTS)
def test_a_file_on_the_disk_gives_what_memory_does(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(EXAMPLES[name])
    fields, rows, said = taken(path, options_for(name))
    source = found()[name]
    assert tuple(row["text"] for row in rows) == source.texts
    for field in ("id", "title", "label"):
        column = getattr(source.docs, field)
        assert (field in fields) == (column is not None)
        if column is not None:
            assert [row[field] for row in rows] == column.tolist()
    assert {note.split(",")[0] for note in said} >= {source.notes[0].split(",")[0]}
    if source.format != "html":
        head = head_of([path], options_for(name)).source if "gz" not in name else source
        assert head.texts == source.texts


def test_dates_of_names_and_tables_read_as_one(tmp_path):
    path = tmp_path / "texts.zip"
    path.write_bytes(EXAMPLES["texts.zip"])
    fields, rows, said = taken(path, ReadOptions(file_names="date"))
    assert "date" in fields
    assert rows[0]["date"] == "1991-03-02"
    assert any(note.startswith("Dates are read from the names of the files.") for note in said)
    both = tmp_path / "both.zip"
    both.write_bytes(packed_zip({"a.csv": delimited(","), "b.csv": delimited(",")}))
    with pytest.raises(CorpusError, match=r"both\.zip holds 2 tables"):
        taken(both)
    assert len(taken(both, ReadOptions(entry="*"))[1]) == 12
    assert len(taken(both, ReadOptions(entry="b.csv"))[1]) == 6


def test_counts_are_refused_where_a_corpus_is_built_of_several_files(tmp_path):
    for name in ("dfm.csv", "ngrams.txt", "constellate.jsonl"):
        (tmp_path / name).write_bytes(EXAMPLES[name])
        title = READERS[found()[name].format].title
        with pytest.raises(CorpusError, match=f"is read as {title}, of which no corpus"):
            taken(tmp_path / name)


def test_a_folder_of_texts_may_have_other_endings_and_one_of_tables_is_its_files(tmp_path):
    for folder, names in (("md", ["a.md", "b.html", "README.md"]), ("csv", ["a.csv", "README.md"])):
        (tmp_path / folder).mkdir()
        for name in names:
            (tmp_path / folder / name).write_text("text\nsea\n")
    assert inputs_of([tmp_path / "md"]) == [tmp_path / "md"]
    assert [p.name for p in inputs_of([tmp_path / "csv"])] == ["README.md", "a.csv"]
    assert read_path(tmp_path / "md").docs.title.tolist() == ["a", "b"]
    with pytest.raises(CorpusError, match="csv has no texts in it"):
        read_path(tmp_path / "csv")
