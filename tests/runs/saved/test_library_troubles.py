"""Test the library when the disk is full, refuses or is damaged, and after a server was killed."""

import os
import time
from pathlib import Path

import pytest

from bnpexplorer.core.store import StoreError
from bnpexplorer.runs.registry import RunRegistry
from bnpexplorer.runs.saved.library import Library, LibraryFull
from tests.runs.saved.small import make_run, with_texts
from tests.tools.waiting import NEVER


@pytest.fixture
def library(tmp_path):
    return Library(tmp_path)


@pytest.fixture
def corpus(bars):
    return with_texts(bars[0])


def test_a_full_library_takes_no_new_run_and_keeps_the_old(library, corpus, monkeypatch):
    run = make_run(corpus)
    library.keep("old", run, corpus, "paused")
    monkeypatch.setenv("BNPEXPLORER_DISK_MB", "0")
    with pytest.raises(LibraryFull, match="empty what was deleted on the Runs page"):
        library.keep("new", make_run(corpus), corpus, "paused")
    run.step()
    library.keep("old", run, corpus, "paused")
    assert library.load("old").docs_seen == 40
    assert library.get("new") is None


def test_a_limit_that_was_mistyped_is_named(library, corpus, monkeypatch):
    monkeypatch.setenv("BNPEXPLORER_DISK_MB", "4 GB")
    with pytest.raises(ValueError, match="BNPEXPLORER_DISK_MB must be a whole number"):
        library.keep("a", make_run(corpus), corpus, "paused")


@pytest.mark.parametrize("part", ["texts.zip", "standing.zip"])
@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 nothing", None])
def test_damage_is_refused_with_the_file_s_name(library, corpus, part, damage):
    library.keep("a", make_run(corpus), corpus, "paused")
    path = library.folder / "runs" / "a" / part
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(damage)
    with pytest.raises(StoreError, match=part):
        library.load("a")


def test_a_row_that_cannot_be_read_keeps_its_run_s_files(library, corpus):
    library.keep("a", make_run(corpus), corpus, "paused")
    row = library.folder / "runs" / "a" / "row.json"
    kept = row.read_text()
    row.write_text(kept[:40])
    assert library.saved() == []
    with pytest.raises(StoreError, match="The row of the run a is damaged"):
        library.get("a")
    library.purge()
    row.write_text(kept)
    assert library.corpus("a").fingerprint == corpus.fingerprint


def test_a_disk_that_refuses_does_not_stop_the_run(corpus):
    def keep(entry, run, status):
        raise OSError("No space left on device")

    entry = RunRegistry().add(make_run(corpus), keep=keep)
    entry.background.start()
    assert entry.background.wait(NEVER)
    assert entry.background.status == "finished"
    assert "No space left" in entry.background.not_kept


def test_a_write_that_fails_leaves_what_was_there(library, corpus, monkeypatch):
    run = make_run(corpus)
    run.step()
    library.keep("a", run, corpus, "paused")

    def full(*_):
        raise OSError("No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        run.step()
        with pytest.raises(StoreError, match="No space"):
            library.keep("a", run, corpus, "paused")
    assert library.load("a").docs_seen == 40
    assert not list(library.folder.rglob("*.part"))
    library.keep("a", run, corpus, "paused")
    assert library.load("a").docs_seen == 80


@pytest.mark.parametrize(
    "part", ["corpora/*", "new/texts.zip", "new/origin.zip", "new/standing.zip", "new/row.json"]
)
def test_nothing_is_left_of_a_new_run_that_the_disk_refuses(library, corpus, monkeypatch, part):
    library.keep("old", make_run(corpus), corpus, "paused")
    other = type(corpus)(corpus.indptr, corpus.word_ids, corpus.counts, corpus.vocab, name="other")
    replaced = os.replace

    def full(source, target):
        if Path(target).match(part):
            raise OSError(28, "No space left on device")
        replaced(source, target)

    library.purge()
    before = sorted(library.folder.rglob("*"))
    with monkeypatch.context() as patch:
        patch.setattr("os.replace", full)
        with pytest.raises(StoreError, match=r"No space left on device") as said:
            library.keep("new", make_run(corpus), other, "paused")
    assert part == "new/row.json" or "what is there already stays as it is" in str(said.value)
    assert sorted(library.folder.rglob("*")) == before
    library.keep("new", make_run(corpus), other, "paused")
    assert len(library.saved()) == 2


def test_the_list_never_says_more_than_the_disk_holds(library, corpus, monkeypatch):
    run = make_run(corpus)
    run.step()
    library.keep("a", run, corpus, "running")

    def dies(*_):
        raise OSError("the machine dies here")

    run.step()
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", dies)
        with pytest.raises(StoreError, match="the machine dies here"):
            library.keep("a", run, corpus, "finished")
    assert library.load("a").docs_seen == 40
    assert library.get("a").facts["docs_seen"] == 40
    assert library.get("a").interrupted


def test_leftovers_of_a_killed_server_are_removed_after_a_while(library, corpus):
    library.keep("a", make_run(corpus), corpus, "paused")
    old, new = (
        library.folder / "runs" / "a" / f"{name}.zip.0123abcd.part" for name in ("texts", "origin")
    )
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (time.time() - 7200,) * 2)
    library.purge(0.0)
    assert (old.exists(), new.exists()) == (False, True)
    assert library.load("a").docs_seen == 0
