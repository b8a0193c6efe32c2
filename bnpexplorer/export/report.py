"""A report of one run: a single HTML file without scripts, which fetches nothing.

Its curves and map are SVG of our own, 20 to 50 kB where plotly.js alone is 4.9 MB, and its content
policy forbids fetching and executing, whatever the texts hold.
"""

import datetime
from html import escape

from ..core.display import style, style_beside
from ..core.installation import versions
from ..explore.likeness import classical_scaling, jensen_shannon
from ..runs.choices import UNTIL
from .citations import papers_of
from .drawing import topic_map
from .pieces import DRAWING_RULES, curves, inks, lead, level_of, title_of, topics_table
from .result import Result
from .story import Story

N_ON_MAP = 60
"""Topics on the map, the largest ones."""
LONGEST = 1000
"""Letters of a setting; stop words and phrases may be thousands."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""Nothing may be fetched or executed, whatever the texts hold."""

STYLE = style(DRAWING_RULES) + style_beside(__file__, "report.css")


def report(result: Result, made: datetime.date | None = None) -> str:
    """The report as HTML. `made`: the day to print (default: none, so that runs compare)."""
    run = result.run
    title = title_of(run, result.moment)
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="quiet">{escape(_lead(result, made))}</p>',
        *Story(result).sections(),
        _map(result),
        _topics(result),
        "<h2>How it was made</h2>",
        _by_hand(result),
        curves(run, result.moment, level_of(run), with_numbers=True),
        _settings(result),
        _citing(result),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title>{STYLE}</head><body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def _lead(result: Result, made: datetime.date | None) -> str:
    day = f"Made on {made.isoformat()}." if made else ""
    return f"{lead(result.run, result.moment)} {day}".strip()


def _by_hand(result: Result) -> str:
    """What a person changed, if anything."""
    edits = result.snapshot.edits
    if not edits:
        return ""
    done = "".join(f"<li>{escape(edit.sentence)}</li>" for edit in edits)
    return (
        f"<h3>Changed by hand</h3><ul>{done}</ul>"
        '<p class="quiet">Each change is a new start of the same sampler; what is averaged over '
        "states is of those since the last one.</p>"
    )


# ---- topics ------------------------------------------------------------------------------------


def _topics(result: Result) -> str:
    moment = result.moment
    if not moment.in_use:
        return '<h2>Topics</h2><p class="quiet">No topic is in use yet.</p>'
    return (
        '<h2>All topics, largest first</h2><p class="quiet">The number is the topic\'s identity in '
        f"the run. Shares are of all {escape(moment.unit)} that were modelled.</p>"
        f"{topics_table(moment)}"
    )


def _map(result: Result) -> str:
    moment = result.moment
    shown = moment.in_use[:N_ON_MAP]
    if len(shown) < 3:
        return ""
    places = [moment.row[topic] for topic in shown]
    picture = topic_map(
        classical_scaling(jensen_shannon(moment.topics.topic_word[places])).places,
        moment.shares[places],
        [moment.name(topic) for topic in shown],
        [inks(moment.look(topic)) for topic in shown],
        "Map of the largest topics: near each other where they use the same words.",
    )
    return (
        f'<h2>Map of the topics</h2><figure><div class="map">{picture}</div>'
        f"<figcaption>The {len(shown)} largest topics, "
        "by their names. Near each other: they use the same words "
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
        *((("Began from", run.given.said),) if run.given is not None else ()),
        ("Seed", str(run.seed)),
        ("Passes", f"{run.passes:,} at most" if run.until == "settled" else str(run.passes)),
        ("It ends when", UNTIL[run.until]),
        ("Minutes at most", "no limit" if run.minutes is None else f"{run.minutes:g}"),
        ("Batch size", f"{run.batch_size:,} documents"),
        ("Order of reading", run.order),
        ("Protocol of the score", result.protocol_sentence or "nothing was held out"),
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
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>'
        for name, value in facts
    )
    return f'<h3>Settings</h3><div class="wide"><table class="facts">{rows}</table></div>'


def _short(words: str) -> str:
    return words if len(words) <= LONGEST else f"{words[:LONGEST]} …"


def _citing(result: Result) -> str:
    papers = "".join(f"<li>{escape(p.text())}</li>" for p in papers_of(type(result.run.method)))
    return (
        f"<h3>How to cite</h3><ul>{papers}</ul><pre>{escape(result.citation)}</pre>"
        '<p class="quiet">The same versions, seed and texts give the same numbers.</p>'
    )
