"""hdp-parallel-gibbs: each of its conditionals against its formula, and bits that depend on nothing
but texts and seed."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import digamma, gammaln
from scipy.stats import chi2

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference.drawn_topics import count_cells, draw_topics, entries_of
from bnpexplorer.inference.pool import Threads
from bnpexplorer.inference.truncated_sticks import (
    documents_holding,
    draw_order,
    draw_sticks,
    draw_tables,
)
from bnpexplorer.kernels.partly_collapsed import draw_documents
from bnpexplorer.kernels.tuples import Cells, Docs
from bnpexplorer.methods.parallel import hdp_parallel_gibbs
from bnpexplorer.methods.parallel.hdp_parallel_gibbs import HdpParallelGibbs
from bnpexplorer.models.hdp import HDP
from bnpexplorer.runs.run import Run
from tests.tools.gibbs import check_kept, total_variation
from tests.tools.methods import blocks_of, in_turn, one_pass, saved_and_ended
from tests.tools.pools import WAYS, Sent


def chi_square(seen: np.ndarray, p: np.ndarray) -> float:
    """The p-value of counts `seen` under probabilities `p`; rare cells are joined."""
    expected = seen.sum() * p
    rare = expected < 5
    seen = np.append(seen[~rare], seen[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    known = expected > 0
    gap = ((seen[known] - expected[known]) ** 2 / expected[known]).sum()
    return float(chi2.sf(gap, known.sum() - 1))


def pooled(**values) -> HdpParallelGibbs:
    return HdpParallelGibbs(HDP(1.0, 2.0, 0.1), n_start=12, start_passes=3, **values)


def bits(state) -> list[bytes]:
    arrays = (state.topic, state.weight, state.place, state.tables, state.phi, state.mass)
    return [array.tobytes() for array in arrays]


# --- z given Phi and Psi --------------------------------------------------------------------------


@pytest.mark.parametrize("sparse", [False, True])
def test_a_token_is_drawn_by_phi_times_psi_and_the_rest_of_its_document(sparse):
    """One document of four tokens, all 3^4 outcomes of a sweep from one state, token by token.

    40,000 documents with streams of their own; p-value of all 81 together above 1e-4.
    """
    n, n_slots, eta = 40_000, 3, 0.5
    word = np.array([0, 0, 1, 2], np.int32)
    cells = Cells(
        np.array([0, 2, 3, 5]),
        np.array([0, 1, 2, 0, 2], np.int32),
        np.array([4, 2, 3, 1, 1], np.int32),
    )
    base = np.array([0.9, 0.4, 0.7])
    draw, key = ("poisson", 3) if sparse else ("exact", 1)
    drawn = draw_topics(None, cells, eta if not sparse else 0.05, base, draw, key, 1)
    phi = drawn.phi.astype(float)
    assert phi.sum(axis=0) == pytest.approx([1.0] * 3, abs=1e-6)
    assert (np.diff(drawn.start) < n_slots).any() == sparse
    first = np.array([0, 1, 1, 2])
    docs = Docs(
        np.arange(n + 1) * 3,
        np.tile(np.array([0, 1, 2], np.int32), n),
        np.tile(np.array([2, 1, 1], np.int32), n),
    )
    for array in docs:
        array.flags.writeable = False
    topic = np.tile(first, n).astype(np.int32)
    draw_documents(docs, np.arange(n), topic, drawn, 5, 0)
    seen = np.bincount(topic.reshape(n, 4) @ 3 ** np.arange(4), minlength=81)
    exact = np.zeros(81)
    for code in range(81):
        z, p = [code // 3**i % 3 for i in range(4)], 1.0
        now = first.tolist()
        for i in range(4):
            m = np.bincount(now[:i] + now[i + 1 :], minlength=3)
            law = phi[word[i]] * (base + m)
            p *= law[z[i]] / law.sum()
            now[i] = z[i]
        exact[code] = p
    assert exact.sum() == pytest.approx(1.0)
    assert (seen[exact == 0.0] == 0).all()
    assert chi_square(seen, exact) > 1e-4


def test_the_alias_tables_hold_the_weights_of_the_prior():
    """What the cells of a word give to each slot is phi_kw alpha Psi_k over their sum."""
    rng = np.random.default_rng(0)
    counts = rng.poisson(1.0, (300, 9))
    start = np.concatenate(([0], np.cumsum((counts > 0).sum(axis=1))))
    slots, held = np.nonzero(counts)[1].astype(np.int32), counts[counts > 0].astype(np.int32)
    base = rng.gamma(1.0, size=9)
    for draw in ("exact", "poisson"):
        drawn = draw_topics(None, Cells(start, slots, held), 0.2, base, draw, 3, 4)
        for w in range(300):
            cells = slice(drawn.start[w], drawn.start[w + 1])
            given, n = np.zeros(9), drawn.start[w + 1] - drawn.start[w]
            np.add.at(given, drawn.slot[cells], drawn.keep[cells] / n)
            np.add.at(given, drawn.other[cells], (1.0 - drawn.keep[cells]) / n)
            weights = drawn.phi[w] * base
            assert drawn.mass[w] == pytest.approx(weights.sum(), rel=1e-6)
            assert given == pytest.approx(weights / weights.sum(), abs=1e-5)


# --- Phi given z ----------------------------------------------------------------------------------


COUNTS = np.array([[40, 0], [3, 0], [0, 7], [1, 1], [0, 0]])


def phi_draws(draw: str, eta: float, n: int) -> np.ndarray:
    """(n, 5, 2): draws of two topics with `COUNTS`."""
    start = np.concatenate(([0], np.cumsum((COUNTS > 0).sum(axis=1))))
    slots, held = np.nonzero(COUNTS)[1].astype(np.int32), COUNTS[COUNTS > 0].astype(np.int32)
    cells = Cells(start, slots, held)
    return np.array(
        [draw_topics(None, cells, eta, np.ones(2), draw, 9, s).phi for s in range(n)], float
    )


def test_exact_topics_have_the_moments_of_their_dirichlet():
    """4,000 draws; means and mean logarithms within 4.5 standard errors."""
    eta, n = 0.8, 4000
    phi, lam = phi_draws("exact", eta, n), COUNTS + eta
    total = lam.sum(axis=0)
    mean = lam / total
    error = np.sqrt(mean * (1 - mean) / (total + 1) / n)
    assert np.all(np.abs(phi.mean(axis=0) - mean) < 4.5 * error)
    logs = np.log(phi)
    error = logs.std(axis=0) / np.sqrt(n)
    assert np.all(np.abs(logs.mean(axis=0) - digamma(lam) + digamma(total)) < 4.5 * error)


def test_poisson_topics_have_nearly_the_moments_of_the_dirichlet():
    """What the urn approximates: means differ by less than 1 / total, where words that occur
    nowhere are drawn exactly (here the last two), and the standard deviation of a word with many
    tokens by 10 %; but a word with few is 0 in a topic with the probability exp(-eta - n_kw), which
    never happens to a Dirichlet's."""
    eta, n = 0.8, 4000
    phi, lam = phi_draws("poisson", eta, n), COUNTS + eta
    total = lam.sum(axis=0)
    mean = lam / total
    error = phi.std(axis=0) / np.sqrt(n)
    assert np.all(np.abs(phi.mean(axis=0) - mean) < 4.5 * error + 1 / total)
    sd = np.sqrt(mean * (1 - mean) / (total + 1))
    assert np.all(np.abs(phi.std(axis=0) / sd - 1)[0, 0] < 0.1)
    nowhere = (phi[:, 1, 0] == 0).mean()
    p = np.exp(-eta - 3) * (1 - np.exp(-eta))  # there, and not in the other topic as well
    assert nowhere == pytest.approx(p, abs=4.5 * np.sqrt(p / n))
    assert (phi.sum(axis=2) > 0).all(), "a word that is nowhere has no topic to be drawn from"


