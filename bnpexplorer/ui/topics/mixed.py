"""How much of a change comes from the mix of labels, on the page that compares groups."""

from collections.abc import Callable, Hashable

import numpy as np
import numpy.typing as npt

from ...explore.mix import Compared, Mix, mixes, periods_as_labels
from ...explore.periods import Labelled
from ...explore.sentences import Counted
from ...state.moment import Moment
from ..parts.explore import Explored, labels_of
from ..parts.in_background import worked_out
from .grouping import weights_of
from .two_sides import TwoSides


def mixes_of(
    moment: Moment,
    asked: tuple[Hashable, ...],
    counted: Counted,
    shares: Callable[[], npt.NDArray[np.floating]],
    compared: Callable[[], list[Compared]],
    labels: Labelled | None,
    n_compared: int,
    of_words: bool = False,
) -> list[Mix | None] | None:
    """The parts of each change by label; None while they are worked out and where there are no
    `labels`, which are for readers."""
    if labels is None:
        return None
    weights, units = weights_of(moment, counted), moment.corpus.units
    return worked_out(
        moment,
        ("mixes", counted, *asked),
        lambda: mixes(shares(), compared(), labels, weights, units, n_compared, of_words),
        "how much of each change comes from the mix of labels",
    )


def labels_between(explored: Explored, sides: TwoSides) -> Labelled | None:
    """Return the labels by which the mix of two times may differ, or of two labels the periods;
    None for those who may not read the texts."""
    corpus = explored.loaded.corpus
    if not explored.readable:
        return None
    if sides.called.labels:
        return periods_as_labels(corpus.docs.date, sides.before | sides.after)
    return labels_of(corpus)
