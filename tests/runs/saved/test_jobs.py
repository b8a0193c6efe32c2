"""Races, studies and sweeps that have not ended: which are listed, in which order, and which are
none."""

import json
import os

import pytest

from bnpexplorer.core import store
from bnpexplorer.runs import limits
from bnpexplorer.runs.saved import library as library_module
from bnpexplorer.runs.saved.jobs import Jobs, UnfinishedJob
from bnpexplorer.runs.saved.library import Library, LibraryFull, key_of
from bnpexplorer.runs.saved.room import Room


def job(job_id, kind="race", **about):
    return UnfinishedJob(job_id, kind, f"secret of {job_id}", "key", "texts", about)


def test_jobs_are_read_as_they_were_written_the_latest_first(tmp_path):
    jobs = Jobs(tmp_path)
    assert jobs.all() == []
    written = [job("a", "study", name="kappa-lda", minutes=7.5), job("b", run_ids=["x", "y"])]
    for at, one in zip((100, 300), written, strict=True):
        jobs.write(one)
        os.utime(tmp_path / "jobs" / f"{one.job_id}.json", (at, at))
    jobs.write(job("c"))
    os.utime(tmp_path / "jobs" / "c.json", (200, 200))
    assert jobs.all() == [written[1], job("c"), written[0]]
    assert jobs.get("a") == written[0]
    jobs.remove("b")
    jobs.remove("b")
    assert [one.job_id for one in jobs.all()] == ["c", "a"]


def test_what_is_no_job_is_none(tmp_path):
    jobs = Jobs(tmp_path)
    jobs.write(job("a"))
    folder = tmp_path / "jobs"
    sound = (folder / "a.json").read_text()
    (folder / "other.json").write_text(sound)
    assert jobs.get("other") is None, "it is called as another"
    for text in ("{", "[]", json.dumps({**json.loads(sound), "secret": 7})):
        (folder / "a.json").write_text(text)
        assert jobs.get("a") is None
    assert jobs.all() == []
    (tmp_path / "b.json").write_text(sound)
    for name in ("../b", "", "x" * 41, "a/b", "none"):
        assert jobs.get(name) is None
    (folder / f"{'x' * 40}.json").write_text(json.dumps({**json.loads(sound), "job_id": "x" * 40}))
    assert jobs.get("x" * 40) is not None, "so long a name may be"


def test_a_job_keeps_its_texts_until_it_is_removed_and_is_begun_once(tmp_path, dozen):
    library = Library(tmp_path)
    library.begin_job("one", "sweep", "mine", dozen, {"minutes": 3})
    kept = library.jobs.get("one")
    assert (kept.kind, kept.secret, kept.texts) == ("sweep", "mine", dozen.name)
    assert (kept.corpus_key, kept.about) == (key_of(dozen), {"minutes": 3})
    library.begin_job("one", "race", "another's", dozen, {})
    assert library.jobs.get("one") == kept, "it has begun"
    library.purge()
    assert library.texts(kept.corpus_key).fingerprint == dozen.fingerprint
    library.jobs.remove("one")
    library.purge()
    assert not list((tmp_path / "corpora").glob("*"))


@pytest.mark.parametrize("gone", [True, False])
def test_a_race_goes_with_the_last_of_its_runs(tmp_path, dozen, gone):
    library = Library(tmp_path)
    if not gone:
        (tmp_path / "runs" / "here").mkdir(parents=True)
    library.begin_job("study", "study", "s", dozen, {"name": "toy"})
    library.begin_job("race", "race", "s", dozen, {"run_ids": ["here", "gone"]})
    library.purge()
    left = {one.job_id for one in library.jobs.all()}
    assert left == ({"study"} if gone else {"study", "race"})


@pytest.mark.parametrize(
    ("shared", "which"), [("", "some and empty what was deleted"), ("1", "some of yours")]
)
def test_a_full_disk_is_told_with_what_is_taken_and_what_may_be(
    tmp_path, dozen, monkeypatch, shared, which
):
    monkeypatch.setenv(limits.SHARED, shared)
    full = Room(4300 * 2**20, 4096 * 2**20)
    monkeypatch.setattr(library_module, "room", lambda *_: full)
    with pytest.raises(LibraryFull) as refused:
        Library(tmp_path).begin_job("one", "race", "s", dozen, {})
    assert str(refused.value) == (
        f"Saved runs take 4,300 MB of the 4,096 MB that they may. Delete {which} on the Runs page, "
        "or start the server with a larger BNPEXPLORER_DISK_MB."
    )


def test_a_job_that_the_disk_refuses_is_told_by_its_kind(tmp_path, dozen, monkeypatch):
    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Jobs, "write", refuse)
    with pytest.raises(store.StoreError) as refused:
        Library(tmp_path).begin_job("one", "race", "s", dozen, {})
    assert str(refused.value) == (
        f"The race cannot be kept in {tmp_path} (No space left on device); it goes on, and ends "
        "with this server."
    )
