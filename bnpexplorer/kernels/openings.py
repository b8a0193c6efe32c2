"""Noting how topics are opened while documents or tokens are drawn again and again."""

import numpy as np

from .jit import kernel
from .tuples import Openings


@kernel
def no_openings(n_old: int, n_places: int) -> Openings:
    """Nothing is opened; `n_old` topics are known before."""
    label = np.full(n_places, -1)
    label[:n_old] = np.arange(n_old)
    return Openings(
        np.array([n_old]),
        label,
        np.full(n_places, -1),
        np.full(n_places, -1),
        np.zeros((4, n_places)),
    )


@kernel
def note_opening(
    o: Openings,
    place: int,
    opener: int,
    rival: int,
    log_prior: tuple[float, float],
    log_likelihood: tuple[float, float],
) -> None:
    """A document or token opens a topic in `place`, which gets the next label.

    `rival`: the place of the likeliest other topic, -1 for none. The logarithms are first its own,
    then those of a new topic.
    """
    o.label[place] = o.n_labels[0]
    o.n_labels[0] += 1
    o.opener[place] = opener
    o.rival[place] = o.label[rival] if rival >= 0 else -1
    for side in range(2):
        o.logs[side, place] = log_prior[side]
        o.logs[2 + side, place] = log_likelihood[side]
