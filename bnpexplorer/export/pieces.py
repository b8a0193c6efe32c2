"""What a report of a run and a run in a notebook both show: its head, its curves, its topics.

Every function that draws returns HTML without scripts; `pieces.html` has its elements.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..core.display import rules_beside
from ..core.html import Markup, render
from ..evaluate import PROTOCOLS, effective_topics, unigram_score
from ..plots.live import marks_along
from ..plots.style import colour, topic_colour
from ..runs.run import Run
from ..state.moment import Moment
from ..state.snapshot import TracePoint
from .drawing import DrawnCurve, Ink, Level, Triangles, line_chart

draw = partial(render, "export/pieces.html")

N_WORDS = 12
"""Words of a topic in a table of topics."""
BAR = 6.0
"""Width of the longest bar, in rem."""
STREAM_SENTENCE = (
    "Log likelihood per word of each mini-batch before it is learned: half of each document's "
    "distinct words, given the other half; higher is better."
)

DRAWING_RULES = rules_beside(__file__, "drawing.css")
"""Style of the drawings, without an element around it."""


def protocol_sentence(protocol: str) -> str:
    """How a score is computed, by `Run.protocol`; empty if nothing is scored."""
    known = PROTOCOLS.get(protocol)
    return known.sentence if known else STREAM_SENTENCE if protocol else ""


def title_of(run: Run, moment: Moment) -> str:
    return f"{moment.noun.capitalize()}s of {run.corpus.name}"


def lead(run: Run, moment: Moment) -> str:
    """In plain text: how many topics, by what, after how much, how well, and how it ended."""
    snapshot, topics = moment.snapshot, len(moment.in_use)
    words = "1 topic in use"
    if topics != 1:
        diverse = f"{effective_topics(moment.topics):.0f}"
        many = moment.how_many if moment.small else f"{topics:,} topics in use"
        words = f"{many}, as diverse as {diverse} of equal size"
    if moment.whole is not None:
        words += f", in place of {len(moment.whole.in_use):,}"
    words += f", by {run.method.name}"
    words += f" after {run.passes_said(snapshot.docs_seen)}"
    if moment.score is not None:
        score = f"{moment.score:.2f}".replace("-", "−")
        words += f"; held-out log likelihood per word {score}"
    return " ".join(filter(None, (f"{words}.", told_of_fewer(moment), run.judgement)))


def told_of_fewer(moment: Moment) -> str:
    """Return how much fewer topics keep, if fewer are shown than the run has."""
    whole = moment.whole
    return "" if whole is None else " ".join(moment.fewer.sentences(len(whole.in_use))).strip()


# ---- curves ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DrawnRun:
    """One run in figures of one or several."""

    name: str
    moment: Moment
    slot: int
    """The place of its colour in the palette."""


def level_of(run: Run) -> float | None:
    """The score of word frequencies on what the run holds out; None where it holds out nothing."""
    return None if run.heldout is None else unigram_score(run.corpus, run.heldout)


def curves(
    run: Run,
    moment: Moment,
    level: float | None,
    with_numbers: bool = False,
    to_the_end: bool = False,
) -> Markup:
    """Draw score and topics in use of one run.

    `with_numbers`: with a table of each, folded away. `to_the_end`: with room for all that it is to
    read, so that curves grow into their places.
    """
    drawn = [DrawnRun(run.method.name, moment, run.method.colour)]
    x_end = float(moment.planned_docs) if to_the_end else 0.0
    return curves_of(drawn, protocol_sentence(run.protocol), level, with_numbers, x_end)


def curves_of(
    runs: Sequence[DrawnRun],
    protocol: str,
    level: float | None,
    with_numbers: bool = False,
    x_end: float = 0.0,
) -> Markup:
    """Draw score and topics in use of runs on the same texts, side by side, as they learned.

    Births and ends of topics are marked where there is one run.
    """
    scores, counts = [], []
    for run in runs:
        ink = (colour(run.slot, False), colour(run.slot, True))
        scored = [p for p in run.moment.trace if np.isfinite(p.heldout)]
        scores.append(DrawnCurve(run.name, *_xy(scored, "heldout"), ink))
        counted = run.moment.counted
        marks = _marks(run.moment, counted) if len(runs) == 1 else ()
        counts.append(DrawnCurve(run.name, *_xy(counted, "n_topics"), ink, steps=True, marks=marks))
    more = "; numbers in the table" if with_numbers else ""
    left = line_chart(
        scores,
        "documents seen",
        "log likelihood per word",
        f"Held-out log likelihood per word as the run learned{more}.",
        None if level is None else Level("word frequencies", level),
        x_end=x_end,
    )
    right = line_chart(
        counts,
        "documents seen",
        "topics in use",
        f"Topics in use as the run learned{more}.",
        x_end=x_end,
    )
    score_table, count_table = _numbers(runs[0].moment) if with_numbers else ("", "")
    return draw(
        "curves",
        scores=left,
        counts=right,
        protocol=protocol,
        unit="document" if runs[0].moment.mixture else "word",
        marked=any(curve.marks for curve in counts),
        score_table=score_table,
        count_table=count_table,
    )


def _marks(moment: Moment, points: Sequence[TracePoint]) -> list[Triangles]:
    """Births and ends along the curve of topics in use, as the app's figures have them."""
    if not points:
        return []
    return [
        Triangles(
            [float(points[i].docs_seen) for i in marks.places],
            marks.heights.tolist(),
            f"{marks.counts.sum():,} {marks.word}",
            up=marks.word == "born",
        )
        for marks in marks_along(moment, points)
    ]


