"""Explore and export go through a corpus on the disk block by block: the numbers of memory, and no
more held for each document than some numbers."""

import gzip
import io
import sys
import tracemalloc
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.core import arrays
from bnpexplorer.corpus import corpus as corpora
from bnpexplorer.corpus.documents import units
from bnpexplorer.corpus.stored import fields, parquet
from bnpexplorer.corpus.stored import stored as on_disk_room
from bnpexplorer.evaluate import npmi
from bnpexplorer.explore import (
    changed_words,
    choosing,
    doc_topic,
    documents,
    in_context,
    means,
    over_documents,
    proportions,
    together,
)
from bnpexplorer.explore.over_documents import word_trend
from bnpexplorer.explore.periods import labelled
from bnpexplorer.export import report, result_of, tables, write_tables
from bnpexplorer.plugins.interchange import (
    mallet_file,
    pyldavis_file,
    results,
    write_mallet,
    write_pyldavis,
)
from bnpexplorer.runs.plan import Plan
from tests.tools.stored import on_disk, with_names

ROOMS = (units, documents, choosing, documents, changed_words, means, over_documents, proportions)
TABLES = sys.modules["bnpexplorer.export.tables"]  # the package calls a function the same
N_TOPICS = 100


@pytest.fixture
def blocks(monkeypatch):
    """So small that a thousand documents are many, and no share of them is held in memory."""
    for room in (*ROOMS, corpora, on_disk_room, results, TABLES):
        monkeypatch.setattr(room, "BLOCK", 256)
    for room in (corpora, documents, in_context):
        monkeypatch.setattr(room, "CHUNK_DOCS", 256)
    for room in (fields, parquet):
        monkeypatch.setattr(room, "GROUP", 100)
    monkeypatch.setattr(arrays, "HELD", 1000)


