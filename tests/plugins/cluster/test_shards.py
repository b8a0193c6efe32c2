"""Workers that cannot read a corpus, read something else, or end while they read it."""

import gc
import os
import re
import shutil
import signal
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bnpexplorer.__main__ import main
from bnpexplorer.checks.expecting import bars, same
from bnpexplorer.corpus.corpus import CorpusError
from bnpexplorer.corpus.stored import StoredCorpus
from bnpexplorer.corpus.stored.elsewhere import said
from bnpexplorer.corpus.stored.layout import REMEDY
from bnpexplorer.plugins.cluster import ClusterPool, shards
from bnpexplorer.plugins.cluster.holdings import BatchStep, Holdings
from bnpexplorer.plugins.cluster.message import Message
from bnpexplorer.plugins.cluster.parts import compute
from bnpexplorer.plugins.cluster.shards import counts_at, shards_at
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.run import Run
from tests.plugins.cluster import far, work
from tests.plugins.cluster.processes import killing
from tests.plugins.cluster.test_parts import batch_of, read_by, seen_here, whole_slices
from tests.tools.stored import on_disk
from tests.tools.waiting import NEVER, until

pytestmark = pytest.mark.second


@pytest.fixture
def stored(tmp_path: Path) -> StoredCorpus:
    """300 documents in 5 shards."""
    return on_disk(bars(), tmp_path / "here" / "bars.corpus", shard_docs=64)


@pytest.fixture
def there(stored: StoredCorpus, tmp_path: Path) -> Path:
    """The folder in which workers read it."""
    return Path(shutil.copytree(stored.folder, tmp_path / "there" / "bars.corpus"))


def a_run(corpus: Any, pool: Any = None, method: str = "lda-svi") -> Run:
    plan = Plan.of(method, values={"n_topics": 6}, batch_size=100, passes=4, seed=3)
    return plan.start(corpus, pool=pool)


def finished(run: Run) -> Run:
    while not run.done:
        run.step()
    return run


@pytest.fixture(scope="module")
def alone() -> Run:
    return finished(a_run(bars()))


def damage(path: Path, n: int, value: int) -> None:
    """Write another number at the n-th place of a file of counts."""
    array = np.load(path, mmap_mode="r+")
    array[n] = value
    array.flush()


# ---- before learning -----------------------------------------------------------------------------


def test_those_that_cannot_read_are_sent_documents_and_it_is_said(
    pool: ClusterPool, stored: StoredCorpus, there: Path, alone: Run
) -> None:
    pool.shards = str(there.parent / "elsewhere")
    assert pool.how_read(stored) == ""
    assert len(pool.notes) == 2  # of each worker, before anything is learned
    for note in pool.notes:
        assert re.match(r"Worker tls://127.0.0.1:\d+ cannot read the corpus itself: There", note)
        assert str(there.parent / "elsewhere") in note
        assert "--shards (BNPEXPLORER_SHARDS)" in note
    run = finished(a_run(stored, pool))
    assert pool.moved.named == 0
    assert same(run.snapshot().topics, alone.snapshot().topics)
    pool.shards = f"file://{there.parent}"  # a folder that holds it by its name
    pool.holdings = Holdings(pool.note)
    assert pool.how_read(stored) == (
        f"Workers read the documents themselves, from file://{there.parent}."
    )
    run = finished(a_run(stored, pool))
    assert pool.moved.named > 0
    assert same(run.snapshot().topics, alone.snapshot().topics)


