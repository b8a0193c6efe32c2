"""Two builds of one folder never meet, by whatever name it is called."""

import contextlib
import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bnpexplorer.corpus.corpus import CorpusError
from bnpexplorer.corpus.intake.api import load_with_report
from bnpexplorer.plugins.building import alone as locks
from bnpexplorer.plugins.building.alone import alone
from bnpexplorer.plugins.building.build import build, build_whole
from bnpexplorer.plugins.building.plan import work_folder
from tests.tools.building import assert_same, in_memory, rows_of, small, write_csv

ROOT = Path(__file__).parents[3]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def tree_of(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


HOLD = """
import sys
from pathlib import Path
from bnpexplorer.plugins.building.alone import alone
from bnpexplorer.plugins.building.plan import place_of, work_folder
with alone(work_folder(place_of(Path(sys.argv[1])))):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextlib.contextmanager
def held(out):
    """Another process builds there."""
    command = [sys.executable, "-c", HOLD, str(out)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env=ENVIRONMENT, **pipes) as holder:
        assert holder.stdout.readline() == b"held\n"
        yield holder
        holder.stdin.close()


@pytest.mark.second
def test_two_links_to_one_folder_are_one_place(tmp_path, monkeypatch):
    small(monkeypatch)
    path, out = write_csv(tmp_path / "texts.csv", rows_of(30)), tmp_path / "out"
    (tmp_path / "real").mkdir()
    (tmp_path / "parent").symlink_to(tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real" / "out")
    out = tmp_path / "real" / "out"
    counts = load_with_report(
        ROOT / "sample_data/docword.tiny.txt", ROOT / "sample_data/vocab.tiny.txt"
    )
    with held(tmp_path / "link"):
        for other in (out, tmp_path / "link", tmp_path / "parent" / "out"):
            with pytest.raises(CorpusError, match="is being built by another process"):
                build([path], other)
            with pytest.raises(CorpusError, match="is being built by another process"):
                build_whole(counts.corpus, counts.report, (), (), other)
    assert_same(build([path], tmp_path / "link"), in_memory(path))
    assert tree_of(tmp_path / "real")[0] == "out"
    assert not work_folder(out).exists()
    assert (tmp_path / "link").is_symlink()


@pytest.mark.second
def test_a_holder_that_is_killed_keeps_nobody_out(tmp_path):
    out = tmp_path / "out"
    with held(out) as holder:
        holder.kill()
        holder.wait()
    assert (work_folder(out) / "lock").is_file()
    with alone(work_folder(out)):
        pass
    assert not work_folder(out).exists()


def test_a_lock_that_was_removed_keeps_nobody_out(tmp_path, monkeypatch):
    """Who waited for the file of a build that ended just then would hold a lock without a name."""
    home, tries, real = tmp_path / "out.building", [], locks._locked

    def locked(file):
        tries.append(file)
        if len(tries) == 1:  # between opening and locking, the other build ends
            (home / "lock").unlink()
        return real(file)

    monkeypatch.setattr(locks, "_locked", locked)
    with alone(home):
        assert len(tries) == 2
        assert (home / "lock").is_file()
        with pytest.raises(CorpusError, match="another process"), alone(home):
            pass


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP])
def test_a_disk_that_knows_no_locks_is_built_on(tmp_path, monkeypatch, number):
    def refuses(file, how):
        raise OSError(number, "no locks")

    monkeypatch.setattr("fcntl.flock", refuses)
    with alone(tmp_path / "out.building"):
        assert (tmp_path / "out.building" / "lock").is_file()


@pytest.mark.second
def test_many_builds_at_once_are_one_after_the_other(tmp_path):
    """Processes that take turns at one lock, which is made and removed each time."""
    code = """
import sys, time
from pathlib import Path
from bnpexplorer.plugins.building.alone import alone
from bnpexplorer.corpus.corpus import CorpusError
home, inside, done = Path(sys.argv[1]), Path(sys.argv[2]), 0
while done < 40:
    try:
        with alone(home):
            inside.mkdir()  # fails if somebody else is inside
            time.sleep(0.001)
            inside.rmdir()
            done += 1
    except CorpusError:
        time.sleep(0.0005)
"""
    command = [sys.executable, "-c", code, tmp_path / "h.building", tmp_path / "inside"]
    begun = [subprocess.Popen([*map(str, command)], env=ENVIRONMENT) for _ in range(3)]
    assert [process.wait(200) for process in begun] == [0, 0, 0]
    assert tree_of(tmp_path) == []


def test_where_locks_are_those_of_windows(tmp_path, monkeypatch):
    """`msvcrt` locks bytes of an open file, and there an open file is not removed."""
    import types

    taken: dict[tuple[int, int], int] = {}

    def is_open(path):
        found = path.stat()
        try:
            held = os.fstat(taken[found.st_dev, found.st_ino])
        except (KeyError, OSError):
            return False
        return os.path.samestat(held, found)

    def locking(descriptor, mode, n_bytes):
        found = os.fstat(descriptor)
        if is_open(home / "lock"):
            raise PermissionError(13, "Permission denied")
        assert (mode, n_bytes) == (2, 1)
        taken[found.st_dev, found.st_ino] = descriptor

    def unlink(path, missing_ok=False):
        if path == home / "lock" and is_open(path):
            raise PermissionError(13, "The file is used by another process")
        real(path, missing_ok)

    real, home = Path.unlink, tmp_path / "out.building"
    monkeypatch.setattr(Path, "unlink", unlink)
    monkeypatch.setitem(sys.modules, "msvcrt", types.SimpleNamespace(locking=locking, LK_NBLCK=2))
    monkeypatch.setattr(locks.sys, "platform", "win32")
    with alone(home), pytest.raises(CorpusError, match="another process"), alone(home):
        pass
    assert len(taken) == 1
    assert not home.exists(), "removed once it was closed"
