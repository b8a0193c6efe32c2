"""What a page says of a stored corpus, from what its build noted."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...core import store
from ..counting import TOP, Removed, zipf
from ..text import AS_COUNTED, Report, TextSettings
from .stored import StoredCorpus


def report_of(corpus: StoredCorpus) -> Report:
    """The report of a corpus on the disk, without going through it.

    Of the manifest's `report` it takes `n_read`, `dropped`, `removed`, `settings` and `n_repeated`
    where they are there, as `store.pack` writes them; without, nothing was left out.
    """
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
        zipf=zipf(totals),
        settings=_unpacked(TextSettings, noted["settings"]) if "settings" in noted else AS_COUNTED,
        n_repeated=int(noted.get("n_repeated", 0)),
    )


def _unpacked(kind: Any, tree: Any) -> Any:
    return store.unpack(kind, tree, {})
