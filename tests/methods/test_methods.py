"""What every registered method must pass: the checks of the package, and that none is left out."""

import importlib
import pkgutil

import pytest

import bnpexplorer.methods as methods_package
from bnpexplorer.checks import CHECKS, checks_of
from bnpexplorer.checks.declaring import compiles_every_kernel_once
from bnpexplorer.methods import METHODS
from bnpexplorer.methods.base import Inference
from bnpexplorer.methods.making import model_class
from bnpexplorer.models import MODELS

AT_ONCE = "compiles_every_kernel_once"
"""The check that needs a process of its own: tried once for all methods."""


def test_registry_is_complete():
    everywhere = pkgutil.walk_packages(methods_package.__path__, "bnpexplorer.methods.")
    files = [importlib.import_module(module.name) for module in everywhere]
    classes = {cls for file in files for cls in vars(file).values() if isinstance(cls, type)}
    named = {cls for cls in classes if issubclass(cls, Inference) and "name" in vars(cls)}
    assert named == {METHODS[name] for name in METHODS.ours}


def test_the_form_knows_which_method_of_a_model_comes_first():
    first = [model_class(METHODS[n]).name for n in METHODS.ours if METHODS[n].offered_first]
    assert sorted(first) == sorted(MODELS)


@pytest.mark.parametrize(
    ("check", "name"), [(c, n) for n in METHODS for c in checks_of(n) if c != AT_ONCE]
)
def test_check(check, name):
    CHECKS[check].run(name)


@pytest.mark.second
def test_every_kernel_has_one_signature():
    compiles_every_kernel_once(*METHODS)


def test_every_check_concerns_some_method():
    assert {check for name in METHODS for check in checks_of(name)} == set(CHECKS)
