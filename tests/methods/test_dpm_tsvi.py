"""Truncation-free inference: the joint law of a batch, the global step, what it finds."""

from collections import Counter

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Batch, Corpus
from bnpexplorer.inference.dirichlet import Dirichlets
from bnpexplorer.inference.mixture import document_log_predictive, with_prior
from bnpexplorer.inference.slices import by_distinct_word
from bnpexplorer.inference.sticks import stick_parameters
from bnpexplorer.kernels.mixture_draws import sample_joint
from bnpexplorer.kernels.tuples import Base, Sticks, Sweeps
from bnpexplorer.methods.dpm_tsvi import DpmTsvi, State, average_assignment
from bnpexplorer.models.base import corpus_from_counts
from bnpexplorer.models.dpm import DPMixture
from tests.tools.gibbs import binomial_gap, moments_gap, pairs_and_old
from tests.twins.mixture import canonical, check_law, joint_law

# The worked example of a batch of three documents.
LAM = np.array([[2.5, 0.7, 1.1], [0.6, 3.0, 0.9]])
U, V, GAMMA, ETA = np.array([3.2, 1.9]), np.array([2.6, 1.3]), 0.7, 0.5
X = np.array([[2, 0, 1], [0, 1, 1], [1, 1, 0]])


def prepared(x, lam, u, v, gamma, eta, alone=False):
    """A function `(burn_in, keep, rng)` that samples the batch, from documents `alone` or not."""
    docs = Corpus.from_csr(x)
    n_words = x.shape[1]
    words, entries = by_distinct_word(docs)
    lam = np.asarray(lam).reshape(len(u), n_words)
    base, total = with_prior(lam.T[words], lam.sum(axis=1), eta, n_words)
    value = document_log_predictive(entries, base, total, None)
    by_component = Base(np.ascontiguousarray(base.T), total)
    old, new = np.ascontiguousarray(value[:, :-1]), np.ascontiguousarray(value[:, -1])
    begin = np.full(len(x), alone)
    return lambda burn_in, keep, rng: sample_joint(
        entries, Sticks(u, v, gamma), by_component, old, new, Sweeps(burn_in, keep), begin, rng
    )[0]


@pytest.mark.second
def test_number_of_new_components_is_the_published_one():
    """2e5 sweeps; the tolerance is six standard errors of correlated draws (about 0.0015)."""
    law = joint_law(X, LAM, U, V, GAMMA, ETA)
    exact = sum(p * len({k for k in z if k >= 2}) for z, p in law.items())
    assert exact == pytest.approx(0.4626023002854505, abs=1e-12)
    kept = prepared(X, LAM, U, V, GAMMA, ETA)(10, 200_000, np.random.default_rng(0))
    n_new = [len({k for k in z if k >= 2}) for z in kept.tolist()]
    assert np.mean(n_new) == pytest.approx(exact, abs=0.009)


def test_one_document_is_drawn_from_the_published_law():
    """Every sweep is an independent draw: 4 standard errors are 3 % of the rarest."""
    n = 400_000
    kept = prepared(X[:1], LAM, U, V, GAMMA, ETA)(0, n, np.random.default_rng(1))[:, 0]
    seen = np.array([np.mean(kept == 0), np.mean(kept == 1), np.mean(kept >= 2)])
    assert binomial_gap(seen, np.array([0.84793982, 0.03277188, 0.11928830]), n) < 4.0


CASES = {
    "no component yet": (np.zeros((0, 4)), np.zeros(0), np.zeros(0), 1.6),
    "one component": (np.array([[1.2, 0.4, 0.9, 0.3]]), np.array([2.0]), np.array([1.1]), 1.1),
    "two components": (
        np.array([[1.2, 0.4, 0.9, 0.3], [0.3, 0.5, 0.3, 1.9]]),
        np.array([1.6, 1.2]),
        np.array([2.4, 1.5]),
        1.5,
    ),
}
DOCS = np.array([[2, 0, 1, 0], [0, 1, 1, 1], [1, 0, 2, 0], [0, 0, 1, 2]])


@pytest.mark.second
@pytest.mark.parametrize(
    ("case", "alone"), [*((case, False) for case in CASES), ("two components", True)]
)
def test_sampler_follows_the_enumerated_joint_law(case, alone):
    """Independent chains of 12 sweeps, so that a chi-square test is in order."""
    lam, u, v, gamma = CASES[case]
    law = joint_law(DOCS, lam, u, v, gamma, 0.3)
    sample, rng = prepared(DOCS, lam, u, v, gamma, 0.3, alone), np.random.default_rng(4)
    n_draws = 30_000
    drawn = Counter(canonical(sample(12, 1, rng)[0], len(u)) for _ in range(n_draws))
    check_law(drawn, law, n_draws)
    assert moments_gap(drawn, law, pairs_and_old(len(u))) < 4.0


