"""What each method says that its state takes, beside the sums that stand here by hand."""

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.methods import METHODS, make_method

TEXTS = Corpus.from_csr(np.array([[4, 0, 1, 0, 0], [2, 3, 0, 2, 0], [0, 1, 1, 0, 6]]))
"""3 documents, 5 words, 8 pairs of both, 20 tokens."""
TOKENS = 4 * 20 + 8 * 3 + 2 * 8 * (20 + 7 * 5)
"""Topics of tokens, ends of documents, and twice the cells of words with 7 to spare each."""
BLOCK_WORDS = 3 * (1 - (1 / 3) ** 3) + 2 * (1 - (2 / 3) ** 3)
"""Words expected in a block of 3 documents: three words are in 2 of them, two in 1."""
NOTHING = ("lda-svi", "hdp-svi", "dpm-batch", "dpm-svi", "dpm-collapsed", "dpm-tsvi", "dpm-sumo")
"""Their states do not grow with the documents."""
BYTES = {
    "lda-batch": ({"n_topics": 7}, 8 * 3 * 7),
    "hdp-batch": ({"doc_truncation": 4}, 8 * (4 + 8 * 4)),
    "lda-gibbs": ({"n_topics": 10, "n_kept": 3}, TOKENS + 4 * 3 * 16 * 5),
    "hdp-gibbs": ({"n_kept": 3, "n_start": 9}, TOKENS + 4 * 3 * 200 * 5),
    # 10 topics at the start, since there are few tokens; 4 spare ones, and 64 that may be added
    "hdp-parallel-gibbs": (
        {"n_start": 12, "spare": 4, "n_kept": 3},
        12 * 20 + 8 * 3 + 12 * 8 + 16 * 20 + (4 * 4 + 41) * 78 * 5,
    ),
    "hdp-tsvi": ({}, 16 * 20),
    "hdp-catvi": ({"kept_sweeps": 7}, 4 * 10 * 20),
    "gdp-catvi": ({"kept_sweeps": 2}, 4 * 5 * 20),
    "hdp-memoized": ({"truncation": 9}, int(8 * (3 + BLOCK_WORDS) * 10)),
    "hdp-splitmerge": ({"n_start": 2, "max_topics": 9}, 2 * int(8 * (3 + BLOCK_WORDS) * 10)),
    # clusters as the prior expects them
    "dpm-gibbs": ({"gamma": 2.0, "n_kept": 3}, int(8 * 3 + 4 * 3 * 5 * (2 / 2 + 2 / 3 + 2 / 4))),
    # 16 clusters at least, each with its share of the pairs
    "dpm-particle": ({"particles": 10}, int(16 * 10 * (16 + 8 / 16))),
    **{name: ({}, 0) for name in NOTHING},
}


@pytest.mark.parametrize("name", METHODS.ours)
def test_the_estimate_of_memory_is_the_sum_of_what_is_held(name):
    values, expected = BYTES[name]
    assert make_method(name, "default", values).memory(TEXTS) == expected


def test_what_a_batch_method_holds_of_documents_is_as_large_as_it_says():
    for name, fields in (("lda-batch", ["gamma"]), ("hdp-batch", ["phi", "indptr"])):
        method = make_method(name, "default", BYTES[name][0])
        state = method.init(TEXTS, np.random.default_rng(0))
        assert method.memory(TEXTS) == sum(getattr(state, field).nbytes for field in fields)


def test_a_particle_holds_clusters_as_the_prior_expects_them_within_limits():
    """3,000 documents of one word: 16 clusters at least, 200 at most, and no word twice."""
    texts = Corpus.from_csr(np.ones((3000, 1), int))
    for gamma, n_clusters in ((0.5, 16.0), (1000.0, 200.0)):
        method = make_method("dpm-particle", "default", {"gamma": gamma, "particles": 7})
        assert method.memory(texts) == 16 * 7 * (n_clusters + 1)
    method = make_method("dpm-particle", "default", {"gamma": 5.0, "particles": 7})
    expected = sum(5.0 / (5.0 + i) for i in range(3000))
    assert method.memory(texts) == int(16 * 7 * (expected + 1))
