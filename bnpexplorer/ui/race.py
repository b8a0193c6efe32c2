"""A race on the Compare page: start it, watch it, open its runs; and the failures' presets."""

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import pandas as pd
import streamlit as st

from ..background import ENDED, BackgroundRun, Status
from ..compare import FAILURES, Failure, Race
from ..compare.race import FEWEST, MOST, why_not
from ..corpus import Corpus, CorpusError
from ..evaluate import PROTOCOLS, default_protocol, heaviest_words, split_heldout
from ..methods import METHODS, make_method
from ..methods.making import model_class, suggested_passes
from ..plots import compare as plots
from ..plots.live import Series
from ..plots.style import METHOD_SLOTS, colour
from ..registry import Entry
from ..run import Run
from ..snapshot import Snapshot
from . import html, look, session
from .figure import live_figure
from .live import STATUS_WORDS
from .look import is_dark, text_size
from .session import Loaded
from .tables import csv_bytes

RACING = [name for name, method in METHODS.items() if not why_not(method)]
TOP_TOPICS, TOP_WORDS = 6, 6


def texts_at_hand() -> Loaded | None:
    """This tab's corpus, else the first sample; says what to do where there is none."""
    loaded = session.loaded_corpus()
    if loaded is None:
        try:
            with st.spinner("Reading the texts ..."):
                loaded = session.sample_of(session.FIRST_SAMPLE)
        except CorpusError as problem:
            st.error(f"{problem} Or load texts of your own on the Corpus page.")
            return None
    with st.container(horizontal=True, vertical_alignment="center"):
        words = f"Texts: **{loaded.corpus.name}**, {loaded.corpus.n_docs:,} documents"
        st.markdown(words, width="stretch")
        st.page_link("pages/corpus.py", label="Change texts", icon=":material/swap_horiz:")
    return loaded


# ---- starting ------------------------------------------------------------------------------------


def keep_race(run_id: str, secret: str, race: Race, status: str) -> None:
    """Write every run of the race to the library, as an ordinary run (by the race's thread).

    A run that somebody has opened from there meanwhile is no longer the race's to write.
    """
    entry = session.registry().get(run_id)
    if entry is None or not isinstance(entry.source, Loaded):
        return
    loaded = entry.source
    for own_id, run in zip(race.run_ids, race.runs, strict=True):
        if session.registry().get(own_id) is None:
            session.library().keep(
                own_id, run, loaded.corpus, status, secret, loaded.report, loaded.true_topics
            )


def begin(race: Race, loaded: Loaded) -> None:
    """Put the race on the page and start it."""
    entry = session.registry().add(race, loaded, keep_race)
    st.session_state["race"] = (entry.run_id, entry.secret)
    st.session_state["loaded"] = loaded
    session.registry().attach(session.tab_id(), entry.run_id)
    entry.background.start()


def current() -> tuple[Entry, bool] | None:
    """The race of this tab and whether the tab controls it."""
    run_id, secret = st.session_state["race"]
    entry = session.registry().get(run_id)
    if entry is None or not isinstance(entry.background.run, Race):
        if run_id:
            st.info(
                f"The race {run_id} is no longer on this server. Its runs were saved as they went "
                "and are under Runs; the same seed gives the same race.",
                icon=":material/info:",
            )
        return None
    return entry, session.registry().owned(run_id, secret)


def race_view() -> None:
    """The race of this tab, or the form that starts one."""
    running = current()
    if running is not None:
        _watch(*running)
        return
    st.markdown(
        "Two to four methods read the same documents at the same moment, in panels with the same "
        "axes; one button starts them all."
    )
    loaded = texts_at_hand()
    if loaded is not None:
        _form(loaded)


def _form(loaded: Loaded) -> None:
    corpus = loaded.corpus
    names = st.multiselect(
        "Methods, two to four", RACING, list(session.FIRST_METHODS), max_selections=MOST,
        format_func=_title, key="race-methods",
    )  # fmt: skip
    others = [name for name in METHODS if name not in RACING]
    st.caption(
        f"Not here: {', '.join(others)}. They read the texts in an order of their own (whole "
        "passes in fixed blocks, or once in the corpus's order), so no mini-batch is shared."
    )
    default = METHODS["hdp-tsvi"].presets["default"]
    columns = st.columns(3)
    size = columns[0].number_input(
        "Batch size (S)", 1, 10_000, default.batch_size, key="race-batch",
        help="The same mini-batches for all.",
    )  # fmt: skip
    passes = columns[1].number_input(
        "Passes", 1, 1000, suggested_passes("default", default, corpus.n_docs), key="race-passes"
    )
    seed = columns[2].number_input("Seed", 0, 2**31 - 1, 0, key="race-seed")
    enough = len(names) >= FEWEST
    if not enough:
        st.caption("Choose one more method.")
    if st.button(
        "Start the race", type="primary", icon=":material/flag:", disabled=not enough,
        key="race-start",
    ):  # fmt: skip
        try:
            begin(_race_of(names, corpus, int(size), int(passes), int(seed)), loaded)
        except ValueError as problem:
            st.error(str(problem))
            return
        st.rerun()


