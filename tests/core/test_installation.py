"""Requirements: which version is too old or too new, and which requirement comes first."""

import importlib.metadata

import pytest

from bnpexplorer.core import installation
from bnpexplorer.core.installation import Requirement


@pytest.mark.parametrize(
    ("bounds", "found", "is_old", "is_new"),
    [
        (">=2.2,<2.9", "2.1.9", True, False),
        (">=2.2,<2.9", "2.2", False, False),
        (">=2.2,<2.9", "2.2.0", False, False),
        (">=2.2,<2.9", "2.10.1", False, True),
        (">=2.2,<2.9", "2.8.77", False, False),
        (">=2.2,<2.9", "2.9rc1", False, True),
        ("<2.9,>=2.2", "2.9", False, True),
        ("<2.9, >= 2.2", "2.1", True, False),
        (">=3.0", "3", False, False),
        ("<3.0", "3", False, True),
        ("<3", "3.0.0", False, True),
        ("<=3", "3", False, False),
        ("<=3", "4", False, False),
        ("", "0.1", False, False),
        (">=2.2,<2.9", "", False, False),
    ],
)
def test_a_version_is_compared_with_both_bounds_number_by_number(
    monkeypatch, bounds, found, is_old, is_new
):
    def version(name):
        assert name == "some-package"
        if not found:
            raise importlib.metadata.PackageNotFoundError(name)
        return found

    monkeypatch.setattr(importlib.metadata, "version", version)
    one = Requirement("some-package", bounds)
    assert (one.found, one.is_old, one.is_new) == (found, is_old, is_new)
    assert str(one) == f"some-package{bounds}"


def test_requirements_of_extras_come_last_in_the_order_of_the_package(monkeypatch):
    lines = [
        "zeta>=1.5; extra == 'speed'",
        "streamlit >=1.67,<1.68",
        'alpha[all]; extra == "tests"',
        "numpy>=2.2  # for arrays",
    ]
    monkeypatch.setattr(importlib.metadata, "requires", lambda name: lines)
    monkeypatch.setattr(installation, "TOP", installation.CARRIED)
    assert installation.requirements() == (
        Requirement("streamlit", ">=1.67,<1.68", ""),
        Requirement("numpy", ">=2.2", ""),
        Requirement("zeta", ">=1.5", "speed"),
        Requirement("alpha", "[all]", "tests"),
    )
