"""Runs from elsewhere are read in a child process, within limits of memory and time."""

import io
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

from bnpexplorer.core import store
from bnpexplorer.corpus.intake import api, work
from bnpexplorer.corpus.intake.process import ReadingFailed
from bnpexplorer.corpus.intake.usage import resident_bytes
from bnpexplorer.runs.limits import file_limit
from bnpexplorer.runs.saved import bundle
from tests.tools.forge import saved

MB = 2**20
KEPT = Path(__file__).resolve().parents[2] / "kept"


def packed(manifest, arrays):
    file = io.BytesIO()
    store.write_to(file, manifest, arrays)
    return file


@pytest.fixture
def theirs():
    return packed(*saved("hdp-tsvi", 3))


@pytest.fixture
def nothing_here(monkeypatch):
    """This process may unpack no file."""
    monkeypatch.setattr(store, "read", lambda *_: pytest.fail("read in this process"))
    monkeypatch.setattr(zipfile, "ZipFile", lambda *_: pytest.fail("unpacked in this process"))


def test_a_sound_file_is_read_apart_with_equal_bits(theirs, monkeypatch):
    manifest, arrays = store.read(theirs)
    monkeypatch.setattr(store, "read", lambda *_: pytest.fail("read in this process"))
    there, found = api.run_file(theirs, file_limit(), "a.zip")
    assert there == manifest
    assert [*found] == [*arrays]
    for name, array in arrays.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert found[name].tobytes() == array.tobytes()
        assert found[name].flags.writeable, "the run goes on in it"
    assert bundle.read(theirs).run.method.name == "hdp-tsvi"


def test_an_old_file_is_read_apart(nothing_here):
    assert bundle.read(KEPT / "hdp-tsvi.bundle.zip").name == "kept hdp-tsvi"


@pytest.mark.second
def test_zeros_that_would_fill_the_memory_stay_outside(theirs, monkeypatch):
    manifest, arrays = store.read(theirs)
    topics = {"true_topics": np.zeros((100, MB // 8))}
    bomb = packed({**manifest, "true_topics": {"array": "true_topics"}}, {**arrays, **topics})
    del topics
    assert len(bomb.getvalue()) < MB
    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", "400")
    monkeypatch.setattr(store, "read", lambda *_: pytest.fail("read in this process"))
    before = resident_bytes(os.getpid())
    with pytest.raises(store.StoreError, match=r"^a\.zip would unpack to 100 MB, .* 80 MB") as said:
        bundle.read(bomb, "a.zip")
    assert "set BNPEXPLORER_MEMORY_MB to five times what it needs" in str(said.value)
    assert resident_bytes(os.getpid()) - before < 8 * MB


@pytest.mark.parametrize(
    ("why", "said"),
    [
        (
            "memory",
            "Reading a.zip takes more than 1,500 MB of memory, or the machine ran out of it; raise "
            "BNPEXPLORER_MEMORY_MB.",
        ),
        (
            "time",
            "Reading a.zip takes more than 3,600 seconds of processor time; raise "
            "BNPEXPLORER_READ_SECONDS.",
        ),
        ("busy", "a.zip was not read, because other files are being read; try again in a minute."),
        (
            "died",
            "a.zip cannot be read: it is damaged or of an unusual kind; export the run again.",
        ),
    ],
)
def test_what_a_child_could_not_do_is_said(why, said, theirs, monkeypatch):
    def fails(*_, **__):
        raise ReadingFailed(why)

    monkeypatch.setattr(api.CHILDREN, "do", fails)
    with pytest.raises(store.StoreError) as caught:
        bundle.read(theirs, "a.zip")
    assert str(caught.value) == said


@pytest.mark.parametrize("text", [b"[]", b"\xff", b"{}", b"[" * 100_000, b'{"format": 1}'])
def test_a_child_that_read_a_hostile_file_is_not_trusted(text, theirs, monkeypatch):
    lie = work.RunFile(np.frombuffer(text, np.uint8), (), ())
    monkeypatch.setattr(api.CHILDREN, "do", lambda *_, **__: lie)
    with pytest.raises(store.StoreError, match=r"^a\.zip (is damaged|is not a saved run|would)"):
        bundle.read(theirs, "a.zip")


@pytest.mark.second
@pytest.mark.parametrize("kind", ["V4", "S3", "c16"])
def test_arrays_of_no_known_kind_are_refused_and_the_child_lives(kind, theirs):
    manifest, arrays = store.read(theirs)
    odd = packed({**manifest, "odd": {"array": "odd"}}, {**arrays, "odd": np.zeros(3, kind)})
    with pytest.raises(store.StoreError, match=r"^a\.zip is damaged \(it holds"):
        bundle.read(odd, "a.zip")


def test_a_file_that_is_not_there_is_named():
    with pytest.raises(store.StoreError, match=r"^There is no file .*none\.zip\.$"):
        bundle.read("none.zip")
