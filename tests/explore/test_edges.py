"""Limits and edges of documents, words and passages: at, below and above; one, none and many."""

from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.corpus import Corpus
from bnpexplorer.corpus.corpus import CorpusError, DocTable
from bnpexplorer.corpus.text import TextSettings
from bnpexplorer.corpus.words.occurrences import Occurrence
from bnpexplorer.explore import documents, in_context, passages, words
from bnpexplorer.explore.changed_words import ChangedWords, changed_words
from bnpexplorer.explore.choosing import Filter, between
from bnpexplorer.explore.documents import facts_of, search, snippet_of, title_of, usual_minimum
from bnpexplorer.explore.over_documents import side_by_side, word_trend
from bnpexplorer.explore.periods import Labelled, day_in_words, suitable_period, with_label
from tests.tools.moments import made

NB = "\u00a0"


# ---- documents -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lengths", "least"), [([1], 1), ([2, 2], 1), ([6, 10, 14], 5), ([1, 1, 90], 1), ([7, 10], 4)]
)
def test_half_the_usual_length_is_the_least(lengths, least):
    assert usual_minimum(np.array(lengths)) == least


def test_what_a_list_calls_a_document_and_its_facts_are_its_own():
    docs = DocTable(
        title=np.array(["First", None, " ", ""], object),
        text=np.array(["a b", "words  of\nits own", "", None], object),
        id=np.array(["x1", "x2", "x3", ""], object),
        label=np.array(["sea", "", None, "land"], object),
        date=np.array(["2001-02-03", "NaT", "1999-12-31", "NaT"], "datetime64[D]"),
    )
    corpus = Corpus.from_csr(np.array([[2, 1], [1, 3], [4, 4], [1, 0]]), ("b", "a"), docs)
    assert [title_of(corpus, row) for row in range(4)] == [
        "First", "words of its own", "x3", "document 4",
    ]  # fmt: skip
    assert [facts_of(corpus, row) for row in range(4)] == [
        ["2001-02-03", "sea", "x1"], ["x2"], ["1999-12-31", "x3"], ["land"],
    ]  # fmt: skip
    assert [snippet_of(corpus, row) for row in (1, 2, 3)] == ["", "b, a", "b"]
    many = Corpus.from_csr(np.arange(1, 11)[None], tuple("abcdefghij"))
    assert snippet_of(many, 0) == "j, i, h, g, f, e, d, c"


def test_a_search_puts_titles_first_and_then_what_uses_the_words_most_for_its_length():
    docs = DocTable(id=np.array(["b", "tax-1", "c", "d"], object))
    corpus = Corpus.from_csr(np.array([[1, 1], [0, 9], [2, 8], [3, 1]]), ("tax", "war"), docs)
    assert search(corpus, [0], "TAX").tolist() == [1, 3, 0, 2]
    assert search(corpus, [0, 1], "nobody").tolist() == [0, 2, 3], "of equal ones the first"


@pytest.mark.parametrize(
    ("since", "until", "rows"),
    [
        ("2001-02-03", "2001-02-03", [0]),
        ("2001-02-04", "", [2]),
        ("", "2001-02-03", [0]),
        ("", "2001-02-02", []),
        ("2001-02-03", "2002-01-01", [0, 2]),
        ("", "", [0, 2]),
    ],
)
def test_both_days_of_a_range_belong_to_it(since, until, rows):
    dates = np.array(["2001-02-03", "NaT", "2002-01-01"], "datetime64[D]")
    assert np.flatnonzero(between(dates, 3, since, until)).tolist() == rows
    assert not between(None, 3, since, until).any()


def test_a_range_of_days_in_words_and_no_condition_asks_for_nothing():
    assert Filter(since="2014-03-01").period == "since 1 March 2014"
    assert Filter().period == ""
    assert not Filter()
    assert Filter(topic=0), "the topic of identity 0 is a condition"
    assert day_in_words("2014-12-31") == "31 December 2014"
    assert day_in_words("2014-01-09") == "9 January 2014"


def test_documents_of_labels_or_of_none():
    label = np.array(["a", " b ", None, "", 3], object)
    assert with_label(label, 5, ("b", "3")).tolist() == [False, True, False, False, True]
    assert with_label(label, 5, ("",)).tolist() == [False, False, True, True, False]
    assert with_label(None, 2, ("",)).tolist() == [True, True]
    assert with_label(None, 2, ("a",)).tolist() == [False, False]


