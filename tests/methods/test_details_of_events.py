"""What events tell of their moment is what a replay with the same seed finds there."""

import copy
import itertools
import math
from collections import Counter

import numpy as np
import pytest
from scipy.special import logsumexp

from bnpexplorer.checks.expecting import bars, known, small
from bnpexplorer.core.knob import knobs_of
from bnpexplorer.methods import METHODS
from bnpexplorer.methods.direct.hdp_gibbs import HdpGibbs
from bnpexplorer.methods.direct.moves import move as move_topics
from bnpexplorer.methods.dpm_collapsed import DpmCollapsed
from bnpexplorer.methods.dpm_gibbs import DpmGibbs
from bnpexplorer.methods.dpm_gibbs import move as move_clusters
from bnpexplorer.methods.dpm_tsvi import DpmTsvi
from bnpexplorer.methods.hdp_tsvi import HdpTsvi
from bnpexplorer.models.dpm import DPMixture
from bnpexplorer.models.hdp import HDP
from bnpexplorer.runs.run import Run
from bnpexplorer.state.snapshot import Details
from tests.tools.methods import corpus_of, dense, in_turn, one_pass
from tests.twins.births import (
    ALPHA,
    CORPUS,
    DOC,
    ETA,
    GAMMA,
    N_WORDS,
    WORD,
    X,
    places_of,
    replay_until,
    replayed_mixture,
    replayed_openings,
    replayed_pass,
    replayed_run,
    replayed_topics,
    weights_at,
)
from tests.twins.mixture import log_dm


def check(told: Details, document: int, log_prior: dict, log_p: dict, log_mean: dict):
    """The three by identity, of all topics in play and of a new one, at -1."""
    assert told.document == document
    best = sorted(log_prior.keys() - {-1}, key=lambda k: -(log_prior[k] + log_p[k]))[:5]
    assert list(told.topics) == best
    np.testing.assert_allclose(told.log_prior, [log_prior[k] for k in (*best, -1)], atol=1e-9)
    np.testing.assert_allclose(told.log_likelihood, [log_p[k] for k in (*best, -1)], atol=1e-9)
    np.testing.assert_allclose(told.log_meanfield, [log_mean[k] for k in (*best, -1)], atol=1e-9)
    assert logsumexp(list(log_prior.values())) == pytest.approx(0.0, abs=1e-9)


# --- every method ---------------------------------------------------------------------------------


@pytest.mark.second
@pytest.mark.parametrize("name", METHODS)
def test_a_method_tells_of_every_birth_or_says_why_not(name):
    """Of all that it opens one by one: a start from many opens none."""
    starts = [about.choices for knob, _, about in knobs_of(METHODS[name]) if knob == "start"]
    one_by_one = {"start": "nothing"} if "nothing" in str(starts) else {}
    run = Run(small(name, **one_by_one), bars(), seed=1, batch_size=20, passes=4)
    born = []
    while not run.done:
        run.step()
        born += [event for event in run.latest_info.events if event.kind == "birth"]
    told = [event.details for event in born]
    if METHODS[name].untold:
        assert not any(told)
        return
    assert len(born) > 2
    assert all(told)
    for details in told:
        assert details.document >= 0
        sides = (details.log_prior, details.log_likelihood, details.log_meanfield)
        assert {len(side) for side in sides} == {len(details.topics) + 1}
        # Jensen's inequality, of which the toy makes its case
        assert all(np.array(details.log_meanfield) <= np.array(details.log_likelihood))


@pytest.mark.second
@pytest.mark.parametrize("name", METHODS)
def test_a_method_says_what_was_weighed_of_ends_splits_and_merges_or_why_nothing_was(name):
    starts = {"n_start": 6, "start": "random"} if name == "hdp-splitmerge" else {"moves": 10}
    run = Run(small(name, **known(name, starts)), bars(60), seed=1, batch_size=20, passes=14)
    moves, ends = [], []
    while not run.done:
        run.step()
        for event in run.latest_info.events:
            moves += [event] if event.kind in ("merge", "split") else []
            ends += [event] if event.kind in ("death", "prune") else []
    assert {event.details.trial for event in moves} <= {"merge", "split", "splits"}
    assert all(event.details.trial.startswith(event.kind) for event in moves)
    if METHODS[name].untold_ends:
        assert not any(event.details for event in ends)
        return
    assert ends
    for event in ends:
        told = event.details
        assert told.trial in ("last", "delete")
        assert (told.trial == "last") == (told.document >= 0 and len(told.topics) == 1)
        assert (told.trial == "delete") == (told.log_ratio is not None)


