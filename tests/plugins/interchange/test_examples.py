"""Every example that stands in this room does what it says."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import bnpexplorer.plugins.interchange as room
from bnpexplorer import interchange
from tests.tools.neighbours import neighbour

ROOT = Path(__file__).resolve().parents[3]
NEEDS = {"spacy": "spacy", "tomotopy": "tomotopy"}
"""Module -> the package that its examples import."""
MODULES = [
    room.__name__,
    *(m.name for m in pkgutil.iter_modules(room.__path__, room.__name__ + ".")),
]
WITHOUT = {"arviz", "bags", "downloads", "interchange", "mallet", "results", "topicwizard"}
"""Modules in which no example stands."""


@pytest.mark.parametrize("name", MODULES)
def test_examples(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    last = name.rsplit(".", 1)[1]
    if last in NEEDS:
        neighbour(NEEDS[last])
    ran = doctest.testmod(importlib.import_module(name))
    assert ran.failed == 0
    assert (ran.attempted > 0) == (last not in WITHOUT)


def test_the_table_of_forms_names_all_functions():
    assert {name for name in room.__all__ if f"`{name}`" not in interchange.__doc__} <= {
        "bags_of",
        "mallet_file",
        "pyldavis_file",
    }
    said = {
        word
        for word in interchange.__doc__.split("`")
        if word.startswith(("to_", "from_", "write_"))
    }
    assert said <= set(room.__all__)