@pytest.mark.second
def test_step_draws_from_the_joint_law_of_its_state():
    """Through `step`: document i alone has word i, so that its component shows in the next q."""
    x = np.array([[1, 0, 0, 2, 0], [0, 1, 0, 1, 1], [0, 0, 1, 0, 2]])
    excess, n, gamma, eta = np.array([[0.2, 0.3, 0.1, 1.6, 0.2]]), np.array([0.9]), 1.2, 0.4
    u, v = stick_parameters(n, gamma)
    law = joint_law(x, eta + excess, u, v, gamma, eta)
    method, rng = DpmTsvi(DPMixture(gamma, eta), burn_in=10), np.random.default_rng(0)
    batch = Batch(Corpus.from_csr(x), np.arange(3), 1, 10)
    drawn: Counter = Counter()
    for _ in range(6000):
        lam = Dirichlets.from_excess(excess.copy(), eta)  # a step writes into it
        first = State(method.model, lam, 30, n.copy(), np.arange(1), 1, n_seen=3)
        state, _ = method.step(first, batch, rng, None)
        held = state.lam.at(np.arange(3, dtype=np.int32)) - eta > 2.0
        drawn[canonical(state.topic_ids[held.argmax(axis=1)], 1)] += 1
    check_law(drawn, law, 6000)
    assert moments_gap(drawn, law, pairs_and_old(1)) < 4.0


def test_label_of_a_component_that_emptied_never_comes_back():
    kept = prepared(X, LAM, U, V, GAMMA, ETA)(0, 2000, np.random.default_rng(0))
    labels = np.unique(kept[kept >= 2])
    assert len(labels) > 100
    for label in labels:
        sweeps = np.flatnonzero((kept == label).any(axis=1))
        assert len(sweeps) == sweeps[-1] - sweeps[0] + 1


def test_documents_that_stay_alone_keep_their_labels():
    """Documents without a word in common, nearly always alone: their labels stay put."""
    x = 30 * np.eye(5, dtype=int)
    sample = prepared(x, np.zeros((0, 5)), np.zeros(0), np.zeros(0), 5.0, 0.01)
    kept = sample(0, 200, np.random.default_rng(0))
    assert np.all(kept == kept[0])
    assert sorted(kept[0]) == [0, 1, 2, 3, 4]


def test_average_counts_components_that_died_before_the_last_sweep():
    kept = np.array([[0, 7, 7, 1], [0, 7, 3, 1], [0, 0, 3, 1], [0, 0, 3, 1]])
    share = average_assignment(kept, 2)
    assert share == pytest.approx(
        np.array([[1, 0, 0, 0], [0.5, 0, 0, 0.5], [0, 0, 0.75, 0.25], [0, 1, 0, 0]])
    )


@pytest.fixture
def corpus():
    return DPMixture(3.0, 0.1).sample(np.random.default_rng(1), 90, 25, 15.0).corpus


@pytest.mark.parametrize("keep", [1, 4])
def test_steps_equal_a_dense_twin_keyed_by_identity(corpus, keep):
    """Equation 11 on dense lam, u and v for the same draws; counts are conserved; prunes follow."""
    gamma, eta = 1.3, 0.3
    method = DpmTsvi(DPMixture(gamma, eta), burn_in=2, keep=keep)
    state = method.init(corpus, np.random.default_rng(0))
    every, x = np.arange(25, dtype=np.int32), corpus.to_csr().toarray()
    twin: dict[int, tuple[np.ndarray, float]] = {}
    seen, n_prunes, order = 0, 0, np.random.default_rng(3)
    for step in range(1, 37):
        if step % 9 == 1:
            perm = order.permutation(90)
        rows = perm[10 * ((step - 1) % 9) :][:10]
        batch = Batch(corpus.take(rows), rows, (step - 1) % 9, 9)
        words, entries = by_distinct_word(batch.docs)
        kept, _ = method._draw(state, entries, words, np.random.default_rng(step), None)
        known = [int(i) for i in state.topic_ids]
        state, info = method.step(state, batch, np.random.default_rng(step), None)
        seen = min(90, seen + 10)
        rho = 10 / seen
        born = [e.children[0] for e in info.events if e.kind == "birth"]
        label_ids = dict(enumerate(known)) | dict(
            zip(sorted({int(k) for k in kept.ravel() if k >= len(known)}), born, strict=True)
        )
        twin = {i: ((1 - rho) * lam + rho * eta, (1 - rho) * n) for i, (lam, n) in twin.items()}
        placed = 0.0
        for sweep in kept:
            for row, k in zip(rows, sweep, strict=True):
                lam, n = twin.get(label_ids[int(k)], (np.full(25, eta), 0.0))
                twin[label_ids[int(k)]] = (lam + rho * 9 * x[row] / keep, n + rho * 9 / keep)
                placed += 1 / keep
        assert placed == pytest.approx(10)
        pruned = {e.parents[0] for e in info.events if e.kind == "prune"}
        assert pruned == ({i for i in twin if twin[i][1] < 1 - 1e-9} if step % 9 == 0 else set())
        n_prunes += len(pruned)
        twin = {i: q for i, q in twin.items() if i not in pruned}
        assert set(state.topic_ids) == set(twin)
        assert np.all(np.diff(state.n) <= 0)
        ids = [int(i) for i in state.topic_ids]
        assert state.n == pytest.approx(np.array([twin[i][1] for i in ids]), rel=1e-9)
        lam = state.lam.at(every).T
        assert lam == pytest.approx(np.array([twin[i][0] for i in ids]), rel=1e-9)
        assert info.scalars["step size"] == pytest.approx(rho)
    assert n_prunes > 0


