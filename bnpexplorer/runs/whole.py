"""All documents of a run, including held-out ones, in file order, and the table of its rows."""

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
    """Return all documents of a run in file order, and which of them are held out: bool (D,).

    If the order is not known, held-out documents come last.
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
    """Return bool (D,): which documents of the whole corpus are learned after `docs_seen`.

    `held_out`: bool (D,), the held-out documents.
    """
    if docs_seen >= run.corpus.n_docs:
        return ~held_out
    learned = np.zeros(len(held_out), bool)
    learned[np.flatnonzero(~held_out)[run.reading_order()[:docs_seen]]] = True
    return learned


def parts(held_out: Bools, learned: Bools) -> Parts:
    """Return str (D,): `learned`, `not yet learned` or `held out` for every document."""
    return np.where(held_out, "held out", np.where(learned, "learned", "not yet learned"))


def table_of(run: "Run", all_shares: bool = False) -> Any:
    """Return the rows of the file as a DataFrame with their topics (`Run.table`)."""
    corpus, held_out = whole_of(run)
    moment = replace(run.moment(), corpus=corpus)
    learned = learned_rows(run, held_out, run.docs_seen)
    share = doc_topic(moment.model, moment.topics, corpus, run.pool)
    added = topic_columns(moment, corpus, share, parts(held_out, learned), all_shares)
    return frame_of(rows_of(corpus)[0], added)
