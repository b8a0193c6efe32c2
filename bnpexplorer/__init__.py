"""bnpexplorer: see Bayesian nonparametric inference happen.

>>> from bnpexplorer import Run, METHODS, MODELS, load
>>> corpus = load("sample_data/small.csv")
>>> run = Run(METHODS["hdp-tsvi"](MODELS["hdp"](gamma=1, alpha=1, eta=0.01)), corpus, seed=0)
>>> while not run.done:
...     run.step()
>>> run.snapshot().topics
"""

from .corpus import Corpus, CorpusError, load
from .evaluate import score, split_heldout
from .lab import toy
from .methods import METHODS, make_method
from .models import MODELS
from .runs.run import Run

__all__ = [
    "METHODS",
    "MODELS",
    "Corpus",
    "CorpusError",
    "Run",
    "load",
    "make_method",
    "score",
    "split_heldout",
    "toy",
]
