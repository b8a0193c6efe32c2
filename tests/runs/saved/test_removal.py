"""What goes from the disk, when, and what does not: whatever the clock says, whoever was killed."""

import contextlib
import errno
import itertools
import json
import os
import shutil
import time
from pathlib import Path

import pytest

from bnpexplorer.core.store import StoreError
from bnpexplorer.runs.saved.library import Library, LibraryFull, TakenElsewhere
from bnpexplorer.runs.saved.removal import DAY, NotRemoved
from tests.tools.disk import Dies, Killed, watched
from tests.tools.keeping import run_of


@pytest.fixture
def library(tmp_path):
    return Library(tmp_path)


@pytest.fixture
def clock(monkeypatch):
    """A clock of the wall that goes by steps."""
    now = [1.7e9]
    monkeypatch.setattr(time, "time", lambda: now[0])

    def step(seconds):
        now[0] += seconds
        return now[0]

    return step


def keep(library, run_id):
    library.keep(run_id, *run_of(1), "paused")


def ids(library):
    return {saved.run_id for saved in (*library.saved(), *library.saved(deleted=True))}


def test_a_clock_that_jumps_by_a_year_takes_nothing_away_at_once(library, clock):
    keep(library, "a")
    library.delete("a")
    keep(library, "b")
    clock(365 * DAY)
    keep(library, "c")
    assert "a" in ids(library)
    assert library.days_left("a") == pytest.approx(6.0, abs=0.01)
    clock(-365 * DAY)
    for i in range(5):
        clock(DAY)
        keep(library, f"d{i}")
        assert "a" in ids(library), i
    for run_id in ("e", "f"):
        clock(DAY)
        keep(library, run_id)
    assert "a" not in ids(library)


def test_a_run_that_was_deleted_while_the_clock_was_ahead_goes_all_the_same(library, clock):
    clock(1000 * DAY)
    keep(library, "a")
    library.delete("a")
    clock(-1000 * DAY)
    for i in range(9):
        keep(library, f"b{i}")
        clock(DAY)
    assert "a" not in ids(library)
    assert len(ids(library)) == 9


def test_one_that_came_back_and_was_deleted_again_has_its_week_anew(library, clock):
    keep(library, "a")
    library.delete("a")
    for i in range(7):
        keep(library, f"b{i}")
        clock(DAY)
    library.restore("a")
    library.delete("a")
    clock(DAY)
    keep(library, "c")
    assert "a" in ids(library)


def test_a_clock_that_is_put_back_lets_one_server_alone_go_on(library, clock):
    keep(library, "a")
    other = Library(library.folder)
    theirs = other.load("a")
    library.load("a")
    keep(library, "a")  # in the same moment, by the clock
    with pytest.raises(TakenElsewhere, match="Another server"):
        other.keep("a", theirs, run_of(1)[1], "paused")
    clock(-DAY)
    keep(library, "a")


def test_a_damaged_count_is_begun_anew(library, clock):
    keep(library, "a")
    library.delete("a")
    for text in ("[]", "{", json.dumps({"at": None, "seconds": 3})):
        (library.folder / "deleted.json").write_text(text)
        library.purge(counted=DAY)
        assert ids(library) == {"a"}
        assert library.days_left("a") == 7


def test_what_was_never_saved_to_its_end_counts_is_listed_and_goes(library, monkeypatch):
    keep(library, "a")
    runs, before = library.folder / "runs", library.n_bytes
    for name, files in (("half", ["texts.zip"]), ("whole", ["texts.zip", "standing.zip"])):
        (runs / name).mkdir()
        for file in files:
            shutil.copy(runs / "a" / file, runs / name / file)
    (runs / ".DS_Store").write_text("")
    assert library.n_bytes > before + 1000, "they count towards the limit"
    monkeypatch.setenv("BNPEXPLORER_DISK_MB", "0")
    with pytest.raises(LibraryFull):
        keep(library, "b")
    monkeypatch.delenv("BNPEXPLORER_DISK_MB")
    assert library.damaged() == [], "somebody may be saving them now"
    library.purge()
    assert (runs / "half").exists()
    for name in ("half", "whole"):
        os.utime(runs / name, (time.time() - 7200,) * 2)
    names = {one.run_id: one.why for one in library.damaged()}
    assert set(names) == {"half", "whole"}
    assert "killed before it was saved to its end" in names["half"]
    library.purge()
    assert not (runs / "half").exists(), "nothing in it can be of use"
    assert [one.run_id for one in library.damaged()] == ["whole"]
    library.discard("whole")
    assert library.damaged() == []
    assert ids(library) == {"a"}
    for name in ("a", "b", "..", ""):
        with pytest.raises(StoreError, match="no damaged run"):
            library.discard(name)


def test_nothing_is_half_removed(library, monkeypatch):
    """Killed or refused between row and folder: what can be brought back is whole."""
    keep(library, "a")
    library.delete("a")

    def refuses(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refuses)
        with pytest.raises(NotRemoved, match=r"The run a cannot be removed .*No space left"):
            library.purge()
        assert ids(library) == {"a"}, "it is listed at once"
    assert library.damaged() == []
    assert ids(library) == {"a"}
    library.restore("a")
    assert library.load("a").docs_seen == 10


