"""Documents by label, date, word and topic; words in context and in company; passages."""

import unicodedata
from dataclasses import replace
from math import log

import numpy as np
import pytest
from scipy.stats import chi2

from bnpexplorer.corpus import Corpus
from bnpexplorer.corpus.corpus import DocTable
from bnpexplorer.corpus.readers.source import strings
from bnpexplorer.corpus.text import TextSettings
from bnpexplorer.corpus.words.occurrences import Occurrence
from bnpexplorer.explore import in_context, passages, periods
from bnpexplorer.explore.choosing import Filter, chosen, day_of, picked
from bnpexplorer.explore.over_documents import word_trend
from bnpexplorer.export.tables import chosen_table
from tests.tools.moments import made

WORDS = ("tax", "war", "peace")
COUNTS = np.array([[2, 0, 1], [0, 3, 0], [1, 1, 1], [0, 0, 4], [5, 0, 0]])
DATES = np.array(["2014-09-30", "2014-10-01", "NaT", "2014-10-31", "2014-11-01"], "datetime64[D]")
LABELS = np.array(["Whig", " Whig ", None, "Tory", ""], object)
SHARE = np.array([[0.1, 0.9], [0.2, 0.8], [0.55, 0.45], [0.6, 0.4], [1.0, 0.0]], np.float32)
TEXTS = np.array(["=tax tax, peace", "war", "tax war peace", "peace!", "tax"], object)
CORPUS = Corpus.from_csr(COUNTS, WORDS, DocTable(label=LABELS, date=DATES, text=TEXTS))


# ---- filters -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        (Filter(), [0, 1, 2, 3, 4]),
        (Filter(labels=("Whig",)), [0, 1]),
        (Filter(labels=("Whig", "Tory")), [0, 1, 3]),
        (Filter(but=("Whig",)), [3]),
        (Filter(since="2014-10-01", until="2014-10-31"), [1, 3]),
        (Filter(since="2014-10-31"), [3, 4]),
        (Filter(words=("tax",)), [0, 2, 4]),
        (Filter(words=("tax", "peace")), [0, 2]),
        (Filter(words=("nowhere",)), []),
        (Filter(topic=7, least=0.6), [3, 4]),
        (Filter(labels=("Tory",), since="2014-10-01", words=("peace",), topic=7), [3]),
        (Filter(picked=picked(np.array([0, 2, 3]), 5)), [0, 2, 3]),
        (Filter(labels=("Whig", "Tory"), picked=picked(np.array([0, 2, 3]), 5)), [0, 3]),
    ],
)
def test_conditions_hold_together(asked, rows):
    assert np.flatnonzero(chosen(CORPUS, asked, SHARE, [0])).tolist() == rows
    assert bool(asked) == (asked != Filter())


def test_columns_of_a_group_are_added_and_missing_columns_let_nothing_pass():
    asked = Filter(topic=7, least=0.99)
    assert chosen(CORPUS, asked, SHARE, [0, 1]).all()
    assert not chosen(CORPUS, asked, SHARE, []).any()
    assert chosen(CORPUS, asked, None, [0]).all(), "nobody has read the documents yet"
    bare = Corpus.from_csr(COUNTS, WORDS)
    for one in (Filter(labels=("Whig",)), Filter(but=("Whig",)), Filter(since="2014-01-01")):
        assert not chosen(bare, one, None, []).any()


def test_filters_in_words_and_days_of_addresses():
    assert (
        Filter(since="2014-10-01", until="2014-10-31").period == "1 October 2014 to 31 October 2014"
    )
    assert Filter(since="2014-10-01", until="2014-10-01").period == "1 October 2014"
    assert Filter(until="2014-10-01").period == "until 1 October 2014"
    asked = Filter(("Whig",), since="2014-10-01", topic=3, least=0.5)
    assert asked.without("labels") == Filter(since="2014-10-01", topic=3, least=0.5)
    assert [day_of(x) for x in (" 2014-10-01 ", "<b>", "", "2014-13-01", "NaT")] == [
        "2014-10-01"
    ] + [""] * 4


