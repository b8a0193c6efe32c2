"""One step of every variational method that learns a concentration, against a slow twin.

Mini-batches are smaller than the corpus and the step is not the first, so that the size of the
step, the scale of a mini-batch and the number of sticks all count. What documents were fitted to
stands in other tests.
"""

import itertools
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.checks.expecting import known
from bnpexplorer.corpus.corpus import Batch, Corpus
from bnpexplorer.methods import METHODS, hdp_batch, hdp_svi, make_method
from bnpexplorer.methods.base import LEARN_AFTER
from tests.tools.meanfield import documents_of, remember_fits
from tests.tools.methods import dense
from tests.twins import concentrations as slow
from tests.twins import meanfield as naive

N_DOCS, SIZE = 30, 7
PARTS = [np.arange(N_DOCS)[i : i + SIZE] for i in range(0, N_DOCS, SIZE)]
STEPS = len(PARTS)
"""Those before the one that is looked at: a pass, whose last mini-batch has two documents."""
SETTINGS = {
    "truncation": 6,
    "doc_truncation": 4,
    "n_topics": 5,
    "start_topics": 6,
    "tau": 1.0,
    "kappa": 0.7,
    "gamma": 2.0,
    "alpha": 0.8,
    "eta": 0.15,
    "g0_rule": "mean",
    "max_iterations": 1000,
    "tolerance": 1e-8,
    "learn_gamma": True,
    "learn_alpha": True,
    "learn_eta": True,
}
MODULES = {"hdp-svi": hdp_svi, "hdp-batch": hdp_batch}
"""Where documents are fitted stick by stick."""
UNTRUNCATED = {"dpm-collapsed", "dpm-tsvi", "hdp-tsvi"}
NAMES = [
    *("lda-batch", "lda-svi", "dpm-batch", "dpm-svi", "dpm-collapsed", "dpm-tsvi"),
    *("hdp-batch", "hdp-svi", "hdp-tsvi", "hdp-catvi", "gdp-catvi"),
]
DRAWN = {"dpm-gibbs", "hdp-gibbs", "hdp-parallel-gibbs", "lda-gibbs"}
"""Samplers, the laws of which are known to `test_concentrations.py`, `test_calibration.py` and
`test_hdp_parallel_gibbs_law.py`."""
BY_THE_BOUND = {"hdp-memoized", "hdp-splitmerge"}
"""These move to where their bound is highest: `test_hdp_direct.py`."""


def texts() -> Corpus:
    rng = np.random.default_rng(4)
    topics, shares = rng.dirichlet(np.full(12, 0.2), 5), rng.dirichlet(np.full(5, 0.4), N_DOCS)
    return Corpus.from_csr(rng.multinomial(rng.integers(3, 25, N_DOCS), shares @ topics))


def batches(corpus: Corpus) -> Iterator[Batch]:
    """The same in every pass."""
    for index, rows in itertools.cycle(enumerate(PARTS)):
        yield Batch(corpus.take(rows), rows, index, len(PARTS), corpus)


def set_far(state) -> None:
    """Concentrations with somewhere to go."""
    if hasattr(state, "concentration"):
        state.concentration *= 3.0
        return
    far = {
        key: 3.0 * value for key, value in vars(state.model).items() if key in ("gamma", "alpha")
    }
    state.model, state.lam.eta = replace(state.model, **far), 0.5 * state.lam.eta


