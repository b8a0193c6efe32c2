"""spaCy's documents both ways, by spaCy itself."""

import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.plugins.interchange import from_spacy, to_spacy
from tests.tools.neighbours import assert_same, awkward, neighbour


@pytest.fixture(scope="module")
def nlp():
    return neighbour("spacy").blank("en")


def every(token):
    return True


def test_documents_come_back(nlp):
    corpus = awkward()
    found = from_spacy(to_spacy(corpus, nlp.vocab), "text", every, corpus.vocab)
    assert_same(found, corpus, "id title date label text")


def test_a_bin_of_documents_keeps_them(nlp):
    tokens = neighbour("spacy.tokens")
    corpus = awkward()
    held = tokens.DocBin(store_user_data=True, docs=to_spacy(corpus, nlp.vocab)).to_bytes()
    opened = tokens.DocBin(store_user_data=True).from_bytes(held).get_docs(nlp.vocab)
    assert_same(from_spacy(opened, "text", every, corpus.vocab), corpus, "id title date label text")


def test_a_corpus_without_texts_has_none_when_it_comes_back(nlp):
    corpus = awkward().without_text()
    found = from_spacy(to_spacy(corpus, nlp.vocab), "text", every, corpus.vocab)
    assert_same(found, corpus, "id title date label")


def test_words_of_letters_that_are_no_stop_words_count(nlp):
    texts = ["The Houses, 22 of them, in New York's tax-free zone.", "It is what it is."]
    documents = list(nlp.pipe(texts))
    documents[0].cats = {"city": 0.2, "money": 0.7}
    corpus = from_spacy(documents)
    assert corpus.vocab == ("free", "houses", "new", "tax", "york", "zone")
    assert corpus.n_docs == 1
    assert corpus.n_empty_dropped == 1
    assert corpus.docs.text.tolist() == texts[:1]
    assert corpus.docs.label.tolist() == ["money"]


def test_lemmas_count_where_a_pipeline_makes_them(nlp):
    document = nlp("Houses house houses")
    for token in document:
        token.lemma_ = "house"
    assert from_spacy([document], "lemma_").to_csr().toarray().tolist() == [[3]]
    with pytest.raises(CorpusError, match="Document 1 has no 'lemma_' for its token 'Houses'; run"):
        from_spacy([nlp("Houses")], "lemma_")
    with pytest.raises(CorpusError, match="no 'lema_' for its token"):
        from_spacy([nlp("Houses")], "lema_")


def test_a_vocabulary_that_lacks_a_word_is_told(nlp):
    with pytest.raises(CorpusError, match="holds the word 'houses', which the vocabulary"):
        from_spacy([nlp("Houses")], vocab=["house"])
