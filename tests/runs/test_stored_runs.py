"""Runs that learn from the disk: the same bits as from memory, and no more of it held."""

import tracemalloc
from dataclasses import fields

import numpy as np
import pytest

from bnpexplorer.checks.expecting import finish
from bnpexplorer.corpus import order as rule
from bnpexplorer.corpus.corpus import Corpus, CorpusError
from bnpexplorer.corpus.order import ByDate, InOrder, Windows
from bnpexplorer.corpus.stored import StoredCorpus
from bnpexplorer.evaluate import split_heldout, unigram_score
from bnpexplorer.inference import start
from bnpexplorer.methods import METHODS, make_method
from bnpexplorer.runs import feeding, limits
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.run import Run
from tests.tools.stored import on_disk, same, with_names

SMALL = {"truncation": 8, "n_topics": 6, "max_topics": 12, "particles": 20}
STREAMING = ("lda-svi", "hdp-svi", "hdp-tsvi", "hdp-catvi", "dpm-svi", "dpm-tsvi")


@pytest.fixture(scope="module")
def memory():
    return with_names(700)


@pytest.fixture(scope="module")
def stored(memory, tmp_path_factory):
    return on_disk(memory, tmp_path_factory.mktemp("corpora") / "made-up")


@pytest.fixture(params=["small", "large"])
def size(request, monkeypatch):
    """Both sides of the limit from which on a rule orders the documents."""
    if request.param == "large":
        monkeypatch.setattr(rule, "LARGE_DOCS", 100)
        monkeypatch.setattr(rule, "WINDOW_PAIRS", 1000)
        monkeypatch.setattr(rule, "BLOCK", 8)
    rule._blocks.cache_clear()
    rule._rows_of.cache_clear()
    return request.param


def plan_of(name, **chosen):
    known = {f.name for f in fields(METHODS[name])} | {
        f.name for f in fields(METHODS[name]().model)
    }
    values = {key: value for key, value in SMALL.items() if key in known}
    return Plan.of(name, values=values, **{"batch_size": 64, "passes": 2, "seed": 3} | chosen)


def learned(plan, corpus, steps=None):
    run = plan.split_and_start(corpus)
    while not run.done and (steps is None or run.n_steps < steps):
        run.step()
    return run


def equal(run, other):
    one, two = run.snapshot(), other.snapshot()
    for name, value in vars(two.topics).items():
        np.testing.assert_array_equal(getattr(one.topics, name), value, name)
    for name in ("docs_seen", "n_topics", "heldout"):
        column = [[getattr(p, name) for p in each.trace] for each in (one, two)]
        np.testing.assert_array_equal(*column, name)


@pytest.mark.second
@pytest.mark.parametrize("name", sorted(METHODS))
def test_every_method_learns_the_same_from_disk_and_memory(name, size, memory, stored):
    plan = plan_of(name, passes=1)
    run, other = learned(plan, stored), learned(plan, memory)
    assert isinstance(run.corpus, StoredCorpus)
    assert run.corpus.n_docs == memory.n_docs - len(run.corpus.left_out)
    assert isinstance(run._permutation, (Windows, InOrder)) == (size == "large")
    equal(run, other)


@pytest.mark.second
@pytest.mark.parametrize("name", ["lda-svi", "hdp-tsvi", "hdp-memoized", "hdp-gibbs"])
def test_a_saved_run_names_its_folder_and_goes_on_bit_for_bit(name, size, memory, stored, tmp_path):
    plan = plan_of(name)
    whole, half = learned(plan, memory), learned(plan, stored, steps=13)
    half.save(tmp_path / "half.run")
    opened = Run.load(tmp_path / "half.run")
    assert isinstance(opened.corpus, StoredCorpus)
    assert opened.corpus.n_bytes_copied == 0
    finish(opened)
    equal(opened, whole)


