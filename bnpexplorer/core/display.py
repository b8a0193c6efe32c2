"""How values are shown: style sheets and scripts, notebooks, Markdown, percentages.

A notebook asks the value itself (`_repr_html_`), which lies low; the drawing needs scores, palette
and the report's figures, which lie high (`bnpexplorer/notebooks`). No room imports upwards, so
`bnpexplorer/__init__.py` names that room by `reach_by`.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from .html import Markup, as_is


@cache
def text_beside(python: str, name: str) -> str:
    """Return the text of the file `name` in the folder of a module, given by its `__file__`."""
    return Path(python).with_name(name).read_text("utf-8")


@cache
def style_beside(python: str, name: str) -> Markup:
    """Return a style sheet as an element of HTML."""
    return style(rules_beside(python, name))


def rules_beside(python: str, name: str) -> str:
    """Return a style sheet in one line, without comments: a page may send it each tick."""
    plain = re.sub(r"/\*.*?\*/", "", text_beside(python, name), flags=re.DOTALL)
    return " ".join(plain.split())


def style(rules: str) -> Markup:
    """Return rules as an element of HTML."""
    return Markup("<style>{}</style>").format(as_is(rules))


class Front(Protocol):
    """What the room above offers."""

    def html(self, value: Any) -> str: ...

    def watch(self, run: Any, step_seconds: float) -> Any: ...


_reach: list[Callable[[], Front]] = []


def reach_by(load: Callable[[], Front]) -> None:
    """Let values be shown by what `load` gives; it is called when the first one is to be shown."""
    _reach[:] = [load]


def front() -> Front:
    """The room that shows values."""
    return _reach[0]()


class HtmlRepr:
    """A value that shows itself in a notebook."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return HTML without scripts."""
        return str(front().html(self))


JOINER = "\u2060"
"""Has no width; what is on both sides of it does not belong together."""


def plain(text: object) -> str:
    """Text for a place that reads Markdown: one line in which every sign stands for itself.

    Backslashes do not reach icons (`:material/home:`), bare addresses and arrows (`->`), which
    Streamlit finds only after it has taken the backslashes away; a joiner divides these.
    """
    line = re.sub(r"\s+", " ", str(text)).strip()
    line = re.sub(r":(?=\S)|@|www(?=\.)|[-<>~](?=[-=>])", rf"\g<0>{JOINER}", line, flags=re.I)
    line = re.sub(rf"[\\`*_\[\]#|~<>$&]|:(?={JOINER})", r"\\\g<0>", line)
    return re.sub(r"^(\d*)([-+=.)])", r"\1\\\2", line)  # lists and rules begin a line


def plural(n: int, noun: str, several: str = "") -> str:
    """Return `1 row` or `1,234 rows`."""
    return f"{n:,} {noun if n == 1 else several or noun + 's'}"


def passes_in_words(seen: int, n_docs: int, of: str = "") -> str:
    """Return `pass 96 of 96 over 2,225 texts`, the pass that the last of `seen` documents was in.

    Of the first pass, `40 of 2,225 texts in pass 1 of 96`. `of`: how many passes there are, in
    words; empty leaves it out.
    """
    of = f" of {of}" if of else ""
    if seen < n_docs:
        return f"{seen:,} of {plural(n_docs, 'text')} in pass 1{of}"
    return f"pass {-(-seen // max(n_docs, 1)):,}{of} over {plural(n_docs, 'text')}"


def percent(share: float, digits: int = 0) -> str:
    """A share in words: rounded, but never to nothing or to all; its space does not break."""
    least = 0.5 * 10.0 ** -(digits + 2)
    if 0.0 < share < least:
        return f"under {100 * least:.{digits + 1}f}\u00a0%"
    if 1.0 - least <= share < 1.0:
        digits += 1
    if 1.0 - least / 10 <= share < 1.0:
        return f"over {100 - 10.0**-digits:.{digits}f}\u00a0%"
    return f"{100 * share:.{digits}f}\u00a0%"


UNITS = (1_000, 10_000, 100_000, 1_000_000)
"""Words in which a rate of a word is told."""
MOST_DIGITS = 9


def rates(shares: Sequence[float]) -> tuple[list[str], str]:
    """Rates of a word, and in how many words they are: (["10", "0.2"], "1,000").

    Each has the digits that it needs: it, and what sets it apart from the others, is right within a
    tenth; a word that occurs is never told to stand 0 times.
    """
    unit = next((n for n in UNITS if max(shares) * n >= 1.0), UNITS[-1])
    values = [share * unit for share in shares]
    for common in range(MOST_DIGITS):
        digits = [_digits(value, common) for value in values]
        told = [round(value, d) for value, d in zip(values, digits, strict=True)]
        apart = zip(values, values[1:], told, told[1:], strict=False)
        if all(abs((y - x) - (b - a)) <= 0.1 * abs(b - a) for a, b, x, y in apart):
            break
    written = [f"{value:.{d}f}" for value, d in zip(values, digits, strict=True)]
    return written, f"{unit:,}"


def rounded_rates(shares: Iterable[float], unit: int) -> list[float]:
    """Return rates in `unit` words for a column of numbers: two decimals, rare ones with more."""
    return [round(share * unit, _digits(share * unit, 2)) for share in shares]


def _digits(value: float, least: int) -> int:
    """The fewest decimals, `least` or more, that leave a number right within a tenth of itself."""
    right = (d for d in range(least, MOST_DIGITS) if abs(round(value, d) - value) <= 0.1 * value)
    return next(right, MOST_DIGITS)


def points(changes: Sequence[float]) -> list[str]:
    """Changes of shares in points with their signs: as many decimals, one to four, as keep the
    smallest of them from looking like none."""
    least = min((100.0 * abs(change) for change in changes if change), default=1.0)
    digits = next((d for d in range(1, 4) if least * 10**d >= 1.0), 4)
    return [f"{100.0 * change:+.{digits}f}" for change in changes]
