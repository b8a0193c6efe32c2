"""All documents of a run, those held out too, as one corpus in the order of their file."""

from dataclasses import replace

import numpy as np
from scipy import sparse

from ..core.arrays import Bools
from ..corpus.corpus import Corpus, DocTable
from ..corpus.stored import StoredCorpus
from .run import Run


def whole_of(run: Run) -> tuple[Corpus, Bools]:
    """Return all documents of a run, and which of them it holds out: bool (D,).

    They stand in the order of their file; where that is not known, those learned come first and
    those held out after them.
    """
    if isinstance(run.corpus, StoredCorpus):
        whole = run.corpus.whole()
        held_out = np.zeros(whole.n_docs, bool)
        held_out[run.corpus.left_out] = True
        return whole, held_out
    if run.heldout is None:
        return run.corpus, np.zeros(run.corpus.n_docs, bool)
    parts = (run.corpus, run.heldout.whole)
    counts = sparse.vstack([part.to_csr() for part in parts])
    columns = [part.docs.columns() for part in parts]
    both = {
        name: np.concatenate([column[name] for column in columns])
        for name in columns[0]
        if name in columns[1]
    }
    joined = Corpus.from_csr(counts, run.corpus.vocab, DocTable(**both), run.corpus.name)
    held_out = np.repeat([False, True], [part.n_docs for part in parts])
    if "row" not in both or joined.n_docs != len(held_out):
        return joined, held_out
    order = np.argsort(both["row"], kind="stable")
    return replace(joined.take(order), file_rows=run.corpus.file_rows), held_out[order]
