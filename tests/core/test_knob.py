"""Settings that describe themselves: each takes what it says, and names itself where it refuses."""

import math
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnpexplorer.core.knob import Settings, knob


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
