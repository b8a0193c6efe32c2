"""Disks that are full: told in a sentence, and the build goes on once there is room."""

import contextlib
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bnpexplorer.__main__ import main
from bnpexplorer.plugins.building.build import build
from tests.tools.building import assert_same, in_memory, rows_of, write_csv

pytestmark = pytest.mark.second

ROOT = Path(__file__).parents[3]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


@contextlib.contextmanager
def small_disk(folder, n_bytes):
    """A file system of so many bytes, which `mount` may enlarge."""
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={n_bytes}", "tmpfs", str(folder)], capture_output=True
    )
    if made.returncode:
        pytest.skip(f"no file system may be mounted here: {made.stderr.decode()}")
    try:
        yield lambda size: subprocess.run(
            ["mount", "-o", f"remount,size={size}", str(folder)], check=True
        )
    finally:
        for _ in range(20):
            if not subprocess.run(["umount", str(folder)], capture_output=True).returncode:
                break
            time.sleep(0.2)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has disks in memory")
def test_a_disk_that_is_full_is_told_and_the_build_goes_on_once_there_is_room(tmp_path, capsys):
    """A real one, which fills up at one step after the other; by a process that goes on."""
    rows = rows_of(1500)
    path, words = write_csv(tmp_path / "texts.csv", rows), ["--min-df", "1", "--threads", "1"]
    command = [sys.executable, "-m", "bnpexplorer", "corpus", "build", str(path)]
    alone_at = tmp_path / "alone"
    assert (
        subprocess.run([*command, alone_at, *words], cwd=ROOT, capture_output=True).returncode == 0
    )
    told, size = [], 40_000
    with small_disk(tmp_path / "disk", size) as enlarge:
        out = tmp_path / "disk" / "out"
        for _ in range(40):
            made = main(["corpus", "build", str(path), str(out), *words])
            said = capsys.readouterr().err.splitlines()
            if made == 0:
                break
            assert made == 2, said
            assert len([line for line in said if line.startswith("bnpexplorer: ")]) == 1, said
            assert not [line for line in said if "Traceback" in line]
            assert "goes on" in said[-1], said
            told.append(said[-1])
            size = int(size * 1.7)
            enlarge(size)
        assert made == 0
        assert len(told) >= 3
        assert all("o room left" in line or "No space left" in line for line in told), told
        files = {f.relative_to(out): f.read_bytes() for f in out.rglob("*") if f.is_file()}
    wanted = {f.relative_to(alone_at): f.read_bytes() for f in alone_at.rglob("*") if f.is_file()}
    assert files == wanted


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="not a limit of this system")
def test_a_file_that_may_not_grow_is_told(tmp_path):
    path = write_csv(tmp_path / "texts.csv", rows_of(1500))
    limit = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000)); "
    code = limit + "from bnpexplorer.__main__ import main; sys.exit(main(sys.argv[1:]))"
    built = ["corpus", "build", str(path), str(tmp_path / "out"), "--as-of", "names"]
    command = [sys.executable, "-c", code, *built]
    made = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True)
    assert made.returncode == 2
    assert "File too large" in made.stderr
    assert "goes on" in made.stderr
    assert_same(build([path], tmp_path / "out"), in_memory(path))
