"""Topics that tell the same are merged in burn-in: the rule, and when it applies."""

import math

import numpy as np
import pytest
from scipy.stats import beta

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference.start import GivenTopics
from bnpexplorer.kernels import topic_merges
from bnpexplorer.kernels.tuples import Tokens
from bnpexplorer.methods import make_method
from bnpexplorer.methods.direct import hdp_gibbs, merging, moves
from bnpexplorer.methods.direct.hdp_gibbs import HdpGibbs
from bnpexplorer.models.hdp import HDP
from tests.methods.test_hdp_gibbs import check_state
from tests.tools.methods import in_turn, one_pass
from tests.twins import moves as twin

GAMMA, ALPHA, ETA = 2.0, 1.5, 0.1
N_DOCS, N_WORDS = 12, 9


def random_state(seed: int):
    """Topics of tokens: 0 and 1 divide one subject at random, 2 is another one."""
    rng = np.random.default_rng(seed)
    subject = np.repeat(rng.random(N_DOCS) < 0.5, 8)
    doc = np.repeat(np.arange(N_DOCS), 8)
    word = np.sort(np.where(subject, rng.integers(0, 4, 96), rng.integers(4, 9, 96)).reshape(-1, 8))
    z = np.where(subject, 2, rng.random(96) < 0.6)
    return doc, word.ravel().astype(np.int32), z, np.array([0.3, 0.15, 0.25])


def slow_gain(doc, word, z, weight, a: int, b: int) -> float:
    """From whole joint densities; the entropy token by token from two of them each."""
    tokens = twin.Tokens(doc, word, N_WORDS)
    before = dict(enumerate(weight))
    whole = before[a] + before[b]

    def joint(labels, weights):
        return twin.log_joint_of_topics(tokens, labels, weights, GAMMA, ALPHA, ETA)

    now = joint(z, before)
    union = {k: w for k, w in before.items() if k != b} | {a: whole}
    gain = joint(np.where(z == b, a, z), union) - now - math.log(whole)
    u = before[a] / whole
    tables = [
        twin.expected_tables(doc[z == k], ALPHA * share * whole)
        for k, share in ((a, u), (b, 1.0 - u))
    ]
    gain += float(beta(*tables).logpdf(u))
    for i in np.flatnonzero((z == a) | (z == b)):
        other = z.copy()
        other[i] = a + b - z[i]
        gain -= np.logaddexp(0.0, joint(other, before) - now)
    return gain


def fast_gain(doc, word, z, weight, a: int, b: int) -> float:
    tokens = Tokens(np.append(np.searchsorted(doc, np.arange(N_DOCS)), len(doc)), word)
    members = np.argsort(z, kind="stable")
    starts = np.searchsorted(z[members], np.arange(4))
    settings = weight, ALPHA, GAMMA, ETA, N_WORDS
    pairs = np.array([[a, b]])
    return float(topic_merges.gains_of_joining(pairs, tokens, members, starts, *settings)[0])


@pytest.mark.parametrize("seed", range(4))
def test_the_gain_is_that_of_whole_densities_and_of_every_token_alone(seed):
    state = random_state(seed)
    assert fast_gain(*state, 0, 1) == pytest.approx(slow_gain(*state, 0, 1), abs=1e-9)
    assert fast_gain(*state, 0, 2) < 0.0  # other words: no entropy is needed to refuse it
    assert slow_gain(*state, 0, 2) < 0.0


def subjects_in_parts(n_parts: int):
    """Three subjects with ten words each; every one is divided at random among `n_parts` topics."""
    rng = np.random.default_rng(3)
    counts = np.zeros((60, 30), np.int64)
    for d in range(60):
        counts[d, 10 * (d % 3) : 10 * (d % 3) + 10] = rng.multinomial(30, np.full(10, 0.1))
    corpus = Corpus.from_csr(counts)
    method = HdpGibbs(HDP(1.0, 1.0, 0.1))
    state, tokens = (made := method.init(corpus, rng)), made.tokens
    subject = np.repeat(corpus.word_ids, corpus.counts) // 10
    tokens.topic = (n_parts * subject + rng.integers(0, n_parts, len(subject))).astype(np.int32)
    tokens.count = np.bincount(tokens.topic, minlength=len(tokens.count)).astype(np.int64)
    tokens.renew(tokens.eta)
    tokens.count_words(np.repeat(corpus.word_ids, corpus.counts))
    n = state.n_ids = 3 * n_parts
    state.slot_ids[:n], state.weight[:n], state.rest[0] = np.arange(n), 0.9 / n, 0.1
    state.block, state.tables = np.zeros(60, np.int64), np.zeros((1, len(state.weight)))
    moves.seat_new(state, 0, rng)
    return method, state, corpus


def test_parts_of_one_subject_become_one_topic_and_subjects_stay_apart():
    _, state, corpus = subjects_in_parts(2)
    rng = np.random.default_rng(0)
    events = merging.merge_alike(state, corpus, rng)
    assert [event.kind for event in events] == ["merge"] * 3
    assert {event.parents for event in events} == {(0, 1), (2, 3), (4, 5)}
    assert all(event.details.log_ratio > 0.0 for event in events)
    check_state(state, corpus, in_turn(corpus, 60))
    subject = np.repeat(corpus.word_ids, corpus.counts) // 10
    assert len(set(zip(subject, state.tokens.topic, strict=True))) == 3
    assert state.tokens.count[state.tokens.count > 0].tolist() == [600, 600, 600]
    assert not merging.merge_alike(state, corpus, rng)


