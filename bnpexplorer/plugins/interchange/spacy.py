"""spaCy: documents that it has cut into words."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ...corpus.corpus import Corpus, CorpusError
from .bags import as_said, corpus_of_words, table_of

BESIDE = ("id", "title", "date", "text")
"""What `Doc.user_data` holds of a document, by these names."""


def content(token: Any) -> bool:
    """Whether a token is a word of letters and no stop word of its language."""
    return bool(token.is_alpha and not token.is_stop)


def from_spacy(
    documents: Iterable[Any],
    word: str = "lower_",
    keep: Callable[[Any], bool] = content,
    vocab: Sequence[str] | None = None,
    name: str = "corpus",
) -> Corpus:
    """The corpus of spaCy's `Doc`s, such as `nlp.pipe(texts)` gives, gone through once.

    `word`: the attribute of a token that is counted, "lower_", "text" or, after a pipeline that
    lemmatises, "lemma_"; `keep` says which tokens count. Words come in the order of the alphabet,
    or in that of `vocab`, which must hold them all. The text is `Doc.text`; the label is the
    likeliest of `Doc.cats`; `id`, `title`, `date` and `text` are taken of `Doc.user_data` where
    they stand there. Documents without a word that counts are left out.

    Raises CorpusError if a token that counts has nothing to count, if `vocab` lacks a word, and as
    `Corpus.from_csr`.

    >>> import spacy
    >>> from bnpexplorer.interchange import from_spacy
    >>> nlp = spacy.blank("en")
    >>> corpus = from_spacy(nlp.pipe(["The House and the Senate.", "A house, 22 houses."]))
    >>> corpus.vocab, corpus.to_csr().toarray().tolist()
    (('house', 'houses', 'senate'), [[1, 0, 1], [1, 1, 0]])
    """
    said: dict[str, list[Any]] = {field: [] for field in (*BESIDE, "label")}
    bags = []
    for number, document in enumerate(documents, 1):
        beside = {"text": document.text, **document.user_data}
        for field in BESIDE:
            said[field].append(beside.get(field))
        cats = document.cats
        said["label"].append(max(cats, key=cats.__getitem__) if cats else None)
        bags.append(Counter(_words(document, word, keep, number)).items())
    return corpus_of_words(bags, vocab, table_of(said), name)


def to_spacy(corpus: Corpus, vocab: Any) -> Iterator[Any]:
    """spaCy's `Doc`s, one after the other: every word as often as it occurs, in the order of the
    vocabulary, so that a `Doc`'s own text is none to read.

    `vocab`: spaCy's, such as `nlp.vocab`. The label becomes the one category in `cats`, of score 1;
    `id`, `title`, `date` and `text` go into `user_data`, which a `DocBin(store_user_data=True)`
    keeps. Words that occur nowhere, and the order of the vocabulary, have no place there.
    `from_spacy(docs, word="text", keep=lambda token: True, vocab=corpus.vocab)` gives the same
    corpus back.

    Needs spaCy.
    """
    from spacy.tokens import Doc

    words = np.array(corpus.vocab, dtype=object)
    for part in corpus.chunks():
        columns = part.docs.columns()
        for d in range(part.n_docs):
            own = slice(part.indptr[d], part.indptr[d + 1])
            repeated = np.repeat(words[part.word_ids[own]], part.counts[own])
            document = Doc(vocab, words=repeated.tolist())
            document.user_data["text"] = ""  # else its words would be taken for its text
            for key in set(BESIDE) & set(columns):
                document.user_data[key] = as_said(columns[key][d])
            if "label" in columns and str(columns["label"][d]):
                document.cats = {str(columns["label"][d]): 1.0}
            yield document


def _words(document: Any, word: str, keep: Callable[[Any], bool], number: int) -> Iterator[str]:
    """What is counted of the tokens of one document."""
    for token in document:
        if not keep(token):
            continue
        counted = getattr(token, word, None)
        if not isinstance(counted, str) or not counted:
            raise CorpusError(
                f"Document {number:,} has no {word!r} for its token {token.text!r:.40}; run a "
                "pipeline that makes it, such as one with a lemmatizer, or count word='lower_'."
            )
        yield counted
