"""Settings that describe themselves: a dataclass field that knows its range and its meaning.

The form on the Live page, the command line, the method table and the range check all read the same
`Knob`; a method or a model holds no widget code.
"""

from collections.abc import Iterator, Mapping
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
    share: bool = False
    """A whole number counts (1 to `high`), a fraction is a share from 0 to 1: `min_df` and kin."""
    before: Any = None
    """What was done before there was this knob, where that is not the default."""
    apart: bool = False
    """Asked for by a form of its own, not among the others."""


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
    share: bool = False,
    before: Any = None,
    apart: bool = False,
) -> Any:
    """A dataclass field with a `default`, an inclusive range or `choices`, and a `help`.

    Of a free string (a default that is a string, no choices), `high` is the greatest length.
    """
    about = Knob(help, low, high, choices, symbol, label, more, share, before, apart)
    return field(default=default, metadata={"knob": about})


def knobs_of(settings: Any) -> Iterator[tuple[str, Any, Knob]]:
    """Yield `(name, default, Knob)` of every knob of a settings class or instance."""
    for f in fields(settings):
        about = f.metadata.get("knob")
        if about is not None:
            default = f.default if f.default is not MISSING else None
            yield f.name, default, about


def settings_of_then(settings: Any, saved: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that were saved by any version, with what was done before later knobs were there."""
    before = {name: about.before for name, _, about in knobs_of(settings)}
    return {name: value for name, value in before.items() if value is not None} | dict(saved)


def label_of(name: str, about: Knob) -> str:
    """What stands beside the field of a knob."""
    return about.label or name.replace("_", " ").capitalize()


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
    if isinstance(default, str):
        if not isinstance(value, str):
            raise ValueError(f"{owner}: {name} must be words; got {value!r}.")
        if about.high is not None and len(value) > about.high:
            raise ValueError(
                f"{owner}: {name} may have {about.high:g} characters at most; got {len(value)}."
            )
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{owner}: {name} must be a number; got {value!r}.") from None
    if about.share:
        return _checked_share(owner, name, value, number, about)
    if isinstance(default, int) and not number.is_integer():  # nor is what is not finite
        raise ValueError(f"{owner}: {name} must be a whole number; got {value!r}.")
    below = about.low is not None and number < about.low
    above = about.high is not None and number > about.high
    if below or above or number != number:
        low = "" if about.low is None else f" from {about.low:g}"
        high = "" if about.high is None else f" to {about.high:g}"
        raise ValueError(f"{owner}: {name} must lie in the range{low}{high}; got {value!r}.")
    return int(number) if isinstance(default, int) else number


def _checked_share(owner: str, name: str, value: Any, number: float, about: Knob) -> int | float:
    """An int is a number of things, a float a share; strings count by whether they have a point."""
    if isinstance(value, str):
        value = int(value) if value.strip().isdecimal() else number
    if isinstance(value, float):
        if 0.0 <= value <= 1.0:
            return value
    elif value >= 1 and (about.high is None or value <= about.high):
        return int(value)
    raise ValueError(
        f"{owner}: {name} must be a whole number from 1 or a share from 0.0 to 1.0; got {value!r}."
    )


@dataclass(frozen=True)
class Settings:
    """Base of models and methods: checks every knob when an instance is made.

    Raises ValueError with the owner, the field, the allowed range and the value given. The owner is
    named as people choose it.
    """

    def __post_init__(self) -> None:
        owner = getattr(self, "name", type(self).__name__)
        for name, default, about in knobs_of(self):
            value = _checked(owner, name, getattr(self, name), default, about)
            object.__setattr__(self, name, value)
