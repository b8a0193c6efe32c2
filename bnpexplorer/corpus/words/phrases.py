"""Phrases such as supreme_court: neighbours that stand together far more often than by chance.

How surely two neighbours belong together is their normalised pointwise mutual information (Bouma
2009, Normalized (pointwise) mutual information in collocation extraction): 1 where the one never
stands without the other, 0 where they meet as often as by chance.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ...core.arrays import F64, I64, Bools
from .junk import Span

if TYPE_CHECKING:
    from .cutting import Cutter

JOINT = "_"
LONGEST = 3
"""Words of a phrase: two are found in a first pass, a third beside them in a second."""
MOST = 2_000
"""Phrases kept, those in most documents: the others would not be among the 20,000 words that count,
and then their words would be lost with them."""
LONGEST_FIRST = range(LONGEST, 1, -1)
GAPS = frozenset(("", " ", "  ", "\n", "\r\n", " \n", "\n ", "-", "\xa0"))
"""What may stand between neighbours: nothing in scripts without blanks. A comma or what was cleaned
away parts them."""
UNFIT = re.compile(r"[\s,;_]")
"""A token with one of these could not be read from a list of phrases."""

Token = TypeVar("Token", str, int)
Phrase = tuple[int, ...]
"""By the places of its words among some names."""
Heads = Mapping[Token, Set[tuple[Token, ...]]]
"""First token -> the phrases that begin with it."""


def stand_together(plain: str, before: Span, token: Span) -> bool:
    """Whether a token stands beside the one before, with nothing else between.

    Pairs of signs overlap, and each would make a phrase with the next: they are no neighbours.
    """
    return before[1] <= token[0] and plain[before[1] : token[0]] in GAPS


def neighbours(plain: str, spans: Sequence[Span]) -> list[bool]:
    """Of every token whether it stands beside the one before, with nothing else between."""
    beside = [stand_together(plain, before, token) for before, token in pairwise(spans)]
    return [False, *beside][: len(spans)]


def heads_of(phrases: Iterable[tuple[Token, ...]]) -> dict[Token, set[tuple[Token, ...]]]:
    """Phrases by their first token."""
    heads: dict[Token, set[tuple[Token, ...]]] = {}
    for phrase in phrases:
        heads.setdefault(phrase[0], set()).add(phrase)
    return heads


def lengths(
    tokens: Sequence[Token], beside: Callable[[int], bool], heads: Heads[Token]
) -> list[int]:
    """How many tokens every word of a text takes: from left to right, the longest phrase first.

    `beside`: whether a token is a neighbour of the one before; asked only where it matters.
    """
    found, i = [], 0
    while i < len(tokens):
        length, phrases = 1, heads.get(tokens[i])
        if phrases:
            for size in LONGEST_FIRST:
                phrase = tuple(tokens[i : i + size])  # shorter at the end
                if phrase in phrases and all(map(beside, range(i + 1, i + len(phrase)))):
                    length = len(phrase)
                    break
        found.append(length)
        i += length
    return found


def phrase_lengths(plain: str, spans: Sequence[Span], heads: Heads[str]) -> list[int]:
    """`lengths` of the words of a text whose tokens stand at `spans`."""
    tokens = [plain[a:b] for a, b in spans]
    if heads.keys().isdisjoint(tokens):
        return [1] * len(tokens)
    return lengths(tokens, lambda i: stand_together(plain, spans[i - 1], spans[i]), heads)


def joined_at(tokens: Sequence[str], sizes: Sequence[int]) -> list[str]:
    """The words of tokens, of which each takes so many."""
    words, i = [], 0
    for size in sizes:
        words.append(tokens[i] if size == 1 else JOINT.join(tokens[i : i + size]))
        i += size
    return words


def read_phrases(phrases: Iterable[str]) -> Heads[str]:
    """Phrases written as new_york and new_york_city."""
    return heads_of(tuple(phrase.split(JOINT)) for phrase in phrases)


# ---- which phrases there are ---------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class PhraseTokens:
    """All tokens of some texts, one after the other."""

    word: I64
    """int64 (n,): each token's place in `names`; -1 for a stop word and what joins no phrase."""
    beside: Bools
    """bool (n,): whether it and the token before are words and stand side by side."""
    parts: I64
    """int64 (n,): of how many tokens each was joined."""
    ends: I64
    """int64 (D,): where each document ends."""
    names: list[str]


def cut_all(texts: Iterable[str], cutter: "Cutter") -> PhraseTokens:
    """The tokens of texts as `cutter` cuts them, before any phrase is joined or word stemmed."""
    names = list[str]()

    class Ids(dict[str, int]):
        def __missing__(self, token: str) -> int:
            if not token or UNFIT.search(token) or cutter.is_stop(token):
                return self.setdefault(token, -1)
            names.append(token)
            return self.setdefault(token, len(names) - 1)

    word, beside, ends = list[int](), list[bool](), list[int]()
    ids = Ids()
    for text in texts:
        plain = cutter.preprocess(text)
        spans = cutter.spans(plain)
        word += [ids[plain[a:b]] for a, b in spans]
        beside += neighbours(plain, spans)
        ends.append(len(word))
    flat = np.array(word, np.int64)
    known = flat >= 0
    linked = np.array(beside, bool) & known & np.concatenate(([False], known[:-1]))[: len(flat)]
    return PhraseTokens(flat, linked, np.ones(len(flat), np.int64), np.array(ends, np.int64), names)


