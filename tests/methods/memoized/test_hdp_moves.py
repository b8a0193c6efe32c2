"""Splits, merges and deletions of the memoized HDP: exact bookkeeping, and a bound that rises."""

from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.kernels import hdp_direct as kernels
from bnpexplorer.kernels.tuples import Until
from bnpexplorer.methods.memoized import hdp_splitmerge
from bnpexplorer.methods.memoized import judging as judging
from bnpexplorer.methods.memoized import moves as moves
from bnpexplorer.methods.memoized import proposals as proposals
from bnpexplorer.methods.memoized.bound import bound_of, columns_of, evidence_of_pairs
from bnpexplorer.methods.memoized.fit import (
    recount,
    settle,
    start_fit,
    stick_sizes,
    visit,
    weights_of,
)
from bnpexplorer.methods.memoized.hdp_splitmerge import HdpSplitmerge
from bnpexplorer.methods.memoized.judging import ColumnSource
from bnpexplorer.methods.memoized.moves import Moves, MoveTrial, TokenSample, TopicSplit
from bnpexplorer.models.hdp import HDP
from bnpexplorer.runs.run import Run
from bnpexplorer.state.snapshot import Event
from tests.tools.direct import bound, cut, dense_lam, random_counts
from tests.tools.methods import blocks_of
from tests.tools.weights import AMOUNTS, amounts_of, corpus_of
from tests.twins import direct as naive
from tests.twins.moves import restricted

GAMMA, ALPHA, ETA = 1.4, 2.2, 0.3
MODEL = HDP(GAMMA, ALPHA, ETA)


def followed(seed: int, followed_moves: Moves, n_topics: int = 4):
    """A fit, its slow twin, and the moves after a pass in which they were followed."""
    counts = amounts_of(random_counts(seed, 14, 8, 1.5), AMOUNTS[seed % 2])
    corpus = corpus_of(counts)
    fit = start_fit(MODEL, "random", corpus, n_topics, np.random.default_rng(seed))
    blocks = cut(14, 3, seed)
    twin = naive.Memoized(counts, blocks, dense_lam(fit) - ETA, GAMMA, ALPHA, ETA, 5)
    ids = np.arange(10, 10 + n_topics)
    for lap in range(3):
        for batch in blocks_of(corpus, blocks):
            twin.visit(batch.index, weights_of(fit.rho))
            found = visit(fit, MODEL, batch, None, Until(4, 1e-14))
            if lap == 2:
                moves.follow(followed_moves, fit, ids, batch.docs, batch.index, found)
    return fit, twin, ids


def explicit_bound(twin, r: np.ndarray, theta: np.ndarray, rho: np.ndarray) -> float:
    lam = ETA + np.einsum("dw,dwk->kw", twin.counts, r)
    omega = stick_sizes(len(rho), GAMMA, len(r))
    q = naive.Posterior(lam, rho * omega, (1 - rho) * omega, theta, r)
    return naive.bound(q, twin.counts, GAMMA, ALPHA, ETA)


def split_columns(split, columns, sources):
    evidence = kernels.topic_evidence(split.stats, ETA)
    return judging._split_columns(split, evidence, judging.BoundTerms(columns, sources), 20)


def merged_columns(at, proposal, fit, ids, columns, sources):
    """With the first of the proposed pairs merged, which are `at` those places of `sources`."""
    places = np.searchsorted(ids, proposal.pairs)
    own = evidence_of_pairs(fit.lam, places)[:1]
    return judging._merged_columns(at, 0, own, proposal, judging.BoundTerms(columns, sources), 20)


@pytest.mark.parametrize("seed", range(3))
def test_a_split_and_a_merge_are_those_of_explicit_assignments(seed):
    rng = np.random.default_rng(seed)
    excess, share = rng.gamma(1.0, 3.0, (8, 3)), np.array([0.5, 0.3, 0.2])
    proposal = Moves(splits=[TopicSplit(12, excess, share)], pairs=[(11, 13), (10, 13)])
    fit, twin, ids = followed(seed, proposal)
    columns = columns_of(fit)
    sources = [ColumnSource((k,), identity=int(i)) for k, i in enumerate(ids)]

    columns, sources = split_columns(proposal.splits[0], columns, sources)
    own = (twin.r[:, :, 2], twin.prior[:, 2])
    r, theta = restricted(twin.counts, *own, excess, share, ETA)
    split_r = np.concatenate((twin.r[:, :, :2], r, twin.r[:, :, 3:]), axis=2)
    split_theta = np.concatenate((twin.theta[:, :2], theta, twin.theta[:, 3:]), axis=1)
    exact = explicit_bound(twin, split_r, split_theta, columns.rho)
    assert bound_of(columns, MODEL, 14) == pytest.approx(exact, rel=1e-10)
    again = judging.rebuilt(proposal, fit, sources, columns.rho)
    assert bound(again, MODEL) == pytest.approx(exact, rel=1e-10)

    at = [1, 5]  # topics 11 and 13, around the three parts of 12
    columns, sources = merged_columns(at, proposal, fit, ids, columns, sources)
    r = np.delete(split_r, 5, axis=2)
    r[:, :, 1] += split_r[:, :, 5]
    theta = np.delete(split_theta, 5, axis=1)
    theta[:, 1] += split_theta[:, 5]
    exact = explicit_bound(twin, r, theta, columns.rho)
    assert bound_of(columns, MODEL, 14) == pytest.approx(exact, rel=1e-10)
    again = judging.rebuilt(proposal, fit, sources, columns.rho)
    assert bound(again, MODEL) == pytest.approx(exact, rel=1e-10)
    assert [s.identity for s in sources] == [10, 20, 20, 21, 22]


