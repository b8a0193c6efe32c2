"""Documents that hang together: who they are, and that chance goes by texts; by simulation."""

import numpy as np
import pytest

from bnpexplorer.corpus import Corpus
from bnpexplorer.corpus.corpus import DocTable
from bnpexplorer.corpus.documents.passages import divide
from bnpexplorer.corpus.readers.source import Source, strings
from bnpexplorer.explore import change, changed_words, means
from bnpexplorer.explore.sentences import Basis, Sides, change_sentence, turn_sentence

K = 20


def corpus_of(rows, **columns):
    table = DocTable(**{name: strings(values) for name, values in columns.items()})
    return Corpus.from_csr(np.array(rows), docs=table)


def together(corpus):
    """The sets of documents that count as one, of two and more."""
    units = corpus.units
    if units is None:
        return []
    sets = [np.flatnonzero(units == u).tolist() for u in np.unique(units)]
    return sorted(one for one in sets if len(one) > 1)


# ---- who hangs together --------------------------------------------------------------------------


def test_passages_know_their_text_also_where_names_are_left_out():
    texts = tuple(f"One {w} is here. Two {w} are there. " * 9 for w in ("ship", "tax", "war"))
    docs = DocTable(title=strings(["Speech", "Speech", "Other"]), id=strings(["a", "b", "c"]))
    source = divide(Source("some", "lines", texts, docs=docs), "20")
    counts = np.arange(1, 1 + 2 * source.n_docs).reshape(-1, 2)
    corpus = Corpus.from_csr(counts, docs=source.docs)
    own = [name.split(" ")[0] for name in source.docs.id]
    wanted = [[i for i, one in enumerate(own) if one == text] for text in "abc"]
    assert min(map(len, wanted)) > 1
    assert together(corpus) == wanted
    nameless = corpus.unnamed()
    assert nameless.docs.columns().keys() == {"origin"}
    assert together(nameless) == wanted
    rest = np.arange(1, corpus.n_docs)
    assert together(nameless.take(rest)) == together(corpus.take(rest))
    assert nameless.fingerprint == corpus.fingerprint


def test_titles_tell_where_there_are_no_ids_and_dates_tell_titles_apart():
    rows = [[1, 2], [2, 1], [3, 1], [4, 1], [5, 1], [6, 1]]
    title = ["Budget ¶1", "Budget ¶2", "Budget ¶1", "Budget ¶2", "Budget", "¶ 5"]
    assert together(corpus_of(rows, title=title)) == [[0, 1, 2, 3]]
    label = ["a", "a", "b", "b", "a", "a"]
    assert together(corpus_of(rows, title=title, label=label)) == [[0, 1], [2, 3]]
    assert corpus_of(rows, title=["Budget"] * 6).units is None
    days = np.array(["2001-02-03", "2001-02-03", "2001-02-03", "2001-02-04", "NaT", "NaT"], "M8[D]")
    passages = strings(["Budget ¶1", "Budget ¶2", *["Budget ¶3"] * 4])
    for label, wanted in (
        (["a", "b", "b", "b", "b", "b"], [[1, 2], [4, 5]]),
        (["a", "a", "b", "b", "a", "b"], [[0, 1]]),
        (["a"] * 6, [[0, 1, 2], [4, 5]]),
    ):
        table = DocTable(title=passages, date=days, label=strings(label))
        assert together(Corpus.from_csr(np.array(rows), docs=table)) == wanted


def test_texts_that_stand_again_are_one_and_passages_that_do_are_not():
    again = corpus_of([[1, 2], [2, 1], [1, 2], [1, 3], [1, 2]])
    assert together(again) == [[0, 2, 4]]
    names = ["a ¶1", "a ¶2", "b ¶1", "b ¶2", "c ¶1", "c ¶2"]
    # a and c are the same text, cut elsewhere; b only begins as a does
    rows = [[1, 1], [5, 0], [1, 1], [0, 5], [3, 1], [3, 0]]
    assert together(corpus_of(rows, id=names)) == [[0, 1, 4, 5], [2, 3]]


# ---- that chance goes by texts -------------------------------------------------------------------


def speeches(rng, n, passages, own=20.0):
    """Shares of `n` speeches in passages that are alike; nothing tells their two halves apart."""
    base = rng.dirichlet(np.full(K, 0.05), n)
    x = [rng.dirichlet(np.maximum(own * b, 1e-3), passages) for b in base]
    return np.concatenate(x), np.repeat(np.arange(n), passages)


