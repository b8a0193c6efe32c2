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

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .core.display import Front, reach_by

if TYPE_CHECKING:
    from . import toy
    from .corpus import Corpus, CorpusError
    from .corpus.intake.api import load
    from .evaluate import score, split_heldout
    from .methods import METHODS, make_method
    from .models import MODELS
    from .runs.plan import Plan
    from .runs.recommend import recommend
    from .runs.run import Run

_PLACES = {
    "METHODS": ".methods",
    "MODELS": ".models",
    "Corpus": ".corpus",
    "CorpusError": ".corpus",
    "Plan": ".runs.plan",
    "Run": ".runs.run",
    "load": ".corpus.intake.api",
    "make_method": ".methods",
    "recommend": ".runs.recommend",
    "score": ".evaluate",
    "split_heldout": ".evaluate",
    "toy": ".toy",
}
"""Name -> the module that has it, which is imported when the name is first used. All of them take
0.6 s, for which `bnpexplorer --version` and the processes that read files need not wait."""


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(_PLACES[name], __name__)
    globals()[name] = found = module if name == "toy" else getattr(module, name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})


def _notebooks() -> Front:
    """The room that shows values in notebooks; imported when the first one is shown."""
    from .export import notebooks

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
