"""Splits and merges of whole runs are those of a replay, and what their events tell is its number.

Every proposal of the samplers' runs is drawn again from the state before it with the same random
numbers, and every rise that a bound was told to have is that of two bounds written out word by
word (`tests/twins/moves.py`). Compared are 234 accepted moves of dpm-gibbs (112 splits, 122 merges)
among 576 proposals, 57 of hdp-gibbs (33, 24) among 360, and 29 events of hdp-splitmerge (10 splits
taken alone and 6 several at once, 9 merges, 4 deletions). The largest difference was 7e-12.
"""

import copy
import itertools
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pytest

from bnpexplorer.methods import dpm_gibbs
from bnpexplorer.methods.direct import moves as topic_moves
from bnpexplorer.methods.direct.hdp_gibbs import HdpGibbs
from bnpexplorer.methods.dpm_gibbs import DpmGibbs
from bnpexplorer.models.dpm import DPMixture
from bnpexplorer.models.hdp import HDP
from bnpexplorer.runs.run import Run
from bnpexplorer.state.snapshot import Event
from tests.tools.replayed_bounds import SETTINGS, replayed_run
from tests.twins import moves as twin
from tests.twins.births import ALPHA, CORPUS, DOC, ETA, GAMMA, N_WORDS, WORD, X
from tests.twins.direct import log_evidence
from tests.twins.mixture import prior_probability
from tests.twins.moves import Tokens

EXACT = 1e-9


def events_of(run: Run) -> list[Event]:
    """All that happens in a run, as its method tells it."""
    found: list[Event] = []
    while not run.done:
        run.step()
        found += run.latest_info.events
    return found


def same_parts(z: np.ndarray, other: np.ndarray) -> bool:
    """Whether two labellings divide the same things in the same way."""
    pairs = set(zip(z.tolist(), other.tolist(), strict=True))
    return len(pairs) == len(np.unique(z)) == len(np.unique(other))


# ---- the twin's own ground -----------------------------------------------------------------------


def test_the_joint_of_clusters_is_that_of_the_sticks():
    z = np.array([0, 1, 0, 2, 0, 1])
    x = np.zeros((6, N_WORDS), int)  # of no words: the prior alone
    expected = np.log(prior_probability((3, 2, 1), GAMMA))
    assert twin.log_joint_of_clusters(z, x, GAMMA, ETA) == pytest.approx(expected, abs=1e-12)


def partitions(n: int):
    for z in itertools.product(range(n), repeat=n):
        if all(k <= max(z[:i], default=-1) + 1 for i, k in enumerate(z)):
            yield np.array(z)


def test_the_density_of_topics_and_weights_adds_up_to_the_enumerated_evidence():
    """Over all divisions of three tokens, and by quadrature over the weights: sticks (K,), of which
    what is integrated is a polynomial, so that few points are exact."""
    docs = [[0, 1], [1]]
    tokens = Tokens(np.array([0, 0, 1]), np.array([0, 1, 1]), 2)
    points, masses = np.polynomial.legendre.leggauss(12)
    points, masses = 0.5 * (points + 1.0), 0.5 * masses
    total = 0.0
    for z in partitions(3):
        n_topics = z.max() + 1
        for chosen in itertools.product(range(12), repeat=int(n_topics)):
            left, weight, volume = 1.0, {}, 1.0
            for k, place in enumerate(chosen):
                weight[k] = left * points[place]
                volume *= left * masses[place]
                left -= weight[k]
            log_p = twin.log_joint_of_topics(tokens, z, weight, 3.0, ALPHA, ETA)
            total += volume * np.exp(log_p)
    assert np.log(total) == pytest.approx(log_evidence(docs, 3.0, ALPHA, ETA, 2), abs=1e-10)


# ---- the samplers --------------------------------------------------------------------------------


@dataclass
class Watched:
    """The proposals of a run, each replayed from the state before it, and the states after those
    that were accepted."""

    proposals: list = field(default_factory=list)
    after: list = field(default_factory=list)

    def check(self, run: Run, weights: bool) -> Counter:
        """That all of a run is as in the replay; how many of each kind were compared."""
        self.proposals.clear()
        self.after.clear()
        events = events_of(run)
        moves = [event for event in events if event.kind in ("split", "merge")]
        taken = [p for p, _ in self.proposals if p is not None and p.taken]
        assert len(moves) == len(taken) == len(self.after)
        for event, found, (z, weight) in zip(moves, taken, self.after, strict=True):
            assert event.kind == ("split" if found.split else "merge")
            assert same_parts(z, found.z)
            assert event.details.log_ratio == pytest.approx(found.log_ratio, abs=EXACT)
            if weights:
                now = [found.weight[int(k)] for k in found.z]
                assert weight[z] == pytest.approx(now, abs=1e-12)
        for found, what in self.proposals:
            name = "split" if found is not None and found.split else "merge"
            assert what == (name if found is not None and found.taken else "stay")
        return Counter(event.kind for event in moves)


