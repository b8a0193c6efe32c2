"""What a build says and leaves, part by part: sentences, progress, numbers at the edges."""

import errno
import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import CorpusError
from bnpexplorer.corpus.readers.source import ReadOptions
from bnpexplorer.plugins.building import builder, crew, worker
from bnpexplorer.plugins.building.build import build
from bnpexplorer.plugins.building.crew import Crew
from bnpexplorer.plugins.building.facts import BegunOtherwise, Facts, FileFacts
from bnpexplorer.plugins.building.records import inputs_of
from tests.tools.building import in_memory, rows_of, small, write_csv, write_json

ALL = {"min_df": 1, "max_df": 1.0, "min_tokens": 1}


def two_files(folder):
    """Fields of the second that the first lacks."""
    rows = rows_of(90)
    first = [{"text": row["text"]} for row in rows[:50]]
    return write_json(folder / "one.jsonl", first), write_csv(folder / "two.csv", rows[50:])


# ---- several files -------------------------------------------------------------------------------


def test_fields_that_a_later_file_alone_has_are_kept(tmp_path, monkeypatch):
    small(monkeypatch)
    one, two = two_files(tmp_path)
    built = build([one, two], tmp_path / "out", words=ALL)
    second = in_memory(two, words=ALL)[0]
    assert np.asarray(built.docs.label)[-second.n_docs :].tolist() == second.docs.label.tolist()
    assert set(np.asarray(built.docs.label)[: -second.n_docs]) == {""}


@pytest.mark.parametrize("named", [True, False])
def test_passages_are_counted_within_their_file(tmp_path, monkeypatch, named):
    """Those of a document without a title or an id are called by its number."""
    small(monkeypatch, 9)
    how, (one, two) = ReadOptions(passages="20"), two_files(tmp_path)
    if not named:
        write_csv(two, [{"text": row["text"]} for row in rows_of(90)[50:]])
    built = build([one, two], tmp_path / "out", how, ALL)
    apart = [in_memory(path, how, ALL) for path in (one, two)]
    docs = apart[1][0].docs
    for name in ("text", "title", *(["id"] if named else [])):
        found = np.asarray(getattr(built.docs, name))[-apart[1][0].n_docs :].tolist()
        assert found == getattr(docs, name).tolist()
    assert built.manifest.report["notes"][:2] == [
        f"{path.name}: {' '.join(note for note in notes if 'language' not in note.lower())}"
        for path, (_, _, notes, _) in zip((one, two), apart, strict=True)
    ]


def test_an_id_that_repeats_in_a_later_file_is_told_by_its_row(tmp_path, monkeypatch):
    small(monkeypatch, 9)
    one, two = two_files(tmp_path)
    rows = rows_of(90)[50:]
    rows[33]["id"] = rows[2]["id"]
    write_csv(two, rows)
    built = build([one, two], tmp_path / "out", words=ALL)
    notes = {note.split(":")[0]: note for note in built.manifest.report["notes"]}
    alone = " ".join(in_memory(two, words=ALL)[2])
    told = next(part for part in alone.split(". ") if "was already used" in part)
    assert told in notes["two.csv"]
    assert "was already used" not in notes["one.jsonl"]


def test_a_corpus_of_files_is_called_by_the_first_and_how_many_others():
    def named(n):
        parts = [FileFacts(f"{i}.csv", "csv", ("text",), i, (1,), ()) for i in range(n)]
        return Facts(tuple(parts)).name

    assert [named(n) for n in (1, 2, 3)] == ["0.csv", "0.csv and 1 other", "0.csv and 2 others"]


def test_hidden_files_of_a_folder_are_not_read(tmp_path):
    for name in (".DS_Store", "b.csv", "a.csv"):
        (tmp_path / name).write_text("text\nsea\n")
    assert inputs_of([tmp_path]) == [tmp_path / "a.csv", tmp_path / "b.csv"]


