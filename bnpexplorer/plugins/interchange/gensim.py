"""gensim: bags of words with their Dictionary, and an LdaModel that holds the topics of a run."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...corpus.corpus import Corpus, CorpusError, DocTable
from ...export.result import Result
from ...runs.run import Run
from .bags import Bag, corpus_of_numbers, placed
from .results import prior_of, result_from, used


def from_gensim(
    bags: Iterable[Any], dictionary: Any, docs: DocTable | None = None, name: str = "corpus"
) -> Corpus:
    """The corpus of gensim's bags of words.

    `bags`: a list of lists of (token id, count), or one of gensim's corpora, such as `MmCorpus`;
    it is gone through once. `dictionary`: gensim's `Dictionary`, or a mapping from ids to words, or
    a list of words. Words keep the order of their ids; an id that has no word has no column.
    gensim knows nothing else of documents: give it in `docs`, one entry a bag.

    Raises CorpusError for a token id that the dictionary lacks, for counts that are negative or no
    whole numbers, for what is no bag, and as `Corpus.from_csr`.

    >>> from bnpexplorer.interchange import from_gensim, to_gensim
    >>> corpus = from_gensim([[(0, 2)], [(0, 1), (1, 3)]], ["house", "senate"])
    >>> corpus.to_csr().toarray().tolist()
    [[2, 0], [1, 3]]
    """
    words = _words(dictionary)
    ids = sorted(words)
    places = {token: place for place, token in enumerate(ids)}

    def unknown(token: Any, number: int) -> str:
        return (
            f"Document {number:,} of {name} holds the token id {token!r:.40}, which the dictionary "
            f"of {len(ids):,} words lacks; give the dictionary that made these bags."
        )

    pairs = (_bag(bag, number, name) for number, bag in enumerate(bags, 1))
    return corpus_of_numbers(pairs, places, [words[i] for i in ids], docs, name, unknown)


def to_gensim(corpus: Corpus) -> tuple[list[list[tuple[int, int]]], Any]:
    """Bags of words and their `Dictionary`, as `Dictionary.doc2bow` would give them.

    A word's id is its place in `corpus.vocab`; words that occur nowhere stay. Ids, titles, dates,
    labels and texts have no place there. The bags take about 150 bytes for every word of every
    document; `gensim.matutils.Sparse2Corpus(corpus.to_csr(), documents_columns=False)` takes 8.

    Needs gensim. Raises CorpusError if a word stands twice in the vocabulary.
    """
    from gensim.corpora import Dictionary

    dictionary = Dictionary()
    dictionary.token2id = {str(word): w for word, w in placed(corpus.vocab).items()}
    found, totals = corpus.word_docs.tolist(), corpus.word_totals.tolist()
    dictionary.dfs = {w: n for w, n in enumerate(found) if n}
    dictionary.cfs = {w: n for w, n in enumerate(totals) if n}
    dictionary.num_docs, dictionary.num_nnz = corpus.n_docs, corpus.n_pairs
    dictionary.num_pos = corpus.n_tokens
    return bags_of(corpus), dictionary


def bags_of(corpus: Corpus) -> list[list[tuple[int, int]]]:
    """The documents as lists of (word, count), the words by their places in the vocabulary."""
    bags = []
    for docs in corpus.without_text().chunks():
        pairs = list(zip(docs.word_ids.tolist(), docs.counts.tolist(), strict=True))
        bags += [pairs[first:last] for first, last in pairwise(docs.indptr.tolist())]
    return bags


def to_lda_model(run: Run | Result) -> Any:
    """gensim's `LdaModel` with the topics in use, the largest first, in float64.

    Made for what gensim does with topics: `CoherenceModel(model=..., corpus=bags,
    dictionary=dictionary)` with `to_gensim` of the texts, `show_topics`, `diff`, `get_topics`. Its
    `state.get_lambda()` (K, V) is the Dirichlet of the topics, `Topics.total * Topics.topic_word`;
    `get_topics()` is that with rows that sum to 1. `alpha` is the prior of a document's
    proportions, which is the model's concentration times the topics' weights, or the topics'
    weights for mixtures, and `eta` the prior of words. Of an HDP it keeps the topics and not that
    there may be more; names have no place there.

    Needs gensim. Raises ValueError if no topic is in use, CorpusError if a word stands twice.
    """
    from gensim.models import LdaModel

    result = result_from(run)
    topics, corpus = result.moment.topics, result.corpus
    _, places = used(result)
    words = {w: str(word) for word, w in placed(corpus.vocab).items()}
    dirichlet = topics.total[places, None] * topics.topic_word[places].astype(np.float64)
    model = LdaModel(
        id2word=words,
        num_topics=len(places),
        alpha=prior_of(result, places),
        eta=float(topics.eta),
        dtype=np.float64,
        random_state=0,  # draws topics that are replaced at once
    )
    model.state.sstats = dirichlet - model.eta
    model.state.numdocs = corpus.n_docs
    model.sync_state()
    return model


def _words(dictionary: Any) -> dict[int, str]:
    """Token id -> word, of whatever people call a dictionary."""
    known = getattr(dictionary, "token2id", dictionary)
    if isinstance(known, Mapping):
        if all(isinstance(key, str) for key in known):
            return {int(token): str(word) for word, token in known.items()}
        return {int(token): str(word) for token, word in known.items()}
    if isinstance(known, Sequence) and not isinstance(known, str):
        return {token: str(word) for token, word in enumerate(known)}
    raise CorpusError(
        f"A {type(dictionary).__name__} is no dictionary; give gensim's Dictionary, a mapping from "
        "token ids to words, or a list of words."
    )


def _bag(bag: Any, number: int, name: str) -> Bag:
    """The pairs of one document. Raises CorpusError where they are none."""
    try:
        return [(int(token), count) for token, count in bag]
    except (TypeError, ValueError):
        raise CorpusError(
            f"Document {number:,} of {name} is no bag of words, a list of (token id, count); make "
            "one by dictionary.doc2bow(words)."
        ) from None
