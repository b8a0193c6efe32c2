"""The panels of a race: each run on the same axes, its largest topics, its numbers.

Share on the page of a race: links, and how to cite its methods.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from ...compare import Race, settings_of, told_apart
from ...compare.verdict import race_verdict
from ...core.html import Markup, joined
from ...evaluate import PROTOCOLS
from ...plots import compare as plots
from ...plots.live import Series
from ...plots.style import colour, minus, slots_of
from ...runs.registry import Entry
from ...state.moment import Moment
from ...state.snapshot import Snapshot
from ..frame import access
from ..frame.look import is_dark, text_size
from ..frame.session import JOBS, unigram_of
from ..frame.words import plain
from ..parts import html, known, why
from ..parts.figure import live_figure, read_as_table
from ..parts.share import Links, how_to_cite, share_button, show_links

TOP_TOPICS, TOP_WORDS = 6, 6
TITLES: dict[plots.Quantity, str] = {
    "held-out": "Held-out log likelihood per word",
    "topics": "Topics in use",
    "found again": "True topics found again",
}
WHY = "race"
"""Which event was chosen on this page, by the name that `parts.why` keeps it under."""


def panels(race: Race, snapshots: tuple[Snapshot, ...] | None) -> None:
    """Side by side; `snapshots` are the runs' latest, None before the first mini-batch."""
    if snapshots is None:
        st.caption("The panels come with the first mini-batch.")
        return
    if race.seen is not None and (words := race.seen(snapshots)):
        st.markdown(f"**{words if race.done else words.replace('Here', 'So far', 1)}**")
    if race.done:
        st.markdown(plain(_verdict(race, snapshots)))
    series = series_of(race, snapshots)
    if pictured(race, series):
        st.markdown("## Topics as pictures, beside the true ones")
        sheets(race, series)
        st.caption(known.EXPLAINED)
    protocol, unigram = PROTOCOLS.get(race.runs[0].protocol), level_of(race)
    for quantity in quantities(race):
        st.markdown(f"## {TITLES[quantity]}")
        curves(series, quantity, unigram, n_known=n_known(race))
        if quantity == "held-out" and protocol is not None:
            st.caption(
                f"{protocol.sentence} Grey: the others. Dotted: word frequencies alone, "
                f"{minus(unigram)}; what is not above it has learned nothing. Look for who is "
                "ahead at the same number of documents."
            )
    st.markdown("## Largest topics now")
    largest_topics(series)
    _table(series)


def curves(
    series: Sequence[Series],
    quantity: plots.Quantity,
    unigram: float,
    height: int = plots.PANEL_HEIGHT,
    n_known: int = 0,
) -> None:
    """A panel a run, on the same axes; `unigram`: the score of word frequencies; `n_known`: how
    many topics made the texts."""
    figures = plots.race_panels(series, quantity, is_dark(), text_size(), unigram, n_known)
    for i, column in enumerate(st.columns(len(series), gap="medium")):
        with column:
            _panel_head(series[i], quantity)
            live_figure(
                figures[i],
                f"race-{quantity}-{i}",
                height,
                f"{TITLES[quantity]} of {series[i].label}, the other runs in grey; numbers in the "
                "table.",
                on_click=why.clicked(WHY) if quantity == "topics" else None,
            )


def n_known(race: Race) -> int:
    """Return the number of true topics of its texts; 0 if unknown."""
    found = race.runs[0].known
    return 0 if found is None else len(found)


def quantities(race: Race) -> list[plots.Quantity]:
    """Return the quantities with curves."""
    return [quantity for quantity in TITLES if quantity != "found again" or n_known(race)]


def pictured(race: Race, series: Sequence[Series]) -> bool:
    """Whether its true topics are known and can be looked at."""
    return bool(n_known(race)) and known.has_pictures(series[0].moment)


def sheets(race: Race, series: Sequence[Series], compact: bool = False) -> None:
    """A sheet a run: every true topic as a picture, beside its partner; `compact`: for a screen
    that shows all of it, small and without words."""
    columns = st.columns(len(series), gap="medium")
    for s, run, column in zip(series, race.runs, columns, strict=True):
        with column:
            name = Markup('<div class="bnp">{}</div>').format(_named(s))
            drawn = known.sheet(s.moment, run.known, others=not compact)
            if compact:
                drawn = Markup('<div class="bnp-compact">{}</div>').format(drawn)
            st.html(html.CSS + known.CSS + name + drawn)


