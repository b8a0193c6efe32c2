"""The topics of the rows of a file: the columns that go beside its own. D documents, R rows."""

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ..core.arrays import F32, F64, I64
from ..corpus.corpus import Corpus
from ..corpus.documents.added import Added
from ..corpus.documents.file_rows import FileRows
from ..state.moment import Moment
from .documents import lengths_of

DIGITS = 6
LEAST_SHARE = 0.01
"""A second topic with less is none: every topic has some share of every document."""
Parts = npt.NDArray[np.str_]


def rows_of(corpus: Corpus) -> tuple[FileRows, I64]:
    """The rows of the file of a corpus, and the row of each document, int64 (D,); of a corpus
    without a file its documents."""
    if corpus.file_rows is not None and corpus.docs.row is not None:
        return corpus.file_rows, corpus.docs.row
    return FileRows.of(range(1, corpus.n_docs + 1), "document"), np.arange(corpus.n_docs)


def shares_of_rows(corpus: Corpus, share: F32) -> F32:
    """float32 (R, K) of `share` (D, K): a row has the shares of its document, of several passages
    their mean weighted by words; nan where it has none."""
    rows, row = rows_of(corpus)
    weight = lengths_of(corpus).astype(np.float64)
    total = np.bincount(row, weight, len(rows))
    mean = sparse.csr_matrix(
        (weight / total[row], (row, np.arange(corpus.n_docs))), (len(rows), corpus.n_docs)
    )
    found = np.asarray(mean @ share, np.float32)
    found[total == 0] = np.nan
    return found[rows.first]


def topic_columns(
    moment: Moment, corpus: Corpus, share: F32, part: Parts, all_shares: bool = False
) -> tuple[Added, ...]:
    """The columns that tell the topics of every row of the file.

    The main topic, its name and share, the second topic and its name, whether the row was learned
    or held out (`part` (D,) says it of documents), and why a row has no topics; with `all_shares`
    the share of every topic, largest topics first, and of topics not yet seen.
    """
    rows, row = rows_of(corpus)
    found = shares_of_rows(corpus, share)
    ids = moment.topics.topic_ids
    names = np.array([*(moment.name(topic) for topic in ids.tolist()), ""], object)
    order = np.argsort(-np.nan_to_num(found, nan=-1.0), axis=1, kind="stable")[:, :2]
    there = ~np.isnan(found[:, :1]).any(axis=1) if len(ids) else np.zeros(len(rows), bool)

    def topic(rank: int) -> tuple[F64, tuple[str, ...], F64]:
        """Number, name and share of the topic of this rank; nothing below the least share."""
        if len(ids) <= rank:
            none = np.full(len(rows), np.nan)
            return none, ("",) * len(rows), none
        place = order[:, rank]
        size = _rounded(found[np.arange(len(rows)), place])
        known = there & ((rank == 0) | (size >= LEAST_SHARE))
        number = np.where(known, ids[place], np.nan)
        return number, tuple(names[np.where(known, place, -1)].tolist()), size

    main, main_name, largest = topic(0)
    second, second_name, _ = topic(1)
    columns = [
        Added("topic", numbers=main, whole=True),
        Added("topic_name", texts=main_name),
        Added("topic_share", numbers=largest),
        Added("second_topic", numbers=second, whole=True),
        Added("second_topic_name", texts=second_name),
        Added("part", texts=tuple(_parts(rows, row, part).tolist())),
        Added("left_out", texts=tuple(rows.reason(place) for place in range(len(rows)))),
    ]
    if all_shares:
        for place in moment.topics.by_size.tolist():
            head = f"topic {ids[place]}: {names[place]}"
            columns.append(Added(head, numbers=_rounded(found[:, place])))
        unseen = np.maximum(1.0 - found.astype(np.float64).sum(axis=1), 0.0)
        unseen[~there] = np.nan
        columns.append(Added("topics not yet seen", numbers=_rounded(unseen)))
    return tuple(columns)


def _rounded(shares: F32 | F64) -> F64:
    """Shares as files have them: float64."""
    return np.asarray(np.round(shares.astype(np.float64), DIGITS), np.float64)


def _parts(rows: FileRows, row: I64, part: Parts) -> npt.NDArray[np.object_]:
    """`part` of the documents of every row, object (R,): "left out" where there are none, and all
    that there are where passages differ."""
    found = np.full(len(rows), "left out", object)
    for kind in np.unique(part):
        own = np.zeros(len(rows), bool)
        own[row[part == kind]] = True
        before = found[own]
        found[own] = np.where(before == "left out", kind, before + f", {kind}")
    return found[rows.first]
