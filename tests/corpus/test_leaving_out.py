"""The same corpus without some words."""

from dataclasses import replace

import pytest

from bnpexplorer.corpus import Corpus, CorpusError, DocTable
from bnpexplorer.corpus.documents.leaving_out import leave_out
from bnpexplorer.corpus.readers.source import Source, strings
from bnpexplorer.corpus.text import TextSettings, describe, make_corpus

TEXTS = ("war and peace war", "peace treaty", "war war", "tax income treaty peace")
SETTINGS = TextSettings(min_df=1, max_df=1.0, min_tokens=1, stop_words="none", max_features=4)


def read(settings=SETTINGS):
    source = Source("four", "texts", texts=TEXTS, docs=DocTable(text=strings(TEXTS)))
    return make_corpus(source, settings)


def test_texts_are_counted_again_as_if_the_word_had_been_a_stop_word():
    corpus, report = read()
    assert "war" in corpus.vocab
    made, again = leave_out(corpus, ["war"], report.settings)
    expected, _ = read(replace(SETTINGS, extra_stop_words="war"))
    kept = [text for text in TEXTS if text != "war war"]
    assert made.docs.text.tolist() == kept, "a document that lost its last word is gone"
    assert made.vocab == expected.vocab
    assert len(made.vocab) == 4, "the place that became free is filled"
    assert again.settings.extra_stop_words == "war"
    third, last = leave_out(made, ["treaty"], again.settings)
    assert {"war", "treaty"}.isdisjoint(third.vocab)
    assert last.settings.extra_stop_words == "war treaty"


def test_counts_lose_the_column():
    corpus = Corpus.from_csr([[1, 2, 0], [0, 3, 1], [0, 1, 0]], ["New York", "a b", "c"])
    made, report = leave_out(corpus, ["a b"], describe(corpus).settings)
    assert made.vocab == ("New York", "c")
    assert made.to_csr().toarray().tolist() == [[1, 0], [0, 1]]
    assert (report.n_docs, made.n_empty_dropped) == (2, 1)


def test_a_term_of_two_words_loses_its_column_and_its_parts_stay():
    corpus, report = read(replace(SETTINGS, ngram_max=2, max_features=0))
    assert "peace treaty" in corpus.vocab
    made, again = leave_out(corpus, ["peace treaty"], report.settings)
    assert set(corpus.vocab) - set(made.vocab) == {"peace treaty"}
    more, _ = leave_out(made, ["war"], again.settings)
    assert set(made.vocab) - set(more.vocab) == {"war"}, "what went before stays away"


def test_without_known_settings_texts_are_not_cut_anew():
    corpus, _ = read(replace(SETTINGS, stop_words="english"))
    made, _ = leave_out(corpus, ["war"], describe(corpus).settings)
    assert set(made.vocab) == set(corpus.vocab) - {"war"}
    assert "and" not in made.vocab


@pytest.mark.parametrize("known", [True, False])
def test_documents_that_stay_keep_their_names_and_the_corpus_its_own(known):
    docs = DocTable(id=strings("abcd"), text=strings(TEXTS))
    corpus, report = make_corpus(Source("four", "texts", texts=TEXTS, docs=docs), SETTINGS)
    made, again = leave_out(corpus, ["war", "treaty"], report.settings if known else None)
    assert (made.name, made.docs.id.tolist()) == ("four", ["a", "b", "d"])
    assert made.docs.text.tolist() == [TEXTS[0], TEXTS[1], TEXTS[3]]
    assert (again.n_docs, again.n_tokens) == (3, made.n_tokens)
    assert ("income" in made.vocab) == known, "counted again, a free place is filled"


def test_nothing_left_is_said():
    corpus = Corpus.from_csr([[1, 2]], ["a", "b"])
    with pytest.raises(CorpusError) as told:
        leave_out(corpus, ["a", "b"])
    assert str(told.value) == "corpus: no word is left without these; keep some of them."
