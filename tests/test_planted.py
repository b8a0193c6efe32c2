"""The planted mistakes fit today's sources, and each has been seen to fail."""

from collections import Counter

import pytest

from bnpexplorer.methods import METHODS
from tests.planted.__main__ import MARK, README, ROOT, mistakes, planted

MISTAKES = mistakes()


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: f"{m['method']}: {m['about']}")
def test_can_be_planted(mistake):
    source = (ROOT / mistake["file"]).read_text(encoding="utf-8")
    wrong = planted(source, mistake)
    assert wrong != source
    compile(wrong, mistake["file"], "exec")
    for path in mistake["tests"].split():
        assert (ROOT / path).exists(), path


def test_at_least_three_a_method():
    counts = Counter(m["method"] for m in MISTAKES)
    assert {name: counts[name] for name in METHODS if counts[name] < 3} == {}


def test_each_was_caught():
    table = README.read_text(encoding="utf-8").partition(MARK)[2]
    for mistake in MISTAKES:
        row = f"| `{mistake['method']}` | {mistake['about']} | `test_"
        assert row in table, row
