"""Choices weighed two ways, by the collapsed update and by mean field; plain functions, escaped.

The table of the Lab's toy and of every birth: what a person has seen of two components there, they
find again in a run on their own texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from ...core.beside import style_beside
from ...explore.why import Weighed, power
from ...plots.style import percent

CSS = style_beside(__file__, "weighed.css")
HEADS = (
    "prior weight",
    "likelihood, collapsed",
    "likelihood, mean field",
    "probability, collapsed",
    "by mean field",
)


@dataclass(frozen=True)
class Choice:
    """How a row of the table begins."""

    name: str
    about: str
    """Words beside the name; may be empty."""
    paint: str
    """Its colour, as CSS paints it."""
    taken: bool = False


def table(choices: Sequence[Choice], weighed: Weighed) -> str:
    """One row a choice, in the order of `weighed`; without mean field where nobody told it."""
    told = len(weighed.log_meanfield) > 0
    heads = [head for head in HEADS if told or "mean field" not in head]
    collapsed = weighed.probability(mean_field=False)
    mean = weighed.probability(mean_field=True) if told else None
    rows = []
    for i, choice in enumerate(choices):
        numbers = [power(float(weighed.log_prior[i])), power(float(weighed.log_collapsed[i]))]
        bars = [_bar(float(collapsed[i]), choice.paint)]
        if mean is not None:
            numbers.append(power(float(weighed.log_meanfield[i])))
            bars.append(_bar(float(mean[i]), choice.paint))
        cells = [
            f'<td data-head="{escape(head, quote=True)}">{cell}</td>'
            for head, cell in zip(heads, [*map(escape, numbers), *bars], strict=True)
        ]
        taken = ' class="taken"' if choice.taken else ""
        rows.append(f"<tr{taken}>{_name(choice)}{''.join(cells)}</tr>")
    head = "".join(f'<th scope="col">{escape(h)}</th>' for h in ("choice", *heads))
    return (
        '<div class="bnp-weighed" tabindex="0" role="region" aria-label="what was weighed">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _name(choice: Choice) -> str:
    mark = " ← taken" if choice.taken else ""
    about = f"<small>{escape(choice.about)}</small>" if choice.about else ""
    return (
        f'<th scope="row"><i style="background:{choice.paint}"></i>'
        f"<span>{escape(choice.name)}{mark}{about}</span></th>"
    )


def _bar(share: float, paint: str) -> str:
    """A probability as a bar and as a number."""
    return f'<i style="--share:{share:.4f};background:{paint}"></i>{percent(share, 1)}'
