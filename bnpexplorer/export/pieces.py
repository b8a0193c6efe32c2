"""What a report of a run and a run in a notebook both show: its head, its curves, its topics.

Every function returns HTML without scripts, whose words are escaped.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from ..core.display import rules_beside
from ..evaluate import PROTOCOLS, effective_topics, unigram_score
from ..plots.live import marks_along
from ..plots.style import colour, topic_colour
from ..runs.run import Run
from ..state.moment import Moment
from ..state.snapshot import TracePoint
from .drawing import DrawnCurve, Ink, Level, Triangles, line_chart

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
        words = f"{topics:,} topics in use, as diverse as {diverse} of equal size"
    words += f", by {run.method.name}"
    words += f" after {snapshot.docs_seen:,} of {run.planned_docs:,} documents"
    if snapshot.heldout is not None:
        score = f"{snapshot.heldout:.2f}".replace("-", "−")
        words += f"; held-out log likelihood per word {score}"
    return " ".join(filter(None, (f"{words}.", run.judgement)))


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
) -> str:
    """Score and topics in use of one run; `with_numbers`: with a table of each, folded away;
    `to_the_end`: with room for all that it is to read, so that curves grow into their places."""
    drawn = [DrawnRun(run.method.name, moment, run.method.colour)]
    x_end = float(moment.planned_docs) if to_the_end else 0.0
    return curves_of(drawn, protocol_sentence(run.protocol), level, with_numbers, x_end)


def curves_of(
    runs: Sequence[DrawnRun],
    protocol: str,
    level: float | None,
    with_numbers: bool = False,
    x_end: float = 0.0,
) -> str:
    """Score and topics in use of runs on one ground, side by side, as they learned; births and ends
    of topics where there is one run."""
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
    marked = " Triangles: born (up), gone (down)." if any(c.marks for c in counts) else ""
    said = protocol or "Nothing was held out, so there is no score."
    unit = "document" if runs[0].moment.mixture else "word"
    tables = _numbers(runs[0].moment) if with_numbers else ("", "")
    return (
        '<div class="pair"><figure><h3>Held-out log likelihood per word</h3>'
        f"{left}<figcaption>{escape(said)}</figcaption>{tables[0]}</figure>"
        f"<figure><h3>Topics in use</h3>{right}"
        f"<figcaption>In use: holds at least one {unit}.{marked}</figcaption>{tables[1]}</figure>"
        "</div>"
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


def _numbers(moment: Moment) -> tuple[str, str]:
    """The numbers behind both figures, folded away."""
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


def _folded(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return f"<details><summary>Read as table</summary>{table(heads, rows)}</details>"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], n_words: int = 0) -> str:
    """A table of plain text; all columns but the first `n_words` hold numbers, at the right."""
    kinds = [' class="n"' if i >= n_words else "" for i in range(len(heads))]
    head = "".join(
        f'<th scope="col"{kind}>{escape(h)}</th>' for h, kind in zip(heads, kinds, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(f"<td{kind}>{escape(c)}</td>" for c, kind in zip(row, kinds, strict=True))
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


# ---- topics ------------------------------------------------------------------------------------


def inks(look: int) -> Ink:
    """The colours of a topic by its look."""
    return topic_colour(look, False), topic_colour(look, True)


def bar(share: float, largest: float, ink: Ink) -> str:
    """A bar, as long as the share is of the largest one."""
    width = BAR * share / (largest or 1.0)
    return f'<span class="bar" style="--l:{ink[0]};--d:{ink[1]};width:{width:.2f}rem"></span>'


def topics_table(moment: Moment, most: int | None = None) -> str:
    """The topics in use, the largest first, `most` of them: name, share, words."""
    labels, shown = moment.labels, moment.in_use[:most]
    largest = max(map(moment.share, shown), default=0.0)
    rows = []
    for topic in shown:
        share = moment.share(topic)
        tag = '<span class="tag">hidden</span>' if topic in labels.unseen else ""
        words = escape(moment.words_line(topic, N_WORDS))
        rows.append(
            f'<tr><td class="n">{topic}</td><td>{escape(moment.name(topic))}{tag}</td>'
            f'<td style="white-space:nowrap">{bar(share, largest, inks(moment.look(topic)))}'
            f"{100 * share:.1f} %</td><td>{words}</td></tr>"
        )
    return (
        '<div class="wide"><table class="topics"><thead><tr><th scope="col" class="n">topic</th>'
        f'<th scope="col">name</th><th scope="col">share of {escape(moment.unit)}</th>'
        '<th scope="col">most probable words</th></tr></thead><tbody>'
        f"{''.join(rows)}</tbody></table></div>"
    )
