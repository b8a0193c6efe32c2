"""tomotopy: its corpora, and the documents of its models."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...corpus.corpus import Corpus, CorpusError
from .bags import Bag, as_said, corpus_of_words, table_of

FIELDS = {"id": "uid", "label": "metadata", "title": "title", "date": "date", "text": "text"}
"""Column of a table of documents -> what `to_tomotopy` calls it; models know the first two."""


def from_tomotopy(
    documents: Any,
    vocab: Sequence[str] | None = None,
    *,
    label: str = "",
    title: str = "",
    date: str = "",
    text: str = "",
    name: str = "corpus",
) -> Corpus:
    """The corpus of tomotopy's `utils.Corpus`, or of the documents that one of its models learns.

    Words keep tomotopy's order, for a model that of `used_vocabs`, so that column v of
    `get_topic_word_dist` is word v here; words that a model leaves out (`min_cf`, `rm_top`) are
    left out. `vocab` gives another order, and may hold words that occur nowhere. `uid` becomes the
    id; `label`, `title`, `date` and `text` name what else documents have, such as "metadata", or
    what was given to `add_doc`. These are not found out, since tomotopy 0.14 fails at the next
    question after one for what a document lacks. What order words had in a document, and weights
    of words, have no place here.

    Raises CorpusError if documents lack what is named, if `vocab` lacks a word, and as
    `Corpus.from_csr`.

    >>> import tomotopy
    >>> from bnpexplorer.interchange import from_tomotopy
    >>> documents = tomotopy.utils.Corpus()
    >>> _ = documents.add_doc(["tax", "house", "tax"], uid="first", party="left")
    >>> corpus = from_tomotopy(documents, label="party")
    >>> corpus.vocab, corpus.counts.tolist(), corpus.docs.id[0], corpus.docs.label[0]
    (('tax', 'house'), [2, 1], 'first', 'left')
    """
    of_model = hasattr(documents, "docs")
    held = documents.docs if of_model else documents
    if of_model:
        words = [*documents.used_vocabs] or [*documents.vocabs]
    else:
        words = [*dict.fromkeys(word for document in held for word in document)]

    def bags() -> Iterator[Bag]:
        for document in held:
            if not of_model:
                yield ((word, 1) for word in document)
            else:  # words that the model leaves out have the numbers behind
                yield ((words[w], 1) for w in document.words if w < len(words))

    asked = {"id": "uid", "label": label, "title": title, "date": date, "text": text}
    said = {field: _said(held, kept, field) for field, kept in asked.items() if kept}
    return corpus_of_words(bags(), words if vocab is None else vocab, table_of(said), name)


def to_tomotopy(corpus: Corpus) -> Any:
    """tomotopy's `utils.Corpus`: every word as often as it occurs, in the order of the vocabulary.

    Give it to a model as `LDAModel(k=..., corpus=...)`. The id becomes `uid`, if ids are distinct
    and none is empty, as tomotopy demands; the label becomes `metadata`, which its `DMRModel`
    learns from; `title`, `date` and `text` stay beside them and models leave them out. Words that
    occur nowhere, and the order of the vocabulary, have no place there: the same corpus comes back
    by `from_tomotopy(documents, corpus.vocab, label="metadata", title="title", ...)`.

    Needs tomotopy.
    """
    from tomotopy.utils import Corpus as Documents

    documents = Documents()
    vocab = np.array(corpus.vocab, dtype=object)
    ids = corpus.docs.id
    with_ids = ids is not None and len(set(map(str, ids))) == len(ids) and all(map(str, ids))
    for part in corpus.chunks():
        columns = {FIELDS[key]: c for key, c in part.docs.columns().items() if key in FIELDS}
        if not with_ids:
            columns.pop("uid", None)
        for d in range(part.n_docs):
            own = slice(part.indptr[d], part.indptr[d + 1])
            words = np.repeat(vocab[part.word_ids[own]], part.counts[own]).tolist()
            documents.add_doc(words, **{key: as_said(c[d]) for key, c in columns.items()})
    return documents


def _said(documents: Any, kept: str, field: str) -> list[Any]:
    """What documents keep under a name. Raises CorpusError."""
    try:
        return [getattr(document, kept) for document in documents]
    except (AttributeError, SystemError):
        raise CorpusError(
            f"Some document has no {kept!r} for the {field}; give add_doc(..., {kept}=...) for all "
            "of them, or choose another."
        ) from None
