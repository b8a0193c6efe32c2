"""Collapsed Gibbs for mixtures: the enumerated posterior, and the joint-distribution test."""

import math
from collections import Counter

import numpy as np
import pytest
from scipy.stats import gamma as gamma_law

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference.concentrations import CONCENTRATION_PRIOR, ETA_PRIOR
from bnpexplorer.inference.dirichlet import Dirichlets
from bnpexplorer.methods.dpm_gibbs import DpmGibbs, State
from bnpexplorer.models.dpm import DPMixture
from tests.tools.gibbs import largest_gap, moments_gap, pairs
from tests.tools.methods import corpus_of_counts, in_turn, one_pass
from tests.twins import particles as naive
from tests.twins.mixture import canonical, check_law, law_in_turn
from tests.twins.particles import partition_of

GAMMA, ETA = 0.9, 0.5
X = np.array([[2, 0, 1], [0, 2, 1], [1, 0, 1], [0, 3, 0], [1, 1, 1]])
ALL = naive.partitions(5)


def chain(n_passes, size=5, seed=0, **knobs):
    """Partitions as the clusters of all documents, gammas and etas of a long run; 200 passes go
    first."""
    method, corpus = (
        DpmGibbs(DPMixture(GAMMA, ETA), start="nothing", moves=0, burn_in=10**5, **knobs),
        Corpus.from_csr(X),
    )
    rng = np.random.default_rng(seed)
    state, drawn, blocks = method.init(corpus, rng), [], in_turn(corpus, size)
    for n in range(200 + n_passes):
        state, _ = one_pass(method, state, blocks, rng)
        if n >= 200:
            drawn.append((state.z.copy(), state.gamma, state.lam.eta))
    return tuple(map(np.array, zip(*drawn, strict=True)))


def normalised(log_weights) -> np.ndarray:
    weights = np.exp(np.array(log_weights) - np.max(log_weights))
    return weights / weights.sum()


def labels(partition: naive.Partition) -> list[int]:
    return [next(k for k, c in enumerate(partition) if i in c) for i in range(5)]


MOMENTS = np.array([pairs(labels(p)) for p in ALL])
"""Of every partition: ten pairs of documents, the number of clusters, its square, is it one."""
N_CLUSTERS = np.array([len(p) for p in ALL])


def distance(z: np.ndarray, law: np.ndarray) -> float:
    """Total variation between draws and a law over `ALL`."""
    drawn = Counter(map(partition_of, z))
    return 0.5 * sum(abs(drawn[p] / len(z) - q) for p, q in zip(ALL, law, strict=True))


def grid(prior, log_given) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values (G,), and ln [prior x likelihood] (52, G), on a grid even in the logarithm.

    `log_given(partition, values)` is that of all values at once.
    """
    values = np.exp(np.linspace(np.log(1e-4), np.log(200.0), 600))
    shape, rate = prior
    log_prior = gamma_law(shape, scale=1 / rate).logpdf(values) + np.log(values)
    return values, np.array([log_given(p, values) for p in ALL]) + log_prior


@pytest.mark.second
@pytest.mark.parametrize(("size", "n_passes"), [(5, 8000), (2, 5000)])
def test_long_runs_visit_partitions_as_often_as_the_posterior_says(size, n_passes):
    """13 means within 4 standard errors, which are 0.006 (0.008) for a pair of documents.

    Independent draws would be 0.025 (0.031) away in distance; there are 52 partitions.
    """
    law = normalised([naive.log_crp(p, GAMMA) + naive.log_words(X, p, ETA) for p in ALL])
    z, _, _ = chain(n_passes, size)
    assert largest_gap([pairs(row) for row in z], law @ MOMENTS) < 4.0
    assert distance(z, law) < 1.5 * 2.2 / np.sqrt(n_passes)


@pytest.mark.second
def test_learned_concentrations_follow_their_posterior():
    """gamma and eta integrated over a grid for every partition: given it they are independent.

    8,000 passes: 13 means of partitions, six of ln gamma and ln eta, alone and with the number of
    clusters, and six probabilities of being below a quantile, all within 4 standard errors.
    """
    gammas, of_gamma = grid(CONCENTRATION_PRIOR, naive.log_crp)
    etas, of_eta = grid(ETA_PRIOR, lambda p, v: naive.log_words(X, p, v))
    joint_gamma = np.logaddexp.reduce(of_gamma, axis=1)
    joint_eta = np.logaddexp.reduce(of_eta, axis=1)
    law = normalised(joint_gamma + joint_eta)
    z, drawn_gammas, drawn_etas = chain(8000, learn_gamma=True, learn_eta=True)
    seen, exact = [pairs(row) for row in z], [law @ MOMENTS]
    sizes = np.array([len(set(row.tolist())) for row in z])
    columns = []
    for values, logs, joint, drawn in (
        (gammas, of_gamma, joint_gamma, drawn_gammas),
        (etas, of_eta, joint_eta, drawn_etas),
    ):
        given = np.exp(logs - joint[:, None])  # the density of every partition
        means = given @ np.log(values)
        exact.append([law @ means, (law * N_CLUSTERS) @ means, law @ (given @ np.log(values) ** 2)])
        columns += [np.log(drawn), sizes * np.log(drawn), np.log(drawn) ** 2]
        for level in (0.1, 0.5, 0.9):
            cut = values[np.searchsorted(np.cumsum(law @ given), level)]
            # Half a cell of the grid: the density of ln x is summed, not integrated.
            edge = cut * (values[1] / values[0]) ** 0.5
            exact.append([(law @ given)[values <= cut].sum()])
            columns.append(drawn <= edge)
    assert largest_gap(np.column_stack([seen, *columns]), np.concatenate(exact)) < 4.0
    assert distance(z, law) < 0.05


@pytest.mark.second
def test_learned_gamma_alone_follows_its_posterior():
    """6,000 passes; 18 means within 4 standard errors.

    What gamma differs from its mean given the number of clusters hardly depends on the pass
    before: 0.08 of ln gamma would be seen.
    """
    gammas, of_gamma = grid(CONCENTRATION_PRIOR, naive.log_crp)
    joint = np.logaddexp.reduce(of_gamma, axis=1)
    law = normalised(joint + [naive.log_words(X, p, ETA) for p in ALL])
    given = np.exp(of_gamma - joint[:, None])
    density = law @ given
    z, found, etas = chain(6000, learn_gamma=True)
    assert np.all(etas == ETA)
    sizes = np.array([len(set(row.tolist())) for row in z])
    mean = dict(zip(N_CLUSTERS.tolist(), given @ np.log(gammas), strict=True))
    surprise = np.log(found) - [mean[k] for k in sizes.tolist()]
    seen = [[pairs(row) for row in z], np.log(found), found, surprise, surprise * sizes, found < 1]
    below_one = density[gammas < 1.0].sum()
    exact = [*(law @ MOMENTS), density @ np.log(gammas), density @ gammas, 0.0, 0.0, below_one]
    assert largest_gap(np.column_stack(seen), np.array(exact)) < 4.0


# ---- the joint-distribution test (Geweke 2004) ------------------------------------------------

LENGTHS = np.array([3, 4, 2, 3])
N_WORDS = 3


def draw_words(z, eta, rng):
    """Documents given their clusters."""
    _, columns = np.unique(z, return_inverse=True)
    components = rng.dirichlet(np.full(N_WORDS, eta), columns.max() + 1)
    return rng.multinomial(LENGTHS, components[columns])


def what_is_compared(x, z, gamma, eta) -> list[float]:
    n = np.unique(z, return_counts=True)[1]
    together = float((x[0] * x[1]).sum() + (x[2] * x[3]).sum())
    pure = float((x.max(axis=1) == LENGTHS).sum())
    same = float(z[0] == z[1]) + float(z[1] == z[3])
    return [len(n), float((n**2).sum()), together, pure, same * together, math.log(gamma), eta]


def draw_clusters(gamma, rng):
    z: list[int] = []
    for i in range(len(LENGTHS)):
        # Beside one of those who sit, or alone.
        beside = int(rng.random() * (i + gamma))
        z.append(z[beside] if beside < i else max(z, default=-1) + 1)
    return np.array(z)


def state_of(x, z, gamma, eta) -> State:
    """The method's state for a partition; labels are identities."""
    ids, columns = np.unique(z, return_inverse=True)
    held = np.zeros((len(ids), N_WORDS))
    np.add.at(held, columns, x)
    n = np.bincount(columns)
    lam = Dirichlets.from_excess(held, eta)
    return State(lam, gamma, z.copy(), n, ids, int(ids.max()) + 1, n_passes=1)


