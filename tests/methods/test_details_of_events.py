"""What events tell of their moment is what a replay with the same seed finds there."""

import copy
import math
from collections import Counter

import numpy as np
import pytest
from scipy.special import digamma, logsumexp

from bnpexplorer.checks.expecting import bars, small
from bnpexplorer.core.knob import knobs_of
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference.local_sample import LocalSample
from bnpexplorer.inference.sticks import expected_weights, stick_parameters
from bnpexplorer.kernels.hdp_collapsed import draw_weights, seat_tables
from bnpexplorer.methods import METHODS
from bnpexplorer.methods.direct import hdp_gibbs
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
from tests.twins.mixture import log_dm

GAMMA, ALPHA, ETA, N_WORDS = 3.0, 1.2, 0.3, 7
CORPUS = Corpus.from_csr(
    np.random.default_rng(1).poisson(0.9, (20, N_WORDS))
    + np.eye(N_WORDS, dtype=int)[np.arange(20) % 7]
)
X = CORPUS.to_csr().toarray()


def log_mean_field(x: np.ndarray, lam: np.ndarray) -> float:
    """E ln p(x | theta), theta ~ Dir(lam), word by word."""
    return sum(c * (digamma(lam[w]) - digamma(sum(lam))) for w, c in enumerate(x))


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


# --- dpm-gibbs ------------------------------------------------------------------------------------


def replayed_openings(state, batch, rng) -> list[tuple[int, dict, dict, dict]]:
    """Of each cluster that a block opens: document, logs of prior weights, likelihoods, mean field.

    One document after the other, as Neal writes it, with the same uniforms.
    """
    docs_of = {int(k): set(np.flatnonzero(state.z == k).tolist()) for k in state.topic_ids}
    found, next_id = [], state.n_ids
    for d in batch.rows.tolist():
        alone = next((k for k, docs in docs_of.items() if docs == {d}), None)
        for docs in docs_of.values():
            docs.discard(d)
        n = sum(map(len, docs_of.values()))
        filled = {k: docs for k, docs in docs_of.items() if docs}
        log_prior = {k: math.log(len(docs) / (n + GAMMA)) for k, docs in filled.items()}
        held = {k: ETA + X[sorted(docs)].sum(axis=0) for k, docs in filled.items()}
        log_p = {k: log_dm(X[d], lam) for k, lam in held.items()}
        log_prior[-1], log_p[-1] = math.log(GAMMA / (n + GAMMA)), log_dm(X[d], [ETA] * N_WORDS)
        held[-1] = np.full(N_WORDS, ETA)
        total = np.cumsum([math.exp(log_prior[k] + log_p[k]) for k in log_prior])
        drawn = list(log_prior)[int(np.searchsorted(total, rng.random() * total[-1], "right"))]
        if drawn == -1 and alone is not None:
            drawn = alone
        elif drawn == -1:
            log_mean = {k: log_mean_field(X[d], lam) for k, lam in held.items()}
            found.append((d, log_prior, log_p, log_mean))
            drawn, next_id = next_id, next_id + 1
            docs_of[drawn] = set()
        docs_of[drawn].add(d)
    return found


def test_births_of_dpm_gibbs_tell_the_document_and_its_weights():
    method, rng = (
        DpmGibbs(DPMixture(GAMMA, ETA), start="nothing", moves=0),
        np.random.default_rng(2),
    )
    state, births = method.init(CORPUS, rng), 0
    for batch in in_turn(CORPUS, 7) * 5:
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


WORD = np.repeat(CORPUS.word_ids, CORPUS.counts)
DOC = np.repeat(np.arange(20), CORPUS.doc_lengths)


def replay_until(state, batch, n_openings: int, rng) -> tuple[int, int]:
    """Draw a block up to and with the token that opens the last of so many topics, since there is
    no slot for more: its place in the corpus, and the slot."""
    block = state.tokens.block(batch)
    slots = hdp_gibbs.slots_of(state, state.tokens.count > 0)
    n_free = slots.n_free[0]
    slots.free[:n_openings] = slots.free[n_free - n_openings : n_free].copy()
    slots.n_free[0] = n_openings
    done = hdp_gibbs.draw_some(state, block, slots, 0, rng)
    state.tokens.topic[block.places] = block.topic
    return int(block.places[done - 1]), int(slots.free[0])


