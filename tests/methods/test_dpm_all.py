"""What the mixture's variational, locally collapsed and sequential methods promise alike."""

import dataclasses

import numpy as np
import pytest

from bnpexplorer.checks.expecting import expect_sound, known, learned_topics
from bnpexplorer.corpus.corpus import Batch, Corpus
from bnpexplorer.corpus.matrix import MAX_COUNT
from bnpexplorer.inference.mixture import log_predictive
from bnpexplorer.inference.pool import Threads
from bnpexplorer.methods import METHODS, make_method
from bnpexplorer.models.base import corpus_from_counts
from bnpexplorer.models.dpm import DPMixture
from bnpexplorer.runs.run import Run

NAMES = ["dpm-batch", "dpm-svi", "dpm-collapsed", "dpm-tsvi", "dpm-sumo"]


def train(name, corpus, seed=0, pool=None, passes=2, size=16, **knobs):
    kind = METHODS[name]
    if hasattr(kind, "truncation"):
        knobs.setdefault("truncation", 6)
    method, rng = kind(DPMixture(1.0, 0.3), **knobs), np.random.default_rng(seed)
    state = method.init(corpus, rng)
    passes = 1 if kind.batching == "once" else passes
    infos = []
    starts = range(0, corpus.n_docs, size)
    for _ in range(passes):
        for index, first in enumerate(starts):
            rows = np.arange(first, min(first + size, corpus.n_docs))
            batch = Batch(corpus.take(rows), rows, index, len(starts))
            state, info = method.step(state, batch, rng, pool)
            infos.append(info)
    return method, state, infos


def same(a, b) -> bool:
    """Bitwise equality of two states, through nested dataclasses."""
    if dataclasses.is_dataclass(a):
        return all(same(getattr(a, f.name), getattr(b, f.name)) for f in dataclasses.fields(a))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    return a == b


@pytest.fixture
def corpus():
    return DPMixture(2.0, 0.1).sample(np.random.default_rng(1), 70, 30, 12.0).corpus


@pytest.mark.parametrize("name", NAMES)
def test_equal_seeds_give_equal_bits_with_any_pool_and_leave_the_corpus_alone(name, corpus):
    before = corpus.fingerprint
    _, alone, infos = train(name, corpus)
    with Threads(3) as pool:
        _, pooled, pooled_infos = train(name, corpus, pool=pool)
    assert same(alone, pooled)
    assert [i.events for i in infos] == [i.events for i in pooled_infos]
    assert corpus.fingerprint == before
    _, other, _ = train(name, corpus, seed=1)
    assert not same(alone, other)