def test_what_is_listed_can_be_opened_wherever_its_removal_is_cut_off(tmp_path):
    library = Library(tmp_path / "whole")
    keep(library, "a")
    library.delete("a")
    for after in itertools.count():
        folder, dies = tmp_path / str(after), Dies(after)
        shutil.copytree(library.folder, folder)
        with contextlib.suppress(Killed), watched(dies):
            Library(folder).purge()
        fresh = Library(folder)
        assert fresh.damaged() == [], after
        for run_id in ids(fresh):
            assert fresh.load(run_id).docs_seen == 10, after
            assert fresh.corpus(run_id).n_docs, after
        if dies.left >= 0:
            break
    assert after > 5, "else nothing was cut off"
    assert ids(fresh) == set()


def test_runs_on_another_disk_are_freed(tmp_path, monkeypatch):
    """As with a link to a larger disk; no name goes from one disk to another."""
    home, disk = tmp_path / "home", tmp_path / "disk"
    home.mkdir(), disk.mkdir()
    try:
        (home / "runs").symlink_to(disk, target_is_directory=True)
    except OSError:
        pytest.skip("this account may make no links")
    library, replacing = Library(home), os.replace

    def on_one_disk(old, new):
        if len({disk in Path(path).resolve().parents for path in (old, new)}) > 1:
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        replacing(old, new)

    monkeypatch.setattr(os, "replace", on_one_disk)
    keep(library, "a")
    library.delete("a")
    library.purge()
    assert list(disk.iterdir()) == []
    assert ids(library) == set()


def test_what_was_hidden_by_a_process_that_was_killed_goes_and_is_never_listed(library):
    keep(library, "a")
    runs = library.folder / "runs"
    shutil.copytree(runs / "a", runs / ".bnpexplorer-gone-b")
    os.utime(runs / ".bnpexplorer-gone-b", (0, 0))
    assert library.damaged() == []
    assert ids(library) == {"a"}
    library.purge()
    assert [path.name for path in runs.iterdir()] == ["a"]


def test_a_run_that_the_disk_does_not_let_go_stops_no_other(library, monkeypatch):
    for run_id in "abc":
        keep(library, run_id)
    (library.folder / "runs" / "c" / "row.json").unlink()
    library.delete("a"), library.delete("b")
    replacing = os.replace

    def refuses(old, new):
        if Path(old).name in ("a", "c"):
            raise PermissionError(errno.EACCES, "Permission denied")
        replacing(old, new)

    monkeypatch.setattr(os, "replace", refuses)
    with pytest.raises(NotRemoved, match=r"The run a cannot be removed .*Permission denied"):
        library.purge()
    with pytest.raises(NotRemoved, match="The run c cannot be removed"):
        library.discard("c")
    library.forget(["a"])
    assert ids(library) == {"a"}
    monkeypatch.setattr("bnpexplorer.runs.saved.library.KEPT_AFTER_DELETION", 0.0)
    keep(library, "d")
    assert ids(library) == {"a", "d"}


def test_what_is_hidden_and_not_let_go_is_told(library, monkeypatch):
    keep(library, "a")
    library.delete("a")

    def refuses(*_):
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(os, "rmdir", refuses)
        patch.setattr("pathlib.Path.rmdir", refuses)
        with pytest.raises(NotRemoved, match="left of the run a cannot be removed"):
            library.purge()
    assert ids(library) == set()
    library.purge()
    assert list((library.folder / "runs").iterdir()) == []


def test_a_row_with_another_identity_takes_no_folder_with_it(library):
    keep(library, "a")
    row = library.folder / "runs" / "a" / "row.json"
    row.write_text(row.read_text().replace('"run_id": "a"', '"run_id": "../runs"'))
    (found,) = library.damaged()
    assert (found.run_id, found.why) == ("a", "its row is of the run ../runs")
    with pytest.raises(StoreError, match="There is no damaged run"):
        library.discard("../runs")
    assert (library.folder / "runs" / "a" / "standing.zip").exists()


def test_a_folder_whose_row_is_sound_is_listed_again(library):
    keep(library, "a")
    shutil.copytree(library.folder / "runs" / "a", library.folder / "aside")
    library.delete("a")
    library.purge()
    shutil.move(library.folder / "aside", library.folder / "runs" / "a")
    assert library.damaged() == []
    assert ids(library) == {"a"}


@pytest.mark.parametrize(
    ("run_ids", "more"),
    [("a", ""), ("ab", " So it is with 1 more."), ("abc", " So it is with 2 more.")],
)
def test_how_many_others_the_disk_does_not_let_go_is_told(library, monkeypatch, run_ids, more):
    for run_id in run_ids:
        keep(library, run_id)
        library.delete(run_id)

    def refuses(*_):
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refuses)
        with pytest.raises(NotRemoved) as refused:
            library.purge()
    first = f"The run {run_ids[-1]} cannot be removed from {library.folder} (Permission denied)."
    assert str(refused.value) == first + more


def test_what_was_deleted_at_that_very_moment_or_later_stays(library, clock):
    for run_id in "abc":
        keep(library, run_id)
        library.delete(run_id)
        at = clock(10.0)
    library.purge(deleted_before=at - 20.0)
    assert ids(library) == {"b", "c"}
    library.purge()
    assert ids(library) == set()


def test_the_days_that_are_left_are_counted_from_purge_to_purge(library, clock):
    keep(library, "a")
    library.delete("a")
    library.purge(counted=7 * DAY)
    assert library.days_left("a") == 7.0
    clock(0.75 * DAY)
    assert library.days_left("a") == 6.25
    library.purge(counted=7 * DAY)
    clock(0.5 * DAY)
    assert library.days_left("a") == 5.75
    clock(100 * DAY)
    assert library.days_left("a") == 5.25, "a day at most"
    for _ in range(7):
        library.purge(counted=8 * DAY)
        clock(DAY)
    assert library.days_left("a") == 0.0
    assert library.days_left("unknown") == 7.0
