"""A report of one run: a single HTML file without scripts, which fetches nothing.

Its curves and map are SVG of our own, 20 to 50 kB where plotly.js alone is 4.9 MB, and its content
policy forbids fetching and executing, whatever the texts hold.
"""

import datetime
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from ..core.versions import versions
from ..evaluate import effective_topics, topics_in_use, unigram_score
from ..explore.likeness import classical_scaling, jensen_shannon
from ..plots.style import colour, topic_colour
from .citations import papers_of
from .drawing import Curve, Level, line_chart, topic_map
from .result import Result

N_WORDS = 12
"""Words of a topic in the report."""
N_ON_MAP = 60
"""Topics on the map, the largest ones."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""Nothing may be fetched or executed, whatever the texts hold."""

CSS = """
:root { color-scheme: light dark; --paper: #fff; --text: #1c232b; --soft: #5a6672;
  --rule: rgba(28,35,43,.14); }
@media (prefers-color-scheme: dark) { :root { --paper: #11151c; --text: #ecf0f4; --soft: #a5b0bb;
  --rule: rgba(236,240,244,.18); } }
body { margin: 0 auto; max-width: 62rem; padding: 2rem 1.2rem 4rem; background: var(--paper);
  color: var(--text); font: 16px/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
h1 { font-size: 1.7rem; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .4rem; }
.quiet, figcaption { color: var(--soft); font-size: .92rem; }
.wide { overflow-x: auto; }
figure { margin: 0; } .pair { display: grid; gap: 1.6rem; grid-template-columns: 1fr 1fr; }
@media (max-width: 800px) { .pair { grid-template-columns: 1fr; } }
svg { width: 100%; height: auto; display: block; }
svg text { font: 14px system-ui, sans-serif; } .tick { fill: var(--soft); }
.grid { stroke: var(--rule); } .level { stroke: var(--soft); stroke-dasharray: 2 4; }
.curve { fill: none; stroke: var(--l); stroke-width: 2.5; } .ink { fill: var(--l); }
.map { overflow-x: auto; } .map svg { min-width: 40rem; }
.topic { fill: var(--l); fill-opacity: .3; stroke: var(--l); stroke-width: 1.5; }
.name { fill: var(--text); paint-order: stroke; stroke: var(--paper); stroke-width: 3px; }
.bar { display: inline-block; height: .6rem; border-radius: .15rem; background: var(--l);
  margin-right: .5rem; min-width: 2px; }
@media (prefers-color-scheme: dark) { .curve, .topic { stroke: var(--d); }
  .ink, .topic { fill: var(--d); } .bar { background: var(--d); } }
table { border-collapse: collapse; width: 100%; } caption { text-align: left; }
th, td { text-align: left; vertical-align: baseline; padding: .25rem .9rem .25rem 0;
  border-bottom: 1px solid var(--rule); } thead th { color: var(--soft); font-weight: 400; }
td.n, th.n { text-align: right; white-space: nowrap; }
.topics td:nth-child(2) { max-width: 14rem; overflow-wrap: anywhere; }
.topics td:last-child { min-width: 50%; }
.facts th { font-weight: 400; color: var(--soft); width: 34%; }
.facts td { overflow-wrap: anywhere; }
.tag { font-size: .8rem; border: 1px solid currentColor; border-radius: .3rem; padding: 0 .3rem;
  margin-left: .4rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--rule); padding: .8rem;
  border-radius: .4rem; font-size: .85rem; }
summary { cursor: pointer; color: var(--soft); } details { margin-top: .4rem; }
@media (max-width: 640px) { .topics thead { display: none; }
  .topics tr { display: flex; flex-wrap: wrap; gap: 0 .8rem; padding: .4rem 0;
    border-bottom: 1px solid var(--rule); }
  .topics td { border: 0; padding: 0; } .topics td:last-child { flex-basis: 100%; } }
@media print { .map svg { min-width: 0; }
  details { display: none; } h2 { break-after: avoid; } figure, tr {
  break-inside: avoid; } }
"""


