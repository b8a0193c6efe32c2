"""Canaries: what style sheets, scripts and browser tests call Streamlit's elements, it still does.

Whether these stand where they are looked for only the tests in a browser can tell.
"""

import re
from functools import cache
from pathlib import Path

import pytest
import streamlit as st

ROOT = Path(__file__).resolve().parents[3]
FILES = [
    path
    for folder in ("bnpexplorer/ui/seam", "tests/browser", "benchmarks")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".css", ".js", ".py")
]
NAME = re.compile(r"\b(?:st[A-Z]\w+|data-[a-z]+(?:-[a-z]+)*)\b|\bst-key-")


def used():
    """Name -> the files in which it stands."""
    found = {}
    for path in FILES:
        for name in NAME.findall(path.read_text("utf-8")):
            found.setdefault(name, set()).add(str(path.relative_to(ROOT)))
    return found


@cache
def names_in_streamlit():
    """All such names in what a browser is sent by Streamlit."""
    files = (Path(st.__file__).parent / "static").rglob("*.js")
    return {name for path in files for name in NAME.findall(path.read_text("utf-8"))}


USED = used()


@pytest.mark.second
@pytest.mark.parametrize("name", sorted(USED))
def test_streamlit_still_calls_it_so(name):
    there = name in names_in_streamlit()
    assert there, f"Streamlit {st.__version__} has no {name}, used in {', '.join(USED[name])}."


@pytest.mark.second
def test_the_search_finds_what_is_used_and_misses_what_is_not():
    assert {"stMainBlockContainer", "stPopoverBody", "data-testid", "st-key-"} <= set(USED)
    assert "stNoSuchElement" not in names_in_streamlit()