def test_a_topic_is_joined_once_in_a_pass_by_the_pair_that_gains_most():
    _, state, corpus = subjects_in_parts(3)
    events = merging.merge_alike(state, corpus, np.random.default_rng(0))
    joined = [k for event in events for k in event.parents]
    assert len(events) == 3
    assert len(set(joined)) == 6
    gains = [event.details.log_ratio for event in events]
    assert gains == sorted(gains, reverse=True)


def test_each_topic_is_compared_with_those_nearest_in_words_and_in_documents(monkeypatch):
    monkeypatch.setattr(merging, "NEAREST", 1)
    _, state, corpus = subjects_in_parts(2)
    words = np.repeat(corpus.word_ids, corpus.counts)
    doc = np.repeat(np.arange(60), corpus.doc_lengths)
    wanted = set()
    for key in (words, doc):
        held = [np.bincount(key[state.tokens.topic == k], minlength=60) for k in range(6)]
        for a in range(6):
            near = [-1.0 if a == b else _cosine(held[a], held[b]) for b in range(6)]
            wanted.add(tuple(sorted((a, int(np.argmax(near))))))
    assert set(map(tuple, merging.alike(state, corpus, words).tolist())) == wanted


def _cosine(x, y) -> float:
    return float(x @ y / math.sqrt((x @ x) * (y @ y)))


def passes_that_merge(monkeypatch, state, method, corpus, n_passes: int) -> list[int]:
    """The passes, from 0, at whose end topics were compared."""
    seen = []
    monkeypatch.setattr(
        hdp_gibbs, "merge_alike", lambda state, *_: seen.append(state.n_passes) or ()
    )
    rng = np.random.default_rng(0)
    for _ in range(n_passes):
        state, _ = one_pass(method, state, in_turn(corpus, 20), rng)
    return seen


@pytest.mark.parametrize(("moves", "after"), [(0, [5, 5]), (2, [5, 5, 2, 2]), (9, [9, 9, 9, 9])])
def test_a_pass_that_merges_proposes_five_splits_or_as_many_moves_as_are_asked_for(
    monkeypatch, moves, after
):
    _, _, corpus = subjects_in_parts(1)
    method = HdpGibbs(HDP(1.0, 1.0, 0.1), start="nothing", merge_passes=2, moves=moves)
    state, asked = method.init(corpus, np.random.default_rng(1)), []
    monkeypatch.setattr(hdp_gibbs, "move", lambda state, corpus, n, rng: asked.append(n) or ())
    assert passes_that_merge(monkeypatch, state, method, corpus, 4) == [0, 1]
    assert asked == after


@pytest.mark.parametrize(
    ("knobs", "merging_passes"),
    [
        ({"start": "many", "start_passes": 2, "merge_passes": 3}, [2, 3, 4]),
        ({"start": "nothing", "merge_passes": 2}, [0, 1]),
        ({"start": "many", "start_passes": 2, "merge_passes": 0}, []),
    ],
)
def test_topics_are_compared_once_a_pass_after_the_start_and_never_later(
    monkeypatch, knobs, merging_passes
):
    _, _, corpus = subjects_in_parts(1)
    method = HdpGibbs(HDP(1.0, 1.0, 0.1), n_start=9, **knobs)
    state = method.init(corpus, np.random.default_rng(1))
    assert passes_that_merge(monkeypatch, state, method, corpus, 7) == merging_passes
    assert method.looks_beyond() == (method.merge_passes > 0)


def test_topics_that_a_person_or_another_run_gave_are_not_merged(monkeypatch):
    _, _, corpus = subjects_in_parts(1)
    method = HdpGibbs(HDP(1.0, 1.0, 0.1), start="nothing", merge_passes=9)
    given = GivenTopics(np.kron(np.eye(3), np.full((1, 10), 20.0)))
    begun = method.begin(corpus, given, np.random.default_rng(1))
    assert passes_that_merge(monkeypatch, begun, method, corpus, 3) == []
    state = method.init(corpus, np.random.default_rng(1))
    state, _ = one_pass(method, state, in_turn(corpus, 20), np.random.default_rng(2))
    state.edited = state.n_passes
    assert passes_that_merge(monkeypatch, state, method, corpus, 2) == []


def test_a_learned_alpha_starts_with_half_as_many_topics_again():
    _, _, corpus = subjects_in_parts(1)
    n_topics = {}
    for name in ("default", "learned-alpha"):
        method, rng = make_method("hdp-gibbs", name), np.random.default_rng(0)
        state, _ = one_pass(method, method.init(corpus, rng), in_turn(corpus, 60), rng)
        n_topics[name] = len(state.topic_ids)
        n_topics[f"{name} by length"] = method.start_per_root
    assert n_topics == {
        "default": 60,  # 1,800 tokens, 30 for each
        "default by length": 16,
        "learned-alpha": 60,
        "learned-alpha by length": 24,
    }


def test_presets_for_short_texts_and_of_the_paper_merge_nothing():
    merged = {name for name in HdpGibbs.presets if make_method("hdp-gibbs", name).merge_passes}
    assert merged == {"default"}
