"""The rules that assign a word, with the numbers of the moment, and how they differ."""

from ...lab.document import TOKENS, VOCAB, Settings, Turn
from ...lab.shrinking import exp_psi
from ...plots.style import percent
from .formula import Fraction, Part, Term, formula, small

ALPHA, GAMMA, ETA = "lab_doc_alpha", "lab_doc_gamma", "lab_doc_eta"
"""The sliders."""


def both(turn: Turn, settings: Settings, moved: str) -> str:
    """The collapsed rule of the choice that was taken, and that of a new topic."""
    terms = turn.terms
    new = len(terms.topics)
    taken = terms.topics.index(turn.after) if turn.after in terms.topics else new
    name = "a new topic" if taken == new else f"topic {terms.topics[taken] + 1}"
    drawn = [_collapsed(turn, settings, taken, name, moved)]
    if taken != new:
        drawn.append(_collapsed(turn, settings, new, "a new topic", moved))
    return "".join(drawn)


def _collapsed(turn: Turn, settings: Settings, i: int, name: str, moved: str) -> str:
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


def difference(turn: Turn, settings: Settings) -> str:
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
