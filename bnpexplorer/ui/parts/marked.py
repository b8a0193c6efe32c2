"""A document with its words coloured by topic, as HTML; plain functions, all text escaped.

Where the words of a run's vocabulary stand in a text, as pages show it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape

from ...core.display import style_beside
from ...corpus import CorpusError
from ...corpus.occurrences import Occurrence, TextMatches, index_of
from ...corpus.settings import TextSettings
from ...intake.api import TryAgain, find_words
from ...plots.style import TOPICS_DARK, TOPICS_LIGHT, rgb
from ...state.moment import Moment
from ..frame.server import LoadedCorpus

LEVELS = (0.4, 0.6, 0.8)
"""Certainties between the four strengths of colour."""
CUT = 12_000
"""Letters of a document that are shown at first."""
WITH_HINTS = 3000
"""Marked words up to which each says its topic when the pointer rests on it."""

Look = Callable[[int], int]
"""Topic -> its look (`state.looks`)."""


@dataclass(frozen=True)
class TextMark:
    """A stretch of a text that belongs to a topic."""

    start: int
    stop: int
    topic: int
    """The topic's identity; -1: a topic not yet seen."""
    certainty: float
    """0 to 1: the strength of the colour."""
    hit: bool = False
    """Whether it was looked for."""


PLAIN = -2
"""In place of a topic: a hit that is no word of the vocabulary."""


def with_hits(marks: Sequence[TextMark], hits: Sequence[tuple[int, int]]) -> list[TextMark]:
    """The marks, those that meet a hit marked as such, and the hits that meet none, in order."""
    found, place = [], 0
    for start, stop in sorted(hits):
        while place < len(marks) and marks[place].stop <= start:
            found.append(marks[place])
            place += 1
        met = False
        while place < len(marks) and marks[place].start < stop:
            found.append(replace(marks[place], hit=True))
            place, met = place + 1, True
        if not met and (not found or found[-1].stop <= start):
            found.append(TextMark(start, stop, PLAIN, 0.0, True))
    return [*found, *marks[place:]]


def css(dark: bool) -> str:
    """The style sheet, and the palette as its variables."""
    inks = (
        f".bnp-text .t{slot} {{ --ink: {' '.join(map(str, rgb(ink)))}; }}"
        for slot, ink in enumerate(TOPICS_DARK if dark else TOPICS_LIGHT)
    )
    return style_beside(__file__, "marked.css") + f"<style>{' '.join(inks)}</style>"


def marked_text(
    text: str,
    marks: Sequence[TextMark],
    hint: Callable[[int], str],
    only: int | None = None,
    look: Look = abs,
) -> str:
    """`text` with its marks (in order, none over another); a number where the topic changes.

    `hint` names a topic, `look` says its colour. `only` leaves all other topics plain.
    """
    pieces, place, last = [], 0, None
    shown = [m for m in marks if only is None or m.topic == only or m.hit]
    for mark in shown:
        pieces.append(escape(text[place : mark.start], quote=False))
        word = escape(text[mark.start : mark.stop], quote=False)
        pieces.append(_mark(word, mark, mark.topic != last, len(shown) <= WITH_HINTS, hint, look))
        place = mark.stop
        last = last if mark.topic == PLAIN else mark.topic
    pieces.append(escape(text[place:], quote=False))
    return f'<div class="bnp-text" dir="auto">{"".join(pieces)}</div>'


def marked_counts(
    words: Sequence[tuple[str, int, int, float]],
    hint: Callable[[int], str],
    only: int | None,
    look: Look = abs,
) -> str:
    """(word, count, topic, certainty) one after the other, for documents without a text."""
    pieces = []
    for word, count, topic, certainty in words:
        shown = escape(word, quote=False)
        if only is None or topic == only:
            shown = _mark(shown, TextMark(0, 0, topic, certainty), True, True, hint, look)
        times = f" ×{count:,}" if count > 1 else ""
        pieces.append(f"<span>{shown}{times}</span>")
    return f'<div class="bnp-text counts" dir="auto">{" ".join(pieces)}</div>'


def _mark(
    word: str,
    mark: TextMark,
    numbered: bool,
    with_hint: bool,
    hint: Callable[[int], str],
    look: Look,
) -> str:
    hit = " hit" if mark.hit else ""
    if mark.topic == PLAIN:
        return f'<mark class="plain{hit}">{word}</mark>'
    level = sum(mark.certainty >= edge for edge in LEVELS)
    name = "none" if mark.topic < 0 else f"t{look(mark.topic) % len(TOPICS_LIGHT)} c{level}"
    title = ""
    if with_hint:
        words = f"{hint(mark.topic)}: {mark.certainty:.0%}"
        title = f' title="{escape(words, quote=True)}"'
    number = "?" if mark.topic < 0 else str(mark.topic)
    above = f"<sup>{number}</sup>" if numbered else ""
    return f'<mark class="{name}{hit}"{title}>{word}{above}</mark>'


def cut_place(text: str, marks: Sequence[TextMark | Occurrence], limit: int = CUT) -> int:
    """Where to cut a long text: before the first mark or word that would go beyond `limit`."""
    if len(text) <= limit:
        return len(text)
    through = next((m for m in marks if m.start < limit < m.stop), None)
    if through is not None:
        return through.start
    blank = max(text.rfind(sign, limit - 200, limit) for sign in " \n\t")
    return blank if blank > 0 else limit


def settings_of(loaded: LoadedCorpus) -> TextSettings | None:
    """How the texts were cut into words; None where nobody knows."""
    return loaded.report.settings if loaded.report else None


def found_in(moment: Moment, text: str, settings: TextSettings) -> TextMatches:
    """The words of a text, found once as long as it is looked at.

    Raises CorpusError where the pattern that cuts words does not get through it in time.
    """
    corpus = moment.corpus
    index = corpus.derived(("index", settings), lambda: index_of(corpus.vocab, settings))
    found = corpus.derived(("words of", text, settings), lambda: _find(text, settings, index))
    if isinstance(found, str):
        raise CorpusError(found)
    return found


def _find(text: str, settings: TextSettings, index: Mapping[str, int]) -> TextMatches | str:
    try:
        return find_words(text, settings, index)
    except TryAgain:
        raise
    except CorpusError as problem:  # kept: it took seconds
        return str(problem)