def test_all_others_have_a_name_that_no_label_has():
    n = np.array([3, 2, 2, 1])
    found = Labelled(("a", "all others", "b", "c"), np.array([0, 1, 2, 3, -1]), n).folded(2)
    assert found.names == ("a", "all others", "all others than these")
    assert found.n_docs.tolist() == [3, 2, 3]
    assert found.codes.tolist() == [0, 1, 2, 2, -1]
    same = Labelled(("a", "b", "c"), np.array([0, 1, 2]), n[:3])
    assert same.folded(2) is same


@pytest.mark.parametrize(("n_days", "period"), [(80, "day"), (81, "month")])
def test_no_more_periods_than_can_be_read(n_days, period):
    assert suitable_period(np.datetime64("2001-01-01") + np.arange(n_days)) == period
    ages = np.array(["0001-01-01", "9999-01-01"], "datetime64[D]")
    assert suitable_period(ages) == "50 years"
    assert suitable_period(np.array(["NaT"], "M8[D]")) == "50 years", "no date is known"


# ---- words ---------------------------------------------------------------------------------------


def test_the_trend_of_a_word_needs_dates():
    with pytest.raises(ValueError, match="No document has a date"):
        word_trend(Corpus.from_csr(np.ones((2, 2), int)), 0, "year", True)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_one_or_two_topics_stand_as_they_are(n):
    assert side_by_side(np.eye(n)).tolist() == list(range(n))


def test_a_word_is_compared_where_five_texts_use_it_on_the_side_where_it_is_commoner():
    rng = np.random.default_rng(0)
    base = rng.integers(5, 30, (40, 2))
    before = np.arange(40) < 20
    for n_texts, compared in ((4, 2), (5, 3)):
        x = np.hstack([base, np.zeros((40, 1), int)])
        x[20 : 20 + n_texts, 2] = 3
        x[:9, 2] = 0
        found = changed_words(Corpus.from_csr(x), before, ~before)
        assert found.n_compared == compared
        assert (found.z[2] > 0) == (compared == 3)
    with pytest.raises(ValueError, match="stands on both sides"):
        changed_words(Corpus.from_csr(base), before, before)


def test_words_that_differ_less_than_by_chance_count_as_drawn_singly():
    """Every text of a side has the same shares of words, and no two have as many."""
    n = np.arange(10, 17)[:, None]
    x = np.vstack([n * [1, 2], n * [3, 1]])
    found = changed_words(Corpus.from_csr(x), np.arange(14) < 7, np.arange(14) >= 7)
    a, b = 91 * np.array([1.0, 2.0]), 91 * np.array([3.0, 1.0])
    prior = 0.25 * 273  # of the smaller side
    alpha = prior * (a + b) / (273 + 364)
    odds = [np.log((y + alpha) / (y.sum() + prior - y - alpha)) for y in (a, b)]
    z = (odds[1] - odds[0]) / np.sqrt(1 / (a + alpha) + 1 / (b + alpha))
    np.testing.assert_allclose(found.z, z, rtol=1e-9)


def test_no_more_words_rise_or_fall_than_asked_for_and_none_that_did_not():
    z = np.array([0.0, 3.0, -1.0, 2.0, -5.0])
    ones = np.ones(5, int)
    found = ChangedWords(ones, ones, ones, ones, 5, 5, z, z, 2.0, 5)
    assert found.risen(1).tolist() == [1]
    assert found.risen(9).tolist() == [1, 3]
    assert found.fallen(9).tolist() == [4, 2]
    assert found.sure.tolist() == [False, True, False, False, True], "beyond, not at"


def test_a_word_s_own_hit_keeps_what_stands_around_it():
    text = "a" * 70 + " war " + "b" * 70
    hit = in_context.hit_at(text, 3, 71, 74)
    assert (hit.row, hit.start, hit.stop, hit.word) == (3, 71, 74, "war")
    assert hit.left == "a" * 59 + " "
    assert hit.right == " " + "b" * 59
    spaced = in_context.hit_at("one\n two  war\tthree four", 0, 10, 13)
    assert (spaced.left, spaced.right) == ("one two ", " three four")
    just = in_context.hit_at("bb " * 20 + "cold\n war" + " bb" * 20, 0, 60, 69)
    assert (just.left, just.word, just.right) == ("bb " * 20, "cold war", " bb" * 20)
    close = in_context.hit_at("(war)", 0, 1, 4)
    assert (close.left, close.right) == ("(", ")")


