"""What is worked out block by block is what all documents at once give."""

import gc
from weakref import ref

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Corpus, DocTable
from bnpexplorer.corpus.readers.source import strings
from bnpexplorer.explore import atlas, changed_words, documents, over_documents
from bnpexplorer.explore.atlas import evenly, principal_plane, root_shares
from bnpexplorer.explore.documents import best_by_share, hellinger, holding, nearest, rank_by_share
from bnpexplorer.explore.means import group_means
from bnpexplorer.explore.over_documents import correlations
from bnpexplorer.explore.periods import count, labelled
from bnpexplorer.explore.working import Doing
from bnpexplorer.state.snapshot import Topics
from tests.tools.waiting import NEVER

BLOCK = 7


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    for room in (documents, changed_words, over_documents, atlas):
        monkeypatch.setattr(room, "BLOCK", BLOCK)


@pytest.fixture
def share():
    """46 documents of 5 topics, which leave 3 % to topics not yet seen: float32."""
    rng = np.random.default_rng(3)
    return (0.97 * rng.dirichlet(np.full(5, 0.4), 46)).astype(np.float32)


@pytest.fixture
def corpus():
    rng = np.random.default_rng(4)
    counts = rng.poisson(0.7, (46, 12))
    counts[:, 3] += 1  # no document is empty
    return Corpus.from_csr(counts)


def test_sums_over_tokens_are_those_of_every_document(corpus):
    value = np.random.default_rng(5).normal(size=12)
    expected = corpus.to_csr().toarray() @ value
    np.testing.assert_allclose(documents.summed(corpus, value), expected, rtol=1e-12)
    lengths = documents.lengths_of(corpus)
    np.testing.assert_array_equal(lengths, corpus.to_csr().toarray().sum(axis=1))
    assert documents.lengths_of(corpus) is lengths
    assert documents.unnamed_of(corpus) is documents.unnamed_of(corpus)


def test_shares_of_words_are_those_of_every_document(corpus):
    counts = corpus.to_csr().toarray()
    expected = counts[:, [7, 3]] / counts.sum(axis=1)[:, None]
    np.testing.assert_allclose(documents.shares_of_words(corpus, (7, 3)), expected, rtol=1e-6)


def test_distances_are_those_of_the_formula(share):
    theta = share[20].astype(np.float64)
    full = np.column_stack([share, 1.0 - share.sum(axis=1)]).astype(np.float64)
    p = np.append(theta, 1.0 - theta.sum())
    expected = np.sqrt(np.maximum(1.0 - np.sqrt(full * p).sum(axis=1), 0.0))
    np.testing.assert_allclose(hellinger(share, theta), expected, atol=5e-4)


@pytest.mark.parametrize("clusters", [False, True])
def test_the_nearest_are_the_first_of_all_in_order(corpus, share, clusters):
    if clusters:  # whole clusters tie, and the words decide
        share = np.eye(5, dtype=np.float32)[share.argmax(axis=1)]
    counts = corpus.to_csr().toarray().astype(float)
    asked = {3: 2, 5: 1}
    vector = np.zeros(12)
    vector[[3, 5]] = 2, 1
    cosine = counts @ vector / np.sqrt((counts**2).sum(axis=1))
    theta = share[11].astype(np.float64)
    distance = np.round(hellinger(share, theta), 3)
    expected = sorted(range(46), key=lambda d: (distance[d], -cosine[d], d))
    for n in (1, 6, 46, 90):
        assert nearest(corpus, share, theta, asked, n).tolist() == expected[:n]
    assert len(nearest(corpus, share, theta, asked, 0)) == 0


def test_titles_are_found_whatever_stands_beside_them(monkeypatch):
    monkeypatch.setattr(documents, "TOGETHER", 3)
    column = np.array(["Strasse", "Straße 5", None, "peace", "war", "of War", "", 7], object)
    assert np.flatnonzero(holding(column, "strasse")).tolist() == [0, 1]
    assert np.flatnonzero(holding(column, "war")).tolist() == [4, 5]
    assert not holding(column, "peacewar").any(), "two titles are not one"
    assert not holding(column, f"peace{documents.BETWEEN}war").any()
    assert np.flatnonzero(holding(column, "7")).tolist() == [7]


def test_correlations_are_pearsons(share):
    np.testing.assert_allclose(correlations(share), np.corrcoef(share.T), atol=1e-5)


@pytest.mark.parametrize("spread", [5e-5, 5e-7])
def test_only_a_topic_that_is_the_same_everywhere_goes_with_none(spread):
    """To a millionth, also of many documents."""
    share = np.zeros((10_000, 3), np.float32)
    share[:, 0] = np.where(np.arange(10_000) % 2, spread, 3 * spread)
    share[:, 1] = np.where(np.arange(10_000) % 4 < 2, 0.2, 0.4)
    share[:, 2] = share[:, 0] * 5e-5 / spread
    found = correlations(share)
    together = 1.0 if spread > 1e-6 else 0.0
    np.testing.assert_allclose(found[0], [1.0, 0.0, together], atol=1e-3)


