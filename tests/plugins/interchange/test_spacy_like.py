"""What is read of spaCy's documents and written into them, with stand-ins: spaCy itself is heavy,
and `test_spacy.py` is skipped where it is not there."""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Corpus, CorpusError, DocTable
from bnpexplorer.corpus.readers.source import strings
from bnpexplorer.interchange import from_spacy, to_spacy
from bnpexplorer.plugins.interchange.spacy import content


def token(text, is_alpha=True, is_stop=False, lemma=None):
    lower = text.lower()
    return SimpleNamespace(
        text=text, lower_=lower, lemma_=lemma, is_alpha=is_alpha, is_stop=is_stop
    )


class Document:
    """As spaCy's `Doc`."""

    def __init__(self, *tokens, text="", user_data=None, cats=None):
        self.tokens, self.text = tokens, text
        self.user_data, self.cats = user_data or {}, cats or {}

    def __iter__(self):
        return iter(self.tokens)


SEA = Document(
    token("The", is_stop=True),
    token("Sea"),
    token("sea"),
    token("22", is_alpha=False),
    token("hills", lemma="hill"),
    text="The Sea, sea and 22 hills.",
    user_data={"id": "a1", "title": "One", "date": "2014-03-02"},
    cats={"land": 0.7, "water": 0.2},
)
WAVE = Document(
    token("Waves", lemma="wave"),
    token("hills", lemma="hill"),
    text="Waves",
    user_data={"text": "another text"},
)


def test_words_that_count_are_those_of_letters_and_no_stop_words():
    told = {one.text: content(one) for one in SEA}
    assert told == {"The": False, "Sea": True, "sea": True, "22": False, "hills": True}


def test_words_and_what_is_known_of_documents_are_read():
    corpus = from_spacy(iter([SEA, WAVE]), name="spacy")
    assert (corpus.name, corpus.vocab) == ("spacy", ("hills", "sea", "waves"))
    np.testing.assert_array_equal(corpus.to_csr().toarray(), [[1, 2, 0], [1, 0, 1]])
    docs = corpus.docs
    assert list(docs.text) == ["The Sea, sea and 22 hills.", "another text"]
    assert (list(docs.id), list(docs.title)) == (["a1", ""], ["One", ""])
    assert list(docs.label) == ["land", ""], "the likeliest"
    assert docs.date[0] == np.datetime64("2014-03-02")
    assert np.isnat(docs.date[1])


def test_another_attribute_other_tokens_and_a_given_vocabulary_are_counted():
    lemmas = from_spacy([WAVE], word="lemma_")
    assert lemmas.vocab == ("hill", "wave")
    every = from_spacy([SEA], word="text", keep=lambda one: True)
    assert every.vocab == ("22", "Sea", "The", "hills", "sea")
    given = from_spacy([SEA, WAVE], vocab=("waves", "none", "sea", "hills"))
    np.testing.assert_array_equal(given.to_csr().toarray(), [[0, 0, 2, 1], [1, 0, 0, 1]])
    with pytest.raises(CorpusError, match="Document 1 has no 'lemma_' for its token 'Sea'; run a"):
        from_spacy([SEA], word="lemma_")


@pytest.fixture
def spacy(monkeypatch):
    """spaCy as far as it is called."""
    made = []

    class Doc:
        def __init__(self, vocab, words):
            self.vocab, self.words, self.user_data, self.cats = vocab, words, {}, {}
            made.append(self)

    tokens = ModuleType("spacy.tokens")
    tokens.Doc = Doc
    monkeypatch.setitem(sys.modules, "spacy", ModuleType("spacy"))
    monkeypatch.setitem(sys.modules, "spacy.tokens", tokens)
    return made


def test_every_word_is_written_as_often_as_it_occurs_beside_what_is_known(spacy):
    counts = np.array([[2, 0, 1], [0, 3, 0]])
    docs = DocTable(
        id=strings(["a", "b"]),
        title=strings(["One", ""]),
        date=np.array(["2014-03-02", "NaT"], "datetime64[D]"),
        label=strings(["", "water"]),
        text=strings(["its text", "another"]),
    )
    corpus = Corpus.from_csr(counts, ("hill", "sea", "wave"), docs)
    one, other = to_spacy(corpus, "nlp.vocab")
    assert [one, other] == spacy
    assert {doc.vocab for doc in spacy} == {"nlp.vocab"}
    assert [doc.words for doc in spacy] == [["hill", "hill", "wave"], ["sea", "sea", "sea"]]
    assert [doc.cats for doc in spacy] == [{}, {"water": 1.0}]
    assert one.user_data == {"id": "a", "title": "One", "date": "2014-03-02", "text": "its text"}
    assert other.user_data == {"id": "b", "title": "", "date": "", "text": "another"}
    (bare,) = to_spacy(Corpus.from_csr(np.array([[1, 2]]), ("a", "b")), None)
    assert bare.user_data == {"text": ""}, "its words are no text"
