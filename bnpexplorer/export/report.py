"""A report of one run: a single HTML file without scripts, which fetches nothing.

Its curves and map are SVG of our own, 20 to 50 kB where plotly.js alone is 4.9 MB, and its content
policy (in `core/document.html`) forbids fetching and executing, whatever the texts hold.
"""

import datetime
from functools import partial

from ..core.display import style, style_beside
from ..core.html import Markup, render
from ..core.installation import versions
from ..explore.likeness import classical_scaling, jensen_shannon
from ..runs.choices import UNTIL
from .citations import papers_of
from .drawing import topic_map
from .pieces import DRAWING_RULES, curves, inks, lead, level_of, title_of, topics_table
from .result import Result
from .story import Story

draw = partial(render, "export/report.html")

N_ON_MAP = 60
"""Topics on the map, the largest ones."""
LONGEST = 1000
"""Letters of a setting; stop words and phrases may be thousands."""
STYLE = style(DRAWING_RULES) + style_beside(__file__, "report.css")


def report(result: Result, made: datetime.date | None = None) -> str:
    """Return the report. `made`: the day to print (default: none, so that runs compare).

    It is a plain string, which whoever asked for it may change as any other.
    """
    run = result.run
    sections = [
        *Story(result).sections(),
        _map(result),
        _topics(result),
        Markup("<h2>How it was made</h2>"),
        _by_hand(result),
        curves(run, result.moment, level_of(run), with_numbers=True),
        _settings(result),
        _citing(result),
    ]
    title = title_of(run, result.moment)
    page = draw("page", title=title, lead=_lead(result, made), style=STYLE, sections=sections)
    return str(page)


def _lead(result: Result, made: datetime.date | None) -> str:
    day = f"Made on {made.isoformat()}." if made else ""
    return f"{lead(result.run, result.moment)} {day}".strip()


def _by_hand(result: Result) -> Markup:
    """Return the list of changes by hand, if there are any."""
    edits = result.snapshot.edits
    return draw("by_hand", edits=edits) if edits else Markup()


# ---- topics ------------------------------------------------------------------------------------


def _topics(result: Result) -> Markup:
    moment = result.moment
    if not moment.in_use:
        return draw("no_topics")
    return draw("topics", unit=moment.unit, table=topics_table(moment))


def _map(result: Result) -> Markup:
    moment = result.moment
    telling = [i for i in moment.ordered(hidden=True) if i not in moment.filler]
    shown = telling[:N_ON_MAP]
    if len(shown) < 3:
        return Markup()
    places = [moment.row[topic] for topic in shown]
    picture = topic_map(
        classical_scaling(jensen_shannon(moment.topics.topic_word[places])).places,
        moment.shares[places],
        [moment.name(topic) for topic in shown],
        [inks(moment.look(topic)) for topic in shown],
        "Map of the largest topics: near each other where they use the same words.",
    )
    return draw("map", picture=picture, n_shown=len(shown))


# ---- settings and citation ---------------------------------------------------------------------


def _settings(result: Result) -> Markup:
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
        *((("Began from", run.given.said),) if run.given is not None else ()),
        ("Seed", str(run.seed)),
        ("Passes", f"{run.passes:,} at most" if run.until == "settled" else str(run.passes)),
        ("It ends when", UNTIL[run.until]),
        ("Minutes at most", "no limit" if run.minutes is None else f"{run.minutes:g}"),
        ("Batch size", f"{run.batch_size:,} documents"),
        ("Order of reading", run.order),
        ("Protocol of the score", result.protocol_sentence or "nothing was held out"),
        *((("The score differs", result.between_starts),) if result.between_starts else ()),
        ("Seconds of learning", f"{result.snapshot.seconds:,.1f}"),
        ("Made with", ", ".join(f"{name} {number}" for name, number in versions().items())),
    ]
    if result.moment.run_id:
        facts.insert(0, ("Run", result.moment.run_id))
    if result.text_settings is not None:
        words = vars(result.text_settings)
        facts += [
            (f"Words: {name}", _short(str(value))) for name, value in words.items() if value != ""
        ]
    return draw("settings", facts=facts)


def _short(words: str) -> str:
    return words if len(words) <= LONGEST else f"{words[:LONGEST]} …"


def _citing(result: Result) -> Markup:
    papers = [paper.text() for paper in papers_of(type(result.run.method))]
    return draw("citing", papers=papers, bibtex=result.citation)
