"""Texts, rows and secrets are readable by the account that saved them, and by no other."""

import os
import stat
from dataclasses import replace

import pytest

from bnpexplorer.__main__ import main
from bnpexplorer.claims import Study
from bnpexplorer.claims.claim import TrialOutcome
from bnpexplorer.compare.sweep import Axis, Sweep, sweeps_folder
from bnpexplorer.core import owned_files
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.saved import bundle
from bnpexplorer.runs.saved.library import Library
from bnpexplorer.samples import SAMPLE_DATA

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder that is not there yet, for an account whose files others may read."""
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path / "above" / "home"))
    before = os.umask(0o022)
    yield tmp_path / "above" / "home"
    os.umask(before)


def open_to_others(folder):
    """What lies in a folder, itself among it, and is not for its account alone."""
    paths = (folder, *folder.rglob("*"))
    return [str(path) for path in paths if stat.S_IMODE(path.lstat().st_mode) & 0o077]


def filled(home, corpus, monkeypatch):
    """A saved run with its row, one imported, a study and a sweep that were kept."""
    library = Library()
    seen = []
    replacing = os.replace
    monkeypatch.setattr(
        os, "replace", lambda *a: (seen.extend(open_to_others(home)), replacing(*a))
    )
    run = Plan.of("lda-svi", passes=1, batch_size=6, n_heldout=2).split_and_start(corpus)
    run.step()
    library.keep("one", run, corpus, "running", "secret")
    library.rename("one", "a name")
    library.keep("one", run, corpus, "paused", "secret")
    with (home.parent.parent / "one.zip").open("wb") as file:
        bundle.export(library, "one", file)
    bundle.add(library, bundle.read(home.parent.parent / "one.zip"))
    sweep = Sweep("lda-svi", Axis("batch_size", (8.0,)))
    sweep.write(corpus)
    for folder in (None, sweeps_folder()):
        study = Study(sweep, corpus, 600.0, 1, folder)
        study.findings[study.trials[0]] = TrialOutcome((1,), (1.0,), (-1.0,), (1,))
        study._write()
    return seen


@pytest.mark.second
def test_all_that_is_kept_is_for_its_account_alone(home, bars, monkeypatch):
    corpus = replace(bars[0].take(range(30)), name="thirty")
    on_the_way = filled(home, corpus, monkeypatch)
    names = {path.suffix for path in home.rglob("*") if path.is_file()}
    assert names >= {".zip", ".json", ".lock"}
    assert {path.name for path in home.iterdir() if path.is_dir()} == {
        "runs",
        "corpora",
        "claims",
        "sweeps",
    }
    assert open_to_others(home) == []
    assert on_the_way == [], "nor is it while it is written"


def test_what_an_earlier_version_left_open_is_closed_at_the_start(home, bars, monkeypatch):
    filled(home, bars[0].take(range(30)), monkeypatch)
    elsewhere = home.parent / "elsewhere.txt"
    elsewhere.write_text("not ours")
    (home / "runs" / "link").symlink_to(elsewhere)
    (home / "notes.txt").write_text("a person's own")
    for path in (home, *home.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() else 0o644)
    Library()
    left = {path.removeprefix(f"{home}/") for path in open_to_others(home)}
    assert left == {"notes.txt", "runs/link"}, "what is not ours stays as it is"
    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o644
    assert [saved.name for saved in Library().saved()].count("a name") == 2


def test_what_cannot_be_closed_stops_nobody(home, monkeypatch):
    home.mkdir(parents=True)

    def refused(*_):
        raise PermissionError("another account's")

    monkeypatch.setattr("pathlib.Path.chmod", refused)
    assert Library().saved() == []
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(owned_files.os, "name", "nt")
        owned_files.tighten(home)


def test_a_file_that_a_person_asks_for_has_the_usual_permissions(home, tmp_path):
    out = tmp_path / "out.run"
    small = str(SAMPLE_DATA / "small.csv")
    assert main(["fit", small, "--method", "lda-svi", "--passes", "1", "--out", str(out)]) == 0
    assert stat.S_IMODE(out.stat().st_mode) == 0o644
