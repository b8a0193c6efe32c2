"""Arrays for other programs: normalised, real, finite, and the same topics under every number."""

import csv
import gzip
import io
import zipfile
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.corpus.readers.source import strings
from bnpexplorer.export import result_of
from bnpexplorer.plugins.interchange import (
    WRITERS,
    mallet_file,
    pyldavis_file,
    results,
    to_pyldavis,
)
from bnpexplorer.state.labels import Labels
from tests.tools.export import EVIL, at, learned, own_corpus, small_result

METHODS = ("hdp-tsvi", "hdp-svi", "dpm-tsvi", "lda-gibbs")


@pytest.fixture(scope="module", params=METHODS)
def result(request):
    return small_result(request.param)


def test_pyldavis_arrays_are_what_prepare_demands(result):
    arrays = to_pyldavis(result)
    assert list(arrays) == [
        "topic_term_dists",
        "doc_topic_dists",
        "doc_lengths",
        "vocab",
        "term_frequency",
        "sort_topics",
    ]
    assert arrays["sort_topics"] is False
    topics, documents = arrays["topic_term_dists"], arrays["doc_topic_dists"]
    for matrix in (topics, documents):
        assert matrix.dtype == np.float64
        assert np.isfinite(matrix).all()
        assert (matrix > 0).all()
        np.testing.assert_allclose(matrix.sum(axis=1), 1.0, atol=1e-12)
    n_used = int((result.snapshot.topics.size >= 1 - 1e-9).sum())
    assert topics.shape == (n_used, len(arrays["vocab"]))
    assert documents.shape == (result.corpus.n_docs, n_used)
    dense = result.corpus.to_csr().toarray()
    np.testing.assert_array_equal(arrays["doc_lengths"], dense.sum(axis=1))
    np.testing.assert_array_equal(arrays["term_frequency"], dense.sum(axis=0))


def test_the_file_opens_without_pickle_and_names_the_topics(result):
    with np.load(io.BytesIO(pyldavis_file(result)), allow_pickle=False) as found:
        arrays = to_pyldavis(result)
        del arrays["sort_topics"]  # the others are arrays
        for name, value in arrays.items():
            np.testing.assert_array_equal(found[name], np.asarray(value))
        sizes = dict(
            zip(result.snapshot.topics.topic_ids, result.snapshot.topics.size, strict=True)
        )
        in_order = [sizes[i] for i in found["topic_ids"]]
        assert in_order == sorted(in_order, reverse=True)
        assert found["topic_names"][0] == EVIL
        assert list(found["topic_hidden"][:2]) == [False, True]
        assert "@misc{bnpexplorer" in str(found["citation"])


def test_a_topic_that_is_folded_away_is_marked_as_hidden_in_every_file():
    """As one that a person hid: lists leave out both."""
    whole = small_result("lda-gibbs")
    order = list(whole.moment.in_use)
    hidden, folded = frozenset(order[1:2]), frozenset(order[2:4])
    labels = Labels({}, hidden, folded=folded)
    result = replace(whole, moment=replace(whole.moment, labels=labels))
    wanted = {topic: topic in hidden | folded for topic in order}
    assert 0 < sum(wanted.values()) < len(order)
    with np.load(io.BytesIO(pyldavis_file(result)), allow_pickle=False) as found:
        said = zip(found["topic_ids"].tolist(), found["topic_hidden"].tolist(), strict=True)
        assert dict(said) == wanted
    with zipfile.ZipFile(io.BytesIO(mallet_file(result))) as archive:
        rows = csv.DictReader(io.StringIO(archive.read("topics.csv").decode()))
        assert {int(row["topic"]): row["hidden"] == "yes" for row in rows} == wanted


@pytest.mark.parametrize(("to", "make"), [("pyldavis", pyldavis_file), ("mallet", mallet_file)])
def test_what_is_written_into_an_open_file_is_the_same(to, make):
    result, file = small_result("lda-gibbs"), io.BytesIO()
    WRITERS[to](file, result)
    with zipfile.ZipFile(file) as found, zipfile.ZipFile(io.BytesIO(make(result))) as wanted:
        assert {name: found.read(name) for name in found.namelist()} == {
            name: wanted.read(name) for name in wanted.namelist()
        }


