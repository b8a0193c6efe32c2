"""Shares and their differences in words."""

from collections.abc import Sequence


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


def points(changes: Sequence[float]) -> list[str]:
    """Changes of shares in points with their signs: as many decimals, one to four, as keep the
    smallest of them from looking like none."""
    least = min((100.0 * abs(change) for change in changes if change), default=1.0)
    digits = next((d for d in range(1, 4) if least * 10**d >= 1.0), 4)
    return [f"{100.0 * change:+.{digits}f}" for change in changes]
