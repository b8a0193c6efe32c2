"""The same corpus without some words, to learn it again."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from ..corpus import Corpus, CorpusError
from ..readers.source import Source
from ..text import AS_COUNTED, Report, describe, make_corpus
from ..words.settings import TextSettings


def leave_out(
    corpus: Corpus, words: Collection[str], settings: TextSettings | None = None
) -> tuple[Corpus, Report]:
    """The corpus without `words`, and its report.

    Where texts are there, `settings` tell how they were cut, and every word is a single token, the
    texts are counted again with the words among the stop words: a place that becomes free in
    `max_features` is filled. Otherwise the words lose their columns: counts without texts, corpora
    whose settings are not known (None or `AS_COUNTED`), and terms such as "new york". Documents
    that lose their last word are left out.

    Raises CorpusError if nothing is left.
    """
    known = settings is not None and settings != AS_COUNTED
    if corpus.docs.text is None or settings is None or not known or not _tokens(words, settings):
        made = without_columns(corpus, words)
        return made, describe(made)
    texts = tuple(str(text) for text in corpus.docs.text)
    source = Source(corpus.name, "texts", texts=texts, docs=corpus.docs, rows=corpus.file_rows)
    more = " ".join([settings.extra_stop_words, *words]).strip()
    return make_corpus(source, replace(settings, extra_stop_words=more))


def _tokens(words: Collection[str], settings: TextSettings) -> bool:
    """Whether each word would be cut from a text as it stands."""
    plain = replace(settings, stop_words="none", extra_stop_words="")
    cutter = plain.vectorizer()
    return all(replace(plain, extra_stop_words=w).stop_list(cutter) == {w} for w in words)


def without_columns(corpus: Corpus, words: Collection[str]) -> Corpus:
    """The corpus without the columns of `words`. Raises CorpusError if no token is left."""
    gone = set(words)
    keep = np.flatnonzero([word not in gone for word in corpus.vocab])
    matrix = corpus.to_csr()[:, keep]
    if not matrix.nnz:
        raise CorpusError(f"{corpus.name}: no word is left without these; keep some of them.")
    vocab = [corpus.vocab[w] for w in keep]
    made = Corpus.from_csr(matrix, vocab, corpus.docs, corpus.name)
    rows, place = corpus.file_rows, corpus.docs.row
    if rows is None or place is None:
        return made
    why = (np.diff(matrix.indptr) == 0).astype(np.int64)
    return replace(made, file_rows=rows.judged(place, why, ["no word left"]))
