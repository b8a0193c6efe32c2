"""A damaged index of saved runs, found by several at once: made again once, and nothing is lost."""

import contextlib
import json
import os
import shutil
import sqlite3
import threading

import pytest

from bnpexplorer.core.store import StoreError
from bnpexplorer.saved.index import Index
from tests.tools.waiting import NEVER

RUNS = [f"r{i}" for i in range(8)]
DAMAGE = b"no database at all" * 100


@pytest.fixture
def damaged(tmp_path):
    """A folder of runs whose index is damaged; its name has signs that mean something in a URI."""
    tmp_path /= "50%41 #1?mode=ro"
    for run_id in RUNS:
        folder = tmp_path / "runs" / run_id
        folder.mkdir(parents=True)
        row = {
            "run_id": run_id,
            "name": "old",
            "secret": "s",
            "corpus_key": "k",
            "created": 1.0,
            "updated": 1.0,
            "deleted": None,
            "facts": {"status": "paused"},
            "tags": [],
            "labels": {},
        }
        (folder / "row.json").write_text(json.dumps(row))
    (tmp_path / "library.sqlite3").write_bytes(DAMAGE)
    return tmp_path


def test_who_comes_late_leaves_the_index_that_was_made_anew(damaged, monkeypatch):
    late, first = Index(damaged), Index(damaged)
    once, made = Index._once, []

    def slow(self, *call):
        try:
            return once(self, *call)
        finally:
            if self is late and not made:  # it failed, and another thread is quicker
                made.append(first.set("r0", "name", "new"))

    monkeypatch.setattr(Index, "_once", slow)
    late.set("r1", "name", "newer")
    assert made
    names = {row.run_id: row.name for row in late.rows()}
    assert (names["r0"], names["r1"], len(names)) == ("new", "newer", len(RUNS))
    assert (damaged / "library.damaged.sqlite3").read_bytes() == DAMAGE


def test_nothing_is_lost_when_several_find_the_damage(damaged):
    answers, together = {}, threading.Barrier(len(RUNS))

    def change(run_id):
        together.wait()
        try:
            answers[run_id] = Index(damaged).set(run_id, "name", f"new {run_id}")
        except ValueError as problem:
            answers[run_id] = problem

    threads = [threading.Thread(target=change, args=(run_id,)) for run_id in RUNS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(NEVER)
    assert answers == dict.fromkeys(RUNS)
    assert {row.name for row in Index(damaged).rows()} == {f"new {run_id}" for run_id in RUNS}
    assert not list(damaged.glob("library.fresh*"))


def test_what_was_left_by_somebody_killed_is_in_nobody_s_way(damaged):
    (damaged / "library.fresh.sqlite3").write_bytes(DAMAGE)
    (damaged / "library.sqlite3-wal").write_bytes(DAMAGE)
    assert len(Index(damaged).rows()) == len(RUNS)
    (damaged / "library.sqlite3").unlink()  # killed between two names
    assert len(Index(damaged).rows()) == len(RUNS)


@pytest.mark.parametrize("missing", [False, True])
def test_the_new_index_gets_its_name_when_it_is_complete_and_nothing_old_belongs_to_it(
    damaged, monkeypatch, missing
):
    path, replace, named = damaged / "library.sqlite3", os.replace, []
    log = damaged / "library.sqlite3-wal"
    log.write_bytes(DAMAGE)
    if missing:
        path.unlink()

    def watched(source, target):
        if target == path:
            with contextlib.closing(sqlite3.connect(source)) as index:
                named.append(index.execute("SELECT count(*) FROM runs").fetchone()[0])
            assert not log.exists(), "SQLite would read it into the new index"
        replace(source, target)

    monkeypatch.setattr(os, "replace", watched)
    Index(damaged).rows()
    assert named == [len(RUNS)]


@pytest.mark.parametrize("replaced", [False, True])
def test_a_sound_index_that_refuses_is_not_set_aside(damaged, monkeypatch, replaced):
    """It may be locked or the disk full; only where another file has come it is asked again."""
    index = Index(damaged)
    index.set("r0", "name", "new")
    (damaged / "library.damaged.sqlite3").unlink()
    once, calls = Index._once, []

    def refuses(self, *call):
        calls.append(call)
        if len(calls) > 1:
            return once(self, *call)
        if replaced:
            shutil.copy(index.path, damaged / "copy")
            os.replace(damaged / "copy", index.path)
        raise sqlite3.OperationalError("database is locked")

    monkeypatch.setattr(Index, "_once", refuses)
    if replaced:
        assert "new" in {row.name for row in index.rows()}
    else:
        with pytest.raises(StoreError, match="database is locked"):
            index.rows()
    assert len(calls) == 1 + replaced
    assert not (damaged / "library.damaged.sqlite3").exists()