def test_another_corpus_is_not_taken_for_it(stored: StoredCorpus, tmp_path: Path) -> None:
    other = on_disk(bars(299), tmp_path / "other", shard_docs=64)
    fingerprint = stored.manifest.fingerprint
    with pytest.raises(CorpusError, match=r"other is another corpus, that of '"):
        counts_at(str(other.folder), "bars.corpus", fingerprint)
    other_folder = str(stored.folder.parent)
    assert counts_at(other_folder, "bars.corpus", fingerprint).manifest == stored.manifest
    cut = Path(shutil.copytree(stored.folder, tmp_path / "cut"))
    os.truncate(cut / "counts.npy", (cut / "counts.npy").stat().st_size - 4)
    with pytest.raises(CorpusError, match=r"counts.npy has .* bytes in place of .* shard 4"):
        counts_at(str(cut), "bars.corpus", fingerprint)
    size = (stored.folder / "counts.npy").stat().st_size
    said = rf"counts\.npy has {size - 4:,} bytes in place of {size:,}\.$"
    with pytest.raises(CorpusError, match=said):
        counts_at(f"far://{cut}", "", fingerprint)
    for address in ("nothing://x", "s3:/", f"far://{tmp_path}/nowhere"):
        with pytest.raises(CorpusError, match=r"cannot be read|There is no stored corpus"):
            counts_at(address, "bars.corpus", fingerprint)


