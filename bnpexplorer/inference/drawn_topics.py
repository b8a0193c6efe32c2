"""Topics that are drawn given the topics of all tokens, and then stand still for a sweep.

Words are dealt with in chunks, each with random numbers of its own, so that who computes a chunk
makes no difference.
"""

import numpy as np

from ..core.arrays import F32, F64, I32, I64
from ..corpus.corpus import Corpus
from ..kernels.partly_collapsed import (
    EXACT,
    EXPECTED,
    POISSON,
    count_words,
    draw_words,
    make_tables,
)
from ..kernels.tuples import Cells, DrawnTopics, WordEntries
from .pool import Pool, here

CHUNK = 128
"""Words of a chunk: its generator takes 20 microseconds to make, its words milliseconds."""
WORDS = 2
"""The purpose of the streams of words; that of documents is `partly_collapsed.TOKENS`."""

DRAWS = {"poisson": POISSON, "exact": EXACT, "expected": EXPECTED}
"""How topics are drawn: by Poisson counts, or Dirichlet; or their mean is taken, which is no draw,
but finds topics in fewer passes where a chain begins."""


def stream_of(key: int, purpose: int, sweep: int, item: int) -> np.random.Generator:
    """The random numbers of one `item` (a chunk of words) of one `sweep`: those that
    `kernels.philox` makes of the same numbers."""
    keys, counter = [key, purpose], [0, item, sweep, 0]
    bits = np.random.Philox(key=np.array(keys, "u8"), counter=np.array(counter, "u8"))
    return np.random.Generator(bits)


def entries_of(corpus: Corpus) -> WordEntries:
    """The entries of a corpus word by word; those of a word in the order of documents."""
    order = np.argsort(corpus.word_ids, kind="stable")
    first = np.cumsum(corpus.counts, dtype=np.int64) - corpus.counts
    sizes = np.bincount(corpus.word_ids, minlength=corpus.n_words)
    start = np.concatenate(([0], np.cumsum(sizes)))
    return WordEntries(start, first[order], np.array(corpus.counts[order]))


def n_chunks(n_words: int) -> int:
    return -(-n_words // CHUNK)


def count_cells(pool: Pool | None, entries: WordEntries, topic: I32, n_slots: int) -> Cells:
    """n_kw of all words and slots; `topic` int32 (N,): the slot of every token, or -1."""
    n_words = len(entries.start) - 1
    found: list[tuple[I64, I32, I32]] = [None] * n_chunks(n_words)  # type: ignore[list-item]

    def work(start: int, stop: int) -> None:
        for chunk in range(start, stop):
            last = min((chunk + 1) * CHUNK, n_words)
            found[chunk] = count_words(chunk * CHUNK, last, entries, topic, n_slots)

    here(pool, work, len(found))
    sizes, slots, counts = (np.concatenate(part) for part in zip(*found, strict=True))
    return Cells(np.concatenate(([0], np.cumsum(sizes))), slots, counts)


def draw_topics(
    pool: Pool | None, cells: Cells, eta: float, base: F64, draw: str, key: int, sweep: int
) -> DrawnTopics:
    """Draw all topics given the tokens in them; ready for the draws of tokens.

    `base` float64 (K,): alpha Psi; slots where it is 0 get no topic. `draw`: a name of `DRAWS`.
    """
    n_words, n_slots, how = len(cells.start) - 1, len(base), DRAWS[draw]
    phi, used = np.empty((n_words, n_slots), np.float32), np.zeros(n_words, np.int64)
    sums = np.empty((n_chunks(n_words), n_slots))

    def fill(start: int, stop: int) -> None:
        for chunk in range(start, stop):
            first, last = chunk * CHUNK, min((chunk + 1) * CHUNK, n_words)
            rng = stream_of(key, WORDS, sweep, chunk)
            sums[chunk] = draw_words(first, last, cells, eta, base, how, phi, used, rng)

    here(pool, fill, len(sums))
    return tabled(pool, phi, used, sums.sum(axis=0), base)


def topics_given(pool: Pool | None, excess: F64, eta: float, base: F64, key: int) -> DrawnTopics:
    """Draw all topics from Dir(eta + `excess`), before any token has a topic.

    `excess` float64 (V, K): what they hold beside the prior. `base` float64 (K,): alpha Psi.
    """
    phi = np.empty(excess.shape, np.float32)

    def fill(start: int, stop: int) -> None:
        for chunk in range(start, stop):
            rows = slice(chunk * CHUNK, (chunk + 1) * CHUNK)
            drawn = stream_of(key, WORDS, 0, chunk).standard_gamma(excess[rows] + eta)
            phi[rows] = np.where(base > 0.0, np.maximum(drawn, 1e-30), 0.0)

    here(pool, fill, n_chunks(len(phi)))
    sums = phi.sum(axis=0, dtype=np.float64)
    return tabled(pool, phi, (phi > 0.0).sum(axis=1), sums, base)


def tabled(pool: Pool | None, phi: F32, used: I64, sums: F64, base: F64) -> DrawnTopics:
    """`phi` float32 (V, K) over its `sums` float64 (K,), which it overwrites, with alias tables.

    `used` int64 (V,): in how many slots each word is. `base` float64 (K,): alpha Psi.
    """
    start = np.concatenate(([0], np.cumsum(used)))
    n_cells = int(start[-1])
    cells = np.empty(n_cells, np.int32), np.empty(n_cells, np.int32), np.empty(n_cells, np.float32)
    drawn = DrawnTopics(phi, start, *cells, np.empty(len(phi)))
    inverse = 1.0 / np.where(sums > 0.0, sums, 1.0)
    here(pool, lambda a, b: make_tables(a, b, inverse, base, drawn), len(phi))
    return drawn


def smoothed(cells: Cells, slots: I64, total: F64, eta: float) -> F32:
    """E[Phi | z] = (eta + n_kw) / (V eta + n_k), float32 (K, V), of the topics in `slots` int64
    (K,); `total` float64 (K,): V eta + n_k of each of these."""
    n_words = len(cells.start) - 1
    place = np.full(max(int(cells.slot.max(initial=0)), int(slots.max(initial=0))) + 1, -1)
    place[slots] = np.arange(len(slots))
    out = np.repeat((eta / total).astype(np.float32)[:, None], n_words, axis=1)
    owner, row = np.repeat(np.arange(n_words), np.diff(cells.start)), place[cells.slot]
    known = row >= 0
    row, owner, count = row[known], owner[known], cells.held[known]
    out[row, owner] = (eta + count) / total[row]
    return out
