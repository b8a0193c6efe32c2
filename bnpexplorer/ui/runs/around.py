"""Around the table of saved runs: undo, deleted runs, disk use, runs from other machines."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import IO

import streamlit as st

from ...core.store import StoreError
from ...runs.keeping import ENDED
from ...runs.saved import bundle
from ...runs.saved.rows import Saved
from ..frame import holding, link, pages, server, session
from ..frame.words import plain

MB = 2**20
NEARLY_FULL = 0.8
"""Share of the disk limit from which the page says what to do."""


def change(act: Callable[[], None]) -> None:
    """Change the library; what goes wrong is said at the top of the page."""
    try:
        act()
    except StoreError as problem:
        st.session_state["runs-problem"] = str(problem)


def _restore(run_ids: Sequence[str]) -> None:
    for run_id in run_ids:
        change(partial(server.library().restore, run_id))
    st.session_state.pop("runs-deleted", None)


def undo_bar() -> None:
    """Show the run deleted last, with an undo button, and errors."""
    problem = st.session_state.pop("runs-problem", "")
    if problem:
        st.error(plain(problem), icon=":material/error:")
    deleted = st.session_state.get("runs-deleted", [])
    if not deleted:
        return
    names = deleted[0][1] if len(deleted) == 1 else f"{len(deleted)} runs"
    with st.container(horizontal=True, vertical_alignment="center", border=True, key="runs-undo"):
        st.markdown(f"Deleted: {plain(names)}", width="content")
        ids = [run_id for run_id, _ in deleted]
        st.button("Undo", icon=":material/undo:", on_click=_restore, args=(ids,), key="runs-undone")


def whose_runs() -> None:
    """On a shared server: which runs are listed, and how to come back to them."""
    if holding.is_shared():
        st.caption(
            "This server is shared: here are the runs that this tab started, opened by their "
            "owner's link or imported, and those its address names. Keep the address of a run to "
            "come back to it from another tab."
        )


def deleted_runs(deleted: Sequence[Saved]) -> None:
    """Those that can still come back."""
    if not deleted:
        return
    with st.expander(f"Deleted within a week: {len(deleted)}"):
        for run in deleted:
            left = server.library().days_left(run.run_id)
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(
                    f"{plain(run.name)} · {plain(run.facts['corpus'])} · "
                    f"{run.n_bytes / MB:.1f} MB · {left:.0f} days left",
                    width="stretch",
                )
                st.button(
                    "Bring back",
                    icon=":material/undo:",
                    on_click=_restore,
                    args=([run.run_id],),
                    key=f"runs-back-{run.run_id}",
                )
        if holding.is_shared():  # emptying would take those of the others, too
            return
        if st.checkbox("I want them gone for good", key="runs-sure"):
            st.button("Empty", icon=":material/delete_forever:", on_click=_empty, key="runs-empty")


def _empty() -> None:
    change(server.library().purge)
    st.session_state.pop("runs-deleted", None)
    st.session_state["runs-sure"] = False


def damaged_runs() -> None:
    """Show runs that cannot be listed and can only be deleted."""
    for one in holding.damaged_runs():
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            st.markdown(
                f"The run {plain(one.run_id)} cannot be shown: {plain(one.why)}. "
                f"It takes {one.n_bytes / MB:.1f} MB.",
                width="stretch",
            )
            st.button(
                "Delete for good",
                icon=":material/delete_forever:",
                on_click=change,
                args=(partial(server.library().discard, one.run_id),),
                key=f"runs-discard-{one.run_id}",
            )


def disk_use() -> None:
    """One line; and what to do when it gets tight."""
    try:
        room = server.library().room(link.is_lecturers())
    except ValueError as problem:
        st.warning(plain(problem))
        return
    if not server.library().writable:
        st.warning(
            f"Nothing can be written{_where()}. Saved runs open and "
            "compare; what is learned now, and names given now, last as long as this server.",
            icon=":material/lock:",
        )
    taken, limit = f"{room.taken / MB:,.1f} MB", f"{room.limit / MB:,.0f} MB"
    words = f"Saved runs and their texts{_where()} take {taken} of {limit}."
    if room.taken < NEARLY_FULL * room.limit:
        st.caption(words)
        return
    full = "No new run can be saved." if room.is_full else "Soon no new run can be saved."
    emptied = "some of yours" if holding.is_shared() else "runs and empty the deleted ones"
    st.warning(
        f"{words} {full} Delete {emptied}, or start the server with a larger BNPEXPLORER_DISK_MB.",
        icon=":material/hard_drive:",
    )


def _where() -> str:
    """In which folder, for tabs that may know it."""
    return f" in {plain(server.library().folder)}" if link.sees_addresses() else ""


@dataclass(frozen=True)
class Said:
    """The report on the file in the uploader, which is read once, not at every rerun of the page,
    and not kept."""

    file_id: str
    refusal: str = ""
    twin: str = ""
    """The run that it is, by its identity."""


def importing() -> None:
    """A file from another machine becomes a run of this one."""
    file = st.file_uploader(
        "A run that was exported as a .zip",
        type=["zip", "run"],
        key=f"runs-file-{st.session_state.get('runs-imported', 0)}",
        help="Also a file that `fit --out` or `Run.save` wrote.",
    )
    if file is None:
        return
    try:
        with st.spinner("Checking the file ..."):
            _import(file, file.name, file.file_id)
    except ValueError as problem:  # foreign, damaged, too large, or no room for it
        if isinstance(problem, StoreError):
            st.session_state["runs-file-said"] = Said(file.file_id, str(problem))
        st.error(plain(problem), icon=":material/error:")


def _import(file: IO[bytes], file_name: str, file_id: str) -> None:
    """Raises StoreError if the file is no run, other ValueErrors if there is no room for it."""
    library, here = server.library(), holding.saved_runs()
    said = st.session_state.get("runs-file-said")
    if said is None or said.file_id != file_id:
        said = Said(file_id)
    if said.refusal:
        raise StoreError(said.refusal)
    twin = next((run for run in here if run.run_id == said.twin), None)
    if twin is not None and not _wants_copy(twin):
        return
    at_hand = holding.corpus_at_hand if holding.is_shared() else None
    found = bundle.read(file, file_name, at_hand)
    if twin is None:
        twin = bundle.twin(library, found, here)
        if twin is not None:
            st.session_state["runs-file-said"] = Said(file_id, twin=twin.run_id)
            _wants_copy(twin)
            return
    name = bundle.free_name(found.name, here) if twin is not None else found.name
    run_id = bundle.add(library, found, link.new_secret(), name)
    holding.hold(run_id)
    st.session_state["runs-imported"] = st.session_state.get("runs-imported", 0) + 1
    st.session_state["runs-news"] = (run_id, name, found.note)
    st.session_state.pop("runs-file-said", None)
    st.rerun()


def _wants_copy(twin: Saved) -> bool:
    """Say that the run is here already; whether a copy is asked for."""
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        st.markdown(f"This run is here already, as **{plain(twin.name)}**.", width="stretch")
        if st.button("Open it", icon=":material/open_in_full:", key="runs-open-twin"):
            open_runs([twin])
        return st.button("Import a copy", icon=":material/content_copy:", key="runs-copy")


def imported() -> None:
    """Show the run imported last, with the next action."""
    if "runs-news" not in st.session_state:
        return
    run_id, name, note = st.session_state["runs-news"]
    saved = server.library().get(run_id)
    if saved is None or saved.deleted is not None:
        return
    with st.container(horizontal=True, vertical_alignment="center", border=True, key="runs-news"):
        st.markdown(f"Imported: **{plain(name)}**. {plain(note)}", width="stretch")
        if st.button("Open it", icon=":material/open_in_full:", key="runs-open-news"):
            del st.session_state["runs-news"]
            open_runs([saved])


def open_runs(chosen: Sequence[Saved], resume: bool = False) -> None:
    """Open runs on the Live page, or say what is wrong with one."""
    try:
        if resume:
            for run in chosen:
                holding.take_up_again(run)
        holding.put_on_page([run.run_id for run in chosen])
    except StoreError as problem:
        st.error(plain(problem), icon=":material/error:")
        return
    if resume:
        for shown in session.shown_runs():
            if shown.owned and shown.entry.background.status not in ENDED:
                link.go_on(shown.entry.background)
    pages.go_to("live")


def open_chains(group: str, owned: bool) -> None:
    """Show the chains on the Compare page, or say what is wrong."""
    try:
        if not session.open_chains(group, owned):
            st.error("The other chains are not here; those deleted within a week can come back.")
    except StoreError as problem:
        st.error(plain(problem), icon=":material/error:")
