"""R-hat and effective sample size are those of the paper, and the sentence says what they mean."""

import math

import numpy as np
import pytest

from bnpexplorer.chains import judge, rhat_and_ess
from bnpexplorer.chains.judging import _told, told_by_start
from bnpexplorer.evaluate.settling import QUANTITIES
from tests.twins import chains as twin


def autoregressive(phi: float, shape: tuple[int, int], seed: int = 0) -> np.ndarray:
    """Stationary chains (C, N) with unit variance and autocorrelation phi^t."""
    rng = np.random.default_rng(seed)
    found = rng.normal(size=shape)
    for t in range(1, shape[1]):
        found[:, t] = phi * found[:, t - 1] + math.sqrt(1.0 - phi**2) * found[:, t]
    return found


SLOW = autoregressive(0.8, (4, 60))
SHIFT = np.array([0.0, 0.0, 3.0, 3.0])[:, None]
SCALE = np.array([1.0, 1.0, 6.0, 6.0])[:, None]


@pytest.mark.parametrize(
    "draws",
    [
        SLOW,
        autoregressive(0.3, (2, 31)),
        autoregressive(-0.4, (3, 80)),
        SLOW + SHIFT,
        SLOW * SCALE,
        np.round(2 * SLOW),  # numbers of topics: ties
        np.exp(4 * SLOW),
    ],
    ids=["slow", "odd", "alternating", "shifted", "scaled", "tied", "heavy"],
)
def test_the_numbers_are_those_of_vehtari_et_al_2021(draws):
    rhat, ess = rhat_and_ess(draws)
    assert rhat == pytest.approx(twin.rhat(draws.tolist()), rel=1e-9)
    assert ess == pytest.approx(twin.bulk_ess(draws.tolist()), rel=1e-9)


def test_independent_draws_have_met_and_others_are_worth_what_they_are_worth():
    rhat, ess = rhat_and_ess(autoregressive(0.0, (4, 500)))
    assert rhat < 1.01
    assert ess == pytest.approx(2000, rel=0.1)
    rhat, ess = rhat_and_ess(autoregressive(0.6, (4, 5000)))
    assert rhat < 1.01
    assert ess == pytest.approx(20000 * (1 - 0.6) / (1 + 0.6), rel=0.1)


def test_chains_that_differ_in_place_or_in_spread_have_not_met():
    draws = autoregressive(0.0, (4, 200))
    for apart in (draws + SHIFT, draws * SCALE):
        assert rhat_and_ess(apart)[0] > 1.05
    assert rhat_and_ess(draws + np.linspace(0, 4, 200))[0] > 1.05, "a common trend"


def test_what_never_changes_has_met_only_if_all_have_the_same():
    same = np.full((4, 30), 12.0)
    assert rhat_and_ess(same) == (1.0, 120.0)
    assert rhat_and_ess(same * (1 + 1e-12 * np.arange(4)[:, None])) == (1.0, 120.0)
    different = same + np.array([0, 0, 0, 1])[:, None]
    assert rhat_and_ess(different) == (math.inf, 4.0)
    jumps = same.copy()
    jumps[2, 5] = 13.0
    assert rhat_and_ess(jumps)[0] < 1.05


def test_chains_at_one_place_are_not_told_apart_by_how_they_sum():
    draws = np.full((4, 60), -3940.0)
    draws[:, ::20] -= 5.0
    summed = draws * (1 + 1e-13 * np.arange(4)[:, None])
    assert rhat_and_ess(summed) == rhat_and_ess(draws)
    assert rhat_and_ess(summed)[0] < 1.01


def test_too_few_draws_have_no_numbers():
    for draws in (np.zeros((4, 3)), np.zeros((1, 40)), np.full((4, 40), -np.inf)):
        assert np.isnan(rhat_and_ess(draws)).all()


STARTS = ["nothing", "many", "nothing", "many"]


def settled(n: int = 100) -> dict[str, np.ndarray]:
    keys = ("log_joint", "heldout", "entropy")
    found = {key: autoregressive(0.0, (4, n), seed) for seed, key in enumerate(keys)}
    return found | {"topics": np.full((4, n), 7.0)}


def test_chains_have_met_when_every_quantity_has():
    verdict = judge(settled(), STARTS)
    assert verdict.met
    assert verdict.sentence == "These chains have met."
    assert verdict.rhat["topics"] == 1.0
    assert verdict.n_draws == 100
    few = judge({"topics": np.full((4, 10), 7.0)}, STARTS)
    assert few.ess["topics"] == 40
    assert few.met, "what never changes is known by fewer draws"


