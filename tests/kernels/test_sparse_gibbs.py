"""A draw from short lists of topics has the law of the dense formula, for every single token."""

import numpy as np
import pytest

from bnpexplorer.inference.assignments import fixed_slots, words_of
from bnpexplorer.kernels import sparse_gibbs
from bnpexplorer.kernels.sparse_gibbs import U, add_up, draw_topics, pick_any, put
from bnpexplorer.kernels.tuples import Prior, Tokens
from bnpexplorer.methods.direct.hdp_gibbs import HdpGibbs
from bnpexplorer.methods.direct.state import slots_of
from bnpexplorer.methods.lda_gibbs import LdaGibbs
from bnpexplorer.models.hdp import HDP
from bnpexplorer.models.lda import LDA
from tests.tools.gibbs import check_counts, word_counts
from tests.tools.methods import in_turn, one_pass

ALPHA, GAMMA, ETA = 2.0, 20.0, 0.3


@pytest.fixture(scope="module")
def texts():
    """Twenty-five documents over 12 words, some of which come to have dozens of topics."""
    return HDP(GAMMA, ALPHA, ETA).sample(np.random.default_rng(2), 25, 12, 20.0).corpus


def hdp_state(corpus, rng):
    method = HdpGibbs(HDP(GAMMA, ALPHA, ETA), start="nothing")
    state, _ = one_pass(method, method.init(corpus, rng), in_turn(corpus, 25), rng)
    return state.tokens, slots_of(state, state.tokens.count > 0)


def lda_state(corpus, rng):
    """A hundred topics, so that there are two sums of 64 shares."""
    method = LdaGibbs(LDA(100, 0.02, ETA))
    state, _ = one_pass(method, method.init(corpus, rng), in_turn(corpus, 25), rng)
    return state.tokens, fixed_slots(
        state.tokens.total, state.tokens.count, 0.01 * (np.arange(104) < 100)
    )


def slow_pick(tokens, slots, words, i, u):
    """The slot at the share `u` of the dense formula's total: what each slot has by the word's own
    tokens, in the order of the word's list, then what it has by eta; -1 for a new topic."""
    d = np.searchsorted(tokens.doc_start, i, side="right") - 1
    others = np.arange(len(words)) != i
    in_doc = others & (np.repeat(np.arange(25), np.diff(tokens.doc_start)) == d)
    n_slots, w = len(tokens.count), words[i]
    n_doc, n_all, n_word = (
        np.bincount(tokens.topic[which], minlength=n_slots)
        for which in (in_doc, others, others & (words == w))
    )
    weight, rest = slots.weight.copy(), slots.rest[0]
    if not slots.n_old and n_all[tokens.topic[i]] == 0:
        rest += weight[tokens.topic[i]]
        weight[tokens.topic[i]] = 0.0
    q = (n_doc + ALPHA * weight) / (n_all + tokens.n_words * ETA)
    first = 16 * tokens.word_start[w]
    listed = tokens.cells[first : first + 2 * tokens.used[w] : 2].tolist()
    if n_word[tokens.topic[i]] == 0:  # the last topic takes the place of the one that goes
        listed[listed.index(tokens.topic[i])] = listed[-1]
        listed.pop()
    masses = [*(q[listed] * n_word[listed]), *(ETA * q), ALPHA * rest / tokens.n_words]
    assert sum(masses[:-1]) == pytest.approx((q * (n_word + ETA)).sum(), rel=1e-12)
    return [*listed, *range(n_slots), -1][int((np.cumsum(masses) <= u * sum(masses)).sum())]


