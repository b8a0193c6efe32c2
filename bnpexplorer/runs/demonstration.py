"""The two runs that "Watch it learn" on the Start page starts.

Both methods learn an HDP with the same settings. With mini-batches of one document and one kept
sweep, truncation-free inference opens its topics one by one; with its defaults it opens 42 in the
first 64 documents. With short mini-batches and no delay, truncated mean field ends topics after
1,400 documents; with its defaults after 10,000. A forgetting rate of 0.75 is the smallest tried
with which it still predicts better than word frequencies; with 0.6 it ends topics after 600.
`benchmarks/demonstration.py` makes the table by texts and seeds behind these settings.
"""

from dataclasses import dataclass

from ..corpus.corpus import Corpus
from .plan import MOST_SUGGESTED, Plan

ALPHA, ETA = 1.0, 0.1
GROWING, SHRINKING = "hdp-tsvi", "hdp-svi"
DOCUMENTS = 20_000
"""Documents to read in all, roughly: about twenty seconds of learning."""
TENFOLD_SECONDS = 3.0
"""Least seconds in which the documents read grow tenfold. On the logarithmic axis of the page both
lines then move evenly, and no machine finishes within 12 seconds."""


def plans(sample: str, corpus: Corpus, seed: int = 0) -> tuple[Plan, Plan]:
    """Return the plan whose topics are born one by one, and the plan whose topics end.

    `corpus`: the whole corpus of the sample, whose size decides the passes.
    """
    passes = max(1, min(MOST_SUGGESTED, DOCUMENTS // corpus.n_docs))
    model = {"gamma": SEEN[sample].gamma, "alpha": ALPHA, "eta": ETA}
    grown, shrunk = model | {"kept_sweeps": 1}, model | {"tau": 1.0, "kappa": 0.75}
    growing = Plan.of(GROWING, values=grown, seed=seed, batch_size=1, passes=passes)
    shrinking = Plan.of(SHRINKING, values=shrunk, seed=seed, batch_size=16, passes=passes)
    return growing, shrinking


@dataclass(frozen=True)
class Seen:
    """Numbers of topics in use that the demonstration shows for one sample."""

    gamma: float
    """Concentration of the model, larger for texts on more subjects."""
    begins: int
    """Topics of the growing method after its first document."""
    grows_to: int
    """Most topics of the growing method."""
    shrinks_from: int
    shrinks_to: int
    """Topics of the truncated method at the end."""

    @property
    def caption(self) -> str:
        """Return one or two sentences on each method."""
        return (
            f"Two methods for one model, the hierarchical Dirichlet process. {GROWING} is "
            f"truncation-free: it opens topics one by one as it reads, from {self.begins} after "
            f"the first document to about {self.grows_to}. {SHRINKING} is truncated mean field: "
            f"it starts with {self.shrinks_from}, and about {self.shrinks_to} are left at the end."
        )


SEEN = {
    "sotu": Seen(20.0, 4, 44, 100, 47),
    "small-csv": Seen(1.0, 2, 9, 100, 40),
    "bars": Seen(1.0, 5, 11, 100, 43),
}
"""By sample, for seed 0; a test learns each again."""
