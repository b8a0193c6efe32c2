"""Looking at topics: against brute force and known truth."""

import itertools
import math
import threading
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from bnpexplorer.corpus import Corpus
from bnpexplorer.evaluate import topic_distances
from bnpexplorer.explore import likeness, over_documents, periods, through, words
from bnpexplorer.explore import likeness as known_topics
from bnpexplorer.explore.proportions import FoldingIn, doc_topic
from bnpexplorer.models import MODELS
from bnpexplorer.state.snapshot import Event, Frame, Topics
from tests.tools.waiting import NEVER


def topics_of(rows, size=None):
    probs = np.asarray(rows, np.float32)
    size = np.ones(len(probs)) if size is None else np.asarray(size, float)
    share = 0.9 * size / size.sum() if len(size) else size
    ids = np.arange(len(probs)) + 7
    return Topics(probs, 50.0 * np.ones(len(probs)), size, share, 0.1, ids, 2.0, 1.0, 0.1)


@pytest.fixture
def drawn():
    return np.random.default_rng(5).dirichlet(np.full(40, 0.1), 12)


# ---- proportions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["hdp", "lda", "dpm"])
def test_all_documents_are_folded_in_whatever_the_blocks(dozen, monkeypatch, model):
    topics = topics_of(np.random.default_rng(1).dirichlet(np.ones(9), 3))
    whole = MODELS[model]().fold_in(topics, dozen)
    monkeypatch.setattr("bnpexplorer.explore.proportions.BLOCK", 5)
    heard = []
    found = doc_topic(MODELS[model](), topics, dozen, tell=heard.append)
    assert heard == [5, 10, 12], "of twelve documents"
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, whole, rtol=1e-6)


def test_no_topics_and_another_vocabulary(dozen):
    assert doc_topic(MODELS["hdp"](), topics_of(np.zeros((0, 9))), dozen).shape == (12, 0)
    with pytest.raises(ValueError, match="4 words but the corpus has 9"):
        doc_topic(MODELS["hdp"](), topics_of(np.full((2, 4), 0.25)), dozen)


def test_a_thread_finds_the_same_and_says_how_far_it_is(dozen):
    topics = topics_of(np.random.default_rng(1).dirichlet(np.ones(9), 3))
    folding = FoldingIn(MODELS["hdp"](), topics, dozen)
    np.testing.assert_array_equal(folding.wait(), doc_topic(MODELS["hdp"](), topics, dozen))
    assert folding.ended
    assert folding.n_read == folding.n_docs == 12
    with pytest.raises(ValueError, match="read-only"):
        folding.found[0, 0] = 1.0


def test_a_thread_that_fails_says_why(dozen):
    folding = FoldingIn(MODELS["hdp"](), topics_of(np.full((2, 4), 0.25)), dozen)
    assert folding.wait() is None
    assert "4 words but the corpus has 9" in folding.error


def test_work_counts_as_large_as_what_it_found_once_it_has_ended(dozen):
    topics, go_on = topics_of(np.full((2, 9), 1.0 / 9.0)), threading.Event()

    class Late(FoldingIn):
        def _work(self):
            super()._work()
            assert go_on.wait(NEVER)

    folding = Late(MODELS["hdp"](), topics, dozen)
    assert folding.nbytes == 0
    go_on.set()
    assert folding.wait(NEVER).nbytes == folding.nbytes == 12 * 2 * 4


# ---- known topics --------------------------------------------------------------------------------


def test_known_topics_are_found_again_as_the_best_pairing_of_all(drawn):
    """Against every one-to-one pairing: one not in use, noise, near copies, an even mixture."""
    known = drawn[:4]
    near = 0.95 * known[[2, 0]] + 0.05 * drawn[[10, 11]]
    rows = np.vstack([known[1], drawn[8], near, (known[1] + known[3]) / 2.0])
    found = known_topics.found_again(known, topics_of(rows, [0.2, 9, 30, 20, 40]))
    between = topic_distances(known, rows[1:].astype(np.float32), "jensen-shannon")
    best = min(itertools.permutations(range(4)), key=lambda p: between[range(4), p].sum())
    assert tuple(found.rows - 1) == best
    np.testing.assert_allclose(found.distances, between[range(4), best], atol=1e-12)
    assert found.close.tolist() == [True, False, True, False]
    assert found.count == 2


