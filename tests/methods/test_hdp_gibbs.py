"""hdp-gibbs: its counts recounted, identities, the log joint, kept states, and what it learns."""

from collections import Counter

import numpy as np
import pytest
from scipy.special import gammaln

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.evaluate import score, split_heldout
from bnpexplorer.inference.concentrations import CONCENTRATION_PRIOR
from bnpexplorer.methods import METHODS
from bnpexplorer.methods.direct import hdp_gibbs
from bnpexplorer.methods.direct.hdp_gibbs import HdpGibbs, State
from bnpexplorer.methods.lda_gibbs import LdaGibbs
from bnpexplorer.models.hdp import HDP
from bnpexplorer.models.lda import LDA
from bnpexplorer.runs.run import Run
from tests.tools.gibbs import check_counts, check_kept
from tests.tools.methods import blocks_of, corpus_of, one_pass, saved_and_ended
from tests.twins.gibbs import log_dirichlet_multinomial


def check_state(state: State, corpus: Corpus, blocks) -> None:
    tokens = state.tokens
    check_counts(tokens, corpus)
    used = tokens.count > 0
    assert np.array_equal(used, state.weight > 0)
    assert np.array_equal(used, state.slot_ids >= 0)
    assert np.array_equal(state.all_tables, state.tables.sum(axis=0))
    assert np.array_equal(used, state.all_tables > 0)
    assert state.weight.sum() + state.rest[0] == pytest.approx(1.0, abs=1e-12)
    for batch in blocks:  # a topic's tables: from one a document to one a token
        of_block = np.zeros((len(batch.rows), len(used)))
        for i, row in enumerate(batch.rows):
            topic = tokens.topic[tokens.doc_start[row] : tokens.doc_start[row + 1]]
            np.add.at(of_block[i], topic[topic >= 0], 1)
        assert np.all(state.tables[batch.index] <= of_block.sum(axis=0))
        assert np.all(state.tables[batch.index] >= (of_block > 0).sum(axis=0))


@pytest.mark.second
@pytest.mark.parametrize("start", ["nothing", "many"])
@pytest.mark.parametrize("seed", range(4))
def test_the_state_equals_a_recount_after_every_step(seed, start, dozen):
    rng = np.random.default_rng(seed)
    model = HDP(*rng.choice([0.05, 0.8, 20.0], 2), rng.choice([0.01, 0.5]))
    learned = bool(seed % 2)
    concentrations = dict.fromkeys(("learn_gamma", "learn_alpha", "learn_eta"), learned)
    method = HdpGibbs(model, start=start, n_start=5, start_passes=2, **concentrations)
    state = method.init(dozen, rng)
    assert len(method.topics(state)) == 0
    assert method.topics(state).unseen == 1.0
    blocks = blocks_of(dozen, [[3, 1, 0, 11], [2, 4, 10, 5], [9, 6, 7, 8]])
    alive: set[int] = set()
    gone: set[int] = set()
    for _ in range(8):
        for batch in blocks:
            state, info = method.step(state, batch, rng, None)
            check_state(state, dozen, blocks)
            for event in info.events:
                assert not set(event.children) & (alive | gone)
                assert set(event.parents) <= alive
                alive, gone = alive | set(event.children), gone | set(event.parents)
                alive -= gone
            topics = method.topics(state)
            assert set(topics.topic_ids.tolist()) == alive
            assert set(info.scalars) >= ({"gamma", "alpha", "eta"} if learned else set())
            assert topics.gamma == state.gamma
            assert topics.concentration == state.alpha
            assert topics.eta == state.tokens.eta
    assert state.tokens.topic.min() >= 0
    assert learned == (state.gamma != model.gamma) == (state.alpha != model.alpha)


