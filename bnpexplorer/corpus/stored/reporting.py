"""What a page says of a stored corpus, from what its build noted."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...core import store
from ...core.arrays import I64
from ...core.faults import told
from ..corpus import Corpus, CorpusError
from ..readers.source import Reading
from ..text import AS_COUNTED, Report, describe
from ..words.counting import TOP, Removed, zipf
from ..words.settings import TextSettings
from .layout import MANIFEST, REMEDY
from .stored import StoredCorpus


def described(corpus: Corpus) -> Report:
    """The report of a corpus that has none with it: of one on the disk what its build noted."""
    return report_of(corpus) if isinstance(corpus, StoredCorpus) else describe(corpus)


def report_of(corpus: StoredCorpus) -> Report:
    """The report of a corpus on the disk, without going through it.

    Of the manifest's `report` it takes `n_read`, `dropped`, `removed`, `settings`, `n_repeated`,
    `zipf` and `reading` where they are there, as `store.pack` writes them; without, nothing was
    left out. Raises CorpusError if they are not as it writes them.
    """
    try:
        return _report_of(corpus)
    except store.DAMAGE as problem:
        said = f"The report in {corpus.folder / MANIFEST}"
        damaged = f"{said} is damaged ({store.short(problem)}). {REMEDY}"
        raise CorpusError(told(said, problem, damaged)) from problem


def _report_of(corpus: StoredCorpus) -> Report:
    noted: Mapping[str, Any] = corpus.manifest.report
    totals, in_docs = corpus.word_totals, corpus.word_docs
    top = np.argsort(-totals, kind="stable")[:TOP].tolist()
    return Report(
        n_read=int(noted.get("n_read", corpus.n_docs + corpus.n_empty_dropped)),
        n_docs=corpus.n_docs,
        n_tokens=corpus.n_tokens,
        n_words=corpus.n_words,
        dropped=_unpacked(dict[str, int], noted.get("dropped", {})),
        commonest=tuple((corpus.vocab[w], int(totals[w]), int(in_docs[w])) for w in top),
        removed=_unpacked(dict[str, Removed], noted.get("removed", {})),
        lengths=corpus.doc_lengths,
        zipf=_zipf(noted) or zipf(totals),
        settings=_unpacked(TextSettings, noted["settings"]) if "settings" in noted else AS_COUNTED,
        n_repeated=int(noted.get("n_repeated", 0)),
        reading=_unpacked(Reading, noted["reading"]) if "reading" in noted else None,
    )


def _zipf(noted: Mapping[str, Any]) -> tuple[I64, I64] | None:
    if "zipf" not in noted:
        return None
    ranks, frequencies = noted["zipf"]
    return np.array(ranks, np.int64), np.array(frequencies, np.int64)


def _unpacked(kind: Any, tree: Any) -> Any:
    return store.unpack(kind, tree, {})
