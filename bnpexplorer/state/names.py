"""Names of topics, suggested from the words that are most their own. K topics, V words."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from ..core.arrays import F64
from .snapshot import Frame, Topics
from .words import heaviest, least_shown

N_WORDS = 3
"""Words of a name."""
LEADING = 30
"""Words of a topic that may stand in its name, the most probable."""
WEIGHT = 0.5
"""Of probability in relevance. At 0.3 names had words of one document ("team teams pens"), at 0.8
those that many topics share ("article com apr")."""
STAYS = 8
"""A topic that is learning keeps its name as long as all its words are among so many of the most
relevant: two that change places every second would make it flicker."""

Words = tuple[int, ...]


def marginal(topics: Topics) -> F64:
    """The probability of each word over all topics, float64 (V,); needs no documents."""
    return np.asarray(topics.shares.astype(np.float32) @ topics.topic_word, np.float64)


def own_words(topics: Topics, p_word: F64, n: int = LEADING) -> list[list[int]]:
    """Return the `n` most probable words that each topic shows, its most own first.

    By relevance, `WEIGHT` ln p(w | k) + (1 - `WEIGHT`) ln [p(w | k) / p(w)] (Sievert & Shirley
    2014, equation 1).
    """
    words = heaviest(topics.topic_word, n)
    inside = np.take_along_axis(topics.topic_word, words, 1).astype(np.float64)
    tiny = np.finfo(np.float32).tiny
    relevance = np.log(inside + tiny) - (1.0 - WEIGHT) * np.log(p_word[words] + tiny)
    shown = inside >= least_shown(topics)[:, None]
    order = np.argsort(-relevance, axis=1, kind="stable")
    return [words[k, row[shown[k, row]]].tolist() for k, row in enumerate(order)]


def suggested(
    topics: Topics, vocab: Sequence[str], before: Mapping[int, Words] = {}
) -> dict[int, Words]:
    """The words of every topic's name, by identity; of two topics never the same words.

    The largest topics choose first, so that most have their three most own words; a smaller one
    whose words are taken has its next ones, or one more. Forms of a word that stands there already
    are passed over. Where all words of a topic are taken, those of another are its name, too: a
    vocabulary of three words has no more names. A topic that holds no word has no words. `before`
    holds the names of a moment ago.
    """
    if not len(topics):
        return {}
    own = own_words(topics, marginal(topics))
    taken: set[frozenset[int]] = set()
    found: dict[int, Words] = {}
    for k in topics.by_size.tolist():
        topic, words = int(topics.topic_ids[k]), own[k]
        kept = before.get(topic, ())
        if not kept or not set(kept) <= set(words[:STAYS]) or frozenset(kept) in taken:
            kept = _free(words, vocab, taken)
        taken.add(frozenset(kept))
        found[topic] = kept
    return found


def _free(words: Sequence[int], vocab: Sequence[str], taken: set[frozenset[int]]) -> Words:
    """The first words that are no forms of one another and no other topic's name."""
    roots = _roots(words, vocab)
    first = tuple(islice(roots, N_WORDS))
    if frozenset(first) not in taken:
        return first
    for more in roots:
        for name in ((*first[:-1], more), (*first, more)):
            if frozenset(name) not in taken:
                return name
    return first


def _roots(words: Sequence[int], vocab: Sequence[str]) -> Iterator[int]:
    """Words without the forms of those before them."""
    before: list[str] = []
    for w in words:
        if not any(alike(vocab[w], other) for other in before):
            before.append(vocab[w])
            yield w


def alike(one: str, other: str) -> bool:
    """Whether two words are forms of one: *car, cars*; *Armenia, Armenian*; *change, changing*.

    They begin with the same letters, all but the last two of the shorter and four at least; or
    one has at most two letters more.
    """
    short, long = sorted((one, other), key=len)
    same = max(4, len(short) - 2)
    if len(short) >= same and short[:same] == long[:same]:
        return True
    return 3 <= len(short) >= len(long) - 2 and long.startswith(short)


def last_held(frames: Sequence[Frame], least: float) -> dict[int, Words]:
    """Topic -> its heaviest words at the last moment at which its share was `least` or more, of all
    topics that any of the frames has; of one that never had so much, when it had most."""
    found: dict[int, tuple[float, Frame, int]] = {}
    for frame in frames:
        shares = zip(frame.topic_ids.tolist(), frame.weight.tolist(), strict=True)
        for k, (topic, share) in enumerate(shares):
            known = found.get(topic)
            if known is None or share >= min(least, known[0]):
                found[topic] = (max(share, known[0]) if known else share, frame, k)
    return {topic: tuple(frame.words(k, N_WORDS)) for topic, (_, frame, k) in found.items()}
