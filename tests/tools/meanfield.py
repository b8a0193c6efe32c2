"""What the tests of mean field share: states as the slow twin keeps them, and a short fit."""

import copy

import numpy as np

from bnpexplorer.inference.slices import by_distinct_word, map_slices
from bnpexplorer.kernels.tuples import HdpFit
from bnpexplorer.models.hdp import HDP
from tests.twins import meanfield as naive

SMALL = HDP(gamma=0.9, alpha=0.7, eta=0.3)


def lam_of(state):
    """lam, dense (K, V)."""
    lam = state.lam
    return lam.at(np.arange(lam.n_words, dtype=np.int32)).T.copy()


def dense_phi(corpus, phi):
    """(D, V, T): 0 where a document lacks the word."""
    out = np.zeros((corpus.n_docs, corpus.n_words, phi.shape[1]))
    for d in range(corpus.n_docs):
        for j in range(corpus.indptr[d], corpus.indptr[d + 1]):
            out[d, corpus.word_ids[j]] = phi[j]
    return out


def documents_of(corpus, fit):
    """(phi, zeta, a, b) of every document, as the slow twin keeps them."""
    phi = dense_phi(corpus, fit.phi)
    return [
        (phi[d], fit.zeta[d], fit.sticks[d, :-1, 0], fit.sticks[d, :-1, 1])
        for d in range(corpus.n_docs)
    ]


def remember_fits(monkeypatch, module):
    """The local fits that `module` makes, in order, each with its documents."""
    fits, parts = [], []

    def remember_part(docs):
        parts.append(docs)
        return by_distinct_word(docs)

    def record(pool, n_docs, kernel, *args):
        map_slices(pool, n_docs, kernel, *args)
        (fit,) = (arg for arg in args if isinstance(arg, HdpFit))
        fits.append((parts[-1], copy.deepcopy(fit)))

    monkeypatch.setattr(module, "by_distinct_word", remember_part)
    monkeypatch.setattr(module, "map_slices", record)
    return fits


def fitted(method, corpus, seed, pool=None, steps=30):
    rng = np.random.default_rng(seed)
    state = method.init(corpus, rng)
    for _ in range(steps):
        for batch in naive.blocks_of(corpus, 3):
            state, _ = method.step(state, batch, rng, pool)
    return method.topics(state)
