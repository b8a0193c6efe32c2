"""Test how the index of an earlier version is carried over."""

import contextlib
import itertools
import shutil
import sqlite3
from dataclasses import replace

import pytest

from bnpexplorer.core.store import StoreError
from bnpexplorer.runs.saved.library import Library
from tests.runs.saved.small import make_run, with_texts
from tests.tools.disk import Dies, Killed, watched
from tests.tools.keeping import index_of_an_earlier_version


@pytest.fixture
def library(tmp_path):
    return Library(tmp_path)


@pytest.fixture
def corpus(bars):
    return with_texts(bars[0])


def kept_by_an_earlier_version(library, corpus):
    """Three runs: of "a" a row in the folder alone, of "b" in both, of "c" in the index alone."""
    for run_id in "abc":
        library.keep(run_id, make_run(corpus), corpus, "paused", f"secret of {run_id}")
    library.tag("c", ("lecture",))
    before = {saved.run_id: saved for saved in library.saved()}
    index_of_an_earlier_version(library.folder, {"b": "before", "c": before["c"].name})
    (library.folder / "runs" / "c" / "row.json").unlink()
    return before


def listed(library):
    return {saved.run_id: replace(saved, n_bytes=0) for saved in library.saved()}


def test_rows_that_an_earlier_index_alone_has_are_carried_over(library, corpus):
    before = kept_by_an_earlier_version(library, corpus)
    again = Library(library.folder)
    assert listed(again) == {run_id: replace(one, n_bytes=0) for run_id, one in before.items()}
    assert again.secret("c") == "secret of c"
    assert not (library.folder / "library.sqlite3").exists()
    assert (library.folder / "library.before.sqlite3").exists(), "nothing is thrown away"
    again.rename("c", "newer")
    assert Library(library.folder).get("c").name == "newer"


@pytest.mark.parametrize("how", ["foreign", "half", "empty"])
def test_a_damaged_index_of_an_earlier_version_is_in_nobody_s_way(library, corpus, how):
    kept_by_an_earlier_version(library, corpus)
    index = library.folder / "library.sqlite3"
    data = index.read_bytes()
    damage = {"foreign": b"no database at all" * 100, "half": data[: len(data) // 2], "empty": b""}
    index.write_bytes(damage[how])
    assert {"a", "b"} <= listed(Library(library.folder)).keys()
    assert (library.folder / "library.before.sqlite3").read_bytes() == damage[how]
    library.rename("a", "newer")


def test_an_index_that_another_server_holds_is_not_taken_for_damaged(library, corpus, monkeypatch):
    kept_by_an_earlier_version(library, corpus)
    index = library.folder / "library.sqlite3"
    connect = sqlite3.connect
    monkeypatch.setattr(
        sqlite3, "connect", lambda path, **kw: connect(path, **{**kw, "timeout": 0})
    )
    with contextlib.closing(connect(index, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="cannot be used"):
            library.saved()
    assert listed(library).keys() == {"a", "b", "c"}


def test_whoever_is_killed_while_carrying_over_loses_nothing(library, corpus, tmp_path):
    before = kept_by_an_earlier_version(library, corpus)
    for after in itertools.count():
        home = tmp_path / str(after)
        shutil.copytree(library.folder, home, ignore=lambda *_: [str(n) for n in range(99)])
        dies, done = Dies(after), False
        with contextlib.suppress(Killed), watched(dies):
            Library(home).saved()
            done = dies.left >= 0
        assert listed(Library(home)).keys() == before.keys(), after
        assert Library(home).secret("c") == "secret of c"
        if done:
            break
    assert after > 5, "it died at every change of a file"
