"""Quantiles of the normal and of Student's t distribution: the very numbers of `scipy.stats`, whose
import takes 0.6 to 1 s, which the first page of a server would wait for.
"""

from typing import Any

import numpy as np
from scipy.special import ndtri, stdtrit

from ..core.arrays import F64


def normal_above(tail: float) -> float:
    """What a standard normal number is above with this probability: `norm.isf`."""
    return -float(ndtri(tail))


def student_above(tail: float, freedom: Any) -> F64:
    """The same of Student's t; `freedom`: degrees of freedom, of any shape: `t.isf`."""
    return np.asarray(-stdtrit(freedom, tail))


def student_below(share: float, freedom: Any) -> F64:
    """What Student's t is below with this probability: `t.ppf`."""
    return np.asarray(stdtrit(freedom, share))