def test_first_epoch_ends_with_one_count_per_document(corpus):
    """rho = S/n_t makes all documents of the first epoch count alike, whatever the batches."""
    method = DpmTsvi(DPMixture(1.0, 0.3), prune_every=1000)
    state = method.init(corpus, np.random.default_rng(0))
    rng = np.random.default_rng(1)
    for index, rows in enumerate(np.split(np.arange(90), [1, 8, 40])):
        state, _ = method.step(state, Batch(corpus.take(rows), rows, index, 4), rng, None)
        assert state.n.sum() == pytest.approx(90)
    words = state.lam.at(np.arange(25, dtype=np.int32)) - 0.3
    assert words.sum(axis=1) == pytest.approx(corpus.to_csr().toarray().sum(axis=0))
    assert set(np.round(state.n, 6)) <= set(range(1, 91)) | {0.0}


def test_component_of_exactly_one_document_survives_the_clearing():
    """Ten batches of three, the loner in the seventh: its size ends at 1 - 1.1e-16."""
    counts = np.tile([9, 9, 0, 0], (30, 1))
    counts[18] = [0, 0, 9, 9]
    corpus, method = Corpus.from_csr(counts), DpmTsvi(DPMixture(1.0, 0.1))
    state = method.init(corpus, np.random.default_rng(0))
    for index in range(10):
        rows = np.arange(3 * index, 3 * index + 3)
        batch = Batch(corpus.take(rows), rows, index, 10)
        state, _ = method.step(state, batch, np.random.default_rng(index), None)
    assert state.since_prune == 0
    assert state.n == pytest.approx(np.array([29.0, 1.0]), abs=1e-9)
    assert state.n[1] < 1.0


def test_every_sweep_is_made(corpus):
    """Each sweep redraws every document once: one more sweep, as many draws more."""
    drawn = []
    for burn_in, keep in ((0, 1), (1, 1), (7, 1), (6, 2)):
        rng, twin = np.random.default_rng(4), np.random.default_rng(4)
        method = DpmTsvi(DPMixture(1.0, 0.5), burn_in=burn_in, keep=keep)
        rows = np.arange(corpus.n_docs)
        method.step(method.init(corpus, rng), Batch(corpus, rows, 0, 1), rng, None)
        end, n = rng.bit_generator.state["state"], 0
        while twin.bit_generator.state["state"] != end:
            twin.random()
            n += 1
            assert n < 10_000
        drawn.append(n)
    assert drawn[1] - drawn[0] >= corpus.n_docs
    assert drawn[2] - drawn[0] == 7 * (drawn[1] - drawn[0])
    assert drawn[3] == drawn[2]


def separable(rng, n_docs, n_clusters):
    components = rng.dirichlet(np.full(100, 0.1), n_clusters)
    z = rng.permutation(np.arange(n_docs) % n_clusters)
    counts = rng.multinomial(np.maximum(rng.poisson(40, n_docs), 1), components[z])
    return corpus_from_counts(counts, "separable"), z


@pytest.mark.second
@pytest.mark.parametrize("size", [1, 10])
def test_finds_the_true_number_of_clusters(size):
    rng = np.random.default_rng(6)
    corpus, z = separable(rng, 1200, 8)
    method = DpmTsvi(DPMixture(1.0, 0.5))
    state = method.init(corpus, rng)
    for _ in range(2):
        perm = rng.permutation(1200)
        for index in range(1200 // size):
            rows = perm[index * size : (index + 1) * size]
            batch = Batch(corpus.take(rows), rows, index, 1200 // size)
            state, _ = method.step(state, batch, rng, None)
    assert len(state.n) == 8
    found = method.model.fold_in(method.topics(state), corpus).argmax(axis=1)
    table = np.zeros((8, 8), int)
    np.add.at(table, (z, found), 1)
    assert table.max(axis=1).sum() >= 1195
    assert len(set(table.argmax(axis=1))) == 8
