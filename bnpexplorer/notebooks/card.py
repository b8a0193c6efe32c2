"""The frame in which everything stands in a notebook: the report's style, kept to itself."""

from html import escape

from ..core.display import style, style_beside, text_beside
from ..export.pieces import DRAWING_RULES

STYLE = (
    style_beside(__file__, "card.css")
    + style(f".bnpexplorer{{{DRAWING_RULES}}}")
    + style_beside(__file__, "themes.css")
)
"""Rules of drawings stand inside `.bnpexplorer`: they change nothing else of the notebook."""


def card(title: str, *parts: str) -> str:
    """`title` is plain text; `parts` are HTML."""
    return f'<div class="bnpexplorer">{STYLE}<h2>{escape(title)}</h2>{"".join(parts)}</div>'


def quiet(words: str) -> str:
    """A paragraph of plain text."""
    return f'<p class="quiet">{escape(words)}</p>'


def script() -> str:
    """The part of live figures that runs in the browser."""
    return text_beside(__file__, "live.js")
