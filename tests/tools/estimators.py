"""The estimators for scikit-learn, with every method that each may have."""

from typing import Any

from bnpexplorer.methods import METHODS
from bnpexplorer.sklearn import HDP, LDA, DPMixture
from bnpexplorer.sklearn.given import methods_of, reads_streams

KINDS = (LDA, HDP, DPMixture)
EVERY = [(kind, name) for kind in KINDS for name in methods_of(kind._model)]
STREAMS = [(kind, name) for kind, name in EVERY if reads_streams(METHODS[name])]


def called(value: Any) -> str:
    """A class or a method's name, as tests are told apart."""
    return getattr(value, "__name__", str(value))
