"""The global step of hdp-tsvi against a dense twin, its bookkeeping recounted, what it learns."""

import copy
import dataclasses

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference import local_sample
from bnpexplorer.inference.dirichlet import Dirichlets
from bnpexplorer.inference.fold_in import fold_in_proportions
from bnpexplorer.inference.pool import Threads
from bnpexplorer.inference.sticks import expected_weights, stick_parameters
from bnpexplorer.methods import METHODS
from bnpexplorer.methods.hdp_tsvi import HdpTsvi, State
from bnpexplorer.models.hdp import HDP
from tests.tools.methods import dense, take_batch


def random_corpus(seed: int, n_docs: int, n_words: int, length: float) -> Corpus:
    rng = np.random.default_rng(seed)
    return HDP(2.0, 1.0, 0.1).sample(rng, n_docs, n_words, length).corpus


def run_passes(method, corpus: Corpus, batch_size: int, passes: int, seed: int, pool=None):
    """States after every step; the last one is first out of date when stepped again."""
    rng = np.random.default_rng(seed)
    state = method.init(corpus, rng)
    infos = []
    for _ in range(passes):
        order = rng.permutation(corpus.n_docs)
        for i in range(0, corpus.n_docs, batch_size):
            batch = take_batch(corpus, order[i : i + batch_size])
            state, info = method.step(state, batch, rng, pool)
            infos.append(info)
    return state, infos, rng


def arrays(state: State) -> dict[str, np.ndarray]:
    flat = dataclasses.asdict(state)
    flat.update({f"lam.{name}": value for name, value in flat.pop("lam").items()})
    del flat["model"], flat["many"]  # none of a start from nothing
    return {name: np.asarray(value) for name, value in flat.items()}


@pytest.mark.parametrize("counts", ["expected", "drawn"])
def test_the_global_step_agrees_with_a_dense_twin(counts):
    """Equation 11 written out on dense arrays, fed with the same draws, over two passes."""
    corpus = random_corpus(0, 53, 40, 20.0)
    method = HdpTsvi(HDP(5.0, 4.0, 0.2), burn_in=1, kept_sweeps=2, counts=counts)
    rng = np.random.default_rng(1)
    state = method.init(corpus, rng)
    topics: dict[int, tuple[float, np.ndarray]] = {}  # id -> (N, lam)
    next_id, seen = 0, 0
    for step in range(14):
        rows = np.arange(53)[8 * (step % 7) : 8 * (step % 7) + 8]
        before = list(state.topic_ids)
        local = method.sample(state, corpus.take(rows), copy.deepcopy(rng))
        state, _ = method.step(state, take_batch(corpus, rows), rng, None)

        seen = min(53, seen + len(rows))
        rho, scale = len(rows) / seen, 53 / len(rows)
        stats, n_old = local.counts.stats, local.slots.n_old
        tokens = np.zeros((stats.shape[1], 40))
        tokens[:, local.words] = stats.T
        for slot in np.flatnonzero(tokens.sum(axis=1)):
            if slot >= len(before):
                before.append(next_id)
                topics[next_id] = (0.0, np.full(40, 0.2))
                next_id += 1
        used = [*range(n_old), *(n for n in range(n_old, len(tokens)) if tokens[n].sum() > 0)]
        for identity, slot in zip(before, used, strict=True):
            n, lam = topics[identity]
            n = (1 - rho) * n + rho * scale * local.table_stats[slot]
            lam = (1 - rho) * lam + rho * (0.2 + scale * tokens[slot])
            topics[identity] = (n, lam)
        if step in (6, 13):  # 53 documents went by
            topics = {i: (n, lam) for i, (n, lam) in topics.items() if (lam - 0.2).sum() >= 1}
        assert sorted(topics) == sorted(state.topic_ids)
        assert state.n == pytest.approx([topics[i][0] for i in state.topic_ids], abs=1e-9)
        assert dense(state.lam) == pytest.approx(
            np.array([topics[i][1] for i in state.topic_ids]), abs=1e-9
        )
    assert len(topics) > 3


