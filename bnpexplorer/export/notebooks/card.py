"""The frame in which everything stands in a notebook: the report's style, kept to itself."""

from ...core.display import style, style_beside, text_beside
from ...core.html import Markup, render
from ..pieces import DRAWING_RULES

STYLE = (
    style_beside(__file__, "card.css")
    + style(f".bnpexplorer{{{DRAWING_RULES}}}")
    + style_beside(__file__, "themes.css")
)
"""Rules of drawings stand inside `.bnpexplorer`: they change nothing else of the notebook."""


def card(title: str, *parts: Markup) -> Markup:
    """Return parts below a title, which is plain text."""
    return render("export/notebooks/values.html", "card", style=STYLE, title=title, parts=parts)


def quiet(words: str) -> Markup:
    """Return a paragraph of plain text."""
    return Markup('<p class="quiet">{}</p>').format(words)


def script() -> str:
    """The part of live figures that runs in the browser."""
    return text_beside(__file__, "live.js")