def _title(name: str) -> str:
    return f"{name}: {METHODS[name].title}"


def _race_of(names: Sequence[str], corpus: Corpus, size: int, passes: int, seed: int) -> Race:
    """The methods with their default settings, on one split. Raises ValueError with a sentence."""
    models = list(dict.fromkeys(model_class(METHODS[name]).name for name in names))
    usual = default_protocol(models[0], corpus)
    if any(model not in PROTOCOLS[usual].models for model in models):
        usual = default_protocol("hdp", corpus)  # which all models know
    train, heldout = split_heldout(corpus, seed, protocol=usual)
    runs = [Run(make_method(name), train, seed, size, passes, heldout=heldout) for name in names]
    return Race(runs)


# ---- watching ------------------------------------------------------------------------------------


def _watch(entry: Entry, owned: bool) -> None:
    """Buttons, and what moves: progress and the panels."""
    background: BackgroundRun[Race] = entry.background
    race, drawn = background.run, background.status
    if race.title:
        st.markdown(f"## {race.title}")
        st.markdown(race.look_for)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if owned:
            _buttons(background, drawn)
        else:
            st.caption("watching only: the owner's address controls it", width="content")
        st.button(
            "Another race", icon=":material/arrow_back:", on_click=_leave, args=(entry, owned)
        )
        if drawn in ENDED and background.latest is not None and st.button(
            "Open its runs on Live", icon=":material/monitoring:", key="race-open",
            help="Each is kept as an ordinary run; all pages can show it.",
        ):  # fmt: skip
            _open(entry, owned)
    tick = session.registry().tick_seconds() if drawn not in ENDED else None

    @st.fragment(run_every=tick)
    def live() -> None:
        _progress(background)
        _panels(race, background.latest)
        if background.status != drawn:
            st.rerun()  # the buttons outside depend on the status

    live()


def _buttons(background: BackgroundRun[Race], status: Status) -> None:
    """Always all there, in one place, as on the Live page."""

    def button(
        words: str, icon: str, action: Callable[[], None], key: str, off: bool, hint: str
    ) -> None:
        def ask() -> None:
            action()
            background.settle()

        st.button(words, icon=f":material/{icon}:", on_click=ask, key=key, disabled=off, help=hint)

    ended, paused = status in ENDED, status == "paused"
    if paused:
        button("Resume", "play_arrow", background.resume, "pause-race", False, "Go on, all of them")
    else:
        button("Pause", "pause", background.pause, "pause-race", ended, "After this mini-batch")
    button("Step", "skip_next", background.step_once, "step-race", not paused,
           "One mini-batch more for each")  # fmt: skip
    button("Stop", "stop", background.stop, "stop-race", ended, "End the race")


def _leave(entry: Entry, owned: bool) -> None:
    if owned:
        entry.background.pause()
    session.registry().detach(session.tab_id(), entry.run_id)
    st.session_state["race"] = ("", "")


def _open(entry: Entry, owned: bool) -> None:
    """The race's runs, as they were kept, on this tab's pages."""
    race: Race = entry.background.run
    own = {}
    for run_id in race.run_ids:
        if session.open_saved(run_id) is None:
            why = entry.background.not_kept or "it was deleted"
            st.error(f"A run of this race is not in the library: {why}")
            return
        own[run_id] = entry.secret if owned else ""
        session.registry().attach(session.tab_id(), run_id)
    st.session_state["own"] = own
    look.go_to("pages/live.py")


def _progress(background: BackgroundRun[Race]) -> None:
    race, words = background.run, STATUS_WORDS[background.status]
    if background.status == "queued" and background.place_in_queue:
        words = f"waiting in line, number {background.place_in_queue}"
    seen = min((s.docs_seen for s in background.latest or ()), default=0)
    st.progress(
        min(seen / race.planned_docs, 1.0),
        f"{words}: all have read {seen:,} of {race.planned_docs:,} documents "
        f"({race.corpus.name}, seed {race.runs[0].seed})",
    )
    if background.status == "failed":
        problem = background.error.rstrip(".")
        st.error(f"The race stopped with an error: {problem}. Start it with other settings.")
    if background.not_kept:
        st.warning(f"Not saved: {background.not_kept}")


