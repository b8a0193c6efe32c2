"""Style sheets and scripts for a browser, in files beside the Python that serves them."""

import re
from functools import cache
from pathlib import Path


@cache
def text_beside(python: str, name: str) -> str:
    """The text of the file `name` in the folder of a module, given by its `__file__`."""
    return Path(python).with_name(name).read_text("utf-8")


@cache
def style_beside(python: str, name: str) -> str:
    """A style sheet as an element of HTML."""
    return style(rules_beside(python, name))


def rules_beside(python: str, name: str) -> str:
    """A style sheet in one line; without comments, since a page may send it each tick."""
    plain = re.sub(r"/\*.*?\*/", "", text_beside(python, name), flags=re.DOTALL)
    return " ".join(plain.split())


def style(rules: str) -> str:
    """Rules as an element of HTML."""
    return f"<style>{rules}</style>"