def report(result: Result, made: datetime.date | None = None) -> str:
    """The report as HTML. `made`: the day to print (default: none, so that runs compare)."""
    run = result.run
    title = f"{run.method.name} on {run.corpus.name}"
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="quiet">{escape(_lead(result, made))}</p>',
        _curves(result),
        _topics(result),
        _map(result),
        _settings(result),
        _citing(result),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{CSS}</style></head><body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def _lead(result: Result, made: datetime.date | None) -> str:
    run, snapshot = result.run, result.snapshot
    topics = topics_in_use(snapshot.topics)
    words = "1 topic in use"
    if topics != 1:
        diverse = f"{effective_topics(snapshot.topics):.0f}"
        words = f"{topics:,} topics in use, as diverse as {diverse} of equal size"
    words += f", after {snapshot.docs_seen:,} of {run.planned_docs:,} documents"
    if result.score is not None:
        score = f"{result.score:.2f}".replace("-", "−")
        words += f"; held-out log likelihood per word {score}"
    day = f" Made on {made.isoformat()}." if made else ""
    return f"{words}.{day}"


# ---- curves ------------------------------------------------------------------------------------


def _curves(result: Result) -> str:
    run, trace = result.run, result.snapshot.trace
    slot = run.method.colour
    ink = (colour(slot, False), colour(slot, True))
    scored = [p for p in trace if np.isfinite(p.heldout)]
    level = None
    if run.heldout is not None:
        level = Level("word frequencies", unigram_score(run.corpus, run.heldout))
    score = Curve(run.method.name, *_xy(scored, "heldout"), ink)
    topics = Curve(run.method.name, *_xy(trace, "n_topics"), ink, steps=True)
    left = line_chart(
        [score],
        "documents seen",
        "log likelihood per word",
        "Held-out log likelihood per word as the run learned; numbers in the table.",
        level,
    )
    right = line_chart(
        [topics],
        "documents seen",
        "topics in use",
        "Topics in use as the run learned; numbers in the table.",
    )
    protocol = result.protocol_sentence or "Nothing was held out, so there is no score."
    in_use = f"In use: holds at least one {'document' if result.unit == 'documents' else 'word'}."
    return (
        '<div class="pair"><figure><h2>Held-out log likelihood per word</h2>'
        f"{left}<figcaption>{escape(protocol)}</figcaption>"
        + _table(("documents", "seconds", "score"), _rows(scored, "heldout"))
        + f"</figure><figure><h2>Topics in use</h2>{right}<figcaption>{in_use}</figcaption>"
        + _table(("documents", "seconds", "topics in use"), _rows(trace, "n_topics"))
        + "</figure></div>"
    )


def _xy(points: Sequence[Any], name: str) -> tuple[list[float], list[float]]:
    return [float(p.docs_seen) for p in points], [float(getattr(p, name)) for p in points]


