"""The table of methods: every place is right, and a class is imported when it is asked for."""

import subprocess
import sys

import pytest

from bnpexplorer.methods import METHODS


def test_every_method_stands_under_its_own_name():
    assert {name: METHODS[name].name for name in METHODS.ours} == {
        name: name for name in METHODS.ours
    }
    assert list(METHODS)[: len(METHODS.ours)] == list(METHODS.ours)


@pytest.mark.second
def test_a_method_imports_no_other():
    """A change of one method concerns that method alone; names cost nothing."""
    asked = (
        "import sys; from bnpexplorer.methods import METHODS;"
        "assert 'hdp-catvi' in METHODS and 'nope' not in METHODS;"
        "assert 'bnpexplorer.methods.base' not in sys.modules;"
        "import bnpexplorer.methods.base;"  # what all of them share
        "before = {m for m in sys.modules if '.methods.' in m};"
        "METHODS['lda-svi'];"
        "print(*({m for m in sys.modules if '.methods.' in m} - before))"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["bnpexplorer.methods.lda_svi"]


def test_a_name_that_is_none_is_a_key_error():
    with pytest.raises(KeyError):
        METHODS["nope"]
