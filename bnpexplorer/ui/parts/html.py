"""Small pieces of HTML that change every second; plain functions, all text escaped.

Choices weighed two ways, by the collapsed update and by mean field; plain functions, escaped.

The table of the Lab's toy and of every birth: what a person has seen of two components there, they
find again in a run on their own texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

import numpy as np

from ...core.arrays import F64
from ...core.display import style_beside
from ...explore.why import WeighedChoices, power
from ...plots.style import percent, topic_colour, topic_paint
from ...state.moment import NO_WORDS, Moment
from ...state.snapshot import Frame

CSS = style_beside(__file__, "html.css")

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
    """The first is missed first: a narrow line has no place for the last."""
    start: str = ""
    """Where the run began, of a method that has several starts."""
    about: str = ""
    """What its method is, for who asks."""


def status_line(line: StatusLine) -> str:
    """Name, progress bar, phase and facts of one run."""
    percent = round(100 * line.fraction)
    facts = "".join(f'<span class="bnp-quiet">{escape(fact)}</span>' for fact in line.facts)
    bar = (
        f'<span class="bnp-bar" role="progressbar" aria-valuemin="0" aria-valuemax="100" '
        f'aria-valuenow="{percent}" aria-label="progress of {escape(line.label, quote=True)}">'
        f'<span style="width:{percent}%;background:{line.ink}"></span></span>'
    )
    start = f' <span class="bnp-quiet">from {escape(line.start)}</span>' if line.start else ""
    whole = f"{line.label} from {line.start}" if line.start else line.label
    about = escape(": ".join(filter(None, (whole, line.about))), quote=True)
    return (
        f'<div class="bnp bnp-status"><div class="bnp-name" title="{about}">'
        f"{line_sample(line.ink, line.dash)}{escape(line.label)}{start}</div>"
        f'{bar}<span class="bnp-percent">{percent} %</span>'
        f'<div class="bnp-facts" title="{escape(" · ".join(line.facts), quote=True)}">'
        f'<span class="bnp-phase">{escape(line.words)}</span>{facts}</div></div>'
    )


def progress_line(words: str, done: int, of: int) -> str:
    """Words, and below them a bar where it is known how many there are in all."""
    said = escape(words)
    bar = (
        f'<progress max="{of}" value="{done}" aria-label="{escape(words, quote=True)}"></progress>'
    )
    return f"<p>{said}{bar if of else ''}</p>"


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
            return set(frame.words(int(where[0]), n)) if len(where) else None
    return None


def new_since(moment: Moment) -> int:
    """Documents seen since when a word of the table counts as new."""
    return int(0.75 * moment.snapshot.docs_seen)


def topic_table(moment: Moment, listed: Sequence[int], dark: bool, leads: bool = False) -> str:
    """The topics `listed`, one row each: share, history, top words.

    If it `leads`, names are buttons, for `to_topics.rows_lead`.

    A word is underlined and slanted if it was not among the topic's top words at `new_since`; a
    topic without words then is marked as new.
    """
    frames, since = moment.frames, new_since(moment)
    largest = float(moment.shares.max(initial=0.0)) or 1.0
    whose = f'data-run="{escape(moment.run_id, quote=True)}"'
    rows = []
    for topic in listed:
        share, look = moment.share(topic), moment.look(topic)
        ink, paint = topic_colour(look, dark), topic_paint(look, dark)
        before = words_before(frames, topic, since, N_WORDS)
        words = []
        for w in moment.heaviest(topic, N_WORDS).tolist():
            text = escape(moment.vocab[w])
            fresh = before is not None and w not in before
            words.append(f"<em>{text}</em>" if fresh else text)
        line = "<span>·</span> ".join(words) or NO_WORDS
        tag = '<span class="bnp-tag">new</span>' if before is None and since > 0 else ""
        name = f"<b>{escape(moment.name(topic))}</b>"
        if leads:
            name = f'<button class="bnp-lead" {whose} data-topic="{topic}">{name}</button>'
        rows.append(
            f'<tr><td class="id">{topic}</td><td class="share"><div class="bnp-share">'
            f'<i style="width:{5.2 * share / largest:.2f}rem;background:{paint}"></i>'
            f"<span>{100 * share:.1f}&nbsp;%</span></div></td>"
            f'<td class="spark">{sparkline(shares_over_time(frames, topic), ink)}</td>'
            f'<td class="bnp-words"><div>{name}&ensp;{line}{tag}</div>'
            "</td></tr>"
        )
    head = (
        '<tr><th class="id" scope="col">topic</th>'
        f'<th class="share" scope="col">share of {escape(moment.unit)}</th>'
        '<th class="spark" scope="col">so far</th><th scope="col">most probable words</th></tr>'
    )
    return f'<div class="bnp"><table class="bnp-topics">{head}{"".join(rows)}</table></div>'


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


def table(choices: Sequence[RowChoice], weighed: WeighedChoices) -> str:
    """One row a choice, in the order of `weighed`; without mean field where nobody told it."""
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
        cells = [
            f'<td data-head="{escape(head, quote=True)}">{cell}</td>'
            for head, cell in zip(heads, [*map(escape, numbers), *bars], strict=True)
        ]
        taken = ' class="taken"' if choice.taken else ""
        rows.append(f"<tr{taken}>{_name(choice)}{''.join(cells)}</tr>")
    head = "".join(f'<th scope="col">{escape(h)}</th>' for h in ("choice", *heads))
    return (
        '<div class="bnp-weighed" tabindex="0" role="region" aria-label="what was weighed">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _name(choice: RowChoice) -> str:
    mark = " ← taken" if choice.taken else ""
    about = f"<small>{escape(choice.about)}</small>" if choice.about else ""
    return (
        f'<th scope="row"><i style="background:{choice.paint}"></i>'
        f"<span>{escape(choice.name)}{mark}{about}</span></th>"
    )


def _bar(share: float, paint: str) -> str:
    """A probability as a bar and as a number."""
    return f'<i style="--share:{share:.4f};background:{paint}"></i>{percent(share, 1)}'