def _xy(points: Sequence[Any], name: str) -> tuple[list[float], list[float]]:
    return [float(p.docs_seen) for p in points], [float(getattr(p, name)) for p in points]


def _numbers(moment: Moment) -> tuple[Markup, Markup]:
    """Return the numbers behind both figures, folded away."""
    trace = moment.snapshot.trace
    scored = [p for p in trace if np.isfinite(p.heldout)]
    return (
        _folded(("documents", "seconds", "score"), _rows(scored, "heldout")),
        _folded(("documents", "seconds", "topics in use"), _rows(trace, "n_topics")),
    )


def _rows(points: Sequence[Any], name: str) -> list[tuple[str, ...]]:
    return [
        (f"{p.docs_seen:,}", f"{p.seconds:,.2f}", f"{getattr(p, name):.6g}".replace("-", "−"))
        for p in points
    ]


def _folded(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Markup:
    return draw("folded", heads=heads, rows=rows)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], n_words: int = 0) -> Markup:
    """Return a table of plain text; all columns but the first `n_words` hold numbers."""
    return draw("table", heads=heads, rows=rows, n_words=n_words)


# ---- topics ------------------------------------------------------------------------------------


def inks(look: int) -> Ink:
    """Return the colours of a topic by its look."""
    return topic_colour(look, False), topic_colour(look, True)


def bar(share: float, largest: float, ink: Ink) -> Markup:
    """Return a bar whose length is the share over the largest one."""
    return draw("bar", ink=ink, width=f"{BAR * share / (largest or 1.0):.2f}")


def topics_table(moment: Moment, most: int | None = None) -> Markup:
    """Return a table of the first `most` topics in use, as lists have them: name, share, words."""
    labels, filler = moment.labels, moment.filler
    shown = moment.ordered(hidden=True)[:most]
    largest = max(map(moment.share, shown), default=0.0)
    rows = [
        {
            "topic": topic,
            "name": moment.name(topic),
            "tags": [
                *(["hidden"] if topic in labels.unseen else []),
                *(["filler"] if topic in filler else []),
            ],
            "bar": bar(moment.share(topic), largest, inks(moment.look(topic))),
            "share": f"{100 * moment.share(topic):.1f}",
            "top_words": moment.words_line(topic, N_WORDS),
        }
        for topic in shown
    ]
    return draw("topics_table", rows=rows, unit=moment.unit)
