"""Texts to counts: equality with scikit-learn, the report, and the guard on token patterns."""

import re
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

from bnpexplorer.core.knob import knobs_of
from bnpexplorer.corpus import CorpusError, DocTable
from bnpexplorer.corpus.readers.formats import read, read_path
from bnpexplorer.corpus.readers.source import Source, strings
from bnpexplorer.corpus.text import TextSettings, default_settings, make_corpus
from bnpexplorer.corpus.words import pattern
from bnpexplorer.corpus.words.pattern import LETTERS
from tests.tools.waiting import NEVER, at_most, children_at_most

SMALL = Path(__file__).resolve().parents[2] / "sample_data" / "small.csv"
ALL = {"min_df": 1, "max_df": 1.0, "max_features": 0, "min_tokens": 1}


def texts_source(*texts: str) -> Source:
    docs = DocTable(title=strings(f"doc {i}" for i in range(len(texts))), text=strings(texts))
    return Source("some.txt", "text", texts, docs=docs)


# Each case: our settings, and the same said to CountVectorizer by hand.
CASES = [
    ({**ALL, "stop_words": "none"}, {"token_pattern": LETTERS}),
    (
        {**ALL, "token_pattern": r"(?u)\b\w\w+\b", "stop_words": "none", "lowercase": False},
        {"lowercase": False},
    ),
    (
        {"min_df": 3, "max_df": 0.1, "max_features": 0, "min_tokens": 1},
        {"token_pattern": LETTERS, "stop_words": "english", "min_df": 3, "max_df": 0.1},
    ),
    (
        {"min_df": 0.02, "max_df": 20, "max_features": 0, "min_tokens": 1, "ngram_max": 2},
        {
            "token_pattern": LETTERS,
            "stop_words": "english",
            "min_df": 0.02,
            "max_df": 20,
            "ngram_range": (1, 2),
        },
    ),
    (
        {**ALL, "ngram_min": 2, "ngram_max": 3, "strip_accents": "unicode"},
        {
            "token_pattern": LETTERS,
            "stop_words": "english",
            "ngram_range": (2, 3),
            "strip_accents": "unicode",
        },
    ),
    (
        {**ALL, "stop_words": "none", "extra_stop_words": "the, Train;soil\nbutter"},
        {"token_pattern": LETTERS, "stop_words": ["the", "train", "soil", "butter"]},
    ),
]


@pytest.mark.parametrize(("ours", "theirs"), CASES)
def test_counts_equal_scikit_learn(ours, theirs):
    source = read_path(SMALL)
    corpus, report = make_corpus(source, TextSettings(**ours))
    vectorizer = CountVectorizer(**theirs)
    expected = vectorizer.fit_transform(source.texts)
    assert corpus.vocab == tuple(vectorizer.get_feature_names_out())
    kept = np.flatnonzero(np.diff(expected.indptr))
    assert (corpus.to_csr() != expected[kept]).nnz == 0
    assert report.n_tokens == expected.sum()
    assert (TextSettings(**ours).vectorizer().fit_transform(source.texts) != expected).nnz == 0


def test_max_features_keeps_the_most_frequent_and_breaks_ties_by_the_alphabet():
    source = texts_source("bb bb bb zz zz aa cc", "dd dd ee")
    settings = TextSettings(**{**ALL, "max_features": 4}, token_pattern=r"\w+", stop_words="none")
    corpus, report = make_corpus(source, settings)
    assert corpus.vocab == ("aa", "bb", "dd", "zz")
    assert list(report.removed) == ["beyond the 4 most frequent"]
    assert report.removed["beyond the 4 most frequent"].words == (("cc", 1), ("ee", 1))
    # Away from ties the choice is scikit-learn's.
    small = read_path(SMALL)
    frequency = np.sort(
        np.asarray(CountVectorizer(token_pattern=LETTERS).fit_transform(small.texts).sum(0)).ravel()
    )[::-1]
    limit = next(n for n in range(60, 200) if frequency[n - 1] > frequency[n])
    ours = make_corpus(small, TextSettings(**{**ALL, "max_features": limit}, stop_words="none"))[0]
    theirs = CountVectorizer(token_pattern=LETTERS, max_features=limit).fit(small.texts)
    assert ours.vocab == tuple(theirs.get_feature_names_out())