def _panels(race: Race, snapshots: tuple[Snapshot, ...] | None) -> None:
    if snapshots is None:
        st.caption("The panels come with the first mini-batch.")
        return
    series = _series(race, snapshots)
    dark, size = is_dark(), text_size()
    protocol = PROTOCOLS.get(race.runs[0].protocol)
    quantities: tuple[tuple[plots.Quantity, str], ...] = (
        ("held-out", "Held-out log likelihood per word"), ("topics", "Topics in use"),
    )  # fmt: skip
    for quantity, title in quantities:
        st.markdown(f"## {title}")
        figures = plots.race_panels(series, quantity, dark, size)
        for i, column in enumerate(st.columns(len(series), gap="medium")):
            with column:
                _panel_head(series[i], quantity)
                live_figure(
                    figures[i], f"race-{quantity}-{i}", plots.PANEL_HEIGHT,
                    f"{title} of {series[i].label}, the other runs in grey; numbers in the table.",
                )  # fmt: skip
        if quantity == "held-out" and protocol is not None:
            st.caption(
                f"{protocol.sentence} Grey: the others. Look for who is ahead at the same number "
                "of documents."
            )
    st.markdown("## Largest topics now")
    for i, column in enumerate(st.columns(len(series), gap="medium")):
        with column:
            st.html(_topic_words(race.runs[i].corpus.vocab, snapshots[i]))
    _table(series)


def _series(race: Race, snapshots: Sequence[Snapshot]) -> list[Series]:
    found, seen = [], dict[int, int]()
    for run, snapshot in zip(race.runs, snapshots, strict=True):
        slot = METHOD_SLOTS[run.method.name]
        found.append(
            Series(run.name, slot, seen.get(slot, 0), snapshot, run.corpus.n_docs, run.planned_docs)
        )
        seen[slot] = seen.get(slot, 0) + 1
    return found


def _panel_head(s: Series, quantity: plots.Quantity) -> None:
    """The run's line and name, and its last value."""
    y = plots.points_of(s, quantity, "documents")[1]
    value = "–"
    if len(y):
        value = f"{y[-1]:.2f}".replace("-", "−") if quantity == "held-out" else f"{y[-1]:.0f}"
    line = html.line_sample(colour(s.slot, is_dark()), s.dash)
    st.html(
        f'{html.CSS}<div class="bnp"><span class="bnp-name">{line}{escape(s.label)}</span> '
        f"<b>{value}</b></div>"
    )


def _topic_words(vocab: Sequence[str], snapshot: Snapshot) -> str:
    """The largest topics and their words, escaped."""
    topics = snapshot.topics
    largest = (-topics.size).argsort(kind="stable")[:TOP_TOPICS]
    rows = []
    for k in largest:
        words = " · ".join(escape(vocab[w]) for w in heaviest_words(topics, int(k), TOP_WORDS))
        rows.append(f'<div><span class="bnp-quiet">{int(topics.topic_ids[k])}</span> {words}</div>')
    return f'<div class="bnp">{"".join(rows) or "No topics yet."}</div>'


def _table(series: Sequence[Series]) -> None:
    def frame() -> pd.DataFrame:
        rows: list[tuple[Any, ...]] = [
            (s.label, p.docs_seen, round(p.seconds, 3), p.heldout, p.n_topics)
            for s in series
            for p in s.snapshot.trace
        ]
        heads = ["run", "documents", "seconds", "held-out", "topics in use"]
        return pd.DataFrame(rows, columns=heads)

    with st.popover("Read as table", icon=":material/table:", type="tertiary"):
        st.dataframe(frame().tail(500), hide_index=True, height=280)
        st.download_button(
            "Download as CSV", lambda: csv_bytes(frame()),
            "bnpexplorer-race.csv", "text/csv", on_click="ignore", key="race-csv",
        )  # fmt: skip


# ---- when it fails -------------------------------------------------------------------------------


def failures_view(show_race: Callable[[], None]) -> None:
    """A card for each failure; a click starts the failing run beside a sound one."""
    st.markdown(
        "Each starts a race on your texts: the setting that fails beside a sound one. On real "
        "texts of a thousand documents or more it shows; on a few or on synthetic ones it may not."
    )
    loaded = texts_at_hand()
    if loaded is None:
        return
    problem = st.session_state.pop("failure-problem", "")
    if problem:
        st.error(problem)

    def start(failure: Failure) -> None:
        try:
            begin(failure.race(loaded.corpus), loaded)
            show_race()
        except ValueError as error:
            st.session_state["failure-problem"] = str(error)

    columns = st.columns(2, gap="medium")
    for i, failure in enumerate(FAILURES.values()):
        with columns[i % 2], st.container(border=True):
            st.markdown(f"## {failure.title}")
            st.markdown(failure.sentences)
            st.caption(f"{failure.method}: {failure.failing.label} beside {failure.sound.label}")
            st.button(
                "Show it", icon=":material/play_arrow:", on_click=start, args=(failure,),
                key=f"failure-{failure.name}", help=failure.title,
            )  # fmt: skip