@pytest.mark.parametrize("make", [hdp_state, lda_state])
def test_every_token_is_drawn_from_the_dense_formula(make, texts):
    """Each token of a corpus is drawn alone, as the last of its document, with a known number."""
    tokens, slots = make(texts, np.random.default_rng(0))
    words, seen = words_of(texts), []
    for i in range(texts.n_tokens):
        d = np.searchsorted(tokens.doc_start, i, side="right") - 1
        a, b = tokens.doc_start[d : d + 2]
        order = np.array([*range(a, i), *range(i + 1, b), i])
        topic = tokens.topic[order]
        one = Tokens(np.array([0, b - a]), words[order])
        copies = slots._replace(
            **{k: v.copy() for k, v in slots._asdict().items() if isinstance(v, np.ndarray)}
        )
        lists = tokens.word_topics()
        lists = lists._replace(cells=lists.cells.copy(), used=lists.used.copy())
        prior = Prior(ALPHA, GAMMA, texts.n_words)
        expected = slow_pick(tokens, slots, words, i, np.random.default_rng(i).random())
        draw_topics(one, topic, lists, copies, prior, b - a - 1, np.random.default_rng(i))
        found = int(topic[-1])
        assert found == expected or (expected == -1 and slots.weight[found] == 0)
        seen.append(expected)
    fixed = slots.n_old > 0
    assert len(set(seen)) > (50 if fixed else 6)
    assert (-1 in seen) == (not fixed)
    assert fixed <= (tokens.used.max() > 16)


def test_sums_that_are_carried_along_are_those_made_afresh():
    rng = np.random.default_rng(1)
    share, sums, fresh = rng.random(200), np.empty(5), np.empty(5)
    add_up(share, sums)
    for _ in range(2000):
        put(share, sums, U(rng.integers(200)), float(rng.random()))
    add_up(share, fresh)
    assert fresh[-1] == pytest.approx(share.sum(), rel=1e-14)
    np.testing.assert_allclose(sums, fresh, rtol=1e-13)


def test_any_slot_is_picked_where_the_running_sum_passes():
    rng = np.random.default_rng(3)
    share, sums = rng.random(200) * (rng.random(200) < 0.3), np.empty(5)
    add_up(share, sums)
    ends = np.cumsum(share)
    for u in rng.random(500) * ends[-1]:
        assert pick_any(share, sums, float(u)) == np.searchsorted(ends, u, side="right")
    last = np.flatnonzero(share)[-1]
    assert pick_any(share, sums, 2.0 * ends[-1]) == last
    share[:] = 0.0
    assert pick_any(share, sums, 0.5) == -1
    share[3] = 1e-20  # and the sums of before, as if by rounding
    assert pick_any(share, sums, 0.999 * float(sums[-1])) == 3


def test_counts_and_lists_after_many_documents_are_those_counted_again(texts):
    """Also where a token's first topic leaves, and lists grow over several blocks."""
    rng = np.random.default_rng(4)
    tokens, slots = lda_state(texts, rng)
    block, before = tokens.block(in_turn(texts, 25)[0]), tokens.word_topics().used.copy()
    prior = Prior(ALPHA, GAMMA, texts.n_words)
    n = draw_topics(block.tokens, block.topic, tokens.word_topics(), slots, prior, 0, rng)
    assert n == texts.n_tokens > sparse_gibbs.REFRESH
    tokens.put_back(block)
    check_counts(tokens, texts)
    assert not np.array_equal(before, tokens.used)
    lists = word_counts(tokens)
    tokens.count_words(words_of(texts))
    assert np.array_equal(lists, word_counts(tokens))


def test_documents_are_drawn_together_as_one_after_the_other(texts):
    """Nothing of a document is left in the shares when the next one begins."""
    found = []
    for size in (25, 1):
        rng = np.random.default_rng(4)
        tokens, slots = lda_state(texts, rng)
        for batch in in_turn(texts, size):
            block = tokens.block(batch)
            prior, lists = Prior(ALPHA, GAMMA, texts.n_words), tokens.word_topics()
            draw_topics(block.tokens, block.topic, lists, slots, prior, 0, rng)
            tokens.put_back(block)
        found.append(tokens.topic)
    assert np.array_equal(*found)
