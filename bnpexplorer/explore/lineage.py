"""Count which topics of a run went into the topics of another run on the same texts."""

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from ..core.arrays import F64, I64
from ..corpus.corpus import Corpus
from ..inference.assignments import Assignments, words_of
from ..inference.pool import Pool
from ..models import Model
from ..state.snapshot import Topics

MOST_TOKENS, BLOCK = 200_000, 8_192
"""Tokens that are looked at, of documents evenly chosen; and at once."""


def made_of(
    model: Model,
    topics: Topics,
    tokens: Assignments,
    n_topics: int,
    corpus: Corpus,
    pool: Pool | None = None,
) -> F64:
    """Count the tokens that `tokens` gives to topic n and a run to topic k: float64 (n_topics, K).

    `tokens` has a topic for every token of `corpus`. How much a token is of topic k is the run's
    own p(k | document, word), proportional to theta_dk beta_kw, by its model's fold-in.
    """
    every = -(-corpus.n_tokens // MOST_TOKENS)
    rows = np.arange(0, corpus.n_docs, every)
    texts = corpus.take(rows).without_text()
    theta, word = model.fold_in(topics, texts, pool), words_of(texts)
    document = np.repeat(np.arange(len(rows)), texts.doc_lengths)
    topic = np.concatenate([tokens.topic[slice(*tokens.doc_start[d : d + 2])] for d in rows])
    found = np.zeros((n_topics, len(topics)))
    for begin in range(0, len(word), BLOCK):
        part = slice(begin, begin + BLOCK)
        share = theta[document[part]] * topics.topic_word[:, word[part]].T
        share /= share.sum(axis=1, keepdims=True)
        one = np.ones(len(share)), (topic[part], np.arange(len(share)))
        found += np.asarray(sparse.csr_matrix(one, (n_topics, len(share))) @ share)
    return found


def one_to_one(shared: F64) -> I64:
    """Match N topics one to one with some of K, with the largest sum of `shared` (N, K).

    Returns the places among the K, int64 (N,)."""
    return np.asarray(linear_sum_assignment(shared, maximize=True)[1], np.int64)
