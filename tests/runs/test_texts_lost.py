"""A corpus on the disk whose files are cut short under a run: the run pauses with a sentence, the
process lives, and what was learned goes on bit for bit once the files are back."""

import time
import zipfile

import numpy as np
import pytest

from bnpexplorer.checks.expecting import finish
from bnpexplorer.corpus import order as rule
from bnpexplorer.corpus.corpus import CorpusError
from bnpexplorer.corpus.stored import StoredCorpus
from bnpexplorer.corpus.stored.layout import HEADER
from bnpexplorer.explore import doc_topic
from bnpexplorer.export import result_of, write_tables
from bnpexplorer.inference import start
from bnpexplorer.runs.background import BackgroundRun
from bnpexplorer.runs.feeding import Feed, TextsLost
from bnpexplorer.runs.plan import Plan
from tests.runs.test_stored_runs import equal
from tests.tools.stored import on_disk, with_names

KNOBS = {
    "lda-svi": {"n_topics": 6},
    "lda-gibbs": {"n_topics": 6},
    "hdp-memoized": {"truncation": 8},
    "hdp-batch": {"truncation": 8},
    "hdp-gibbs": {"moves": 4},
    "dpm-gibbs": {"moves": 4},
}


def plan_of(name, **chosen):
    """Nothing is held out: what is learned is the whole folder."""
    given = {"batch_size": 64, "passes": 2, "seed": 3} | chosen
    return Plan.of(name, values=KNOBS[name], **given)


@pytest.fixture
def memory():
    return with_names(700)


@pytest.fixture
def corpus(memory, tmp_path, monkeypatch):
    """On the disk, and large: starts are made of documents drawn at random."""
    monkeypatch.setattr(rule, "LARGE_DOCS", 100)
    monkeypatch.setattr(rule, "WINDOW_PAIRS", 1000)
    monkeypatch.setattr(start, "SAMPLE_DOCS", 100)
    rule._rows_of.cache_clear()
    return on_disk(memory, tmp_path / "c")


class Cut:
    """Files cut to their beginning as long as this is entered."""

    def __init__(self, corpus, *names):
        self.paths = [corpus.folder / name for name in names]

    def __enter__(self):
        self.whole = [path.read_bytes() for path in self.paths]
        for path in self.paths:
            with open(path, "r+b") as file:
                file.truncate(HEADER + 8)

    def __exit__(self, *_):
        for path, data in zip(self.paths, self.whole, strict=True):
            with open(path, "r+b") as file:
                file.write(data)


def steps(run, n):
    for _ in range(n):
        run.step()


def until(what):
    end = time.monotonic() + 120
    while not what() and time.monotonic() < end:
        time.sleep(0.01)
    assert what()


@pytest.mark.second
@pytest.mark.parametrize("name", sorted(KNOBS))
def test_files_cut_before_the_first_step_pause_the_run(name, corpus, memory):
    run, other = plan_of(name).start(corpus), plan_of(name).start(memory)
    background = BackgroundRun(run)
    with Cut(corpus, "counts.npy", "word_ids.npy", "indptr.npy", "lengths.npy"):
        background.start()
        until(lambda: background.lost)
        until(lambda: background.status == "paused")
        assert "is missing or damaged" in background.error
        assert run.n_steps == 0
    background.resume()
    assert background.wait(300)
    assert background.status == "finished"
    assert background.error == ""
    finish(other)
    equal(run, other)


@pytest.mark.second
@pytest.mark.parametrize("name", sorted(KNOBS))
def test_files_cut_between_two_steps_cost_nothing(name, corpus, memory):
    run, other = (plan_of(name).start(texts) for texts in (corpus, memory))
    steps(run, 3)
    with Cut(corpus, "counts.npy", "word_ids.npy"):
        with pytest.raises(TextsLost, match=r"Shard \d of the corpus in .* is missing or damaged"):
            finish(run)
        assert 3 <= run.n_steps < 22
    finish(run)
    finish(other)
    equal(run, other)


