"""A formula with the numbers of the moment under its terms; plain functions, all text escaped."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Term:
    """A symbol and the number that stands under it."""

    symbol: str
    """Letters after an underscore are an index: n_dk."""
    number: str
    by: tuple[str, ...] = ()
    """Keys of the sliders that change it."""


@dataclass(frozen=True)
class Fraction:
    """Parts above and below a line."""

    above: "Sequence[Part]"
    below: "Sequence[Part]"


Part = Term | Fraction | str
"""A string is an operator or a bracket."""


def formula(parts: Sequence[Part], result: str, moved: str = "") -> str:
    """Parts in a row, `result` after them; terms are marked that the slider `moved` changes."""
    drawn = "".join(_drawn(part, moved) for part in parts)
    return f'<div class="lab lab-formula">{drawn}<span class="result">{escape(result)}</span></div>'


def _drawn(part: Part, moved: str) -> str:
    if isinstance(part, str):
        return f'<span class="op">{escape(part)}</span>'
    if isinstance(part, Fraction):
        above, below = ("".join(_drawn(p, moved) for p in row) for row in (part.above, part.below))
        return f'<span class="over"><span>{above}</span><span>{below}</span></span>'
    mark = ' class="term moved"' if moved and moved in part.by else ' class="term"'
    symbol = re.sub(r"_(\w+)", r"<sub>\1</sub>", escape(part.symbol))
    return f"<span{mark}><i>{symbol}</i><b>{escape(part.number)}</b></span>"


def small(x: float) -> str:
    """A positive number that may be next to nothing: 0.2331, 3 × 10⁻⁵."""
    if x >= 0.001:
        return f"{x:.3f}" if x >= 1.0 else f"{x:.4f}"
    if x == 0.0:
        return "0"
    digits, power = f"{x:.1e}".split("e")
    return f"{digits} × 10{str(int(power)).translate(RAISED)}"


RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