def why_born(entry: Entry) -> None:
    """What happened to the topics of its runs, to be asked for."""
    race: Race = entry.background.run
    if entry.background.latest is None:
        return
    texts, subjects = access.texts_of(entry), []
    for s, run, run_id in zip(
        series_of(race, entry.background.latest), race.runs, race.run_ids, strict=True
    ):
        moment = replace(s.moment, run_id=run_id)
        subjects.append(why.Subject(s.label, moment, run, texts))
    why.why_born(WHY, subjects, not entry.background.ended)


def largest_topics(series: Sequence[Series]) -> None:
    """A list a run."""
    for s, column in zip(series, st.columns(len(series), gap="medium"), strict=True):
        with column:
            st.html(_topic_words(s.moment))


def _verdict(race: Race, snapshots: Sequence[Snapshot]) -> str:
    """Which of its methods to use, by the last scores of those that have not failed."""
    scores = {
        run.name: snapshot.heldout if snapshot.heldout is not None else math.nan
        for i, (run, snapshot) in enumerate(zip(race.runs, snapshots, strict=True))
        if i not in race.failed
    }
    names = [run.name for run in race.runs]
    spreads = {name: one.spread for name, one in zip(names, snapshots, strict=True)}
    return race_verdict(scores, level_of(race), spreads)


def level_of(race: Race) -> float:
    """The score of word frequencies; nan where nothing is held out."""
    first = race.runs[0]
    return math.nan if first.heldout is None else unigram_of(race.run_ids[0], first)


def series_of(race: Race, snapshots: Sequence[Snapshot]) -> list[Series]:
    """The runs in their colours, where they stand."""
    slots = slots_of([run.method.colour for run in race.runs])
    names = told_apart([run.name for run in race.runs], [settings_of(run) for run in race.runs])
    return [
        Series(name, slot, dash, run.moment(snapshot))
        for name, run, snapshot, (slot, dash) in zip(
            names, race.runs, snapshots, slots, strict=True
        )
    ]


def _panel_head(s: Series, quantity: plots.Quantity) -> None:
    """The run's line and name, and its last value."""
    y = plots.points_of(s, quantity, "documents")[1]
    value = "–"
    if len(y):
        value = f"{y[-1]:.2f}".replace("-", "−") if quantity == "held-out" else f"{y[-1]:.0f}"
    head = Markup('<div class="bnp">{} <b>{}</b></div>').format(_named(s), value)
    st.html(html.CSS + head)


def _named(s: Series) -> Markup:
    return html.named_line(colour(s.slot, is_dark()), s.dash, s.label)


def _topic_words(moment: Moment) -> Markup:
    """List the largest topics and their words."""
    row = Markup('<div><span class="bnp-quiet">{}</span> {}</div>')
    shown = moment.in_use[:TOP_TOPICS]
    rows = joined(row.format(topic, moment.words_line(topic, TOP_WORDS)) for topic in shown)
    return Markup('<div class="bnp">{}</div>').format(rows or "No topics yet.")


def _table(series: Sequence[Series]) -> None:
    def frame() -> pd.DataFrame:
        rows: list[tuple[Any, ...]] = [
            (s.label, p.docs_seen, round(p.seconds, 3), p.heldout, p.n_topics)
            for s in series
            for p in s.moment.trace
        ]
        heads = ["run", "documents", "seconds", "held-out", "topics in use"]
        return pd.DataFrame(rows, columns=heads)

    read_as_table("race", frame, last=True)


def links_of(entry: Entry, owned: bool) -> Links:
    """To watch a race, and to control it for its owner."""
    race: Race = entry.background.run
    return Links(
        f"race of {', '.join(run.name for run in race.runs)}",
        {"compare": "Race", "race": entry.run_id},
        {JOBS["race"]: entry.secret} if owned else {},
        [entry.secret] if owned else [],
        access.is_open(entry.run_id),
    )


def share_race(entry: Entry, owned: bool) -> None:
    """The button; files are made of single runs."""

    def draw() -> None:
        show_links(links_of(entry, owned))
        st.markdown("### Download")
        st.caption(
            "Each of its runs is kept as an ordinary run: when the race has ended, *Open its runs "
            "on Live* leads to them, and *Share* there has their files."
        )
        race: Race = entry.background.run
        how_to_cite(list(dict.fromkeys(run.method.name for run in race.runs)))

    share_button("share-race", draw)
