"""A corpus that was built and lies at an address, not on a disk of this machine."""

import shutil
from collections import namedtuple

import numpy as np
import pytest

from bnpexplorer import CorpusError, Plan, load
from bnpexplorer.core import store
from bnpexplorer.corpus.stored import elsewhere
from bnpexplorer.corpus.stored.elsewhere import brought
from tests.tools.stored import on_disk

pytestmark = pytest.mark.filterwarnings("ignore:.*too little text:UserWarning")
fsspec = pytest.importorskip("fsspec")
ADDRESS = "memory://bucket/dozen.corpus"


@pytest.fixture
def there(dozen, tmp_path, monkeypatch):
    """The corpus of a dozen documents, on the disk and in a bucket; its memory system."""
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path / "home"))
    stored = on_disk(dozen, tmp_path / "dozen.corpus")
    system = fsspec.filesystem("memory")
    system.store.clear(), system.pseudo_dirs.clear()
    system.put(str(stored.folder), "/bucket/dozen.corpus", recursive=True)
    yield stored, system
    system.store.clear(), system.pseudo_dirs.clear()


def copies():
    return sorted((store.home() / elsewhere.FOLDER).glob("*"))


def test_it_is_copied_once_and_learned_from(there, dozen):
    stored, system = there
    corpus = load(ADDRESS)
    assert corpus.fingerprint == stored.fingerprint == dozen.fingerprint
    (copy,) = copies()
    assert corpus.folder == copy
    names = {path.relative_to(copy) for path in copy.rglob("*") if path.is_file()}
    assert names == {
        path.relative_to(stored.folder) for path in stored.folder.rglob("*") if path.is_file()
    }
    run = Plan.of("lda-svi").split_and_start(corpus)
    run.step()
    assert np.isfinite(run.snapshot().topics.topic_word).all()
    # From then on only the manifest is read there.
    for name in system.find("/bucket/dozen.corpus"):
        if not name.endswith("manifest.json"):
            system.rm(name)
    assert load(ADDRESS).fingerprint == dozen.fingerprint
    assert copies() == [copy]


def test_a_corpus_that_was_built_anew_at_an_address_is_copied_anew(there, dozen, tmp_path):
    _, system = there
    load(ADDRESS)
    other = on_disk(dozen.without([0]), tmp_path / "other.corpus")
    system.rm("/bucket/dozen.corpus", recursive=True)
    system.put(str(other.folder), "/bucket/dozen.corpus", recursive=True)
    assert load(ADDRESS).fingerprint == other.fingerprint != dozen.fingerprint
    assert len(copies()) == 2


def test_a_copy_that_was_cut_short_goes_on(there, monkeypatch):
    stored, system = there
    begin, opened = type(system).open, []

    def fails(self, path, *given, **more):
        opened.append(path)
        if len(opened) == 3:
            raise ConnectionError("reset, with the key SECRET")
        return begin(self, path, *given, **more)

    monkeypatch.setattr(type(system), "open", fails)
    with pytest.raises(CorpusError, match=r"cannot be read \(ConnectionError\)") as refused:
        load(ADDRESS)
    assert "SECRET" not in str(refused.value)
    before = opened[:2]
    assert load(ADDRESS).fingerprint == stored.fingerprint
    assert not set(before) & set(opened[3:]), "what was copied was copied again"


def test_half_a_file_of_a_copy_is_copied_again(there):
    stored, _ = there
    load(ADDRESS)
    (copy,) = copies()
    (copy / "manifest.json").unlink()  # which comes last
    file = copy / "counts.npy"
    file.write_bytes(file.read_bytes()[:-4])
    assert load(ADDRESS).take([0, 7]).fingerprint == stored.take([0, 7]).fingerprint
    assert file.read_bytes() == (stored.folder / "counts.npy").read_bytes()


def test_file_addresses_are_opened_where_they_lie(there, tmp_path):
    stored, _ = there
    assert load(f"file://{stored.folder}").folder == stored.folder
    (tmp_path / "plain.txt").write_text("old harbour\ngreen bridge\n" * 9)
    assert load(f"file://{tmp_path}/plain.txt", min_df=2).n_docs == 18
    assert not copies()


