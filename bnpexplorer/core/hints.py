"""Type hints at run time: the one place that resolves them. Open this where code looks at a type
hint, or where a new release of Python or numpy writes hints in a new way."""

import types
import typing
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, Union


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
        return Union[tuple(map(resolved, arguments))]  # noqa: UP007
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
