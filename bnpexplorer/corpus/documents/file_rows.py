"""The rows of the file that a corpus was read from, those that became no document too.

Open it where documents have to be found in their file again, or where it is told why a row has no
document. `corpus/readers/keeping.py` packs the columns, `corpus/readers/writing_back.py` unpacks
them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...core.arrays import I64

LONGEST_UNIT = 20
"""Letters of what the numbers of rows count."""


@dataclass(frozen=True, eq=False)
class FileRows:
    """R rows of a file in its order. `DocTable.row` holds the place, from 0, of the row of each
    document; of rows that were joined, the place of the first."""

    number: I64
    """int64 (R,): the row or line in the file, as readers count it and people see it."""
    first: I64
    """int64 (R,): the place of the row that stands for this row's document: its own, or the first
    of those that were joined with it."""
    why: I64
    """int64 (R,): 0 for a row in the corpus, k > 0 for one left out for `reasons[k - 1]`, -p - 1
    for one left out since it repeats the text of the row at place p."""
    reasons: tuple[str, ...] = ()
    unit: str = "row"
    """What `number` counts."""
    cells: npt.NDArray[np.uint8] | None = None
    """All columns of the file as the bytes of a Parquet file with R rows; None where they are not
    kept. They count as texts."""
    how: Mapping[str, str] = field(default_factory=dict)
    """How the file was written, such as its delimiter (`writing_back.py`)."""

    @classmethod
    def of(
        cls,
        numbers: Sequence[int],
        unit: str,
        cells: npt.NDArray[np.uint8] | None = None,
        how: Mapping[str, str] | None = None,
        left_out: Mapping[int, str] = {},
    ) -> "FileRows":
        """Rows of which none is joined yet; `left_out`: place -> why it became no document."""
        number, n_rows = np.array(numbers, np.int64), len(numbers)
        reasons = (*dict.fromkeys(left_out.values()),)
        why = np.zeros(n_rows, np.int64)
        why[[*left_out]] = [reasons.index(reason) + 1 for reason in left_out.values()]
        return cls(number, np.arange(n_rows), why, reasons, unit, cells, how or {})

    def __len__(self) -> int:
        return len(self.number)

    def without_cells(self) -> "FileRows":
        """The same rows without what stands in them."""
        return self if self.cells is None else replace(self, cells=None, how={})

    def joined(self, groups: Sequence[Sequence[int]]) -> "FileRows":
        """The same rows where those of each group, which are places, have one document."""
        first = self.first.copy()
        for group in groups:
            first[list(group)] = group[0]
        return replace(self, first=first)

    def judged(self, row: I64, why: I64, reasons: Sequence[str]) -> "FileRows":
        """The same rows after some documents were left out.

        `row` (D,): `DocTable.row` of the documents before; `why` int64 (D,): as `FileRows.why`, by
        `reasons`. A row stays in the corpus as long as one of its documents does; else it has the
        reason of the first.
        """
        new, lost = self.why.copy(), np.flatnonzero(why)[::-1]
        codes = np.where(why > 0, why + len(self.reasons), why)
        new[row[lost]] = codes[lost]
        new[row[why == 0]] = 0
        return replace(self, why=new, reasons=(*self.reasons, *reasons))

    def reason(self, place: int) -> str:
        """Why the row at `place` has no document; empty if it has one."""
        first = int(self.first[place])
        code = int(self.why[first])
        if code < 0:
            return f"same text as {self.unit} {self.number[-code - 1]:,}"
        return self.reasons[code - 1] if code else ""

    def told(self, place: int) -> str:
        """Why the row at `place` has no document of its own; empty if it has one."""
        first = int(self.first[place])
        joined = f"joined with {self.unit} {self.number[first]:,}" if first != place else ""
        return self.reason(place) or joined

    def entries(self, row: I64) -> tuple[I64, I64]:
        """All rows in the order of the file with their documents: two of int64 (N,), places of rows
        and documents; -1 for a row without a document of its own.

        `row` (D,): `DocTable.row`. A row of several passages stands once for each.
        """
        n_docs = np.bincount(row, minlength=len(self))
        place = np.repeat(np.arange(len(self)), np.maximum(n_docs, 1))
        doc = np.full(len(place), -1)
        doc[n_docs[place] > 0] = np.argsort(row, kind="stable")
        return place, doc

    def fault(self, row: Any, n_docs: int) -> str:
        """Return which promise of this class a file from elsewhere breaks; empty if none.

        `row`: `DocTable.row` of the `n_docs` documents.
        """
        n_rows, limit = len(self.number), len(self.reasons)
        if len(self.first) != n_rows or len(self.why) != n_rows or len(self.unit) > LONGEST_UNIT:
            return "its rows of the file do not fit together"
        within = 0 <= self.first.min(initial=0) <= self.first.max(initial=0) <= max(n_rows - 1, 0)
        if not within or not -n_rows <= self.why.min(initial=0) <= self.why.max(initial=0) <= limit:
            return "its rows of the file name rows that are not there"
        if row is None or len(row) != n_docs or row.dtype != np.int64:
            return "its documents have no rows of the file"
        if n_docs and not 0 <= row.min() <= row.max() < n_rows:
            return "its documents stand on rows that the file lacks"
        return ""
