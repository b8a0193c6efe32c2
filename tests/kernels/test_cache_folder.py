"""Where compiled kernels lie: as told, and where nothing can be written, what is there serves."""

import os
import sys
from types import SimpleNamespace

import pytest

from bnpexplorer.kernels import cache


@pytest.fixture
def told(monkeypatch, tmp_path):
    """`NUMBA_CACHE_DIR`, and a cache of the user's own elsewhere."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "told"))
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda *_, **__: str(tmp_path / "own"))
    monkeypatch.delitem(sys.modules, "numba")  # its folder stays that of the other tests
    return tmp_path / "told"


def test_the_variable_says_where(told):
    assert cache.set_cache_folder() == told
    assert os.environ["NUMBA_CACHE_DIR"] == str(told)


def test_where_nothing_can_be_written_what_it_holds_is_used(told, monkeypatch, tmp_path):
    (told / "kernels_1").mkdir(parents=True)
    (told / "kernels_1" / "a.nbi").write_bytes(b"index")
    monkeypatch.setattr(cache, "writable", lambda folder: told not in (folder, *folder.parents))
    for _ in range(2):  # a second process finds the links of the first
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(told))
        folder = cache.set_cache_folder()
    assert folder.parent == tmp_path / "own"
    place = folder / "kernels_1" / "a.nbi"
    assert place.read_bytes() == b"index"
    place.with_name("new").write_bytes(b"changed")  # as numba does it
    place.with_name("new").replace(place)
    assert (told / "kernels_1" / "a.nbi").read_bytes() == b"index"
    assert os.environ["NUMBA_CACHE_DIR"] == str(folder)


def test_where_nothing_is_told_the_folder_is_the_user_s_own_for_these_sources(told, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    folder = cache.set_cache_folder()
    assert folder.parent == told.parent / "own"
    assert folder.name == f"kernels-{cache._source_hash()}"
    assert folder.is_dir()
    assert os.environ["NUMBA_CACHE_DIR"] == str(folder)


def test_who_has_imported_numba_before_is_told_too(told, monkeypatch):
    numba = SimpleNamespace(config=SimpleNamespace(CACHE_DIR="elsewhere"))
    monkeypatch.setitem(sys.modules, "numba", numba)
    cache.set_cache_folder()
    assert str(told) == numba.config.CACHE_DIR


def test_any_other_source_means_another_folder(monkeypatch, tmp_path):
    """numba looks at the file of a kernel alone, and not at what that calls."""
    for name in ("cache.py", "other.py"):
        (tmp_path / name).write_text("ONE = 1\n")
    monkeypatch.setattr(cache, "__file__", str(tmp_path / "cache.py"))
    before = cache._source_hash()
    (tmp_path / "notes.md").write_text("no source")
    assert cache._source_hash() == before
    found = {before}
    for name in ("cache.py", "other.py"):
        (tmp_path / name).write_text("ONE = 2\n")
        found.add(cache._source_hash())
    assert len(found) == 3
