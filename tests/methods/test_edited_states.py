"""Topics changed by hand: what the new state takes from the one that it comes from."""

import numpy as np
import pytest

from bnpexplorer.checks.expecting import known
from bnpexplorer.inference import edited_clusters, edited_tokens
from bnpexplorer.inference.start import GivenTopics
from bnpexplorer.methods import METHODS, dpm_gibbs, make_method
from bnpexplorer.methods.base import can_edit
from bnpexplorer.methods.direct import edits as direct
from bnpexplorer.methods.direct.hdp_gibbs import HdpGibbs
from bnpexplorer.methods.parallel import edits as parallel
from bnpexplorer.models.dpm import DPMixture
from bnpexplorer.state.invariants import StateContext
from tests.tools.methods import blocks_of, corpus_of, in_turn, one_pass

NAMES = [name for name in METHODS.ours if can_edit(METHODS[name]())]
VALUES = {
    "n_topics": 9,
    "start": "nothing",
    "start_passes": 1,
    "gamma": 6.0,
    "learn_gamma": True,
    "learn_alpha": True,
    "learn_eta": True,
}


@pytest.fixture(scope="module")
def texts(bars):
    return bars[0].take(np.arange(40))


def learned(name, texts):
    """The method, its state after four passes, and what a change stands on."""
    method, rng = make_method(name, "default", known(name, VALUES)), np.random.default_rng(3)
    state = method.init(texts, rng)
    for _ in range(4):
        state, _ = one_pass(method, state, in_turn(texts, 15), rng)
    return method, state, StateContext(texts, {}, np.arange(40), 15, 0, 4)


def sizes_of(topics):
    sizes = zip(topics.topic_ids.tolist(), topics.size.tolist(), strict=True)
    return {topic: size for topic, size in sizes if size}


@pytest.mark.parametrize("name", NAMES)
def test_merged_topics_are_the_largest_in_whatever_order_they_were_given(name, texts):
    method, state, ground = learned(name, texts)
    before = method.topics(state)
    large, middle, small = before.topic_ids[before.by_size][:3].tolist()
    for chosen in ((middle, small, large), (small, large), (large, small)):
        new, event = method.edit(state, "merge", chosen, ground, np.random.default_rng(0))
        assert (event.kind, event.parents, event.children) == ("merge", chosen, (large,))
        held = sizes_of(before)
        held[large] = sum(held.pop(topic) for topic in chosen)
        assert sizes_of(method.topics(new)) == held


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["merge", "split", "delete"])
def test_concentrations_that_were_learned_stay_in_force(name, kind, texts):
    method, state, ground = learned(name, texts)
    before = method.topics(state)
    used = before.topic_ids[before.by_size][before.in_use[before.by_size]].tolist()
    if kind == "split" and name == "lda-gibbs":  # a part needs an empty place
        state, _ = method.edit(state, "merge", tuple(used[-2:]), ground, np.random.default_rng(1))
    chosen = tuple(used[:2] if kind == "merge" else used[:1])
    new, event = method.edit(state, kind, chosen, ground, np.random.default_rng(0))
    after, model = method.topics(new), method.model
    names = method.learnable()
    assert "eta" in names
    assert (after.eta, new.n_passes, new.edited) == (before.eta, 4, 4)
    assert before.eta != model.eta
    np.testing.assert_equal(after.gamma, before.gamma)
    np.testing.assert_equal(after.concentration, before.concentration)
    if "gamma" in names:
        assert before.gamma != model.gamma
    if kind == "split":
        assert event.parents == chosen
        assert event.children[0] == chosen[0]
        assert sizes_of(after)[event.children[0]] >= sizes_of(after)[event.children[1]]


