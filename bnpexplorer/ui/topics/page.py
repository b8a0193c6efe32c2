"""What a run found: its topics, their words, their past, and their documents."""

from dataclasses import replace

import numpy as np
import streamlit as st

from ...state.moment import Moment
from ..frame import explore_or_study, pages, session
from ..frame.words import plain, status_words
from ..parts import explore
from ..parts.fewer_field import begin_ahead, fewer_field, propose
from ..parts.run_buttons import say_missing
from ..parts.share import share
from ..parts.to_topics import FIRST_VIEW, TREE, VIEW, follow
from ..parts.topics_choice import keep_in_address, topic_of_address
from ..seam.address import translate
from ..seam.widgets import ticking
from .atlas import atlas_view
from .changed import WAYS, groups_view, turns_ahead
from .map import topics_view
from .over_documents import dates_view, together_view
from .quoted import WAY
from .through import run_view
from .words import WORD_VIEW, leave_out_form, word_view

VIEWS = {
    FIRST_VIEW: topics_view,
    WORD_VIEW: word_view,
    "Compare groups": groups_view,
    "Over time": dates_view,
    "Map": atlas_view,
    "Through the run": run_view,
    "Together": together_view,
}
"""What stands on the buttons -> what draws the view. Lessons and docs name the views too:
`VIEWS` in `lessons/setting_up.py`, and the table in `docs/app/topics.md`."""
EARLIER = {
    "Find a word": WORD_VIEW,
    "By label": "Compare groups",
    "What changed": "Compare groups",
    "Map of texts": "Map",
    "Tree": FIRST_VIEW,
}
"""What earlier versions called a view, also in addresses -> the view that has it now."""

OF_STUDY = ("Through the run", "Together")
"""Views that Explore does not have."""
OF_THE_RUN = ("Through the run",)
"""Views of its past, which all its topics have."""


@ticking(1.0)
def wait_for_topics(shown: session.RunOnPage) -> None:
    """Until the first mini-batch is through."""
    background = shown.entry.background
    if background.latest is not None and background.latest.topics.in_use.any():
        explore.hold(shown)
        st.rerun()
    if background.ended:
        st.info("This run ended before it had a topic.", icon=":material/info:")
    else:
        st.caption(
            f"No topics yet: the run is {status_words(background)}. They appear here by themselves."
        )
    pages.link_to("live", label="Watch it on the Live page")


def view_of_earlier(moment: Moment) -> None:
    """Turn to the present form of a view that an address of an earlier version asks for."""
    asked = st.query_params.get(VIEW, "")
    if asked not in EARLIER:
        return
    dates = moment.corpus.docs.date
    dated = dates is not None and not np.isnat(dates).all()
    way = st.query_params.get(WAY, WAYS["found" if dated else "labels"])
    more = {"Tree": {TREE: "true"}, "By label": {WAY: WAYS["every"]}, "What changed": {WAY: way}}
    translate({VIEW: EARLIER[asked], **more.get(asked, {})})


def page() -> None:
    """The page, drawn from its top."""
    runs = session.shown_runs()
    say_missing()
    if not runs:
        st.title("No topics yet")
        st.markdown("Start a method on some texts; this page then shows what it found, and how.")
        with st.container(horizontal=True):
            pages.link_to("start", label="Start with a sample")
            pages.link_to("live", label="Choose a method")
        return

    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(key="headline"):
            headline = st.empty()
        shown = explore.choose_run(runs)
        if explore.is_opened(shown):
            propose(shown)
        found = explore.explored_anew(shown)
        explore.refresh_button(shown)
        share(runs, shown)
    run = shown.entry.background.run
    explores, texts = explore_or_study.explores(), plain(run.corpus.name)
    facts = [f"# Topics of **{plain(run.name)}**", texts]
    if explores and run.name == run.method.name:
        facts = [f"# Topics of **{texts}**"]
    if found is not None:
        n_hidden = len(found.moment.in_use) - len(found.moment.ordered())
        hidden = f", {n_hidden:,} of them hidden" if n_hidden else ""
        whole = found.moment.whole
        of = f" in place of {len(whole.in_use):,}" if whole else ""
        if explores:
            facts.append(f"{found.moment.how_many}{of}{hidden}")
        else:
            facts.append(f"{len(found.moment.in_use):,}{of} in use{hidden}")
            facts.append(f"at {run.passes_said(found.moment.snapshot.docs_seen)}")
    headline.markdown(" · ".join(facts))
    if found is None:
        wait_for_topics(shown)
        return

    explore.turn_to_the_end(shown)
    fewer_field(shown, found.moment)
    follow()  # a click on the page before led to some documents
    ids, run_id = list(found.moment.row), found.moment.run_id
    topic_of_address(run_id, ids)
    view_of_earlier(found.moment)
    view = st.segmented_control(
        "View",
        [view for view in VIEWS if not (explores and view in OF_STUDY)],
        default=FIRST_VIEW,
        required=True,
        key=VIEW,
        label_visibility="collapsed",
        bind="query-params",
        persist_state="session",
    )
    if view in OF_THE_RUN and found.moment.whole is not None:
        found = replace(found, moment=found.moment.whole)
    VIEWS[view](found)
    keep_in_address(run_id, ids)
    if found.readable and view in (FIRST_VIEW, WORD_VIEW):
        leave_out_form(found)
    explore.ahead(shown, lambda: turns_ahead(found.moment))
    begin_ahead(shown, found.moment.whole or found.moment)
