"""Inner loops of held-out scoring: predictive mixtures of topics.

D documents, U distinct (document, word) pairs, W distinct words among them, K topics. `local` holds
places among the W words; `topic_word` is (W, K), words first, so that loops run along memory.
"""

from .jit import F64, I32, I64, kernel


@kernel
def mixture_probabilities(
    indptr: I64, local: I32, theta: F64, topic_word: F64, out: F64, start: int, stop: int
) -> None:
    """out[u] = sum_k theta[d, k] topic_word[w, k] for the pairs of documents `start` to `stop`.

    Hoffman et al. 2013, section 4: the inner product of expected topics and proportions.
    """
    n_topics = theta.shape[1]
    for d in range(start, stop):
        for u in range(indptr[d], indptr[d + 1]):
            row = local[u]
            total = 0.0
            for k in range(n_topics):
                total += theta[d, k] * topic_word[row, k]
            out[u] = total
