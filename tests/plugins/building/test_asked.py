"""What a person asks a build for reaches it, and what it refuses is told in the words of `load`."""

import errno
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers.source import ReadOptions
from bnpexplorer.inference.cores import cores
from bnpexplorer.plugins.building import builder
from bnpexplorer.plugins.building import builds as building
from bnpexplorer.plugins.building.build import build
from bnpexplorer.plugins.building.builds import Build, Order
from bnpexplorer.plugins.building.chunks import ChunkTexts, write_chunk
from bnpexplorer.plugins.building.facts import BegunOtherwise, Facts, FileFacts
from bnpexplorer.runs.saved.jobs import UnfinishedJob
from bnpexplorer.ui.frame import server
from tests.tools.building import assert_same, in_memory, rows_of, small, write_csv

ORDER = Order(
    ("/x/a.csv", "/x/b.csv"), "/x/out", ReadOptions(text="body", join="who"), {"min_df": 0.25}, 99
)


class Standing(list):
    """A process that says nothing, and notes what it was started with."""

    def __init__(self, *given, **more):
        super().__init__([*given, more])
        self.channel, self.pid = (), 1

    def end(self, seconds):
        return None

    def printed(self):
        return ""


@pytest.mark.parametrize("force", [True, False])
def test_the_process_of_a_build_is_told_all_that_was_asked_for(monkeypatch, force):
    monkeypatch.setattr(building, "ChildProcess", Standing)
    told = Build(ORDER, 3, force)._process[1]
    built = []
    monkeypatch.setattr(builder, "build", lambda *given: built.append(given))
    assert builder._built(None, json.loads(json.dumps(told))) == {"ended": "well"}
    ((*asked, _),) = built
    paths = [Path("/x/a.csv"), Path("/x/b.csv")]
    assert asked == [paths, Path("/x/out"), ORDER.options, {"min_df": 0.25}, 3, force]


@pytest.mark.parametrize(
    ("problem", "sentence", "anew"),
    [
        (CorpusError("No word."), "No word.", False),
        (ValueError("min_df is wrong."), "min_df is wrong.", False),
        (BegunOtherwise("Other files."), "Other files.", True),
        (
            MemoryError(),
            "The machine has no memory left for the build of /x/out; close other programs and "
            "start the same build again, which goes on where it ended.",
            None,
        ),
        (RuntimeError("odd"), "The build of /x/out failed (RuntimeError: odd).", None),
    ],
)
def test_how_the_process_of_a_build_answers_when_it_fails(monkeypatch, problem, sentence, anew):
    def fails(*_):
        raise problem

    monkeypatch.setattr(builder, "build", fails)
    asked = {"paths": [], "out": "/x/out", "options": {}, "words": {}, "threads": 1, "force": False}
    answer = {"ended": "refused", "sentence": sentence}
    assert builder._built(None, asked) == (answer if anew is None else answer | {"anew": anew})


@pytest.mark.usefixtures("registry", "at_home")
def test_a_build_begins_with_all_cores_and_is_kept_as_it_was_asked_for(tmp_path, monkeypatch):
    begun = []

    def begin(*given):
        begun.append(given)
        return SimpleNamespace(
            ended=True, standing="stopped", end=lambda: None, wait=lambda _: True
        )

    monkeypatch.setattr(building, "Build", begin)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    order = replace(ORDER, out=str(tmp_path / "link"))
    build_id = building.begin(order, force=True)
    there = replace(order, out=str(tmp_path / "real"))
    assert begun == [(there, cores().n, True)], "by its one name, whatever link leads there"
    building._builds().clear()
    ((found, kept),) = [(one.build_id, one.order) for one in building.builds()]
    assert (found, kept) == (build_id, there)
    job = server.library().jobs.get(build_id)
    server.library().jobs.write(replace(job, about={"order": {"out": 7}}))
    assert building.builds() == [], "a file that a hand has changed"


