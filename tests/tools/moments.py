"""Moments by hand: topics of given sizes over a few words, without a run."""

import numpy as np

from bnpexplorer.corpus import Corpus
from bnpexplorer.models import MODELS
from bnpexplorer.state.labels import Labels
from bnpexplorer.state.moment import Moment
from bnpexplorer.state.snapshot import Snapshot, Topics

WORDS = ("a", "b<", "c")


def made(sizes, names=None, model="hdp", planned_docs=60, trace=(), **labels):
    """A moment of topics of these sizes, {identity: size}; every topic uses all `WORDS` evenly.

    `names` {identity: name} and `labels` (hidden, pinned) are what a person says of them.
    """
    size = np.array([*sizes.values()], float)
    n_topics, n_words = len(size), len(WORDS)
    weight = size / max(size.sum() + 1.0, 1.0)
    topics = Topics(
        np.full((n_topics, n_words), 1.0 / n_words, np.float32),
        size + 0.1 * n_words,
        size,
        weight,
        1.0 - float(weight.sum()),
        np.array([*sizes], np.int64),
        1.0,
        1.0,
        0.1,
    )
    snapshot = Snapshot(2, 20, 1.0, topics, tuple(trace), ())
    corpus = Corpus.from_csr(np.eye(n_words, dtype=int), WORDS)
    said = Labels(names or {}, **{key: frozenset(ids) for key, ids in labels.items()})
    return Moment(snapshot, corpus, MODELS[model](), said, "made", 30, planned_docs)