def test_report_agrees_with_a_plain_count():
    source = read_path(SMALL)
    settings = TextSettings(min_df=4, max_df=0.12, max_features=150, min_tokens=6)
    corpus, report = make_corpus(source, settings)
    tokens = [re.findall(LETTERS, text.lower()) for text in source.texts]
    df = Counter(word for words in tokens for word in set(words))
    tf = Counter(word for words in tokens for word in words)

    stop = {word: n for word, n in df.items() if word in ENGLISH_STOP_WORDS}
    rest = {word: n for word, n in df.items() if word not in stop}
    rare = {word: n for word, n in rest.items() if n < 4}
    common = {word: n for word, n in rest.items() if n > 0.12 * 160}
    left = sorted(rest.keys() - rare.keys() - common.keys(), key=lambda w: (-tf[w], w))
    beyond = {word: df[word] for word in left[150:]}
    expected = {
        "stop word": stop,
        "in fewer than 4 documents": rare,
        "in more than 12 % of documents": common,
        "beyond the 150 most frequent": beyond,
    }
    assert all(expected.values())
    assert list(report.removed)[:4] == list(expected)
    for reason, words in expected.items():
        ranked = sorted(words.items(), key=lambda item: (-item[1], item[0]))
        assert report.removed[reason].total == len(words)
        assert report.removed[reason].words == tuple(ranked[:50])

    kept = set(left[:150])
    lengths = np.array([sum(word in kept for word in words) for words in tokens])
    assert (report.n_read, report.n_docs) == (160, int((lengths >= 6).sum()))
    assert 0 < report.n_docs < 160
    assert report.dropped == {"fewer than 6 words left": int((lengths < 6).sum())}
    assert report.lengths.tolist() == lengths[lengths >= 6].tolist()
    assert report.n_tokens == lengths[lengths >= 6].sum() == corpus.n_tokens
    inside = [words for words, n in zip(tokens, lengths, strict=True) if n >= 6]
    tf_inside = Counter(word for words in inside for word in words if word in kept)
    df_inside = Counter(word for words in inside for word in set(words) if word in kept)
    best = sorted(tf_inside, key=lambda w: (-tf_inside[w], w))[:50]
    assert report.commonest == tuple((w, tf_inside[w], df_inside[w]) for w in best)
    ranks, frequencies = report.zipf
    every = sorted(tf.values(), reverse=True)
    assert len(ranks) <= 400
    assert (ranks[0], ranks[-1]) == (1, len(every))
    assert frequencies.tolist() == [every[rank - 1] for rank in ranks]


def test_dropped_documents_take_their_table_rows_and_lonely_words_with_them():
    source = texts_source("red green blue", "", "  \n", "lonely", "green red red")
    corpus, report = make_corpus(source, TextSettings(**{**ALL, "min_tokens": 2}))
    assert report.dropped == {"no text": 2, "fewer than 2 words left": 1}
    assert corpus.docs.title.tolist() == ["doc 0", "doc 4"]
    assert corpus.docs.text.tolist() == ["red green blue", "green red red"]
    assert corpus.vocab == ("blue", "green", "red")
    assert report.removed["only in documents left out"].words == (("lonely", 1),)