def test_documents_chosen_leave_with_their_texts_and_shares():
    found = chosen_table(CORPUS, np.array([4, 0]), SHARE, {1: "topic 9: war", 0: "topic 2"})
    assert found["document"].tolist() == [5, 1]
    assert found["text"].tolist() == ["tax", "=tax tax, peace"]
    assert found["date"].tolist() == ["2014-11-01", "2014-09-30"]
    assert found["topic 9: war"].tolist() == [0.0, 0.9]
    assert list(found.columns)[-2:] == ["topic 9: war", "topic 2"]
    assert "topic 2" not in chosen_table(CORPUS, np.array([2]), None, {0: "topic 2"})


# ---- labels --------------------------------------------------------------------------------------


def test_labels_come_largest_first_and_small_ones_are_folded():
    found = periods.labelled(LABELS, 5)
    assert (found.names, found.n_docs.tolist()) == (("Whig", "Tory"), [2, 1])
    assert found.codes.tolist() == [0, 0, -1, 1, -1]
    assert found.n_unlabelled == 2
    many = periods.labelled(np.array([*"aaabbbccdde", None], object), 12)
    folded = many.folded(2)
    assert (folded.names, folded.n_docs.tolist()) == (("a", "b", "all others"), [3, 3, 5])
    assert folded.codes.tolist() == [0] * 3 + [1] * 3 + [2] * 5 + [-1]
    assert many.folded(4) is many, "one that is left needs no other name"
    assert periods.labelled(np.array(["x", "x", None], object), 3) is None
    assert periods.labelled(None, 3) is None


# ---- words in context ----------------------------------------------------------------------------

NFD = unicodedata.normalize("NFD", "Café")


@pytest.mark.parametrize(
    ("text", "asked", "found"),
    [
        ("The War, the WAR; wars.", "war", ["War", "WAR"]),
        ("Die Straße und STRASSE", "strasse", ["Straße", "STRASSE"]),
        (f"Un {NFD}, un Café", "cafe", [NFD, "Café"]),
        ("peace  of\nmind, peace of mine", "Peace of mind", ["peace  of\nmind"]),
        ("C++ and C, C++11", "c++", ["C++", "C++"]),
        ("ASP.net", ".NET", [".net"]),
        ("a_x _x _X1", "_x", ["_x"]),
        ("x_ x_1", "x_", ["x_"]),
        ("ﬁnal Ⅳ", "final", ["ﬁnal"]),
        ("İstanbul istanbul", "istanbul", ["İstanbul", "istanbul"]),
        ("a.b axb", "a.b", ["a.b"]),
        ("nothing", "   ", []),
    ],
)
def test_words_are_found_whatever_their_case_accents_and_form(text, asked, found):
    pattern = in_context.pattern_of(asked)
    places = in_context.places(text, pattern) if pattern else []
    assert [text[a:b] for a, b in places] == found


def test_hits_have_their_context_and_are_sorted_by_either_side():
    texts = np.array(["old tax law", "a new tax rate. Tax", None, "no"], object)
    found = in_context.concordance(texts, [0, 1, 2, 3], "tax")
    assert [(h.row, h.left, h.word, h.right) for h in found.hits] == [
        (0, "old ", "tax", " law"),
        (1, "a new ", "tax", " rate. Tax"),
        (1, "a new tax rate. ", "Tax", ""),
    ]
    assert (found.n_docs, found.complete) == (2, True)
    by_left = [h.left.split()[-1] for h in in_context.sorted_hits(found.hits, "left")]
    assert by_left == ["new", "old", "rate."]
    assert next(h.right for h in in_context.sorted_hits(found.hits, "right")) == ""
    others = np.array(["Zeta old tax Zoo", "an alpha Old tax bee", "a new TAX"], object)
    hits = in_context.concordance(others, [2, 0, 1], "tax").hits
    assert [h.row for h in in_context.sorted_hits(hits, "text")] == [2, 0, 1]
    assert [h.row for h in in_context.sorted_hits(hits, "left")] == [2, 1, 0], "in no case"
    assert [h.row for h in in_context.sorted_hits(hits, "right")] == [2, 1, 0]
    twice = in_context.concordance(texts, [1, 0, 1], "tax").hits
    assert [h.row for h in in_context.without_copies(twice)] == [1, 1, 0]
    few = in_context.concordance(texts, [0, 1], "tax", most=2)
    assert (len(few.hits), few.complete) == (2, False)
    assert in_context.concordance(texts, [0, 1, 2, 3], "tax", most=3) == found, "just as many"
    long = in_context.hit_at("period " * 100 + "tax" + " period" * 100, 0, 700, 703)
    assert (long.left, long.right) == ("period " * 8, " period" * 8), "60 letters, whole words"


