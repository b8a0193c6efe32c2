"""A demonstration of the Lab as one HTML file that needs no server: every position of one slider is
computed beforehand, and what the page shows is the figures of that position.

plotly.js is inside the file (4.9 MB), which fetches nothing.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from ...core.display import style_beside, text_beside
from ...core.html import Markup, as_is, render, with_elements
from ...lab import restaurant
from ...lab.sticks import break_sticks, expected_sticks, order_of_appearance
from ...lab.toy import Case, collapsed_log_odds, favoured, mean_field_log_odds, probability
from ...plots.lab import Growth, beside_expected, growth_figure, strips_figure
from ...plots.style import percent
from ...plots.toy import odds_figure, shared_range
from . import pictures
from .formula import COLLAPSED, MEAN_FIELD, RULES, SYMBOLS
from .restaurant_pictures import room, rules
from .update_words import signed

STYLE = style_beside(__file__, "demonstration.css")
SCRIPT = text_beside(__file__, "demonstration.js")
draw = partial(render, "ui/lab/demonstration.html")
MOST_COPIES, SEEDS, CUSTOMERS, MANY = 10, 20, 100, 400
WALK = 0.5
"""Seconds that a customer walks to a table."""
SIZE = 15
"""Of letters, in pixels."""
SLOTS = {MEAN_FIELD: 1, COLLAPSED: 0}
"""Of the palette."""


@dataclass(frozen=True)
class Position:
    """What the page shows at one position of its slider."""

    name: str
    figures: Sequence[tuple[str, go.Figure]]
    """Each with its title."""
    said: str
    """What there is to see, in a sentence; ** makes words bold."""
    pictures: Markup = Markup()
    """What is drawn beside the figures."""


def html(
    title: str,
    question: str,
    what: str,
    settings: str,
    positions: Sequence[Position],
    first: int = 0,
    figures_first: bool = False,
) -> Markup:
    """Return the file. `what` the slider moves; the page opens at the position `first`."""
    shown = [
        {
            "name": position.name,
            "figures": [
                {"title": name, "figure": json.loads(str(figure.to_json()))}
                for name, figure in position.figures
            ],
            "said": bold(position.said),
            "pictures": position.pictures,
        }
        for position in positions
    ]
    return draw(
        "page",
        title=title,
        question=bold(question),
        what=what,
        settings=settings,
        last=len(shown) - 1,
        first=first,
        figures_first=figures_first,
        style=STYLE + pictures.CSS,
        plotly=as_is(get_plotlyjs()),
        positions=as_is(json.dumps(shown, separators=(",", ":")).replace("</", "<\\/")),
        script=as_is(SCRIPT),
    )


def bold(words: str) -> Markup:
    """Return words as HTML, bold between two asterisks."""
    return with_elements(words, (r"\*\*(.+?)\*\*", r"<strong>\1</strong>"))


def toy(case: Case) -> Markup:
    """Return the file of one word and two components, by its copies in the document."""
    counts = np.arange(1, MOST_COPIES + 1)
    odds = {
        MEAN_FIELD: mean_field_log_odds(counts[:, None], case.lam1, case.lam2),
        COLLAPSED: collapsed_log_odds(counts[:, None], case.lam1, case.lam2),
    }

    def at(n: int) -> Position:
        figures = [
            (
                name,
                odds_figure(
                    counts,
                    x,
                    favoured(x),
                    n,
                    shared_range(x),
                    name.lower(),
                    SLOTS[name],
                    False,
                    size=SIZE,
                ),
            )
            for name, x in odds.items()
        ]
        said = "; ".join(f"{name.lower()} {_chosen(float(x[n - 1]))}" for name, x in odds.items())
        formulas = [
            (name, rule(case, n, float(odds[name][n - 1]), "")) for name, rule in RULES.items()
        ]
        rules = draw("rules", formulas=formulas, symbols=SYMBOLS)
        return Position(f"{n}", figures, f"With {n} of word 1: {said}.", rules)

    return html(
        "Mean field or collapsed",
        "A document holds one word, a few times over, and two components claim it. **Which of them "
        "gets the document, and does the way of computing decide?**",
        "Copies of word 1:",
        f"{case.n_words} words; component 1: {case.word:g} for word 1 and {case.rest:g} for every "
        f"other; component 2: {case.common:g} for all. The two vertical axes differ.",
        [at(n) for n in counts.tolist()],
        first=4,
        figures_first=True,
    )


def _chosen(odds: float) -> str:
    """Which component has the document."""
    winner = int(favoured(odds))
    if winner == 0:
        return "is even"
    share = all_but(float(probability(-abs(odds))))
    return f"chooses **component {winner}** (log odds {signed(odds)}, {share})"


def all_but(left: float) -> str:
    """What is not left of a whole, in words: never rounded up to all of it."""
    return "over 99.99\u00a0%" if left < 1e-4 else percent(1.0 - left, 1)


def sticks(concentration: float, n: int) -> Markup:
    """Return the file of broken sticks in both orders, by the seed of the draw."""
    expected = expected_sticks(n, concentration)

    def at(seed: int) -> Position:
        broken = break_sticks(max(MANY, round(20 * concentration)), concentration, seed)
        order = order_of_appearance(broken.weights, seed)[:n]
        strips = [
            ("as broken", broken.weights[:n], range(n)),
            ("by appearance", broken.weights[order], order.tolist()),
            ("expected", expected.weights, None),
        ]
        drawn = [
            ("In the order of breaking", list(range(n))),
            ("In the order of appearance", order.tolist()),
        ]
        figures = [("Three sticks of length 1", strips_figure(strips, False, SIZE))]
        figures += [
            (
                title,
                beside_expected(broken.weights[ids], expected.weights, ids, "place", False, SIZE),
            )
            for title, ids in drawn
        ]
        held = all_but(1.0 - float(broken.weights[:n].sum()))
        said = f"The first {n} sticks hold {held} in this draw, and "
        return Position(
            f"{seed}", figures, f"{said}{all_but(expected.left)} on average (diamonds)."
        )

    return html(
        "Stick-breaking",
        "Break a piece off a stick of length 1, then off what is left, and so on. **How fast do "
        "the pieces shrink, and in which order would a reader meet the topics?**",
        "Draw:",
        f"Concentration {concentration:g}.",
        [at(seed) for seed in range(SEEDS)],
    )


def tables(alpha: float, seed: int) -> Markup:
    """Return the file of the restaurant, by its customers."""
    seats = restaurant.seat(CUSTOMERS, alpha, seed)
    opened = np.append(0, np.maximum.accumulate(seats) + 1)
    expected = restaurant.expected_tables(CUSTOMERS, alpha)
    low, high = restaurant.spread_of_tables(CUSTOMERS, alpha)
    top = 1.1 * max(float(high[-1]), float(opened[-1]), 2.0)

    def at(n: int) -> Position:
        line = Growth("tables", 0, opened[: n + 1], expected, low, high)
        sizes = np.bincount(seats[:n]).tolist() if n else []
        figures = [("Number of tables", growth_figure([line], top, False, SIZE))]
        new = float(restaurant.choices(sizes, alpha)[-1])
        said = (
            f"Tables: **{len(sizes)}**, expected {expected[n]:.1f}; customers at each: "
            f"{_listed(sizes)}. The next customer opens a new one with {100 * new:.1f} %."
        )
        drawn = room(sizes, int(seats[n - 1]) if n else -1, False, WALK)
        return Position(f"{n}", figures, said, drawn + rules(sizes, alpha))

    return html(
        "Restaurant",
        "Customers sit down at a table in proportion to how many sit there, or open a new one. "
        "**How many tables will there be, and how unequal?** Solid: this draw. Dashed: expected. "
        "Shaded: where 90 % of all draws lie.",
        "Customers:",
        f"Concentration {alpha:g}, seed {seed}.",
        [at(n) for n in range(CUSTOMERS + 1)],
    )


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers)) or "none"
