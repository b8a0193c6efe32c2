"""Values as JSON-able trees and arrays, and back.

`pack` walks dataclasses, tuples, lists, mappings with string keys, numbers, strings, None and
arrays; `unpack` rebuilds them from the type that the caller expects, so a file can never choose
which class is made.

Type hints at run time: the one place that resolves them. Open this where code looks at a type
hint, or where a new release of Python or numpy writes hints in a new way.
"""

import dataclasses
import types
import typing
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, TypeVar, Union

import numpy as np
import numpy.typing as npt

Arrays = dict[str, npt.NDArray[Any]]
T = TypeVar("T")


class Misfit(ValueError):
    """A saved value that is not of the type that belongs there."""


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


def unpack(kind: Any, tree: Any, arrays: Arrays) -> Any:
    """Return the value of type `kind` that `pack` turned into `tree`.

    Raises Misfit if `tree` is of another type, and UnknownHint if `pack` takes no such type.
    """
    return _unpack(resolved(kind), tree, arrays)


def part(tree: Any, name: str) -> Any:
    """Return one part of a tree. Raises Misfit if it is missing."""
    if not isinstance(tree, dict):
        raise Misfit(f"a {type(tree).__name__} stands where parts with names should")
    if name not in tree:
        raise Misfit(f"{name!r} is missing")
    return tree[name]


def arguments_of(tree: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return a tree as arguments of a function. Raises Misfit if it has more than these names."""
    given = _of(dict, tree)
    for name in given.keys() - set(names):
        raise Misfit(f"{name!r} is unknown")
    return given


def _unpack(kind: Any, tree: Any, arrays: Arrays) -> Any:
    if kind is str and type(tree) is str:  # by far the most frequent
        return tree
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if tree is None:
        if kind is not Any and type(None) not in arguments:
            raise Misfit(f"nothing stands where a {getattr(kind, '__name__', kind)} should")
        return None
    if origin is Union:
        choices = [a for a in arguments if a is not type(None)]
        kind = choices[0] if len(choices) == 1 else type(tree)
        if kind not in choices:
            raise Misfit(f"a {kind.__name__} stands where it should not")
        return _unpack(kind, tree, arrays)
    if dataclasses.is_dataclass(kind):
        return _dataclass(kind, tree, arrays)
    if kind is np.ndarray or origin is np.ndarray:
        return _array(arguments, tree, arrays)
    if origin is tuple:
        items = _of(list, tree)
        inner = arguments if arguments[-1] is not Ellipsis else (arguments[0],) * len(items)
        return tuple(_unpack(a, item, arrays) for a, item in zip(inner, items, strict=True))
    if origin is list:
        return [_unpack(arguments[0], item, arrays) for item in _of(list, tree)]
    if isinstance(origin, type) and issubclass(origin, Mapping):
        named = _of(dict, tree)
        return {key: _unpack(arguments[1], item, arrays) for key, item in named.items()}
    return _plain(kind, tree)


def _of(kind: type[T], tree: Any) -> T:
    if not isinstance(tree, kind):
        raise Misfit(f"a {kind.__name__} is a {type(tree).__name__}")
    return tree


def _plain(kind: Any, tree: Any) -> Any:
    """A number, a string, one of some strings, or anything."""
    if kind is Any:
        return tree
    if kind is float:
        if isinstance(tree, bool) or not isinstance(tree, (int, float)):
            raise Misfit(f"a number is a {type(tree).__name__}")
        return float(tree)
    if typing.get_origin(kind) is Literal:
        if tree not in typing.get_args(kind):
            raise Misfit(f"{tree!r} stands where it should not")
        return tree
    if kind not in (str, int, bool):
        raise UnknownHint(f"bnpexplorer cannot check a value against the type hint {kind!r}")
    return _of(kind, tree)


def _dataclass(kind: Any, tree: Any, arrays: Arrays) -> Any:
    hints, values = hints_of(kind), {}
    for f in dataclasses.fields(kind):
        optional = (f.default, f.default_factory) != (dataclasses.MISSING, dataclasses.MISSING)
        if not (optional and isinstance(tree, dict) and f.name not in tree):
            values[f.name] = _unpack(hints[f.name], part(tree, f.name), arrays)
    return kind(**values)


def _array(arguments: tuple[Any, ...], tree: Any, arrays: Arrays) -> npt.NDArray[Any]:
    """An array, if it is of the type that `NDArray[type]` names; any for a bare one."""
    if isinstance(tree, dict):
        array = part(arrays, str(part(tree, "array")))
    else:  # strings: an object array was saved as a list
        array = np.empty(len(_of(list, tree)), dtype=object)
        array[:] = tree
        if not all(item is None or isinstance(item, str) for item in tree):
            raise Misfit("a column of words holds something else")
    (wanted,) = typing.get_args(arguments[1])[:1] if len(arguments) == 2 else (Any,)
    if wanted is not Any and (array.dtype.type is not wanted or not array.dtype.isnative):
        raise Misfit(f"{array.dtype} stands where {wanted.__name__} should")
    return typing.cast(npt.NDArray[Any], array)


class UnknownHint(TypeError):
    """A type hint that bnpexplorer cannot check a value against; a mistake in its code."""


@cache
def hints_of(kind: Any, extras: bool = False) -> dict[str, Any]:
    """Return the resolved hints of a class's fields or of a function's arguments, by name.

    `extras`: with their annotations. Each `kind` is looked up once, since that takes as long as
    checking a file of a small run. Raises UnknownHint.
    """
    found = typing.get_type_hints(kind, include_extras=extras)
    return {name: resolved(hint) for name, hint in found.items()}


@cache
def resolved(hint: Any) -> Any:
    """Return the hint without aliases, at every depth.

    A `type` alias stands for its `__value__`, where its arguments replace its parameters; numpy
    declares `NDArray` in this way since 2.5. Raises UnknownHint for everything that is neither a
    class, a union, a literal nor a form of these with arguments.
    """
    origin: Any = typing.get_origin(hint)
    arguments = typing.get_args(hint)
    alias = hint if origin is None else origin
    if hasattr(alias, "__value__"):
        return resolved(_value(alias, arguments))
    if hint in (Any, None, Ellipsis) or isinstance(hint, type) or origin is Literal:
        return hint
    if origin is Annotated:
        return Annotated[(resolved(arguments[0]), *arguments[1:])]
    if origin in (Union, types.UnionType):
        return Union[tuple(map(resolved, arguments))]  # noqa: UP007 (of types known only here)
    has_brackets = isinstance(origin, type) or origin is ClassVar
    if has_brackets:
        inner = tuple(_inside(argument) for argument in arguments)
        return origin[inner[0] if len(inner) == 1 else inner] if inner else hint
    raise UnknownHint(f"bnpexplorer does not know the type hint {hint!r}")


def _value(alias: Any, arguments: tuple[Any, ...]) -> Any:
    """What a `type` alias stands for, with these arguments in place of its parameters."""
    value = alias.__value__
    given = dict(zip(alias.__type_params__, arguments, strict=False))
    named = getattr(value, "__parameters__", ())
    if not named:
        return given.get(value, value)
    return value[tuple(given.get(parameter, parameter) for parameter in named)]


def _inside(argument: Any) -> Any:
    """What stands in brackets: a hint, or the list of hints of a Callable's arguments."""
    return [*map(resolved, argument)] if isinstance(argument, list) else resolved(argument)
