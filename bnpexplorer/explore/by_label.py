"""Documents by their label: outlet, party, section, whatever the texts came with."""

from dataclasses import dataclass

import numpy as np

from ..core.arrays import I64, Bools
from .periods import Column

LARGEST = 12
"""Labels with a place of their own in figures; the others are drawn as one."""
OTHERS = "all others"


@dataclass(frozen=True, eq=False)
class Labelled:
    """Which of L labels each of D documents has."""

    names: tuple[str, ...]
    """The label with most documents first; of equal ones by the alphabet."""
    codes: I64
    """int64 (D,): place in `names`; -1 for a document without a label."""
    n_docs: I64
    """int64 (L,)"""

    @property
    def n_unlabelled(self) -> int:
        return int((self.codes < 0).sum())

    def folded(self, largest: int = LARGEST) -> "Labelled":
        """The `largest` labels and all others as one; the same if one more is all there is."""
        if len(self.names) <= largest + 1:
            return self
        name = OTHERS if OTHERS not in self.names else f"{OTHERS} than these"
        codes = np.minimum(self.codes, largest)
        n_docs = np.append(self.n_docs[:largest], self.n_docs[largest:].sum())
        return Labelled((*self.names[:largest], name), codes, n_docs)


def labelled(label: Column | None, n_docs: int) -> Labelled | None:
    """The labels of `n_docs` documents, object (D,); None if fewer than two are in use.

    Blanks around a label do not count; an empty one is no label.
    """
    if label is None:
        return None
    # Equal labels are looked at once: 500,000 of ten different ones were sorted for a second.
    kinds: dict[str, int] = {}
    keys = (value if type(value) is str else text_of(value) for value in label)
    of_kind = np.fromiter((kinds.setdefault(key, len(kinds)) for key in keys), np.int64, len(label))
    names, place_of = np.unique(np.array([*map(text_of, kinds)], str), return_inverse=True)
    back = place_of[of_kind]
    n = np.bincount(back, minlength=len(names))
    given = np.flatnonzero(names != "")
    if len(given) < 2:
        return None
    order = given[np.argsort(-n[given], kind="stable")]
    place = np.full(len(names), -1, np.int64)
    place[order] = np.arange(len(order))
    return Labelled(tuple(names[order].tolist()), place[back], n[order].astype(np.int64))


def text_of(value: object) -> str:
    """A label as it is shown and compared; empty if there is none."""
    return "" if value is None or value != value else str(value).strip()


def with_label(label: Column | None, n_docs: int, wanted: tuple[str, ...]) -> Bools:
    """Which documents have one of these labels, "" for none: bool (D,)."""
    names = set(wanted)
    if label is None:
        return np.full(n_docs, "" in names)
    return np.fromiter((text_of(value) in names for value in label), bool, n_docs)
