"""Small pieces of HTML that change every second; plain functions.

Choices weighed two ways, by the collapsed update and by mean field; plain functions.

The table of the Lab's toy and of every birth: what a person has seen of two components there, they
find again in a run on their own texts.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import quote

import numpy as np

from ...core.arrays import F64
from ...core.display import style_beside
from ...core.html import Markup, render
from ...explore.why import WeighedChoices, power
from ...plots.style import percent, topic_colour, topic_paint
from ...state.moment import NO_WORDS, Moment
from ...state.snapshot import Frame

draw = partial(render, "ui/parts/html.html")
CSS = style_beside(__file__, "html.css")

N_WORDS = 8
"""Words of a topic in the table."""
LINE_STYLES = ("solid", "dashed", "dotted", "dashed", "dashed", "dotted")


def line_sample(ink: str, dash: int) -> Markup:
    """Draw a short piece of the run's line, as in the figures."""
    return draw("line_sample", style=LINE_STYLES[dash % len(LINE_STYLES)], ink=ink)


def named_line(ink: str, dash: int, label: str) -> Markup:
    """Draw a short piece of the run's line, and its name."""
    return draw("named_line", sample=line_sample(ink, dash), label=label)


@dataclass(frozen=True)
class StatusLine:
    """What the line of one run says."""

    label: str
    ink: str
    dash: int
    words: str
    """The phase in words."""
    fraction: float
    facts: tuple[str, ...]
    """The first is missed first: a narrow line has no place for the last."""
    start: str = ""
    """Where the run began, of a method that has several starts."""
    about: str = ""
    """What its method is, for who asks."""


def status_line(line: StatusLine) -> Markup:
    """Draw name, progress bar, phase and facts of one run."""
    whole = f"{line.label} from {line.start}" if line.start else line.label
    return draw(
        "status_line",
        line=line,
        sample=line_sample(line.ink, line.dash),
        percent=round(100 * line.fraction),
        about=": ".join(filter(None, (whole, line.about))),
    )


def progress_line(words: str, done: int, of: int) -> Markup:
    """Draw words, and below them a bar where the total is known."""
    return draw("progress_line", words=words, done=done, of=of)


def sparkline(values: F64, ink: str, width: int = 80, height: int = 18) -> Markup:
    """Draw a line without axes: a topic's share over time."""
    if len(values) < 2:
        return Markup()
    top = float(values.max()) or 1.0
    x = np.linspace(1, width - 1, len(values))
    y = height - 2 - (height - 4) * values / top
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    drawing = draw("sparkline", width=width, height=height, points=points, ink=ink)
    # As an image: Streamlit's sanitiser removes drawings that stand in the page itself.
    return draw("svg_image", quoted=quote(drawing))


def shares_over_time(frames: Sequence[Frame], topic: int, n_points: int = 40) -> F64:
    """The topic's share at up to `n_points` moments (0 before its birth)."""
    if not frames:
        return np.zeros(0)
    places = np.unique(np.linspace(0, len(frames) - 1, n_points).astype(int))
    values = []
    for place in places:
        where = np.flatnonzero(frames[place].topic_ids == topic)
        values.append(float(frames[place].weight[where[0]]) if len(where) else 0.0)
    return np.array(values)


def words_before(frames: Sequence[Frame], topic: int, docs_seen: int, n: int) -> set[int] | None:
    """The topic's `n` heaviest words at the last frame before `docs_seen`; None: not born yet."""
    for frame in reversed(frames):
        if frame.docs_seen <= docs_seen:
            where = np.flatnonzero(frame.topic_ids == topic)
            return set(frame.words(int(where[0]), n)) if len(where) else None
    return None


def new_since(moment: Moment) -> int:
    """Documents seen since when a word of the table counts as new."""
    return int(0.75 * moment.snapshot.docs_seen)


def topic_table(moment: Moment, listed: Sequence[int], dark: bool, leads: bool = False) -> Markup:
    """Draw the topics `listed`, one row each: share, history, top words.

    If it `leads`, names are buttons, for `to_topics.rows_lead`.

    A word is underlined and slanted if it was not among the topic's top words at `new_since`; a
    topic without words then is marked as new.
    """
    frames, since = moment.frames, new_since(moment)
    largest = max(map(moment.share, listed), default=0.0) or 1.0
    rows = []
    for topic in listed:
        share, look = moment.share(topic), moment.look(topic)
        before = words_before(frames, topic, since, N_WORDS)
        heaviest = moment.heaviest(topic, N_WORDS).tolist()
        rows.append(
            {
                "topic": topic,
                "name": moment.name(topic),
                "share": f"{100 * share:.1f}",
                "width": f"{5.2 * share / largest:.2f}",
                "paint": topic_paint(look, dark),
                "spark": sparkline(shares_over_time(frames, topic), topic_colour(look, dark)),
                "words": marked_words(moment, heaviest, before),
                "new": before is None and since > 0,
            }
        )
    return draw(
        "topic_table",
        rows=rows,
        unit=moment.unit,
        leads=leads,
        run_id=moment.run_id,
        no_words=NO_WORDS,
    )


def marked_words(
    moment: Moment, words: Sequence[int], before: Container[int] | None
) -> list[tuple[str, bool]]:
    """Return each word, and whether it is new: not `before`. None: nobody knows."""
    return [(moment.vocab[w], before is not None and w not in before) for w in words]


WEIGHED_CSS = style_beside(__file__, "weighed.css")
HEADS = (
    "prior weight",
    "likelihood, collapsed",
    "likelihood, mean field",
    "probability, collapsed",
    "by mean field",
)


@dataclass(frozen=True)
class RowChoice:
    """How a row of the table begins."""

    name: str
    about: str
    """Words beside the name; may be empty."""
    paint: str
    """Its colour, as WEIGHED_CSS paints it."""
    taken: bool = False


def table(choices: Sequence[RowChoice], weighed: WeighedChoices) -> Markup:
    """Draw one row a choice, in the order of `weighed`; mean field only where it is known."""
    told = len(weighed.log_meanfield) > 0
    heads = [head for head in HEADS if told or "mean field" not in head]
    collapsed = weighed.probability(mean_field=False)
    mean = weighed.probability(mean_field=True) if told else None
    rows = []
    for i, choice in enumerate(choices):
        numbers = [power(float(weighed.log_prior[i])), power(float(weighed.log_collapsed[i]))]
        bars = [_bar(float(collapsed[i]), choice.paint)]
        if mean is not None:
            numbers.append(power(float(weighed.log_meanfield[i])))
            bars.append(_bar(float(mean[i]), choice.paint))
        rows.append((choice, [*numbers, *bars]))
    return draw("weighed", heads=heads, rows=rows)


def _bar(share: float, paint: str) -> Markup:
    """Draw a probability as a bar and as a number."""
    return draw("probability", share=f"{share:.4f}", paint=paint, words=percent(share, 1))