def ended_with(order, before, after) -> dict[int, tuple[int, int]]:
    """Of topics that are left empty: who left them last and for which, one after the other in an
    `order`; `before` and `after`: where each sat."""
    held = {k: {i for i, z in enumerate(before) if z == k} for k in {*before, *after}}
    found = {}
    for i in order:
        held[before[i]].discard(i)
        held[after[i]].add(i)
        if not held[before[i]]:
            found[before[i]] = (i, after[i])
    return {k: at for k, at in found.items() if not held[k]}


# --- dpm-gibbs ------------------------------------------------------------------------------------


def test_ends_of_dpm_gibbs_tell_who_left_last():
    method, rng = DpmGibbs(DPMixture(GAMMA, ETA), start_size=1, moves=0), np.random.default_rng(2)
    state, ends = method.init(CORPUS, rng), 0
    for batch in in_turn(CORPUS, 7) * 5:
        before = state.z.tolist()
        state, info = method.step(state, batch, rng, None)
        expected = ended_with(batch.rows.tolist(), before, state.z.tolist())
        gone = [event for event in info.events if event.kind == "prune"]
        assert len(gone) == len(expected)
        for event in gone:
            document, to = expected[event.parents[0]]
            assert event.details == Details(document, (), (to,), trial="last")
        ends += len(gone)
    assert ends > 15


def test_births_of_dpm_gibbs_tell_the_document_and_its_weights():
    method, rng = (
        DpmGibbs(DPMixture(GAMMA, ETA), start="nothing", moves=0),
        np.random.default_rng(2),
    )
    state, births = method.init(CORPUS, rng), 0
    for batch in in_turn(CORPUS, 7) * 6:
        found = replayed_openings(copy.deepcopy(state), batch, copy.deepcopy(rng))
        state, info = method.step(state, batch, rng, None)
        told = [e.details for e in info.events if e.kind == "birth"]
        assert len(told) == len(found)
        for details, expected in zip(told, found, strict=True):
            check(details, *expected)
        births += len(told)
    assert births > 10


def log_joint(z: np.ndarray) -> float:
    """ln p(z, x) up to a constant, from the definition."""
    clusters = [np.flatnonzero(z == k) for k in np.unique(z)]
    priors = sum(math.log(GAMMA) + math.lgamma(len(docs)) for docs in clusters)
    return priors + sum(log_dm(X[docs].sum(axis=0), [ETA] * N_WORDS) for docs in clusters)


def test_moves_of_dpm_gibbs_tell_their_parts_and_their_ratio():
    """Of two documents there is one division only: the ratio is that of the posterior."""
    method, rng = DpmGibbs(DPMixture(GAMMA, ETA), start_size=1), np.random.default_rng(3)
    state, pairs = method.init(CORPUS, rng), 0
    for _ in range(2000):
        before = state.z.copy()
        for event in move_clusters(state, CORPUS, 1, rng):
            ends, z = (
                (event.children, state.z) if event.kind == "split" else (event.parents, before)
            )
            assert event.details.sizes == tuple((z == k).sum() for k in ends)
            if event.details.sizes == (1, 1):
                ratio = log_joint(state.z) - log_joint(before)
                assert event.details.log_ratio == pytest.approx(ratio, abs=1e-9)
                pairs += 1
    assert pairs > 10


# --- hdp-gibbs ------------------------------------------------------------------------------------


def test_births_of_hdp_gibbs_tell_document_words_and_weights():
    method, rng = HdpGibbs(HDP(GAMMA, ALPHA, ETA), start="nothing"), np.random.default_rng(4)
    state, births = method.init(CORPUS, rng), 0
    for batch in in_turn(CORPUS, 7) * 4:
        before, seed = copy.deepcopy(state), copy.deepcopy(rng)
        id_of = dict(enumerate(before.slot_ids.tolist()))
        state, info = method.step(state, batch, rng, None)
        born = [e for e in info.events if e.kind == "birth"]
        for n, event in enumerate(born, 1):
            old, told = copy.deepcopy(before), event.details
            i, slot = replay_until(old, batch, n, copy.deepcopy(seed))
            check(told, DOC[i], *weights_at(old, i, old.rest[0] + old.weight[slot], id_of))
            id_of[slot] = event.children[0]
            now = state.tokens.topic == np.flatnonzero(state.slot_ids == event.children[0])
            assert told.words[0] == WORD[i]
            assert sorted(told.words) == np.unique(WORD[now & (DOC[i] == DOC)]).tolist()
        births += len(born)
    assert births > 10


