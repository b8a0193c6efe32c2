"""Docstrings of the package, which are plain text with `code` in backticks, as reStructuredText."""

import re

from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", _translate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _translate(app, what, name, obj, options, lines: list[str]) -> None:
    lines[:] = as_rst("\n".join(lines)).splitlines()


def as_rst(text: str) -> str:
    """Paragraphs stay; what is indented or an example of Python stays as it is written."""
    return "\n\n".join(_block(block) for block in re.split(r"\n\s*\n", text.strip("\n"))) + "\n"


def _block(block: str) -> str:
    lines = block.splitlines()
    if lines and lines[0].startswith(">>>"):
        return block
    if lines and all(line.startswith("    ") for line in lines):
        if lines[0].lstrip().startswith(">>>"):
            return "\n".join(line[4:] for line in lines)
        return "::\n\n" + block
    if lines and lines[0].startswith("- "):
        return "\n".join(_escaped(line) for line in lines)
    return " ".join(_escaped(line.strip()) for line in lines)


def _escaped(line: str) -> str:
    """`code` becomes literal; what else would mean something to reStructuredText does not."""
    parts = re.split(r"(`[^`]+`)", line)
    return "".join(
        f"``{part[1:-1].strip()}``\\ " if i % 2 else re.sub(r"([*_|\\])", r"\\\1", part)
        for i, part in enumerate(parts)
    ).replace("\\ " + " ", " ")
