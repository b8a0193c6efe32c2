"""Topics merged, split and deleted by hand: the law of what goes on, and of what is dealt out."""

from collections import Counter

import numpy as np
import pytest

from bnpexplorer.core.arrays import I64
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.kernels.tables import mean_table_count
from bnpexplorer.methods import METHODS, lda_gibbs
from bnpexplorer.methods.base import can_edit
from bnpexplorer.methods.direct.hdp_gibbs import HdpGibbs
from bnpexplorer.methods.dpm_gibbs import DpmGibbs, clustered
from bnpexplorer.methods.lda_gibbs import LdaGibbs
from bnpexplorer.models.dpm import DPMixture
from bnpexplorer.models.hdp import HDP
from bnpexplorer.models.lda import LDA
from bnpexplorer.state.invariants import StateContext
from tests.tools.gibbs import binomial_gap, check_counts, largest_gap, law_moments, pairs
from tests.tools.methods import blocks_of, corpus_of, one_pass
from tests.twins import particles as naive
from tests.twins.gibbs import enumerate_lda
from tests.twins.hdp import Prior, enumerate_law
from tests.twins.mixture import log_dm

DOCS = [[0, 0, 1], [1, 2]]
ALPHA, GAMMA, ETA = 0.9, 0.8, 0.4


def ground_of(corpus: Corpus, size: int) -> StateContext:
    return StateContext(corpus, {}, np.arange(corpus.n_docs), size, 0, 1)


def changed(method, state, corpus, kind, rng, size=1):
    """The state once its largest topics were changed so; None where that cannot be."""
    topics = method.topics(state)
    used = topics.topic_ids[topics.by_size][: int(topics.in_use.sum())].tolist()
    chosen = used if kind == "merge" else used[:1]
    if kind != "split" and len(used) < 2:
        return None
    try:
        return method.edit(state, kind, tuple(chosen), ground_of(corpus, size), rng)[0]
    except ValueError:
        return None


def edited_chain(method, corpus, kind, n_passes, seed=1):
    """States of a chain after its topics were changed once; nothing of before."""
    rng, blocks = np.random.default_rng(seed), blocks_of(corpus, [[0], [1]])
    state, new = method.init(corpus, rng), None
    while new is None:
        state, _ = one_pass(method, state, blocks, rng)
        new = changed(method, state, corpus, kind, rng)
    for _ in range(n_passes):
        new, _ = one_pass(method, new, blocks, rng)
        yield new


@pytest.mark.second
@pytest.mark.parametrize("kind", ["merge", "split", "delete"])
def test_the_chain_of_lda_goes_on_to_the_enumerated_posterior(kind):
    """800 passes: means of which tokens share a topic, within 4 standard errors."""
    law = enumerate_lda(DOCS, 2, 3, ALPHA, ETA)
    corpus, method = corpus_of(DOCS, 3), LdaGibbs(LDA(2, ALPHA, ETA))
    seen = [pairs(s.tokens.topic) for s in edited_chain(method, corpus, kind, 800)]
    assert largest_gap(seen, law_moments(law, pairs)) < 4.0


@pytest.mark.second
@pytest.mark.parametrize("kind", ["merge", "split", "delete"])
def test_the_chain_of_the_hdp_goes_on_to_the_enumerated_posterior(kind):
    """As above; means of tables would differ, too, were they not those of the new topics."""
    law, _ = enumerate_law(Prior((), (), (), GAMMA, ALPHA, ETA, 3), DOCS)
    corpus, method = corpus_of(DOCS, 3), HdpGibbs(HDP(GAMMA, ALPHA, ETA), start="nothing")
    seen = [pairs(s.tokens.topic) for s in edited_chain(method, corpus, kind, 800)]
    assert largest_gap(seen, law_moments(law, pairs)) < 4.0


@pytest.mark.second
@pytest.mark.parametrize("kind", ["merge", "split", "delete"])
def test_the_chain_of_the_mixture_goes_on_to_the_enumerated_posterior(kind):
    """Two documents share a cluster or do not: 800 passes, 4 standard errors."""
    corpus = corpus_of(DOCS, 3)
    counts = corpus.to_csr().toarray()
    both = [naive.log_crp(p, GAMMA) + naive.log_words(counts, p, ETA) for p in naive.partitions(2)]
    together = [len(p) == 1 for p in naive.partitions(2)]
    p = np.exp(both) / np.exp(both).sum()
    method = DpmGibbs(DPMixture(GAMMA, ETA), start="nothing", moves=0)
    seen = [[float(s.z[0] == s.z[1])] for s in edited_chain(method, corpus, kind, 800)]
    assert largest_gap(seen, np.array([p[together].sum()])) < 4.0


