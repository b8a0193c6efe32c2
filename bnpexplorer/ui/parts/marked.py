"""A document with its words coloured by topic, as HTML; plain functions.

Where the words of a run's vocabulary stand in a text, as pages show it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ...core.display import style, style_beside
from ...core.html import Markup, render
from ...corpus import CorpusError
from ...corpus.intake.api import find_words
from ...corpus.intake.refusing import TryAgain
from ...corpus.words.occurrences import Occurrence, TextMatches, index_of
from ...corpus.words.settings import TextSettings
from ...plots.style import TOPICS_DARK, TOPICS_LIGHT, rgb
from ...state.moment import Moment
from ..frame.server import LoadedCorpus

draw = partial(render, "ui/parts/marked.html")

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


def css(dark: bool) -> Markup:
    """Return the style sheet, and the palette as its variables."""
    inks = (
        f".bnp-text .t{slot} {{ --ink: {' '.join(map(str, rgb(ink)))}; }}"
        for slot, ink in enumerate(TOPICS_DARK if dark else TOPICS_LIGHT)
    )
    return style_beside(__file__, "marked.css") + style(" ".join(inks))


def marked_text(
    text: str,
    marks: Sequence[TextMark],
    hint: Callable[[int], str],
    only: int | None = None,
    look: Look = abs,
) -> Markup:
    """Draw `text` with its marks (in order, none over another); a number where the topic changes.

    `hint` names a topic, `look` says its colour. `only` leaves all other topics plain.
    """
    pieces: list[str] = []
    place, last = 0, None
    shown = [m for m in marks if only is None or m.topic == only or m.hit]
    for mark in shown:
        word, numbered = text[mark.start : mark.stop], mark.topic != last
        pieces.append(text[place : mark.start])
        pieces.append(_mark(word, mark, numbered, len(shown) <= WITH_HINTS, hint, look))
        place = mark.stop
        last = last if mark.topic == PLAIN else mark.topic
    return draw("text", pieces=[*pieces, text[place:]])


def marked_counts(
    words: Sequence[tuple[str, int, int, float]],
    hint: Callable[[int], str],
    only: int | None,
    look: Look = abs,
) -> Markup:
    """Draw (word, count, topic, certainty) one after the other, for documents without a text."""
    pieces = []
    for word, count, topic, certainty in words:
        shown = word
        if only is None or topic == only:
            shown = _mark(word, TextMark(0, 0, topic, certainty), True, True, hint, look)
        pieces.append((shown, f" ×{count:,}" if count > 1 else ""))
    return draw("counts", words=pieces)


def _mark(
    word: str,
    mark: TextMark,
    numbered: bool,
    with_hint: bool,
    hint: Callable[[int], str],
    look: Look,
) -> Markup:
    if mark.topic == PLAIN:
        return draw("plain", word=word, hit=mark.hit)
    level = sum(mark.certainty >= edge for edge in LEVELS)
    known = mark.topic >= 0
    return draw(
        "of_topic",
        word=word,
        look=f"t{look(mark.topic) % len(TOPICS_LIGHT)} c{level}" if known else "none",
        hit=mark.hit,
        title=f"{hint(mark.topic)}: {mark.certainty:.0%}" if with_hint else "",
        number=(str(mark.topic) if known else "?") if numbered else "",
    )


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
