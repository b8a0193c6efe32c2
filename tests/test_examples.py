"""The examples in docstrings of the package are true."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in (ROOT / "bnpexplorer").rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8") and path.parent.name != "interchange"
)
"""Examples with other programs: `plugins/interchange/test_examples.py`, where these are there."""


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert tried
    assert not failed


def test_the_public_interface_has_examples():
    named = {"bnpexplorer", "bnpexplorer.runs.plan", "bnpexplorer.runs.recommend"}
    named |= {"bnpexplorer.methods", "bnpexplorer.corpus.corpus", "bnpexplorer.evaluate.coherence"}
    assert named <= set(MODULES)
