"""A race on the Compare page: start it, watch it, open its runs.

Settings that fail, on the Compare page: a card each, and one click that starts the race.
"""

from collections.abc import Callable

import streamlit as st

from ...compare import FAILURES, Failure, Race
from ...compare.sequential import FEWEST, MOST, race_of, why_not
from ...corpus import CorpusError
from ...methods import METHODS
from ...runs.background import BackgroundRun
from ...runs.keeping import ENDED
from ...runs.limits import LARGEST_BATCH
from ...runs.plan import Plan, words_each
from ...runs.registry import Entry
from ..frame import look, pages, server, session
from ..frame.server import LoadedCorpus
from ..frame.words import plain, status_words
from ..parts import presenting, why
from ..parts.forms import sound, title_of
from ..parts.studies import interrupted
from ..seam.widgets import number_field, ticking
from . import sequential
from .race_panels import WHY, panels, share_race, why_born
from .sequential import SequentialKind

RACE = SequentialKind(
    "race",
    Race,
    {
        "Resume": "Go on, all of them",
        "Pause": "After this mini-batch",
        "Step": "One mini-batch more for each",
        "Stop": "End the race",
    },
    "Another race",
    "The race {} is no longer on this server. Its runs were saved as they went and are under Runs. "
    "To start it again, load its texts on the Texts page; the same seed gives the same race.",
)
RACING = [name for name, method in METHODS.items() if not why_not(method)]


def texts_at_hand() -> LoadedCorpus | None:
    """This tab's corpus, else the first sample; says what to do where there is none."""
    loaded = session.loaded_corpus()
    if loaded is None:
        try:
            with st.spinner("Reading the texts ..."):
                loaded = session.sample_of(server.FIRST_SAMPLE)
        except CorpusError as problem:
            st.error(f"{plain(problem)} Or load texts of your own on the Texts page.")
            return None
    with st.container(horizontal=True, vertical_alignment="center"):
        words = f"Texts: **{plain(loaded.corpus.name)}**, {loaded.corpus.n_docs:,} documents"
        st.markdown(words, width="stretch")
        pages.link_to("corpus", label="Change texts", icon=":material/swap_horiz:")
    return loaded


# ---- starting ------------------------------------------------------------------------------------


def begin(race: Race, loaded: LoadedCorpus) -> None:
    """Put the race on the page and start it."""
    session.launch_together(RACE.name, race, loaded)


def race_view() -> None:
    """The race of this tab, or the form that starts one."""
    running = sequential.current(RACE)
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
    interrupted(RACE.name)


def _form(loaded: LoadedCorpus) -> None:
    names = st.multiselect(
        "Methods, two to four",
        RACING,
        list(server.FIRST_METHODS),
        max_selections=MOST,
        format_func=title_of,
        key="race-methods",
    )
    others = [name for name in METHODS if name not in RACING]
    st.caption(
        f"Not here: {', '.join(others)}. They read the texts in an order of their own (whole "
        "passes in fixed blocks, or once in the corpus's order), so no mini-batch is shared."
    )
    usual = Plan.of(server.FIRST_METHODS[0])
    try:
        n_docs = usual.n_to_learn(loaded.corpus)
    except ValueError as problem:  # too few documents
        st.error(plain(problem))
        return
    problems: list[str] = []
    columns = st.columns(3)
    with columns[0]:
        size = number_field(
            "Batch size (S)",
            1,
            LARGEST_BATCH,
            usual.batch_for(n_docs),
            problems,
            key="race-batch",
            help="The same mini-batches for all.",
        )
    with columns[1]:
        n_passes = usual.passes_for(n_docs, words_each(loaded.corpus))
        passes = number_field("Passes", 1, 1000, n_passes, problems, key="race-passes")
    with columns[2]:
        seed = number_field("Seed", 0, 2**31 - 1, 0, problems, key="race-seed")
    if not sound(problems):
        return
    enough = len(names) >= FEWEST
    if not enough:
        st.caption("Choose one more method.")
    if st.button(
        "Start the race",
        type="primary",
        icon=":material/flag:",
        disabled=not enough,
        key="race-start",
    ):
        try:
            plans = [Plan.of(n, seed=seed, batch_size=size, passes=passes) for n in names]
            begin(race_of(plans, loaded.corpus), loaded)
        except ValueError as problem:
            st.error(plain(problem))
            return
        st.rerun()


# ---- watching ------------------------------------------------------------------------------------


def _watch(entry: Entry, owned: bool) -> None:
    """Buttons, and what moves: progress and the panels."""
    background: BackgroundRun[Race] = entry.background
    race, drawn, chosen = background.run, background.status, why.chosen(WHY)
    waits = background.latest is None
    if race.title:
        st.markdown(f"## {race.title}")
        st.markdown(race.look_for)

    def beside() -> None:
        share_race(entry, owned)
        presenting.offer()

    if not look.is_embedded():
        sequential.steer(RACE, entry, owned, drawn, beside)
    tick = server.registry().tick_seconds() if drawn not in ENDED else None

    @ticking(tick)
    def live() -> None:
        if background.status != drawn or waits != (background.latest is None):
            st.rerun()  # buttons and what happened, outside, depend on it
        progress(background)
        panels(race, background.latest)
        if why.chosen(WHY) != chosen:
            st.rerun()  # it is drawn outside

    live()
    why_born(entry)


def progress(background: BackgroundRun[Race]) -> None:
    """How far all have read, and what went wrong."""
    race, words = background.run, status_words(background)
    seen = min(
        (s.docs_seen for i, s in enumerate(background.latest or ()) if i not in race.failed),
        default=0,
    )
    all_ = "all others" if race.failed else "all"
    st.progress(
        min(seen / race.planned_docs, 1.0),
        f"{words}: {all_} have read {race.runs[0].passes_said(seen)} "
        f"({plain(race.corpus.name)}, seed {race.runs[0].seed})",
    )
    sequential.say_problems(RACE, background, lambda i: race.runs[i].name)


def failures_view(show_race: Callable[[], None]) -> None:
    """A card for each failure; a click starts the failing run beside a sound one."""
    st.markdown(
        "Each starts a race on your texts: the setting that fails beside a sound one. Above the "
        "panels stands what is seen, by number: on a few texts or synthetic ones a failure may not "
        "show, and the page says so."
    )
    loaded = texts_at_hand()
    if loaded is None:
        return
    problem = st.session_state.pop("failure-problem", "")
    if problem:
        st.error(plain(problem))

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
                "Show it",
                icon=":material/play_arrow:",
                on_click=start,
                args=(failure,),
                key=f"failure-{failure.name}",
                help=failure.title,
            )
