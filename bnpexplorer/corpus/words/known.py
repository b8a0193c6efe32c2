"""New texts as counts of the words of a vocabulary, and how many of their words it lacks."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...core.arrays import I64
from ..corpus import Corpus, CorpusError
from ..readers.source import Source
from ..text import check_speed, with_titles
from .counting import Removed, count_forms, most_frequent
from .cutting import Cutter
from .settings import TextSettings


@dataclass(frozen=True, eq=False)
class KnownWords:
    """D documents that have a word of the vocabulary, and what all N texts have besides."""

    corpus: Corpus
    """The D documents; `docs.id` int64 (D,): their places among the texts."""
    n_unknown: I64
    """int64 (N,): words of each text that the vocabulary lacks, stop words and those that were
    left out of it on purpose aside."""
    unknown: Removed
    """The commonest of these words."""


def count_known(
    source: Source, settings: TextSettings, vocab: Sequence[str], left_out: Collection[str] = ()
) -> KnownWords:
    """Count the texts of a source as `settings` cut them, in the words of `vocab` alone.

    With stems a word counts as the one of the vocabulary that is of its kind. `left_out`: words
    that are known and do not count. Only single words are told as unknown, no runs of words.

    Raises CorpusError for counts, and where no text has a word of the vocabulary.
    """
    if source.texts is None:
        raise CorpusError(f"{source.name} holds counts; give the texts themselves.")
    texts = (with_titles(source) if settings.titles else source).texts or ()
    check_speed(texts, settings)
    cutter = Cutter(settings)
    try:
        counted = count_forms(texts, cutter)
    except ValueError as problem:
        if "empty vocabulary" not in str(problem):
            raise
        raise _none_known(source.name) from None
    key = cutter.key or str
    place = {key(word): w for w, word in enumerate(vocab)}
    column = np.array([place.get(key(word), -1) for word in counted.words], np.int64)
    expected = {key(word) for word in left_out}
    strange = np.array(
        [" " not in word and key(word) not in expected for word in counted.words], bool
    )
    strange &= column < 0
    matrix = counted.matrix.tocoo()
    mine = column[matrix.col] >= 0
    known = type(matrix)(
        (matrix.data[mine], (matrix.row[mine], column[matrix.col[mine]])),
        (matrix.shape[0], len(vocab)),
    )
    if not known.nnz:
        raise _none_known(source.name)
    n_unknown = np.asarray(counted.matrix[:, np.flatnonzero(strange)].sum(axis=1, dtype=np.int64))
    pairs = zip(counted.words[strange], counted.documents[strange].tolist(), strict=True)
    docs = replace(source.docs, id=np.arange(len(texts)), text=None)
    corpus = Corpus.from_csr(known.tocsr(), vocab, docs, source.name)
    return KnownWords(corpus, n_unknown.ravel(), most_frequent(pairs, int(strange.sum())))


def _none_known(name: str) -> CorpusError:
    return CorpusError(
        f"No text of {name} has a word that the run knows, so none gets a topic; check the column "
        "with the texts and their language."
    )
