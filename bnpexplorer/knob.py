"""Settings that describe themselves: a dataclass field that knows its range and its meaning.

The form on the Live page, the command line, the method table and the range check all read the same
`Knob`; a method or a model holds no widget code.
"""

from collections.abc import Iterator
from dataclasses import MISSING, dataclass, field, fields
from typing import Any


@dataclass(frozen=True)
class Knob:
    """The self-description of one setting."""

    help: str
    """One plain sentence: what it does, and what happens when it is larger."""
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    symbol: str = ""
    """The letter of the papers, for the tooltip."""
    label: str = ""
    """Words for the form; empty: the field's name with blanks."""
    more: bool = False
    """Shown under "More settings" rather than at once."""


def knob(
    default: Any,
    low: float | None = None,
    high: float | None = None,
    help: str = "",
    *,
    choices: tuple[str, ...] = (),
    symbol: str = "",
    label: str = "",
    more: bool = False,
) -> Any:
    """A dataclass field with a `default`, an inclusive range or `choices`, and a `help`."""
    about = Knob(help, low, high, choices, symbol, label, more)
    return field(default=default, metadata={"knob": about})


def knobs_of(settings: Any) -> Iterator[tuple[str, Any, Knob]]:
    """Yield `(name, default, Knob)` of every knob of a settings class or instance."""
    for f in fields(settings):
        about = f.metadata.get("knob")
        if about is not None:
            default = f.default if f.default is not MISSING else None
            yield f.name, default, about


def _checked(owner: str, name: str, value: Any, default: Any, about: Knob) -> Any:
    """`value` converted to the type of `default`; raises ValueError that names the field."""
    if about.choices:
        if value not in about.choices:
            allowed = ", ".join(about.choices)
            raise ValueError(f"{owner}: {name} must be one of {allowed}; got {value!r}.")
        return value
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise ValueError(f"{owner}: {name} must be true or false; got {value!r}.")
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{owner}: {name} must be a number; got {value!r}.") from None
    if isinstance(default, int) and number != round(number):
        raise ValueError(f"{owner}: {name} must be a whole number; got {value!r}.")
    below = about.low is not None and number < about.low
    above = about.high is not None and number > about.high
    if below or above or number != number:
        low = "" if about.low is None else f" from {about.low:g}"
        high = "" if about.high is None else f" to {about.high:g}"
        raise ValueError(f"{owner}: {name} must lie in the range{low}{high}; got {value!r}.")
    return int(number) if isinstance(default, int) else number


@dataclass(frozen=True)
class Settings:
    """Base of models and methods: checks every knob when an instance is made.

    Raises ValueError with the owner, the field, the allowed range and the value given.
    """

    def __post_init__(self) -> None:
        for name, default, about in knobs_of(self):
            value = _checked(type(self).__name__, name, getattr(self, name), default, about)
            object.__setattr__(self, name, value)
