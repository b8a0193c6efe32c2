"""How often a word stands in groups of documents, with an interval.

Counts know more than shares do: a word is few of the words of a text, so that texts without it tell
much. Its count in a group of n words is y = p n, with f times the variance of words drawn one by
one, n p (1 - p), since words come in bursts. The interval is that of n / f such draws
(`explore/means.py`). f is estimated within the groups from sums of whole texts. A group's own is
moved towards that of all groups, and that towards `USUAL`, by the number of texts that use the
word: few texts tell little of bursts.

As a topic's share, a rare word had an interval that covered the whole figure: its spread was moved
towards that of texts that are all this word or not at all (`benchmarks/README.md`).
"""

from dataclasses import replace

import numpy as np

from ..core.arrays import F64, I64
from .means import Means, group_means

USUAL, USUAL_TEXTS = 3.0, 5.0
"""f of a word of which nothing is known, and the texts that use it that this counts for."""
COMMON_TEXTS = 20.0
"""The texts that f of all groups counts for, against a group's own."""


def word_means(
    often: F64, lengths: F64, groups: I64, n_groups: int, units: I64 | None = None
) -> Means:
    """The share of the words that are this one in each group: one column.

    `often` and `lengths` float64 (D,): how often documents use it, and all words of theirs;
    `groups` and `units` as in `group_means`.
    """
    share = np.divide(often, lengths, out=np.zeros(len(often)), where=lengths > 0)
    found = group_means(share[:, None], groups, n_groups, lengths, units)
    using = (groups >= 0) & (often > 0)
    texts = np.arange(len(often)) if units is None else units
    both = np.unique(np.stack([groups[using], texts[using]]), axis=1)
    users = np.bincount(both[0], minlength=n_groups)
    words = np.bincount(groups[groups >= 0], lengths[groups >= 0], n_groups)
    mean = found.mean[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):  # groups that never use it
        bursts = np.nan_to_num(found.error[:, 0] ** 2 * words / (mean * (1.0 - mean)), posinf=0.0)
        common = (users @ bursts + USUAL_TEXTS * USUAL) / (users.sum() + USUAL_TEXTS)
        own = (users * bursts + COMMON_TEXTS * common) / (users + COMMON_TEXTS)
        spread = np.clip(np.maximum(own, 1.0) * found.effective / words, 0.0, 1.0)
    return replace(found, spread=np.nan_to_num(spread, nan=1.0)[:, None], exact=True)