def _rows(points: Sequence[Any], name: str) -> list[tuple[str, ...]]:
    return [
        (f"{p.docs_seen:,}", f"{p.seconds:,.2f}", f"{getattr(p, name):.6g}".replace("-", "−"))
        for p in points
    ]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The numbers behind a figure, folded away."""
    head = "".join(f'<th scope="col" class="n">{escape(h)}</th>' for h in heads)
    body = "".join(
        "<tr>" + "".join(f'<td class="n">{escape(cell)}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    return (
        "<details><summary>Read as table</summary><table><thead><tr>"
        f"{head}</tr></thead><tbody>{body}</tbody></table></details>"
    )


# ---- topics ------------------------------------------------------------------------------------


def _inks(topic: int) -> tuple[str, str]:
    return topic_colour(topic, False), topic_colour(topic, True)


def _topics(result: Result) -> str:
    shown = [k for k in result.by_size if result.in_use[k]]
    if not shown:
        return '<h2>Topics</h2><p class="quiet">No topic is in use yet.</p>'
    largest = float(result.shares[shown[0]]) or 1.0
    rows = []
    for k in shown:
        topic, share = result.topic_ids[k], float(result.shares[k])
        light, dark = _inks(topic)
        name = result.labels.names.get(topic, "")
        tag = '<span class="tag">hidden</span>' if topic in result.labels.hidden else ""
        words = escape(" · ".join(result.top_words(k, N_WORDS)))
        rows.append(
            f'<tr><td class="n">{topic}</td><td>{escape(name)}{tag}</td>'
            f'<td style="white-space:nowrap"><span class="bar" style="--l:{light};--d:{dark};'
            f'width:{6 * share / largest:.2f}rem"></span>{100 * share:.1f} %</td>'
            f"<td>{words}</td></tr>"
        )
    named = "name" if result.labels.names or result.labels.hidden else ""
    unit = escape(result.unit)
    return (
        '<h2>Topics, largest first</h2><p class="quiet">The number is the topic\'s identity in the '
        f"run. Shares are of all {unit} that were modelled.</p>"
        '<div class="wide"><table class="topics"><thead><tr><th scope="col" class="n">topic</th>'
        f'<th scope="col">{named}</th><th scope="col">share of {unit}</th>'
        '<th scope="col">most probable words</th></tr></thead><tbody>'
        f"{''.join(rows)}</tbody></table></div>"
    )


def _map(result: Result) -> str:
    shown = [int(k) for k in result.by_size if result.in_use[k]][:N_ON_MAP]
    if len(shown) < 3:
        return ""
    topic_word = result.snapshot.topics.topic_word[shown]
    points = classical_scaling(jensen_shannon(topic_word)).places
    words = [
        result.labels.names.get(result.topic_ids[k]) or result.top_words(k, 1)[0] for k in shown
    ]
    picture = topic_map(
        points,
        result.shares[shown],
        words,
        [_inks(result.topic_ids[k]) for k in shown],
        "Map of the largest topics: near each other where they use the same words.",
    )
    return (
        f'<h2>Map of the topics</h2><figure><div class="map">{picture}</div>'
        f"<figcaption>The {len(shown)} largest topics, "
        "by their names or their most probable word. Near each other: they use the same words "
        "(Jensen-Shannon distance, laid flat by classical scaling). Area: share. Directions mean "
        "nothing; a name without room is in its circle's tooltip.</figcaption></figure>"
    )


# ---- settings and citation ---------------------------------------------------------------------


def _settings(result: Result) -> str:
    run, corpus = result.run, result.corpus
    held_out = int(result.held_out.sum())
    facts: list[tuple[str, str]] = [
        (
            "Texts",
            f"{corpus.name}: {corpus.n_docs:,} documents, {corpus.n_words:,} different words",
        ),
        ("Held out", f"{held_out:,} documents" if held_out else "none"),
        ("Fingerprint of the corpus", corpus.fingerprint if result.by_rule else "not known"),
        ("Fingerprint without those held out", run.corpus.fingerprint),
        ("Method", f"{run.method.name}: {run.method.title}"),
        ("Source", run.method.source),
        ("Model", run.method.model.title),
        *((name, f"{value}") for name, value in result.model_settings.items()),
        *((name, f"{value}") for name, value in result.method_settings.items()),
        ("Seed", str(run.seed)),
        ("Passes", str(run.passes)),
        ("Batch size", f"{run.batch_size:,} documents"),
        ("Order of reading", run.order),
        ("Protocol of the score", result.protocol_sentence or "nothing was held out"),
        ("Seconds of learning", f"{result.snapshot.seconds:,.1f}"),
        ("Made with", ", ".join(f"{name} {number}" for name, number in versions().items())),
    ]
    if result.run_id:
        facts.insert(0, ("Run", result.run_id))
    if result.text_settings is not None:
        words = vars(result.text_settings)
        facts += [(f"Words: {name}", str(value)) for name, value in words.items() if value != ""]
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>'
        for name, value in facts
    )
    return f'<h2>Settings</h2><div class="wide"><table class="facts">{rows}</table></div>'


def _citing(result: Result) -> str:
    papers = "".join(f"<li>{escape(p.text())}</li>" for p in papers_of(type(result.run.method)))
    return (
        f"<h2>How to cite</h2><ul>{papers}</ul><pre>{escape(result.citation)}</pre>"
        '<p class="quiet">The same versions, seed and texts give the same numbers.</p>'
    )