def npmi(both: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike, n: int) -> F64:
    """Normalised pointwise mutual information of neighbours, float64 from -1 to 1.

    `both`: how often they stand side by side; `first`, `second`: how often each stands anywhere;
    `n`: tokens in all. ln [p(x, y) / (p(x) p(y))] / -ln p(x, y).
    """
    p_both = np.asarray(both, np.float64) / n
    chance = np.asarray(first, np.float64) / n * (np.asarray(second, np.float64) / n)
    with np.errstate(divide="ignore", invalid="ignore"):
        score = np.log(p_both / chance) / -np.log(p_both)
    return np.asarray(np.where(p_both < 1.0, score, 1.0), np.float64)


def find_phrases(
    tokens: PhraseTokens, least: int, surest: float, documents: float
) -> tuple[str, ...]:
    """The phrases of some texts in the order of the alphabet, their words joined with `JOINT`.

    Two neighbours are one if they meet `least` times or more with an NPMI of `surest` or more; then
    a third word beside such two, counted anew, so that new_york may become new_york_city. A phrase
    that is in fewer than `documents` documents once the longer ones are joined is given up: its
    words count alone.
    """
    pairs, which = _collocations(tokens, least, surest, 2)
    triples, _ = _collocations(join_pairs(tokens, pairs, which), least, surest, LONGEST)
    phrases = sorted({*pairs, *triples})
    within = documents_with(tokens, coded_of(phrases, tokens.names))
    return commonest(dict(zip(phrases, within, strict=True)), documents)


def coded_of(phrases: Iterable[str], names: Sequence[str]) -> list[Phrase]:
    """Of each phrase where its words stand in `names`."""
    ids = {name: i for i, name in enumerate(names)}
    return [tuple(ids[word] for word in phrase.split(JOINT)) for phrase in phrases]


def commonest(within: Mapping[str, int], documents: float) -> tuple[str, ...]:
    """Of phrases, in so many documents each, those that are kept: in `documents` or more, and the
    `MOST` that are in most; in the order of the alphabet."""
    enough = [phrase for phrase in sorted(within) if within[phrase] >= documents]
    return tuple(sorted(sorted(enough, key=lambda phrase: -within[phrase])[:MOST]))


class Meetings(NamedTuple):
    """Neighbours that stand side by side in some texts, each pair of names once."""

    first: I64
    """int64 (p,): the place in `names` of the first of each; pairs come in the order of these."""
    second: I64
    """int64 (p,)."""
    times: I64
    """int64 (p,): how often they meet."""
    here: I64
    """int64 (m,): the tokens that end a pair."""
    which: I64
    """int64 (m,): which pair each of these ends."""


def meetings(tokens: PhraseTokens, parts: int, n_names: int) -> Meetings:
    """Neighbours of so many parts in all, both of them among the first `n_names`."""
    here = np.flatnonzero(tokens.beside)
    here = here[tokens.parts[here - 1] + tokens.parts[here] == parts]
    here = here[(tokens.word[here - 1] < n_names) & (tokens.word[here] < n_names)]
    keys = tokens.word[here - 1] * n_names + tokens.word[here]
    pairs, which, times = np.unique(keys, return_inverse=True, return_counts=True)
    first, second = np.divmod(pairs, max(n_names, 1))
    return Meetings(first, second, times, here, which)


def _collocations(
    tokens: PhraseTokens, least: int, surest: float, parts: int
) -> tuple[list[str], I64]:
    """Pairs of neighbours of so many parts in all that are phrases; and at every token, int64 (n,),
    which of them it ends, -1 for none."""
    n_names, ends = len(tokens.names), np.full(len(tokens.word), -1, np.int64)
    found = meetings(tokens, parts, n_names)
    words = tokens.word[tokens.word >= 0]
    often = np.bincount(words, minlength=n_names)
    score = npmi(found.times, often[found.first], often[found.second], len(words))
    chosen = (found.times >= least) & (score >= surest)
    number = np.where(chosen, np.cumsum(chosen) - 1, -1)
    ends[found.here] = number[found.which]
    names = [
        f"{tokens.names[a]}{JOINT}{tokens.names[b]}"
        for a, b in zip(found.first[chosen].tolist(), found.second[chosen].tolist(), strict=True)
    ]
    return names, ends


def join_pairs(tokens: PhraseTokens, pairs: Sequence[str], which: I64) -> PhraseTokens:
    """The tokens with every pair made one, from left to right; `which` int64 (n,) of `pairs` each
    ends, -1 for none."""
    at = np.arange(len(which))
    ends = which >= 0
    begun = np.maximum.accumulate(np.where(ends, -1, at)) if len(at) else at
    taken = np.flatnonzero(ends & ((at - begun) % 2 == 1))  # of a run every other, from its first
    word, parts = tokens.word.copy(), tokens.parts.copy()
    word[taken - 1] = len(tokens.names) + which[taken]
    parts[taken - 1] += parts[taken]
    stay = np.ones(len(word), bool)
    stay[taken] = False
    ends_now = np.concatenate(([0], np.cumsum(stay)))[tokens.ends]
    return PhraseTokens(
        word[stay], tokens.beside[stay], parts[stay], ends_now, [*tokens.names, *pairs]
    )


def documents_with(tokens: PhraseTokens, coded: Sequence[Phrase]) -> list[int]:
    """In how many documents each phrase, by the places of its words, is joined."""
    within, heads = Counter[Phrase](), heads_of(coded)
    starts = np.concatenate(([0], tokens.ends[:-1])).tolist()
    for start, end in zip(starts, tokens.ends.tolist(), strict=True):
        words, beside = tokens.word[start:end].tolist(), tokens.beside[start:end].tolist()
        seen, i = set(), 0
        for length in lengths(words, beside.__getitem__, heads):
            if length > 1:
                seen.add(tuple(words[i : i + length]))
            i += length
        within.update(seen)
    return [within[phrase] for phrase in coded]
