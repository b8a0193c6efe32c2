"""A formula with the numbers of the moment under its terms; plain functions.

The rules that assign a word, with the numbers of the moment, and how they differ.

The two rules of the toy example, with the numbers of the moment.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from ...core.html import Markup, joined, render, with_elements
from ...lab.document import TOKENS, VOCAB, DocumentSettings, TokenTurn
from ...lab.shrinking import exp_psi
from ...lab.toy import Case, terms
from ...plots.style import percent
from .update_words import signed

draw = partial(render, "ui/lab/formula.html")


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


def formula(parts: Sequence[Part], result: str, moved: str = "") -> Markup:
    """Draw parts in a row, then `result`; terms that the slider `moved` changes are marked."""
    return draw("formula", parts=_drawn(parts, moved), result=result)


def _drawn(parts: Sequence[Part], moved: str) -> list[Markup]:
    return [_part(part, moved) for part in parts]


def _part(part: Part, moved: str) -> Markup:
    if isinstance(part, str):
        return draw("operator", words=part)
    if isinstance(part, Fraction):
        return draw("fraction", above=_drawn(part.above, moved), below=_drawn(part.below, moved))
    symbol = with_elements(part.symbol, (r"_(\w+)", r"<sub>\1</sub>"))
    return draw("term", symbol=symbol, number=part.number, moved=moved in part.by)


def small(x: float) -> str:
    """A positive number that may be next to nothing: 0.2331, 3 × 10⁻⁵."""
    if x >= 0.001:
        return f"{x:.3f}" if x >= 1.0 else f"{x:.4f}"
    if x == 0.0:
        return "0"
    digits, power = f"{x:.1e}".split("e")
    return f"{digits} × 10{str(int(power)).translate(RAISED)}"


RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


ALPHA, GAMMA, ETA = "lab_doc_alpha", "lab_doc_gamma", "lab_doc_eta"
"""The sliders."""


def both(turn: TokenTurn, settings: DocumentSettings, moved: str) -> Markup:
    """Draw the collapsed rule of the choice that was taken, and that of a new topic."""
    terms = turn.terms
    new = len(terms.topics)
    taken = terms.topics.index(turn.after) if turn.after in terms.topics else new
    name = "a new topic" if taken == new else f"topic {terms.topics[taken] + 1}"
    drawn = [_collapsed(turn, settings, taken, name, moved)]
    if taken != new:
        drawn.append(_collapsed(turn, settings, new, "a new topic", moved))
    return joined(drawn)


def _collapsed(
    turn: TokenTurn, settings: DocumentSettings, i: int, name: str, moved: str
) -> Markup:
    terms = turn.terms
    eta, new = Term("η", f"{settings.eta:g}", (ETA,)), i == len(terms.topics)
    k = "new" if new else "k"
    parts: list[Part] = [f"p({name}) ∝ ("]
    if not new:
        parts += [Term("n_dk", str(terms.n_dk[i])), "+"]
    parts += [
        Term("α", f"{settings.alpha:g}", (ALPHA,)),
        "×",
        Term(f"π_{k}", f"{terms.pi[i]:.3f}", (GAMMA,)),
        ") ×",
        Fraction(
            [eta] if new else [Term("n_kw", str(terms.n_kw[i])), "+", eta],
            [Term("V", str(len(VOCAB))), "×", eta]
            if new
            else [Term("n_k", str(terms.n_k[i])), "+", Term("V", str(len(VOCAB))), "×", eta],
        ),
    ]
    product = terms.document_term[i] * terms.word_term[i]
    result = (
        f"= {terms.document_term[i]:.3f} × {terms.word_term[i]:.4f} = {small(product)}, "
        f"{percent(float(terms.probability[i]), 1)} of all"
    )
    return formula(parts, result, moved)


def difference(turn: TokenTurn, settings: DocumentSettings) -> str:
    """In words, what mean field does otherwise with the word at hand."""
    terms, word = turn.terms, VOCAB[TOKENS[turn.token]]
    ours, theirs = float(terms.probability[-1]), float(terms.mean_field[-1])
    nothing = f"exp ψ(η) = {small(exp_psi(settings.eta))} stands for η = {settings.eta:g}"
    if terms.n_kw.any():
        said = f"A topic has “{word}” already, and where one lacks it {nothing}"
    else:
        said = f"No topic has “{word}” yet: {nothing} in every row, and tells nothing"
    said += (
        f". A new topic gets **{percent(theirs, 1)}** by mean field, **{percent(ours, 1)}** "
        "collapsed."
    )
    if theirs > ours:
        said += " Here it is mean field that would open one sooner."
    return f"**Mean field averages logarithms**, which fall without end towards 0. {said}"


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


def mean_field(case: Case, copies: int, odds: float, moved: str = "") -> Markup:
    """Draw equation 5: digammas, all of them times the copies."""
    digammas, _ = terms(case, copies)
    first, all_first, second, all_second = (
        Term(f"ψ({symbol})", _number(x), by)
        for (symbol, by), x in zip(PARTS, digammas, strict=True)
    )
    parts: list[Part] = [Term("w", str(copies), (KEYS["copies"],)), "× { ["]
    parts += [first, "−", all_first, "] − [", second, "−", all_second, "] }"]
    return formula(parts, f"= {signed(odds)}", moved)


def collapsed(case: Case, copies: int, odds: float, moved: str = "") -> Markup:
    """Draw equation 6: logarithms of an urn, which knows what was drawn before."""
    _, urn = terms(case, copies)
    first, all_first, second, all_second = (
        Term(f"Σ ln({symbol} + j)", _number(x), (*by, KEYS["copies"]))
        for (symbol, by), x in zip(PARTS, urn, strict=True)
    )
    parts: list[Part] = ["[", first, "−", all_first, "] − [", second, "−", all_second, "]"]
    last = "0" if copies == 1 else f"0, …, {copies - 1}"
    return formula(parts, f"= {signed(odds)}, j = {last}", moved)


RULES: dict[str, Callable[[Case, int, float, str], Markup]] = {
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
