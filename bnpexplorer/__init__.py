"""bnpexplorer: see Bayesian nonparametric inference happen.

>>> from bnpexplorer import Plan, load, recommend
>>> corpus = load("sample_data/small.csv")
>>> recommend(corpus).method.name
'hdp-gibbs'
>>> run = Plan.of("hdp-tsvi", values={"eta": 0.1}, passes=2).split_and_start(corpus)
>>> while not run.done:
...     run.step()
>>> moment = run.moment()
>>> len(moment.top_words(moment.in_use[0], 8))
8
"""

from . import toy
from .core.front import Front, reach_by
from .corpus import Corpus, CorpusError
from .evaluate import score, split_heldout
from .intake.door import load
from .methods import METHODS, make_method
from .models import MODELS
from .runs.plan import Plan
from .runs.recommend import recommend
from .runs.run import Run


def _notebooks() -> Front:
    """The room that shows values in notebooks; imported when the first one is shown."""
    from . import notebooks

    return notebooks


reach_by(_notebooks)

__all__ = [
    "METHODS",
    "MODELS",
    "Corpus",
    "CorpusError",
    "Plan",
    "Run",
    "load",
    "make_method",
    "recommend",
    "score",
    "split_heldout",
    "toy",
]