def test_identities_stay_with_their_topics(bars):
    """A topic's tokens change little from one step to the next; slots are sorted meanwhile."""
    corpus, _ = bars
    method, rng = HdpGibbs(HDP(1.0, 2.0, 0.1), start="nothing"), np.random.default_rng(0)
    blocks = blocks_of(corpus, [[*range(150)], [*range(150, 300)]])
    state = method.init(corpus, rng)
    for _ in range(20):
        state, _ = one_pass(method, state, blocks, rng)
    for _ in range(6):
        before = method.topics(state)
        state, _ = one_pass(method, state, blocks, rng)
        after = method.topics(state)
        where = dict(zip(after.topic_ids.tolist(), after.topic_word, strict=True))
        for i, size, row in zip(before.topic_ids, before.size, before.topic_word, strict=True):
            if size > 500:
                assert 0.5 * np.abs(where[i] - row).sum() < 0.15


def test_a_slot_that_closes_and_opens_in_one_block_changes_its_identity():
    """A single token leaves its topic empty, so every draw opens another one."""
    corpus, rng = corpus_of([[0]], 2), np.random.default_rng(0)
    method = HdpGibbs(start="nothing")
    state, blocks = method.init(corpus, rng), blocks_of(corpus, [[0]])
    for i in range(40):
        state, (info,) = one_pass(method, state, blocks, rng)
        assert method.topics(state).topic_ids.tolist() == [i]
        assert {e.kind for e in info.events} == ({"birth", "prune"} if i else {"birth"})


def test_slots_closed_in_a_block_stay_closed_when_room_is_made():
    """Sixty tokens that hardly share topics: every one opens a new topic in every pass."""
    corpus, rng = corpus_of([[*range(60)]], 60), np.random.default_rng(0)
    method = HdpGibbs(HDP(1000.0, 1000.0, 1e-4), start="nothing")
    state, blocks = method.init(corpus, rng), blocks_of(corpus, [[0]])
    seen: set[int] = set()
    for _ in range(4):
        state, _ = one_pass(method, state, blocks, rng)
        ids = set(method.topics(state).topic_ids.tolist())
        assert len(ids) > 55
        assert not ids & seen
        seen |= ids


def test_room_for_topics_runs_out_in_the_midst_of_a_block():
    rng = np.random.default_rng(4)
    corpus = HDP(20.0, 20.0, 0.05).sample(rng, 30, 60, 40.0).corpus
    method = HdpGibbs(HDP(20.0, 50.0, 0.05), start="nothing")
    state, blocks = method.init(corpus, rng), blocks_of(corpus, [[*range(20)], [*range(20, 30)]])
    state, _ = method.step(state, blocks[0], rng, None)
    assert len(state.weight) > 2 * hdp_gibbs.ROOM
    check_state(state, corpus, blocks)
    for _ in range(5):
        state, _ = one_pass(method, state, blocks, rng)
        check_state(state, corpus, blocks)


def test_the_log_joint_is_that_of_the_assignment():
    docs = [[0, 0, 1, 2], [1, 2], [2, 2, 2, 0]]
    corpus, rng = corpus_of(docs, 4), np.random.default_rng(0)
    method, model = HdpGibbs(HDP(1.0, 0.8, 0.2), start="nothing"), HDP(1.0, 0.8, 0.2)
    blocks = blocks_of(corpus, [[1, 2], [0]])
    state, infos = one_pass(method, method.init(corpus, rng), blocks, rng)
    z, words = state.tokens.topic, np.repeat(corpus.word_ids, corpus.counts)
    doc = np.repeat(np.arange(3), corpus.doc_lengths)
    exact = 0.0
    for k in set(z.tolist()):
        exact += log_dirichlet_multinomial(np.bincount(words[z == k], minlength=4), 0.2)
    for d in range(3):
        exact += gammaln(model.alpha) - gammaln(model.alpha + (doc == d).sum())
        for k, n in Counter(z[doc == d].tolist()).items():
            prior = model.alpha * state.weight[k]
            exact += gammaln(prior + n) - gammaln(prior)
    assert infos[-1].scalars["log p(words, topics)"] == pytest.approx(exact, rel=1e-12)
    assert "log p(words, topics)" not in infos[0].scalars


