"""Topics of another run: those that find a place hold as much as all texts together."""

import numpy as np
import pytest

from bnpexplorer.inference.start import GivenTopics, start_excess
from bnpexplorer.methods import make_method
from bnpexplorer.methods.catvi.gdp_catvi import GdpCatvi
from bnpexplorer.methods.catvi.hdp_catvi import HdpCatvi
from bnpexplorer.methods.dpm_collapsed import DpmCollapsed
from bnpexplorer.methods.dpm_tsvi import DpmTsvi
from bnpexplorer.methods.hdp_tsvi import HdpTsvi
from bnpexplorer.methods.lda_gibbs import LdaGibbs
from bnpexplorer.methods.memoized.hdp_splitmerge import HdpSplitmerge
from bnpexplorer.methods.parallel.hdp_parallel_gibbs import HdpParallelGibbs
from bnpexplorer.models.hdp import HDP
from bnpexplorer.models.lda import LDA
from tests.tools.methods import blocks_of, one_pass

SIZES = np.array([50.0, 30.0, 12.0, 6.0, 2.0])
GIVEN = GivenTopics(SIZES[:, None] * np.random.default_rng(2).dirichlet(np.ones(9), 5))


@pytest.mark.parametrize("n_topics", [1, 3, 5])
def test_of_more_topics_than_there_is_room_for_the_largest_hold_all(dozen, n_topics):
    """Neither a sampler nor mean field leaves the part of the others to nobody."""
    rng = np.random.default_rng(0)
    share = SIZES[:n_topics] / SIZES[:n_topics].sum()
    held = LdaGibbs(LDA(n_topics)).begin(dozen, GIVEN, rng).given.sum(axis=0)
    np.testing.assert_allclose(held[:n_topics], dozen.n_tokens * share, rtol=1e-12)
    assert not held[n_topics:].any()
    excess = start_excess(GIVEN, dozen, n_topics, rng, 7.0)
    np.testing.assert_allclose(excess.sum(axis=1), 7.0 * dozen.n_docs * share, rtol=1e-12)
    words = GIVEN.tokens[:n_topics] / SIZES[:n_topics, None]
    np.testing.assert_allclose(excess / excess.sum(axis=1, keepdims=True), words, rtol=1e-12)


def test_methods_without_a_limit_take_all_topics(dozen):
    rng, expected = np.random.default_rng(0), dozen.n_tokens * GIVEN.tokens / SIZES.sum()
    given = make_method("hdp-gibbs").begin(dozen, GIVEN, rng).given
    np.testing.assert_allclose(given[:, :5], expected.T, rtol=1e-12)
    assert not given[:, 5:].any()
    for method in (DpmTsvi(), HdpTsvi()):
        lam = method.begin(dozen, GIVEN, rng).lam
        words = np.arange(dozen.n_words, dtype=np.int32)
        np.testing.assert_allclose(lam.at(words).T - lam.eta, expected, rtol=1e-9)


def test_weights_of_given_topics_stand_still_for_one_pass_and_not_for_a_whole_start(dozen):
    method, rng = HdpParallelGibbs(start_passes=9), np.random.default_rng(0)
    state = method.begin(dozen, GIVEN, rng)
    np.testing.assert_allclose(state.weight[:5], SIZES / SIZES.sum(), rtol=1e-12)
    assert state.starting
    before = state.weight.copy()
    state, _ = one_pass(method, state, blocks_of(dozen, [[*range(12)]]), rng)
    assert not state.starting
    assert not np.array_equal(state.weight[:5], before[:5])


def test_given_topics_hold_all_documents_or_all_tables_that_these_expect(dozen):
    rng, share = np.random.default_rng(0), SIZES / SIZES.sum()
    tables = sum(3.0 / (3.0 + i) for length in dozen.doc_lengths for i in range(length))
    topics = HdpTsvi(HDP(2.0, 3.0, 0.1)).begin(dozen, GIVEN, rng)
    np.testing.assert_allclose(topics.n, tables * share, rtol=1e-9)
    assert (topics.next_id, topics.topic_ids.tolist()) == (5, [*range(5)])
    for method in (DpmTsvi(), DpmCollapsed()):
        clusters = method.begin(dozen, GIVEN, rng)
        np.testing.assert_allclose(clusters.n, 12 * share, rtol=1e-12)
        assert (clusters.n_ids, clusters.topic_ids.tolist()) == (5, [*range(5)])
        assert clusters.lam.size.sum() == pytest.approx(dozen.n_tokens)


@pytest.mark.parametrize("method_class", [DpmTsvi, HdpTsvi])
@pytest.mark.parametrize(("start_docs", "told"), [(5, 5), (100, 12)])
def test_given_topics_weigh_as_what_so_many_documents_have_told(
    dozen, method_class, start_docs, told
):
    """The first of three mini-batches moves them by its share in what was told, of 12 at most."""
    method, rng = method_class(start_docs=start_docs), np.random.default_rng(0)
    state = method.begin(dozen, GIVEN, rng)
    assert state.n_seen == told
    batch = blocks_of(dozen, [[*range(4)], [*range(4, 8)], [*range(8, 12)]])[0]
    _, info = method.step(state, batch, rng, None)
    assert info.scalars["step size"] == pytest.approx(4 / min(told + 4, 12))


@pytest.mark.parametrize(
    ("method", "n_topics"),
    [
        (HdpSplitmerge(n_start=2), 5),
        (HdpSplitmerge(n_start=2, max_topics=3), 3),
        (HdpCatvi(start_topics=2), 5),
        (GdpCatvi(start_topics=9), 5),
    ],
)
def test_methods_that_find_topics_begin_at_as_many_as_are_given(dozen, method, n_topics):
    """Not at as many as a start of their own has; a limit holds all the same."""
    state = method.begin(dozen, GIVEN, np.random.default_rng(0))
    words = method.topics(state).topic_word
    assert len(words) == n_topics
    given = GIVEN.tokens[:n_topics] / SIZES[:n_topics, None]
    nearest = np.abs(words[:, None] - given).sum(axis=2).argmin(axis=1)
    assert nearest.tolist() == list(range(n_topics))