def test_of_many_corpora_those_used_last_stay_open(
    stored: StoredCorpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files of the others are closed and copies removed, but not of one that is being read."""
    monkeypatch.setattr(shards, "_OPENED", OrderedDict())
    monkeypatch.setattr(shards, "MOST_OPEN", 2)
    fingerprint, scratch = stored.manifest.fingerprint, tmp_path / "scratch"
    scratch.mkdir()
    folders = [shutil.copytree(stored.folder, tmp_path / f"{i}.corpus") for i in range(4)]

    def opened(i: int) -> Any:
        return counts_at(f"far://{folders[i]}", "", fingerprint, str(scratch))

    def n_copies() -> int:
        gc.collect()
        return len(list(scratch.iterdir()))

    first = opened(0)
    opened(1)
    assert opened(0) is first
    opened(2)
    assert opened(0) is first, "it was used after the second, which was let go"
    assert n_copies() == 2
    opened(3)
    opened(1)
    assert n_copies() == 3, "the first is let go, but is being read"
    rows = np.arange(3)
    np.testing.assert_array_equal(first.documents(rows, rows + 1)[0], stored.indptr[:4])
    assert opened(0) is not first
    del first
    assert n_copies() == 2
    monkeypatch.undo()


def test_a_worker_that_joins_late_is_asked_too(
    pool: ClusterPool, stored: StoredCorpus, there: Path, alone: Run
) -> None:
    """It finds another corpus than the run has: it is sent documents, the other reads on."""
    pool.shards, pool.wait_seconds = str(there), 120.0
    run = a_run(stored, pool)
    run.step()
    assert not pool.notes
    shutil.copytree(there, there.parent / "moved")
    shutil.rmtree(there)
    os.kill(next(iter(pool.members.client.run(os.getpid).values())), signal.SIGKILL)

    def noted() -> bool:
        pool.ready()
        pool.how_read(stored)
        return bool(pool.notes)

    until(noted)
    [note] = pool.notes
    assert "There is no stored corpus in" in note
    named = pool.moved.named
    finished(run)
    assert pool.moved.named > named  # by the one that has its files open
    assert same(run.snapshot().topics, alone.snapshot().topics)


# ---- while it learns -----------------------------------------------------------------------------


def test_a_shard_that_was_changed_changes_no_number(
    pool: ClusterPool, stored: StoredCorpus, there: Path, alone: Run
) -> None:
    """To numbers that a corpus may have; the last shard has the documents from 256 on."""
    pool.shards = str(there)
    run = a_run(stored, pool)
    run.step()
    before = pool.moved.named
    assert before > 0
    place = int(stored.indptr[299])
    damage(there / "counts.npy", place, int(stored.counts[place]) + 1)
    finished(run)
    assert same(run.snapshot().topics, alone.snapshot().topics)
    notes = [n for n in pool.notes if "reads other numbers in shard 4 of the corpus in" in n]
    assert notes == [*pool.notes] != []
    assert all(str(there) in n and str(stored.folder) in n for n in notes)
    assert all("`corpus check` tells which" in n for n in notes)


def test_other_numbers_than_those_here_are_told(
    stored: StoredCorpus, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which slice, and in which shard its documents lie; rows of a view, shuffled and in order."""
    monkeypatch.setattr("bnpexplorer.plugins.cluster.shards._OPENED", OrderedDict())
    view = stored.without(np.array([2, 90]))
    places = np.arange(view.n_docs)
    for rows in (places, np.random.default_rng(0).permutation(places)):
        batch = batch_of(view, rows)
        step = BatchStep(batch, Holdings(print), str(there), False)
        pieces = [(part,) for _, part in filter(None, step.named(whole_slices(batch)))]
        given, asked = Message((step.reading, None)), Message(pieces)
        reply = compute(work.seen, given, asked).value()
        assert reply.found == seen_here(batch)
        for document, shard in ((101, 1), (128, 2), (127, 1)):
            damaged = np.load(there / "counts.npy")
            changed = int(stored.indptr[document])
            damage(there / "counts.npy", changed, int(damaged[changed]) + 1)
            reply = compute(work.seen, given, asked).value()
            [place] = reply.troubles
            assert reply.found is None
            assert document in pieces[place][0].rows
            told = step.differs(pieces[place][0], "tcp://far:1", reply.troubles[place].marks)
            assert f"Worker tcp://far:1 reads other numbers in shard {shard} of the corpus" in told
            damage(there / "counts.npy", changed, int(damaged[changed]))
        assert compute(work.seen, given, asked).value().found == seen_here(batch)


@pytest.mark.parametrize("what", ["cut short", "damaged"])
def test_a_shard_that_cannot_be_read_any_more(
    pool: ClusterPool, stored: StoredCorpus, there: Path, alone: Run, what: str
) -> None:
    pool.shards = str(there)
    run = a_run(stored, pool)
    run.step()
    if what == "damaged":
        damage(there / "word_ids.npy", int(stored.indptr[130]), 10**6)
    else:
        os.truncate(there / "word_ids.npy", 128 + 4 * int(stored.indptr[130]))
    finished(run)
    assert same(run.snapshot().topics, alone.snapshot().topics)
    assert 1 <= len(pool.notes) <= 2
    for note in pool.notes:
        assert re.search(r"could not read on: Shard [234] of the corpus in", note), note
        assert str(there) in note
        assert "Build it again from its files, or bring the folder back as it was." in note
    assert any("Shard 2" in note for note in pool.notes) or what == "cut short"


def test_workers_killed_while_they_read(
    pool: ClusterPool, stored: StoredCorpus, alone: Run
) -> None:
    pool.wait_seconds = NEVER
    run = a_run(stored, pool)
    with killing(pool):
        finished(run)
    assert pool.moved.named > 0
    assert same(run.snapshot().topics, alone.snapshot().topics)


def test_of_two_places_the_one_that_was_asked_for_is_told(tmp_path):
    """A folder of parts may be given as its parent; nobody asked for the one within it."""
    folder = tmp_path / "none"
    with pytest.raises(CorpusError) as told:
        shards._opened(str(folder), "news", "f", None)
    assert str(folder) in str(told.value)
    assert str(folder / "news") not in str(told.value)


# ---- elsewhere -----------------------------------------------------------------------------------


@pytest.fixture
def with_far(pool: ClusterPool) -> ClusterPool:
    """Workers that know `far://`."""
    pool.members.client.run(far.is_known)
    return pool


def test_of_an_address_elsewhere_what_is_wanted_is_copied_once(
    with_far: ClusterPool, stored: StoredCorpus, there: Path, alone: Run
) -> None:
    pool = with_far
    pool.shards = f"far://{there}"
    batch = batch_of(stored, np.random.default_rng(0).permutation(300)[:150].astype(np.int64))
    assert read_by(pool, batch) == seen_here(batch)
    assert not pool.notes
    size = sum((there / f"{n}.npy").stat().st_size for n in ("indptr", "word_ids", "counts"))
    read = pool.members.client.run(far.has_read)
    assert all(0 < n <= size + 10_000 for n in read.values())  # and the manifest
    run = finished(a_run(stored, pool))
    assert same(run.snapshot().topics, alone.snapshot().topics)
    assert all(n <= size + 10_000 for n in pool.members.client.run(far.has_read).values())


def test_an_address_that_does_not_answer_any_more(
    with_far: ClusterPool, stored: StoredCorpus, there: Path, alone: Run
) -> None:
    pool = with_far
    pool.shards = f"far://me:secret@x?key=1{there}"
    assert pool.how_read(stored) == ""
    assert pool.notes
    assert not any("secret" in note or "key" in note for note in pool.notes)
    pool.shards = f"far://{there}"
    pool.holdings = Holdings(pool.note)
    assert pool.how_read(stored)
    pool.notes.clear()
    pool.members.client.run(far.goes)
    run = finished(a_run(stored, pool))
    assert same(run.snapshot().topics, alone.snapshot().topics)
    assert len(pool.notes) == 2
    # Which shard and file are asked for first depends on who does which slice.
    expected = (
        r"Worker tls://127\.0\.0\.1:\d+ could not read on: Shard [0-4] of the corpus in "
        rf"{re.escape(f'far://{there}')} is missing or damaged "
        rf"\((indptr|word_ids|counts)\.npy: ConnectionError\)\. {re.escape(REMEDY)} "
        r"It is sent its documents from now on\."
    )
    for note in pool.notes:
        assert re.fullmatch(expected, note), note


def test_blocks_of_a_copy_are_those_of_the_file(
    stored: StoredCorpus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """However large blocks are, and with as few requests as there are gaps."""
    monkeypatch.setattr("bnpexplorer.plugins.cluster.shards.BLOCK", 300)
    monkeypatch.setattr("bnpexplorer.plugins.cluster.shards._OPENED", OrderedDict())
    rng, before = np.random.default_rng(0), far.Far.read
    found = counts_at(f"far://{stored.folder}", "", stored.manifest.fingerprint, str(tmp_path))
    for n in (1, 7, 60, 300):
        rows = rng.permutation(300)[:n].astype(np.int64)
        expected = stored.take(rows)
        for ours, theirs in zip(
            found.documents(rows, rows + 1),
            (expected.indptr, expected.word_ids, expected.counts),
            strict=True,
        ):
            np.testing.assert_array_equal(ours, theirs)
        if n == 1:
            assert far.Far.read - before < 10_000 + 6 * 300
    copies = next(tmp_path.glob("bnpexplorer-shards-*"))
    for name in ("indptr.npy", "word_ids.npy", "counts.npy"):
        assert (copies / name).read_bytes()[128:] == (stored.folder / name).read_bytes()[128:]
    del found
    monkeypatch.undo()


def test_a_copy_for_which_there_is_no_room_is_not_begun(
    stored: StoredCorpus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=2**30))
    with pytest.raises(CorpusError, match=r"for which the disk has no room \(0 MB\)"):
        counts_at(f"far:///.{stored.folder}", "", stored.manifest.fingerprint, str(tmp_path))
    assert list(tmp_path.glob("bnpexplorer-shards-*")) == []


# ---- on the command line -------------------------------------------------------------------------


def test_an_address_is_said_without_secrets(tmp_path: Path) -> None:
    assert said("s3://me:word@bucket/a?sig=1") == "s3://bucket/a"
    assert said("s3://me:w@rd/s@bucket/a") == "s3://bucket/a"
    assert said("/data/who@home?") == "/data/who@home?"
    assert shards_at("s3://bucket/a") == "s3://bucket/a"
    assert shards_at("a/b") == str(Path.cwd() / "a" / "b")
    for nothing in ("", "  ", "://a"):
        with pytest.raises(ValueError, match=r"is a folder's path, or an address such as s3://"):
            shards_at(nothing)


def test_fit_says_who_reads(
    stored: StoredCorpus, there: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fit = ["fit", str(stored.folder), "--method", "lda-svi", "--batch-size", "200", "--passes", "1"]
    fit += ["--set", "n_topics=6", "--heldout", "20"]
    assert main([*fit, "--cluster", "local:1", "--shards", str(there)]) == 0
    ended = capsys.readouterr()
    assert f"Workers read the documents themselves, from {there}." in ended.err
    assert main([*fit, "--threads", "1"]) == 0
    score = [line for line in ended.out.splitlines() if line.startswith("held-out score")]
    assert score[0] in capsys.readouterr().out.splitlines()
    assert main([*fit, "--shards", str(there)]) == 2
    assert "--shards says where a cluster's workers read; add --cluster" in capsys.readouterr().err
