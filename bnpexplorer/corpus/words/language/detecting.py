"""Which language texts are in: a few hundred documents vote.

A script that one language here is written in tells it, and so do English stop words; only other
documents ask `py3langid`. Its model takes 0.3 to 0.7 s to unpack, once in a process, which the
Texts page has done while a file is chosen.

The model of letters by which `py3langid` tells languages: it takes 0.5 s to unpack.
"""

import functools
import io
import lzma
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .names import NAMES

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier


SAMPLE = 300
"""Documents that vote."""
LETTERS_READ = 600
"""Letters of a document that are read, from its beginning."""
TOO_LITTLE = 5
"""Fewer words than this in all tell no language."""
MINOR = 0.1
"""The share of votes from which on a second language is one of the corpus."""
CLEARLY = 5.0
"""So many times as likely as the language of most must another be for a document to vote for it: a
Danish corpus is no mixture of Danish and Norwegian."""
LIKELY = 0.5
"""A document whose language is less likely does not vote by itself."""
_ENGLISH = (
    "the and for that with was this are not have from but you they which will would their there "
    "been were has had his her she him who what when them than then your our about because could "
    "should these those does its into how where just more very can"
)
ENGLISH = frozenset(_ENGLISH.split())
"""Words by which English is told, none of which another language is full of; not scikit-learn's
list, which takes a second to import, and whose shorter words (a, an, is) are Gaelic too."""
SURELY = 0.16, 3
"""Share and number of a document's words that are among these from which on it is English; English
prose has a quarter to a third."""
NOT_WORDS = re.compile(r"https?://\S+|www\.\S+|[@#]\w+|&\w+;|<[^>]{0,200}>")
_WORDS = re.compile(r"[^\W\d_]+")
SCRIPTS = {
    "el": "Ͱ-Ͽἀ-῿",
    "hy": "\u0531-\u058f",
    "he": "\u0590-\u05ff",
    "bn": "\u0980-\u09ff",
    "pa": "\u0a00-\u0a7f",
    "gu": "\u0a80-\u0aff",
    "or": "\u0b00-\u0b7f",
    "ta": "\u0b80-\u0bff",
    "te": "\u0c00-\u0c7f",
    "kn": "\u0c80-\u0cff",
    "ml": "\u0d00-\u0d7f",
    "si": "\u0d80-\u0dff",
    "th": "\u0e00-\u0e7f",
    "lo": "\u0e80-\u0eff",
    "bo": "\u0f00-\u0fff",
    "my": "\u1000-\u109f",
    "ka": "\u10a0-\u10ff",
    "ko": "\u1100-\u11ff\uac00-\ud7af",
    "am": "\u1200-\u137f",
    "km": "\u1780-\u17ff",
    "kana": "\u3041-\u30ff",
    "han": "\u3400-\u9fff\U00020000-\U0003ffff",
}
"""Scripts that one language here is written in, by its code; and the two of Japanese."""
_ANY_SCRIPT = re.compile(f"[{''.join(SCRIPTS.values())}]+")
_SCRIPT = re.compile("|".join(f"(?P<{name}>[{signs}]+)" for name, signs in SCRIPTS.items()))
SIGNS_A_WORD = 2.0
"""Signs of these scripts that weigh as much as a word with blanks around it."""


@dataclass(frozen=True)
class LanguageGuess:
    """What language a corpus is in."""

    shares: tuple[tuple[str, float], ...] = ()
    """(code, share of the votes), the largest first; those below `MINOR` are left out. Empty: too
    little text, or no language that is known here."""
    n_words: int = 0
    """Words that were looked at; of scripts without blanks an estimate."""

    @property
    def codes(self) -> tuple[str, ...]:
        """The languages, the commonest first."""
        return tuple(code for code, _ in self.shares)


def find_language(texts: Sequence[str]) -> LanguageGuess:
    """The language or languages of texts, from an even sample of them."""
    looks = [_look(text[:LETTERS_READ]) for text in _evenly(texts)]
    n_words = sum(n for _, n in looks)
    seen = [likely for likely, _ in looks if likely]
    firm = Counter(first for likely in seen if likely[first := _first(likely)] >= LIKELY)
    if n_words < TOO_LITTLE or not firm:
        return LanguageGuess((), round(n_words))
    leading = _first(firm)
    votes = Counter(_vote(likely, leading) for likely in seen)
    del votes[""]
    large = {c: n for c, n in votes.items() if n >= MINOR * votes.total()}
    ordered = sorted(large, key=lambda code: (-large[code], code))
    whole = sum(large.values())
    return LanguageGuess(tuple((code, large[code] / whole) for code in ordered), round(n_words))


