"""HTML: templates in which everything that is put in is escaped.

Templates lie beside the Python that fills them, in files of macros (Jinja), one macro a piece of a
page: `render("export/pieces.html", "bar", width="2.00", ink=ink)`. What comes back is `Markup`, a
string that is HTML already: another template puts it in as it stands, and escapes any other string.
A piece of one line needs no file: `Markup("<b>{}</b>").format(name)` escapes the name.

Open it when a page, a report or a notebook is to show something new.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["Markup", "as_is", "joined", "render", "with_elements"]

NOTHING = Markup()
PACKAGE = Path(__file__).resolve().parents[1]
LINE_BREAK = re.compile(r"(?<=[>}])\s*\n\s*|\s*\n\s*(?=[<{])")
"""A line break beside a tag or a brace: it is for the reader of the template and draws nothing."""


def render(template: str, macro: str, **values: Any) -> Markup:
    """Return the piece of HTML that `macro` of a file draws of `values`.

    `template` is the file's path in the package. Raises UndefinedError if the macro asks for a
    value that is not given, TypeError if it is given one that it does not ask for.
    """
    draw = _macros(template)[macro]
    try:
        piece: Markup = draw(**values)
    except Exception:
        environment().handle_exception()  # raises it anew, with the lines of the template
    return piece


def joined(pieces: Iterable[str], between: Markup = NOTHING) -> Markup:
    """Return the pieces as one, `between` them whatever is given; text among them is escaped."""
    return between.join(pieces)


def with_elements(text: str, *rules: tuple[str, str]) -> Markup:
    """Return text as HTML in which each pattern (a regular expression) has become elements.

    The text is escaped first, so that only the replacements bring elements in.
    """
    found = str(escape(text))
    for pattern, elements in rules:
        found = re.sub(pattern, elements, found)
    return Markup(found)


def as_is(ours: str) -> Markup:
    """Return a style sheet, a script or an address of our own as HTML: nothing is escaped in it."""
    return Markup(ours)


@cache
def _macros(template: str) -> dict[str, Any]:
    """Return the macros of a file by their names; it is read and compiled once."""
    return vars(environment().get_template(template).module)


@cache
def environment() -> "Environment":
    """Return the one environment of all templates: it escapes, and refuses missing values."""
    # jinja2 takes 20 ms to import, which most commands do without.
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    return Environment(
        autoescape=True,
        undefined=StrictUndefined,
        loader=FunctionLoader(_source),
        auto_reload=False,
    )


def _source(template: str) -> tuple[str, str, None]:
    """Return the text of a file for Jinja, line breaks in comments: lines keep their numbers."""
    path = PACKAGE / template
    return LINE_BREAK.sub(r"{#\g<0>#}", path.read_text("utf-8")), str(path), None
