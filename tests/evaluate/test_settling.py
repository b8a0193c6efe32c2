"""When one run has settled: by R-hat and effective sample size of its halves, or by its curve."""

import numpy as np
import pytest

from bnpexplorer.evaluate.settling import FEWEST_ALONE, QUANTITIES, rhat_and_ess, settling
from tests.twins import chains as twin

RNG = np.random.default_rng(3)
STILL = RNG.normal(-7.0, 0.1, 400)


def test_a_chain_has_settled_when_its_halves_have_met():
    found = settling({"heldout": STILL, "topics": np.full(400, 9.0)}, sampler=True)
    halves = STILL.reshape(2, 200).tolist()
    assert found.settled
    assert f"at most {max(twin.rhat(halves), 1.0):.2f}" in found.why
    assert f"at least {twin.bulk_ess(halves):.0f}" in found.why


def test_a_chain_that_drifts_jumps_or_creeps_has_not():
    drift = settling({"heldout": STILL + np.linspace(0, 0.5, 400)}, sampler=True)
    assert not drift.settled
    assert "differ in held-out score: R-hat is" in drift.why
    jump = np.repeat([7.0, 8.0], 200)
    assert not settling({"heldout": STILL, "topics": jump}, sampler=True).settled
    slow = np.sin(np.arange(400) / 400 * 8 * np.pi)  # two whole waves a half: equal halves
    found = settling({"entropy": slow}, sampler=True)
    assert rhat_and_ess(slow.reshape(2, 200))[0] < 1.05
    assert not found.settled
    assert "effective sample size of entropy of sizes is" in found.why


def test_a_curve_has_settled_when_the_mean_stays_where_it_was():
    n = 100
    flat = np.full(n, -7.0) + np.tile([0.05, -0.05], n // 2)  # noise that is larger than the rise
    topics = np.full(n, 30.0)
    assert settling({"heldout": flat, "topics": topics}, sampler=False).settled
    rise = flat + np.linspace(0.0, 0.03, n)  # from half to half by 0.015
    found = settling({"heldout": rise, "topics": topics}, sampler=False)
    assert not found.settled
    assert found.why == "over its latter half held-out score moved by 0.015"
    assert settling({"heldout": flat + np.linspace(0.0, 0.01, n)}, sampler=False).settled
    more = topics + np.linspace(0, 5, n)
    found = settling({"heldout": flat, "topics": more}, sampler=False)
    assert "topics in use moved by 2.5" in found.why


@pytest.mark.parametrize("sampler", [True, False])
def test_too_few_draws_say_nothing(sampler):
    few = {"topics": np.full(FEWEST_ALONE - 1, 5.0)}
    assert "19 draws, and at least 20 are needed" in settling(few, sampler).why
    assert not settling({}, sampler).settled
    assert settling({"topics": np.full(FEWEST_ALONE, 5.0)}, sampler).settled
    assert not settling({"heldout": np.full(40, -np.inf)}, sampler).settled


@pytest.mark.parametrize("sampler", [True, False])
def test_of_an_odd_number_of_draws_the_oldest_is_left_out(sampler):
    far = np.concatenate([[1e6], np.full(40, 5.0)])
    assert settling({"topics": far}, sampler).settled
    assert not settling({"topics": far[::-1]}, sampler).settled


def test_a_mean_that_moved_by_just_what_is_allowed_has_stayed():
    steps = np.repeat([30.0, 30.0 + QUANTITIES["topics"].steady], 20)
    assert settling({"topics": steps}, sampler=False).settled
    assert not settling({"topics": steps + np.repeat([0.0, 0.01], 20)}, sampler=False).settled
