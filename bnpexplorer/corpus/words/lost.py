"""Words that the expression for a word breaks or leaves out, so that a report can say so.

They never become tokens, so nothing else counts them. The beginnings of some texts are looked at.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .counting import Removed, most_frequent
from .cutting import Cutter
from .junk import ENDINGS
from .language.stems import stop_words
from .pattern import MARKS

LOOKED_AT = 1000
"""Texts, spread evenly: reading more would take a tenth of the time of counting them."""
LETTERS_OF_ONE = 5000
"""Of each text, from its beginning."""
PIECE = re.compile(rf"[\w{MARKS}]+(?:'[\w{MARKS}]+)*(?:-\d+(?!\w))?")
"""What stands between blanks and signs, with a number behind a hyphen: covid-19."""
MARK = re.compile(f"[{MARKS}]")
JOINED, DIGITS, SHORT, SINGLE = "joined by _", "with digits", "of two letters", "of one letter"
APART = "with accents or vowel signs apart from their letters"


@dataclass(frozen=True)
class LostWords:
    """Words of some texts that became no tokens, or only in part."""

    n_words: int
    """All words looked at, how often they occur: the kept ones, stop words and those lost."""
    removed: dict[str, Removed]
    """`JOINED`, `DIGITS`, `SHORT`, `SINGLE` or `APART` -> those lost for this reason."""

    def share(self, why: str) -> float:
        """Return the share of all words looked at that is lost for a reason, from 0 to 1."""
        found = self.removed.get(why)
        return found.tokens / self.n_words if found else 0.0


def spread(texts: Sequence[str], most: int = LOOKED_AT) -> list[str]:
    """Return the beginnings of at most `most` texts, spread evenly over all."""
    n = min(len(texts), most)
    return [texts[i * len(texts) // n][:LETTERS_OF_ONE] for i in range(n)]


def lost_words(texts: Sequence[str], cutter: Cutter) -> LostWords:
    """Return which words of the texts are broken or left out by the way they are cut."""
    times, documents = Counter[str](), Counter[str]()
    for text in spread(texts):
        pieces = PIECE.findall(cutter.preprocess(text))
        times.update(pieces)
        documents.update({*pieces})
    usual = ENDINGS.union(*map(stop_words, cutter.settings.codes or ("en",)))
    found: dict[str, list[str]] = {}
    n_words = 0
    for piece, n in times.items():
        n_words += n if any(map(str.isalpha, piece)) else 0
        why = _why(piece, cutter)
        if why and not (why in (SHORT, SINGLE) and piece in usual):
            found.setdefault(why, []).append(piece)
    removed = {}
    for why, words in found.items():
        shown = most_frequent([(word, documents[word]) for word in words], len(words))
        removed[why] = replace(shown, tokens=sum(times[word] for word in words))
    return LostWords(n_words, removed)


def _why(piece: str, cutter: Cutter) -> str:
    """Return why letters of a piece are in no token; an empty string where all are."""
    left = [True] * len(piece)
    for start, stop in cutter.spans(piece):
        left[start:stop] = [False] * (stop - start)
    lost = "".join(letter for letter, gone in zip(piece, left, strict=True) if gone)
    if not any(letter.isalpha() or MARK.match(letter) for letter in lost):
        broken = "-" in lost and any(map(str.isalpha, piece))  # covid of covid-19
        return DIGITS if broken else ""
    if "'" in piece:  # don't without its t has lost nothing
        parts = [part for part in piece.split("'") if len(part) > 2]
        return next(filter(None, (_why(part, cutter) for part in parts)), "")
    if "_" in piece:
        return JOINED
    if any(map(str.isdigit, piece)):
        return DIGITS
    if cutter.settings.cutter != "none":  # signs that stand alone in scripts without blanks
        return ""
    if MARK.search(piece):
        return APART
    return {1: SINGLE, 2: SHORT}.get(len(piece), "")
