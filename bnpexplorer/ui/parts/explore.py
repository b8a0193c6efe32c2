"""What the pages that explore a run share: which moment they show, and the corpus folded in.

What a page groups documents by: their labels, and periods that a figure has room for.
"""

import contextlib
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from ...core.arrays import F32
from ...core.store import StoreError
from ...corpus import Corpus
from ...explore.periods import Column, Labelled, Period, count, labelled
from ...explore.proportions import FoldingIn
from ...runs.keeping import ENDED
from ...runs.registry import Entry
from ...runs.saved.library import Library
from ...state.edits import Edit
from ...state.labels import Labels
from ...state.moment import Moment
from ..frame import access, server
from ..frame.fewer import shown_of
from ..frame.server import LoadedCorpus
from ..frame.session import RunOnPage
from ..frame.words import told
from ..seam.widgets import ticking
from .run_buttons import EXPLORED, run_field

LOG = logging.getLogger(__name__)
FOLDING = "folding"
"""The kind of derived value by which a moment keeps its `FoldingIn`."""
REFRESH = "explore-refresh"
LAST = "explored-last"
"""The run that the Topics page showed last."""
UNDO = "topics-undo"
AHEAD = 2.0
"""Seconds in which a page is drawn; work on all cores at the same time made that 0.4 s longer."""
SHORT = 0.3
"""Seconds that a page waits for a thread before it shows how far that is."""


def moment_of(shown: RunOnPage) -> Moment | None:
    """The moment of a run that this tab explores: it stays until `hold` takes a later one, or the
    run has ended.

    None before the run's first step.
    """
    held: dict[str, Moment] = st.session_state.setdefault("explored", {})
    for run_id in held.keys() - st.session_state["own"].keys():
        del held[run_id]  # it has left the page
    run_id, latest = shown.entry.run_id, shown.entry.background.latest
    found = held.get(run_id)
    if latest is None and found is None:
        return None
    if found is None:
        found = server.moment_of(shown.entry, latest)
    if found.labels is not shown.entry.labels:
        found = replace(found, labels=shown.entry.labels)
    if shown.entry.background.ended:
        if latest.at("") != found.snapshot.at(""):  # it stands where it will stay
            found = server.moment_of(shown.entry, latest)
        found = found.settled()
    held[run_id] = found
    return shown_of(shown.entry, found)


def hold(shown: RunOnPage) -> None:
    """From now on explore where the run stands now."""
    st.session_state.setdefault("explored", {}).pop(shown.entry.run_id, None)


def proportions(shown: RunOnPage) -> F32 | None:
    """Topic proportions of the run's whole corpus at the explored moment: float32 (D, K), a
    group of topics as one.

    None while a thread still reads the documents: draw `reading` instead. Read once for each moment
    of this server; read-only. D are the documents of the whole corpus, held-out ones included.
    Raises ValueError before the first step.
    """
    moment = _explored(shown)
    found = folding_of(moment).wait(SHORT)
    return None if found is None else _gathered(moment, found)


def proportions_at_hand(shown: RunOnPage) -> F32 | None:
    """`proportions` if the documents were read already; begins nothing and waits for nothing."""
    moment = moment_of(shown)
    folding = None if moment is None else moment.ungrouped.derived_values.at_hand(FOLDING)
    if moment is None or folding is None or folding.found is None:
        return None
    return _gathered(moment, folding.found)


def proportions_read(moment: Moment) -> F32 | None:
    """`proportions` for a thread: it waits until all documents are read; None if they cannot be."""
    found = folding_of(moment).wait()
    return None if found is None else _gathered(moment, found)


def _gathered(moment: Moment, found: F32) -> F32:
    if not moment.labels.groups:
        return found
    return moment.derived("proportions", lambda: moment.gathered(found))


def at_rest(shown: RunOnPage) -> bool:
    """Whether all tabs look at the same moment of the run; of one that learns each has its own."""
    return shown.entry.background.status in (*ENDED, "paused")


def ahead(shown: RunOnPage, work: Callable[[], object]) -> None:
    """Do what a later page will ask for of a run at rest, by a thread, when this page is drawn.

    Two seconds after it: begun at once, the work made the page at hand 0.4 s slower.
    Nobody waits for it: what goes wrong is logged in a line, and shown by the page that asks again.
    A server that stops takes the cores away from what is under way.
    """

    def begin() -> None:
        try:
            work()
        except Exception as problem:
            LOG.info("Not done ahead: %s", problem)

    if at_rest(shown):
        timer = threading.Timer(AHEAD, begin)
        timer.daemon = True
        timer.start()


def folding_of(moment: Moment) -> FoldingIn:
    """The documents of a moment's corpus as they are read, or were, with its topics."""
    return moment.ungrouped.derived(
        FOLDING, lambda: FoldingIn(moment.model, moment.snapshot.topics, moment.corpus)
    )


def reading(shown: RunOnPage, height: int) -> None:
    """In place of what needs `proportions`: how far they are; draws the page anew with them."""
    moment = _explored(shown)
    folding = folding_of(moment)
    with st.container(height=height, border=False):
        if folding.ended and folding.found is None:
            st.error(
                f"The documents could not be read with these topics: {told(folding.error)}",
                icon=":material/error:",
            )
            moment.ungrouped.derived_values.forget(FOLDING)  # the next look tries again
            return

        @ticking(0.5)
        def progress() -> None:
            if folding.ended:
                st.rerun()
            st.progress(
                folding.n_read / folding.n_docs,
                f"Reading every document with these topics: {folding.n_read:,} of "
                f"{folding.n_docs:,}",
            )

        progress()