def seats_of(state) -> list[int]:
    """The topic of every token; -1 before it has one."""
    return np.append(state.slot_ids, -1)[state.tokens.topic].tolist()


@pytest.mark.second
def test_ends_of_hdp_gibbs_tell_who_left_last():
    """Also in the passes of a start, in which no topic opens."""
    ends, starting = 0, 0
    for seed, start in itertools.product(range(12), ("nothing", "many")):
        knobs = {"start": start, "n_start": 40, "start_passes": 2, "merge_passes": 0}
        method, rng = HdpGibbs(HDP(GAMMA, ALPHA, ETA), **knobs), np.random.default_rng(seed)
        state = method.init(CORPUS, rng)
        for turn, batch in enumerate(in_turn(CORPUS, 4) * 6):
            before = seats_of(state)
            state, info = method.step(state, batch, rng, None)
            places = places_of(state.tokens.block(batch))
            expected = ended_with(places, before, seats_of(state))
            expected.pop(-1, None)
            gone = [event for event in info.events if event.kind == "prune"]
            assert len(gone) == len(expected)
            for event in gone:
                i, to = expected[event.parents[0]]
                assert event.details == Details(int(DOC[i]), (int(WORD[i]),), (to,), trial="last")
            ends += len(gone)
            starting += len(gone) if start == "many" and turn < 10 else 0
    assert ends > 15
    assert starting > 0


def test_moves_of_hdp_gibbs_tell_their_parts_and_their_ratio():
    """Of two tokens there is one division only, and their shares of the weight are uniform."""
    corpus, rng = corpus_of([[0, 1], [0, 2]], 3), np.random.default_rng(5)
    method = HdpGibbs(HDP(GAMMA, ALPHA, ETA), start="nothing")
    state, _ = one_pass(method, method.init(corpus, rng), in_turn(corpus, 2), rng)
    state.block, kinds, sizes = np.zeros(2, np.int64), Counter(), Counter()
    for _ in range(600):
        before = copy.deepcopy(state)
        for event in move_topics(state, corpus, 1, rng):
            split, told = event.kind == "split", event.details
            apart, one, ids = (
                (state, before, event.children) if split else (before, state, event.parents)
            )
            slots = [np.flatnonzero(apart.slot_ids == k)[0] for k in ids]
            assert told.sizes == tuple(apart.tokens.count[slots])
            sizes[told.sizes] += 1
            if told.sizes == (1, 1):
                u = apart.weight[slots[0]] / apart.weight[slots].sum()
                ratio = math.log(GAMMA / (u * (1.0 - u)))
                ratio += method.log_joint(apart) - method.log_joint(one)
                assert told.log_ratio == pytest.approx(ratio if split else -ratio, abs=1e-9)
                kinds[event.kind] += 1
    assert min(kinds["split"], kinds["merge"], sizes[1, 2]) > 10


# --- dpm-collapsed --------------------------------------------------------------------------------


def test_births_of_dpm_collapsed_tell_the_document_and_its_weights():
    """Of a component that a pass creates in any of its blocks, also the later ones."""
    method, later = DpmCollapsed(DPMixture(GAMMA, ETA)), 0
    for seed in (8, 9, 10):
        rng = np.random.default_rng(seed)
        state = method.init(CORPUS, rng)
        for _ in range(4):
            found = replayed_pass(copy.deepcopy(state), copy.deepcopy(rng))
            for batch in in_turn(CORPUS, 7):
                state, info = method.step(state, batch, rng, None)
            told = [e.details for e in info.events if e.kind == "birth"]
            assert len(told) == len(found)
            for details, expected in zip(told, found, strict=True):
                check(details, *expected)
            later += sum(details.document >= 7 for details in told)
    assert later > 5


# --- dpm-tsvi and hdp-tsvi ------------------------------------------------------------------------