def test_what_is_not_there_is_said_in_one_sentence(there, monkeypatch):
    _, system = there
    with pytest.raises(CorpusError, match="There is no corpus in memory://bucket/other: from an"):
        load("memory://bucket/other")
    with pytest.raises(CorpusError, match="Leave them out, or build it again"):
        load(ADDRESS, min_df=3)
    with pytest.raises(CorpusError, match="check the address and that you may read it") as refused:
        load("nowhere://me:SECRET@bucket/x?signature=SECRET")
    assert "SECRET" not in str(refused.value)
    assert not copies(), "nothing is copied before it is known that it can be used"
    usage = namedtuple("usage", "free")
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda _: usage(elsewhere.SPARE + 10))
        with pytest.raises(CorpusError, match=r"has no room \(0 MB\); make room, or set BNPEXPL"):
            load(ADDRESS)
    whole = system.cat_file("/bucket/dozen.corpus/counts.npy")
    system.pipe("/bucket/dozen.corpus/counts.npy", b"short")
    with pytest.raises(CorpusError, match=r"counts\.npy has 5 bytes in place of"):
        load(ADDRESS)
    system.pipe("/bucket/dozen.corpus/counts.npy", whole + b"more")
    with pytest.raises(
        CorpusError, match=rf"has {len(whole) + 4:,} bytes in place of {len(whole):,};"
    ):
        load(ADDRESS)
    system.pipe("/bucket/dozen.corpus/counts.npy", whole)
    system.rm("/bucket/dozen.corpus/lengths.npy")
    with pytest.raises(CorpusError, match=r"lengths\.npy is missing; bring the corpus there back"):
        load(ADDRESS)
    assert not [folder for folder in copies() if (folder / "manifest.json").exists()]


@pytest.mark.parametrize("spare", [0, -1, -3_000_000])
def test_a_copy_leaves_a_gigabyte_of_the_disk_to_others(there, monkeypatch, spare):
    """What is needed is told in megabytes, with what there is beside that."""
    stored, _ = there
    needed = sum(stored.manifest.sizes().values())
    usage = namedtuple("usage", "free")
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda _: usage(2**30 + needed + spare))
        if not spare:
            assert load(ADDRESS).n_docs == stored.n_docs
            return
        with pytest.raises(CorpusError) as refused:
            load(ADDRESS)
    assert str(refused.value) == (
        f"A copy of the corpus in {ADDRESS} has 0 MB, for which the disk of "
        f"{store.home() / 'copies'} has no room (0 MB); make room, or set BNPEXPLORER_HOME to a "
        "folder of another disk."
    )
    room = elsewhere._no_room("s3://b", store.home() / "a" / "b", 7_400_000, 2_600_000)
    assert "has 7 MB, for which the disk of" in room
    assert "has no room (3 MB);" in room


def test_a_disk_that_is_full_in_the_middle_is_told_and_the_copy_goes_on(there, monkeypatch):
    stored, _ = there
    with monkeypatch.context() as patch:

        def full(*_):
            raise OSError(28, "No space left on device")

        patch.setattr(shutil, "copyfileobj", full)
        with pytest.raises(CorpusError, match=r"^A copy of the corpus in memory://.* has no room"):
            load(ADDRESS)
    assert load(ADDRESS).fingerprint == stored.fingerprint


@pytest.mark.parametrize(
    ("name", "said"), [("fsspec", "fsspec is not installed"), ("s3fs", "Install s3fs to access S3")]
)
def test_what_is_to_be_installed_is_said(monkeypatch, name, said):
    def lacking(address):
        raise ImportError("Install s3fs to access S3", name=name)

    monkeypatch.setattr("fsspec.core.url_to_fs", lacking)
    with pytest.raises(CorpusError, match=r"bnpexplorer\[cluster\]") as refused:
        brought("s3://bucket/news.corpus")
    assert said in str(refused.value)
