"""What the tests of dpm-sumo share: its method and state, by the names of the slow twin."""

import numpy as np

from bnpexplorer.inference.dirichlet import Dirichlets
from bnpexplorer.methods.sumo.dpm_sumo import DpmSumo, State
from bnpexplorer.models.dpm import DPMixture
from tests.twins.osbp import Past, Prior


def method_of(prior: Prior, **knobs) -> DpmSumo:
    model = DPMixture(prior.gamma, prior.eta)
    return DpmSumo(model, mu=prior.mu, base_gamma=prior.base_gamma, **knobs)


def state_of(past: Past, prior: Prior) -> State:
    flat = [(j, s, m) for j, tables in enumerate(past.tables) for m, s in tables]
    restaurant, dish, docs = np.array(flat, np.int64).T
    lam = Dirichlets.from_excess(np.array(past.words, float), prior.eta)
    return State(lam, prior.base_gamma, np.array(past.visits), restaurant, dish, docs)