def _explored(shown: RunOnPage) -> Moment:
    moment = moment_of(shown)
    if moment is None:
        raise ValueError("This run has no topics yet.")
    return moment


@dataclass(frozen=True, eq=False)
class Explored:
    """What a tab explores: a moment of one of its runs, and what is known of the texts."""

    shown: RunOnPage
    moment: Moment
    loaded: LoadedCorpus
    """Its documents have texts and names only if they are `readable`."""
    readable: bool
    """Whether the documents are this tab's to read, and to learn from (`frame/access.py`)."""


def choose_run(runs: Sequence[RunOnPage]) -> RunOnPage:
    """The run to explore; asks where there are several."""
    return runs[run_field("Run", runs, EXPLORED)]


def explored(shown: RunOnPage) -> Explored | None:
    """The moment that this tab holds of a run; None before its first topic."""
    moment, texts = moment_of(shown), access.texts_of(shown.entry)
    loaded = texts or access.counts_of(shown.entry)
    if moment is None or not moment.in_use or loaded is None:
        return None
    return Explored(shown, moment, loaded, texts is not None)


def explored_anew(shown: RunOnPage) -> Explored | None:
    """Where the run stood when the page was opened, turned to it or was refreshed, or where it has
    ended; None before its first topic."""
    if is_opened(shown):
        hold(shown)
    st.session_state[LAST] = shown.entry.run_id
    return explored(shown)


def is_opened(shown: RunOnPage) -> bool:
    """Whether the Topics page was opened just now, or turned to this run."""
    last = st.session_state.get(LAST)
    return REFRESH not in st.session_state or bool(last != shown.entry.run_id)


def refresh_button(shown: RunOnPage) -> None:
    """A button that takes the run's latest moment; it says how far the run has gone on."""
    latest, held = shown.entry.background.latest, moment_of(shown)
    newer = latest is not None and (held is None or latest.at("") != held.snapshot.at(""))

    def refresh() -> None:
        hold(shown)

    words = f"Refresh: now at {latest.docs_seen:,}" if latest is not None and newer else "Refresh"
    st.button(
        words,
        icon=":material/refresh:",
        key=REFRESH,
        on_click=refresh,
        disabled=not newer,
        help="This page keeps the moment it was opened at, so that nothing moves while you read, "
        "until the run has ended.",
    )


def turn_to_the_end(shown: RunOnPage) -> None:
    """Of a run that goes on: draws the page anew once, when it has ended."""
    background = shown.entry.background
    if background.ended:
        return

    @ticking(server.registry().tick_seconds())
    def watch() -> None:
        if background.ended:
            st.rerun()

    watch()


def relabel(explored: Explored, change: Callable[[Labels], Labels]) -> None:
    """Change what is said about topics, and keep it with the saved run; the owner only.

    A run that is not saved (its disk is full) keeps its names as long as this server runs. The tab
    remembers each change, for `take_back`.
    """
    entry = explored.shown.entry
    if not explored.shown.owned:
        return
    before = entry.labels
    entry.labels = change(before)
    if entry.labels != before:
        _steps(entry.run_id).append((before, entry.labels, _for_good(entry)))
    keep_labels(server.library(), entry.run_id, entry.labels)


def _steps(run_id: str) -> list[tuple[Labels, Labels, list[Edit]]]:
    """Return the labels before and after each change of this tab, the newest last, and the edits
    made by then: earlier labels know topics that are gone."""
    kept: dict[str, list[tuple[Labels, Labels, list[Edit]]]] = st.session_state.setdefault(UNDO, {})
    return kept.setdefault(run_id, [])


def _for_good(entry: Entry) -> list[Edit]:
    latest = entry.background.latest
    return [edit for edit in (latest.edits if latest else ()) if edit.topics]


def can_take_back(explored: Explored) -> bool:
    """Return whether topics and labels are still as this tab's last change left them."""
    entry, steps = explored.shown.entry, _steps(explored.moment.run_id)
    if not steps or not explored.shown.owned:
        return False
    _, after, edits = steps[-1]
    return replace(after, about=entry.labels.about) == entry.labels and edits == _for_good(entry)


def take_back(explored: Explored) -> None:
    """Undo this tab's last change of labels."""
    entry = explored.shown.entry
    before, _, _ = _steps(entry.run_id).pop()
    entry.labels = replace(before, about=entry.labels.about)
    keep_labels(server.library(), entry.run_id, entry.labels)


def keep_labels(library: Library, run_id: str, labels: Labels) -> None:
    """Beside the saved run, if it is saved."""
    with contextlib.suppress(StoreError):  # Live says of a run that it is not saved, and why
        library.label(run_id, labels)


MOST_PERIODS = 3000


def labels_of(corpus: Corpus) -> Labelled | None:
    """The labels of documents; None where the corpus that a tab is given has none."""
    return corpus.derived("labels", lambda: labelled(corpus.docs.label, corpus.n_docs))


def few_enough(dates: Column, period: Period) -> bool:
    """Whether there is room for so many periods; says so if not."""
    n_periods = count(dates, period)
    if n_periods > MOST_PERIODS:
        st.warning(f"{n_periods:,} periods are too many to show; choose longer ones.")
    return n_periods <= MOST_PERIODS
