"""Pools for tests: one that sends all it is given, as a cluster does, and one that watches."""

import pickle

import numpy as np


class Sent:
    """`each` in this process, but work, pieces, what all share and results are pickled between;
    arrays arrive read-only, as they may from a network, if `frozen`."""

    n_workers, shares_memory = 3, False

    def __init__(self, frozen=False):
        self.frozen, self.n_pieces, self.n_bytes = frozen, [], 0

    def here(self, work, n):
        for i in reversed(range(n)):  # ranges in any order, and as small as can be
            work(i, i + 1)

    def each(self, work, pieces, given):
        self.n_pieces.append(len(pieces))
        given, work = self._sent(given), self._sent(work)
        return [self._sent(work(*self._sent(piece), given)) for piece in pieces]

    def _sent(self, value):
        buffers = []
        data = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
        raw = [bytes(b.raw()) if self.frozen else bytearray(b.raw()) for b in buffers]
        self.n_bytes += len(data) + sum(map(len, raw))
        return pickle.loads(data, buffers=raw)


def texts_of_lengths(rng, n_docs, n_words=60, longest=0):
    """Counts, int (n_docs, n_words), of Zipf's words, none empty; one document may be far longer
    than all others."""
    share = 1.0 / np.arange(1, n_words + 1)
    counts = rng.multinomial(12, share / share.sum(), n_docs)
    if longest:
        counts[n_docs // 2] = rng.multinomial(longest, np.full(n_words, 1.0 / n_words))
    return counts
