"""tomotopy's corpora both ways, and the documents of its models, by tomotopy itself."""

from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.corpus import CorpusError, DocTable
from bnpexplorer.corpus.readers.source import strings
from bnpexplorer.plugins.interchange import from_tomotopy, to_tomotopy
from tests.tools.neighbours import assert_same, awkward, neighbour

KEPT = {"label": "metadata", "title": "title", "date": "date", "text": "text"}


@pytest.fixture(scope="module")
def tomotopy():
    return neighbour("tomotopy")


def test_a_corpus_comes_back(tomotopy):
    corpus = awkward()
    found = to_tomotopy(corpus)
    assert len(found) == corpus.n_docs
    assert_same(from_tomotopy(found, corpus.vocab, **KEPT), corpus, "id title date label text")


def test_words_keep_the_order_of_tomotopy(tomotopy):
    documents = tomotopy.utils.Corpus()
    for words in (["b", "a", "b"], ["c", "a"]):
        documents.add_doc(words)
    corpus = from_tomotopy(documents)
    assert corpus.vocab == ("b", "a", "c")
    assert corpus.to_csr().toarray().tolist() == [[2, 1, 0], [0, 1, 1]]
    assert corpus.docs.names() == ()


def test_a_model_learns_the_same_counts(tomotopy):
    """And column v of its topics is word v of what comes back."""
    corpus = awkward()
    model = tomotopy.LDAModel(k=3, seed=1, corpus=to_tomotopy(corpus))
    model.train(3, workers=1)
    back = from_tomotopy(model)
    assert list(back.vocab) == list(model.used_vocabs)
    np.testing.assert_array_equal(back.word_totals, model.used_vocab_freq)
    assert back.vocab != corpus.vocab
    assert_same(from_tomotopy(model, corpus.vocab), corpus, "id")
    assert model.get_topic_word_dist(0).shape == (back.n_words,)


@pytest.mark.parametrize("left_out", [{"min_cf": 4}, {"rm_top": 2}, {"min_df": 3}])
def test_words_that_a_model_leaves_out_are_left_out(tomotopy, left_out):
    documents = tomotopy.utils.Corpus()
    rng = np.random.default_rng(0)
    rows = [[f"w{w}" for w in rng.geometric(0.3, 6)] for _ in range(20)]
    for words in rows:
        documents.add_doc(words)
    model = tomotopy.LDAModel(k=2, corpus=documents, **left_out)
    model.train(2, workers=1)
    back, kept = from_tomotopy(model), list(model.used_vocabs)
    assert len(kept) < len({word for words in rows for word in words})
    wanted = [[words.count(word) for word in kept] for words in rows]
    assert back.to_csr().toarray().tolist() == [row for row in wanted if any(row)]


def test_labels_are_what_its_regression_learns_from(tomotopy):
    corpus = awkward()
    corpus = replace(corpus, docs=replace(corpus.docs, label=strings(["left", "right"] * 20)))
    model = tomotopy.DMRModel(k=2, corpus=to_tomotopy(corpus))
    model.train(2, workers=1)
    assert sorted(model.metadata_dict) == ["left", "right"]
    assert from_tomotopy(model, label="metadata").docs.label.tolist() == ["left", "right"] * 20


@pytest.mark.parametrize("ids", [["same"] * 40, ["", *"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLM"]])
def test_ids_that_tomotopy_refuses_are_left_out(tomotopy, ids):
    corpus = awkward()
    corpus = replace(corpus, docs=replace(corpus.docs, id=strings(ids)))
    back = from_tomotopy(to_tomotopy(corpus), corpus.vocab, **KEPT)
    assert_same(back, corpus, "title date label text")


def test_what_documents_do_not_have_is_told(tomotopy):
    documents = to_tomotopy(replace(awkward(), docs=DocTable()))
    with pytest.raises(CorpusError, match="no 'party' for the label; give add_doc"):
        from_tomotopy(documents, label="party")


def test_a_vocabulary_that_lacks_a_word_is_told(tomotopy):
    with pytest.raises(CorpusError, match="holds the word 'zoo', which the vocabulary given lacks"):
        from_tomotopy(to_tomotopy(awkward()), awkward().vocab[1:])
    with pytest.raises(CorpusError, match="'a' stands twice"):
        from_tomotopy(to_tomotopy(awkward()), ["a", "a"])