def weights_at(state, i: int, rest: float, id_of: dict[int, int]) -> tuple[dict, dict, dict]:
    """Log prior weights, log likelihoods and mean field's of the token `i` by identity, counted
    anew."""
    z = state.tokens.topic
    z[i] = -1
    mine = (DOC[i] == DOC) & (z >= 0)
    prior, p = {-1: ALPHA * rest}, {-1: 1.0 / N_WORDS}
    mean = {-1: digamma(ETA) - digamma(N_WORDS * ETA)}
    for slot in np.unique(z[z >= 0]).tolist():
        k, there = id_of[slot], z == slot
        prior[k] = (mine & there).sum() + ALPHA * state.weight[slot]
        of_word, of_all = (there & (WORD[i] == WORD)).sum() + ETA, there.sum() + N_WORDS * ETA
        p[k], mean[k] = of_word / of_all, digamma(of_word) - digamma(of_all)
    norm = mine.sum() + ALPHA
    log_prior = {k: math.log(x / norm) for k, x in prior.items()}
    return log_prior, {k: math.log(x) for k, x in p.items()}, mean


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


def replayed_pass(state, rng) -> list[tuple[int, dict, dict, dict]]:
    """Of each component that a pass creates: document, log prior weights, log likelihoods and mean
    field's by identity. One document after the other, as algorithm 2 has it: q(beta) stays, and
    what is created is a Chinese restaurant in what the sticks leave."""
    ids, n = state.topic_ids.tolist(), state.n
    lams = dict(zip(ids, dense(state.lam), strict=True))
    a, b = 1.0 + n, GAMMA + n.sum() - np.cumsum(n)
    weights, left = {}, 1.0
    for k, first, rest in zip(ids, a, b, strict=True):
        weights[k], left = left * first / (first + rest), left * rest / (first + rest)
    tail, found = {}, []
    for d in range(CORPUS.n_docs):
        seated = sum(map(len, tail.values()))
        log_prior = {k: math.log(x) for k, x in weights.items()}
        log_prior |= {k: math.log(left * len(docs) / (seated + GAMMA)) for k, docs in tail.items()}
        log_prior[-1] = math.log(left * GAMMA / (seated + GAMMA))
        held = lams | {k: ETA + X[docs].sum(axis=0) for k, docs in tail.items()}
        held[-1] = np.full(N_WORDS, ETA)
        log_p = {k: log_dm(X[d], lam) for k, lam in held.items()}
        drawn = list(log_prior)[picked([log_prior[k] + log_p[k] for k in log_prior], rng.random())]
        if drawn == -1:
            log_mean = {k: log_mean_field(X[d], lam) for k, lam in held.items()}
            found.append((d, log_prior, log_p, log_mean))
            drawn = state.n_ids + len(tail)
        if drawn not in lams:
            tail.setdefault(drawn, []).append(d)
    return found


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


def check_against_rival(births, found: dict, labels: list[int], known: list[int], rows) -> None:
    """`found`: by label document, label of the likeliest other topic (-1: none), log prior weights,
    log likelihoods and mean field's of it and of a new one. `labels`: of the topics that were born.
    """
    id_of = dict(enumerate(known))
    id_of |= {k: e.children[0] for k, e in zip(labels, births, strict=True)}
    for label, event in zip(labels, births, strict=True):
        document, rival, log_prior, log_p, log_mean = found[label][:5]
        told, first = event.details, 0 if rival >= 0 else 1
        assert told.document == rows[document]
        assert told.topics == ((id_of.get(rival, -1),) if rival >= 0 else ())
        np.testing.assert_allclose(told.log_prior, log_prior[first:], atol=1e-9)
        np.testing.assert_allclose(told.log_likelihood, log_p[first:], atol=1e-9)
        np.testing.assert_allclose(told.log_meanfield, log_mean[first:], atol=1e-9)