def test_columns_of_a_corpus_on_the_disk_may_be_chosen(tmp_path, monkeypatch):
    small(monkeypatch)
    rows = rows_of(40)
    path = write_csv(tmp_path / "texts.csv", rows)
    first = build([path], tmp_path / "first", words=ALL)
    again = build([first.folder], tmp_path / "again", ReadOptions(label="title"), ALL)
    assert np.asarray(again.docs.label).tolist() == np.asarray(first.docs.title).tolist()


@pytest.mark.parametrize("n_empty", [0, 1])
def test_documents_that_a_corpus_left_out_are_told(tmp_path, monkeypatch, n_empty):
    small(monkeypatch)
    texts = [{"text": text} for text in ["sea and hills", "hills and sea"] + ["the"] * n_empty]
    first = build([write_csv(tmp_path / "t.csv", texts)], tmp_path / "first", words=ALL)
    again = build([first.folder], tmp_path / "again", words=ALL)
    more = ", without the 1 that were left out when it was built" * n_empty
    said = f"The texts of a corpus on the disk: 2 documents{more}."
    assert again.manifest.report["notes"][0] == said


# ---- how far it is -------------------------------------------------------------------------------


def progress_of(folder, monkeypatch, **more):
    """Every step with its shares and words."""
    told: dict[str, list[tuple[float, str]]] = {}
    small(monkeypatch, 23, shard=40)

    def note(what, share, said):
        told.setdefault(what, []).append((round(share, 6), said))

    paths = more.pop("paths", None) or [write_csv(folder / "texts.csv", rows_of(90))]
    built = build(paths, folder / "out", words=ALL, progress=note, **more)
    return built, told


def test_how_far_each_step_is(tmp_path, monkeypatch):
    built, told = progress_of(tmp_path, monkeypatch)
    chunks = [(0.25, "22 documents"), (0.5, "45 documents"), (0.75, "67 documents")]
    chunks += [(1.0, "90 documents")]
    assert told["counting"] == told["numbering"] == chunks
    assert [said for _, said in told["reading"]] == [f"{n} documents read" for n in (24, 47, 70)]
    assert built.n_docs == 86, "of which 80 are in shards that are complete"
    assert told["writing"][-1] == (0.930233, "80 documents")


def test_how_far_the_reading_of_several_files_is(tmp_path, monkeypatch):
    _, told = progress_of(tmp_path, monkeypatch, paths=[*two_files(tmp_path)])
    shares = [share for share, _ in told["reading"]]
    assert shares == sorted(shares)
    assert 0.3 < shares[-1] <= 1.0
    said = [int(said.split()[0]) for _, said in told["reading"]]
    assert said == [24, 47, 74], "of both files"


def test_what_was_done_before_counts_when_a_build_goes_on(tmp_path, monkeypatch):
    small(monkeypatch)
    path = write_csv(tmp_path / "texts.csv", rows_of(90))
    with pytest.raises(ZeroDivisionError):
        build(
            [path],
            tmp_path / "out",
            words=ALL,
            progress=lambda what, share, said: 1 / (what != "counting"),
        )
    _, told = progress_of(tmp_path, monkeypatch, paths=[path])
    assert told["counting"][0] == (0.5, "45 documents")
    assert told["counting"][-1] == (1.0, "90 documents")


def test_a_page_is_told_of_every_step_and_else_now_and_then(monkeypatch):
    now, sent = [100.0], []
    monkeypatch.setattr(builder.time, "monotonic", lambda: now[0])
    said = builder._Said(SimpleNamespace(send=sent.append))
    for later, what in ((0, "reading"), (0.1, "reading"), (0.11, "reading"), (0.01, "counting")):
        now[0] += later
        said.progress(what, 0.0, f"at {now[0]:.2f}")
    assert [(one["step"], one["said"]) for one in sent] == [
        ("reading", "at 100.00"),
        ("reading", "at 100.21"),
        ("counting", "at 100.22"),
    ]


# ---- how it ended --------------------------------------------------------------------------------

