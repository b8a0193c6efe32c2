"""bnpexplorer: see Bayesian nonparametric inference happen.

>>> from bnpexplorer import Plan, load
>>> corpus = load("sample_data/small.csv")
>>> run = Plan.of("hdp-tsvi", values={"eta": 0.1}, seed=0).split_and_start(corpus)
>>> while not run.done:
...     run.step()
>>> run.snapshot().topics
"""

from . import toy
from .corpus import Corpus, CorpusError, load
from .evaluate import score, split_heldout
from .methods import METHODS, make_method
from .models import MODELS
from .runs.plan import Plan
from .runs.run import Run

__all__ = [
    "METHODS",
    "MODELS",
    "Corpus",
    "CorpusError",
    "Plan",
    "Run",
    "load",
    "make_method",
    "score",
    "split_heldout",
    "toy",
]
