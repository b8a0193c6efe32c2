"""What a report says of texts and words left out, and what is kept at each limit."""

import numpy as np
import pytest
from scipy import sparse

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers.source import Source
from bnpexplorer.corpus.text import make_corpus
from bnpexplorer.corpus.words import counting
from bnpexplorer.corpus.words.settings import TextSettings

ALL = {"min_df": 1, "max_df": 1.0, "max_features": 0, "min_tokens": 1}


def texts_source(*texts: str) -> Source:
    return Source("some.txt", "text", texts)


def test_a_report_says_how_many_documents_are_left_out_and_repeated_and_why():
    texts = ("red sea", "red sea", "", "hill", "red sea", " ", "blue hill", "blue hill")
    for drop, left_out, repeated in (
        (
            False,
            "3 of 8 documents (2 had no text; 1 had fewer than 2 words left)",
            "3 documents have the text of an earlier one",
        ),
        (
            True,
            "6 of 8 documents (2 had no text; 1 had fewer than 2 words left; 3 had the text of an "
            "earlier one)",
            "",
        ),
    ):
        settings = TextSettings(**{**ALL, "min_tokens": 2}, drop_repeated=drop)
        _, report = make_corpus(texts_source(*texts), settings)
        assert (report.left_out, report.repeated) == (left_out, repeated)
    whole = make_corpus(texts_source("red", "blue red", "red"), TextSettings(**ALL))[1]
    assert (whole.left_out, whole.repeated) == ("", "1 document has the text of an earlier one")
    lost = make_corpus(texts_source("red", "and"), TextSettings(**ALL))[1]
    assert lost.left_out == "1 of 2 documents (1 had no word left)"
    assert lost.repeated == ""


@pytest.mark.parametrize(
    ("texts", "settings", "message"),
    [
        (
            ("the and of", "of the"),
            {**ALL, "max_df": 7},
            "some.txt: no word is left of 2 documents; lower min_df (now 1), raise max_df (now 7), "
            "check stop words and token pattern, or choose another text column.",
        ),
        (
            ("sea hill", "rock", "sand"),
            {**ALL, "min_df": 2, "max_df": 0.9},
            "some.txt: no word is left of 3 documents; lower min_df (now 2), raise max_df (now "
            "0.9), check stop words and token pattern, or choose another text column.",
        ),
        (
            ("sea hill", "rock"),
            {**ALL, "min_tokens": 3},
            "some.txt: every document has fewer than 3 words left; lower min_tokens, keep more "
            "words, or choose another text column.",
        ),
        (
            ("sea hill", "sea hill"),
            {**ALL, "max_df": 0.5},
            "some.txt: all 2 documents are the same text, by which no topics can differ; choose "
            "another text column, or load other texts.",
        ),
    ],
)
def test_nothing_left_is_explained(texts, settings, message):
    with pytest.raises(CorpusError) as said:
        make_corpus(texts_source(*texts), TextSettings(**settings))
    assert str(said.value) == message


@pytest.mark.parametrize(
    ("limits", "kept"),
    [
        ({"min_df": 2}, "two three four"),
        ({"min_df": 0.5}, "two three four"),
        ({"min_df": 0.51}, "three four"),
        ({"max_df": 2}, "one two"),
        ({"max_df": 0.5}, "one two"),
        ({"max_df": 0.49}, "one"),
        ({"min_tokens": 3, "stop_words": "none"}, "two three four one"),
        ({"max_features": 3, "stop_words": "none"}, "two three four"),
    ],
)
def test_a_limit_itself_is_kept(limits, kept):
    """Of four documents 'one' is in one of them, 'two' in two, and so on."""
    texts = ("four", "four three", "four three two", "four three two one")
    settings = TextSettings(**{**ALL, "stop_words": "none", **limits})
    corpus, report = make_corpus(texts_source(*texts), settings)
    assert set(corpus.vocab) == set(kept.split())
    if "min_tokens" in limits:
        assert (report.n_docs, report.dropped) == (2, {"fewer than 3 words left": 2})


def test_words_left_out_are_told_with_how_often_they_occur():
    """Occurrences and documents differ for each of them."""
    texts = ("rare rare rare sea sea", "sea hill", "sea hill hill mid mid", "sea mid the the")
    settings = TextSettings(**{**ALL, "min_df": 2, "max_df": 0.75, "max_features": 1})
    removed = make_corpus(texts_source(*texts), settings)[1].removed
    found = {why: (one.total, one.words, one.tokens) for why, one in removed.items()}
    assert found == {
        "stop word": (1, (("the", 1),), 0),
        "in fewer than 2 documents": (1, (("rare", 1),), 3),
        "in more than 75 % of documents": (1, (("sea", 4),), 5),
        "beyond the 1 most frequent": (1, (("mid", 2),), 3),
    }
    matrix = sparse.csr_matrix(np.array([[1, 1], [1, 0], [0, 0], [0, 0]], np.int32))
    both = counting.prune(counting.Counted(matrix, np.array(["two", "one"], object)), 3, 1, 0)[1]
    assert {why: one.words for why, one in both.items()} == {
        "in fewer than 3 documents": (("two", 2), ("one", 1))
    }, "where both limits hold, the first is told"
    names = [counting.in_fewer_than(1), counting.in_more_than(2000), counting.beyond_the(20_000)]
    assert names == [
        "in fewer than 1 document",
        "in more than 2,000 documents",
        "beyond the 20,000 most frequent",
    ]
    assert counting.in_fewer_than(0.015) == "in fewer than 1.5 % of documents"