def test_weights_are_shared_out_and_added_up():
    proposal = Moves(
        splits=[TopicSplit(11, np.ones((8, 2)), np.array([0.75, 0.25]))], pairs=[(10, 12)]
    )
    fit, _, ids = followed(0, proposal)
    before = weights_of(fit.rho)
    sources = [ColumnSource((k,), identity=int(i)) for k, i in enumerate(ids)]
    columns = columns_of(fit)
    trial, _ = split_columns(proposal.splits[0], columns, sources)
    expected = [before[0], 0.75 * before[1], 0.25 * before[1], *before[2:]]
    assert weights_of(trial.rho) == pytest.approx(expected)
    trial, _ = merged_columns([0, 2], proposal, fit, ids, columns, sources)
    assert weights_of(trial.rho) == pytest.approx([before[0] + before[2], *before[[1, 3, 4]]])


def test_samples_hold_the_topics_tokens_of_documents_that_use_it():
    proposal = Moves(samples=proposals.empty_samples([12]))
    _, twin, _ = followed(1, proposal)
    sample = proposal.samples[0]
    tokens = (twin.counts * twin.r[:, :, 2]).sum(axis=1)
    using = tokens >= moves.SAMPLE_SHARE * twin.counts.sum(axis=1)
    assert 0 < using.sum() < 14 or using.all()
    rows = np.concatenate(twin.blocks)  # the order of visits
    rows = rows[using[rows]]
    assert np.add.reduceat(sample.tokens, sample.indptr[:-1]) == pytest.approx(tokens[rows])
    lengths = (twin.counts[rows] > 0).sum(axis=1)
    assert np.array_equal(np.diff(sample.indptr), lengths)
    words = np.concatenate([np.flatnonzero(twin.counts[d]) for d in rows])
    assert np.array_equal(sample.word_ids, words)


def test_a_sample_of_two_kinds_of_documents_is_split_between_them():
    counts = np.array([[9, 9, 0, 0], [8, 7, 0, 0], [0, 0, 9, 6], [0, 0, 7, 9]] * 5)
    corpus = Corpus.from_csr(counts)
    fit = start_fit(MODEL, "random", corpus, 1, np.random.default_rng(0))
    for batch in blocks_of(corpus, cut(20, 2, 0)):
        visit(fit, MODEL, batch, None, Until(4, 1e-3))
    sample = TokenSample(0, corpus.indptr, corpus.word_ids, corpus.counts.astype(float))
    split = proposals.make_split(sample, 0, 2, fit, MODEL, np.random.default_rng(0))
    share = split.excess / split.excess.sum(axis=0)
    assert np.sort(share[:2].sum(axis=0)) == pytest.approx([0, 1], abs=0.02)
    assert split.excess.sum() == pytest.approx(corpus.n_tokens)
    assert split.share == pytest.approx([0.5, 0.5], abs=0.1)
    one = TokenSample(0, corpus.indptr[:2], corpus.word_ids[:2], np.ones(2))
    assert proposals.make_split(one, 0, 2, fit, MODEL, np.random.default_rng(0)) is None


