"""Words found in a text against scikit-learn's own analyser and against the corpus's counts."""

from collections import Counter

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import DocTable
from bnpexplorer.corpus.readers.source import Source
from bnpexplorer.corpus.text import TextSettings, make_corpus
from bnpexplorer.corpus.words.occurrences import find_words, original_places
from bnpexplorer.explore.documents import counts_of

TEXTS = (
    "The café, the CAFE\u0301 and İstanbul's ﬁne straße: naïve façades!",
    "New York and new yorkers; New York again, and again new café",
    "\u0627\u0644\u0633\u0644\u0627\u0645 \u0639\u0644\u064a\u0643\u0645, \u05e9\u05dc\u05d5\u05dd"
    " \u05e2\u05d5\u05dc\u05dd and ΣΊΣΥΦΟΣ",
    "漢字 tokens <b>café</b> & $x_1$ 42 times, e\u0301te\u0301",
)
SETTINGS = (
    TextSettings(min_df=1, max_df=1.0, min_tokens=1),
    TextSettings(min_df=1, max_df=1.0, min_tokens=1, strip_accents="unicode", ngram_max=3),
    TextSettings(min_df=1, max_df=1.0, min_tokens=1, strip_accents="ascii", lowercase=False),
    TextSettings(min_df=1, max_df=1.0, min_tokens=1, stop_words="none", ngram_min=2, ngram_max=2),
    TextSettings(min_df=1, max_df=1.0, min_tokens=1, token_pattern=r"<(\w+)>|\w\w+"),
    TextSettings(min_df=1, max_df=1.0, min_tokens=1, token_pattern=r"x?(\w\w+)", ngram_max=2),
)


@pytest.mark.parametrize("settings", SETTINGS)
def test_counts_are_those_of_the_corpus_and_places_hold_the_words(settings):
    ids = DocTable(id=np.array([*map(str, range(len(TEXTS)))], object))
    source = Source("four texts", "pasted", texts=TEXTS, docs=ids)
    corpus, _ = make_corpus(source, settings)
    index = {word: i for i, word in enumerate(corpus.vocab)}
    preprocess = settings.vectorizer().build_preprocessor()
    assert corpus.n_docs >= 1
    for row, place in enumerate(corpus.docs.id):
        text = TEXTS[int(place)]
        found = find_words(text, settings, index)
        assert dict(found.counts) == counts_of(corpus, row)
        assert not found.unknown
        assert found.occurrences or set(found.counts) == {index.get("")}
        before = 0
        for occurrence in found.occurrences:
            assert before <= occurrence.start < occurrence.stop <= len(text)
            before = occurrence.stop
            stands = preprocess(text[occurrence.start : occurrence.stop])
            parts = corpus.vocab[occurrence.word].split(" ")
            assert stands.startswith(parts[0])
            assert parts[-1] in stands


def test_the_longest_of_terms_that_meet_is_marked_and_all_are_counted():
    settings = TextSettings(min_df=1, ngram_max=2)
    found = find_words("York: the New York", settings, {"york": 0, "new york": 1, "york new": 2})
    text = "York: the New York"
    assert [(text[o.start : o.stop], o.word) for o in found.occurrences] == [
        ("York: the New", 2),
        ("York", 0),
    ]
    assert found.counts == {0: 2, 1: 1, 2: 1}
    assert found.unknown == {"new": 1}
    assert found.n_stop == 1


def test_unknown_words_are_counted_and_stop_words_apart():
    found = find_words("the zebra and a Zebra ate bread", TextSettings(min_df=1), {"bread": 0})
    assert list(found.unknown.items()) == [("zebra", 2), ("ate", 1)]
    assert found.counts == {0: 1}
    assert found.n_stop == 2  # the pattern leaves out `a`
    nothing = find_words("  \n", TextSettings(min_df=1), {"bread": 0})
    assert (nothing.occurrences, nothing.counts, nothing.unknown) == ((), Counter(), {})


@pytest.mark.parametrize("accents", ["none", "unicode", "ascii"])
def test_places_of_random_texts_lead_back_letter_by_letter(accents):
    rng = np.random.default_rng(1)
    settings = TextSettings(min_df=1, strip_accents=accents)
    preprocess = settings.vectorizer().build_preprocessor()
    letters = np.array(list("abÀéİßΣﬁ漢½\u0301\u0627 .Ω"))
    for _ in range(200):
        text = "".join(rng.choice(letters, 12))
        plain = preprocess(text)
        places = original_places(text, plain, settings)
        assert len(places) == len(plain) + 1
        assert places[-1] <= len(text)
        assert np.all(np.diff(places) >= 0)
        for j, sign in enumerate(plain):
            assert sign in preprocess(text[places[j]]).replace("ς", "σ") + "ς"
