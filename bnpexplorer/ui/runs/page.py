"""The runs that are saved on this machine: open, go on, name, delete, take along."""

import streamlit as st

from ...core.store import StoreError
from ..frame import holding, pages
from ..frame.words import plain
from . import around as runs_around
from . import table as runs


def page() -> None:
    """The page, drawn from its top."""
    st.title("Saved runs")
    st.markdown(
        "Runs are saved as they go, with their texts. Any of them opens as it stood and goes on "
        "exactly where it stopped."
    )
    runs_around.whose_runs()
    try:
        saved = holding.saved_runs()
        deleted = holding.deleted_runs()
    except StoreError as problem:
        st.error(f"{plain(problem)} Its folder must be there, open to writing, and have room left.")
        return

    runs_around.undo_bar()
    runs_around.imported()
    if saved:
        listed = runs.filtered(saved)
        place = st.container()  # the buttons stand above the table whose rows they act on
        chosen = runs.chosen_from(listed)
        with place:
            runs.actions(chosen)
    else:
        with st.container(border=True):
            st.markdown("**No run is saved yet.** Start one, and it appears here by itself.")
            with st.container(horizontal=True):
                pages.link_to("start", label="Watch one learn")
                pages.link_to("live", label="Choose a method")
    runs_around.damaged_runs()
    runs_around.disk_use()
    runs_around.deleted_runs(deleted)
    with st.expander("Import a run from another machine", expanded=not saved):
        runs_around.importing()
