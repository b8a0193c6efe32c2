"""Derived values: computed once, kept within one limit, ended with what they are worked out of."""

import copy
import gc
import pickle
import threading
from dataclasses import dataclass, replace
from weakref import ref

import numpy as np
import pytest

from bnpexplorer.core import derived
from bnpexplorer.core.arrays import filled
from bnpexplorer.core.derived import Derived, Derives, size_of
from tests.tools.waiting import NEVER


@dataclass(frozen=True, eq=False)
class Owner(Derives):
    name: str = "owner"


class Value:
    """Something that a weak reference can tell the end of."""


def fail():
    raise ValueError("No room.")


def test_a_value_is_computed_once_for_each_key():
    owner, asked = Owner(), []
    for key in ("one", "other", "one"):
        owner.derived(key, lambda key=key: asked.append(key))
    assert asked == ["one", "other"]


def test_two_threads_that_ask_at_once_compute_it_once():
    owner, begun, go_on, found = Owner(), [], threading.Event(), []

    def make():
        begun.append(1)
        assert go_on.wait(NEVER)
        return Value()

    threads = [
        threading.Thread(target=lambda: found.append(owner.derived("key", make)), daemon=True)
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    assert owner.derived("another key", lambda: "meanwhile") == "meanwhile"
    go_on.set()
    for thread in threads:
        thread.join(NEVER)
    assert len(begun) == 1
    assert found[0] is found[1]


def test_an_error_is_raised_and_not_kept():
    owner = Owner()
    with pytest.raises(ValueError, match="No room"):
        owner.derived("key", fail)
    assert owner.derived("key", lambda: "found") == "found"


def test_a_value_ends_with_its_object():
    owner = Owner()
    value = ref(owner.derived("key", Value))
    assert value() is not None
    del owner
    gc.collect()
    assert value() is None


def test_what_is_at_hand_is_looked_up_without_computing_it_and_forgotten_when_asked():
    values = Derived()
    assert values.at_hand("key") is None
    values.get("key", lambda: "found")
    assert values.at_hand("key") == "found"
    values.forget("key")
    assert values.at_hand("key") is None
    assert values.get("key", lambda: "anew") == "anew"


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, replace], ids=lambda f: f.__name__)
def test_a_copy_has_no_derived_values(copied):
    owner = Owner("a name")
    owner.derived("key", Value)
    other = copied(owner)
    assert other.name == "a name"
    assert other.derived_values.at_hand("key") is None
    assert owner.derived_values.at_hand("key") is not None


def test_a_pickle_is_as_large_as_before_and_needs_no_value_that_can_be_pickled():
    owner = Owner()
    size = len(pickle.dumps(owner))
    owner.derived("key", threading.Lock)
    packed = pickle.dumps(owner)
    assert len(packed) == size
    assert pickle.loads(packed).derived("key", lambda: "anew") == "anew"


# ---- one limit for all ---------------------------------------------------------------------------


@pytest.fixture
def thousand(monkeypatch):
    """A limit of a thousand bytes for the values of these tests alone."""
    monkeypatch.setattr(derived, "limit", lambda: 1000)
    monkeypatch.setattr(derived, "_STORES", type(derived._STORES)())
    monkeypatch.setattr(derived, "size_of", lambda value: getattr(value, "nbytes", 0))
    monkeypatch.setattr(Derived, "added", 0)


def kept(owners):
    return [owner.derived_values.at_hand("key") is not None for owner in owners]


def test_those_used_least_recently_go_first_whoever_they_are_of(thousand):
    owners = [Owner() for _ in range(4)]
    for owner in owners[:3]:
        owner.derived("key", lambda: np.zeros(300, np.uint8))
    owners[0].derived("key", fail)  # used again, so that the second is the oldest now
    owners[3].derived("key", lambda: np.zeros(300, np.uint8))
    assert kept(owners) == [True, False, True, True]


def test_what_is_looked_up_at_hand_was_used_too(thousand):
    owners = [Owner() for _ in range(4)]
    for owner in owners[:3]:
        owner.derived("key", lambda: np.zeros(300, np.uint8))
    assert owners[0].derived_values.at_hand("key") is not None
    owners[3].derived("key", lambda: np.zeros(300, np.uint8))
    assert kept(owners) == [True, False, True, True]


def test_a_key_takes_room_too(thousand, monkeypatch):
    monkeypatch.setattr(derived, "size_of", lambda value: 300 if isinstance(value, str) else 100)
    owners = [Owner() for _ in range(3)]
    for owner in owners:
        owner.derived("key", lambda: np.zeros(1))
    assert kept(owners) == [False, True, True]


def test_all_values_may_take_an_eighth_of_the_memory(monkeypatch):
    monkeypatch.setattr(derived, "usable_memory", lambda: 4000)
    assert derived.limit.__wrapped__() == 500


def test_one_that_is_too_large_alone_is_kept_until_another_comes(thousand):
    owners = [Owner(), Owner()]
    owners[0].derived("key", lambda: np.zeros(5000, np.uint8))
    assert kept(owners) == [True, False]
    owners[1].derived("key", lambda: np.zeros(100, np.uint8))
    assert kept(owners) == [False, True]


def test_work_under_way_is_never_dropped_and_counts_when_it_has_ended(thousand):
    class Work:
        nbytes = 0

    owners = [Owner() for _ in range(3)]
    work = owners[0].derived("key", Work)
    owners[1].derived("key", lambda: np.zeros(2000, np.uint8))
    owners[2].derived("key", lambda: np.zeros(900, np.uint8))
    assert kept(owners) == [True, False, True]
    work.nbytes = 900
    assert owners[0].derived("key", fail) is work
    assert kept(owners) == [True, False, False]


def test_values_of_objects_that_have_ended_do_not_count(thousand):
    owner = Owner()
    owner.derived("key", lambda: np.zeros(900, np.uint8))
    Owner().derived("key", lambda: np.zeros(900, np.uint8))
    owner = Owner()
    gc.collect()
    owners = [owner, Owner()]
    for one in owners:
        one.derived("key", lambda: np.zeros(400, np.uint8))
    assert kept(owners) == [True, True]


@dataclass
class Pair:
    one: object
    other: object


@pytest.mark.parametrize(
    ("value", "least"),
    [
        (np.zeros(1000), 8000),
        ("a" * 500, 500),
        ([np.zeros(10), np.zeros(20)], 240),
        ({"a" * 5000: np.zeros(500)}, 9000),
        (Pair("a" * 100, (np.zeros(10),)), 180),
        (frozenset(range(100)), 8000),
    ],
    ids=["array", "text", "list", "mapping", "object", "set"],
)
def test_sizes_are_those_of_arrays_texts_and_what_holds_them(value, least):
    assert least <= size_of(value) <= 2 * least + 1200


def test_a_mapped_array_and_an_object_with_values_of_its_own_count_nothing(monkeypatch):
    monkeypatch.setattr("bnpexplorer.core.arrays.HELD", 100)
    assert size_of(filled(50, 4, [np.ones((50, 4))])) == 0
    assert size_of(Owner()) == size_of(Derived()) == 0
