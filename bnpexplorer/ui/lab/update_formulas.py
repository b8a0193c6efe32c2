"""The two rules of the toy example, with the numbers of the moment."""

from collections.abc import Callable

from ...lab.toy import Case, terms
from .formula import Part, Term, formula
from .update_words import signed

KEYS = {
    "n_words": "lab_words",
    "word": "lab_word1",
    "rest": "lab_rest",
    "common": "lab_second",
    "copies": "lab_copies",
}
"""The sliders."""
SYMBOLS = (
    "w: copies of word 1. λ: its parameter in component 1 and in component 2; Λ: the sum of all "
    "parameters there; ψ: the digamma function."
)
MEAN_FIELD, COLLAPSED = "Mean field", "Locally collapsed"


def mean_field(case: Case, copies: int, odds: float, moved: str = "") -> str:
    """Equation 5: digammas, all of them times the copies."""
    digammas, _ = terms(case, copies)
    first, all_first, second, all_second = (
        Term(f"ψ({symbol})", _number(x), by)
        for (symbol, by), x in zip(PARTS, digammas, strict=True)
    )
    parts: list[Part] = [Term("w", str(copies), (KEYS["copies"],)), "× { ["]
    parts += [first, "−", all_first, "] − [", second, "−", all_second, "] }"]
    return formula(parts, f"= {signed(odds)}", moved)


def collapsed(case: Case, copies: int, odds: float, moved: str = "") -> str:
    """Equation 6: logarithms of an urn, which knows what was drawn before."""
    _, urn = terms(case, copies)
    first, all_first, second, all_second = (
        Term(f"Σ ln({symbol} + j)", _number(x), (*by, KEYS["copies"]))
        for (symbol, by), x in zip(PARTS, urn, strict=True)
    )
    parts: list[Part] = ["[", first, "−", all_first, "] − [", second, "−", all_second, "]"]
    last = "0" if copies == 1 else f"0, …, {copies - 1}"
    return formula(parts, f"= {signed(odds)}, j = {last}", moved)


RULES: dict[str, Callable[[Case, int, float, str], str]] = {
    MEAN_FIELD: mean_field,
    COLLAPSED: collapsed,
}


PARTS: list[tuple[str, tuple[str, ...]]] = [
    ("λ_11", (KEYS["word"],)),
    ("Λ_1", (KEYS["word"], KEYS["rest"], KEYS["n_words"])),
    ("λ_21", (KEYS["common"],)),
    ("Λ_2", (KEYS["common"], KEYS["n_words"])),
]
"""The parameters of word 1 and their sums, as in `toy.terms`: symbols, and their sliders."""


def _number(x: float) -> str:
    text = f"{x:.2f}".replace("-", "−")
    return f"({text})" if x < 0 else text