def test_the_pairs_to_merge_are_those_that_cost_least_among_the_most_similar(monkeypatch):
    monkeypatch.setattr(proposals, "WORDS_TOGETHER", 3)  # the vocabulary in several parts
    fit, _, ids = followed(0, Moves())
    columns, stats = columns_of(fit), dense_lam(fit) - ETA
    n_topics = len(ids)
    pairs = [(a, b) for a in range(n_topics) for b in range(a + 1, n_topics)]
    unit = stats / np.linalg.norm(stats, axis=1)[:, None]
    assert proposals._cosines(fit.lam, None) == pytest.approx(unit @ unit.T)

    def cost(pair):
        a, b = (stats[[k]].T.copy() for k in pair)
        one, other, both = (kernels.topic_evidence(x, ETA)[0] for x in (a, b, a + b))
        return one + other - both

    for refused in (set(), {(int(ids[a]), int(ids[b])) for a, b in pairs[:2]}):
        free = [p for p in pairs if (ids[p[0]], ids[p[1]]) not in refused]
        alike = sorted(free, key=lambda p: -unit[p[0]] @ unit[p[1]])[:3]
        best = min(alike, key=cost)
        found = proposals._likely_pairs(fit, ids, columns, 1, refused, None)
        assert found == [(ids[best[0]], ids[best[1]])]


# --- acceptance -----------------------------------------------------------------------------------


def test_bad_merges_and_splits_are_refused_and_leave_no_trace(bars):
    corpus = bars[0].take(np.arange(100))
    model = HDP(1.0, 0.5, 0.1)
    fit = start_fit(model, "k-means", corpus, 6, np.random.default_rng(0))
    excess = np.random.default_rng(0).gamma(1.0, 30.0, (25, 2))
    proposal = Moves(pairs=[(0, 1)], splits=[TopicSplit(2, excess, np.array([0.5, 0.5]))])
    for lap in range(8):
        for batch in blocks_of(corpus, cut(100, 2, 0)):
            found = visit(fit, model, batch, None, Until(10, 1e-3))
            if lap == 7:
                moves.follow(proposal, fit, np.arange(6), batch.docs, batch.index, found)
    before = bound(fit, model)
    outcome = judging.judge(proposal, fit, model, np.arange(6), 6)
    assert outcome.fit is fit
    assert outcome.bound == before == bound(fit, model)
    assert outcome.events == ()
    assert [(r.kind, r.topics) for r in proposal.refusals] == [("merge", (0, 1))]
    assert proposal.trial.events[0].parents == (2,)  # a split gets a second chance as a trial
    assert outcome.next_id == 8


def test_two_copies_of_a_topic_are_merged():
    counts = np.tile([[6, 5, 4, 0], [5, 6, 6, 1]], (20, 1))
    corpus = Corpus.from_csr(counts)
    model = HDP(1.0, 0.5, 0.1)
    fit = start_fit(model, "random", corpus, 2, np.random.default_rng(0))
    proposal = Moves(pairs=[(0, 1)])
    for lap in range(2):
        for batch in blocks_of(corpus, cut(40, 2, 0)):
            found = visit(fit, model, batch, None, Until(10, 1e-3))
            if lap == 1:
                moves.follow(proposal, fit, np.arange(2), batch.docs, batch.index, found)
    before = bound(fit, model)
    outcome = judging.judge(proposal, fit, model, np.arange(2), 2)
    (event,) = outcome.events
    assert replace(event, details=None) == Event("merge", (0, 1), (2,))
    assert event.details.log_ratio == pytest.approx(outcome.bound - before, rel=1e-9)
    assert outcome.bound > before
    assert bound(outcome.fit, model) == pytest.approx(outcome.bound, rel=1e-10)
    assert list(outcome.topic_ids) == [2]


@pytest.mark.parametrize("better", [True, False])
def test_a_trial_is_adopted_only_if_it_overtakes(better):
    counts = random_counts(0, 30, 10, 2.0)
    corpus = Corpus.from_csr(counts)
    fits = []
    for n_topics in (1, 8):
        fit = start_fit(MODEL, "random", corpus, n_topics, np.random.default_rng(0))
        for _ in range(3):
            for batch in blocks_of(corpus, cut(30, 2, 0)):
                visit(fit, MODEL, batch, None, Until(10, 1e-3))
        settle(fit, MODEL)
        fits.append(fit)
    fits.sort(key=lambda f: bound(f, MODEL), reverse=not better)
    fit, other = fits
    ids, other_ids = np.arange(len(fit.rho)), np.arange(len(other.rho)) + 20
    proposal = Moves(trial=MoveTrial("split", other, other_ids, (Event("split", (0,), (20, 21)),)))
    for attempt in range(1, moves.TRIAL_PASSES + 1):
        before = bound(fit, MODEL)
        outcome = judging.judge(proposal, fit, MODEL, ids, 30)
        assert outcome.bound >= before - 1e-9
        if better:
            assert outcome.fit is other
            assert outcome.topic_ids is other_ids
            assert proposal.trial is None
            return
        assert outcome.fit is fit
        assert outcome.events == ()
        assert (proposal.trial is None) == (attempt == moves.TRIAL_PASSES)
    assert [(r.kind, r.topics) for r in proposal.refusals] == [("split", (0,))]