def test_the_urn_comes_near_the_dirichlet_as_counts_grow():
    """Of a word with n tokens of 2 n: skewness of both differs by about 1 / sqrt(n), so that the
    total variation of binned draws falls from n = 4 to n = 100; below 0.08 there (noise 0.02)."""

    def gap(n: int) -> float:
        cells = Cells(np.array([0, 1, 2]), np.zeros(2, np.int32), np.array([n, n], np.int32))
        draws = {
            draw: np.array(
                [
                    draw_topics(None, cells, 0.1, np.ones(1), draw, 1, s).phi[0, 0]
                    for s in range(3000)
                ]
            )
            for draw in ("exact", "poisson")
        }
        edges = np.quantile(draws["exact"], np.linspace(0, 1, 11)[1:-1])
        binned = [np.bincount(np.digitize(x, edges), minlength=10) / 3000 for x in draws.values()]
        return 0.5 * float(np.abs(binned[0] - binned[1]).sum())

    small, large = gap(4), gap(100)
    assert large < 0.08 < small


# --- tables, order and Psi ------------------------------------------------------------------------


def test_documents_that_hold_a_topic_are_counted():
    rng = np.random.default_rng(1)
    lengths = rng.integers(1, 300, 50)
    doc_start = np.concatenate(([0], np.cumsum(lengths)))
    topic = rng.choice(4, lengths.sum(), p=[0.6, 0.3, 0.1, 0.0]).astype(np.int32)
    at_least, longer = documents_holding(None, doc_start, topic, 4)
    held = np.array([np.bincount(x, minlength=4) for x in np.split(topic, doc_start[1:-1])])
    for j in range(1, 33):
        assert np.array_equal(at_least[:, j - 1], (held >= j).sum(axis=0))
    pairs = [(k, n) for row in held for k, n in enumerate(row) if n > 32]
    assert sorted(map(tuple, longer.tolist())) == sorted(pairs)
    with Threads(3) as pool:
        same = documents_holding(pool, doc_start, topic, 4)
    assert np.array_equal(same[0], at_least)


