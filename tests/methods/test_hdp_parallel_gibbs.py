"""hdp-parallel-gibbs: each of its conditionals against its formula, and bits that depend on nothing
but texts and seed."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import gammaln

from bnpexplorer.core import store
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference.pool import Threads
from bnpexplorer.kernels.partly_collapsed import draw_documents, n_groups
from bnpexplorer.methods.parallel import hdp_parallel_gibbs
from bnpexplorer.methods.parallel import state as parallel_state
from bnpexplorer.methods.parallel.hdp_parallel_gibbs import HdpParallelGibbs
from bnpexplorer.models.hdp import HDP
from bnpexplorer.runs.run import Run
from tests.tools.gibbs import check_kept
from tests.tools.methods import blocks_of, corpus_of_counts, in_turn, one_pass, saved_and_ended
from tests.tools.pools import WAYS, Sent


def pooled(**values) -> HdpParallelGibbs:
    return HdpParallelGibbs(HDP(1.0, 2.0, 0.1), n_start=12, start_passes=3, **values)


def bits(state) -> list[bytes]:
    arrays = (state.topic, state.weight, state.place, state.tables, *state.phi, *state.pairs)
    return [array.tobytes() for array in arrays]


def test_bits_depend_neither_on_threads_nor_on_how_documents_are_cut(bars, monkeypatch):
    corpus = bars[0].take(np.arange(90))

    def run(rows: list[list[int]], pool=None) -> list[bytes]:
        method, rng = pooled(learn_gamma=True, learn_alpha=True), np.random.default_rng(3)
        state = method.init(corpus, rng)
        for _ in range(8):
            for batch in blocks_of(corpus, rows):
                state, _ = method.step(state, batch, rng, pool)
        return bits(state)

    whole = run([[*range(90)]])
    for n in (1, 2, 4):
        with Threads(n) as pool:
            assert run([[*range(90)]], pool) == whole
    compiled = list(draw_documents.signatures)
    for way in WAYS:
        assert run([[*range(90)]], Sent(way)) == whole
    assert draw_documents.signatures == compiled, "what was sent needs a kernel of its own"
    shuffled = np.random.default_rng(0).permutation(90).tolist()
    assert run([shuffled[:7], shuffled[7:60], shuffled[60:]]) == whole
    monkeypatch.setattr(hdp_parallel_gibbs, "FEWEST", 3)
    assert run([[*range(90)]]) == whole


def test_a_run_saved_in_the_midst_of_a_pass_goes_on_bit_for_bit(bars, tmp_path):
    run = Run(pooled(), bars[0].take(np.arange(60)), seed=2, batch_size=20, passes=6)
    loaded = saved_and_ended(run, tmp_path / "a.run")
    assert bits(run.state) == bits(loaded.state)


def test_the_flag_is_moved_on_when_it_holds_a_token(bars):
    """With one topic beside the flag and weights that want more, there are more after some passes,
    and tokens keep their topics and sizes."""
    corpus = bars[0].take(np.arange(60))
    method = HdpParallelGibbs(HDP(5.0, 5.0, 0.1), n_start=1, spare=1, start_passes=1)
    state, rng = method.init(corpus, np.random.default_rng(0)), np.random.default_rng(1)
    assert len(state.weight) == 2
    for _ in range(12):
        state, _ = one_pass(method, state, in_turn(corpus, 30), rng)
        flag = int(np.argmax(state.place))
        assert sorted(state.place.tolist()) == list(range(len(state.weight)))
        assert len(state.weight) == len(state.count) == len(state.tables)
        assert state.drawn(None).groups.shape[1] == n_groups(len(state.count))
        assert state.count.sum() == corpus.n_tokens
    assert len(state.weight) >= 2 + hdp_parallel_gibbs.GROWTH
    assert flag >= 0


@pytest.mark.parametrize("holds", [False, True])
def test_room_is_made_when_the_last_of_the_sticks_holds_a_token(bars, monkeypatch, holds):
    """The last by its place, wherever its slot stands: another slot is of the other kind."""
    corpus, method = bars[0].take(np.arange(60)), pooled(spare=6)
    state, rng = method.init(corpus, np.random.default_rng(0)), np.random.default_rng(1)
    for _ in range(4):
        state, _ = one_pass(method, state, in_turn(corpus, 30), rng)
    n, made = len(state.count), []
    kinds = [np.flatnonzero(state.count[:-1] == 0), np.flatnonzero(state.count[:-1] > 0)]
    last, other = int(kinds[holds][0]), int(kinds[not holds][0])
    rest = [k for k in range(n - 1) if k != other]
    state.place = np.array([*rest[:last], n - 1, *rest[last:], other])
    assert sorted(state.place.tolist()) == [*range(n)]
    assert bool(state.count[np.argmax(state.place)]) == holds
    monkeypatch.setattr(parallel_state.State, "make_room", lambda _, more: made.append(more))
    method._end_pass(state, rng, None)
    assert made == [hdp_parallel_gibbs.GROWTH] * holds


def test_the_log_joint_and_the_topics_are_those_of_the_assignment(dozen):
    method, rng = (
        HdpParallelGibbs(HDP(1.5, 0.8, 0.2), n_start=5, start_passes=2),
        (np.random.default_rng(0)),
    )
    state, blocks = method.init(dozen, rng), in_turn(dozen, 5)
    for _ in range(5):
        state, infos = one_pass(method, state, blocks, rng)
    z, words = state.topic, np.repeat(dozen.word_ids, dozen.counts)
    doc = np.repeat(np.arange(dozen.n_docs), dozen.doc_lengths)
    n_slots = len(state.weight)
    by_word, by_doc = np.zeros((n_slots, dozen.n_words)), np.zeros((dozen.n_docs, n_slots))
    np.add.at(by_word, (z, words), 1)
    np.add.at(by_doc, (doc, z), 1)
    lam, base = by_word + 0.2, 0.8 * state.weight
    exact = (gammaln(lam) - gammaln(0.2)).sum()
    exact -= (gammaln(lam.sum(axis=1)) - gammaln(0.2 * dozen.n_words)).sum()
    exact += (gammaln(base + by_doc) - gammaln(base)).sum()
    exact -= (gammaln(0.8 + dozen.doc_lengths) - gammaln(0.8)).sum()
    assert infos[-1].scalars["log p(words, topics)"] == pytest.approx(exact, rel=1e-9)
    topics = method.topics(state)
    slots = [state.slot_ids.tolist().index(i) for i in topics.topic_ids]
    expected = lam[slots] / lam[slots].sum(axis=1, keepdims=True)
    assert topics.topic_word == pytest.approx(expected, rel=1e-6)
    assert np.array_equal(topics.size, by_word[slots].sum(axis=1))
    tables = state.tables[slots]
    assert topics.weight == pytest.approx(tables / (tables.sum() + 1.5))


def test_states_are_kept_every_so_many_passes(dozen):
    check_kept(
        HdpParallelGibbs(HDP(1.5, 0.8, 0.2), start_passes=1, burn_in=3, thin=2, n_kept=2), dozen
    )


@pytest.mark.second
@pytest.mark.parametrize("draw", ["exact", "poisson"])
def test_bars_are_recovered(bars, draw):
    corpus, truth = bars
    method = HdpParallelGibbs(HDP(1.0, 2.0, 0.1), n_start=30, draw=draw)
    run = Run(method, corpus, seed=3, batch_size=300, passes=150)
    while not run.done:
        run.step()
    topics = run.snapshot().topics
    errors = 0.5 * np.abs(topics.topic_word[:, None, :] - truth).sum(axis=2)
    assert np.all(errors.min(axis=0) < 0.15)


def test_a_document_longer_than_any_table():
    corpus = Corpus.from_csr(np.array([[70_000, 50_000], [3, 1]]))
    method = HdpParallelGibbs(learn_gamma=True, learn_alpha=True, learn_eta=True, start_passes=1)
    run = Run(method, corpus, batch_size=1, passes=3)
    while not run.done:
        run.step()
    assert run.snapshot().topics.size.sum() == corpus.n_tokens


def test_few_topics_at_the_start_are_warned_of():
    assert HdpParallelGibbs(n_start=49).caution() == (
        "This sampler seldom opens topics: begin with more than 49, or let hdp-gibbs begin at what "
        "it finds."
    )
    assert HdpParallelGibbs(n_start=50).caution() == ""


def test_documents_have_streams_of_their_own():
    """Equal documents, drawn from equal states, are drawn otherwise, and so is a second sweep of
    the same state: of 40 pairs of 12 tokens none is drawn alike (they would be with 0.6^12)."""
    corpus = Corpus.from_csr(np.full((40, 3), 4))
    method = HdpParallelGibbs(HDP(1.0, 50.0, 5.0), n_start=6, start_passes=99)
    state, rng = method.init(corpus, np.random.default_rng(0)), np.random.default_rng(1)
    seen = []
    for sweep in (0, 1):
        again = replace(state, topic=state.topic.copy(), n_passes=sweep)
        again.count, again.slot_ids = state.count.copy(), state.slot_ids.copy()
        again, _ = method.step(again, in_turn(corpus, 20)[0], rng, None)
        seen.append(again.topic.reshape(40, 12)[:20])
    first, second = seen
    assert len(np.unique(first, axis=0)) == 20
    assert not (first == second).all(axis=1).any()


def test_no_state_of_the_start_is_kept():
    corpus = corpus_of_counts(
        np.random.default_rng(2).poisson(1.0, (12, 8)) + np.eye(12, 8, dtype=int)
    )
    kept = {}
    for start_passes in (1, 6, 50):
        method = HdpParallelGibbs(start_passes=start_passes, burn_in=3, thin=1, n_kept=20)
        run = Run(method, corpus, seed=1, batch_size=12, passes=10)
        while not run.done:
            run.step()
        kept[start_passes] = len(method.kept(run.state))
    assert kept[1] > kept[6] > kept[50] == 0


def test_when_a_pass_has_ended_no_token_is_counted_again(bars, monkeypatch):
    """Within a pass few tokens are: what is shown is what they are now."""
    corpus = bars[0].take(np.arange(60))
    method, rng = pooled(), np.random.default_rng(3)
    state, blocks = method.init(corpus, rng), in_turn(corpus, 30)
    for _ in range(3):
        state, _ = one_pass(method, state, blocks, rng)
    state, _ = method.step(state, blocks[0], rng, None)
    topics = method.topics(state)
    slots = [state.slot_ids.tolist().index(i) for i in topics.topic_ids]
    recount = np.bincount(state.topic, minlength=len(state.count))
    np.testing.assert_array_equal(topics.size, recount[slots])
    state, _ = method.step(state, blocks[1], rng, None)
    recounted, counted = method.topics(replace(state, since=1)), []
    monkeypatch.setattr(parallel_state, "count_cells", lambda *_: counted.append(1))
    for name in ("topic_word", "size", "topic_ids"):
        now, again = getattr(method.topics(state), name), getattr(recounted, name)
        np.testing.assert_array_equal(now, again)
    assert not counted


def test_within_a_pass_topics_are_those_of_the_last(bars, monkeypatch):
    """Of the first pass they are what is seated so far, of all others what the last left; a topic
    that is born within one has no words yet. So where there are many tokens."""
    monkeypatch.setattr(parallel_state, "COUNTED", 0)
    corpus = bars[0].take(np.arange(60))
    method, rng = pooled(), np.random.default_rng(3)
    state, blocks = method.init(corpus, rng), in_turn(corpus, 30)
    state, info = method.step(state, blocks[0], rng, None)
    topics = method.topics(state)
    assert topics.size.sum() == corpus.doc_lengths[:30].sum()
    assert {i for event in info.events for i in event.children} == set(topics.topic_ids.tolist())
    state, _ = method.step(state, blocks[1], rng, None)
    for _ in range(6):
        before, tokens = method.topics(state), state.topic.copy()
        state, info = method.step(state, blocks[0], rng, None)
        within = method.topics(state)
        n_born = sum(event.kind == "birth" for event in info.events)
        slots = [state.slot_ids.tolist().index(i) for i in within.topic_ids]
        tables = np.maximum(state.tables[slots], 1)  # of what is new one at least
        np.testing.assert_allclose(within.weight, tables / (tables.sum() + state.gamma))
        assert (state.topic != tokens).any()
        assert not within.size[len(within.size) - n_born :].any()
        for name in ("topic_word", "size", "topic_ids"):
            now, then = getattr(within, name), getattr(before, name)
            np.testing.assert_array_equal(now[: len(now) - n_born], then)
        state, _ = method.step(state, blocks[1], rng, None)
        recount = np.bincount(state.topic, minlength=len(state.count))
        after = method.topics(state)
        slots = [state.slot_ids.tolist().index(i) for i in after.topic_ids]
        np.testing.assert_array_equal(after.size, recount[slots])
        assert after.size.sum() == corpus.n_tokens


@pytest.mark.parametrize("draw", ["exact", "poisson"])
def test_memory_is_what_a_run_takes(draw):
    """Of 700 words and 81 slots, to which more are added: what a state holds and what is made of it
    is less than the estimate, and more than a quarter of it, with its room for 64 slots more and
    for drawing."""
    rng = np.random.default_rng(1)
    corpus = Corpus.from_csr(rng.poisson(0.04, (400, 700)) + np.eye(400, 700, dtype=int))
    method = HdpParallelGibbs(
        HDP(5.0, 5.0, 0.1), n_start=80, spare=1, start_passes=4, burn_in=1, n_kept=1, draw=draw
    )
    state, most = method.init(corpus, rng), 0
    for _ in range(12):
        drawn = sum(array.nbytes for array in state.drawn(None))
        most = max(most, store.size(state) + drawn)
        state, _ = one_pass(method, state, in_turn(corpus, 400), rng)
    assert len(state.weight) > 81
    assert most < method.memory(corpus) < 4 * most
