"""Topics of another run weigh by what they held, in whatever begins at them."""

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference.start import GivenTopics
from bnpexplorer.methods.direct import hdp_gibbs
from bnpexplorer.methods.direct.hdp_gibbs import HdpGibbs
from bnpexplorer.methods.dpm_gibbs import drawn_among
from bnpexplorer.methods.memoized.fit import start_fit, weights_of
from bnpexplorer.methods.parallel import hdp_parallel_gibbs
from bnpexplorer.methods.parallel.hdp_parallel_gibbs import HdpParallelGibbs
from bnpexplorer.models.dpm import DPMixture
from bnpexplorer.models.hdp import HDP

SHARES = np.array([0.5, 0.3, 0.2])
GIVEN = GivenTopics(
    40.0 * SHARES[:, None] * np.random.default_rng(2).dirichlet(np.ones(9), len(SHARES))
)


def test_the_first_pass_of_direct_assignment_seats_by_their_shares(dozen):
    state = HdpGibbs().begin(dozen, GIVEN, np.random.default_rng(0))
    weight = hdp_gibbs.first_weights(state, 99)
    np.testing.assert_allclose(weight[:3], SHARES)
    assert not weight[3:].any()
    assert len(weight) == len(state.weight)


def test_documents_join_given_clusters_by_their_shares():
    """Two clusters of the same words, one of which held nine times as much: 4 standard errors."""
    words, n = np.array([0.4, 0.3, 0.3]), 2000
    given = GivenTopics(np.array([[90.0], [10.0]]) * words)
    # So many documents that both clusters know the words as well as each other.
    corpus = Corpus.from_csr(np.random.default_rng(1).multinomial(2, words, n))
    z = drawn_among(DPMixture(1.0, 1e-3), corpus, given, np.random.default_rng(0))
    share = np.bincount(z, minlength=2) / n
    assert share[0] == pytest.approx(0.9, abs=4 * np.sqrt(0.09 / n))


def test_topics_of_the_parallel_sampler_are_drawn_given_as_many_tokens_as_there_are(
    dozen, monkeypatch
):
    asked, real = [], hdp_parallel_gibbs.topics_given

    def noted(pool, excess, *others):
        asked.append(excess.copy())
        return real(pool, excess, *others)

    monkeypatch.setattr(hdp_parallel_gibbs, "topics_given", noted)
    method = HdpParallelGibbs(spare=4)
    state = method.begin(dozen, GIVEN, np.random.default_rng(0))
    method.init(dozen, np.random.default_rng(0))
    given, nothing = asked
    np.testing.assert_allclose(given[:, :3], (GIVEN.tokens * dozen.n_tokens / 40.0).T)
    assert given.shape == (9, 7)
    assert not given[:, 3:].any()
    assert not nothing.any()
    np.testing.assert_allclose(state.weight[:3], SHARES)


@pytest.mark.parametrize("start", ["random", "k-means", GIVEN], ids=["random", "k-means", "given"])
def test_weights_of_the_memoized_hdp_begin_in_proportion_to_topics(start, dozen):
    """And leave as much to the rest as a Dirichlet process does after so many draws."""
    fit = start_fit(HDP(2.0, 1.0, 0.1), start, dozen, 6, np.random.default_rng(0))
    weights, size = weights_of(fit.rho), fit.lam.size
    assert (np.diff(size) <= 0).all()
    assert size.sum() == pytest.approx(dozen.n_tokens, rel=0.5)
    assert weights[-1] == pytest.approx(2.0 / 8.0)
    np.testing.assert_allclose(weights[:-1], 0.75 * (size + 1.0) / (size + 1.0).sum())
    np.testing.assert_array_equal(fit.start, fit.lam.stats)
