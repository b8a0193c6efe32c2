"""gensim's corpora and Dictionary both ways, and an LdaModel of our topics, by gensim itself."""

import numpy as np
import pytest

from bnpexplorer.corpus import Corpus, CorpusError
from bnpexplorer.plugins.interchange import from_gensim, to_gensim, to_lda_model
from tests.tools.export import learned, own_corpus, small_result
from tests.tools.neighbours import assert_same, awkward, neighbour

WORDS = ["house", "senate"]


@pytest.fixture(scope="module")
def gensim():
    neighbour("gensim.models")
    return neighbour("gensim")


def test_bags_and_dictionary_come_back(gensim):
    corpus = awkward()
    bags, dictionary = to_gensim(corpus)
    assert_same(from_gensim(bags, dictionary), corpus, "")
    assert_same(from_gensim(bags, dictionary, corpus.docs), corpus, "id title date label text")


def test_they_are_what_gensim_makes_of_the_same_words(gensim):
    corpus = awkward()
    bags, dictionary = to_gensim(corpus)
    words = [
        np.repeat(np.array(corpus.vocab, object)[one.word_ids], one.counts).tolist()
        for one in corpus.chunks(1)
    ]
    assert [dictionary.doc2bow(document) for document in words] == bags
    theirs = gensim.corpora.Dictionary(words)
    for name in ("num_docs", "num_pos", "num_nnz"):
        assert getattr(dictionary, name) == getattr(theirs, name), name
    for name in ("dfs", "cfs"):
        ours, wanted = getattr(dictionary, name), getattr(theirs, name)
        assert {dictionary[w]: n for w, n in ours.items()} == {
            theirs[w]: n for w, n in wanted.items()
        }
    assert dictionary.token2id == {word: w for w, word in enumerate(corpus.vocab)}
    assert all(type(n) is int for pair in bags[0] for n in pair)


def test_corpora_on_the_disk_and_sparse_ones_are_read(gensim, tmp_path):
    corpus = awkward()
    bags, dictionary = to_gensim(corpus)
    gensim.corpora.MmCorpus.serialize(str(tmp_path / "bags.mm"), bags)  # counts become floats
    assert_same(
        from_gensim(gensim.corpora.MmCorpus(str(tmp_path / "bags.mm")), dictionary), corpus, ""
    )
    sparse = gensim.matutils.Sparse2Corpus(corpus.to_csr(), documents_columns=False)
    assert_same(from_gensim(sparse, dictionary), corpus, "")


def test_a_dictionary_with_gaps_keeps_its_order(gensim):
    dictionary = gensim.corpora.Dictionary([["c", "a", "b", "a"], ["b", "d"]])
    dictionary.filter_tokens(bad_ids=[dictionary.token2id["b"]])
    dictionary.token2id = {"a": 5, "c": 2, "d": 9}  # as after filter_tokens without compactify
    corpus = from_gensim([[(5, 2)], [(9, 1), (2, 4)]], dictionary)
    assert corpus.vocab == ("c", "a", "d")
    assert corpus.to_csr().toarray().tolist() == [[0, 2, 0], [4, 0, 1]]


@pytest.mark.parametrize("words", [WORDS, {0: "house", 1: "senate"}, {"house": 0, "senate": 1}])
def test_a_mapping_or_a_list_will_do(words):
    corpus = from_gensim([[(1, 2.0), (0, 1)], [], [(1, 1), (1, 1)]], words)
    assert corpus.vocab == tuple(WORDS)
    assert corpus.to_csr().toarray().tolist() == [[1, 2], [0, 2]]
    assert corpus.n_empty_dropped == 1


