"""How well two colours stand apart, by WCAG 2."""

import numpy as np


def linear(colour):
    """Linear red, green and blue of a colour such as "#1C232B", float64 (3,)."""
    rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """The contrast of two colours, from 1 to 21."""
    low, high = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other))
    return (high + 0.05) / (low + 0.05)
