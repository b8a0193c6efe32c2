"""Documents that were chosen, as CSV: what they are, what they say, and their shares of topics."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import F32, I64
from ..corpus.corpus import Corpus
from ..explore.columns import lengths_of
from .tables import DIGITS, cell_text


def chosen_table(
    corpus: Corpus, rows: I64, share: F32 | None, heads: Mapping[int, str]
) -> pd.DataFrame:
    """One row a document, in the order of `rows`: number from 1, id, title, date, label, text, ...

    ... its words that count, and its share of every topic: `share` (D, K), None as long as nobody
    has read the documents; `heads`: column of `share` -> its heading, in order.
    """
    columns = corpus.docs.take(rows).columns()
    table: dict[str, Any] = {"document": rows + 1}
    for name in ("id", "title", "date", "label", "text"):
        if name in columns:
            cells = columns[name].astype("datetime64[D]") if name == "date" else columns[name]
            table[name] = [cell_text(cell) for cell in cells]
    table["modelled_words"] = lengths_of(corpus)[rows]
    found = pd.DataFrame(table)
    if share is None:
        return found
    shares = np.round(share[rows][:, np.array([*heads], np.int64)].astype(np.float64), DIGITS)
    return pd.concat([found, pd.DataFrame(shares, columns=list(heads.values()))], axis=1)
