"""What a saved run keeps of fewer topics than it has."""

from dataclasses import fields

import numpy as np
import pytest

from bnpexplorer.core import store
from bnpexplorer.core.store import StoreError
from bnpexplorer.runs.about import Granularity, granularities
from bnpexplorer.runs.saved.library import Library
from tests.runs.saved.small import make_run, with_texts


@pytest.fixture(scope="module")
def corpus(bars):
    return with_texts(bars[0])


@pytest.fixture(scope="module")
def run(corpus):
    found = make_run(corpus, "hdp-gibbs")
    while not found.done:
        found.step()
    return found


@pytest.fixture
def library(tmp_path, run, corpus):
    library = Library(tmp_path)
    library.keep("a", run, corpus, "finished")
    return library


@pytest.fixture(scope="module")
def found(run):
    return granularities(run, (2, 3))


def test_they_come_back_as_they_were_for_the_moment_that_they_are_of(library, run, found):
    at = run.snapshot()
    assert library.fewer("a", run, at) is None
    library.keep_fewer("a", at, found)
    again = Library(library.folder).fewer("a", library.load("a"), at)
    for one, other in zip(again, found, strict=True):
        for f in fields(Granularity):
            if f.name != "topics":
                np.testing.assert_array_equal(getattr(one, f.name), getattr(other, f.name))
        for f in fields(type(one.topics)):
            was = getattr(other.topics, f.name)
            np.testing.assert_array_equal(getattr(one.topics, f.name), was)
    later = make_run(run.corpus, "hdp-gibbs").snapshot()
    assert library.fewer("a", run, later) is None


def test_of_a_run_that_is_not_saved_nothing_is_kept(library, run, found):
    library.keep_fewer("b", run.snapshot(), found)
    assert not (library.folder / "runs" / "b").exists()


def test_they_go_with_the_run(library, run, found):
    library.keep_fewer("a", run.snapshot(), found)
    assert (library.folder / "runs" / "a" / "fewer.zip").stat().st_mode & 0o077 == 0
    library.forget(["a"])
    assert not (library.folder / "runs" / "a").exists()


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("found.0.made_of", np.ones((2, 1)), "in place of"),
        ("found.0.topics.size", np.full(2, -1.0), "size"),
        ("found.1.of", np.zeros(1, np.int64), "shape"),
    ],
)
def test_a_damaged_file_is_refused_by_name(library, run, found, path, value, said):
    library.keep_fewer("a", run.snapshot(), found)
    file = library.folder / "runs" / "a" / "fewer.zip"
    tree, arrays = store.read(file)
    assert path in arrays
    store.write(file, tree, {**arrays, path: value})
    with pytest.raises(StoreError, match=f"fewer.zip.*{said}"):
        library.fewer("a", run, run.snapshot())


def test_a_full_disk_is_told(library, run, found, monkeypatch):
    def full(*arguments, **more):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store, "write", full)
    with pytest.raises(StoreError, match=r"cannot be written \(No space left on device\)\.$"):
        library.keep_fewer("a", run.snapshot(), found)
