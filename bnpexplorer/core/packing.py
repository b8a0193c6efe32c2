"""Values as JSON-able trees and arrays, and back.

`pack` walks dataclasses, tuples, lists, mappings with string keys, numbers, strings, None and
arrays; `unpack` rebuilds them from the type that the caller expects, so a file can never choose
which class is made.
"""

import dataclasses
import types
import typing
from collections.abc import Mapping
from functools import cache
from typing import Any, Union

import numpy as np
import numpy.typing as npt

Arrays = dict[str, npt.NDArray[Any]]


def pack(value: Any, arrays: Arrays, path: str = "root") -> Any:
    """A JSON-able tree of `value`; its arrays are put into `arrays` under their path."""
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            return [None if item is None else str(item) for item in value]
        arrays[path] = value
        return {"array": path}
    if dataclasses.is_dataclass(value):
        return {
            f.name: pack(getattr(value, f.name), arrays, f"{path}.{f.name}")
            for f in dataclasses.fields(value)
        }
    if isinstance(value, Mapping):
        return {str(key): pack(item, arrays, f"{path}.{key}") for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [pack(item, arrays, f"{path}.{i}") for i, item in enumerate(value)]
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{path}: cannot save a {type(value).__name__}.")


def size(value: Any) -> int:
    """Bytes of the arrays, numbers and strings that `pack` would walk."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if dataclasses.is_dataclass(value):
        return sum(size(getattr(value, f.name)) for f in dataclasses.fields(value))
    if isinstance(value, Mapping):
        return sum(size(key) + size(item) for key, item in value.items())
    if isinstance(value, (tuple, list)):
        return sum(map(size, value))
    return len(value) if isinstance(value, str) else 8


@cache
def hints_of(kind: Any, extras: bool = False) -> dict[str, Any]:
    """The types of a dataclass's fields, `extras` with their annotations; looked up once, since it
    takes as long as checking what a file of a small run holds."""
    return typing.get_type_hints(kind, include_extras=extras)


def unpack(kind: Any, tree: Any, arrays: Arrays) -> Any:
    """The value of type `kind` that `pack` turned into `tree`."""
    if kind is str and type(tree) is str:  # by far the most frequent
        return tree
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if tree is None:
        if kind is not Any and type(None) not in arguments:
            raise TypeError(f"nothing stands where a {getattr(kind, '__name__', kind)} should")
        return None
    if origin in (Union, types.UnionType):
        choices = [a for a in arguments if a is not type(None)]
        kind = choices[0] if len(choices) == 1 else type(tree)
        if kind not in choices:
            raise TypeError(f"a {kind.__name__} stands where it should not")
        return unpack(kind, tree, arrays)
    if dataclasses.is_dataclass(kind):
        if not isinstance(tree, dict):
            raise TypeError(f"a {type(tree).__name__} stands where parts with names should")
        hints = hints_of(typing.cast(Any, kind))
        values = {
            f.name: unpack(hints[f.name], tree[f.name], arrays)
            for f in dataclasses.fields(kind)
            if f.name in tree
        }
        return typing.cast(type[Any], kind)(**values)
    if isinstance(tree, dict) and set(tree) == {"array"}:
        return _of_type(arguments, arrays[tree["array"]])
    if origin is np.ndarray or kind is np.ndarray:  # strings: an object array was saved as a list
        if not all(item is None or isinstance(item, str) for item in tree):
            raise TypeError("a column of words holds something else")
        column = np.empty(len(tree), dtype=object)
        column[:] = tree
        return column
    if origin is tuple:
        inner = arguments if arguments[-1] is not Ellipsis else (arguments[0],) * len(tree)
        return tuple(unpack(a, item, arrays) for a, item in zip(inner, tree, strict=True))
    if origin is list:
        return [unpack(arguments[0], item, arrays) for item in tree]
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {key: unpack(arguments[1], item, arrays) for key, item in tree.items()}
    if kind is float:
        if isinstance(tree, bool) or not isinstance(tree, (int, float)):
            raise TypeError(f"a number is a {type(tree).__name__}")
        return float(tree)
    if kind in (str, int, bool) and not isinstance(tree, kind):
        raise TypeError(f"a {kind.__name__} is a {type(tree).__name__}")
    return tree


def _of_type(arguments: tuple[Any, ...], array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array, if its numbers are of the type that `NDArray[type]` names; any for a bare one."""
    (wanted,) = typing.get_args(arguments[1])[:1] if len(arguments) == 2 else (Any,)
    if wanted is not Any and (array.dtype.type is not wanted or not array.dtype.isnative):
        raise TypeError(f"{array.dtype} stands where {wanted.__name__} should")
    return array