def test_topics_are_smoothed_counts_and_shares_of_tables(dozen):
    rng = np.random.default_rng(0)
    method = HdpGibbs(HDP(1.5, 0.8, 0.2), start="nothing")
    state, blocks = method.init(dozen, rng), blocks_of(dozen, [[*range(6)], [*range(6, 12)]])
    state, _ = one_pass(method, state, blocks, rng)
    topics = method.topics(state)
    slots = [state.slot_ids.tolist().index(i) for i in topics.topic_ids]
    counts = np.zeros((len(state.weight), dozen.n_words))
    np.add.at(counts, (state.tokens.topic, np.repeat(dozen.word_ids, dozen.counts)), 1)
    counts = counts[slots]
    expected = (counts + 0.2) / (counts.sum(axis=1, keepdims=True) + 0.2 * dozen.n_words)
    assert topics.topic_word == pytest.approx(expected, rel=1e-6)
    assert np.array_equal(topics.size, counts.sum(axis=1))
    assert np.all(np.diff(topics.size) <= 0)
    tables = state.tables.sum(axis=0)[slots]
    assert topics.weight == pytest.approx(tables / (tables.sum() + 1.5))
    assert topics.unseen == pytest.approx(1.5 / (tables.sum() + 1.5))
    assert topics.total == pytest.approx(topics.size + 0.2 * dozen.n_words)


def test_states_are_kept_every_so_many_passes(dozen):
    check_kept(HdpGibbs(HDP(1.5, 0.8, 0.2), burn_in=3, thin=2, n_kept=2), dozen)


def test_a_saved_run_keeps_its_kept_states(dozen, tmp_path):
    method = HdpGibbs(HDP(1.5, 0.8, 0.2), burn_in=1, thin=1, learn_gamma=True, learn_eta=True)
    run = Run(method, dozen, batch_size=5, passes=6)
    loaded = saved_and_ended(run, tmp_path / "a.run")
    ours, theirs = run.snapshot(True).kept, loaded.snapshot(True).kept
    assert len(ours) == 4, "those after passes 3 to 6, and none of the first half"
    for (_, a), (_, b) in zip(ours, theirs, strict=True):
        assert np.array_equal(a.topic_word, b.topic_word)
        assert np.array_equal(a.weight, b.weight)
    assert run.state.gamma == loaded.state.gamma


def test_a_document_longer_than_any_table():
    corpus = Corpus.from_csr(np.array([[70_000, 50_000], [3, 1]]))
    method = HdpGibbs(learn_gamma=True, learn_alpha=True, learn_eta=True)
    run = Run(method, corpus, batch_size=1, passes=2)
    while not run.done:
        run.step()
    assert run.snapshot().topics.size.sum() == corpus.n_tokens
    check_counts(run.state.tokens, corpus)


# --- what it learns -------------------------------------------------------------------------------


@pytest.mark.second
def test_bars_are_recovered(bars):
    corpus, truth = bars
    method = HdpGibbs(HDP(1.0, 2.0, 0.1), start="nothing")
    run = Run(method, corpus, seed=3, batch_size=100, passes=200)
    while not run.done:
        run.step()
    topics = run.snapshot().topics
    errors = 0.5 * np.abs(topics.topic_word[:, None, :] - truth).sum(axis=2)
    assert np.all(errors.min(axis=0) < 0.1)
    assert topics.weight[errors.min(axis=1) < 0.1].sum() > 0.9
    assert (topics.size > 300).sum() == 10