@pytest.mark.parametrize(
    ("name", "module"),
    [("hdp-gibbs", direct), ("hdp-parallel-gibbs", parallel)],
    ids=["hdp-gibbs", "hdp-parallel-gibbs"],
)
def test_words_go_to_topics_by_their_weights_in_a_document(name, module, texts, monkeypatch):
    """alpha pi_k: what a part of a topic, or a topic that takes words in, has beside tokens."""
    method, state, ground = learned(name, texts)
    topics = method.topics(state)
    one = int(topics.topic_ids[topics.by_size][1])
    slot = int(np.flatnonzero(state.slot_ids == one)[0])
    masses, bases, divided, dealt = [], [], module.second_part, module.dealt_out
    monkeypatch.setattr(module, "second_part", lambda *a: (masses.append(a[3]), divided(*a))[1])
    monkeypatch.setattr(module, "dealt_out", lambda *a: (bases.append(a[3].copy()), dealt(*a))[1])
    for kind in ("split", "delete"):
        method.edit(state, kind, (one,), ground, np.random.default_rng(0))
    assert state.alpha != 1.0
    assert masses == [pytest.approx(state.alpha * state.weight[slot])]
    np.testing.assert_allclose(bases, [state.alpha * state.weight], rtol=1e-12)


def test_tables_of_parts_are_drawn_by_their_share_of_the_weight(texts, monkeypatch):
    method, state, ground = learned("hdp-gibbs", texts)
    weights, seat = [], direct._seat
    monkeypatch.setattr(
        direct, "_seat", lambda s, *a: (weights.append(s.weight.copy()), seat(s, *a))
    )
    topics = method.topics(state)
    one = int(topics.topic_ids[topics.by_size][0])
    new, event = method.edit(state, "split", (one,), ground, np.random.default_rng(0))
    old, free = (int(np.flatnonzero(new.slot_ids == i)[0]) for i in event.children)
    share = new.tokens.count[free] / state.tokens.count[old]
    assert 0.0 < share < 0.5
    (given,) = weights
    assert given[free] == pytest.approx(share * state.weight[old])
    assert given[old] == pytest.approx((1.0 - share) * state.weight[old])
    others = np.delete(np.arange(len(state.weight)), [old, free])
    np.testing.assert_array_equal(given[others], state.weight[others])


def test_a_start_at_given_topics_is_over_after_one_pass(dozen):
    """However long the method's own start from many would be."""
    method, rng = HdpGibbs(start_passes=9), np.random.default_rng(0)
    state = method.begin(dozen, GivenTopics(rng.gamma(0.5, 9.0, (3, dozen.n_words))), rng)
    ground, blocks = (
        StateContext(dozen, {}, np.arange(12), 12, 0, 1),
        blocks_of(dozen, [[*range(12)]]),
    )
    with pytest.raises(ValueError, match="Until pass 1 is through"):
        method.edit(state, "delete", (0,), ground, rng)
    state, _ = one_pass(method, state, blocks, rng)
    topics = method.topics(state)
    one = tuple(topics.topic_ids[topics.by_size][:1].tolist())
    assert method.edit(state, "delete", one, ground, rng)[1].parents == one


# ---- in chunks -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("dpm-gibbs", edited_clusters),
        ("lda-gibbs", edited_tokens),
        ("hdp-gibbs", edited_tokens),
        ("hdp-parallel-gibbs", edited_tokens),
    ],
    ids=["dpm-gibbs", "lda-gibbs", "hdp-gibbs", "hdp-parallel-gibbs"],
)
def test_how_many_are_dealt_out_at_once_changes_nothing(name, module, texts, monkeypatch):
    """Not even a bit: each has its random number in its turn."""
    method, state, ground = learned(name, texts)
    topics = method.topics(state)
    chosen, found = tuple(topics.topic_ids[topics.by_size][:2].tolist()), []
    for chunk in (10_000, 3, 1):
        monkeypatch.setattr(module, "CHUNK", chunk)
        new, _ = method.edit(state, "delete", chosen, ground, np.random.default_rng(0))
        found.append(new.z if name == "dpm-gibbs" else topic_of(new))
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])
    before = state.z if name == "dpm-gibbs" else topic_of(state)
    assert (found[0] != before).sum() > 3


def topic_of(state):
    return state.topic if hasattr(state, "topic") else state.tokens.topic


