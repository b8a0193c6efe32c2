"""A folder of what lasts that is somebody's own folder, too: only what has our names goes."""

import errno
import os
import stat
import time
from pathlib import Path

import pytest

from bnpexplorer.core import owned_files, store
from bnpexplorer.core.store import StoreError
from bnpexplorer.runs.saved.library import Library
from tests.tools.keeping import run_of

THEIRS = (
    "Downloads/film.mkv.part",
    "texts.zip.0123abcd.part",
    "notes/deleted.json.0123abcd.part",
    "gone/mine.txt",
    "runs/marathon/times.txt",
    "runs/exp1/weights.bin",
    "runs/exp1/texts.zip",
    "runs/exp1/model.pt.0123abcd.part",
    "runs/notes.txt",
    "corpora/letters.zip",
    "corpora/thesis-2024.zip",
    "library-photos/a.jpg",
    "library.txt",
    "jobs/application.odt",
)


@pytest.fixture
def library(tmp_path):
    return Library(tmp_path)


def keep(library, run_id="a"):
    library.keep(run_id, *run_of(1), "paused")


def put(folder, *names):
    """Files with these names, open to all and old; the empty folder too."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
        path.chmod(0o644)
    for path in (*(folder / name for name in names), *(folder / "runs").glob("*")):
        os.utime(path, (time.time() - 7200,) * 2)


def hidden(library):
    return list((library.folder / "runs").glob(".*"))


def test_what_is_not_ours_stays(tmp_path):
    (tmp_path / "runs" / "planned").mkdir(parents=True)
    put(tmp_path, *THEIRS)
    (tmp_path / "runs" / "exp1" / "texts.zip").unlink()
    assert Library(tmp_path).n_bytes == 0, "nor does it count towards the limit"
    put(tmp_path, *THEIRS)
    modes = {name: (tmp_path / name).stat().st_mode for name in THEIRS}
    library = Library(tmp_path)
    keep(library)
    library.delete("a")
    library.purge()
    keep(library, "b")
    assert [name for name in THEIRS if not (tmp_path / name).exists()] == []
    assert (tmp_path / "runs" / "planned").is_dir()
    assert library.damaged() == []
    ours_by_name = {"runs/exp1/texts.zip"}
    changed = {name for name in THEIRS if (tmp_path / name).stat().st_mode != modes[name]}
    assert changed <= ours_by_name
    with pytest.raises(StoreError, match="no damaged run"):
        library.discard("marathon")


def test_what_is_ours_goes_wherever_it_lies(library):
    keep(library)
    left = [
        f"{place}.0123abcd.part" for place in ("deleted.json", "runs/a/row.json", "jobs/j.json")
    ]
    left += ["corpora/0123456789abcdef-01234567.zip", "runs/half/texts.zip"]
    put(library.folder, *left)
    (library.folder / "runs" / "abcdef0123").mkdir()
    os.utime(library.folder / "runs" / "abcdef0123", (0, 0))
    library.purge()
    assert [name for name in left if (library.folder / name).exists()] == []
    assert [path.name for path in (library.folder / "runs").iterdir()] == ["a"]
    assert library.corpus("a").n_docs == 40


def test_names_of_unfinished_files_are_those_that_the_store_gives(tmp_path):
    with store.replacing(tmp_path / "deleted.json"):
        assert [path.suffix for path in owned_files.files_in(tmp_path)] == [".part"]
    assert [path.name for path in owned_files.files_in(tmp_path)] == ["deleted.json"]


def test_a_folder_that_is_closed_to_us_stops_nobody(library, monkeypatch):
    """As another account's, in a folder that several share."""
    put(library.folder, "runs/theirs/texts.zip", "runs/theirs/row.json")
    looked, at = os.stat, library.folder / "runs" / "theirs"

    def closed(path, *rest, **options):
        if not isinstance(path, int) and at in Path(path).parents:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return looked(path, *rest, **options)

    monkeypatch.setattr(os, "stat", closed)
    with pytest.raises(PermissionError):
        (at / "row.json").exists()
    again = Library(library.folder)
    keep(again)
    again.delete("a")
    again.purge()
    assert again.saved(deleted=True) == again.damaged() == []
    assert (at / "texts.zip") in list(at.iterdir())


def test_what_somebody_put_beside_a_run_outlives_it(library):
    keep(library)
    put(library.folder, "runs/a/notes.txt", "runs/a/.DS_Store", "runs/a/plots/one.png")
    (library.folder / "runs" / "a").chmod(0o755)
    library.delete("a")
    library.purge()
    left = {path.name for path in (library.folder / "runs").rglob("*") if path.is_file()}
    assert left == {"notes.txt", "one.png"} | ({".DS_Store"} & left)
    assert (library.folder / "runs" / "a" / "notes.txt").exists()
    assert hidden(library) == library.damaged() == library.saved(deleted=True) == []


def test_what_a_system_writes_beside_a_run_goes_with_it(library):
    keep(library)
    put(library.folder, "runs/a/.DS_Store", "runs/a/Thumbs.db")
    library.delete("a")
    library.purge()
    assert list((library.folder / "runs").iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_the_index_and_its_journals_are_closed(library):
    names = ("library.sqlite3", "library.sqlite3-wal", "library.damaged.sqlite3", "library.lock")
    put(library.folder, *names)
    Library(library.folder)
    modes = {stat.S_IMODE((library.folder / name).stat().st_mode) for name in names}
    assert modes == {0o600}
