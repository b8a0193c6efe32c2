"""topicwizard: what its figures and its app take."""

from typing import Any

import numpy as np

from ...core.arrays import F64
from ...corpus.corpus import Corpus
from ...export.result import Result
from ...runs.run import Run
from .pyldavis import to_pyldavis
from .results import result_from, used


def to_topicwizard(run: Run | Result) -> dict[str, Any]:
    """topicwizard's `TopicData`, for `topicwizard.figures` and, as `topic_data=`, for its app.

    `topic_term_matrix` float64 (K, V) and `document_topic_matrix` float64 (D, K) are those of
    `to_pyldavis`, with its order of topics and words; `topic_names` are those that the app shows;
    `document_term_matrix` int32 (D, V), sparse, holds the counts, and stands for the documents'
    places, too; `corpus` holds their texts, or their titles or ids where no texts are kept.
    `transform` is None: the model is not given. Dates have no place there, and labels go into
    `visualize(group_labels=...)` as an array.

    Raises ValueError if no topic is in use.
    """
    result = result_from(run)
    corpus, moment = result.corpus, result.moment
    arrays: dict[str, Any] = to_pyldavis(result)
    ids, _ = used(result)
    counts = corpus.to_csr()[:, np.flatnonzero(corpus.word_totals)]
    topics: F64 = arrays["topic_term_dists"]
    return {
        "corpus": _texts(corpus),
        "vocab": np.array(arrays["vocab"]),
        "document_term_matrix": counts,
        "document_topic_matrix": arrays["doc_topic_dists"],
        "topic_term_matrix": topics,
        "document_representation": counts,
        "transform": None,
        "topic_names": [moment.name(topic) for topic in ids],
    }


def _texts(corpus: Corpus) -> list[str]:
    docs = corpus.docs
    for column in (docs.text, docs.title, docs.id):
        if column is not None:
            return [str(value) for value in column]
    return [f"document {d}" for d in range(1, corpus.n_docs + 1)]