def test_repeated_texts_are_counted_and_the_first_of_each_may_be_kept():
    texts = (" red green\n", "blue", "red green", "", "green red", "red green ", "", "blue blue")
    source = texts_source(*texts)
    corpus, report = make_corpus(source, TextSettings(**ALL))
    assert (report.n_docs, report.n_repeated) == (6, 2), "blank ones repeat nothing"
    assert report.dropped == {"no text": 2}
    corpus, report = make_corpus(source, TextSettings(**ALL, drop_repeated=True))
    assert corpus.docs.title.tolist() == ["doc 0", "doc 1", "doc 4", "doc 7"]
    assert (report.n_docs, report.n_repeated) == (4, 0)
    assert report.dropped == {"no text": 2, "the text of an earlier one": 2}
    two = TextSettings(**{**ALL, "min_tokens": 2}, drop_repeated=True)
    dropped = make_corpus(texts_source("red", "red", "red blue", "red blue"), two)[1].dropped
    assert dropped == {"fewer than 2 words left": 2, "the text of an earlier one": 1}


def test_stop_words_are_cut_as_the_texts_are():
    source = texts_source("I don't like Café noise", "we like noise")
    settings = TextSettings(
        **ALL, stop_words="none", extra_stop_words="don't CAFÉ", strip_accents="unicode"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        corpus, report = make_corpus(source, settings)
    assert corpus.vocab == ("like", "noise")
    assert report.removed["stop word"].words == (("cafe", 1), ("don", 1))


def test_counts_keep_their_vocabulary_unless_told_otherwise():
    counts = sparse.csr_matrix(np.array([[2, 0, 1, 0], [0, 0, 0, 0], [0, 0, 3, 1]], np.int32))
    source = Source("c.mtx", "mtx", None, counts, ("the", "mist", "sea", "hill"))
    corpus, report = make_corpus(source)
    assert corpus.vocab == ("the", "mist", "sea", "hill")
    assert report.dropped == {"no text": 1}
    assert np.array_equal(corpus.to_csr().toarray(), counts.toarray()[[0, 2]])
    assert report.removed == {}
    settings = TextSettings(**{**ALL, "min_df": 2}, stop_words="english")
    corpus, report = make_corpus(source, settings)
    assert corpus.vocab == ("sea",)
    assert report.removed["stop word"].words == (("the", 1),)
    assert report.removed["in fewer than 2 documents"].words == (("hill", 1), ("mist", 0))
    assert source.counts.shape == (3, 4)
    frequent = sparse.csr_matrix(np.array([[5, 0, 1], [4, 2, 3]], np.int32))
    source = Source("c.mtx", "mtx", None, frequent, ("the", "sea", "hill"))
    report = make_corpus(source, settings)[1]
    assert [points.tolist() for points in report.zipf] == [[1, 2, 3], [9, 4, 2]], "the, hill, sea"


@pytest.mark.parametrize(
    ("n_docs", "expected"),
    [
        (1, TextSettings(min_df=1, max_df=1.0, min_tokens=1)),
        (99, TextSettings(min_df=1, max_df=1.0, min_tokens=1)),
        (100, TextSettings(min_df=2)),
        (999, TextSettings(min_df=2)),
        (1000, TextSettings(min_df=5, max_df=0.5, min_tokens=5, stop_words="english")),
    ],
)
def test_defaults_follow_the_size_of_the_source(n_docs, expected):
    assert default_settings(texts_source(*["a b"] * n_docs)) == expected
    counts = Source("c", "mtx", None, sparse.csr_matrix(np.ones((n_docs, 1), np.int32)), ("the",))
    kept = TextSettings(stop_words="none", min_df=0.0, max_df=1.0, max_features=0, min_tokens=1)
    assert default_settings(counts) == kept, "of counts nothing is left out"


def test_a_column_of_numbers_is_named_as_the_wrong_column():
    source = read("d.csv", b"year,text\n1990,sea and hill\n1991,rock\n")
    assert make_corpus(source)[0].n_docs == 2
    wrong = Source("d.csv", "csv", ("1990", "1991"), chosen={"text": "year"})
    with pytest.raises(CorpusError, match=r"d\.csv, column 'year'.*choose another text column"):
        make_corpus(wrong)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"token_pattern": "(["}, r"no regular expression: .*; correct it"),
        ({"token_pattern": r"\w*"}, "matches the empty word"),
        ({"token_pattern": r"(\w)(\w)"}, "2 groups"),
        ({"token_pattern": "x" * 501}, "500 characters at most; got 501"),
        ({"token_pattern": 3}, "must be words"),
        ({"ngram_min": 3}, "ngram_min is 3 but ngram_max is 1"),
        ({"min_df": 0}, "whole number from 1 or a share from 0.0 to 1.0; got 0"),
        ({"max_df": 1.5}, "got 1.5"),
        ({"min_df": float("nan")}, "got nan"),
        ({"stop_words": "klingon"}, "must be one of english, language, none"),
        ({"max_features": 2.5}, "whole number"),
    ],
)
def test_bad_settings_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        TextSettings(**change)


