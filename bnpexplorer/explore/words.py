"""Words of topics: which are typical of one, and in which topics a word lives.

Words that are the pixels of a picture, so that a topic can be looked at.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.arrays import F64, I64
from ..corpus.corpus import Corpus
from ..state.snapshot import Topics


def overall(corpus: Corpus) -> F64:
    """The share of every word in all tokens of the corpus: float64 (V,)."""
    counts = corpus.word_totals
    return np.asarray(counts / counts.sum())


def relevance(probs: npt.NDArray[Any], p_word: F64, weight: float) -> F64:
    """Relevance of every word to a topic: float64 (V,).

    `weight` ln p(w | k) + (1 - `weight`) ln [p(w | k) / p(w)], Sievert & Shirley 2014, equation 1
    (their lambda). `probs` (V,) is the topic, `p_word` (V,) the words' shares overall; a word that
    never occurs, or has no probability in the topic, is minus infinity. Raises ValueError unless
    `weight` lies in [0, 1].
    """
    if not 0.0 <= weight <= 1.0:
        raise ValueError(f"The weight of probability must lie between 0 and 1; got {weight}.")
    there = (p_word > 0.0) & (probs > 0.0)
    values = np.full(len(p_word), -np.inf)
    values[there] = np.log(probs[there].astype(np.float64)) - (1.0 - weight) * np.log(p_word[there])
    return values


def most_relevant(probs: npt.NDArray[Any], p_word: F64, weight: float, n: int) -> I64:
    """The `n` most relevant words of a topic that occur at all, most relevant first."""
    values = relevance(probs, p_word, weight)
    order = np.argsort(-values, kind="stable")[:n]
    return np.asarray(order[np.isfinite(values[order])])


def shares_of_word(topics: Topics, word: int) -> F64:
    """p(topic | word) by Bayes' rule with the topics' shares of all tokens: float64 (K,).

    For mixtures the shares are those of documents. Zeros if no topic has the word.
    """
    joint = topics.size * topics.topic_word[:, word]
    total = float(joint.sum())
    return np.asarray(joint / total if total > 0.0 else joint)


def find_words(vocab: Sequence[str], text: str, limit: int = 12) -> list[int]:
    """Words that hold `text`, whatever the case and accents: equal ones, beginnings, the others.

    Shorter ones first within each.
    """
    wanted = plain(text)
    if not wanted:
        return []
    found = [(plain(word), w) for w, word in enumerate(vocab)]
    found = [(word, w) for word, w in found if wanted in word]
    found.sort(key=lambda pair: (not pair[0].startswith(wanted), len(pair[0]), pair[0]))
    return [w for _, w in found[:limit]]


def plain(text: str) -> str:
    """Lower case without accents."""
    apart = unicodedata.normalize("NFKD", text.strip().casefold())
    return "".join(c for c in apart if not unicodedata.combining(c))


PIXEL = re.compile(r"r(\d{1,2})c(\d{1,2})")
"""A word of a picture: r1c3 is row 1, column 3."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Where the words of a vocabulary stand in a picture."""

    shape: tuple[int, int]
    """Rows and columns."""
    rows: I64
    """int64 (V,), from 0."""
    columns: I64

    def shades(self, topic: npt.NDArray[np.floating]) -> F64:
        """A topic (V,) as a picture, float64 of `shape`: each word over its most probable one; a
        pixel without a word is 0."""
        picture = np.zeros(self.shape)
        picture[self.rows, self.columns] = topic
        return picture / (float(picture.max()) or 1.0)


def grid_of(vocab: Sequence[str]) -> Grid | None:
    """The grid of a vocabulary whose words are all pixels of one picture; None of any other."""
    found = [PIXEL.fullmatch(word) for word in vocab]
    places = [(int(m[1]), int(m[2])) for m in found if m is not None]
    if len(places) < len(vocab) or len(set(places)) < len(places) or not places:
        return None
    rows, columns = np.array(places, np.int64).T - 1
    if min(rows.min(), columns.min()) < 0 or min(rows.max(), columns.max()) < 1:
        return None
    return Grid((int(rows.max()) + 1, int(columns.max()) + 1), rows, columns)
