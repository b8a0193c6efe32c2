"""Documents that begin the local step of a mini-batch by themselves: what no paper has.

A truncation-free local step seats one document or token after the other, and a new one costs so
much that what a broad component holds is hardly ever divided. A few documents that begin in a
component of their own are seeds: others that fit them better than what is known join them in the
sweeps, and those that nobody joins go back. Only where the chain begins differs, not its law.
"""

import numpy as np

from ..core.arrays import Bools


def begin_alone(n_docs: int, share: float, rng: np.random.Generator) -> Bools:
    """Each of S documents with probability `share`: bool (S,); nothing is drawn where it is 0."""
    return rng.random(n_docs) < share if share > 0.0 else np.zeros(n_docs, bool)