@pytest.mark.parametrize(
    ("bags", "words", "said"),
    [
        ([[(0, 1)], [(7, 1)]], WORDS, "Document 2 of mine holds the token id 7, .* of 2 words"),
        ([[(-1, 1)]], WORDS, "holds the token id -1"),
        ([[(0, 1)], [(0, -2)]], WORDS, "Document 2 of mine holds a word -2 times"),
        ([[(0, 1), (1, 3)], [], [(0, -1)]], WORDS, "Document 3 of mine holds a word -1 times"),
        ([[(0, 1), (1, 0.5)]], WORDS, r"Document 1 of mine holds a word 0\.5 times.*weighting"),
        ([[(0, float("nan"))]], WORDS, "nan times"),
        ([[(0, "1")]], WORDS, "'1' times"),
        ([["house", "senate"]], WORDS, "Document 1 of mine is no bag of words.*doc2bow"),
        ([[(0, 2**31)]], WORDS, "divide"),
        ([[]], WORDS, "No document has a single token"),
        ([[(0, 1)]], 3, "A int is no dictionary"),
        ([[(0, 1)]], "house", "A str is no dictionary"),
    ],
)
def test_what_is_wrong_is_named_with_the_remedy(bags, words, said):
    with pytest.raises(CorpusError, match=said):
        from_gensim(bags, words, name="mine")


def test_a_word_that_stands_twice_is_refused(gensim):
    corpus = Corpus.from_csr(np.eye(3, dtype=int), ["other", "same", "same"])
    with pytest.raises(CorpusError, match="'same' stands twice"):
        to_gensim(corpus)


@pytest.mark.parametrize("method", ["hdp-tsvi", "lda-gibbs", "dpm-tsvi"])
def test_the_model_has_the_topics(gensim, method):
    result = small_result(method)
    topics, ids = result.moment.topics, result.moment.in_use
    model = to_lda_model(result)
    places = [result.moment.row[topic] for topic in ids]
    exact = topics.topic_word[places].astype(np.float64)
    found = model.get_topics()
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, exact / exact.sum(axis=1, keepdims=True), rtol=1e-12)
    dirichlet = exact * topics.total[places, None]
    np.testing.assert_allclose(model.state.get_lambda(), dirichlet, rtol=1e-12)
    assert model.state.numdocs == result.corpus.n_docs
    weight = topics.weight[places]
    scale = 1.0 if method == "dpm-tsvi" else topics.concentration
    np.testing.assert_array_equal(model.alpha, scale * weight)
    np.testing.assert_array_equal(model.eta, np.full(len(result.corpus.vocab), topics.eta))
    for k, row in enumerate(found[:3]):  # words as probable as each other may come in any order
        shown = model.show_topic(k, 5)
        heaviest = np.sort(row)[::-1][:5]
        np.testing.assert_allclose([p for _, p in shown], heaviest, rtol=1e-12)
        own = [row[result.corpus.vocab.index(word)] for word, _ in shown]
        np.testing.assert_array_equal(own, heaviest)


def test_gensims_coherence_is_that_of_our_topics(gensim):
    """UMass by gensim's definition: the mean over pairs, with 1e-12 in place of 1."""
    result = small_result("lda-gibbs")
    bags, dictionary = to_gensim(result.corpus)
    model, n = to_lda_model(result), 5
    theirs = gensim.models.CoherenceModel(
        model=model, corpus=bags, dictionary=dictionary, coherence="u_mass", topn=n, processes=1
    ).get_coherence_per_topic()
    together = (result.corpus.to_csr().toarray() > 0).astype(float)
    both, n_docs = together.T @ together, result.corpus.n_docs
    wanted = []
    for k, topic in enumerate(result.moment.in_use):
        words = [w for w, _ in model.get_topic_terms(k, n)]
        row = result.moment.topics.topic_word[result.moment.row[topic]]
        assert sorted(row[words]) == sorted(row)[-n:]
        pairs = [(words[m], words[i]) for m in range(1, n) for i in range(m)]
        shares = [(both[m, i] / n_docs, both[i, i] / n_docs) for m, i in pairs]
        wanted.append(np.mean([np.log((two + 1e-12) / one) for two, one in shares]))
    np.testing.assert_allclose(theirs, wanted, rtol=1e-9)


def test_a_run_will_do_and_one_without_topics_is_told(gensim):
    run = learned(own_corpus(), "hdp-tsvi")
    assert to_lda_model(run).num_topics == len(run.moment().in_use)
    with pytest.raises(ValueError, match="no topic in use yet"):
        to_lda_model(learned(own_corpus(), "hdp-tsvi", steps=0))