def test_topics_not_in_use_are_left_out():
    """Half of the topics hold less than one token: other programs would draw them as topics."""
    whole = small_result("hdp-svi")
    topics = whole.snapshot.topics
    n_topics, rng = len(topics), np.random.default_rng(0)
    size = np.where(rng.permutation(n_topics) % 2, 5.0 + np.arange(n_topics), 0.5)
    result = at(whole, topics=replace(topics, size=size))
    used = [k for k in np.argsort(-size) if size[k] >= 1]
    assert 0 < len(used) < n_topics
    ids = topics.topic_ids[used].tolist()
    with np.load(io.BytesIO(pyldavis_file(result)), allow_pickle=False) as found:
        assert found["topic_ids"].tolist() == ids
        assert len(found["topic_term_dists"]) == found["doc_topic_dists"].shape[1] == len(ids)
    with zipfile.ZipFile(io.BytesIO(mallet_file(result))) as archive:
        assert len(archive.read("topic-keys.txt").decode().splitlines()) == len(ids)
        lines = archive.read("topics.csv").decode().splitlines()[1:]
        assert [int(line.split(",")[1]) for line in lines] == ids
        state = gzip.decompress(archive.read("state.gz")).decode().splitlines()[3:]
        assert {int(line.rsplit(" ", 1)[1]) for line in state} <= set(range(len(ids)))


def test_words_that_never_occur_are_left_out():
    corpus = own_corpus()
    run = learned(corpus, "hdp-tsvi")
    arrays = to_pyldavis(result_of(run, run.moment(), corpus))
    assert "never" in corpus.vocab
    assert "never" not in arrays["vocab"]
    assert (arrays["term_frequency"] > 0).all()
    np.testing.assert_allclose(arrays["topic_term_dists"].sum(axis=1), 1.0, atol=1e-12)


def test_topics_with_probabilities_of_zero_stay_finite():
    result = small_result("hdp-tsvi")
    words = result.snapshot.topics.topic_word.copy()
    words[:, 3] = 0.0
    topics = replace(result.snapshot.topics, topic_word=words)
    arrays = to_pyldavis(at(result, topics=topics))
    assert np.isfinite(np.log(arrays["topic_term_dists"])).all()


def test_nothing_learned_is_said_in_a_sentence():
    corpus = own_corpus()
    run = learned(corpus, "hdp-tsvi", steps=0)
    result = result_of(run, run.moment(), corpus)
    for make in (pyldavis_file, mallet_file):
        with pytest.raises(ValueError, match="no topic in use yet"):
            make(result)


def files(result):
    with zipfile.ZipFile(io.BytesIO(mallet_file(result))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_mallet_files_agree_with_each_other(result):
    found = files(result)
    keys = [row.split("\t") for row in found["topic-keys.txt"].decode().splitlines()]
    rows = [row.split("\t") for row in found["doc-topics.txt"].decode().splitlines()]
    assert [int(row[0]) for row in keys] == list(range(len(keys)))
    assert all(float(row[1]) > 0 for row in keys)
    shares = np.array([row[2:] for row in rows], float)
    assert shares.shape == (result.corpus.n_docs, len(keys))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-4)
    table = found["topics.csv"].decode().splitlines()
    assert table[0].startswith("mallet,topic,name,hidden")
    assert len(table) == 1 + len(keys)
    largest = result.snapshot.topics.topic_ids[np.argmax(result.snapshot.topics.size)]
    assert table[1].startswith(f"0,{largest},")
    first = result.moment.top_words(int(largest), 3)
    assert keys[0][2].split()[:3] == first