def test_a_deletion_starts_a_complete_fit_of_the_others():
    fit, _, ids = followed(2, Moves())
    trial = proposals.deletion_trial(fit, ids, 11)
    assert list(trial.topic_ids) == [10, 12, 13]
    assert trial.events == (Event("prune", (11,)),)
    assert not trial.fit.complete
    assert trial.fit.lam.size.sum() == pytest.approx(fit.lam.size.sum(), rel=1e-3)
    weights = np.delete(weights_of(fit.rho), 1)
    assert weights_of(trial.fit.rho) == pytest.approx(weights / weights.sum())


# --- whole runs -----------------------------------------------------------------------------------


SETTINGS = [
    {"n_start": 1, "parts": 2},
    {"n_start": 1, "parts": 4, "max_topics": 5},
    {"n_start": 12, "start": "random"},
    {"n_start": 12, "start": "random", "splits": 0},
    {"n_start": 3, "merges": 0},
]


@pytest.mark.second
@pytest.mark.parametrize("seed", range(6))
def test_invariants_over_random_runs(seed, bars, monkeypatch):
    rng = np.random.default_rng(seed)
    corpus = bars[0].take(rng.choice(300, 90, replace=False))
    model = HDP(*rng.choice([0.5, 5.0], 2), rng.choice([0.02, 0.3]))
    settings = SETTINGS[seed % len(SETTINGS)]
    method = HdpSplitmerge(model, bound_tolerance=0.0, **settings)
    judged = []
    real = judging.judge

    def spy(proposal, fit, model, topic_ids, next_id, pool):
        before = bound(fit, model)
        outcome = real(proposal, fit, model, topic_ids, next_id, pool)
        scratch = replace(outcome.fit, lam=outcome.fit.lam)
        recount(scratch)
        reached = bound(scratch, model)  # from the stored locals of all documents
        assert reached == pytest.approx(outcome.bound, rel=1e-10)
        assert reached >= before - 1e-10 * abs(before)
        if outcome.events:
            assert reached > before
        judged.append(len(outcome.events))
        return outcome

    monkeypatch.setattr(hdp_splitmerge, "judge", spy)
    run = Run(method, corpus, seed=seed, batch_size=30, passes=25)
    run.prepare()
    alive, used = set(run.state.topic_ids.tolist()), set(run.state.topic_ids.tolist())
    n_events = 0
    while not run.done:
        run.step()
        events = run.snapshot().events
        for event in events[n_events:]:
            assert set(event.parents) <= alive
            assert not set(event.children) & used
            alive = (alive - set(event.parents)) | set(event.children)
            used |= set(event.children)
        n_events = len(events)
        state = run.state
        assert alive == set(state.topic_ids.tolist())
        assert len(alive) <= method.max_topics
        topics = method.topics(state)
        assert topics.weight.sum() + topics.unseen == pytest.approx(1.0)
        if state.fit.complete:
            assert topics.size.sum() == pytest.approx(corpus.n_tokens)
            for block in state.fit.blocks:
                assert block.theta.sum(axis=1) == pytest.approx(model.alpha + block.lengths)
                tokens = (block.theta - block.prior)[:, :-1]
                assert tokens.min() >= -1e-9
                assert tokens.sum(axis=0) == pytest.approx(block.stats.sum(axis=0), abs=1e-7)
    assert len(judged) == 25
    bounds = np.array([p.bound for p in run.snapshot().trace if np.isfinite(p.bound)])
    assert np.all(np.diff(bounds) >= -1e-9 * np.abs(bounds[1:]))


@pytest.mark.second
def test_all_kinds_of_moves_happen(bars):
    kinds = set()
    for settings in ({"n_start": 1}, {"n_start": 25, "start": "random"}):
        method = HdpSplitmerge(HDP(1.0, 0.5, 0.1), **settings)
        run = Run(method, bars[0], seed=0, batch_size=100, passes=30)
        while not run.done:
            run.step()
        kinds |= {event.kind for event in run.snapshot().events}
    assert kinds == {"split", "merge", "prune"}


@pytest.mark.second
@pytest.mark.parametrize("settings", [{"n_start": 1}, {"n_start": 25}])
def test_bars_are_recovered_from_too_few_and_too_many_topics(bars, settings):
    corpus, truth = bars
    method = HdpSplitmerge(HDP(1.0, 0.5, 0.1), **settings)
    run = Run(method, corpus, seed=0, batch_size=100, passes=60)
    while not run.done:
        run.step()
    topics = run.snapshot().topics
    errors = 0.5 * np.abs(topics.topic_word[:, None, :] - truth).sum(axis=2)
    assert np.all(errors.min(axis=0) < 0.15)
    assert 10 <= len(topics) <= 13