def check_against_rivals(births, found: dict, labels: list[int], known: list[int], rows) -> int:
    """`found`: by label document, labels of the five likeliest other topics, and log prior weights,
    log likelihoods and mean field's of these and of a new one. `labels`: of the topics that were
    born. Returns the most topics that a birth tells of."""
    id_of = dict(enumerate(known))
    id_of |= {k: e.children[0] for k, e in zip(labels, births, strict=True)}
    for label, event in zip(labels, births, strict=True):
        document, rivals, log_prior, log_p, log_mean = found[label][:5]
        told = event.details
        assert told.document == rows[document]
        assert told.topics == tuple(id_of.get(k, -1) for k in rivals)
        np.testing.assert_allclose(told.log_prior, log_prior, atol=1e-9)
        np.testing.assert_allclose(told.log_likelihood, log_p, atol=1e-9)
        np.testing.assert_allclose(told.log_meanfield, log_mean, atol=1e-9)
    return max((len(event.details.topics) for event in births), default=0)


@pytest.mark.parametrize(("burn_in", "keep"), [(2, 1), (0, 2), (0, 4)])
def test_births_of_dpm_tsvi_tell_the_document_and_its_weights(burn_in, keep):
    """Also of those that end within the kept sweeps, whose place another component then takes."""
    method = DpmTsvi(DPMixture(GAMMA, ETA), burn_in=burn_in, keep=keep)
    rng = np.random.default_rng(10)
    state, births, most = method.init(CORPUS, rng), 0, 0
    for batch in in_turn(CORPUS, 7) * 4:
        known, seed = state.topic_ids.tolist(), copy.deepcopy(rng)
        found, labels, _ = replayed_mixture(
            X[batch.rows], dense(state.lam), state.n.copy(), 1 + burn_in, keep, seed
        )
        state, info = method.step(state, batch, rng, None)
        born = [e for e in info.events if e.kind == "birth"]
        most = max(most, check_against_rivals(born, found, labels, known, batch.rows))
        births += len(born)
    assert births > 5
    assert most == 5, "of no birth the likeliest of many had to be found"


def test_a_run_of_dpm_tsvi_is_found_again_from_its_documents_and_its_seed():
    """All that happens in it: births with their numbers, and ends."""
    method, ends = DpmTsvi(DPMixture(GAMMA, ETA), burn_in=1, keep=2), 0
    for seed in (3, 4, 5):
        run, happened = Run(method, CORPUS, seed=seed, batch_size=7, passes=4), []
        while not run.done:
            run.step()
        for event in run.snapshot().events:
            told, topic = event.details, (event.children or event.parents)[0]
            happened.append((event.step, topic))
            if told is not None:
                sides = (told.log_prior, told.log_likelihood, told.log_meanfield)
                happened[-1] += (told.document, told.topics, *sides)
        expected = replayed_run(seed, 7, 4, 2, 2)
        assert [one[:4] for one in happened] == [one[:4] for one in expected]
        for one, other in zip(happened, expected, strict=True):
            for side, again in zip(one[4:], other[4:], strict=True):
                np.testing.assert_allclose(side, again, atol=1e-9)
        ends += sum(len(one) == 2 for one in happened)
    assert ends > 5


def test_births_of_hdp_tsvi_tell_document_words_and_weights():
    method = HdpTsvi(HDP(GAMMA, ALPHA, ETA), burn_in=2, kept_sweeps=2)
    rng, births, most = np.random.default_rng(7), 0, 0
    state = method.init(CORPUS, rng)
    for batch in in_turn(CORPUS, 7) * 3:
        known, before = state.topic_ids.tolist(), copy.deepcopy((state, rng))
        found, label_of, z = replayed_topics(method, before[0], batch.docs, before[1])
        state, info = method.step(state, batch, rng, None)
        born = [e for e in info.events if e.kind == "birth"]
        labels = list(label_of.values())
        most = max(most, check_against_rivals(born, found, labels, known, batch.rows))
        word = np.repeat(batch.docs.word_ids, batch.docs.counts)
        doc = np.repeat(batch.rows, batch.docs.doc_lengths)
        for slot, event in zip(label_of, born, strict=True):
            assert event.details.words[0] == found[label_of[slot]][5]
            inside = set(word[(z == slot) & (doc == event.details.document)].tolist())
            assert inside <= set(event.details.words)
            assert len(event.details.words) <= 1 + len(inside)
        births += len(born)
    assert births > 5
    assert most == 5, "of no birth the likeliest of many had to be found"
