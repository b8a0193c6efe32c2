"""Number fields have no bounds of their own.

Symptom: A browser keeps a number outside the bounds of its field to itself: the field shows it in
    red, and the form starts with the number before it.
Seen in: Streamlit 1.67.
No longer needed when: a script is told of such a number, or a form with one cannot be sent.
"""

from typing import Any, TypeVar

import streamlit as st

N = TypeVar("N", int, float)


def number_field(
    label: str, low: int, high: int, value: N, problems: list[str], *, help: str = "", **more: Any
) -> N:
    """A number, whole if `value` is; `problems` gets a sentence for one outside `low` to `high`."""
    about = f"{help} From {low:,} to {high:,}.".strip()
    whole = isinstance(value, int)
    kind: dict[str, Any] = {"step": 1} if whole else {"step": 1.0, "format": "%g"}
    found = type(value)(st.number_input(label, value=value, help=about, **kind, **more))
    if not low <= found <= high:
        got = f"{found:,}" if whole else f"{found:,g}"
        problems.append(f"{label} must lie from {low:,} to {high:,}; got {got}.")
    return found