def test_the_sentence_says_where_they_differ():
    topics = np.array([[13.0], [123.0], [13.2], [122.4]]) + np.tile([0, 0, 1, -1], 25)
    verdict = judge(settled() | {"topics": topics}, STARTS, "cluster")
    assert not verdict.met
    said = "What you see depends on where it began: from nothing 13 clusters, from many 123."
    assert verdict.sentence == said
    topics[0] += 200
    verdict = judge(settled() | {"topics": topics}, STARTS)
    assert verdict.sentence == "What you see differs from chain to chain: 213, 123, 13, 122 topics."
    scores = settled()["heldout"] / 1000 + np.array([-7.004, -7.001, -7.004, -7.001])[:, None]
    verdict = judge(settled() | {"heldout": scores}, STARTS)
    said = "held-out score from nothing -7.004, from many -7.001."
    assert verdict.sentence == f"What you see depends on where it began: {said}"
    further = settled()["entropy"] / 1e6 + np.array([1.5, 2.5, 1.5, 2.5])[:, None]
    both = {"heldout": scores, "entropy": further}
    for keys in (["heldout", "entropy"], ["entropy", "heldout"]):
        verdict = judge({key: both[key] for key in keys}, STARTS)
        assert verdict.rhat["entropy"] > verdict.rhat["heldout"] > 1.05
        assert "began: entropy of sizes from nothing" in verdict.sentence, "whichever comes first"


def test_agreement_that_rests_on_too_little_is_no_meeting():
    slow = {"entropy": autoregressive(0.0, (4, 20))}
    verdict = judge(slow, STARTS)
    assert verdict.rhat["entropy"] <= 1.05
    assert not verdict.met
    assert "too short to have met" in verdict.sentence
    assert f"of entropy of sizes is {verdict.ess['entropy']:.0f}," in verdict.sentence
    for draws in ({}, {"topics": np.full((4, 3), 7.0)}):
        verdict = judge(draws, STARTS)
        assert not verdict.met
        assert "too short to judge" in verdict.sentence
    assert "A single chain" in judge({"topics": np.full((1, 50), 7.0)}, ["many"]).sentence


def test_of_several_quantities_with_too_few_draws_the_worst_is_named():
    """Whichever comes first."""
    draws = {
        "log_joint": autoregressive(0.3, (4, 24), 4),
        "heldout": autoregressive(0.4, (4, 24), 6),
        "topics": np.full((4, 24), 7.0),
        "entropy": autoregressive(0.3, (4, 24), 6),
    }
    ess = {key: twin.bulk_ess(draws[key].tolist()) for key in ("log_joint", "heldout", "entropy")}
    assert max(ess.values()) < 100
    worst = min(ess, key=ess.__getitem__)
    said = f"size of {QUANTITIES[worst].title} is {ess[worst]:.0f}, and at least 100 is needed."
    for keys in (list(draws), list(draws)[::-1]):
        verdict = judge({key: draws[key] for key in keys}, STARTS)
        assert max(verdict.rhat.values()) <= 1.05
        assert verdict.sentence.endswith(said)


def test_a_score_that_is_not_finite_keeps_chains_apart():
    """R-hat is nan then, which is no sign that they have met."""
    draws = {"heldout": autoregressive(0.0, (2, 400)), "topics": np.full((2, 400), 9.0)}
    assert judge(draws, ["few", "many"]).met
    draws["heldout"][1, 7] = -np.inf
    found = judge(draws, ["few", "many"])
    assert math.isnan(found.rhat["heldout"])
    assert not found.met
    assert found.sentence.startswith("What you see")


def test_numbers_have_more_decimals_only_where_all_would_be_the_same():
    """Up to three more; one that differs from the others is enough to tell something."""
    assert _told([13.2, 123.4, 1213.4, 12.8], 0) == ["13", "123", "1,213", "13"]
    assert _told([7.012, 7.031], 1) == ["7.01", "7.03"]
    assert _told([7.0421, 7.0424], 1) == ["7.0421", "7.0424"]
    assert _told([7.00001, 7.00002], 1) == ["7.0000", "7.0000"]


def test_starts_whose_values_touch_are_not_told_apart():
    assert told_by_start([np.array([1.0, 2.0]), np.array([2.5, 3.0])])
    assert not told_by_start([np.array([1.0, 2.0]), np.array([2.0, 3.0])])
    assert not told_by_start([np.array([1.0])])