def test_words_of_passages_in_blocks_are_those_of_their_texts():
    """Texts of 1 to 9 passages, which lie apart, in blocks of seven passages and more."""
    rng = np.random.default_rng(8)
    text = rng.permutation(np.repeat(np.arange(20), rng.integers(1, 10, 20)))
    passages = rng.poisson(0.9, (len(text), 12))
    passages[:, 3] += 1
    docs = DocTable(id=strings([f"text {t} ¶{i}" for i, t in enumerate(text)]))
    whole = np.array([passages[text == t].sum(axis=0) for t in range(20)])
    found = changed_words.changed_words(Corpus.from_csr(passages, docs=docs), text < 9, text >= 11)
    rows = np.arange(20)
    twin = changed_words.changed_words(Corpus.from_csr(whole), rows < 9, rows >= 11)
    for name in ("before", "after", "n_before", "n_after", "n_compared", "least"):
        np.testing.assert_array_equal(getattr(found, name), getattr(twin, name))
    np.testing.assert_allclose(found.log_odds, twin.log_odds, rtol=1e-12)
    np.testing.assert_allclose(found.z, twin.z, rtol=1e-9)
    assert twin.n_compared == 12
    np.testing.assert_array_equal(found.docs_before, (passages[text < 9] > 0).sum(axis=0))
    np.testing.assert_array_equal(found.docs_after, (passages[text >= 11] > 0).sum(axis=0))


def test_the_plane_of_many_documents_is_that_of_all_at_once(share, monkeypatch):
    blocks = principal_plane(share, root_shares)
    roots = root_shares(share).astype(np.float64)
    left, sizes, _ = np.linalg.svd(roots - roots.mean(axis=0), full_matrices=False)
    np.testing.assert_allclose(np.abs(blocks), np.abs(left[:, :2] * sizes[:2]), atol=1e-4)
    monkeypatch.setattr(atlas, "BLOCK", 1000)
    np.testing.assert_allclose(blocks, principal_plane(share, root_shares), atol=1e-5)


def test_points_of_a_map_are_drawn_evenly():
    assert evenly(40, 40).tolist() == list(range(40))
    rows = evenly(10_000, 1000)
    assert len(np.unique(rows)) == 1000
    assert (np.diff(rows) > 0).all()
    assert abs((rows < 5000).sum() - 500) < 60  # four standard deviations of 15
    np.testing.assert_array_equal(rows, evenly(10_000, 1000))


def test_labels_are_told_by_what_stands_in_them():
    label = np.array(["b", " a", None, "a", "", float("nan"), 3, "b ", "3", "b"], object)
    found = labelled(label, 10)
    assert found.names == ("b", "3", "a")
    assert found.codes.tolist() == [0, 2, -1, 2, -1, -1, 1, 0, 1, 0]
    assert found.n_docs.tolist() == [3, 2, 2]


def test_periods_are_counted_from_the_first_known_date_to_the_last():
    days = np.array(["2001-03-01", "NaT", "1999-12-31", "2000-06-01"], "datetime64[D]")
    assert [count(days, p) for p in ("year", "month", "quarter")] == [3, 16, 6]
    assert count(days[[1]], "day") == 0
    assert count(days[:0], "day") == 0
    assert count(days[[0]], "10 years") == 1


def test_intervals_of_some_columns_are_those_of_all(share):
    means = group_means(share, np.arange(46) % 3, 3)
    for some, whole in zip(means.interval(columns=[4, 1]), means.interval(), strict=True):
        np.testing.assert_array_equal(some, whole[:, [4, 1]])


def test_work_that_has_ended_holds_what_it_found_and_not_what_it_was_found_from():
    given, found = np.zeros(3), np.ones(3)
    source = ref(given)

    def work(given=given):
        return found

    doing = Doing(work, "kind")
    del work, given
    assert doing.wait(NEVER) is found
    gc.collect()
    assert source() is None


@pytest.mark.parametrize("kind", ["apart", "tied", "all alike"])
def test_the_best_are_the_first_of_the_ranking_and_few_documents_are_read(corpus, share, kind):
    rng = np.random.default_rng(7)
    topic_word = rng.dirichlet(np.ones(12), 5).astype(np.float32)
    weight = np.full(5, 0.2)
    topics = Topics(topic_word, weight, weight, weight, 0.0, np.arange(5), 1.0, 1.0, 0.1)
    if kind == "tied":
        share = np.round(share, 1)
    if kind == "all alike":
        share = np.ones_like(share)
    rows = np.flatnonzero(np.arange(46) % 7 != 2)
    for k in range(5):
        ranked = rank_by_share(topics, corpus, share, k)
        expected = ranked[np.isin(ranked, rows)].tolist()
        for n in (0, 1, 4, 30, 60):
            assert best_by_share(topics, corpus, share, k, rows, n).tolist() == expected[:n]
    if kind == "apart":
        read, take = [], Corpus.take
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Corpus, "take", lambda c, rows: read.extend(rows) or take(c, rows))
            best_by_share(topics, corpus, share, 1, rows, 3)
        assert 3 <= len(read) <= 6
