"""The first tier has something of everything, and each test is in one of the two."""

from collections import Counter

import pytest

from bnpexplorer.checks import checks_of
from bnpexplorer.methods import METHODS
from tests import tiers


@pytest.fixture
def first(request):
    """The node ids of the first tier, where all tests were collected."""
    collected = request.config.stash[tiers.COLLECTED]
    if not {tiers.room(item.nodeid) for item in collected} >= {"browser", "ui", "methods"}:
        pytest.skip("only a part of the tests was asked for")
    chosen, left = tiers.first(collected)
    assert Counter(chosen + left) == Counter(collected)
    return [item.nodeid for item in chosen]


def test_tests_of_plugins_are_marked_since_the_gate_asks_for_the_mark(request):
    """A tier by path alone was left out by `-m second`."""
    collected = request.config.stash[tiers.COLLECTED]
    unmarked = [one for one in collected if one.get_closest_marker("second") is None]
    assert [one.nodeid for one in unmarked if "/plugins/" in one.nodeid] == []


def test_each_room_has_tests_in_the_first_tier(first):
    there = {path.parent.name for path in (tiers.ROOT / "tests").glob("*/test_*.py")}
    assert there - {tiers.room(nodeid) for nodeid in first} == set()


def test_the_promises_of_each_method_are_in_the_first_tier(first):
    promised = Counter(name for name in METHODS for _ in checks_of(name))
    tried = Counter(
        n
        for n in METHODS
        for nodeid in first
        if nodeid.endswith(f"-{n}]") and "test_check[" in nodeid
    )
    assert {n for n in METHODS if tried[n] < promised[n] - 1} == set()


def test_a_dozen_walks_in_the_browser_are_in_the_first_tier(first):
    walks = {nodeid.partition("::")[0] for nodeid in first if tiers.room(nodeid) == "browser"}
    assert len(walks) >= 12