def stirling_law(n: int, c: float) -> np.ndarray:
    """P(tables = 0..n) of n customers (Antoniak 1974), by the recursion of Stirling numbers."""
    p = np.zeros(n + 1)
    p[0] = 1.0
    for j in range(n):
        p = (p * j + np.concatenate(([0.0], p[:-1])) * c) / (j + c)
    return p


def test_tables_follow_antoniak_s_law():
    """Three documents with 5, 5 and 2 tokens of a topic: their tables' sum is a convolution."""
    c, rng = 0.8, np.random.default_rng(2)
    assert stirling_law(5, c)[1:] == pytest.approx(
        [0.26106934, 0.43511557, 0.24366472, 0.05569479, 0.00445558], abs=1e-8
    )
    doc_start, topic = np.array([0, 5, 10, 12]), np.zeros(12, np.int32)
    held = documents_holding(None, doc_start, topic, 1)
    law = np.convolve(np.convolve(stirling_law(5, c), stirling_law(5, c)), stirling_law(2, c))
    seen = np.bincount(
        [int(draw_tables(*held, np.array([c]), rng)[0]) for _ in range(8000)], minlength=len(law)
    )
    assert chi_square(seen, law) > 1e-4


def test_tables_of_long_documents_follow_the_same_law():
    c, rng, n = 2.5, np.random.default_rng(3), 150
    held = documents_holding(None, np.array([0, n]), np.zeros(n, np.int32), 1)
    seen = np.bincount(
        [int(draw_tables(*held, np.array([c]), rng)[0]) for _ in range(5000)], minlength=n + 1
    )
    assert chi_square(seen, stirling_law(n, c)) > 1e-4


