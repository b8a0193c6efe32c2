"""Topics that are drawn given the topics of all tokens, and then stand still for a sweep.

Words are dealt with in chunks, each with random numbers of its own, so that who computes a chunk
makes no difference.
"""

import numpy as np

from ..core.arrays import F32, F64, I32, I64
from ..corpus.corpus import Corpus
from ..kernels.drawn_words import (
    EXACT,
    EXPECTED,
    POISSON,
    count_words,
    draw_words,
    find_places,
    scale_slots,
)
from ..kernels.partly_collapsed import n_groups
from ..kernels.tuples import Cells, DrawnTopics, Phi, WordEntries
from .pool import Pool, here

Found = list[tuple[I64, I32, F32]]
"""What each chunk found: how many slots each word is in, these slots, and what stands there."""

CHUNK = 512
"""Words of a chunk: its generator and what it returns take 40 microseconds, its words half a
millisecond; of 128 words, with 100 topics, these were a third of all."""
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
) -> Phi:
    """Draw all topics given the tokens in them.

    `base` float64 (K,): alpha Psi; slots where it is 0 get no topic. `draw`: a name of `DRAWS`.
    """
    n_words, how = len(cells.start) - 1, DRAWS[draw]
    sums = np.empty((n_chunks(n_words), len(base)))
    found: Found = [None] * len(sums)  # type: ignore[list-item]

    def fill(start: int, stop: int) -> None:
        for chunk in range(start, stop):
            first, last = chunk * CHUNK, min((chunk + 1) * CHUNK, n_words)
            rng = stream_of(key, WORDS, sweep, chunk)
            found[chunk] = draw_words(first, last, cells, eta, base, how, sums[chunk], rng)

    here(pool, fill, len(sums))
    return over_sums(found, sums.sum(axis=0))


def topics_given(pool: Pool | None, excess: F64, eta: float, base: F64, key: int) -> Phi:
    """Draw all topics from Dir(eta + `excess`), before any token has a topic.

    `excess` float64 (V, K): what they hold beside the prior. `base` float64 (K,): alpha Psi.
    """
    sums = np.empty((n_chunks(len(excess)), len(base)))
    found: Found = [None] * len(sums)  # type: ignore[list-item]

    def fill(start: int, stop: int) -> None:
        for chunk in range(start, stop):
            rows = excess[chunk * CHUNK : (chunk + 1) * CHUNK]
            drawn = stream_of(key, WORDS, 0, chunk).standard_gamma(rows + eta)
            drawn = np.where(base > 0.0, np.maximum(drawn, 1e-30), 0.0)
            word, slot = np.nonzero(drawn)
            sizes = np.bincount(word, minlength=len(rows))
            sums[chunk] = drawn.sum(axis=0)
            found[chunk] = sizes, slot.astype(np.int32), drawn[word, slot].astype(np.float32)

    here(pool, fill, len(sums))
    return over_sums(found, sums.sum(axis=0))


def over_sums(found: Found, sums: F64) -> Phi:
    """What the chunks found, over `sums` float64 (K,), those of topics."""
    sizes, slot, drawn = (np.concatenate(part) for part in zip(*found, strict=True))
    scale_slots(slot, 1.0 / np.where(sums > 0.0, sums, 1.0), drawn)
    return Phi(np.concatenate(([0], np.cumsum(sizes))), slot, drawn)


def placed(pool: Pool | None, phi: Phi, base: F64) -> DrawnTopics:
    """Topics ready for the draws of tokens; `base` float64 (K,): alpha Psi."""
    n_words, n_cells = len(phi.start) - 1, len(phi.slot)
    groups = np.empty((n_words, n_groups(len(base))), np.uint64)
    slot, chance = np.zeros(n_cells + 1, np.int32), np.zeros(n_cells + 1, np.float32)
    drawn = DrawnTopics(groups, phi.start, slot, chance, np.empty(n_cells))
    here(pool, lambda a, b: find_places(a, b, phi, base, drawn), n_words)
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
