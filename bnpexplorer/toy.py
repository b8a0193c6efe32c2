"""The toy example of Wang & Blei 2012 under the name that its users know; see `lab/toy.py`."""

from .lab.toy import (
    CASES,
    TIE,
    Case,
    collapsed_log_odds,
    favoured,
    mean_field_log_odds,
    probability,
    word_probabilities,
)

__all__ = [
    "CASES",
    "TIE",
    "Case",
    "collapsed_log_odds",
    "favoured",
    "mean_field_log_odds",
    "probability",
    "word_probabilities",
]