@pytest.mark.parametrize("passages", [1, 10])
def test_passages_make_no_change_sure_that_is_none(passages):
    """Of 40 corpora at most 3; and of intervals at least 94 % hold the true mean."""
    rng = np.random.default_rng(1)
    wrong, naive, inside = 0, 0, []
    for _ in range(40):
        x, units = speeches(rng, 20, passages)
        before = units < 10
        wrong += bool(change.changes(x, before, ~before, units=units).sure.any())
        naive += bool(change.changes(x, before, ~before).sure.any())
        low, high = means.group_means(x, (~before).astype(int), 2, units=units).interval()
        inside.append(np.mean((low <= 1 / K) & (high >= 1 / K)))
    assert wrong <= 3
    assert np.mean(inside) >= 0.94
    assert naive >= 30 or passages == 1, "the correction is needed"


def test_a_true_change_is_found_in_passages_and_its_detail_counts_texts():
    rng = np.random.default_rng(2)
    x, units = speeches(rng, 120, 5)
    before = units < 60
    x[~before] *= 0.6
    x[~before, 0] += 0.4
    found = change.changes(x, before, ~before, units=units)
    assert found.order[0] == 0
    assert found.sure[0] > 0.1
    said = change_sentence("tax", found, 0, Sides("1990", "1991"), Basis("words"))
    assert said.detail.startswith("300 documents and 300, which are 60 and 60 different texts; up")
    alone = change.changes(x, before, ~before)
    assert "texts" not in change_sentence("tax", alone, 0, Sides("a", "b"), Basis("words")).detail
    days = np.where(before, np.datetime64("1990-05-01"), np.datetime64("1991-05-01"))
    turn = change.turns(x, days, "year", [0], units=np.where(units < 60, units, units // 2))[0]
    detail = turn_sentence("tax", turn, "year", Basis("words")).detail
    assert "300 documents in 1990, 300 in 1991, which are 60 and 30 different texts;" in detail


def test_repeated_texts_make_no_change_sure():
    rng = np.random.default_rng(3)
    wrong = 0
    for _ in range(20):
        x, units = rng.dirichlet(np.full(K, 0.05), 60), np.repeat(np.arange(60), 20)
        before = units < 30
        wrong += bool(change.changes(x[units], before, ~before, units=units).sure.any())
    assert wrong <= 2


def test_words_of_passages_are_not_sure_by_their_number():
    rng = np.random.default_rng(4)
    passages, wrong, naive = 10, 0, 0
    for _ in range(8):
        p = rng.dirichlet(np.full(200, 0.3))
        own = [rng.dirichlet(5 * p + 1e-4) for _ in range(40)]
        x = np.array([rng.multinomial(100, one) for one in own for _ in range(passages)])
        before = np.arange(len(x)) < len(x) // 2
        names = [f"speech {i} ¶{k}" for i in range(40) for k in range(passages)]
        for named in (True, False):
            corpus = corpus_of(x, title=names) if named else corpus_of(x)
            sure = bool(changed_words.changed_words(corpus, before, ~before).sure.any())
            wrong, naive = wrong + (named and sure), naive + (sure and not named)
    assert wrong <= 1
    assert naive >= 6, "the correction is needed"


def test_a_word_that_one_text_says_in_many_passages_is_of_one_text():
    x = np.random.default_rng(5).integers(0, 9, (400, 20))
    x = np.hstack([x, np.zeros((400, 1), int)])
    x[240:280, -1] = 6
    before = np.arange(400) < 200
    names = [f"speech {i // 40} ¶{i}" for i in range(400)]
    alone = changed_words.changed_words(corpus_of(x), before, ~before)
    assert alone.sure[20]
    found = changed_words.changed_words(corpus_of(x, title=names), before, ~before)
    assert found.z[20] == 0.0
    assert found.docs_after[20] == 40


# ---- long and short ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["unequal", "one huge"])
def test_long_texts_do_not_rule_what_few_others_show(kind):
    """Of 60 comparisons at most 4; a few long texts once made 8 and more of 60 falsely sure."""
    rng = np.random.default_rng(6)
    n_before, wrong = (3 if kind == "unequal" else 100), 0
    for _ in range(60):
        x = rng.dirichlet(np.full(30, 0.05), 1000 + n_before)
        lengths = np.exp(rng.normal(5, 2, len(x))) if kind == "unequal" else np.full(len(x), 200.0)
        lengths[-1] = 100_000.0 if kind == "one huge" else lengths[-1]
        before = np.arange(len(x)) < n_before
        wrong += bool(change.changes(x, before, ~before, lengths).sure.any())
    assert wrong <= 4