def test_an_even_mixture_of_two_known_topics_is_neither_of_them():
    known = np.kron(np.eye(2), np.full(5, 0.2))
    for share, count in ((0.5, 0), (0.58, 0), (0.585, 1), (1.0, 1)):
        mixed = share * known[0] + (1.0 - share) * known[1]
        assert known_topics.found_again(known, topics_of([mixed])).count == count
    assert known_topics.found_again(known, topics_of([known[1]])).rows.tolist() == [-1, 0]
    at_the_bound = known_topics.FoundAgain(np.array([0]), np.array([known_topics.CLOSE]))
    assert at_the_bound.count == 0, "nearer is nearer"


def test_no_topic_in_use_finds_nothing():
    found = known_topics.found_again(np.eye(3), topics_of(np.zeros((0, 3))))
    assert found.rows.tolist() == [-1, -1, -1]
    assert found.count == 0


# ---- words ---------------------------------------------------------------------------------------


def test_relevance_is_the_papers_formula():
    probs, p_word = np.array([0.5, 0.3, 0.2, 0.0]), np.array([0.6, 0.1, 0.2, 0.1])
    for weight in (0.0, 0.3, 1.0):
        expected = [
            weight * math.log(p) + (1 - weight) * math.log(p / q)
            for p, q in zip(probs[:3], p_word[:3], strict=True)
        ]
        np.testing.assert_allclose(words.relevance(probs, p_word, weight)[:3], expected)
    assert words.relevance(probs, p_word, 0.5)[3] == -np.inf
    assert words.most_relevant(probs, p_word, 1.0, 9).tolist() == [0, 1, 2]
    assert words.most_relevant(probs, p_word, 0.0, 9).tolist() == [1, 2, 0]
    with pytest.raises(ValueError, match="between 0 and 1"):
        words.relevance(probs, p_word, 1.1)


def test_a_word_that_never_occurs_is_never_relevant():
    found = words.most_relevant(np.array([0.5, 0.5]), np.array([0.0, 1.0]), 0.0, 5)
    assert found.tolist() == [1]


def test_overall_counts_tokens():
    corpus = Corpus.from_csr([[3, 0, 1], [0, 0, 4]])
    np.testing.assert_allclose(words.overall(corpus), [3 / 8, 0, 5 / 8])


def test_the_topics_of_a_word_by_bayes_rule():
    topics = topics_of([[0.5, 0.5], [0.1, 0.9]], size=[30, 10])
    topics = replace(topics, weight=np.array([0.5, 0.5]))  # of the prior, not of the texts
    expected = np.array([0.75 * 0.5, 0.25 * 0.1])
    np.testing.assert_allclose(words.shares_of_word(topics, 0), expected / expected.sum())
    nowhere = topics_of([[1.0, 0.0]])
    assert words.shares_of_word(nowhere, 1).tolist() == [0.0]


def test_words_are_found_by_their_beginning_first_without_case_and_accents():
    vocab = ["prewar", "warfare", "war", "peace", "Kür", "kurz"]
    assert [vocab[w] for w in words.find_words(vocab, " WAR ")] == ["war", "warfare", "prewar"]
    assert [vocab[w] for w in words.find_words(vocab, "kur")] == ["Kür", "kurz"]
    assert len(words.find_words(vocab, "war", limit=1)) == 1
    assert words.find_words(vocab, "  ") == []


# ---- likeness ------------------------------------------------------------------------------------


def test_distances_are_those_of_evaluate(drawn):
    found = likeness.jensen_shannon(drawn)
    np.testing.assert_allclose(found, topic_distances(drawn, drawn, "jensen-shannon"), atol=1e-3)
    assert (np.diag(found) == 0).all()
    some = drawn[1:3]
    exact = topic_distances(drawn, some, "jensen-shannon")
    np.testing.assert_allclose(likeness.jensen_shannon(drawn, some), exact, atol=1e-3)


