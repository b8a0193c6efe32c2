"""What the tests of mean field share: states as the slow twin keeps them, and a short fit."""

import copy

import numpy as np

from bnpexplorer.inference import hdp_local
from bnpexplorer.inference.slices import by_distinct_word
from bnpexplorer.kernels.hdp_local import fit_documents
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


def with_all_topics(fit, likely):
    """`fit` with zeta float64 (D, T, K), as the slow twin keeps it: a stick that holds nothing is
    closed and has the corpus weights."""
    zeta = np.zeros((*fit.zeta.shape[:2], len(fit.closed)))
    for d, i in np.ndindex(*zeta.shape[:2]):
        zeta[d, i, likely[d]] = fit.zeta[d, i]
        if not fit.zeta[d, i].any():
            zeta[d, i] = fit.closed
    return fit._replace(zeta=zeta)


def remember_fits(monkeypatch, module):
    """The local fits that `module` makes, in order, each with its documents, few enough for one
    slice."""
    fits, parts = [], []

    def remember_part(docs):
        parts.append(docs)
        return by_distinct_word(docs)

    def record(start, stop, docs, expected, likely, fit, until, narrow):
        fit_documents(start, stop, docs, expected, likely, fit, until, narrow)
        assert (start, stop) == (0, parts[-1].n_docs)
        fits.append((parts[-1], copy.deepcopy(with_all_topics(fit, likely))))

    monkeypatch.setattr(module, "by_distinct_word", remember_part)
    monkeypatch.setattr(hdp_local, "fit_documents", record)
    return fits


def fitted(method, corpus, seed, pool=None, steps=30):
    rng = np.random.default_rng(seed)
    state = method.init(corpus, rng)
    for _ in range(steps):
        for batch in naive.blocks_of(corpus, 3):
            state, _ = method.step(state, batch, rng, pool)
    return method.topics(state)
