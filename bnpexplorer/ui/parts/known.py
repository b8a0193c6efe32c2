"""Topics that made the texts, where they are known: which were found again, and, where words are
pixels, what each looks like beside its partner."""

from functools import partial

from ...core.arrays import F64
from ...core.display import plural, style_beside
from ...core.html import Markup, as_is, render
from ...explore.likeness import CLOSE, FoundAgain, found_again
from ...explore.words import Grid, grid_of
from ...plots.pixels import pixel_image
from ...plots.style import QUIET, topic_colour
from ...state.moment import Moment
from ..frame.look import is_dark

draw = partial(render, "ui/parts/known.html")
CSS = style_beside(__file__, "known.css")
MOST_OTHERS = 12
"""Pictures of topics that are no true one's partner."""
EXPLAINED = (
    "Each pair: on the left, grey, a topic that made the texts; on the right, in its colour and "
    "with its number, the topic of the run that is matched to it, one to one by the smallest sum "
    f"of Jensen-Shannon distances, which stand below. Nearer than {CLOSE} counts as found again; "
    "an even mixture of two true topics lies at 0.56 from both. A pixel is a word, shaded by its "
    "probability over that of the topic's most probable one."
)


def found_at(moment: Moment, known: F64) -> FoundAgain:
    """Which topics in use are which true ones, at a moment of a run."""
    return moment.derived("found again", lambda: found_again(known, moment.topics))


def _grid_of(moment: Moment) -> Grid | None:
    return moment.corpus.derived("grid", lambda: grid_of(moment.vocab))


def has_pictures(moment: Moment) -> bool:
    """Whether its words are the pixels of a picture."""
    return _grid_of(moment) is not None


def fits(moment: Moment, known: F64 | None) -> bool:
    """Whether there are topics that made its texts, (J, V), and over its words."""
    return known is not None and bool(len(known)) and known.shape[1:] == (len(moment.vocab),)


def sheet(moment: Moment, known: F64 | None, others: bool = True) -> Markup:
    """Draw all true topics as pictures beside their partners, then the `others` in use.

    Empty where words are no pixels or no topics are known, (J, V).
    """
    grid, dark = _grid_of(moment), is_dark()
    if grid is None or known is None or not fits(moment, known):
        return Markup()
    key = ("sheet", _colours(moment), dark, others)
    return moment.derived(key, lambda: _sheet(dark, others, moment, known, grid))


def _colours(moment: Moment) -> tuple[int, ...]:
    """What the pictures of equal topics may still differ in."""
    return tuple(moment.look(topic) for topic in moment.in_use)


def _sheet(dark: bool, with_others: bool, _moment: Moment, _known: F64, _grid: Grid) -> Markup:
    found = found_at(_moment, _known)
    pairs = []
    for j, (row, distance) in enumerate(zip(found.rows.tolist(), found.distances, strict=True)):
        again = bool(found.close[j])
        words = "found again" if again else "not found"
        mine, name = Markup(), "no topic"
        if row >= 0:
            topic = int(_moment.topics.topic_ids[row])
            mine, name = _mine(_moment, _grid, topic, dark), f"topic {topic}"
            words += f", {distance:.2f}"
        true = _image(_grid, _known[j], QUIET[dark], dark, f"true {j + 1}")
        pairs.append({"again": again, "true": true, "mine": mine, "name": name, "words": words})
    left = [t for t in _moment.in_use if found.known_of(_moment.row[t]) is None]
    others = left if with_others else []
    return draw(
        "sheet",
        pairs=pairs,
        others=[(t, _mine(_moment, _grid, t, dark)) for t in others[:MOST_OTHERS]],
        n_others=plural(len(others), "topic"),
        most=MOST_OTHERS if len(others) > MOST_OTHERS else 0,
    )


def _mine(moment: Moment, grid: Grid, topic: int, dark: bool) -> Markup:
    words = moment.topics.topic_word[moment.row[topic]]
    return _image(grid, words, topic_colour(moment.look(topic), dark), dark, f"topic {topic}")


def _image(grid: Grid, words: F64, ink: str, dark: bool, alt: str) -> Markup:
    source = pixel_image(grid.shades(words), ink, dark)
    return draw("image", source=as_is(source), alt=alt)


def picture_of(moment: Moment, topic: int, known: F64 | None) -> Markup:
    """Draw one topic as a picture, beside its true one where it has any; empty where words are no
    pixels."""
    grid, dark = _grid_of(moment), is_dark()
    if grid is None:
        return Markup()
    mine, words = _mine(moment, grid, topic, dark), f"topic {topic} as a picture of its words"
    if known is not None and fits(moment, known):
        found = found_at(moment, known)
        j = found.known_of(moment.row[topic])
        if j is None:
            words += "; it is matched to none of the true topics"
        else:
            mine = _image(grid, known[j], QUIET[dark], dark, f"true {j + 1}") + mine
            verdict = "found again" if found.close[j] else "not found"
            words = (
                f"left the true topic that it is matched to, {found.distances[j]:.2f} away: "
                f"{verdict}"
            )
    return CSS + draw("alone", pictures=mine, words=words)
