"""Small pieces of HTML that change every second; plain functions, all text escaped."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

import numpy as np

from ...core.arrays import F64
from ...plots.style import topic_colour
from ...state.moment import Moment
from ...state.snapshot import Frame

CSS = """<style>
.bnp { font-size: 0.95rem; line-height: 1.45; font-variant-numeric: tabular-nums; }
.bnp-status { display: grid; grid-template-columns: minmax(9rem, 15rem) 1fr; gap: 0 1.2rem;
  align-items: center; padding: .3rem 0; }
.bnp-name { font-weight: 600; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.bnp-line { display: inline-block; width: 1.6rem; margin-right: .5rem; vertical-align: middle;
  border-top-width: 3px; }
.bnp-facts { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; align-items: center; }
.bnp-bar { flex: 0 1 11rem; min-width: 5rem; height: .45rem; border-radius: .25rem;
  background: color-mix(in srgb, currentColor 14%, transparent); overflow: hidden; }
.bnp-bar > span { display: block; height: 100%; }
@media (min-width: 641px) {  /* on a phone they stand in lines of their own */
  .bnp-phase { min-width: 6.6rem; }  /* all words but the rare long ones: what follows stays */
  .bnp-percent { min-width: 3rem; text-align: right; }
}
.bnp-quiet { opacity: .72; }
.bnp-topics { width: 100%; border-collapse: collapse; table-layout: fixed; }
.bnp-topics td, .bnp-topics th { border: 0; padding: .22rem .5rem .22rem 0; text-align: left;
  vertical-align: baseline; }
.bnp-topics th { font-weight: 400; opacity: .72; font-size: .85rem; }
.bnp-topics tr + tr td { border-top: 1px solid color-mix(in srgb, currentColor 9%, transparent); }
.bnp-topics .id { width: 3.4rem; text-align: right; padding-right: .9rem; opacity: .72; }
.bnp-topics .share { width: 9.5rem; }
.bnp-topics .spark { width: 5.5rem; }
.bnp-share { display: flex; align-items: center; gap: .5rem; }
.bnp-share > i { display: block; height: .6rem; border-radius: .15rem; min-width: 2px; }
.bnp-words em { font-style: italic; text-decoration: underline; text-decoration-thickness: 1px;
  text-underline-offset: .2em; }
.bnp-words { line-height: 1.5; }
.bnp-words span { opacity: .45; padding: 0 .1em 0 .35em; }
.bnp-tag { font-size: .78rem; border: 1px solid currentColor; border-radius: .3rem;
  padding: 0 .3rem; margin-left: .35rem; }
@media (max-width: 640px) {
  .bnp-status { grid-template-columns: 1fr; }
  .bnp-topics .spark { display: none; }
  .bnp-topics .id { width: 2.4rem; padding-right: .5rem; }
  .bnp-topics .share { width: 6.2rem; }
  .bnp-topics .share i { max-width: 1.8rem; }
}
</style>"""

N_WORDS = 8
"""Words of a topic in the table."""
LINE_STYLES = ("solid", "dashed", "dotted", "dashed", "dashed", "dotted")


def line_sample(ink: str, dash: int) -> str:
    """A short piece of the run's line, as in the figures."""
    style = LINE_STYLES[dash % len(LINE_STYLES)]
    return f'<span class="bnp-line" style="border-top-style:{style};border-top-color:{ink}"></span>'


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


def status_line(line: StatusLine) -> str:
    """Name, phase, progress bar and facts of one run."""
    percent = round(100 * line.fraction)
    facts = "".join(f'<span class="bnp-quiet">{escape(fact)}</span>' for fact in line.facts)
    bar = (
        f'<span class="bnp-bar" role="progressbar" aria-valuemin="0" aria-valuemax="100" '
        f'aria-valuenow="{percent}" aria-label="progress of {escape(line.label, quote=True)}">'
        f'<span style="width:{percent}%;background:{line.ink}"></span></span>'
    )
    return (
        f'<div class="bnp bnp-status"><div class="bnp-name">{line_sample(line.ink, line.dash)}'
        f'{escape(line.label)}</div><div class="bnp-facts">'
        f'<span class="bnp-phase">{escape(line.words)}</span>'
        f'{bar}<span class="bnp-percent">{percent} %</span>{facts}</div></div>'
    )


def sparkline(values: F64, ink: str, width: int = 80, height: int = 18) -> str:
    """A line without axes: how a topic's share went."""
    if len(values) < 2:
        return ""
    top = float(values.max()) or 1.0
    x = np.linspace(1, width - 1, len(values))
    y = height - 2 - (height - 4) * values / top
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    drawing = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
        f'<polyline points="{points}" fill="none" stroke="{ink}" stroke-width="1.6"/></svg>'
    )
    # As an image: Streamlit's sanitiser removes drawings that stand in the page itself.
    return f'<img alt="" src="data:image/svg+xml,{quote(drawing)}">'


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
            return set(frame.word_ids[where[0], :n].tolist()) if len(where) else None
    return None


def new_since(moment: Moment) -> int:
    """Documents seen since when a word of the table counts as new."""
    return int(0.75 * moment.snapshot.docs_seen)


def topic_table(moment: Moment, listed: Sequence[int], dark: bool) -> str:
    """The topics `listed`, one row each: share, history, top words.

    A word is underlined and slanted if it was not among the topic's top words at `new_since`; a
    topic without words then is marked as new.
    """
    frames, since = moment.snapshot.frames, new_since(moment)
    largest = float(moment.shares.max(initial=0.0)) or 1.0
    rows = []
    for topic in listed:
        share, ink = moment.share(topic), topic_colour(topic, dark)
        before = words_before(frames, topic, since, N_WORDS)
        words = []
        for w in moment.heaviest(topic, N_WORDS).tolist():
            text = escape(moment.vocab[w])
            fresh = before is not None and w not in before
            words.append(f"<em>{text}</em>" if fresh else text)
        tag = '<span class="bnp-tag">new</span>' if before is None and since > 0 else ""
        given = moment.labels.names.get(topic)
        name = f"<b>{escape(given)}</b> " if given else ""
        rows.append(
            f'<tr><td class="id">{topic}</td><td class="share"><div class="bnp-share">'
            f'<i style="width:{5.2 * share / largest:.2f}rem;background:{ink}"></i>'
            f"<span>{100 * share:.1f}&nbsp;%</span></div></td>"
            f'<td class="spark">{sparkline(shares_over_time(frames, topic), ink)}</td>'
            f'<td class="bnp-words">{name}{"<span>·</span> ".join(words)}{tag}</td></tr>'
        )
    head = (
        '<tr><th class="id" scope="col">topic</th>'
        f'<th class="share" scope="col">share of {escape(moment.unit)}</th>'
        '<th class="spark" scope="col">so far</th><th scope="col">most probable words</th></tr>'
    )
    return f'<div class="bnp"><table class="bnp-topics">{head}{"".join(rows)}</table></div>'