def test_distances_of_topics_that_hold_few_words_are_as_exact():
    rng = np.random.default_rng(4)
    few = rng.gamma(0.02, size=(12, 3000)) * rng.gamma(0.3, size=3000) + 1e-12
    few /= few.sum(axis=1, keepdims=True)
    exact = topic_distances(few[:5], few, "jensen-shannon")
    np.testing.assert_allclose(likeness.jensen_shannon(few[:5], few), exact, atol=1e-3)
    np.testing.assert_allclose(likeness.jensen_shannon(few)[:5], exact, atol=1e-3)


def test_equal_topics_and_topics_without_a_common_word():
    found = likeness.jensen_shannon(np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1.0]]))
    np.testing.assert_allclose(found, [[0, 0, 1], [0, 0, 1], [1, 1, 0]], atol=1e-3)


def test_points_of_a_plane_come_back_up_to_rotation():
    points = np.random.default_rng(2).normal(size=(9, 2)) * [3, 1]
    between = cdist(points, points)
    found = likeness.classical_scaling(between)
    np.testing.assert_allclose(cdist(found.places, found.places), between, atol=1e-9)
    assert found.shown == pytest.approx(1.0)
    assert np.ptp(found.places[:, 0]) > np.ptp(found.places[:, 1]), "the longer axis comes first"


def test_the_share_of_the_squared_distances_that_a_plane_shows():
    points = np.random.default_rng(3).normal(size=(10, 3)) * [4, 2, 1]
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False) ** 2
    found = likeness.classical_scaling(cdist(points, points))
    assert found.shown == pytest.approx(spread[:2].sum() / spread.sum())


@pytest.mark.parametrize("n", [0, 1, 2])
def test_maps_of_few_topics(n):
    found = likeness.classical_scaling(1.0 - np.eye(n))
    assert found.places.shape == (n, 2)
    assert np.isfinite(found.places).all()


# ---- over documents ------------------------------------------------------------------------------


DATES = np.array(
    ["1969-12-31", "1970-01-01", "NaT", "1989-05-05", "1990-01-01", "1990-02-01"], "datetime64[D]"
)


@pytest.mark.parametrize("period", periods.PERIODS)
def test_prevalence_is_the_mean_of_each_period(period):
    shares = np.random.default_rng(4).dirichlet([1, 1, 1], len(DATES)).astype(np.float32)
    found = over_documents.prevalence(shares, DATES, period)
    assert found.n_undated == 1
    assert found.n_docs.sum() == 5
    ends = [*found.starts[1:], np.datetime64("9999-01-01")]
    for start, end, n, mean, error in zip(
        found.starts, ends, found.n_docs, found.share, found.error, strict=True
    ):
        places = [start <= day < end for day in DATES]
        inside = shares[places].astype(float)
        assert len(inside) == n
        if n:
            np.testing.assert_allclose(mean, inside.mean(axis=0), rtol=1e-6)
        else:
            assert np.isnan(mean).all()
        if n > 1:
            np.testing.assert_allclose(error, inside.std(axis=0, ddof=1) / n**0.5, rtol=1e-5)
        else:
            assert np.isnan(error).all()


def test_periods_begin_where_calendars_do():
    shares = np.ones((len(DATES), 1), np.float32)
    decades = over_documents.prevalence(shares, DATES, "10 years").starts
    assert decades.astype(str).tolist() == ["1960-01-01", "1970-01-01", "1980-01-01", "1990-01-01"]


def test_the_suitable_period_is_the_shortest_that_can_be_read():
    days = np.arange("2020-01-01", "2020-02-10", dtype="datetime64[D]")
    assert periods.suitable_period(days) == "day"
    assert periods.suitable_period(DATES) == "year"
    wide = np.array(["1790-01-01", "2020-01-01"], "datetime64[D]")
    assert periods.suitable_period(wide) == "5 years"