@pytest.mark.usefixtures("registry", "at_home")
def test_where_the_system_refuses_a_process_or_a_file_it_is_told(tmp_path, monkeypatch):
    def refuses(*_):
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable")

    order, said = replace(ORDER, out=str(tmp_path / "out")), []
    monkeypatch.setattr(building, "Build", refuses)
    with pytest.raises(CorpusError) as told:
        building.begin(order)
    assert str(told.value) == (
        "The system starts no process to build in (Resource temporarily unavailable); close other "
        "programs and try again."
    )
    assert building.builds() == []
    stands = SimpleNamespace(
        order=order, ended=True, standing="stopped", end=lambda: None, wait=lambda _: True
    )
    monkeypatch.setattr(building, "Build", lambda *_: stands)
    monkeypatch.setattr(type(server.library().jobs), "write", refuses)
    monkeypatch.setattr(st, "toast", said.append)
    build_id = building.begin(order)
    assert [one.build_id for one in building.builds()] == [build_id]
    assert said == ["The build cannot be kept among the saved runs; it goes on while the app does."]


@pytest.mark.usefixtures("registry", "at_home")
def test_jobs_of_other_kinds_are_no_builds():
    about = {"order": {"paths": ["a"], "out": "/x/b", "options": {}, "words": {}, "n_bytes": 0}}
    server.library().jobs.write(UnfinishedJob("x", "race", "", "", "b", about))
    assert building.builds() == []


@pytest.mark.parametrize(
    "words",
    [{"min_df": 200}, {"max_df": 1, "min_df": 1}, {"min_tokens": 1000, "min_df": 1}],
    ids=str,
)
def test_that_nothing_is_left_is_told_in_the_sentence_of_load(tmp_path, monkeypatch, words):
    small(monkeypatch)
    rows = [{"nr": str(d), "text": ("sea and hill", "hill and sea")[d % 2]} for d in range(60)]
    path = write_csv(tmp_path / "texts.csv", rows)
    with pytest.raises(CorpusError) as wanted:
        in_memory(path, words=words)
    with pytest.raises(CorpusError) as found:
        build([path], tmp_path / "out", words=words)
    assert str(found.value) == str(wanted.value)
    assert "texts.csv, column 'text': " in str(found.value)


@pytest.mark.parametrize("passages", ["", "2400"])
def test_long_documents_are_told_to_be_long_unless_they_are_divided(
    tmp_path, monkeypatch, passages
):
    small(monkeypatch, 2)
    rows = [{**row, "text": row["text"] + " sea hill" * 1200} for row in rows_of(5)]
    path, how = write_csv(tmp_path / "texts.csv", rows), ReadOptions(passages=passages)
    words = {"min_df": 1, "max_df": 1.0}
    built = build([path], tmp_path / "out", how, words)
    assert_same(built, in_memory(path, how, words))
    said = " ".join(built.manifest.report["notes"])
    assert ("The typical document has about 2,400 words" in said) == (not passages)


def test_the_texts_of_chunks_are_one_list_of_which_two_chunks_are_held(tmp_path, monkeypatch):
    from bnpexplorer.plugins.building import chunks

    texts, sizes = list("abcdefg"), (2, 3, 1, 1)
    ends = [2, 5, 6, 7]
    for i, (size, end) in enumerate(zip(sizes, ends, strict=True)):
        write_chunk(tmp_path, i, {"text": texts[end - size : end]})
    read, opened = [], chunks.read_chunk
    monkeypatch.setattr(
        chunks, "read_chunk", lambda *given: read.append(given[1]) or opened(*given)
    )
    found = ChunkTexts(tmp_path, Facts((FileFacts("a", "csv", ("text",), 0, sizes, ()),)))
    assert list(found) == texts
    assert read == [0, 1, 2, 3]
    assert (len(found), found[5:7], found[1:6:2]) == (7, ["f", "g"], ["b", "d", "f"])
    assert read == [0, 1, 2, 3, 0, 1, 2], "the last two were at hand"
    for key in (-1, 7):
        with pytest.raises(IndexError, match=f"there is no text {key}"):
            found[key]