def picked(logs: list[float], u: float) -> int:
    total = np.cumsum(np.exp(np.array(logs) - max(logs)))
    return int(np.searchsorted(total, u * total[-1], "right"))


def replayed_mixture(x, lam, n, n_sweeps: int, rng) -> tuple[dict, list[int]]:
    """Wang & Blei's joint draws of a mini-batch with the same uniforms: what is found of every
    component that a document opened, by label, and the labels in the last sweep."""
    above = np.append(np.cumsum(n[::-1])[::-1][1:], 0.0) if len(n) else np.zeros(0)
    a, b = 1.0 + n, GAMMA + above
    z, tail, found = [-1] * len(x), [], {}
    n_labels, order = len(n), list(range(len(x)))
    for sweep in range(n_sweeps):
        for j in range(len(x) - 1, 0, -1) if sweep else ():
            other = int(rng.random() * (j + 1))
            order[j], order[other] = order[other], order[j]
        for i in order:
            old, z[i] = z[i], -1
            alone = old >= len(n) and old not in z
            if alone:
                tail[tail.index(old)] = tail[-1]
                tail.pop()
            there, prior, left = [*range(len(n)), *tail], [], 0.0
            for k in range(len(n)):
                m, later = z.count(k), sum(c > k for c in z)
                prior.append(left + math.log((a[k] + m) / (a[k] + b[k] + m + later)))
                left += math.log((b[k] + later) / (a[k] + b[k] + m + later))
            beyond = sum(c >= len(n) for c in z)
            prior += [left + math.log(z.count(c) / (beyond + GAMMA)) for c in tail]
            prior.append(left + math.log(GAMMA / (beyond + GAMMA)))
            held = [x[[j for j, c in enumerate(z) if c == k]].sum(axis=0) for k in there]
            base = [lam[k] if k < len(n) else np.full(N_WORDS, ETA) for k in there]
            lams = [*(m + c for m, c in zip(base, held, strict=True)), np.full(N_WORDS, ETA)]
            log_p = [log_dm(x[i], lam) for lam in lams]
            logs = [p + q for p, q in zip(prior, log_p, strict=True)]
            drawn = picked(logs, rng.random())
            if drawn < len(there):
                z[i] = there[drawn]
                continue
            tail.append(old if alone else n_labels)
            z[i] = tail[-1]
            if not alone:
                best = int(np.argmax(logs[:-1])) if there else -1
                log_mean = [log_mean_field(x[i], lam) for lam in lams]
                told = [(p[best], p[-1]) for p in (prior, log_p, log_mean)]
                found[n_labels] = (i, there[best] if there else -1, *told)
                n_labels += 1
    return found, sorted({k for k in z if k >= len(n)})


def test_births_of_dpm_tsvi_tell_the_document_and_its_weights():
    method, rng = DpmTsvi(DPMixture(GAMMA, ETA), burn_in=2), np.random.default_rng(6)
    state, births = method.init(CORPUS, rng), 0
    for batch in in_turn(CORPUS, 7) * 4:
        known, seed = state.topic_ids.tolist(), copy.deepcopy(rng)
        found, labels = replayed_mixture(
            X[batch.rows], dense(state.lam), state.n.copy(), 1 + 2 + 1, seed
        )
        state, info = method.step(state, batch, rng, None)
        born = [e for e in info.events if e.kind == "birth"]
        check_against_rival(born, found, labels, known, batch.rows)
        births += len(born)
    assert births > 5