# ---- what is dealt out --------------------------------------------------------------------------

WORDS = [[0, 0, 1, 2], [1, 2, 2], [0, 3]]
Z = [[0, 0, 1, 2], [1, 2, 1], [0, 1]]


def hand_made(method: LdaGibbs, corpus: Corpus):
    """A state whose tokens have the topics `Z`."""
    state = method.init(corpus, np.random.default_rng(0))
    tokens = state.tokens
    tokens.topic[:] = np.concatenate(Z)
    tokens.count[:] = np.bincount(tokens.topic, minlength=len(tokens.count))
    tokens.renew(tokens.eta)
    tokens.count_words(np.repeat(corpus.word_ids, corpus.counts))
    state.n_passes = 1
    return state


@pytest.mark.second
def test_tokens_of_a_deleted_topic_are_drawn_by_the_sampler_s_own_law():
    """Each given the tokens that stay, topic 2 deleted; 2,000 times, 4.5 standard errors."""
    corpus = corpus_of(WORDS, 4)
    method, n = LdaGibbs(LDA(5, 0.3, 0.2)), 2000
    state, rng = hand_made(method, corpus), np.random.default_rng(3)
    ground, seen = ground_of(corpus, 3), np.zeros((9, 2))
    for _ in range(n):
        new, event = method.edit(state, "delete", (2,), ground, rng)
        assert event.parents == (2,)
        seen[np.arange(9), new.tokens.topic] += 1
    exact = np.zeros((9, 2))
    flat, z, doc = np.concatenate(WORDS), np.concatenate(Z), np.repeat([0, 1, 2], [4, 3, 2])
    for i in range(9):
        for k in range(2):
            there = z == k
            of_doc, of_word = (there & (doc == doc[i])).sum(), (there & (flat == flat[i])).sum()
            exact[i, k] = (of_doc + 0.3) * (of_word + 0.2) / (there.sum() + 4 * 0.2)
        exact[i] = exact[i] / exact[i].sum() if z[i] == 2 else np.arange(2) == z[i]
    assert binomial_gap(seen / n, exact, n) < 4.5


def test_documents_of_a_deleted_cluster_are_drawn_by_the_sampler_s_own_law():
    """n_k DM(x | eta + C_k) by a slow twin; 500 times, 4.5 standard errors."""
    x = np.array([[2, 0, 1], [0, 2, 1], [1, 0, 1], [0, 3, 0], [1, 1, 1]])
    corpus, z, n = Corpus.from_csr(x), np.array([0, 0, 0, 1, 2]), 500
    method = DpmGibbs(DPMixture(0.9, 0.5))
    state = state_of(method, corpus, z)
    rng, seen = np.random.default_rng(4), Counter()
    for _ in range(n):
        new, _ = method.edit(state, "delete", (2,), ground_of(corpus, 5), rng)
        assert np.array_equal(new.z[:4], z[:4])
        seen[int(new.z[4])] += 1
    value = [
        (z == k).sum() * np.exp(log_dm(x[4], (0.5 + x[z == k].sum(axis=0)).tolist()))
        for k in range(2)
    ]
    exact = np.array(value) / sum(value)
    assert binomial_gap(np.array([seen[0], seen[1]]) / n, exact, n) < 4.5


def state_of(method: DpmGibbs, corpus: Corpus, z: I64):
    return clustered(method.model, corpus, z)


# ---- what becomes of identities and weights -----------------------------------------------------


def learned(name, corpus, n_passes=20, **values):
    method = METHODS[name](**values)
    rng, blocks = np.random.default_rng(5), blocks_of(corpus, [[*range(corpus.n_docs)]])
    state = method.init(corpus, rng)
    for _ in range(n_passes):
        state, _ = one_pass(method, state, blocks, rng)
    return method, state


def largest(method, state, n):
    topics = method.topics(state)
    return tuple(topics.topic_ids[topics.by_size][:n].tolist())


