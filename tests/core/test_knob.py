"""Settings that describe themselves: each takes what it says, and names itself where it refuses."""

import math
import re
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnpexplorer.core.knob import Settings, knob, knobs_of, label_of, settings_of_then
from bnpexplorer.methods import METHODS


@dataclass(frozen=True)
class Example(Settings):
    closed: float = knob(0.5, 0.1, 2.0)
    above: float = knob(1.0, 0.0)
    below: float = knob(1.0, high=7.0)
    whole: int = knob(3, 1, 9)


RANGES = {
    "closed": (0.1, 2.0),
    "above": (0.0, math.inf),
    "below": (-math.inf, 7.0),
    "whole": (1.0, 9.0),
}
EDGES = [-math.inf, -1.0, 0.0, 0.1, 0.5, 1.0, 2.0, 2.5, 7.0, 9.0, 10.0, math.inf, math.nan]
VALUES = st.one_of(st.sampled_from(EDGES), st.floats())


@given(name=st.sampled_from([*RANGES]), value=VALUES, as_words=st.booleans())
def test_a_number_is_taken_within_its_range_and_refused_by_name_elsewhere(name, value, as_words):
    """Also from the command line, where it is text; what is no number lies in no range."""
    low, high = RANGES[name]
    whole = name != "whole" or (math.isfinite(value) and value == math.floor(value))
    given_ = repr(value) if as_words else value
    if low <= value <= high and whole:
        taken = getattr(Example(**{name: given_}), name)
        assert taken == value
        assert type(taken) is type(getattr(Example(), name))
    else:
        with pytest.raises(ValueError, match=f"^Example: {name} must ") as refused:
            Example(**{name: given_})
        assert str(refused.value).endswith(f"got {given_!r}.")


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, "inf", "nan"])
def test_what_is_no_finite_number_is_no_whole_number(value):
    with pytest.raises(ValueError, match=r"^Example: whole must be a whole number; got "):
        Example(whole=value)


@dataclass(frozen=True)
class Kinds(Settings):
    choice: str = knob("a", choices=("a", "b"))
    switch: bool = knob(False)
    words: str = knob("", high=3)
    any_words: str = knob("")
    count_or_share: float = knob(2, high=9, share=True)


@pytest.mark.parametrize(
    ("name", "given_", "taken"),
    [
        ("choice", "b", "b"),
        ("switch", True, True),
        ("words", "abc", "abc"),
        ("any_words", "a" * 99, "a" * 99),
        ("count_or_share", 1, 1),
        ("count_or_share", 9, 9),
        ("count_or_share", "9", 9),
        ("count_or_share", 0.0, 0.0),
        ("count_or_share", 1.0, 1.0),
        ("count_or_share", "1.0", 1.0),
        ("count_or_share", ".25", 0.25),
    ],
)
def test_every_kind_takes_what_it_says(name, given_, taken):
    found = getattr(Kinds(**{name: given_}), name)
    assert (found, type(found)) == (taken, type(taken))


@pytest.mark.parametrize(
    ("name", "given_", "said"),
    [
        ("choice", "c", "must be one of a, b; got 'c'."),
        ("switch", 1, "must be true or false; got 1."),
        ("words", 7, "must be words; got 7."),
        ("words", "abcd", "may have 3 characters at most; got 4."),
        ("count_or_share", "many", "must be a number; got 'many'."),
        ("count_or_share", None, "must be a number; got None."),
    ],
)
def test_every_kind_says_what_it_takes(name, given_, said):
    with pytest.raises(ValueError, match=f"^Kinds: {name} {re.escape(said)}$"):
        Kinds(**{name: given_})


@pytest.mark.parametrize("value", [0, -1, 10, "0", "10", 1.5, -0.1, 2.0, "2.0"])
def test_what_is_neither_a_count_nor_a_share_is_refused(value):
    said = "count_or_share must be a whole number from 1 or a share from 0.0 to 1.0; got"
    with pytest.raises(ValueError, match=said):
        Kinds(count_or_share=value)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("closed", "from 0.1 to 2; got 9."),
        ("above", "from 0; got -1."),
        ("below", "to 7; got 9."),
        ("whole", "from 1 to 9; got 99."),
    ],
)
def test_a_range_is_told_by_the_ends_that_it_has(name, said):
    value = float(said.split()[-1].rstrip(".")) if name != "whole" else 99
    said = f"Example: {name} must lie in the range {said}"
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        Example(**{name: int(value)})


@dataclass(frozen=True)
class Later(Settings):
    old: int = knob(1)
    new: float = knob(0.5, before=0.0, label="A new one")


def test_settings_of_an_earlier_version_do_what_was_done_then():
    assert settings_of_then(Later, {"old": 3}) == {"new": 0.0, "old": 3}
    assert settings_of_then(Later, {"old": 3, "new": 0.7}) == {"old": 3, "new": 0.7}


def test_a_knob_is_called_by_its_label_or_its_name():
    about = {name: known for name, _, known in knobs_of(Later)}
    assert label_of("old", about["old"]) == "Old"
    assert label_of("new", about["new"]) == "A new one"
    assert label_of("count_or_share", about["old"]) == "Count or share"


@pytest.mark.parametrize("name", ["lda-svi", "dpm-gibbs"])
def test_a_method_is_named_as_people_choose_it(name):
    with pytest.raises(ValueError, match=f"^{name}: start must be one of "):
        METHODS[name](start="there")