ASKED = {"paths": [], "out": "/o", "options": {}, "words": {}, "threads": 3, "force": True}


@pytest.mark.parametrize(
    ("problem", "sentence", "anew"),
    [
        (CorpusError("No."), "No.", False),
        (ValueError("Not this."), "Not this.", False),
        (BegunOtherwise("Anew."), "Anew.", True),
        (KeyError("x"), "The build of /o failed (KeyError: 'x' is missing).", None),
        (
            MemoryError(),
            "The machine has no memory left for the build of /o; close other programs and start "
            "the same build again, which goes on where it ended.",
            None,
        ),
    ],
)
def test_how_a_build_ended_is_told_to_the_page(monkeypatch, problem, sentence, anew):
    def fails(*_):
        raise problem

    monkeypatch.setattr(builder, "build", fails)
    ended = {"ended": "refused", "sentence": sentence}
    told = builder._built(SimpleNamespace(), ASKED)
    assert told == ended | ({} if anew is None else {"anew": anew})


def test_a_build_for_a_page_stands_back_and_is_asked_as_the_page_asks(monkeypatch):
    done, sent = [], []
    monkeypatch.setattr(builder, "stand_back", lambda: done.append("stood back"))
    monkeypatch.setattr(builder, "build", lambda *given: done.append(given[:6]))
    asked = ASKED | {"paths": ["/a", "/b"], "options": {"text": "t"}, "words": {"min_df": 2}}
    builder.main(SimpleNamespace(send=sent.append), asked)
    given = ([Path("/a"), Path("/b")], Path("/o"), ReadOptions(text="t"), {"min_df": 2}, 3, True)
    assert done == ["stood back", given]
    assert sent == [{"ended": "well"}]


@pytest.mark.parametrize(
    ("problem", "answer"),
    [
        (OSError(errno.ENOSPC, "full", "/a/b"), ["disk", errno.ENOSPC, "/a/b"]),
        (OSError(errno.EIO, "broken"), ["disk", errno.EIO, "/home"]),
        (CorpusError("two\nlines"), ["refused", "two lines"]),
        (BegunOtherwise("anew"), ["anew", "anew"]),
        (KeyError("x"), ["failed", "KeyError: 'x' is missing"]),
    ],
)
def test_what_a_process_meets_is_raised_where_its_build_is(monkeypatch, problem, answer):
    def fails(chunk):
        raise problem

    told = worker._answer({"step": fails}, Path("/home"), "step", 0)
    assert told == answer
    monkeypatch.setattr(crew, "_answer", lambda *_: told)
    with pytest.raises((CorpusError, OSError)) as raised:
        crew._asked(None, "step", 0)
    if isinstance(problem, OSError):
        assert (raised.value.errno, raised.value.filename) == (answer[1], answer[2])
        assert raised.value.strerror == os.strerror(answer[1])
    elif isinstance(problem, CorpusError):
        assert (type(raised.value), str(raised.value)) == (type(problem), answer[1])
    else:
        assert str(raised.value) == (
            "A process that counts words failed (KeyError: 'x' is missing); start the same build "
            "again, which goes on, with fewer processes (--threads 1) if memory was short."
        )


def test_as_many_processes_as_chunks_are_begun_and_the_first_problem_is_told(tmp_path, monkeypatch):
    begun = []

    def started(work, *told, **how):
        begun.append(how["environment"])
        return SimpleNamespace()

    def asked(process, step, chunk):
        raise CorpusError(f"chunk {chunk}")

    monkeypatch.setenv("OMP_NUM_THREADS", "8")
    monkeypatch.setattr(crew, "ChildProcess", started)
    monkeypatch.setattr(crew, "_asked", asked)
    monkeypatch.setattr(crew, "end_all", lambda *_: [])
    with Crew(tmp_path, 5) as processes, pytest.raises(CorpusError, match=r"^chunk 4$"):
        processes.work_on("step", [4, 7], lambda: None)
    assert [one["OMP_NUM_THREADS"] for one in begun] == ["1", "1"]
