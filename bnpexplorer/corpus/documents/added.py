"""Columns that go beside those of a file: their values, their names, and the form of the file."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.arrays import F64
from .file_rows import FileRows

OF_FORM = {"json lines": ".jsonl", "json list": ".json", "excel": ".xlsx", "parquet": ".parquet"}
"""The ending of a file of this form; others are CSV."""
SUFFIXES = (".csv", ".tsv", ".jsonl", ".json", ".xlsx", ".parquet")


@dataclass(frozen=True, eq=False)
class Added:
    """A column to add: R texts, or R numbers of which nan is none."""

    name: str
    texts: tuple[str, ...] | None = None
    numbers: F64 | None = None
    """float64 (R,)."""
    whole: bool = False
    """Whether the numbers are whole."""

    @property
    def kind(self) -> str:
        """The pandas type of its values."""
        return "string" if self.numbers is None else "Int64" if self.whole else "float64"

    def values(self) -> list[Any]:
        """The cells; None for a missing one."""
        if self.numbers is None:
            return [text or None for text in self.texts or ()]
        known = (None if np.isnan(x) else x for x in self.numbers.tolist())
        return [x if x is None or not self.whole else int(x) for x in known]


def suffix_of(rows: FileRows) -> str:
    """The ending of the file that these rows are written into."""
    tabs = rows.how.get("delimiter") == "\t"
    return OF_FORM.get(rows.how.get("form", ""), ".tsv" if tabs else ".csv")


def free_names(taken: Sequence[str], added: Sequence[Added]) -> list[str]:
    """Names of the added columns that no column of the file has, in large or small letters."""
    used, names = {name.casefold() for name in taken}, []
    for column in added:
        name, n = column.name, 1
        while name.casefold() in used:
            name = f"{column.name} (bnpexplorer{'' if n == 1 else f' {n}'})"
            n += 1
        used.add(name.casefold())
        names.append(name)
    return names