def replayed_topics(method: HdpTsvi, state, docs: Corpus, rng) -> tuple[dict, dict, np.ndarray]:
    """The local step token by token with the same random numbers: what is found of every topic that
    a token opened, by label, the labels of the slots that kept sweeps use, and the last topics."""
    weight, unseen = expected_weights(state.n, GAMMA, truncated=False)
    local = LocalSample.unseated(state.lam, weight, unseen, docs)
    slots, z, word = local.slots, local.topic, local.tokens.word
    doc = np.repeat(np.arange(docs.n_docs), np.diff(local.tokens.doc_start))
    n_old, lam, total = slots.n_old, local.counts.word.copy(), slots.total.copy()
    free = slots.free[: slots.n_free[0]].tolist()
    label_of, n_labels, found = dict(enumerate(range(n_old))), n_old, {}
    sticks, tables, means = stick_parameters(state.n, GAMMA), local.tables, local.tables.copy()
    for sweep in range(1 + method.burn_in + method.kept_sweeps):
        keep = sweep > method.burn_in
        slots.kept[np.unique(z[z >= 0])] |= keep
        for i in range(len(z)):
            k, z[i] = z[i], -1
            if k >= n_old and not (z == k).any():
                slots.rest[0] += slots.weight[k]
                slots.weight[k] = 0.0
                free += [] if slots.kept[k] else [k]
            held = np.bincount(z[z >= 0], minlength=len(total))
            mine = np.bincount(z[(z >= 0) & (doc == doc[i])], minlength=len(total))
            same = np.bincount(z[(z >= 0) & (word == word[i])], minlength=len(total))
            prior = np.append(mine + ALPHA * slots.weight, ALPHA * slots.rest[0])
            p = np.append((lam[word[i]] + same) / (total + held), 1.0 / N_WORDS)
            mass = np.cumsum(prior * p)
            k = int(np.searchsorted(mass, rng.random() * mass[-1], "right"))
            if k == len(total):
                k, best = free.pop(), int(np.argmax((prior * p)[:-1]))
                rival = label_of[best] if mass[-2] > 0.0 else -1
                with np.errstate(divide="ignore"):
                    told = np.log([prior[[best, -1]] / (mine.sum() + ALPHA), p[[best, -1]]])
                of_word = np.array([lam[word[i], best] + same[best], ETA])
                of_all = np.array([total[best] + held[best], N_WORDS * ETA])
                mean = digamma(of_word) - digamma(of_all)
                found[n_labels] = (doc[i], rival, *told, mean, local.words[word[i]])
                label_of[k], n_labels = n_labels, n_labels + 1
                slots.weight[k] = slots.rest[0] * rng.beta(1.0, GAMMA)
                slots.rest[0] -= slots.weight[k]
            slots.kept[k] |= keep
            z[i] = k
        seats = (local.tokens.doc_start, z, slots.weight, ALPHA)
        seat_tables(*seats, False, tables, rng)
        if keep:
            seat_tables(*seats, True, means, rng)
        draw_weights(*sticks, GAMMA, tables, slots.weight, slots.rest, rng)
    return found, {k: label_of[k] for k in np.flatnonzero(slots.kept) if k >= n_old}, z


def test_births_of_hdp_tsvi_tell_document_words_and_weights():
    method = HdpTsvi(HDP(GAMMA, ALPHA, ETA), burn_in=2, kept_sweeps=2)
    rng, births = np.random.default_rng(7), 0
    state = method.init(CORPUS, rng)
    for batch in in_turn(CORPUS, 7) * 3:
        known, before = state.topic_ids.tolist(), copy.deepcopy((state, rng))
        found, label_of, z = replayed_topics(method, before[0], batch.docs, before[1])
        state, info = method.step(state, batch, rng, None)
        born = [e for e in info.events if e.kind == "birth"]
        check_against_rival(born, found, list(label_of.values()), known, batch.rows)
        word = np.repeat(batch.docs.word_ids, batch.docs.counts)
        doc = np.repeat(batch.rows, batch.docs.doc_lengths)
        for slot, event in zip(label_of, born, strict=True):
            assert event.details.words[0] == found[label_of[slot]][5]
            inside = set(word[(z == slot) & (doc == event.details.document)].tolist())
            assert inside <= set(event.details.words)
            assert len(event.details.words) <= 1 + len(inside)
        births += len(born)
    assert births > 5
