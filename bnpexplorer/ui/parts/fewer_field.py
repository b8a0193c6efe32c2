"""The field by which an owner chooses the number of topics."""

import streamlit as st

from ...corpus.documents.absent import AbsentCorpus
from ...runs.about import Granularity, fewest
from ...runs.limits import is_shared
from ...runs.run import Run
from ...state import moment as moments
from ...state.moment import Moment
from ..frame import server
from ..frame.fewer import FEWER, Fewer, found_of
from ..frame.session import RunOnPage
from ..frame.words import plain
from ..seam.widgets import set_widget, ticking
from .explore import ahead, at_rest, keep_labels

MOST_TOKENS = 3_000_000
"""Of a corpus: more take minutes, and are worked out only if somebody asks."""
IN_A_CLASS = 300_000
"""The same where a class shares the machine."""


def has_fewer(moment: Moment) -> bool:
    """Return whether a run has more topics than one can read."""
    return not moment.mixture and len(moment.in_use) > moments.FEW


def begin_ahead(shown: RunOnPage, whole: Moment) -> None:
    """Start the work after the page is drawn, if the run rests and is not too large."""
    run: Run = shown.entry.background.run
    if has_fewer(whole) and not _is_large(run) and not _is_absent(run):
        ahead(shown, lambda: _begin(shown, whole))


def _is_large(run: Run) -> bool:
    return run.corpus.n_tokens > (IN_A_CLASS if is_shared() else MOST_TOKENS)


def _is_absent(run: Run) -> bool:
    return isinstance(run.corpus, AbsentCorpus)


def _begin(shown: RunOnPage, whole: Moment) -> None:
    """Unless somebody has gone on with the run, or does so just now."""
    if not _rests_at(shown, whole):
        return
    snapshot = whole.snapshot
    fewer = snapshot.derived(FEWER, lambda: Fewer(shown.entry, snapshot))
    if not _rests_at(shown, whole) and not fewer.ended:
        snapshot.derived_values.forget(FEWER)


def _rests_at(shown: RunOnPage, whole: Moment) -> bool:
    latest = shown.entry.background.latest
    return at_rest(shown) and latest is not None and latest.at("") == whole.snapshot.at("")


def propose(shown: RunOnPage) -> None:
    """Choose the fewest topics that keep nearly all, unless the owner has chosen."""
    entry, snapshot = shown.entry, shown.entry.background.latest
    if snapshot is None or not shown.owned or entry.labels.about is not None:
        return
    found = found_of(entry, server.moment_of(entry, snapshot))
    if found and at_rest(shown):
        best = fewest(found)
        _choose(shown, 0 if best is None else best.n_topics)


def _choose(shown: RunOnPage, about: int) -> None:
    entry = shown.entry
    entry.labels = entry.labels.show(about)
    keep_labels(server.library(), entry.run_id, entry.labels)


# ---- on a page -----------------------------------------------------------------------------------


def fewer_field(shown: RunOnPage, moment: Moment) -> None:
    """Draw the field for the owner, and how much the topics keep."""
    whole = moment.whole or moment
    if not has_fewer(whole):
        return
    found = found_of(shown.entry, whole)
    with st.container(horizontal=True, vertical_alignment="center", key="fewer"):
        if found and shown.owned:
            _field(shown, whole, found)
        if moment.fewer is not None:
            kept, made = moment.fewer.sentences(len(whole.in_use))
            st.caption(kept or made, help=made if kept else None, width="stretch")
        elif not found:
            _under_way(shown, whole)


def _field(shown: RunOnPage, whole: Moment, found: tuple[Granularity, ...]) -> None:
    key = f"topics-about-{whole.run_id}"
    known = {one.n_topics: one for one in found}
    about = whole.labels.about if whole.labels.about in known else 0
    if st.session_state.get(key) != about:
        set_widget(key, about)

    def said(n: int) -> str:
        if not n:
            return f"All {len(whole.in_use):,} {whole.noun}s"
        kept = known[n].said
        return f"About {n}, keep {kept}" if kept else f"About {n}"

    st.selectbox(
        "Topics shown",
        [0, *known],
        format_func=said,
        key=key,
        on_change=lambda: _choose(shown, st.session_state[key]),
        label_visibility="collapsed",
        width=230,
        help="Fewer topics are easier to read, and predict unseen words a little worse.",
    )


def _under_way(shown: RunOnPage, whole: Moment) -> None:
    """Show the progress, and draw the page again at the end."""
    fewer: Fewer | None = whole.snapshot.derived_values.at_hand(FEWER)
    if fewer is not None and fewer.ended:
        st.caption(f"Fewer topics could not be worked out: {plain(fewer.error)}")
        return
    if not at_rest(shown):
        st.caption("Once the run rests, fewer topics can be shown in place of these.")
        return

    @ticking(1.0)
    def wait() -> None:
        now: Fewer | None = whole.snapshot.derived_values.at_hand(FEWER)
        if now is not None and now.ended:
            st.rerun()
        done = "" if now is None else f": {now.n_done} of {now.n} numbers tried"
        st.caption(f":material/hourglass_top: Working out fewer topics{done}")

    run: Run = shown.entry.background.run
    if fewer is not None or not (_is_large(run) or _is_absent(run)):
        wait()
        return
    asked = shown.owned and not _is_absent(run)
    if asked and st.button("Work out fewer topics", icon=":material/compress:", key="topics-fewer"):
        _begin(shown, whole)
        st.rerun()
