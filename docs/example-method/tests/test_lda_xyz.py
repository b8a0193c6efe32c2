"""One step of lda-xyz is that of its formula, token by token."""

import numpy as np
from bnpexplorer_lda_xyz.lda_xyz import LdaXyz

from bnpexplorer.corpus.corpus import Batch, Corpus
from bnpexplorer.models.lda import LDA


def test_a_step_is_the_formula():
    rng = np.random.default_rng(1)
    docs = Corpus.from_csr(rng.poisson(0.8, (6, 5)) + np.eye(6, 5, dtype=int))
    method = LdaXyz(LDA(n_topics=3, alpha=0.3, eta=0.2), tau=2.0, kappa=0.7)
    state = method.init(docs, rng)
    lam, topics = state.lam.copy(), method.topics(state)
    rows = np.array([0, 2, 3])
    part = docs.take(rows)
    state, info = method.step(state, Batch(part, rows, 0, 2), rng, None)

    theta, counts = method.model.fold_in(topics, part), part.to_csr().toarray()
    stats = np.zeros_like(lam)
    for d in range(3):
        for w in range(5):
            phi = [theta[d, k] * lam[k, w] / lam[k].sum() for k in range(3)]
            for k in range(3):
                stats[k, w] += counts[d, w] * phi[k] / sum(phi)
    rho = (2.0 + 1) ** -0.7
    expected = (1 - rho) * lam + rho * (0.2 + 6 / 3 * stats)
    np.testing.assert_allclose(state.lam, expected, rtol=1e-5)
    assert info.scalars["step size"] == rho