def test_shares_and_numbers_of_documents_stay_apart():
    assert TextSettings(min_df="3").min_df == 3
    assert isinstance(TextSettings(min_df=1).min_df, int)
    assert isinstance(TextSettings(min_df=1.0).min_df, float)
    assert TextSettings(max_df="0.25").max_df == 0.25
    assert TextSettings(max_df=np.int64(7)).max_df == 7


def test_every_setting_has_a_help():
    names = [name for name, _, about in knobs_of(TextSettings) if about.help.endswith(".")]
    assert len(names) >= 10
    assert {"lowercase", "strip_accents", "token_pattern", "stop_words"} <= set(names)


@pytest.mark.second
def test_own_patterns_work_and_explosive_ones_are_refused():
    source = texts_source("route 66 and x-ray", "66 x-ray " + "a" * 60)
    pattern = r"[\w-]+"
    corpus, _ = make_corpus(source, TextSettings(**ALL, token_pattern=pattern))
    assert {"66", "x-ray"} <= set(corpus.vocab)
    with pytest.raises(ValueError, match="takes far too long"):
        make_corpus(source, TextSettings(**ALL, token_pattern=r"(?:q+)+z"))


@pytest.mark.second
@pytest.mark.parametrize(
    "depth", ["(?:(?:(?:a?){9999}){9999}){9999}", "(?:(?:(?:|a){999}){999}){999}"]
)
def test_a_pattern_that_never_ends_on_the_empty_word_is_refused_in_time(depth, monkeypatch):
    """Asking whether it matches nothing held the whole server."""
    monkeypatch.setattr(pattern, "SECONDS", 1)
    refusal = pytest.raises(ValueError, match="takes far too long")
    with at_most(1.0), children_at_most(3.0), refusal:
        TextSettings(token_pattern=depth)


def test_a_pattern_that_took_too_long_once_is_tried_again(monkeypatch):
    """A machine that was busy for seconds must not make it wrong until the program ends."""
    wanted = r"[a-z]{2,9}"
    monkeypatch.setattr(pattern, "PATIENCE", 1e-3)
    with pytest.raises(ValueError, match="takes far too long"):
        TextSettings(token_pattern=wanted)
    with pytest.raises(ValueError, match="takes far too long"):
        pattern.check_pattern_speed(wanted, "some text")
    monkeypatch.setattr(pattern, "PATIENCE", NEVER)
    assert TextSettings(token_pattern=wanted).token_pattern == wanted
    pattern.check_pattern_speed(wanted, "some text")


@pytest.mark.skipif(not Path("/bin/true").exists(), reason="a program that answers nothing")
@pytest.mark.parametrize("executable", ["/nowhere/python", "/bin/true"])
def test_a_pattern_that_cannot_be_tried_is_refused_in_a_sentence(monkeypatch, executable):
    monkeypatch.setattr(pattern.sys, "executable", executable)
    with pytest.raises(ValueError, match="no other interpreter can be started; restart"):
        TextSettings(token_pattern=r"[b-y]{3,5}")