def test_the_state_has_every_token_once(result):
    lines = gzip.decompress(files(result)["state.gz"]).decode().splitlines()
    assert lines[0] == "#doc source pos typeindex type topic"
    assert lines[1].startswith("#alpha : ")
    assert lines[2].startswith("#beta : ")
    tokens = [line.split(" ") for line in lines[3:]]
    assert all(len(token) == 6 for token in tokens)
    counted = Counter((int(t[0]), int(t[3])) for t in tokens)
    dense = result.corpus.to_csr().tocoo()
    assert counted == {
        (int(d), int(w)): int(n) for d, w, n in zip(dense.row, dense.col, dense.data, strict=True)
    }
    assert all(result.corpus.vocab[int(t[3])] == t[4] for t in tokens)
    n_topics = len(lines[1].split(":")[1].split())
    assert {int(t[5]) for t in tokens} <= set(range(n_topics))


def test_every_token_has_the_likeliest_topic_of_its_word_in_its_document(result):
    found, moment = files(result), result.moment
    places = [moment.row[topic] for topic in moment.in_use]
    words = moment.topics.topic_word[places]
    lines = gzip.decompress(found["state.gz"]).decode().splitlines()
    tokens = [line.split(" ") for line in lines[3:]]
    shares = result.shares[:, places]
    wanted = [int(np.argmax(words[:, int(t[3])] * shares[int(t[0])])) for t in tokens]
    assert [int(t[5]) for t in tokens] == wanted
    assert [int(np.argmax(words[:, int(t[3])])) for t in tokens] != wanted, "of its document, too"
    topics = moment.topics
    scale = 1.0 if moment.model.name == "dpm" else topics.concentration
    prior = [f"{alpha:.6g}" for alpha in scale * topics.weight[places]]
    assert lines[1].split()[2:] == prior
    assert lines[2] == f"#beta : {topics.eta:.6g}"
    keys = [row.split("\t") for row in found["topic-keys.txt"].decode().splitlines()]
    assert [row[1] for row in keys] == prior


@pytest.mark.parametrize("with_ids", [False, True])
def test_documents_are_numbered_on_through_all_blocks(monkeypatch, with_ids):
    """By their names, or where these are empty by their numbers from 1."""
    monkeypatch.setattr(results, "BLOCK", 7)
    corpus = own_corpus().unnamed()
    ids = ["" if d % 2 else f"my {d}" for d in range(corpus.n_docs)]
    if with_ids:
        corpus = replace(corpus, docs=replace(corpus.docs, id=strings(ids)))
    run = learned(corpus, "lda-gibbs", held_out=False)
    found = files(result_of(run, run.moment(), corpus))
    names = [f"my_{d}" if with_ids and d % 2 == 0 else f"document-{d + 1}" for d in range(60)]
    rows = [row.split("\t")[:2] for row in found["doc-topics.txt"].decode().splitlines()]
    assert rows == [[str(d), name] for d, name in enumerate(names)]
    lines = gzip.decompress(found["state.gz"]).decode().splitlines()[3:]
    there = [*dict.fromkeys(tuple(line.split(" ")[:2]) for line in lines)]
    assert there == [(str(d), name) for d, name in enumerate(names)]


def test_blanks_in_words_and_names_do_not_break_the_fields():
    corpus = own_corpus()
    run = learned(corpus, "hdp-tsvi")
    found = files(result_of(run, run.moment(), corpus))
    for line in gzip.decompress(found["state.gz"]).decode().splitlines()[3:]:
        assert len(line.split(" ")) == 6, line
    assert "new_york" in found["topic-keys.txt"].decode()


def test_tokens_of_a_document_have_positions_from_zero_upwards(result):
    lines = gzip.decompress(files(result)["state.gz"]).decode().splitlines()[3:]
    found: dict[int, list[int]] = {}
    for line in lines:
        document, _, position = line.split(" ")[:3]
        found.setdefault(int(document), []).append(int(position))
    lengths = np.asarray(result.corpus.to_csr().sum(axis=1)).ravel()
    assert lengths.max() > 2
    assert found == {d: list(range(int(n))) for d, n in enumerate(lengths) if n}