# ---- in company ----------------------------------------------------------------------------------


def test_companions_are_those_of_a_slow_twin(monkeypatch):
    rng = np.random.default_rng(4)
    x = rng.poisson(0.5, (80, 12))
    x[:, 1] = x[:, 0] * (rng.random(80) < 0.8)
    x[:, 11] += 1
    for word, n_docs in ((9, in_context.FEWEST - 1), (10, in_context.FEWEST)):
        x[:, word] = 0
        x[np.flatnonzero(x[:, 0])[:n_docs], word] = 1
    monkeypatch.setattr(Corpus, "units", None)
    found = in_context.companions(Corpus.from_csr(x), 0, 50)
    twin = {}
    for w in range(1, 12):
        both, alone = np.sum((x[:, 0] > 0) & (x[:, w] > 0)), np.sum(x[:, w] > 0)
        mine, n = np.sum(x[:, 0] > 0), 80
        if both < 3 or both * n <= alone * mine:
            continue
        ratio = 0.0
        for a in (True, False):
            for b in (True, False):
                seen = np.sum(((x[:, 0] > 0) == a) & ((x[:, w] > 0) == b))
                expected = np.sum((x[:, 0] > 0) == a) * np.sum((x[:, w] > 0) == b) / n
                ratio += 2 * seen * log(seen / expected) if seen else 0.0
        twin[w] = (ratio, log(both * n / (alone * mine)) / -log(both / n))
    assert found.words.tolist() == sorted(twin, key=lambda w: -twin[w][0])
    np.testing.assert_allclose(found.likelihood, [twin[w][0] for w in found.words])
    np.testing.assert_allclose(found.npmi, [twin[w][1] for w in found.words])
    few = in_context.companions(Corpus.from_csr(x), 0, 2)
    assert few.words.tolist() == found.words[:2].tolist()
    assert few.both.tolist() == [np.sum((x[:, 0] > 0) & (x[:, w] > 0)) for w in few.words]
    assert few.alone.tolist() == [np.sum(x[:, w] > 0) for w in few.words]
    monkeypatch.setattr(in_context, "CHUNK_DOCS", 7)
    assert in_context.companions(Corpus.from_csr(x), 0, 50).both.tolist() == found.both.tolist()
    assert found.words[0] == 1
    assert 9 not in found.words, "one document fewer than it takes"
    assert 10 in found.words
    assert 11 not in found.words, "a word of all documents keeps nobody company"
    assert found.n_compared == sum(np.sum((x[:, 0] > 0) & (x[:, w] > 0)) >= 3 for w in range(1, 12))
    assert found.least == pytest.approx(chi2.isf(0.05 / found.n_compared, 1))


def test_copies_and_passages_make_no_companion_surer():
    """Each of 30 texts stands there ten times: its passages count as much as it does alone."""
    x = np.random.default_rng(2).poisson(0.6, (30, 8)) + np.eye(30, 8, dtype=int)
    x[:, 7] += 1 + np.arange(30)  # no two texts are alike
    x[:, 1:3] += x[:, :1]
    once, copies = (
        in_context.companions(Corpus.from_csr(np.repeat(x, n, axis=0)), 0, 8) for n in (1, 10)
    )
    assert len(once.words) > 1
    assert copies.words.tolist() == once.words.tolist()
    np.testing.assert_allclose(copies.likelihood, once.likelihood)
    np.testing.assert_allclose(copies.npmi, once.npmi)
    assert copies.n_compared == once.n_compared
    assert copies.both.tolist() == (10 * once.both).tolist()
    alone = np.zeros((40, 3), int)
    alone[:, 2] = 1 + np.arange(40)
    alone[0, :2] = alone[9, :2] = 1
    rows = np.append(np.arange(40), [9] * 6)  # seven copies hold both, of two texts
    assert len(in_context.companions(Corpus.from_csr(alone[rows]), 0, 8).words) == 0