def test_a_step_that_looks_at_all_texts_is_not_begun_without_them(memory, tmp_path):
    """Its mini-batch is at hand, and the others are not."""
    corpus = on_disk(memory, tmp_path / "c")
    run = plan_of("hdp-gibbs", batch_size=700).start(corpus)
    run.step()
    run.corpus.let_go()
    before, given = run.state.tokens.topic.copy(), run._method_rng.bit_generator.state
    with Cut(corpus, "word_ids.npy"), pytest.raises(TextsLost):
        run.step()
    np.testing.assert_array_equal(run.state.tokens.topic, before)
    assert run._method_rng.bit_generator.state == given
    run.step()
    assert run.n_steps == 2


def test_a_stream_that_loses_its_dates_pauses_between_two_steps(corpus, memory, monkeypatch):
    """Which documents come next, a large stream finds in their dates as it goes."""
    monkeypatch.setattr(rule, "AT_ONCE", 128)
    monkeypatch.setattr(rule, "LARGE_DOCS", 100)
    run, other = (plan_of("lda-svi", order="stream").start(texts) for texts in (corpus, memory))
    assert isinstance(run._permutation, rule.ByDate)
    steps(run, 3)
    columns = sorted(path.name for path in (corpus.folder / "fields").iterdir())
    lost = StoredCorpus(corpus.folder)
    run.corpus, run._feed._corpus, run._permutation.corpus = lost, lost, lost
    with Cut(corpus, *(f"fields/{name}" for name in columns)):
        before = run.n_steps, run.docs_seen, run._method_rng.bit_generator.state
        with pytest.raises(TextsLost):
            finish(run)
        before = run.n_steps, run.docs_seen
        with pytest.raises(TextsLost):
            run.step()
        assert (run.n_steps, run.docs_seen) == before
        assert 3 <= run.n_steps < 11
    finish(run)
    finish(other)
    equal(run, other)


@pytest.mark.parametrize("array", ["indptr", "word_ids", "counts"])
def test_no_array_is_mapped_from_a_file_that_others_may_cut(array, corpus):
    found = getattr(corpus, array)
    whole = found.copy()
    with Cut(corpus, "indptr.npy", "word_ids.npy", "counts.npy"):
        np.testing.assert_array_equal(found, whole)
    assert corpus.n_bytes_copied == corpus.n_bytes
    corpus.let_go()
    assert corpus.n_bytes_copied == 0


def test_texts_cut_under_a_page_or_an_export_are_a_sentence(corpus, tmp_path):
    run = plan_of("lda-svi").start(corpus)
    steps(run, 3)
    moment, again = run.moment(), StoredCorpus(corpus.folder)
    result = result_of(run, moment, again)
    with Cut(corpus, "counts.npy"):
        with pytest.raises(ValueError, match=r"Shard 0 of the corpus .* ends too early"):
            doc_topic(moment.model, moment.topics, again)
        with (tmp_path / "t.zip").open("wb") as file, pytest.raises(ValueError, match="Shard 0"):
            write_tables(file, result)
    with (tmp_path / "t.zip").open("wb") as file:
        write_tables(file, result)
    assert zipfile.ZipFile(tmp_path / "t.zip").testzip() is None


def test_a_start_that_could_not_read_its_texts_begins_anew_with_the_same_numbers(memory, tmp_path):
    """Of a corpus in memory, which cannot be lost, an error is no loss of texts."""
    rng, again = np.random.default_rng(5), np.random.default_rng(5)
    feed = Feed(on_disk(memory, tmp_path / "c"))

    def lost(feed, why):
        with feed.asked_for_all(rng):
            rng.random(10)
            raise CorpusError(why)

    with pytest.raises(TextsLost, match="its disk is gone"):
        lost(feed, "its disk is gone")
    with feed.asked_for_all(rng):
        assert rng.random() == again.random()
    with pytest.raises(CorpusError, match="no words") as raised:
        lost(Feed(memory), "no words")
    assert raised.type is CorpusError


def test_a_window_of_a_large_corpus_counts_as_held_before_it_is_read(corpus, monkeypatch):
    assert corpus.n_bytes > 8 * 1000
    monkeypatch.setattr("bnpexplorer.runs.feeding.WINDOW_PAIRS", 1000)
    assert Feed(corpus).n_bytes == 8 * 1000
    monkeypatch.setattr("bnpexplorer.runs.feeding.WINDOW_PAIRS", 10**9)
    assert Feed(corpus).n_bytes == corpus.n_bytes, "no more than there is"
