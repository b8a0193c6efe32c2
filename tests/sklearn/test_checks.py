"""scikit-learn's own checks, all of them and none let off."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from tests.tools.estimators import EVERY, KINDS, called

ROOT = Path(__file__).resolve().parents[2]

WITH_ARRAY_API = """
from sklearn.utils.estimator_checks import check_estimator
from bnpexplorer.sklearn import HDP, LDA, DPMixture
for kind in (LDA, HDP, DPMixture):
    found = check_estimator(kind(max_iter=1), on_skip=None)
    print(kind.__name__, {one["status"] for one in found}, len(found) > 40)
"""


@pytest.mark.second
@parametrize_with_checks([kind(max_iter=5) for kind in KINDS])
def test_as_it_is_made(estimator, check):
    check(estimator)


@pytest.mark.second
@pytest.mark.parametrize(("kind", "name"), EVERY, ids=called)
def test_every_method(kind, name):
    """Two passes: what is asked is that every data set is survived, not what is learned of it."""
    check_estimator(kind(method=name, max_iter=2), on_skip=None)


@pytest.mark.second
def test_none_is_skipped():
    """One check is skipped unless SciPy was told of other arrays before it is imported."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", WITH_ARRAY_API],
        cwd=ROOT,
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:3] == [f"{kind.__name__} {{'passed'}} True" for kind in KINDS]


@pytest.mark.parametrize("kind", KINDS)
def test_its_tags_excuse_nothing(kind):
    tags = kind().__sklearn_tags__()
    excuses = tags._skip_test, tags.non_deterministic, tags.no_validation, tags.input_tags.allow_nan
    assert not any(excuses)
    assert tags.requires_fit
    assert tags.input_tags.positive_only
    assert tags.input_tags.sparse
