"""Who computes a step of the truncated and the memoized HDP makes no difference to one bit."""

import pickle
from dataclasses import fields, replace

import numpy as np
import pytest

from bnpexplorer.inference import hdp_local, slices
from bnpexplorer.inference.pool import Threads
from bnpexplorer.methods import make_method
from bnpexplorer.methods.memoized import local
from tests.tools.methods import corpus_of_counts, in_turn
from tests.tools.pools import Sent, compiled, leaves

SMALL = {"max_iterations": 4, "start": "random"}
KNOBS = {
    "hdp-svi": {"truncation": 60, "doc_truncation": 5},  # more topics than a document may have
    "hdp-batch": {"truncation": 7, "doc_truncation": 5},
    "hdp-memoized": {"truncation": 7},
    "hdp-splitmerge": {"n_start": 4, "max_topics": 9, "splits": 3, "merges": 5},
}
LEARNED = ("learn_gamma", "learn_alpha", "learn_eta")


def texts(n_docs):
    rng = np.random.default_rng(n_docs)
    topics, shares = rng.dirichlet(np.full(25, 0.2), 6), rng.dirichlet(np.full(6, 0.4), n_docs)
    counts = rng.multinomial(rng.integers(3, 25, n_docs), shares @ topics)
    return corpus_of_counts(counts)


def method_for(name, learns):
    method = make_method(name, "default", {**KNOBS[name], **SMALL})
    switches = [field.name for field in fields(method) if field.name in LEARNED]
    return replace(method, **dict.fromkeys(switches, learns))


def run(method, corpus, size, pool, passes=4):
    """The state after every pass, and the last topics."""
    rng = np.random.default_rng(3)
    state, states = method.init(corpus, rng), []
    for _ in range(passes):
        for batch in in_turn(corpus, size):
            state, info = method.step(state, batch, rng, pool)
        states.append((leaves(state), info.bound, len(info.events)))
    return states


# 101 in one batch: slices of 32, 32, 32 and 5; 70 and 31: 32, 32, 6 and 31; 33: 32 and 1.
@pytest.mark.second
@pytest.mark.parametrize("learns", [False, True])
@pytest.mark.parametrize("size", [101, 70, 33])
@pytest.mark.parametrize("name", KNOBS)
def test_any_pool_gives_the_same_bits(name, size, learns):
    corpus, method = texts(101), method_for(name, learns)
    alone = run(method, corpus, size, None)
    for n_workers in (1, 2, 3, 4):
        with Threads(n_workers) as pool:
            assert run(method, corpus, size, pool) == alone
    elsewhere = Sent("read-only")
    assert run(method, corpus, size, elsewhere) == alone
    assert max(elsewhere.n_pieces) == {101: 4, 70: 3, 33: 2}[size]
    if name == "hdp-splitmerge":
        assert any(n_events for _, _, n_events in alone)


@pytest.mark.parametrize("name", KNOBS)
def test_slices_of_any_size_give_the_same_numbers(name, monkeypatch):
    """All documents in one slice, as before there were slices, and five in each."""
    corpus, method = texts(101), method_for(name, True)
    found = {}
    for size in (1000, 5):
        monkeypatch.setattr(slices, "FEWEST", size)
        monkeypatch.setattr(slices, "MOST", size)
        monkeypatch.setattr(local, "TOGETHER", size)
        rng = np.random.default_rng(3)
        state = method.init(corpus, rng)
        for _ in range(2):
            for batch in in_turn(corpus, 70):
                state, info = method.step(state, batch, rng, None)
        found[size] = method.topics(state), info
    (one, one_info), (other, other_info) = found[1000], found[5]
    np.testing.assert_allclose(other.topic_word, one.topic_word, rtol=1e-5)
    np.testing.assert_allclose(other.size, one.size, rtol=1e-6)
    np.testing.assert_allclose(other.weight, one.weight, rtol=1e-6)
    assert other.concentration == pytest.approx(one.concentration, rel=1e-7)
    assert other_info.bound == pytest.approx(one_info.bound, rel=1e-9, nan_ok=True)


@pytest.mark.parametrize("name", KNOBS)
def test_a_state_tells_whether_something_differs(name):
    """What the test above compares: another seed of the start shows in it."""
    corpus, method = texts(101), method_for(name, False)
    one, two = (leaves(method.init(corpus, np.random.default_rng(seed))) for seed in range(2))
    assert len(one) == len(two) > 5
    assert one != two


@pytest.mark.parametrize("name", KNOBS)
def test_what_was_sent_needs_no_second_kernel(name):
    """Whether arrays may be written is part of the type that a kernel is compiled for."""
    corpus, method = texts(70), method_for(name, False)
    run(method, corpus, 40, None, passes=2)
    before = compiled()
    run(method, corpus, 40, Sent("read-only"), passes=2)
    assert compiled() == before
    assert before["fit_documents"]
    assert before["expected_log"]


@pytest.mark.parametrize("module", [hdp_local, local], ids=["hdp_local", "local"])
def test_work_on_a_slice_changes_nothing_that_it_is_given(module, monkeypatch):
    """A piece may be computed twice, where a worker is lost."""

    class Twice(Sent):
        def each(self, work, pieces, given):
            kept = pickle.dumps((pieces, given))
            first = [work(*piece, given) for piece in pieces]
            assert pickle.dumps((pieces, given)) == kept
            again = [work(*piece, given) for piece in pieces]
            assert leaves(first) == leaves(again)
            return again

    names = ("hdp-svi", "hdp-batch") if module is hdp_local else ("hdp-memoized",)
    for name in names:
        run(method_for(name, False), texts(70), 70, Twice("read-only"), passes=2)


@pytest.mark.parametrize("n_docs", [1, 31, 32, 33, 300, 3000])
def test_documents_of_blocks_are_taken_in_their_order(n_docs):
    sizes = [n_docs, 5, n_docs + 1]
    found = local.by_documents(None, sizes, lambda b, rows: (b, rows.start, rows.stop))
    with Threads(3) as pool:
        pooled = local.by_documents(pool, sizes, lambda b, rows: (b, rows.start, rows.stop))
    assert pooled == found
    for b, (size, parts) in enumerate(zip(sizes, found, strict=True)):
        assert {block for block, _, _ in parts} == {b}
        covered = [d for _, first, last in parts for d in range(first, last)]
        assert covered == list(range(size))
        assert max(last - first for _, first, last in parts) <= local.TOGETHER