def test_the_file_of_a_run_holds_no_counts(stored, monkeypatch, tmp_path):
    monkeypatch.setattr(rule, "LARGE_DOCS", 100)
    run = learned(plan_of("lda-svi"), stored, steps=2)
    _, texts = run.pack_texts()
    assert [name for name in texts if not name.startswith("heldout")] == ["corpus.left_out"]
    manifest, arrays = run.pack_standing()
    assert manifest["permutation"]["rule"] == "windows"
    assert "permutation" not in arrays


@pytest.mark.second
def test_streams_by_date_are_the_same(size, memory, stored, tmp_path):
    plan = plan_of("hdp-tsvi", order="stream", passes=None)
    runs = [plan.start(corpus) for corpus in (stored, memory)]
    assert isinstance(runs[0]._permutation, ByDate) == (size == "large")
    for run in runs:
        finish(run)
    equal(*runs)
    half = plan.start(stored)
    for _ in range(4):
        half.step()
    half.save(tmp_path / "half.run")
    opened = Run.load(tmp_path / "half.run")
    finish(opened)
    equal(opened, runs[0])
    dateless = memory.without_text().unnamed().take(np.arange(600))
    dateless = type(dateless)(
        dateless.indptr, dateless.word_ids, dateless.counts, dateless.vocab, name="no dates"
    )
    runs = [plan.start(corpus) for corpus in (on_disk(dateless, tmp_path / "c"), dateless)]
    assert isinstance(runs[0]._permutation, InOrder) == (size == "large")
    for run in runs:
        finish(run)
    equal(*runs)


@pytest.mark.second
@pytest.mark.parametrize("protocol", ["completion", "tokens-90-10", "exact", "importance"])
def test_what_is_held_out_is_the_same(protocol, size, memory, stored):
    for n in (1, 40, 600):
        (train, heldout), (others, expected) = (
            split_heldout(corpus, 5, n, protocol) for corpus in (stored, memory)
        )
        assert isinstance(train, StoredCorpus)
        assert len(train.left_out) == n
        same(train, others)
        for one, other in zip(heldout.parts, expected.parts, strict=True):
            same(one, other)
        assert unigram_score(train, heldout) == unigram_score(others, expected)


@pytest.mark.second
def test_documents_held_out_of_a_large_corpus_are_a_random_choice(monkeypatch):
    monkeypatch.setattr(rule, "LARGE_DOCS", 100)
    names = with_names(200)
    counts = names.to_csr().toarray()
    counts[::5] = 0
    counts[::5, 3] = 2  # which cannot be divided
    corpus = Corpus.from_csr(counts, names.vocab, names.docs)
    often = np.zeros(200)
    for seed in range(400):
        train, heldout = split_heldout(corpus, seed, 20)
        rows = np.flatnonzero(~np.isin(corpus.docs.id, train.docs.id))
        assert heldout.whole.docs.id.tolist() == corpus.docs.id[rows].tolist()
        often[rows] += 1
    suitable = np.arange(200) % 5 > 0
    assert not often[~suitable].any()
    expected = 400 * 20 / suitable.sum()
    assert (often[suitable] - expected).std() < 1.3 * np.sqrt(expected)
    assert often[suitable].min() > 0


@pytest.mark.second
@pytest.mark.parametrize("name", STREAMING)
def test_methods_that_stream_hold_a_window_and_no_more(name, memory, stored, monkeypatch):
    """No array of the whole corpus is asked for, and none of its length is made."""
    monkeypatch.setattr(rule, "LARGE_DOCS", 100)
    monkeypatch.setattr(rule, "WINDOW_PAIRS", 1000)
    monkeypatch.setattr(start, "SAMPLE_DOCS", 100)
    for array in ("indptr", "word_ids", "counts", "doc_lengths"):

        def refused(self, array=array):
            raise AssertionError(f"{array} of the whole corpus was asked for")

        monkeypatch.setattr(StoredCorpus, array, property(refused))
    run = learned(plan_of(name), stored)
    assert run.done
    assert 0 < run._feed.n_bytes < 0.35 * memory.n_bytes
    assert run.memory < run._feed.n_bytes + 10**6