@pytest.mark.second
def test_kept_states_predict_better_than_one(bars):
    corpus, heldout = split_heldout(bars[0], seed=0, n=80, protocol="tokens-90-10")
    method = HdpGibbs(HDP(2.0, 2.0, 0.1), burn_in=10, thin=5)
    run = Run(method, corpus, batch_size=110, passes=40)
    while not run.done:
        run.step()
    snapshot = run.snapshot(with_kept=True)
    assert len(snapshot.kept) == 5
    averaged = score(method.model, snapshot.topics, heldout, kept=snapshot.kept)
    assert averaged > score(method.model, snapshot.topics, heldout)


def test_memory_is_an_estimate_of_the_state():
    counts = np.random.default_rng(0).poisson(1.0, (40, 300))
    corpus = Corpus.from_csr(counts)
    method = HdpGibbs()
    state = method.init(corpus, np.random.default_rng(0))
    assert method.memory(corpus) > state.tokens.topic.nbytes + 8 * 300 * hdp_gibbs.LIKELY_TOPICS
    assert HdpGibbs(n_kept=50).memory(corpus) > method.memory(corpus)


def test_the_method_is_registered_with_the_paper_s_setting():
    assert METHODS["hdp-gibbs"] is HdpGibbs
    paper = HdpGibbs.presets["teh-2006"]
    assert paper.model == {"eta": 0.5}
    assert CONCENTRATION_PRIOR == (1.0, 0.1)  # their prior of gamma; that of alpha is Gamma(1, 1)
    assert paper.knobs["alpha_rate"] == 1.0


def test_a_start_from_many_is_an_lda_until_it_ends(bars):
    """In the first pass token by token the draws of lda-gibbs; as many topics, and then others."""
    corpus = bars[0].take(np.arange(60))
    knobs = {"start": "many", "n_start": 16, "start_passes": 4, "merge_passes": 0}
    hdp = HdpGibbs(HDP(gamma=2.0, alpha=3.0, eta=0.2), **knobs)
    lda = LdaGibbs(LDA(n_topics=16, alpha=3.0 / 16, eta=0.2))
    rng, twin = np.random.default_rng(3), np.random.default_rng(3)
    state, other = hdp.init(corpus, rng), lda.init(corpus, twin)
    (batch,) = blocks_of(corpus, [list(range(60))])
    events, n_topics = [], []
    lda.step(other, batch, twin, None)
    for n in range(8):
        state, info = hdp.step(state, batch, rng, None)
        if n == 0:  # slots were sorted by size since
            pairs = set(zip(state.tokens.topic.tolist(), other.tokens.topic.tolist(), strict=True))
            assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
        events += [(n, event.kind) for event in info.events]
        n_topics.append(len(hdp.topics(state)))
    assert n_topics[:4] == [16] * 4
    assert (0, "birth") in events
    assert {n for n, kind in events if kind == "prune"} & {4, 5, 6, 7}
    assert not any(kind == "birth" for n, kind in events if 0 < n < 4)


def test_a_start_keeps_room_for_all_its_topics(monkeypatch):
    """Forty documents that hold a topic each: of 80 topics at most half are used after a pass."""
    corpus = Corpus.from_csr(np.full((40, 2), 30))
    method = HdpGibbs(HDP(1.0, 1e-3, 0.1), start_passes=3)
    weights, real = [], hdp_gibbs.first_weights

    def noted(state, n_first):
        weights.append(real(state, n_first))
        return weights[-1]

    monkeypatch.setattr(hdp_gibbs, "first_weights", noted)
    rng = np.random.default_rng(0)
    state, blocks = method.init(corpus, rng), blocks_of(corpus, [[*range(40)]])
    for n_passes in range(1, 5):
        state, _ = one_pass(method, state, blocks, rng)
        assert (state.tokens.count > 0).sum() <= 40
        assert (len(state.weight) >= 80 + hdp_gibbs.ROOM) == (n_passes < 3)
    assert len(weights) == 3
    for weight in weights:
        np.testing.assert_allclose(weight[weight > 0.0], np.full(80, 1 / 80))
