"""Scripts that are written without blanks, cut into words.

A run of Chinese, Japanese or Thai signs is cut by a package; where there is none, into pairs of
neighbouring signs, as search engines do, so that no sentence is taken for a word.
"""

import functools
import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from .stems import imported, is_there

Span = tuple[int, int]
"""Where a piece begins and ends."""
Pieces = Callable[[str], list[str]]
"""From a run of signs to the words that it is made of, one after the other, nothing left out."""
KANA = "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
EAST = f"{KANA}\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
THAI = "\u0e01-\u0e3a\u0e40-\u0e4e"
OTHERS = "\u0e81-\u0ece\u0f40-\u0fbc\u1000-\u103f\u1050-\u109f\u1780-\u17d3"
"""Lao, Tibetan, Burmese and Khmer."""
RUN = re.compile(f"(?P<east>[{EAST}]+)|(?P<thai>[{THAI}]+)|(?P<others>[{OTHERS}]+)")
# A sign with the vowels and tones that are written on it.
SIGN = re.compile(
    r"[\u0e40-\u0e44\u0ec0-\u0ec4]?.[\u0e30-\u0e3a\u0e45\u0e47-\u0e4e\u0eb0-\u0ebc\u0ec8-\u0ece"
    r"\u0f71-\u0fbc\u102b-\u103e\u17b4-\u17d3]*",
    re.DOTALL,
)
UNSPACED = ("bo", "ja", "km", "lo", "my", "th", "zh")
"""Languages written in these scripts."""
CUTTERS = ("none", "pairs", "budoux", "rjieba", "fugashi")
"""What cuts runs: nothing, as before there was a choice; pairs of signs; or a package."""
_MODELS = {"ja": "ja_word", "zh": "zh-hans", "th": "th"}


def cutter_for(codes: Sequence[str]) -> str:
    """The best way that is installed to cut the runs of these languages."""
    first = next((code for code in codes if code in UNSPACED), "")
    if first == "zh" and is_there("rjieba"):
        return "rjieba"
    if first == "ja" and is_there("fugashi"):
        return "fugashi"
    return "budoux" if first in _MODELS else "pairs" if first else "none"


def runs_cut(plain: str, cutter: str, codes: Sequence[str]) -> Iterator[Span]:
    """The pieces of a text in which words are looked for.

    Pairs overlap; all other pieces lie one after the other.
    """
    before = 0
    for run in RUN.finditer(plain):
        if before < run.start():
            yield before, run.start()
        at = run.start()
        for start, stop in _cut_run(run.group(), str(run.lastgroup), cutter, tuple(codes)):
            yield at + start, at + stop
        before = run.end()
    if before < len(plain):
        yield before, len(plain)


def _cut_run(run: str, script: str, cutter: str, codes: tuple[str, ...]) -> list[Span]:
    pieces = _pieces(cutter, script, codes)
    if pieces is None:
        return _pairs(run)
    spans, at = [], 0
    for piece in pieces(run):
        spans.append((at, at + len(piece)))
        at += len(piece)
    return spans


def _pairs(run: str) -> list[Span]:
    """Every two neighbouring signs; of a single one, itself."""
    signs = [m.span() for m in SIGN.finditer(run)]
    return [(a, b) for (a, _), (_, b) in pairwise(signs)] or [(0, len(run))]


@functools.cache
def _pieces(cutter: str, script: str, codes: tuple[str, ...]) -> Pieces | None:
    """What cuts the runs of a script; None: pairs. Raises CorpusError if it is not installed."""
    east = next((code for code in codes if code in ("zh", "ja")), "zh")
    if cutter == "budoux" and script != "others":
        return _budoux(_MODELS[east if script == "east" else "th"])
    if cutter == "rjieba" and script == "east":
        jieba: Any = imported("rjieba", "These texts are Chinese: words are cut")
        return lambda run: list(jieba.cut(run))
    if cutter == "fugashi" and script == "east":
        return _fugashi()
    return None


def _budoux(name: str) -> Pieces:
    from budoux.parser import MODEL_DIR, Parser

    with open(f"{MODEL_DIR}/{name}.json", encoding="utf-8") as file:
        parser = Parser(json.load(file))
    return parser.parse


def _fugashi() -> Pieces:
    tagger = imported("fugashi", "These texts are Japanese: words are cut").Tagger()
    return lambda run: [word.surface for word in tagger(run)]