@pytest.mark.second
def test_memory_does_not_grow_with_the_corpus(tmp_path, monkeypatch):
    monkeypatch.setattr(rule, "LARGE_DOCS", 100)
    monkeypatch.setattr(rule, "WINDOW_PAIRS", 4000)
    monkeypatch.setattr(start, "SAMPLE_DOCS", 100)
    peaks = []
    for n_docs in (3_000, 24_000):
        folder = on_disk(with_names(n_docs), tmp_path / str(n_docs), shard_docs=4000).folder
        peaks.append(min(peak_of_learning(folder) for _ in range(4)))
    assert peaks[1] - peaks[0] < 8 * 24_000  # less than one int64 for each document


def peak_of_learning(folder):
    """Bytes; the first time with what is compiled, and any time with what others do meanwhile."""
    tracemalloc.start()
    learned(plan_of("lda-svi", n_heldout=20), StoredCorpus(folder), steps=30)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_texts_that_a_method_looks_at_whole_need_memory(stored, monkeypatch):
    """2 MB of its own and the texts; one whose steps look at mini-batches alone has room in 2."""
    looks = make_method("hdp-gibbs", values={"moves": 1})
    monkeypatch.setattr(type(looks), "memory", lambda self, corpus: 2 * 2**20)
    needed = 2 * 2**20 + stored.n_bytes
    for limit, fits in ((needed, True), (needed - 1, False)):
        monkeypatch.setattr(limits, "memory_limit", lambda limit=limit: limit)
        if fits:
            limits.check_memory(looks, stored)
            continue
        with pytest.raises(ValueError, match="hdp-gibbs would need about 2 MB for these 700"):
            limits.check_memory(looks, stored)
        limits.check_memory(make_method("hdp-gibbs", values={"merge_passes": 0}), stored)


def test_the_same_window_of_another_pass_is_read_anew(stored, memory):
    feed = feeding.Feed(stored)
    for seed in (5, 8):
        order = Windows(stored.n_docs, 192, seed)
        for first, last in ((192, 256), (256, 320)):
            docs, rows = feed.batch(order, first, last)
            np.testing.assert_array_equal(rows, order[first:last])
            assert docs.docs.id.tolist() == [f"d{row}" for row in rows]
            np.testing.assert_array_equal(docs.counts, memory.take(rows).counts)


def test_a_large_corpus_counts_as_the_window_that_will_be_held(memory, tmp_path, monkeypatch):
    corpus = on_disk(memory, tmp_path / "c")
    monkeypatch.setattr(feeding, "WINDOW_PAIRS", 1000)
    assert feeding.Feed(corpus).n_bytes == corpus.n_bytes > 8000
    monkeypatch.setattr(rule, "LARGE_DOCS", 100)
    assert feeding.Feed(corpus).n_bytes == 8000


def test_damage_met_while_learning_pauses_with_a_sentence_and_nothing_is_lost(
    memory, tmp_path, monkeypatch
):
    monkeypatch.setattr(rule, "LARGE_DOCS", 100)
    monkeypatch.setattr(rule, "WINDOW_PAIRS", 1000)
    corpus = on_disk(memory, tmp_path / "c")
    run, other = (learned(plan_of("lda-svi"), c, steps=2) for c in (corpus, memory))
    path = corpus.folder / "counts.npy"
    whole = path.read_bytes()
    path.write_bytes(whole[:200])
    with pytest.raises(CorpusError, match=r"Shard \d of the corpus in .* is missing or damaged"):
        finish(run)
    assert 2 <= run.n_steps < 22
    path.write_bytes(whole)  # brought back: the very step that failed is made
    finish(run)
    finish(other)
    equal(run, other)