def test_the_union_of_two_subjects_is_divided_into_them(bars):
    """The larger part keeps the identity; of the words moved at most 5 % are on the wrong side."""
    corpus = bars[0]
    method, state = learned("lda-gibbs", corpus, 60, model=LDA(10, 0.2, 0.1))
    one, two = largest(method, state, 2)
    ground, rng = ground_of(corpus, corpus.n_docs), np.random.default_rng(0)
    before = state.tokens.topic
    merged, event = method.edit(state, "merge", (two, one), ground, rng)
    assert event.children == (one,)
    assert np.array_equal(merged.tokens.topic, np.where(before == two, one, before))
    check_counts(merged.tokens, corpus)
    parted, event = method.edit(merged, "split", (one,), ground, rng)
    assert event.children == (one, two), "the place that was emptied is the only one"
    check_counts(parted.tokens, corpus)
    after, of_two = parted.tokens.topic, np.isin(before, (one, two))
    wrong = (after != before)[of_two].mean()
    assert min(wrong, 1 - wrong) < 0.05
    assert np.array_equal(after[~of_two], before[~of_two])
    assert (after == one).sum() >= (after == two).sum()


def test_documents_of_two_subjects_are_divided_into_them():
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(30, 0.1), 3)
    truth = np.repeat([0, 1, 2], 40)
    corpus = Corpus.from_csr(np.stack([rng.multinomial(40, topics[k]) for k in truth]))
    method = DpmGibbs(DPMixture(1.0, 0.2))
    state = state_of(method, corpus, np.where(truth == 1, 0, truth) // 2)
    new, event = method.edit(state, "split", (0,), ground_of(corpus, 120), rng)
    assert event.children == (0, 2)
    parts = [set(truth[new.z == k].tolist()) for k in (0, 2, 1)]
    assert sorted(map(len, parts)) == [1, 1, 1]
    assert sorted(new.n.tolist()) == [40, 40, 40]


def test_all_of_one_k_is_not_split(bars):
    """LDA has K topics: a part needs an empty one."""
    method, state = learned("lda-gibbs", bars[0], 2, model=LDA(3, 0.2, 0.1))
    with pytest.raises(ValueError, match="All 3 topics of lda-gibbs hold words"):
        method.edit(state, "split", (0,), ground_of(bars[0], 300), np.random.default_rng(0))


@pytest.mark.second
def test_weights_of_the_hdp_go_with_the_topics(bars):
    """Merged: tables of all documents by the weights of all together, then pi by the tables; all
    add up to one, and closed slots have none."""
    corpus = bars[0]
    method, state = learned("hdp-gibbs", corpus, 5, start="nothing")
    ground, rng = ground_of(corpus, 100), np.random.default_rng(1)
    chosen = largest(method, state, 3)
    slots = [int(np.flatnonzero(state.slot_ids == i)[0]) for i in chosen]
    drawn, served = [], []
    for _ in range(200):
        new, _ = method.edit(state, "merge", chosen, ground, rng)
        drawn.append(new.weight[slots[0]])
        served.append(new.all_tables[slots[0]])
        assert new.weight[slots[1:]].sum() == 0.0
        assert new.weight.sum() + new.rest[0] == pytest.approx(1.0)
    owner = np.repeat(np.arange(corpus.n_docs), corpus.doc_lengths)
    mass = state.alpha * float(state.weight[slots].sum())
    of_doc = np.bincount(owner[np.isin(state.tokens.topic, slots)])
    exact = sum(mean_table_count(int(n), mass) for n in of_doc if n)
    error = np.std(served) / np.sqrt(200)
    assert np.mean(served) == pytest.approx(exact, abs=5 * error), "of the weight of all"
    tables = method.topics(new).weight
    assert np.mean(drawn) == pytest.approx(tables[0], abs=0.05)
    assert new.tables.shape == (3, len(new.weight)), "of the blocks of the run"
    assert new.n_ids == state.n_ids
    split, event = method.edit(new, "split", (chosen[0],), ground, rng)
    assert event.children == (chosen[0], state.n_ids)
    assert split.n_ids == state.n_ids + 1


def test_the_tables_are_those_of_the_blocks(bars):
    """Every block has tables of just the topics that its documents have, in the run's order."""
    corpus = bars[0].take(np.arange(40))
    method, state = learned("hdp-gibbs", corpus, 5, start="nothing")
    rng = np.random.default_rng(1)
    order = rng.permutation(40)
    ground = StateContext(corpus, {}, order, 3, 0, 1)
    new, _ = method.edit(state, "delete", largest(method, state, 1), ground, rng)
    tokens = new.tokens
    for block, rows in enumerate(np.array_split(order, np.arange(3, 40, 3))):
        mine = [tokens.topic[tokens.doc_start[d] : tokens.doc_start[d + 1]] for d in rows]
        assert set(np.flatnonzero(new.tables[block])) == set(np.concatenate(mine).tolist())


def test_a_split_finds_room_where_all_slots_are_open():
    method, corpus = HdpGibbs(HDP(), start="nothing"), corpus_of([[*range(30)] * 2], 30)
    rng = np.random.default_rng(0)
    state, _ = one_pass(method, method.init(corpus, rng), blocks_of(corpus, [[0]]), rng)
    for _ in range(24):
        topics = method.topics(state)
        one = int(topics.topic_ids[topics.by_size][0])
        state, _ = method.edit(state, "split", (one,), ground_of(corpus, 1), rng)
        check_counts(state.tokens, corpus)
    assert len(state.weight) > 24


@pytest.mark.parametrize("name", ["lda-gibbs", "hdp-gibbs", "dpm-gibbs"])
def test_nothing_is_changed_before_every_text_was_read(name, dozen):
    method = METHODS[name](**({} if name == "lda-gibbs" else {"start": "nothing"}))
    rng, blocks = np.random.default_rng(0), blocks_of(dozen, [[*range(6)], [*range(6, 12)]])
    state, _ = method.step(method.init(dozen, rng), blocks[0], rng, None)
    chosen = largest(method, state, 1)
    with pytest.raises(ValueError, match=r"once every text was read|pass 1 is through"):
        method.edit(state, "split", chosen, ground_of(dozen, 6), rng)


def test_a_start_from_many_is_left_alone(dozen):
    method, state = learned("hdp-gibbs", dozen, 2)
    with pytest.raises(ValueError, match="Until pass 15 is through"):
        method.edit(state, "merge", largest(method, state, 2), ground_of(dozen, 12), None)


@pytest.mark.parametrize("name", ["lda-gibbs", "hdp-gibbs", "dpm-gibbs"])
def test_what_prediction_averages_begins_anew_after_another_burn_in(name, dozen):
    values = {"burn_in": 2, "thin": 1} | ({} if name == "lda-gibbs" else {"start": "nothing"})
    method, rng = METHODS[name](**values), np.random.default_rng(0)
    blocks = blocks_of(dozen, [[*range(dozen.n_docs)]])
    state, new = method.init(dozen, rng), None
    for _ in range(5):
        state, _ = one_pass(method, state, blocks, rng)
    assert len(method.kept(state)) == 3
    while new is None:  # a draw may have one cluster alone
        new = changed(method, state, dozen, "delete", rng, 12)
        state, _ = one_pass(method, state, blocks, rng)
    n_kept = [len(method.kept(new))]
    for _ in range(4):
        new, _ = one_pass(method, new, blocks, rng)
        n_kept.append(len(method.kept(new)))
    assert n_kept == [0, 0, 0, 1, 2]


def test_a_split_of_lda_gives_every_document_the_prior_of_two_topics(dozen, monkeypatch):
    """Each of the parts is a topic with alpha of its own, and so both together have twice that."""
    masses, divided = [], lda_gibbs.second_part

    def noted(tokens, words, slot, mass, rng):
        masses.append(mass)
        return divided(tokens, words, slot, mass, rng)

    monkeypatch.setattr(lda_gibbs, "second_part", noted)
    method, rng = LdaGibbs(LDA(2, ALPHA, ETA)), np.random.default_rng(0)
    state, _ = one_pass(method, method.init(dozen, rng), blocks_of(dozen, [[*range(12)]]), rng)
    state = changed(method, state, dozen, "merge", rng, 12)
    assert changed(method, state, dozen, "split", rng, 12) is not None
    prior = method.topics(state).concentration / 2  # over two topics alike
    assert masses == [pytest.approx(prior + prior)] == [pytest.approx(2 * ALPHA)]


def test_the_methods_that_hold_counts_say_so():
    able = {name for name in METHODS.ours if can_edit(METHODS[name]())}
    assert able == {"lda-gibbs", "hdp-gibbs", "hdp-parallel-gibbs", "dpm-gibbs"}
