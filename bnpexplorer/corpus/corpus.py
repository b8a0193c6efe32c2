"""The corpus: word counts by document, immutable, in compressed sparse row form."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ..core.arrays import I32, I64
from ..core.derived import Derives
from ..core.display import HtmlRepr
from .documents.file_rows import FileRows
from .documents.units import BLOCK, origins, units
from .matrix import MAX_COUNT, compressed, fault_of_counts, fault_of_totals

Column = npt.NDArray[Any]
PIECE = 2**20
"""Entries at once where all are gone through."""
CHUNK_DOCS = 50_000
"""Documents at once where all are gone through."""


class CorpusError(ValueError):
    """Input that cannot become a corpus; says which file, line or field, and the remedy."""


@dataclass(frozen=True, eq=False)
class DocTable:
    """What is known of D documents beside their words; every column is optional.

    `id`, `title`, `label`, `text`: object arrays of strings; `date`: datetime64[D] (NaT = unknown).
    `origin`: int64, equal for passages of one text; where there are ids or titles they tell it.
    `row`: int64, the place of the document's row in `Corpus.file_rows`.
    """

    id: Column | None = None
    title: Column | None = None
    date: Column | None = None
    label: Column | None = None
    text: Column | None = None
    origin: Column | None = None
    row: Column | None = None

    def columns(self) -> dict[str, Column]:
        """The columns that are present, by name."""
        present = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: column for name, column in present.items() if column is not None}

    def names(self) -> tuple[str, ...]:
        """Of the columns that are present."""
        return tuple(self.columns())

    def without(self, *names: str) -> "DocTable":
        """The table without these columns."""
        return replace(self, **dict.fromkeys(names))

    def fault(self) -> str:
        """What breaks the promises of this class; empty if nothing.

        Words that a person gave as a numpy array of strings or numbers do no harm.
        """
        for name, column in self.columns().items():
            if column.ndim != 1 or column.dtype.kind not in ("M" if name == "date" else "OUiufb"):
                return (
                    f"its column {name!r} of documents has the shape {column.shape} and the type "
                    f"{column.dtype}"
                )
        return ""

    def take(self, rows: Any) -> "DocTable":
        """The table of `rows` (indices or mask)."""
        return DocTable(**{name: column[rows] for name, column in self.columns().items()})


def fingerprint_of(arrays: Iterable[Column], vocab: Sequence[str]) -> str:
    """A hash of counts and vocabulary, of the arrays in the order of `Corpus`, whole or in pieces
    that follow each other."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data.cast("B") if array.size else b"")
    digest.update("\0".join(vocab).encode())
    return digest.hexdigest()[:16]


def _read_only(array: Any, dtype: type) -> Any:
    """Raises CorpusError where a number would become another one."""
    with np.errstate(invalid="ignore"):  # it is looked for
        fixed: npt.NDArray[Any] = np.ascontiguousarray(array, dtype=dtype)
    if getattr(array, "dtype", dtype) != dtype and not np.array_equal(fixed, array):
        raise CorpusError(
            f"Some numbers of a corpus, up to {np.max(array):,}, are not whole or larger than "
            f"{np.iinfo(dtype).max:,}, the most; divide the counts."
        )
    if fixed is array and fixed.flags.writeable:
        fixed = fixed.copy()
    if fixed.flags.writeable:
        fixed.flags.writeable = False
    return fixed


