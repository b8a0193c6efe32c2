"""The two runs that "Watch it learn" on the Start page starts, and what a person sees of them.

One model, the HDP, and the same settings of it for both methods. With mini-batches of one document
and one kept sweep, truncation-free inference opens its topics one by one; with its defaults it
opens 42 in the first 64 documents. Short mini-batches without a delay let truncated mean field end
topics after 1,400 documents; with its defaults after 10,000. A forgetting rate of 0.75 is the
smallest tried with which it still predicts words better than their frequencies do; with 0.6 it
ends topics after 600. `benchmarks/demonstration.py` has the table by texts and seeds that these
settings rest on.
"""

from dataclasses import dataclass

from ..corpus.corpus import Corpus
from .plan import MOST_SUGGESTED, Plan

ALPHA, ETA = 1.0, 0.1
GROWING, SHRINKING = "hdp-tsvi", "hdp-svi"
DOCUMENTS = 20_000
"""Documents to read in all, about: some twenty seconds of learning."""
TENFOLD_SECONDS = 3.0
"""Seconds that each tenfold of documents takes at least. On the logarithmic axis of the page both
lines then move evenly, and no machine is through before 12 seconds are over."""


def plans(sample: str, corpus: Corpus, seed: int = 0) -> tuple[Plan, Plan]:
    """Return the plan whose topics are born one by one, and the plan whose topics end.

    `corpus`: the whole corpus of the sample, which settles how often it is read.
    """
    passes = max(1, min(MOST_SUGGESTED, DOCUMENTS // corpus.n_docs))
    model = {"gamma": SEEN[sample].gamma, "alpha": ALPHA, "eta": ETA}
    grown, shrunk = model | {"kept_sweeps": 1}, model | {"tau": 1.0, "kappa": 0.75}
    growing = Plan.of(GROWING, values=grown, seed=seed, batch_size=1, passes=passes)
    shrinking = Plan.of(SHRINKING, values=shrunk, seed=seed, batch_size=16, passes=passes)
    return growing, shrinking


@dataclass(frozen=True)
class Seen:
    """What is seen with one sample, in topics in use."""

    gamma: float
    """Of the model: larger for texts of more subjects."""
    begins: int
    """Of the growing method, after its first document."""
    grows_to: int
    """Most that the growing method has."""
    shrinks_from: int
    shrinks_to: int
    """Of the truncated method, at the end."""

    @property
    def caption(self) -> str:
        """One sentence for each method."""
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
"""By sample, with the seed 0; a test learns each once more."""