def test_documents_without_dates_are_refused():
    with pytest.raises(ValueError, match="No document has a date"):
        over_documents.prevalence(np.ones((1, 1), np.float32), DATES[2:3], "year")


def test_correlations_are_pearsons():
    shares = np.random.default_rng(6).dirichlet(np.full(5, 0.3), 200).astype(np.float32)
    found = over_documents.correlations(shares)
    np.testing.assert_allclose(found, np.corrcoef(shares.T.astype(float)), atol=1e-5)
    shares[:, 2] = 0.25
    constant = over_documents.correlations(shares)
    assert constant[2].tolist() == [0, 0, 1, 0, 0]
    assert over_documents.correlations(shares[:1]).tolist() == np.eye(5).tolist()


def test_topics_that_go_together_come_side_by_side():
    correlation = np.eye(6)
    for a, b in ((0, 3), (1, 4), (2, 5)):
        correlation[a, b] = correlation[b, a] = 0.9
    order = over_documents.side_by_side(correlation).tolist()
    assert sorted(order) == list(range(6))
    assert all(abs(order.index(k) - order.index(k + 3)) == 1 for k in range(3))


# ---- through the run -----------------------------------------------------------------------------


def frame(docs_seen, shares, tops):
    ids = np.array(list(shares))
    word_ids = np.array([tops[i] for i in shares], np.int64).reshape(len(ids), -1)
    probs = np.full(word_ids.shape, 0.1, np.float32)
    return Frame(docs_seen // 10, docs_seen, ids, np.array(list(shares.values())), word_ids, probs)


FRAMES = (
    frame(10, {3: 1.0}, {3: [0, 1]}),
    frame(20, {3: 0.4, 8: 0.6}, {3: [0, 2], 8: [4, 5]}),
    frame(30, {8: 0.9, 9: 0.1, 3: 0.0}, {3: [6, 6], 8: [5, 4], 9: [1, 0]}),
)


def test_shares_through_the_frames_keep_identities():
    assert through.largest_at_some_time(FRAMES, 2) == [3, 8]
    assert through.shares_through(FRAMES, [8, 3]).tolist() == [[0, 1.0], [0.6, 0.4], [0.9, 0.0]]


def test_words_of_a_topic_while_it_holds_something():
    found = through.life(FRAMES, 3)
    assert [(m.docs_seen, m.share, m.words) for m in found] == [
        (10, 1.0, (0, 1)),
        (20, 0.4, (0, 2)),
    ]
    assert through.life(FRAMES, 77) == []
    many = [frame(n, {1: 1.0}, {1: [n]}) for n in range(100)]
    assert [m.docs_seen for m in through.life(many, 1, 3)] == [0, 50, 99]


def test_a_merge_ends_its_parents_and_begins_its_child():
    events = [
        Event("birth", (), (1,), 1, 10),
        Event("birth", (), (2,), 1, 10),
        Event("merge", (1, 2), (3,), 2, 20),
        Event("prune", (3,), (), 3, 30),
    ]
    found = [(m.topic, m.born) for m in through.marks(events)]
    assert found == [(1, True), (2, True), (1, False), (2, False), (3, True), (3, False)]
    between = [(m.topic, m.born) for m in through.marks(events, 10, 20)]
    assert between == [(1, False), (2, False), (3, True)]


def test_ways_to_cut_periods_cover_every_day_once():
    days = np.arange("1899-06-01", "1905-06-01", dtype="datetime64[D]")
    shares = np.ones((len(days), 1), np.float32)
    for a, b in itertools.pairwise(periods.PERIODS):
        fine, coarse = (over_documents.prevalence(shares, days, p) for p in (a, b))
        assert fine.n_docs.sum() == coarse.n_docs.sum() == len(days)
        assert len(fine.starts) >= len(coarse.starts)
        assert (np.diff(coarse.starts) > np.timedelta64(0, "D")).all()


def test_whose_partner_a_topic_is():
    found = known_topics.FoundAgain(np.array([4, -1, 2]), np.array([0.1, np.nan, 0.7]))
    assert [found.known_of(row) for row in (4, 2, 0)] == [0, 2, None]