@dataclass(frozen=True, eq=False)
class Corpus(HtmlRepr, Derives):
    """D documents over V words. Arrays are read-only; documents have at least one token each.

    Make one with `Corpus.from_csr` or `load`; the constructor trusts its arguments.
    """

    indptr: I64
    """int64 (D+1,): document d owns entries `indptr[d]:indptr[d+1]`."""
    word_ids: I32
    """int32 (U,): ascending within a document, 0 <= id < V."""
    counts: I32
    """int32 (U,), at least 1."""
    vocab: tuple[str, ...]
    docs: DocTable = field(default_factory=DocTable)
    name: str = "corpus"
    n_empty_dropped: int = 0
    """How many documents without a single token were left out when the corpus was made."""
    file_rows: FileRows | None = None
    """The rows of the file that the documents were read from, where that is known."""
    _amount: ClassVar[type] = np.int32
    counted: ClassVar[bool] = True
    """Whether words were counted; False where they have weights."""
    """What `counts` are."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "indptr", _read_only(self.indptr, np.int64))
        object.__setattr__(self, "word_ids", _read_only(self.word_ids, np.int32))
        object.__setattr__(self, "counts", _read_only(self.counts, self._amount))

    @property
    def n_docs(self) -> int:
        return len(self.indptr) - 1

    @property
    def n_words(self) -> int:
        return len(self.vocab)

    @property
    def n_pairs(self) -> int:
        """U: pairs of a document and one of its words."""
        return len(self.word_ids)

    @cached_property
    def n_tokens(self) -> int:
        return int(self.counts.sum(dtype=np.int64))

    @property
    def n_bytes(self) -> int:
        """Bytes of `indptr`, `word_ids` and `counts`, as they lie in memory or would."""
        return 8 * (self.n_docs + 1 + self.n_pairs)

    @property
    def doc_lengths(self) -> I64:
        """int64 (D,): tokens of every document (never 0)."""
        sums = np.concatenate(([0], np.cumsum(self.counts, dtype=np.int64)))
        return np.asarray(sums[self.indptr[1:]] - sums[self.indptr[:-1]], dtype=np.int64)

    @property
    def word_totals(self) -> I64:
        """int64 (V,): tokens of every word."""
        totals = np.zeros(self.n_words, np.int64)
        for first in range(0, self.n_pairs, PIECE):  # numpy makes 16 bytes of 8 on its way
            own = slice(first, first + PIECE)
            found = np.bincount(self.word_ids[own], self.counts[own], self.n_words)
            totals += found.astype(np.int64)
        return totals

    @property
    def word_docs(self) -> I64:
        """int64 (V,): documents in which every word occurs."""
        return np.bincount(self.word_ids, minlength=self.n_words).astype(np.int64)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of counts and vocabulary: equal fingerprints, equal corpora for every method."""
        return fingerprint_of((self.indptr, self.word_ids, self.counts), self.vocab)

    @cached_property
    def origin(self) -> I64 | None:
        """int64 (D,): equal for passages of one text; None if no document is a passage."""
        docs = self.docs
        return (
            origins((part.docs for part in self.chunks(BLOCK)), self.n_docs)
            if docs.origin is None
            else docs.origin
        )

    @cached_property
    def units(self) -> I64 | None:
        """int64 (D,): equal for documents that count as one text, such as passages of one text and
        texts with the same words (`corpus/documents/units.py`); None where none are."""
        return units(self.chunks(BLOCK), self.n_docs, self.n_words, self.origin)

    def fault(self) -> str:
        """What breaks the promises of this class, for a corpus from a file; empty if nothing.

        An observed part may have documents without tokens, so these are no fault. Costs some
        passes over the arrays.
        """
        n_pairs, steps = len(self.word_ids), np.diff(self.indptr)
        if (
            self.n_docs < 0
            or self.indptr[0] != 0
            or self.indptr[-1] != n_pairs
            or steps.min(initial=0) < 0
        ):
            return "its documents do not follow each other"
        if len(self.counts) != n_pairs or self.counts.min(initial=1) < 1:
            return "its counts are not whole numbers of words"
        if n_pairs and not 0 <= self.word_ids.min() <= self.word_ids.max() < self.n_words:
            return "it holds words that its vocabulary lacks"
        within = np.ones(n_pairs, bool)
        within[self.indptr[:-1][steps > 0]] = False
        if np.any(np.diff(self.word_ids, prepend=-1)[within] <= 0):
            return "the words of a document are not in order"
        if self.word_totals.max(initial=0) > MAX_COUNT:
            return f"a word occurs more than {MAX_COUNT:,} times"
        if any(len(column) != self.n_docs for column in self.docs.columns().values()):
            return "its table of documents has another length"
        rows = self.file_rows
        wrong = "" if rows is None else rows.fault(self.docs.row, self.n_docs)
        return wrong or self.docs.fault()

    def take(self, rows: Any) -> "Corpus":
        """The documents at `rows` (indices or mask), in that order, over the same vocabulary."""
        rows = np.asarray(rows)
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.int64)
        starts = self.indptr[rows]
        lengths = self.indptr[rows + 1] - starts
        indptr = np.concatenate(([0], np.cumsum(lengths)))
        source = np.repeat(starts - indptr[:-1], lengths)
        source += np.arange(indptr[-1])
        word_ids, counts = self.word_ids.take(source), self.counts.take(source)
        for array in (indptr, word_ids, counts):
            array.flags.writeable = False  # else it would be copied
        return replace(
            self,
            indptr=indptr,
            word_ids=word_ids,
            counts=counts,
            docs=self.docs.take(rows),
            n_empty_dropped=0,
        )

    def part(self, first: int, last: int) -> "Corpus":
        """The documents from `first` to before `last` that there are; they share their numbers with
        this."""
        first = min(max(first, 0), self.n_docs)
        last = min(max(first, last), self.n_docs)
        own = slice(*self.indptr[[first, last]].tolist())
        return replace(
            self,
            indptr=self.indptr[first : last + 1] - own.start,
            word_ids=self.word_ids[own],
            counts=self.counts[own],
            docs=self.docs.take(slice(first, last)),
            n_empty_dropped=0,
        )

    def chunks(self, n_docs: int = CHUNK_DOCS) -> "Iterator[Corpus]":
        """All documents in order, `n_docs` at a time: what goes through a corpus of any size holds
        no more of it than that."""
        for first in range(0, self.n_docs, n_docs):
            yield self.part(first, first + n_docs)

    def starts(self, first: int, last: int) -> I64:
        """`indptr[first : last + 1]`: where the entries of these documents begin and end."""
        return self.indptr[first : last + 1]

    def date_pieces(self) -> Iterator[Column]:
        """`docs.date`, which is there, of some documents after the other."""
        assert self.docs.date is not None
        yield self.docs.date

    def length_pieces(self) -> Iterator[I64]:
        """`doc_lengths`, of some documents after the other."""
        yield self.doc_lengths

    def size_pieces(self) -> Iterator[I64]:
        """How many different words documents have, of some documents after the other: int64."""
        for first in range(0, self.n_docs, PIECE):
            yield np.diff(self.starts(first, min(first + PIECE, self.n_docs)))

    def without(self, rows: Any) -> "Corpus":
        """All documents but those at `rows` (distinct indices)."""
        kept = np.ones(self.n_docs, bool)
        kept[rows] = False
        return self.take(kept)

    def without_text(self) -> "Corpus":
        """The same counts without the documents' texts and the columns of their file."""
        rows = self.file_rows
        bare = None if rows is None else rows.without_cells()
        return replace(self, docs=self.docs.without("text"), file_rows=bare)

    def unnamed(self) -> "Corpus":
        """The same counts, dates and origins without what tells which document is which."""
        docs = DocTable(date=self.docs.date, origin=self.origin)
        return replace(self, docs=docs, file_rows=None)

    @property
    def row_numbers(self) -> I64 | None:
        """int64 (D,): the row or line of every document in its file; None where it is not known."""
        if self.file_rows is None or self.docs.row is None:
            return None
        return self.file_rows.number[self.docs.row]

    def to_csr(self) -> sparse.csr_matrix:
        """Counts as an int32 (D, V) scipy matrix."""
        return sparse.csr_matrix(
            (self.counts, self.word_ids, self.indptr), shape=(self.n_docs, self.n_words)
        )

    @classmethod
    def from_csr(
        cls,
        matrix: Any,
        vocab: Sequence[str] | None = None,
        docs: DocTable | None = None,
        name: str = "corpus",
    ) -> "Corpus":
        """A corpus from counts of shape (D, V): a scipy sparse matrix or a dense array.

        >>> counts = np.array([[2, 0, 1], [0, 3, 1], [0, 0, 0]])
        >>> corpus = Corpus.from_csr(counts, vocab=["sun", "sea", "sand"])
        >>> corpus.n_docs, corpus.n_tokens, corpus.n_empty_dropped
        (2, 7, 1)

        `vocab` holds V words (default: "word 0", ...). Documents without tokens are dropped and
        counted in `n_empty_dropped`.

        Raises CorpusError if a count is negative, fractional or too large, if all counts of a word
        add up to more than `MAX_COUNT`, if the vocabulary's length differs from V, if the document
        table's length differs from D, or if no document has a token.
        """
        (n_docs, n_words), indptr, word_ids, counts = compressed(matrix)
        words = tuple(f"word {w}" for w in range(n_words)) if vocab is None else tuple(vocab)
        docs = docs or DocTable()
        if len(words) != n_words:
            raise CorpusError(
                f"The vocabulary has {len(words):,} words but the counts have {n_words:,} columns; "
                "give one word per column."
            )
        wrong = fault_of_counts(counts) or fault_of_totals(indptr, word_ids, counts, words)
        if wrong:
            raise CorpusError(wrong)
        for column, values in docs.columns().items():
            if len(values) != n_docs:
                raise CorpusError(
                    f"The document column {column!r} has {len(values):,} entries but the counts "
                    f"have {n_docs:,} rows; give one entry per document."
                )
        filled = np.flatnonzero(np.diff(indptr))
        if not len(filled):
            raise CorpusError("No document has a single token; nothing is left to learn from.")
        corpus = cls(indptr, word_ids, counts, words, docs, name)
        if len(filled) == n_docs:
            return corpus
        return replace(corpus.take(filled), n_empty_dropped=n_docs - len(filled))


@dataclass(frozen=True, eq=False)
class Batch:
    """One mini-batch of a pass."""

    docs: Corpus
    rows: I64
    """int64 (S,): the documents' places in the training corpus."""
    index: int
    """Its number within the pass, from 0."""
    of: int
    """Number of batches in the pass."""
    corpus: Corpus | None = None
    """All texts to learn, for what looks beyond the mini-batch (splits and merges)."""
