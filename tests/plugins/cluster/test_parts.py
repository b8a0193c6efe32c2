"""Documents that workers read themselves or have kept are not sent, and change no bit."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bnpexplorer.checks.expecting import bars, same, small
from bnpexplorer.core.arrays import I64
from bnpexplorer.corpus.corpus import Batch, Corpus
from bnpexplorer.corpus.stored import StoredCorpus
from bnpexplorer.inference.slices import by_distinct_word, slices_of
from bnpexplorer.kernels.tuples import Docs
from bnpexplorer.methods import METHODS
from bnpexplorer.plugins.cluster import ClusterPool
from bnpexplorer.plugins.cluster.holdings import Holdings
from bnpexplorer.plugins.cluster.parts import STALE, KeptDocuments, mark_of
from bnpexplorer.runs.run import Run
from tests.plugins.cluster import work
from tests.plugins.cluster.conftest import only
from tests.tools.stored import on_disk

pytestmark = pytest.mark.second

APART = [name for name in METHODS if METHODS[name].parallel == "documents"]
FIXED = [name for name in APART if METHODS[name].batching == "fixed"]


@pytest.fixture
def pool(three: ClusterPool) -> ClusterPool:
    return three


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> StoredCorpus:
    return on_disk(bars(), tmp_path_factory.mktemp("shards") / "bars.corpus", shard_docs=64)


def batch_of(corpus: Corpus, rows: I64) -> Batch:
    return Batch(corpus.take(rows), rows, 0, 1, corpus)


def whole_slices(batch: Batch) -> list[tuple[Any, ...]]:
    words, entries = by_distinct_word(batch.docs)
    return [(piece,) for piece in slices_of(entries, len(words))]


def read_by(pool: ClusterPool, batch: Batch, again: bool = False) -> list[Any]:
    """What workers make of the slices of a batch."""
    pool.ready()
    pool.reads(batch, again)
    return pool.each(work.seen, whole_slices(batch), None)


def seen_here(batch: Batch) -> list[Any]:
    return [work.seen(*piece, None) for piece in whole_slices(batch)]


@pytest.mark.parametrize("name", list(METHODS))
@pytest.mark.parametrize("n_workers", [1, 3])
def test_workers_that_read_learn_the_same_bits(
    pool: ClusterPool, stored: StoredCorpus, name: str, n_workers: int
) -> None:
    """Of a view, so that rows are not those of the folder. In the second pass batches of methods
    that make whole passes come again."""
    view = stored.without(np.array([0, 7, 70, 299]))
    corpora = (view.loaded(), view)
    alone, there = (Run(small(name), c, seed=4, batch_size=150, passes=2) for c in corpora)
    alone.pool, there.pool = None, pool
    named = pool.moved.named
    with only(n_workers):
        for run in (alone, there):
            while run.n_steps < 3 and not run.done:
                run.step()
    assert same(alone.snapshot().topics, there.snapshot().topics)
    assert (pool.moved.named > named) == (name in APART)
    assert not pool.notes


def test_a_worker_makes_of_rows_what_was_cut_here(pool: ClusterPool, stored: StoredCorpus) -> None:
    rng = np.random.default_rng(0)
    view = stored.without(np.array([3, 4, 200]))
    for n in (1, 40, 150):
        batch = batch_of(view, rng.permutation(view.n_docs)[:n].astype(np.int64))
        named = pool.moved.named
        found = read_by(pool, batch)
        assert found == seen_here(batch)
        assert pool.moved.named - named == len(found)


def test_what_is_sent_shrinks_to_names(pool: ClusterPool, stored: StoredCorpus) -> None:
    rows = np.arange(stored.n_docs)

    def sent(batch: Batch) -> int:
        before = pool.moved.sent
        read_by(pool, batch)
        return pool.moved.sent - before

    memory, disk = (sent(batch_of(c, rows)) for c in (stored.loaded(), stored))
    assert disk < memory - 0.5 * 8 * stored.n_pairs


def test_a_start_that_is_one_number_is_sent_as_one(pool: ClusterPool, stored: StoredCorpus) -> None:
    run = Run(small("lda-svi", n_topics=50), stored, seed=4, batch_size=150, passes=2, pool=pool)
    run.prepare()
    before = pool.moved.sent - pool.moved.shared
    run.step()
    assert pool.moved.sent - pool.moved.shared - before < 8 * 150 * 50 / 2


def test_documents_of_others_are_sent_as_they_are(pool: ClusterPool, stored: StoredCorpus) -> None:
    """A method may look beyond its mini-batch, and what was read before is not taken for it."""
    one, other = (batch_of(stored, np.arange(a, a + 90)) for a in (0, 100))
    pool.ready()
    pool.reads(one, False)
    named = pool.moved.named
    assert pool.each(work.seen, whole_slices(other), None) == seen_here(other)
    # As slices of the same documents over other words are.
    moved = [(s._replace(docs=Docs(*map(np.array, s.docs))),) for (s,) in whole_slices(one)]
    assert pool.each(work.seen, moved, None) == seen_here(one)
    assert pool.moved.named == named


@pytest.mark.parametrize("name", FIXED)
def test_what_comes_again_is_sent_once(pool: ClusterPool, name: str) -> None:
    """Of a corpus in memory: from the second pass on documents are there."""
    pool.members.client.run(work.forget_parts)
    alone, there = (Run(small(name), bars(), seed=4, batch_size=150, passes=4) for _ in range(2))
    alone.pool, there.pool = None, pool
    n_named = []
    for _ in range(6):
        before = pool.moved.named
        alone.step()
        there.step()
        n_named.append(pool.moved.named - before)
    assert n_named[:2] == [0, 0]
    assert all(n >= 5 for n in n_named[2:])  # slices of a batch
    assert same(alone.snapshot().topics, there.snapshot().topics)


def test_a_worker_that_is_thought_to_have_kept_what_it_has_not(pool: ClusterPool) -> None:
    """As one that was killed and came back at its address."""
    batch = batch_of(bars(), np.arange(150))
    assert read_by(pool, batch, again=True) == seen_here(batch)
    pool.members.client.run(work.forget_parts)
    named = pool.moved.named
    assert read_by(pool, batch, again=True) == seen_here(batch)
    assert pool.moved.named > named  # it was asked first
    before = pool.moved.sent
    assert read_by(pool, batch, again=True) == seen_here(batch)
    assert pool.moved.sent - before < 8 * batch.docs.n_pairs / 2


def test_what_was_kept_of_another_corpus_is_not_taken(pool: ClusterPool) -> None:
    """Of equal shape, at the same rows."""
    one = bars()
    other = Corpus(one.indptr, one.word_ids, np.asarray(one.counts) + 1, one.vocab, one.docs)
    for corpus in (one, other, one):
        batch = batch_of(corpus, np.arange(150))
        for _ in range(2):
            assert read_by(pool, batch, again=True) == seen_here(batch)


def test_documents_that_were_changed_beside_their_manifest_are_not_those_that_were_kept(
    pool: ClusterPool, tmp_path: Path
) -> None:
    """The fingerprint is as it was, and so are the rows; only numbers of this machine count."""
    whole = on_disk(bars(), tmp_path / "changed.corpus", shard_docs=64)
    batch = batch_of(whole, np.arange(150))
    assert read_by(pool, batch, again=True) == seen_here(batch)
    counts = np.load(whole.folder / "counts.npy", mmap_mode="r+")
    counts[:100] += 1
    counts.flush()
    changed = batch_of(StoredCorpus(whole.folder), np.arange(150))
    assert seen_here(changed) != seen_here(batch)
    assert read_by(pool, changed, again=True) == seen_here(changed)


class Client:
    """Of a cluster whose workers say this when they are asked what they can read."""

    def __init__(self) -> None:
        self.says: Any = ""
        self.asked: list[str] = []

    def sync(self, how: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        return asyncio.run(how())

    async def run(self, *_: Any, workers: list[str], **__: Any) -> dict[str, Any]:
        self.asked += workers
        return dict.fromkeys(workers, self.says)


def test_a_worker_is_asked_once_and_again_after_a_while(
    stored: StoredCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    client, holdings, mark = Client(), Holdings(told.append), stored.manifest.fingerprint

    def ask(*workers: str) -> list[bool]:
        holdings.ask(client, workers, "/there", stored)
        return [holdings.reads(worker, mark) for worker in workers]

    assert ask("a") == [True]
    client.says = "It is not there."
    assert ask("a", "b") == [True, False]  # the second joined late
    assert ask("a", "b") == [True, False]
    assert client.asked == ["a", "b"]
    assert len(told) == 1
    assert "Worker b cannot read the corpus itself: It is not there." in told[0]
    client.says = OSError("gone")
    assert ask("c") == [False]
    assert "OSError: gone" in told[1]
    holdings.reads_no_more("a", mark, "why")
    holdings.reads_no_more("a", mark, "why else")
    assert told[2:] == ["why"]
    client.says = ""
    assert ask("a", "b") == [False, False]
    monkeypatch.setattr("bnpexplorer.plugins.cluster.holdings.ASK_AGAIN", -1.0)
    assert ask("a", "b") == [True, True]


def test_what_is_kept_is_bounded() -> None:
    now = [0.0]
    docs = [Docs(np.arange(2), *(np.full(1000, i, np.int32) for _ in "ab")) for i in range(5)]
    size = sum(array.nbytes for array in docs[0])
    kept = KeptDocuments(3 * size, lambda: now[0])
    assert [kept.put(bytes([i]), d) for i, d in enumerate(docs)] == [True] * 3 + [False] * 2
    assert kept.n_bytes == 3 * size
    assert kept.put(b"\0", docs[0])
    now[0] = STALE / 2
    found = kept.get(b"\0")
    assert found is not None
    assert mark_of(found) == mark_of(docs[0])
    assert not np.shares_memory(found.local, docs[0].local)
    assert kept.get(b"\4") is None
    now[0] = STALE + 1  # of the others nobody wanted any
    assert kept.put(b"\4", docs[4])
    assert kept.n_bytes == 3 * size
    assert kept.get(b"\1") is None
    assert kept.get(b"\0") is not None
    assert not KeptDocuments(size - 1).put(b"\0", docs[0]), "nothing could make room for it"
    assert not kept.put(b"\5", Docs(np.arange(2), *(np.zeros(9000, np.int32) for _ in "ab")))


def test_what_is_used_again_and_again_keeps_its_room() -> None:
    now = [0.0]
    docs = [Docs(np.arange(2), *(np.full(1000, i, np.int32) for _ in "ab")) for i in range(4)]
    kept = KeptDocuments(3 * sum(array.nbytes for array in docs[0]), lambda: now[0])
    for key, one in zip((b"0", b"1", b"2"), docs, strict=False):
        assert kept.put(key, one)
    for now[0] in STALE / 2, 1.25 * STALE:
        assert all(kept.get(key) for key in (b"0", b"1", b"2"))
        assert not kept.put(b"3", docs[3])
    now[0] += STALE
    assert kept.put(b"3", docs[3]), "all others are stale now"
    assert kept.get(b"0") is None


def test_a_mark_tells_any_one_change() -> None:
    docs = Docs(np.array([0, 2, 5]), *(np.arange(1, 6, dtype=np.int32) for _ in "ab"))
    found = {mark_of(docs)}
    for array in docs:
        for i in range(len(array)):
            array[i] += 1
            found.add(mark_of(docs))
            array[i] -= 1
    assert len(found) == 1 + 3 + 5 + 5
