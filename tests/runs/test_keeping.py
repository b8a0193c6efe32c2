"""How often a run is written while it learns: whoever pulls the plug loses ten seconds at most."""

import os
import stat
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.core import store
from bnpexplorer.runs import background, keeping
from bnpexplorer.runs.background import BackgroundRun
from bnpexplorer.runs.keeping import KEEP_SECONDS
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.saved.library import Library
from tests.tools.waiting import NEVER


class Clocked:
    """A run whose steps and whose writing take what a clock of the test says."""

    def __init__(self, clock, step_seconds, n_steps=400):
        self.clock, self.step_seconds, self.left = clock, step_seconds, n_steps
        self.docs_seen, self.method = 0, None

    @property
    def done(self):
        return self.left == 0

    def prepare(self):
        pass

    def step(self):
        self.clock.now += float(self.step_seconds())
        self.left -= 1

    def snapshot(self):
        return None


@pytest.fixture
def clock(monkeypatch):
    clock = SimpleNamespace(now=100.0)
    sleep = background.time.sleep
    stands = SimpleNamespace(monotonic=lambda: clock.now, sleep=sleep)
    for module in (background, keeping):
        monkeypatch.setattr(module, "time", stands)
    monkeypatch.setattr(background, "warm_in_turn", lambda method: None)
    return clock


@pytest.mark.parametrize(
    ("step_seconds", "writing", "most"),
    [
        (lambda: 0.3, 0.01, KEEP_SECONDS),
        (lambda: 4.0, 0.01, KEEP_SECONDS),
        (lambda: 9.0, 0.01, KEEP_SECONDS),
        (lambda: 60.0, 0.01, 60.0),
        (lambda: 0.3, 2.0, 40.0 + 0.3),
    ],
)
def test_so_much_is_lost_at_most(clock, step_seconds, writing, most):
    kept, lost = [clock.now], []

    def keep(run, status):
        lost.append(clock.now - kept[-1])
        clock.now += writing
        kept.append(clock.now)

    runs = BackgroundRun(Clocked(clock, step_seconds), keeper=keep)
    runs.start()
    assert runs.wait(NEVER)
    assert runs.status == "finished"
    assert max(lost) <= most + 1e-6
    gaps = np.diff(kept[1:-1])
    assert writing <= 0.05 * gaps.min() + writing * 0.05, "5 % of the time at most"


@pytest.mark.parametrize(
    ("status", "method"), [("running", zipfile.ZIP_STORED), ("paused", zipfile.ZIP_DEFLATED)]
)
def test_a_run_at_rest_is_written_small_and_one_under_way_fast(dozen, tmp_path, status, method):
    run = Plan.of("lda-svi", values={"n_topics": 3}).start(dozen)
    run.step()
    Library(tmp_path).keep("a", run, dozen, status)
    with zipfile.ZipFile(tmp_path / "runs" / "a" / "standing.zip") as written:
        found = {part.filename: part.compress_type for part in written.infolist()}
    assert found["state.lam.stats.npy"] == method


@pytest.mark.skipif(os.name != "posix", reason="folders are opened")
def test_a_file_and_its_name_are_on_the_disk_when_it_is_said_to_be(tmp_path, monkeypatch):
    synced, fsync, replace = [], os.fsync, os.replace

    def sync(file):
        synced.append("folder" if stat.S_ISDIR(os.fstat(file).st_mode) else "file")
        fsync(file)

    def named(*paths):
        synced.append("name")
        replace(*paths)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(os, "replace", named)
    store.write_json(tmp_path / "a.json", {})
    assert synced == ["file", "name", "folder"]