def test_weights_are_sticks_in_their_order():
    """Means of Psi over 20,000 draws against products of the sticks' means; 4.5 errors."""
    tables, place, gamma = np.array([3, 0, 9, 1]), np.array([1, 3, 0, 2]), 1.5
    rng = np.random.default_rng(4)
    draws = np.array([draw_sticks(tables, place, gamma, rng) for _ in range(20_000)])
    assert draws.sum(axis=1) == pytest.approx(1.0)
    held = [9, 3, 1, 0]  # at places 0 to 3
    left, mean = 1.0, np.zeros(4)
    for i, slot in enumerate([2, 0, 3, 1]):
        stick = 1.0 if i == 3 else (1 + held[i]) / (1 + held[i] + gamma + sum(held[i + 1 :]))
        mean[slot], left = left * stick, left * (1 - stick)
    error = draws.std(axis=0) / np.sqrt(len(draws))
    assert np.all(np.abs(draws.mean(axis=0) - mean) < 4.5 * error)


def test_orders_are_drawn_by_the_probability_of_the_tables():
    """All 24 orders of four topics: B(1 + L, gamma + later) of each stick; 6,000 draws."""
    from itertools import permutations

    tables, gamma, rng = np.array([4, 1, 0, 2]), 0.9, np.random.default_rng(5)

    def log_p(order: tuple[int, ...]) -> float:
        total = 0.0
        for i in range(3):
            a, b = 1 + tables[order[i]], gamma + sum(tables[k] for k in order[i + 1 :])
            total += gammaln(a) + gammaln(b) - gammaln(a + b)
        return total

    p = {order: np.exp(log_p(order)) for order in permutations(range(4))}
    law = {order: value / sum(p.values()) for order, value in p.items()}
    place, n = np.arange(4), 12_000
    seen = dict.fromkeys(law, 0.0)
    for _ in range(n):
        place = draw_order(tables, place, gamma, rng)
        seen[tuple(np.argsort(place).tolist())] += 1 / n
    from collections import Counter

    assert total_variation(law, Counter(seen)) < 0.05


# --- a run ----------------------------------------------------------------------------------------


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
        assert state.phi.shape[1] == len(state.weight) == len(state.count)
        assert state.count.sum() == corpus.n_tokens
    assert len(state.weight) >= 2 + hdp_parallel_gibbs.GROWTH
    assert flag >= 0


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


def test_entries_are_those_of_the_corpus_word_by_word(dozen):
    entries, words = entries_of(dozen), np.repeat(dozen.word_ids, dozen.counts)
    seen = np.zeros(dozen.n_tokens, int)
    for w in range(dozen.n_words):
        for e in range(entries.start[w], entries.start[w + 1]):
            tokens = np.arange(entries.place[e], entries.place[e] + entries.held[e])
            assert (words[tokens] == w).all()
            seen[tokens] += 1
    assert (seen == 1).all()
    topic = np.random.default_rng(0).integers(-1, 4, dozen.n_tokens).astype(np.int32)
    cells = count_cells(None, entries, topic, 4)
    found = np.zeros((dozen.n_words, 4), int)
    found[np.repeat(np.arange(dozen.n_words), np.diff(cells.start)), cells.slot] = cells.held
    recount = np.zeros_like(found)
    np.add.at(recount, (words[topic >= 0], topic[topic >= 0]), 1)
    assert np.array_equal(found, recount)


def test_few_topics_at_the_start_are_warned_of():
    assert "hdp-gibbs" in HdpParallelGibbs(n_start=5).caution()
    assert not HdpParallelGibbs().caution()


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


def test_words_that_are_next_to_nothing_everywhere_can_be_drawn():
    """Gamma(1e-4) is next to nothing for a word without tokens in nearly all of two topics."""
    cells = Cells(np.zeros(401, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32))
    drawn = draw_topics(None, cells, 1e-4, np.array([1.0, 2.0]), "exact", 1, 1)
    assert (drawn.mass > 0).all()
    assert np.isfinite(drawn.mass).all()
