"""Type hints: aliases are resolved at every depth, and an unknown hint is an error."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt
import pytest

from bnpexplorer.checks.expecting import undeclared
from bnpexplorer.core import store
from bnpexplorer.core.arrays import F64
from bnpexplorer.core.packing import Misfit, UnknownHint, hints_of, resolved
from bnpexplorer.state.invariants import Constraint

if sys.version_info >= (3, 12):
    from typing import TypeAliasType
else:
    from typing_extensions import TypeAliasType

S, T = TypeVar("S", bound=np.generic), TypeVar("T")
Shape = TypeAliasType("Shape", tuple[Any, ...])
# As numpy declares NDArray since 2.5, whatever numpy is here.
Array = TypeAliasType("Array", np.ndarray[Shape, np.dtype[S]], type_params=(S,))
Doubles = TypeAliasType("Doubles", Array[np.float64])
Maybe = TypeAliasType("Maybe", T | None, type_params=(T,))
Same = TypeAliasType("Same", T, type_params=(T,))
Turned = TypeAliasType("Turned", dict[S, T], type_params=(T, S))


@pytest.mark.parametrize(
    ("hint", "wanted"),
    [
        (Array[np.float64], np.ndarray[tuple[Any, ...], np.dtype[np.float64]]),
        (Doubles, np.ndarray[tuple[Any, ...], np.dtype[np.float64]]),
        (Maybe[int], int | None),
        (Maybe[Array[np.int32]], np.ndarray[tuple[Any, ...], np.dtype[np.int32]] | None),
        (Same[int], int),
        (Turned[int, str], dict[str, int]),
        (tuple[Doubles, ...], tuple[resolved(Doubles), ...]),
        (Annotated[Doubles, 5], Annotated[resolved(Doubles), 5]),
        (Callable[[Doubles], int], Callable[[resolved(Doubles)], int]),
        (Literal["a", 1], Literal["a", 1]),
        (Mapping[str, Any], Mapping[str, Any]),
        (type(None), type(None)),
    ],
)
def test_an_alias_stands_for_its_value_at_every_depth(hint, wanted):
    assert resolved(hint) == wanted


@pytest.mark.parametrize("hint", [npt.NDArray[np.float64], F64])
def test_numpys_own_alias_becomes_an_array_with_its_type(hint):
    found = resolved(hint)
    assert found.__origin__ is np.ndarray
    assert found.__args__[1] == np.dtype[np.float64]


@dataclass(frozen=True)
class Held:
    numbers: Array[np.float64]
    words: Array[np.object_]
    some: Maybe[Doubles] = None


def packed(held: Held) -> tuple[Any, store.Arrays]:
    arrays: store.Arrays = {}
    return store.pack(held, arrays), arrays


def test_arrays_behind_an_alias_come_back_as_arrays():
    held = Held(np.arange(3.0), np.array(["a", "b"], object), np.ones(2))
    back = store.unpack(Held, *packed(held))
    assert back.numbers.tolist() == [0, 1, 2]
    assert back.words.dtype == object
    assert back.some.tolist() == [1, 1]


@pytest.mark.parametrize(
    "held",
    [
        Held(np.arange(3), np.array(["a"], object)),
        Held(np.array(["text"], object), np.array(["a"], object)),
        Held(np.arange(3.0), np.arange(3.0)),
        Held(np.arange(3.0), np.array(["a"], object), np.arange(3, dtype=np.float32)),
    ],
)
def test_an_array_of_another_type_is_refused_behind_an_alias(held):
    with pytest.raises(Misfit, match=r"stands where (float64|object_) should"):
        store.unpack(Held, *packed(held))


def test_an_array_behind_an_alias_must_declare_its_shape():
    @dataclass
    class State:
        declared: Annotated[Doubles, Constraint("K")]
        silent: Maybe[Doubles]

    assert [name.split(".")[-1] for name in undeclared(State)] == ["silent"]


@pytest.mark.parametrize("kind", [T, Same, Array, list[T], "never resolved", complex, object])
def test_a_hint_that_is_not_known_is_an_error(kind):
    with pytest.raises(UnknownHint, match="type hint"):
        store.unpack(kind, ["x"], {})


def test_a_class_with_an_unknown_hint_is_refused_before_anything_is_read():
    @dataclass
    class Odd:
        numbers: Array

    with pytest.raises(UnknownHint, match="S"):
        hints_of(Odd)
    with pytest.raises(UnknownHint, match="S"):
        undeclared(Odd)


@pytest.mark.parametrize(
    ("kind", "tree", "why"),
    [
        (int, {"array": "x"}, "a int is a dict"),
        (float, True, "a number is a bool"),
        (tuple[int, int], {"0": 1}, "a list is a dict"),
        (dict[str, int], [1], "a dict is a list"),
        (list[int], "12", "a list is a str"),
        (F64, {"array": "y"}, "'y' is missing"),
        (F64, {"other": "x"}, "'array' is missing"),
        (Held, {"words": []}, "'numbers' is missing"),
        (Literal["a"], "b", "'b' stands where it should not"),
    ],
)
def test_a_value_of_another_type_is_a_misfit(kind, tree, why):
    with pytest.raises(Misfit, match=why):
        store.unpack(kind, tree, {"x": np.arange(3.0)})


def test_what_is_too_short_swapped_mixed_or_unknown_is_a_misfit():
    with pytest.raises(ValueError, match="shorter"):
        store.unpack(tuple[int, int], [1], {})
    with pytest.raises(Misfit, match=r"^>f8 stands where float64 should$"):
        store.unpack(F64, {"array": "x"}, {"x": np.arange(3, dtype=">f8")})
    with pytest.raises(Misfit, match=r"^a column of words holds something else$"):
        store.unpack(np.ndarray, ["a", 1], {})
    with pytest.raises(Misfit, match=r"^'a' is unknown$"):
        store.arguments_of({"a": 1, "b": 2}, ["b", "c"])