@pytest.mark.parametrize("of_words", [False, True])
def test_the_trend_of_a_word_is_its_share_of_documents_or_of_words(of_words):
    found = word_trend(CORPUS, 0, "month", of_words)
    assert found.n_docs.tolist() == [1, 2, 1]
    wanted = [2 / 3, 0 / 7, 1.0] if of_words else [1.0, 0.0, 1.0]
    np.testing.assert_allclose(found.share[:, 0], wanted)
    low, high = found.means.interval()
    assert np.all(high - low > 0.1)


@pytest.mark.parametrize("of_words", [False, True])
def test_the_trend_weighs_long_texts_only_where_words_count(of_words, monkeypatch):
    counts = np.array([[1, 1], [0, 8], [6, 2], [0, 3], [1, 9]])
    days = np.array(["2014-01-01", "2014-01-31", "2014-01-02", "2014-02-01", "2014-02-03"], "M8[D]")
    corpus = Corpus.from_csr(counts, ("tax", "war"), DocTable(date=days))
    found = word_trend(corpus, 0, "month", of_words)
    wanted = [7 / 18, 1 / 13] if of_words else [2 / 3, 1 / 2]
    np.testing.assert_allclose(found.share[:, 0], wanted)
    monkeypatch.setattr(Corpus, "units", np.array([0, 1, 0, 2, 2]))
    found = word_trend(replace(corpus), 0, "month", of_words)
    np.testing.assert_allclose(found.share[:, 0], wanted)
    assert found.means.n_units.tolist() == [2, 1], "passages of one text are one"


# ---- passages ------------------------------------------------------------------------------------


def test_the_passage_that_speaks_most_is_whole_sentences():
    text = "One two three. War war war! Four five.\n\nPeace at last. Six seven eight nine."
    words = tuple(
        Occurrence(i, i + 3, 0) for i in range(len(text)) if text[i : i + 3].lower() == "war"
    )
    start, stop = passages.best_passage(text, words, np.array([1.0]), 3)
    assert text[start:stop] == "War war war!"
    start, stop = passages.best_passage(text, words, np.array([1.0]), 500)
    assert text[start:stop].startswith("One two three. War war war!"), "the first of equal ones"
    assert passages.best_passage("no end", (), np.zeros(1)) == (0, 6)


def test_of_a_long_text_the_beginning_is_looked_at(monkeypatch):
    """A page waits for the passages of several texts."""
    looked_at, moment = [], made({1: 5.0, 2: 5.0})
    settings, found = TextSettings(min_df=1), passages.find_words
    monkeypatch.setattr(
        passages, "find_words", lambda text, *rest: looked_at.append(text) or found(text, *rest)
    )
    text = "sea and hill. " * (passages.BEGINNING // 10)
    docs = DocTable(text=strings([text]))
    corpus = Corpus.from_csr(np.ones((1, len(moment.vocab)), int), list(moment.vocab), docs, "a")
    assert passages.passage_of(moment, corpus, settings, 1, 0).startswith("sea and hill.")
    assert looked_at == [text[: passages.BEGINNING]]


def test_words_typical_of_a_topic_count_and_common_ones_do_not():
    topics = replace(
        made({1: 5.0, 2: 5.0}).topics,
        topic_word=np.array([[0.5, 0.3, 0.2], [0.1, 0.89, 0.01]], np.float32),
        weight=np.array([0.2, 0.6]),
        unseen=0.2,
    )
    # The other topic has 0.6 of the weight and topics not yet seen 0.2: 3 to 1.
    other = (3 * 0.1 + 1 / 3) / 4
    np.testing.assert_allclose(passages.typical(topics, 0), [log(0.5 / other), 0, 0], rtol=1e-6)
    value = passages.typical(replace(topics, topic_word=topics.topic_word[:, [2, 1, 0]]), 0)
    assert value[0] == 0.0, "typical, but below 1 / V"
    assert value[1] == 0.0, "less common than in the others"