def check_sample(local, state: State, docs: Corpus, method: HdpTsvi) -> None:
    """What the sampler carries along equals a recount from the topics of the tokens."""
    slots = local.slots
    n_slots, old = len(slots.total), slots.n_old
    recount = np.zeros((len(local.words), n_slots))
    np.add.at(recount, (local.tokens.word, local.topic), 1)
    lam = np.full((len(local.words), n_slots), method.model.eta)
    lam[:, :old] = dense(state.lam)[:, local.words].T
    total = np.full(n_slots, method.model.eta * docs.n_words)
    total[:old] = dense(state.lam).sum(axis=1)
    assert np.array_equal(slots.tokens, recount.sum(axis=0))
    assert local.counts.word == pytest.approx(lam + recount, rel=1e-10)
    assert slots.total == pytest.approx(total + slots.tokens, rel=1e-10)
    assert local.counts.stats.sum() == pytest.approx(docs.n_tokens)
    assert slots.weight.sum() + slots.rest[0] == pytest.approx(1.0, abs=1e-12)
    assert np.all((slots.weight > 0)[old:] == (slots.tokens > 0)[old:])
    assert np.all(local.tables <= slots.tokens)
    assert np.all((local.tables > 0) == (slots.tokens > 0))
    expected = np.bincount(local.tokens.word, minlength=len(local.words))
    assert local.counts.stats.sum(axis=1) == pytest.approx(expected)
    closed = set(slots.free[: slots.n_free[0]])
    assert len(closed) == slots.n_free[0]
    assert not local.counts.stats[
        :, sorted(closed)
    ].any()  # a slot once counted is not for another topic
    inside = set(range(old, n_slots))
    assert closed == {k for k in inside if not slots.tokens[k] and not slots.kept[k]}