KINDS = ("stay", "split", "merge")


@pytest.fixture
def watched_clusters(monkeypatch) -> Watched:
    seen = Watched()
    propose, replace = dpm_gibbs.split_or_merge, dpm_gibbs.replace_clusters

    def proposed(docs, z, gamma, eta, n_words, n_moves, rng):
        again, before = copy.deepcopy(rng), z.copy()
        answer = propose(docs, z, gamma, eta, n_words, n_moves, rng)
        for left in range(answer[0] - 1, -1, -1):
            found = twin.proposed_clusters(before, X, gamma, eta, again)
            seen.proposals.append((found, "stay" if left else KINDS[answer[1]]))
        return answer

    def replaced(state, *args):
        replace(state, *args)
        seen.after.append((state.z.copy(), None))

    monkeypatch.setattr(dpm_gibbs, "split_or_merge", proposed)
    monkeypatch.setattr(dpm_gibbs, "replace_clusters", replaced)
    return seen


@pytest.mark.second
def test_moves_of_dpm_gibbs_are_those_of_a_replay(watched_clusters):
    """From nothing, where the first moves find documents without a cluster, and from many."""
    kinds: Counter = Counter()
    for seed, start in ((1, "nothing"), (2, "many"), (3, "many")):
        method = DpmGibbs(
            DPMixture(GAMMA, ETA), start=start, start_size=1, moves=16, learn_eta=True
        )
        run = Run(method, CORPUS, seed=seed, batch_size=7, passes=4)
        kinds += watched_clusters.check(run, weights=False)
    assert min(kinds.values()) > 30


@pytest.fixture
def watched_topics(monkeypatch) -> Watched:
    seen = Watched()
    propose, replace = topic_moves.split_or_merge, topic_moves.replace_topics

    def proposed(tokens, topic, weight, alpha, gamma, eta, n_words, rng):
        now = {int(k): float(weight[k]) for k in np.unique(topic)}
        args = (Tokens(DOC, WORD, N_WORDS), topic.copy(), now, gamma, alpha, eta)
        found = twin.proposed_topics(*args, copy.deepcopy(rng))
        answer = propose(tokens, topic, weight, alpha, gamma, eta, n_words, rng)
        seen.proposals.append((found, KINDS[answer[0]]))
        return answer

    def replaced(state, *args):
        event = replace(state, *args)
        seen.after.append((state.tokens.topic.copy(), state.weight.copy()))
        return event

    monkeypatch.setattr(topic_moves, "split_or_merge", proposed)
    monkeypatch.setattr(topic_moves, "replace_topics", replaced)
    return seen


@pytest.mark.second
def test_moves_of_hdp_gibbs_are_those_of_a_replay(watched_topics):
    kinds: Counter = Counter()
    for seed, start in ((1, "nothing"), (2, "many")):
        method = HdpGibbs(
            HDP(GAMMA, ALPHA, ETA),
            start=start,
            n_start=8,
            start_passes=2,
            merge_passes=0,
            moves=20,
            learn_gamma=True,
            learn_eta=True,
        )
        run = Run(method, CORPUS, seed=seed, batch_size=7, passes=10)
        kinds += watched_topics.check(run, weights=True)
    assert min(kinds.values()) > 20


# ---- hdp-splitmerge ------------------------------------------------------------------------------


@pytest.mark.second
def test_rises_of_the_bound_of_hdp_splitmerge_are_those_of_a_replay(monkeypatch):
    """Of what was taken at once, a bound before and after each; of trials, which are visited for
    some passes, the two fits as they stood when the one overtook."""
    tried: Counter = Counter()
    for seed, settings in SETTINGS:
        events, replay = replayed_run(seed, settings, monkeypatch)
        assert [event for event, _ in replay.rises] == events
        for event, rise in replay.rises:
            assert event.details.log_ratio == pytest.approx(rise, abs=EXACT)
            tried[event.details.trial] += 1
    assert set(tried) == {"split", "splits", "merge", "delete"}
    assert sum(tried.values()) > 20