@pytest.mark.second
@pytest.mark.parametrize(("learn", "moves"), [(False, 0), (True, 0), (True, 2)])
def test_joint_distribution(learn, moves):
    """Drawing everything from the prior, or x given all and then all given x: the same law.

    Standard errors from 40 blocks of the chain; of 7 numbers none may be 4.5 of them away.
    """
    method = DpmGibbs(
        DPMixture(GAMMA, ETA), start="nothing", moves=moves, learn_gamma=learn, learn_eta=learn
    )
    rng = np.random.default_rng(11)

    def from_priors() -> tuple[float, float]:
        if not learn:
            return GAMMA, ETA
        (p, q), (r, s) = CONCENTRATION_PRIOR, ETA_PRIOR
        return rng.gamma(p, 1 / q), max(rng.gamma(r, 1 / s), 1e-4)

    straight = []
    for _ in range(4000):
        gamma, eta = from_priors()
        z = draw_clusters(gamma, rng)
        straight.append(what_is_compared(draw_words(z, eta, rng), z, gamma, eta))
    gamma, eta = from_priors()
    z, around = draw_clusters(gamma, rng), []
    for _ in range(4000):
        x = draw_words(z, eta, rng)
        state = state_of(x, z, gamma, eta)
        state, _ = one_pass(method, state, in_turn(corpus_of_counts(x), 3), rng)
        z, gamma, eta = state.z, state.gamma, state.lam.eta
        around.append(what_is_compared(x, z, gamma, eta))
    straight, around = np.array(straight), np.array(around)
    blocks = around.reshape(40, 100, -1).mean(axis=1)
    error = np.sqrt(blocks.var(axis=0) / 40 + straight.var(axis=0) / 4000)
    gap = np.abs(straight.mean(axis=0) - around.mean(axis=0))
    assert np.all(gap <= 4.5 * error + 1e-9), gap / np.maximum(error, 1e-9)


@pytest.mark.second
@pytest.mark.parametrize("size", [4, 2, 1])
def test_first_pass_seats_each_document_given_those_before(size):
    law = law_in_turn(X[:4], [], [], [], GAMMA, ETA)
    method, corpus = (
        DpmGibbs(DPMixture(GAMMA, ETA), start="nothing", moves=0),
        Corpus.from_csr(X[:4]),
    )
    rng, drawn, blocks = np.random.default_rng(2), Counter(), in_turn(corpus, size)
    for _ in range(1200):
        state, _ = one_pass(method, method.init(corpus, rng), blocks, rng)
        drawn[canonical(state.z, 0)] += 1
    check_law(drawn, law, 1200)
    assert moments_gap(drawn, law, pairs) < 4.0
