"""Colours as numbers: transparent ones, and inks that words can be read in."""

from functools import lru_cache

READABLE = 4.5
"""Contrast of words with what they stand on, at least (WCAG 2.1, success criterion 1.4.3)."""
STEPS = 20
"""From an ink to that of plain words."""


def with_alpha(hex_colour: str, alpha: float) -> str:
    """The same colour, partly transparent."""
    red, green, blue = rgb(hex_colour)
    return f"rgba({red},{green},{blue},{alpha:g})"


def rgb(hex_colour: str) -> tuple[int, int, int]:
    """Red, green and blue of `#rrggbb`, 0 to 255."""
    red, green, blue = (int(hex_colour[i : i + 2], 16) for i in (1, 3, 5))
    return red, green, blue


@lru_cache(maxsize=256)
def legible(ink: str, paper: str, plain: str) -> str:
    """`ink`, moved towards that of `plain` words until it can be read on `paper`; all `#rrggbb`.

    Lines and circles need 3:1 against the page, words 4.5:1: beside a line its name is a little
    nearer to the plain words.
    """
    mixed = ink
    for step in range(1, STEPS + 1):
        if _contrast(mixed, paper) >= READABLE:
            break
        part = step / STEPS
        channels = zip(rgb(ink), rgb(plain), strict=True)
        mixed = "#" + "".join(f"{round((1 - part) * a + part * b):02X}" for a, b in channels)
    return mixed


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(hex_colour: str) -> float:
    """Relative luminance as WCAG 2.1 defines it."""
    parts = [channel / 255.0 for channel in rgb(hex_colour)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