@pytest.mark.second
@pytest.mark.parametrize("seed", range(6))
def test_invariants_hold_over_random_steps(seed):
    rng = np.random.default_rng(seed)
    corpus = random_corpus(seed, 60, int(rng.integers(2, 50)), float(rng.integers(1, 30)))
    model = HDP(*rng.choice([0.05, 0.8, 20.0], 2), rng.choice([0.01, 0.5]))
    sweeps = {"burn_in": int(rng.integers(0, 3)), "kept_sweeps": int(rng.integers(1, 3))}
    counts, alone = ("expected", "drawn")[seed % 2], 0.3 * (seed // 3)
    method = HdpTsvi(model, **sweeps, counts=counts, alone=alone)
    state = method.init(corpus, rng)
    assert len(method.topics(state)) == 0
    assert method.topics(state).unseen == 1.0
    born, gone, prunes = set(), set(), 0
    for _ in range(25):
        rows = rng.choice(60, int(rng.integers(1, 20)), replace=False)
        docs = corpus.take(rows)
        check_sample(method.sample(state, docs, copy.deepcopy(rng)), state, docs, method)
        size, seen, alive = state.lam.size.sum(), state.n_seen, set(state.topic_ids)
        state, info = method.step(state, take_batch(corpus, rows), rng, None)
        births = {e.children[0] for e in info.events if e.kind == "birth"}
        pruned = {e.parents[0] for e in info.events if e.kind == "prune"}
        assert not births & born
        assert len(births) + len(pruned) == len(info.events)
        assert info.scalars["new topics"] == len(births)
        born, gone, prunes = born | births, gone | pruned, prunes + bool(pruned)
        assert set(state.topic_ids) == (alive | births) - pruned
        assert gone.isdisjoint(state.topic_ids)
        assert np.all(np.diff(state.n) <= 0)
        sticks_a, sticks_b = stick_parameters(state.n, model.gamma)
        for k in range(len(state.n)):
            later = model.gamma + (sticks_a[k + 1 :] - 1).sum()
            assert sticks_b[k] == pytest.approx(later, rel=1e-9)
        topics = method.topics(state)
        assert topics.weight.sum() + topics.unseen == pytest.approx(1.0, abs=1e-12)
        assert topics.topic_word.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
        rho = len(rows) / min(60, seen + len(rows))
        blended = (1 - rho) * size + rho * docs.n_tokens * 60 / len(rows)
        if not pruned:
            assert topics.size.sum() == pytest.approx(blended)
    assert born


def test_prunes_happen_and_only_take_small_topics():
    corpus = random_corpus(3, 40, 30, 12.0)
    method = HdpTsvi(HDP(30.0, 30.0, 0.5), burn_in=0, kept_sweeps=4)
    rng = np.random.default_rng(0)
    state = method.init(corpus, rng)
    n_pruned = 0
    for step in range(40):
        before = dict(zip(state.topic_ids, state.lam.size, strict=True))
        batch = take_batch(corpus, np.arange(10) + 10 * (step % 4))
        state, info = method.step(state, batch, rng, None)
        pruned = [e.parents[0] for e in info.events if e.kind == "prune"]
        n_pruned += len(pruned)
        n_born = sum(event.kind == "birth" for event in info.events)
        assert info.scalars["new topics"] == n_born == len(info.events) - len(pruned)
        if step % 4 == 3:  # 40 documents went by
            assert state.lam.size.min() >= 1 - 1e-9
        else:
            assert not pruned
        rho = 10 / min(40, 10 * step + 10)
        assert all((1 - rho) * before.get(i, 0.0) < 1 for i in pruned)
    assert n_pruned > 5


def test_room_for_new_topics_has_no_influence(monkeypatch):
    """Slots run out in the midst of documents; the draws must go on as if there were plenty."""
    corpus = random_corpus(4, 30, 60, 40.0)
    method = HdpTsvi(HDP(20.0, 20.0, 0.05), burn_in=2, kept_sweeps=2)
    results = []
    for room in (1, 400):
        monkeypatch.setattr(local_sample, "FIRST_ROOM", room)
        results.append(arrays(run_passes(method, corpus, 10, 2, seed=0)[0]))
    for name in ("n", "topic_ids", "lam.row_sum", "lam.slots", "lam.stats"):
        assert np.array_equal(results[0][name], results[1][name]), name
    assert len(results[0]["n"]) > 20


# --- what it learns -------------------------------------------------------------------------------


def bars(rng: np.random.Generator, n_docs: int, length: int) -> tuple[Corpus, np.ndarray]:
    """Griffiths & Steyvers 2004: ten topics, the rows and columns of a 5 x 5 grid."""
    grid = np.zeros((10, 5, 5))
    for i in range(5):
        grid[i, i, :] = grid[5 + i, :, i] = 0.2
    topics = grid.reshape(10, 25)
    theta = rng.dirichlet(np.full(10, 0.15), n_docs)
    counts = np.stack([rng.multinomial(length, t @ topics) for t in theta])
    return Corpus.from_csr(counts), topics


def completion_score(topics, docs: Corpus, rng: np.random.Generator) -> tuple[float, float]:
    """Log probability per token of half of each document given the rest, and the unigram's."""
    counts = docs.to_csr().toarray()
    seen = rng.binomial(counts, 0.5)
    both = (seen.sum(axis=1) > 0) & ((counts - seen).sum(axis=1) > 0)
    seen, hidden = seen[both], (counts - seen)[both]
    theta = fold_in_proportions(topics, Corpus.from_csr(seen))
    p = theta @ topics.topic_word + (1 - theta.sum(axis=1, keepdims=True)) / docs.n_words
    unigram = (counts.sum(axis=0) + 0.1) / (counts.sum() + 0.1 * docs.n_words)
    return (hidden * np.log(p)).sum() / hidden.sum(), (
        hidden * np.log(unigram)
    ).sum() / hidden.sum()


@pytest.mark.second
def test_bars_are_recovered():
    rng = np.random.default_rng(0)
    corpus, truth = bars(rng, 600, 50)
    method = HdpTsvi(HDP(1.0, 3.0, 0.1), burn_in=40, kept_sweeps=10)
    topics = method.topics(run_passes(method, corpus.take(np.arange(500)), 100, 4, seed=1)[0])
    errors = 0.5 * np.abs(topics.topic_word[:, None, :] - truth).sum(axis=2)
    assert np.all(errors.min(axis=0) < 0.1)
    assert topics.weight[errors.min(axis=1) < 0.1].sum() > 0.95
    score, unigram = completion_score(topics, corpus.take(np.arange(500, 600)), rng)
    assert score > unigram + 0.5


@pytest.mark.parametrize("counts", ["expected", "drawn"])
def test_equal_seeds_give_equal_bits_for_any_pool(counts):
    corpus = random_corpus(1, 60, 50, 30.0)
    method = HdpTsvi(burn_in=2, kept_sweeps=2, counts=counts)
    alone = arrays(run_passes(method, corpus, 16, 2, seed=5)[0])
    with Threads(2) as pool:
        pooled = arrays(run_passes(method, corpus, 16, 2, seed=5, pool=pool)[0])
    other = arrays(run_passes(method, corpus, 16, 2, seed=6)[0])
    assert all(np.array_equal(alone[name], pooled[name]) for name in alone)
    assert not np.array_equal(alone["n"], other["n"])


def test_a_copied_state_continues_identically():
    corpus = random_corpus(2, 60, 50, 30.0)
    method = HdpTsvi(burn_in=1, kept_sweeps=2)
    state, _, rng = run_passes(method, corpus, 16, 1, seed=5)
    flat = arrays(state)
    assert all(value.dtype.kind in "fi" for value in flat.values())
    lam = Dirichlets(**{k[4:]: _plain(v) for k, v in flat.items() if k.startswith("lam.")})
    rest = {k: _plain(v) for k, v in flat.items() if not k.startswith("lam.")}
    restored, rng_too = State(state.model, lam, **rest), copy.deepcopy(rng)
    for i in range(6):
        batch = take_batch(corpus, np.arange(10) + 10 * i)
        state, _ = method.step(state, batch, rng, None)
        restored, _ = method.step(restored, batch, rng_too, None)
    a, b = arrays(state), arrays(restored)
    assert all(np.array_equal(a[name], b[name]) for name in a)


def _plain(value: np.ndarray):
    return value.item() if value.ndim == 0 else value.copy()


@pytest.mark.parametrize(
    ("counts", "batch_size"),
    [([[3]], 1), ([[1, 0, 2]], 1), ([[4], [1], [2]], 1), ([[1, 2], [3, 0], [0, 1]], 3)],
    ids=["one word and document", "one document", "one word", "batch is the corpus"],
)
def test_the_smallest_corpora_work(counts, batch_size):
    corpus = Corpus.from_csr(np.array(counts))
    method = HdpTsvi(HDP(1.0, 1.0, 0.1))
    topics = method.topics(run_passes(method, corpus, batch_size, 5, seed=0)[0])
    assert len(topics) >= 1
    assert np.all(np.isfinite(topics.topic_word))
    assert topics.weight.sum() + topics.unseen == pytest.approx(1.0)
    assert topics.size.min() >= 1 - 1e-9


@pytest.mark.second
def test_single_documents_are_learned_one_by_one():
    """S = 1: a slow start (the first document stands for the corpus), but it beats the unigram."""
    rng = np.random.default_rng(3)
    corpus, _ = bars(rng, 400, 40)
    method = HdpTsvi(HDP(1.0, 3.0, 0.1), burn_in=10, kept_sweeps=2)
    topics = method.topics(run_passes(method, corpus.take(np.arange(300)), 1, 3, seed=1)[0])
    score, unigram = completion_score(topics, corpus.take(np.arange(300, 400)), rng)
    assert score > unigram + 0.15


def test_first_batch_of_an_empty_state_has_full_weight():
    """rho_1 = 1: what was before the data does not count."""
    corpus = random_corpus(6, 30, 20, 15.0)
    method = HdpTsvi(burn_in=1, kept_sweeps=3)
    state, info = method.step(
        method.init(corpus, np.random.default_rng(0)),
        take_batch(corpus, np.arange(6)),
        np.random.default_rng(0),
        None,
    )
    assert info.scalars["step size"] == 1.0
    assert state.lam.size.sum() == pytest.approx(corpus.take(np.arange(6)).n_tokens * 30 / 6)
    weight, unseen = expected_weights(state.n, method.model.gamma, truncated=False)
    assert method.topics(state).unseen == unseen < weight.sum()


def test_the_method_is_registered_with_the_paper_s_setting():
    assert METHODS["hdp-tsvi"] is HdpTsvi
    paper = HdpTsvi.presets["wang-blei-2012"]
    assert paper.model == {"gamma": 1.0, "alpha": 1.0, "eta": 0.01}
    assert "default" in HdpTsvi.presets
