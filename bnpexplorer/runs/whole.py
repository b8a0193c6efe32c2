"""All documents of a run, those held out too, in the order of their file, and its table of rows."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..core.arrays import Bools
from ..corpus.corpus import Corpus, DocTable
from ..corpus.readers.writing_back import frame_of
from ..corpus.stored import StoredCorpus
from ..explore.file_rows import rows_of, topic_columns
from ..explore.proportions import doc_topic

if TYPE_CHECKING:
    from .run import Run

Parts = npt.NDArray[np.str_]


def whole_of(run: "Run") -> tuple[Corpus, Bools]:
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
    columns = [part.docs.columns() for part in parts]
    both = {
        name: np.concatenate([column[name] for column in columns])
        for name in columns[0]
        if name in columns[1]
    }
    first, second = parts
    joined = Corpus(
        np.concatenate([first.indptr, first.indptr[-1] + second.indptr[1:]]),
        np.concatenate([first.word_ids, second.word_ids]),
        np.concatenate([first.counts, second.counts]),
        first.vocab,
        DocTable(**both),
        first.name,
    )
    held_out = np.repeat([False, True], [part.n_docs for part in parts])
    if "row" not in both:
        return joined, held_out
    order = np.argsort(both["row"], kind="stable")
    return replace(joined.take(order), file_rows=run.corpus.file_rows), held_out[order]


def learned_rows(run: "Run", held_out: Bools, docs_seen: int) -> Bools:
    """Which documents of the whole corpus the run has learned after `docs_seen`: bool (D,).

    `held_out` (D,) says which of them the run holds out; the others stand in its own order.
    """
    if docs_seen >= run.corpus.n_docs:
        return ~held_out
    learned = np.zeros(len(held_out), bool)
    learned[np.flatnonzero(~held_out)[run.reading_order()[:docs_seen]]] = True
    return learned


def parts(held_out: Bools, learned: Bools) -> Parts:
    """`learned`, `not yet learned` or `held out` for every document: str (D,)."""
    return np.where(held_out, "held out", np.where(learned, "learned", "not yet learned"))


def table_of(run: "Run", all_shares: bool = False) -> Any:
    """The rows of the file as a DataFrame with their topics: see `Run.table`."""
    corpus, held_out = whole_of(run)
    moment = replace(run.moment(), corpus=corpus)
    learned = learned_rows(run, held_out, run.docs_seen)
    share = doc_topic(moment.model, moment.topics, corpus, run.pool)
    added = topic_columns(moment, corpus, share, parts(held_out, learned), all_shares)
    return frame_of(rows_of(corpus)[0], added)