def test_what_is_looked_for_is_cut_at_its_longest():
    long = "a" * (in_context.LONGEST + 5)
    pattern = in_context.pattern_of(long)
    assert in_context.places("a" * in_context.LONGEST, pattern) == [(0, in_context.LONGEST)]
    assert in_context.concordance(np.array(["a"], object), [0], " ") == in_context.Hits((), 0, True)


def test_words_found_are_the_shortest_first_and_limited():
    vocab = ["taxes", "tax", "taxi", "syntax", "Tàx", "taxa"]
    assert words.find_words(vocab, "tax", 4) == [1, 4, 5, 2]
    assert words.find_words(vocab, "TÀX") == [1, 4, 5, 2, 0, 3]


@pytest.mark.parametrize("weight", [-0.01, 1.01])
def test_a_weight_of_relevance_lies_between_0_and_1(weight):
    with pytest.raises(ValueError, match=f"between 0 and 1; got {weight}"):
        words.relevance(np.ones(2), np.ones(2), weight)


# ---- passages ------------------------------------------------------------------------------------


def test_best_documents_are_filled_up_with_short_ones_by_their_share():
    """Short are those of less than 4 words, half the median; the third has just as many."""
    moment = made({1: 5.0, 2: 5.0})
    counts = np.array([[12, 0, 0], [1, 0, 0], [3, 1, 0], [2, 0, 0], [9, 9, 0], [0, 13, 0]])
    moment = replace(moment, corpus=Corpus.from_csr(counts, moment.vocab))
    first = np.array([0.2, 0.9, 0.5, 0.95, 0.1, 0.99], np.float32)
    shares = np.column_stack([first, 1 - first])
    rows = np.array([True, True, True, True, False, False])
    assert passages.best_rows(moment, shares, 1, rows, 2).tolist() == [2, 0]
    assert passages.best_rows(moment, shares, 1, rows, 3).tolist() == [2, 0, 3]
    assert passages.best_rows(moment, shares, 1, rows, 9).tolist() == [2, 0, 3, 1]
    assert passages.best_rows(moment, shares, 2, rows, 1).tolist() == [0]


def test_a_passage_is_cut_at_its_letters_and_a_text_that_cannot_be_cut_gives_its_beginning(
    monkeypatch,
):
    moment, settings = made({1: 5.0, 2: 5.0}), TextSettings(min_df=1)
    text = "x" * 400 + "\n " + "y" * 400
    docs = DocTable(text=np.array([text, " ", None, "z" * passages.LETTERS], object))
    corpus = Corpus.from_csr(np.ones((4, 3), int), moment.vocab, docs)

    def none(*_):
        return type("Found", (), {"occurrences": ()})

    monkeypatch.setattr(passages, "find_words", none)
    monkeypatch.setattr(passages, "index_of", lambda *_: None)
    cut = passages.passage_of(moment, corpus, settings, 1, 0)
    assert cut == "x" * 400 + " " + "y" * (passages.LETTERS - 402) + "…"
    assert len(cut) == passages.LETTERS
    assert passages.passage_of(moment, corpus, settings, 1, 3) == "z" * passages.LETTERS
    assert [passages.passage_of(moment, corpus, settings, 1, row) for row in (1, 2)] == ["", ""]
    assert passages.passage_of(moment, corpus, None, 1, 0) == ""

    def stuck(*_):
        raise CorpusError("no end")

    monkeypatch.setattr(passages, "find_words", stuck)
    assert passages.passage_of(moment, corpus, settings, 1, 0) == f"{'x' * 400} {'y' * 98}"


def test_a_passage_holds_no_more_words_than_asked_for_unless_one_sentence_does():
    text = "War a b. War c d. Five six seven eight nine ten war."
    found = [i for i in range(len(text)) if text[i : i + 3].lower() == "war"]
    places = tuple(Occurrence(i, i + 3, 0) for i in found)
    for n, said in ((5, "War a b."), (6, "War a b. War c d."), (12, "War a b. War c d.")):
        start, stop = passages.best_passage(text, places, np.array([1.0]), n)
        assert text[start:stop] == said
    assert passages.best_passage(text, places[2:], np.array([1.0]), 3) == (18, len(text))


def test_uses_of_a_word_are_counted_through_all_parts_of_a_corpus(monkeypatch):
    monkeypatch.setattr(documents, "CHUNK_DOCS", 2)
    counts = np.array([[1, 0], [0, 3], [1, 0], [2, 5], [0, 7]])
    rows, often = documents.uses_of(Corpus.from_csr(counts, ["a", "b"]), 1)
    assert rows.tolist() == [1, 3, 4]
    assert often.tolist() == [3, 5, 7]
