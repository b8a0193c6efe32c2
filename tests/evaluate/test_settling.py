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


def test_of_several_quantities_the_one_that_differs_most_is_named():
    """Whichever stands first."""
    drift, faster = (STILL + np.linspace(0, by, 400) for by in (0.5, 2.0))
    for draws in ({"heldout": drift, "entropy": faster}, {"entropy": faster, "heldout": drift}):
        rhats = {key: rhat_and_ess(of.reshape(2, 200))[0] for key, of in draws.items()}
        assert rhats["entropy"] > rhats["heldout"] > 1.05
        assert settling(draws, sampler=True).why == (
            "the two halves of its latter half differ in entropy of sizes: R-hat is "
            f"{rhats['entropy']:.2f}, at most 1.05 is due"
        )
    slow, slower = (np.sin(np.arange(400) / 400 * n * np.pi) for n in (16, 8))
    for draws in ({"entropy": slow, "topics": slower}, {"topics": slower, "entropy": slow}):
        ess = {key: rhat_and_ess(of.reshape(2, 200))[1] for key, of in draws.items()}
        assert ess["topics"] < ess["entropy"] < 100
        assert settling(draws, sampler=True).why == (
            f"the effective sample size of topics in use is {ess['topics']:.0f}, at least 100 is "
            "due"
        )


def test_a_curve_tells_of_all_that_moved_or_of_its_score():
    flat, topics = np.full(40, -7.0), np.full(40, 30.0)
    jump = np.repeat([0.0, 1.0], 20)
    moved = {"topics": topics + 2 * jump, "heldout": flat, "entropy": 1.0 - 0.06 * jump}
    assert settling(moved, sampler=False).why == (
        "over its latter half topics in use moved by 2.0 and entropy of sizes moved by 0.060"
    )
    stayed = {"topics": topics + jump, "heldout": flat + 0.004 * jump, "entropy": 0.04 * jump}
    found = settling(stayed, sampler=False)
    assert found.settled
    assert found.why == "over its latter half held-out score moved by only 0.004"
    without = settling({"entropy": 0.04 * jump, "topics": topics + 0.5 * jump}, sampler=False)
    assert without.why == "over its latter half topics in use moved by only 0.5"


def test_as_many_draws_count_as_the_shortest_quantity_has():
    few = {"heldout": STILL, "topics": np.full(FEWEST_ALONE - 2, 5.0)}
    for sampler in (True, False):
        assert "its latter half has 18 draws" in settling(few, sampler).why