def with_units(n_docs):
    """Every second text in ten passages, of which blocks of 256 part one; nothing else says so."""
    found = with_names(n_docs)
    whole = [d // 10 % 2 for d in range(n_docs)]
    names = [f"t {d}" if whole[d] else f"text {d // 10} ¶{d % 10 + 1}" for d in range(n_docs)]
    docs = replace(found.docs, id=np.array(names, object), origin=None)
    return replace(found, docs=docs)


def run_on(corpus):
    values = {"n_topics": N_TOPICS, "max_iterations": 5, "start": "random"}
    run = Plan.of("lda-svi", values=values, batch_size=128, passes=1, n_heldout=20).split_and_start(
        corpus
    )
    for _ in range(3):
        run.step()
    return run


def explored(moment, corpus, share):
    """What the pages ask for, by name."""
    docs, theta = corpus.docs, share[11].astype(np.float64)
    half = np.arange(corpus.n_docs) % 3 == 0
    lengths = documents.lengths_of(corpus).astype(np.float64)
    changed = changed_words.changed_words(corpus, half, ~half)
    asked = choosing.Filter(labels=("label 1",), words=("word0",), topic=1, least=0.01)
    near = in_context.companions(corpus, 3, 9)
    return {
        "origin": corpus.origin,
        "units": corpus.units,
        "nearest": documents.nearest(corpus, share, theta, documents.counts_of(corpus, 11), 6),
        "by share": documents.rank_by_share(moment.topics, corpus, share, 2, 3)[:50],
        "by words": documents.rank_by_words(corpus, share, 2)[:50],
        "search": documents.search(corpus, [2, 3], "Title 7"),
        "chosen": choosing.chosen(corpus, asked, share, [1]),
        "together": over_documents.correlations(share),
        "means": over_documents.prevalence(
            share, docs.date, "year", lengths, units=corpus.units
        ).share,
        "labels": labelled(docs.label, corpus.n_docs).codes,
        "trend": word_trend(corpus, 3, "year", True).share,
        "z": changed.z,
        "bursts": np.array([changed.least, changed.n_before, changed.n_compared]),
        "companions": near.words,
        "likelihood": near.likelihood,
        "coherence": npmi(moment.topics.topic_word, corpus),
    }


def members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.second
def test_the_numbers_are_those_of_memory(tmp_path, monkeypatch, request):
    memory = with_units(900)
    run = run_on(memory)
    moment = run.moment()
    share = doc_topic(moment.model, moment.topics, memory)
    expected = explored(moment, memory, share)
    named = result_of(run, moment, memory)
    files = members(pyldavis_file(named)) | members(mallet_file(named)) | members(tables(named))
    request.getfixturevalue("blocks")
    stored = on_disk(memory, tmp_path / "c", shard_docs=300)
    lying = doc_topic(moment.model, moment.topics, stored)
    assert not lying.flags.writeable
    np.testing.assert_array_equal(lying, share)
    for name, found in explored(moment, stored, lying).items():  # blocks add up in another order
        np.testing.assert_allclose(found, expected[name], rtol=1e-9, atol=1e-5, err_msg=name)
    assert stored.n_bytes_copied == 0
    again = result_of(run_on(stored), moment, stored)
    assert again.by_rule
    made = members(pyldavis_file(again)) | members(mallet_file(again)) | members(tables(again))
    assert made.keys() == files.keys()
    for name, data in made.items():
        if name == "state.gz":
            assert gzip.decompress(data) == gzip.decompress(files[name])
        elif name != "README.txt":  # which has the seconds and settings of its run
            assert data == files[name], name
    assert stored.n_bytes_copied == 0


def works_on(corpus, folder):
    """What is asked of a run on a corpus: name -> what does it."""
    run = run_on(corpus)
    moment = run.moment()

    def written(write):
        with (folder / "out").open("wb") as file:
            write(file, result_of(run, moment, corpus))

    return {
        "explore": lambda: explored(moment, corpus, doc_topic(moment.model, moment.topics, corpus)),
        "report": lambda: report(result_of(run, moment, corpus)),
        "csv": lambda: written(write_tables),
        "pyldavis": lambda: written(write_pyldavis),
        "mallet": lambda: written(write_mallet),
    }


def peak_of(work):
    tracemalloc.start()
    work()
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


@pytest.mark.second
def test_memory_for_each_document_is_some_numbers(tmp_path, blocks, monkeypatch):
    """100 topics take 400 bytes of a document, and 800 in double precision; held are its length,
    date, place, order and the like: 240 bytes at most while two sides are compared. Texts that are
    resampled, at most `together.MOST` shares however many there are, are none here."""
    monkeypatch.setattr(together, "MOST", 1)
    few, many = (on_disk(with_units(n), tmp_path / str(n), shard_docs=1000) for n in (1_500, 6_000))
    before, after = (
        {name: peak_of(work) for name, work in works_on(corpus, tmp_path).items()}
        for corpus in (few, many)
    )
    grown = {name: (after[name] - n) / 4_500 for name, n in before.items()}
    assert max(grown.values()) < 300, grown
    assert few.n_bytes_copied == many.n_bytes_copied == 0


def test_no_room_for_the_shares_says_where(monkeypatch):
    monkeypatch.setattr(arrays, "HELD", 10)

    class Full(io.BytesIO):
        def write(self, _):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(arrays.tempfile, "TemporaryFile", lambda **_: Full())
    with pytest.raises(OSError, match=r"no room for 1 MB in the folder .*TMPDIR"):
        arrays.filled(10_000, 20, [np.zeros((10_000, 20))])


def test_rows_that_lie_on_the_disk_are_those_that_came(monkeypatch):
    rows = np.random.default_rng(0).random((70, 5))
    held = arrays.filled(70, 5, np.split(rows, [20, 50]))
    monkeypatch.setattr(arrays, "HELD", 10)
    mapped = arrays.filled(70, 5, np.split(rows, [20, 50]))
    assert held.dtype == mapped.dtype == np.float32
    np.testing.assert_array_equal(mapped, rows.astype(np.float32))
    np.testing.assert_array_equal(held, mapped)
    assert not held.flags.writeable
    assert not mapped.flags.writeable
    assert arrays.filled(0, 5, []).shape == (0, 5)