@pytest.mark.parametrize("name", NAMES)
def test_topics_are_whole_and_fresh(name, corpus):
    method, state, _ = train(name, corpus)
    topics = method.topics(state)
    assert topics.topic_word.dtype == np.float32
    assert topics.topic_word.sum(axis=1) == pytest.approx(np.ones(len(topics)), abs=1e-5)
    assert topics.weight.sum() + topics.unseen == pytest.approx(1.0, abs=1e-12)
    assert topics.size.sum() == pytest.approx(70, rel=1e-6) or METHODS[name].batching == "shuffled"
    assert np.isnan(topics.concentration)
    assert len(set(topics.topic_ids)) == len(topics) > 1
    for array in (topics.topic_word, topics.total, topics.size, topics.weight, topics.topic_ids):
        array[:] = 0
    assert not np.array_equal(method.topics(state).size, topics.size)
    assert method.topics(state).topic_word.min() > 0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "counts", [[[3]], [[2], [1], [5]], [[1, 0, 4]], [[0, 1, 0], [0, 70, 0]]], ids=str
)
def test_one_word_and_one_document_are_enough(name, counts):
    tiny = Corpus.from_csr(np.array(counts))
    method, state, _ = train(name, tiny, passes=3, size=2)
    topics = method.topics(state)
    scores = log_predictive(topics, tiny)
    assert np.all(np.isfinite(scores))
    assert np.all(scores < 1e-5)
    assert np.all(np.isfinite(topics.total))
    assert method.model.fold_in(topics, tiny).shape == (tiny.n_docs, len(topics))
    moving = METHODS[name].batching == "shuffled"  # a last, shorter batch of the pass counts more
    assert topics.size.sum() == pytest.approx(tiny.n_docs, rel=0.5 if moving else 1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_learning_predicts_better_than_the_prior(name):
    rng = np.random.default_rng(9)
    whole = DPMixture(2.0, 0.05).sample(rng, 300, 40, 15.0).corpus
    known, new = whole.take(np.arange(250)), whole.take(np.arange(250, 300))
    many = {"truncation": 20} if hasattr(METHODS[name], "truncation") else {}
    method, state, _ = train(name, known, passes=6, **many)
    frequency = np.asarray(known.to_csr().sum(axis=0)).ravel() + 0.3
    unigram = (new.to_csr() @ np.log(frequency / frequency.sum())).sum()
    learned = log_predictive(method.topics(state), new).sum()
    assert learned > unigram + 50


@pytest.mark.parametrize("name", ["dpm-batch", "dpm-svi", "dpm-collapsed"])
@pytest.mark.parametrize("seed", range(2))
def test_finds_the_true_number_of_clusters(name, seed):
    """Eight well separated clusters; the files of the other methods hold their own such test."""
    rng = np.random.default_rng(seed)
    components, z = rng.dirichlet(np.full(100, 0.1), 8), rng.permutation(np.arange(600) % 8)
    known = corpus_from_counts(
        rng.multinomial(np.maximum(rng.poisson(40, 600), 1), components[z]), "separable"
    )
    many = {"truncation": 20} if hasattr(METHODS[name], "truncation") else {}
    method, state, _ = train(name, known, seed=seed, passes=40, size=100, **many)
    topics = method.topics(state)
    large = np.flatnonzero(topics.size >= 10)
    assert len(large) == 8
    found = method.model.fold_in(topics, known).argmax(axis=1)
    table = np.array([[((found == k) & (z == true)).sum() for true in range(8)] for k in large])
    assert table.max(axis=0).sum() >= 595
    assert len(set(table.argmax(axis=0))) == 8


@pytest.mark.parametrize("name", ["dpm-collapsed", "dpm-tsvi", "dpm-sumo"])
def test_nothing_learned_yet_means_no_topics(name, corpus):
    method = METHODS[name](DPMixture(1.0, 0.3))
    topics = method.topics(method.init(corpus, np.random.default_rng(0)))
    assert len(topics) == 0
    assert topics.topic_word.shape == (0, 30)
    assert topics.unseen == 1.0
    assert method.model.fold_in(topics, corpus).shape == (70, 0)


@pytest.mark.parametrize("name", NAMES)
def test_presets_are_valid_settings(name):
    for preset in METHODS[name].presets.values():
        METHODS[name](DPMixture(**preset.model), **preset.knobs)
    assert "default" in METHODS[name].presets
    wang_blei, das = {"gamma": 1.0, "eta": 0.5}, {"gamma": 0.5, "eta": 0.5}
    expected = {"wang-blei-2012": wang_blei, "das-2015": das, "from-many": {}}
    for preset in METHODS[name].presets.keys() - {"default"}:
        assert METHODS[name].presets[preset].model == expected[preset]


@pytest.mark.parametrize("name", ["dpm-tsvi", "dpm-collapsed", "dpm-gibbs", "dpm-sumo"])
def test_room_is_made_for_as_many_components_as_a_batch_opens(name):
    """Sixty documents without a word in common, in one batch: each ends in a cluster of its own."""
    lonely = Corpus.from_csr(np.diag(np.full(60, 30)))
    from_nothing = {"start": "nothing"} if name == "dpm-gibbs" else {}
    method = METHODS[name](DPMixture(20.0, 0.01), **from_nothing)
    rng = np.random.default_rng(0)
    state = method.init(lonely, rng)
    state, _ = method.step(state, Batch(lonely, np.arange(60), 0, 1), rng, None)
    topics = method.topics(state)
    assert len(topics) == 60
    np.testing.assert_allclose(topics.size, 1.0)
    np.testing.assert_allclose(topics.total, 60 * 0.01 + 30)
    assert sorted(topics.topic_word.argmax(axis=1)) == list(range(60))


@pytest.mark.parametrize("name", [n for n in METHODS if METHODS[n]().model.mixture])
def test_one_cluster_may_hold_as_many_tokens_of_a_word_as_a_corpus_may(name):
    """Two documents of 1.5e9 gave word probabilities of -2e9; from that many on none is made."""
    counts = np.array([[MAX_COUNT // 2, 1], [MAX_COUNT - MAX_COUNT // 2, 1]])
    few = known(name, {"learn_eta": False, "truncation": 3})
    run = Run(make_method(name, "default", few), Corpus.from_csr(counts), passes=3)
    topics = learned_topics(run)
    expect_sound(topics, 2)
    assert topics.topic_word.max() > 0.99
    held = topics.total - 2 * topics.eta
    assert held.sum() == pytest.approx(MAX_COUNT + 2, rel=0.5)
