"""Formulas as MathML, which browsers draw by themselves: no script and no font has to be loaded.

docutils translates TeX; what it does not know is an error of the build.
"""

import re

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
BIGGER = re.compile(r"\\[bB]igg?(?![a-z])")
"""Of brackets: they grow by themselves in MathML."""


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    app.connect(
        "config-inited", lambda app, config: setattr(config, "html_math_renderer", "mathml")
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(translator, node: nodes.math) -> None:
    translator.body.append(_translated(node, as_block=False))
    raise nodes.SkipNode


def _display(translator, node: nodes.math_block) -> None:
    formula = _translated(node, as_block=True)
    # Whoever has no mouse moves to a wide one by Tab, and through it by arrows.
    translator.body.append(f'<div class="formula" tabindex="0">{formula}</div>\n')
    raise nodes.SkipNode


def _translated(node: nodes.Element, as_block: bool) -> str:
    text = BIGGER.sub("", node.astext()).strip()
    if as_block and ("\\\\" in text or "&" in text) and "\\begin" not in text:
        text = f"\\begin{{align*}}{text}\\end{{align*}}"
    try:
        return tex2mathml(text, as_block=as_block)
    except MathError as error:
        LOGGER.warning("formula %r: %s", text, error, location=node)
        return text
