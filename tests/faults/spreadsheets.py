"""No cell of an exported table is a formula, whichever separator a spreadsheet takes."""

import csv
import io
import unicodedata
from pathlib import Path

import numpy as np
import pandas as pd

from bnpexplorer.export.tables import csv as as_csv

PIECES = [
    *"=+-@;,\t\r\n\"' ax1",
    "＝",
    "＋",
    "－",
    "＠",
    "\0",
    "\u200b",
    "\ufeff",
    "\u00ad",
    "\u2060",
]


def _shown(cell: str) -> str:
    """A cell without what nobody sees at its beginning."""
    while cell and (cell[0].isspace() or unicodedata.category(cell[0]) in ("Cc", "Cf")):
        cell = cell[1:]
    return cell


def _cell(rng: np.random.Generator) -> str:
    return "".join(rng.choice(PIECES, int(rng.integers(1, 8))))


def formulas(rng: np.random.Generator, folder: Path) -> None:
    """Random cells and headings, read with the separators of several languages."""
    rows = [[_cell(rng) for _ in range(3)] for _ in range(5)]
    text = as_csv(pd.DataFrame(rows, columns=[f"{_cell(rng)}{i}" for i in range(3)])).decode()
    for separator in ",;\t":
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
            for cell in row:
                assert not _shown(cell).startswith(tuple("=+-@＝＋－＠")), repr((separator, cell))


TRIALS = {"formulas": formulas}