def test_how_many_are_seated_at_once_at_given_clusters_changes_nothing(texts, monkeypatch):
    given = GivenTopics(np.random.default_rng(1).gamma(0.5, 9.0, (4, texts.n_words)))
    found = []
    for chunk in (10_000, 7, 1):
        monkeypatch.setattr(dpm_gibbs, "CHUNK", chunk)
        rng = np.random.default_rng(0)
        found.append(dpm_gibbs.drawn_among(DPMixture(), texts, given, rng).tolist())
    assert found[0] == found[1] == found[2]
    assert len(set(found[0])) > 1


# ---- what is told and refused --------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_deleted_topic_ends_for_good_unless_the_model_has_so_many(name, texts):
    method, state, ground = learned(name, texts)
    topics = method.topics(state)
    chosen = tuple(topics.topic_ids[topics.by_size][[2, 0]].tolist())
    _, event = method.edit(state, "delete", chosen, ground, np.random.default_rng(0))
    kind = "death" if name == "lda-gibbs" else "prune"
    assert (event.kind, event.parents, event.children) == (kind, chosen, ())


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("lda-gibbs", "Topics can be changed once every text was read."),
        ("dpm-gibbs", "Clusters can be changed once every text was read."),
        (
            "hdp-gibbs",
            "Until pass 1 is through, topics are those of the start; change them after it.",
        ),
        (
            "hdp-parallel-gibbs",
            "Until pass 1 is through, topics are those of the start; change them after it.",
        ),
    ],
)
def test_before_the_first_pass_has_ended_nothing_can_be_changed(name, said, texts):
    method, rng = make_method(name, "default", known(name, VALUES)), np.random.default_rng(3)
    state, _ = method.step(method.init(texts, rng), in_turn(texts, 15)[0], rng, None)
    one = (int(method.topics(state).topic_ids[0]),)
    with pytest.raises(ValueError, match=f"^{said}$"):
        method.edit(state, "delete", one, StateContext(texts, {}, np.arange(40), 15, 1, 0), rng)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("dpm-gibbs", "This cluster holds one document; there is nothing to divide."),
        ("hdp-gibbs", "This topic holds one word in one place; there is nothing to divide."),
        (
            "hdp-parallel-gibbs",
            "This topic holds one word in one place; there is nothing to divide.",
        ),
    ],
)
def test_what_holds_one_thing_is_not_divided(name, said):
    corpus = corpus_of([[0]], 2)
    method, rng = make_method(name, "default", known(name, VALUES)), np.random.default_rng(3)
    state, _ = one_pass(method, method.init(corpus, rng), blocks_of(corpus, [[0]]), rng)
    (one,) = (i for i, size in sizes_of(method.topics(state)).items() if size)
    with pytest.raises(ValueError, match=f"^{said}$"):
        method.edit(state, "split", (one,), StateContext(corpus, {}, np.arange(1), 1, 0, 1), rng)


def test_a_cluster_is_divided_in_two_and_never_in_three(texts, monkeypatch):
    """Sweeps over its documents open no cluster, however large gamma is."""
    found, real = [], edited_clusters.redraw

    def noted(parts, docs, rows, gamma, *others):
        real(parts, docs, rows, gamma, *others)
        found.append((gamma, len(parts.n)))

    monkeypatch.setattr(edited_clusters, "redraw", noted)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        part = edited_clusters.second_part(texts, np.arange(5, 35), 0.1, rng)
        assert 0 < len(part) <= 15
        assert set(part.tolist()) <= set(range(5, 35))
    assert {gamma for gamma, _ in found} == {0.0}
    assert max(n for _, n in found) == 2
    assert len(found) == 5 * edited_clusters.SWEEPS


def test_a_division_grows_from_two_tokens_of_different_words_where_there_are_any():
    rng, places = np.random.default_rng(0), set()
    words = np.array([3, 3, 3, 3, 8], np.int32)
    for _ in range(60):
        one, other = edited_tokens._seeds(words, rng)
        assert words[one] != words[other]
        places |= {one, other}
    assert places == set(range(5))
    alike = {frozenset(edited_tokens._seeds(words[:3], rng)) for _ in range(60)}
    assert alike == {frozenset(pair) for pair in ((0, 1), (0, 2), (1, 2))}