class Step:
    """The step that learns: its mini-batch, and the state before and after."""

    def __init__(self, name: str, monkeypatch):
        self.corpus = texts()
        self.method = make_method(name, "default", known(name, SETTINGS))
        self.whole = self.method.batching == "fixed"
        fits = remember_fits(monkeypatch, MODULES[name]) if name in MODULES else []
        n_steps = LEARN_AFTER * len(PARTS) + len(PARTS) - 1 if self.whole else STEPS
        rng, coming = np.random.default_rng(6), batches(self.corpus)
        state = self.method.init(self.corpus, rng)
        for n in range(n_steps):
            if n == n_steps - len(PARTS) + 1 and self.whole:  # eta changes between passes alone
                set_far(state)
            state, _ = self.method.step(state, next(coming), rng, None)
        if not self.whole:
            set_far(state)
        self.before, self.batch = deepcopy(state), next(coming)
        self.after, self.info = self.method.step(state, self.batch, rng, None)
        self.fits = fits[-len(PARTS) :] if self.whole else fits[-1:]
        self.rho = self._rho(name)

    def _rho(self, name: str) -> float:
        if self.whole:
            return 1.0
        share = self.batch.docs.n_docs / N_DOCS  # all documents were seen before
        decay = (SETTINGS["tau"] + STEPS + 1) ** -SETTINGS["kappa"]
        return {"dpm-tsvi": share, "hdp-tsvi": share, "dpm-svi": max(decay, share)}.get(name, decay)

    def eta(self) -> float:
        """Best for the topics after the step, which still hold the eta from before it."""
        lam = dense(self.after.lam)
        return slow.eta_of_topics(lam - self.after.lam.eta + self.before.lam.eta)

    def tables(self, key: str) -> float:
        """Of the mini-batch, from what the step moved in."""
        moved_in = (
            getattr(self.after, key).sum() - (1.0 - self.rho) * getattr(self.before, key).sum()
        )
        return moved_in / self.rho * self.batch.docs.n_docs / N_DOCS

    def best(self, name: str) -> dict[str, float]:
        """Where each concentration is moved to."""
        after, model = self.after, self.method.model
        if name.startswith("lda"):
            return {"alpha": self.lda_alpha(), "eta": self.eta()}
        if name.endswith("catvi"):
            return {"concentration": self.catvi_concentration(name, model.gamma)}
        gamma, truncated = self.before.model.gamma, name not in UNTRUNCATED
        held = after.tables if name in ("hdp-svi", "hdp-batch") else after.n
        best = {"gamma": slow.gamma_of_sticks(held, gamma, truncated), "eta": self.eta()}
        if name == "hdp-tsvi":
            lengths = self.batch.docs.doc_lengths
            best["alpha"] = slow.alpha_of_tables(self.tables("n"), lengths, N_DOCS)
        elif name in MODULES:
            pairs = [pair for docs, fit in self.fits for _, _, *pair in documents_of(docs, fit)]
            best["alpha"] = slow.alpha_of_sticks(pairs, N_DOCS)
        return best

    def lda_alpha(self) -> float:
        if self.whole:
            return slow.alpha_of_proportions(self.after.gamma)
        counts = self.batch.docs.to_csr().toarray()
        ones = np.ones((len(counts), SETTINGS["n_topics"]))
        lam, alpha = dense(self.before.lam), self.before.model.alpha
        return slow.alpha_of_proportions(naive.lda_gamma(counts, lam, ones, alpha, 150))

    def catvi_concentration(self, name: str, gamma: float) -> float:
        """The rule `mean` moves the weight of the rest to gamma / (gamma + tables)."""
        star = (self.after.rest - (1.0 - self.rho) * self.before.rest) / self.rho
        tables = (gamma / star - gamma) * self.batch.docs.n_docs / N_DOCS
        prior = {"shape": 0.0} if name == "hdp-catvi" else {"shape": gamma - 1.0, "rate": 1.0}
        return slow.alpha_of_tables(tables, self.batch.docs.doc_lengths, N_DOCS, **prior)


def in_force(name: str, state) -> dict[str, float]:
    if name.endswith("catvi"):
        return {"concentration": state.concentration}
    return {**vars(state.model), "eta": state.lam.eta}


@pytest.mark.parametrize("name", NAMES)
def test_a_step_moves_concentrations_as_far_as_it_should(name, monkeypatch):
    step = Step(name, monkeypatch)
    assert step.whole or all(event.kind != "prune" for event in step.info.events)
    before, after = in_force(name, step.before), in_force(name, step.after)
    best = step.best(name)
    assert name.endswith("catvi") or best.keys() == set(METHODS[name].learnable())
    for which, value in best.items():
        expected = (1.0 - step.rho) * before[which] + step.rho * value
        assert after[which] == pytest.approx(expected, rel=1e-5), which
        assert abs(value / before[which] - 1.0) > 0.05, which


def test_every_method_that_learns_is_known_to_these_tests():
    learning = {name for name in METHODS.ours if METHODS[name].learnable()}
    assert learning <= set(NAMES) | DRAWN | BY_THE_BOUND