def _evenly(texts: Sequence[str]) -> Iterator[str]:
    """At most `SAMPLE` of the texts, from all over."""
    n = min(len(texts), SAMPLE)
    return (texts[i * len(texts) // n] for i in range(n))


def _vote(likely: dict[str, float], leading: str) -> str:
    """What a document votes for; empty: for nothing."""
    best = _first(likely)
    if likely.get(leading, 0.0) * CLEARLY >= likely[best]:
        return leading
    return best if likely[best] >= LIKELY else ""


def _first(scores: Mapping[str, float]) -> str:
    return min(scores, key=lambda code: (-scores[code], code))


def _look(text: str) -> tuple[dict[str, float], float]:
    """Language -> how likely a text is in it, empty where nothing tells; and its words."""
    plain = unicodedata.normalize("NFC", NOT_WORDS.sub(" ", text))
    scripts = Counter[str]()
    for signs in _ANY_SCRIPT.findall(plain):  # three times as fast as every script at once
        for run in _SCRIPT.finditer(signs):
            scripts[str(run.lastgroup)] += len(run.group())
    n_words = sum(scripts.values()) / SIGNS_A_WORD
    words = [word.lower() for word in _WORDS.findall(_ANY_SCRIPT.sub(" ", plain))]
    if n_words > len(words):
        return _by_script(scripts), n_words + len(words)
    if not words:
        return {}, 0
    n_english = sum(word in ENGLISH for word in words)
    if n_english >= max(SURELY[0] * len(words), SURELY[1]):
        return {"en": 1.0}, n_words + len(words)
    return likely(" ".join(plain.split())), n_words + len(words)


def _by_script(scripts: Counter[str]) -> dict[str, float]:
    kana, han = scripts.pop("kana", 0), scripts.pop("han", 0)
    if kana + han > max(scripts.values(), default=0):
        if kana > 0.05 * (kana + han):
            return {"ja": 1.0}
        return {"zh": 0.8, "ja": 0.2}  # a Japanese headline may have no kana
    return {_first(scripts): 1.0}


SAME = {"nn": "no", "bs": "hr"}
"""Languages that share the lists of another."""
KEPT = 5
"""Languages of a text that are worth a thought."""
_UNPACKING = threading.Lock()


def unpack() -> None:
    """Have the model ready, unless it is; for a thread, so that nobody waits for it later."""
    _model()


def likely(text: str) -> dict[str, float]:
    """Language -> how likely a text is in it; empty where its letters tell nothing."""
    ranked = _model().rank(text)[:KEPT]
    if ranked[0][1] < 2 / len(NAMES):
        return {}
    found: dict[str, float] = {}
    for code, probability in ranked:
        name = SAME.get(code, code)
        found[name] = found.get(name, 0.0) + float(probability)
    return found


def _model() -> "LanguageIdentifier":
    with _UNPACKING:  # once, also where a thread is at it
        return _unpacked()


@functools.cache
def _unpacked() -> "LanguageIdentifier":
    """Read from memory: the package's own way writes a file, which a child that reads must not.

    Languages without a name here are left off at once: they hold 28 MB.
    """
    from py3langid import langid, modelio

    with lzma.open(langid.MODEL_DIR / langid.MODEL_FILE) as packed:
        arrays = np.load(io.BytesIO(packed.read()), allow_pickle=False)
    codes = arrays["classes"].tolist()
    known = [i for i, code in enumerate(codes) if SAME.get(code, code) in NAMES]
    return langid.LanguageIdentifier(
        arrays["ptc"][:, known],
        arrays["pc"][known],
        [codes[i] for i in known],
        modelio._to_array(arrays["nextmove"]),
        arrays["out_feat"].tolist(),
        norm_probs=True,
        tk_row=modelio._to_array(arrays["nextmove_row"]),
    )
