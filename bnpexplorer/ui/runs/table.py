"""The pieces of the Runs page: the table of saved runs and what can be done with them."""

import io
from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from ...core.store import StoreError
from ...runs.saved import bundle
from ...runs.saved.rows import NAME_LENGTH, TAGS_LENGTH, Saved
from ..frame import access, explore_or_study, holding, server, session
from ..frame.words import STATUS_WORDS, plain
from ..seam.widgets import key_of_content
from .around import MB, change, open_chains, open_runs

TICKED = "runs-ticked"
"""The table, and the runs that are ticked in it: by identity, however the list changes."""
OF_STUDY = ["method", "held-out", "seed", "scored by"]
"""Columns that Explore does not have."""


def status_of(saved: Saved) -> str:
    """Where a run stands, and which of several chains it is."""
    words = _stands(saved)
    return words if saved.chain is None else f"{words}, {saved.chain.title}"


def _stands(saved: Saved) -> str:
    """Where a run stands, in words: as its thread says, else as it was saved last."""
    entry = server.registry().get(saved.run_id)
    race = server.race_of(saved.run_id)
    if entry is None and race is not None:
        words = STATUS_WORDS[race.background.status]
        return words if saved.chain is not None else f"{words}, in a race"
    at_rest = entry is not None and entry.background.status in ("paused", "failed")
    if saved.failure and (entry is None or at_rest):
        return saved.failure
    if entry is not None and not (at_rest and saved.facts["status"] == "stopped"):
        return STATUS_WORDS[entry.background.status]
    return "interrupted" if saved.interrupted else STATUS_WORDS[saved.facts["status"]]


def table(runs: Sequence[Saved]) -> pd.DataFrame:
    """One row a run, as the page shows it."""
    return pd.DataFrame(
        {
            "name": [r.name for r in runs],
            "where it stands": [status_of(r) for r in runs],
            "progress": [100 * r.progress for r in runs],
            "method": [r.facts["method"] for r in runs],
            "texts": [r.facts["corpus"] for r in runs],
            "held-out": pd.array([r.facts["heldout"] for r in runs], dtype="Float64"),
            "topics": [r.facts["n_topics"] for r in runs],
            "tags": [list(r.tags) for r in runs],
            "saved": pd.to_datetime([r.updated for r in runs], unit="s", utc=True),
            "MB": [r.n_bytes / MB for r in runs],
            "seed": [r.facts["seed"] for r in runs],
            "scored by": [r.facts["protocol"] for r in runs],
        }
    )


def columns() -> dict[str, Any]:
    """How the table shows its columns."""
    config = st.column_config
    return {
        "name": config.TextColumn("Name", width="medium"),
        "where it stands": config.TextColumn("Where it stands"),
        "progress": config.ProgressColumn(
            "Progress",
            format="%.0f %%",
            min_value=0,
            max_value=100,
            width="small",
            help="Of the documents that the run was to learn.",
        ),
        "method": config.TextColumn("Method"),
        "texts": config.TextColumn("Texts"),
        "held-out": config.NumberColumn(
            "Held-out",
            format="%.3f",
            width="small",
            help="Log likelihood per word of texts that it has not learned; higher is better. "
            "Compare only runs of the same texts and protocol.",
        ),
        "scored by": config.TextColumn("Scored by", help="The protocol of the held-out score."),
        "topics": config.NumberColumn("Topics", help="Topics in use."),
        "tags": config.ListColumn("Tags"),
        "seed": config.NumberColumn("Seed", format="%d", width="small"),
        "saved": config.DatetimeColumn("Saved", format="distance", width=120),
        "MB": config.NumberColumn(
            "MB", format="%.1f", width="small", help="On disk, without the texts, which are shared."
        ),
    }


def chosen_from(runs: Sequence[Saved]) -> list[Saved]:
    """The table, the newest first, and which of its rows are ticked."""
    shown = sorted(runs, key=lambda run: run.created, reverse=True)
    if not shown:
        st.info(
            "No run has these tags and texts; take a filter away.", icon=":material/filter_alt:"
        )
        return []
    ids, frame = [run.run_id for run in shown], table(shown)
    key = key_of_content("runs", frame)

    def ticked() -> None:  # on the list that was seen; a filter does not take a tick away
        away = [run_id for run_id in st.session_state[TICKED] if run_id not in ids]
        rows = st.session_state[key]["selection"]["rows"]
        st.session_state[TICKED] = away + [ids[row] for row in rows]

    chosen = st.session_state.setdefault(TICKED, [])
    rows = [row for row, run_id in enumerate(ids) if run_id in chosen]
    hidden = OF_STUDY if explore_or_study.explores() else []
    st.dataframe(
        frame.drop(columns=hidden),
        column_config=columns(),
        hide_index=True,
        on_select=ticked,
        selection_mode="multi-row",
        selection_default={"selection": {"rows": rows}},
        key=key,
        height="content" if len(shown) < 12 else 460,
        alt="Saved runs, one a row; tick rows to open, rename or delete them.",
    )
    return [run for run in shown if run.run_id in chosen]


def filtered(runs: Sequence[Saved]) -> list[Saved]:
    """Those with all chosen tags and one of the chosen texts; asks where there is a choice."""
    tags = sorted({tag for run in runs for tag in run.tags})
    texts = sorted({run.facts["corpus"] for run in runs})
    wanted_tags: list[str] = []
    wanted_texts: list[str] = []
    if tags or len(texts) > 1:
        left, right = st.columns(2)
        if tags:
            wanted_tags = left.multiselect("With the tags", tags, key="runs-tags")
        if len(texts) > 1:
            wanted_texts = right.multiselect("Of the texts", texts, key="runs-texts")
    return [
        run
        for run in runs
        if set(wanted_tags) <= set(run.tags)
        and (not wanted_texts or run.facts["corpus"] in wanted_texts)
    ]


# ---- what can be done --------------------------------------------------------------------------


def actions(chosen: Sequence[Saved]) -> None:
    """Buttons for the ticked rows; always there, so that the table below keeps its place."""
    several, none = len(chosen) > 1, not chosen
    mixed = len({run.corpus_key.split("-")[0] for run in chosen}) > 1
    taken = [run for run in chosen if not holding.may_control(run.run_id)]
    unread = [run for run in chosen if not access.may_read(run.run_id)]
    racing = any(server.race_of(run.run_id) is not None for run in chosen)
    with st.container(horizontal=True, vertical_alignment="center", key="runs-actions"):
        words = f"Open {len(chosen)} together" if several else "Open"
        if st.button(
            words,
            icon=":material/open_in_full:",
            type="primary",
            key="runs-open",
            disabled=none or mixed or racing,
            help="Shows it on the Live page, as it stands.",
        ):
            open_runs(chosen)
        paused = [run for run in chosen if run.progress < 1]
        if st.button(
            "Resume",
            icon=":material/play_arrow:",
            key="runs-resume",
            disabled=mixed or not paused or bool(taken),
            help="Opens it and goes on exactly where it stopped.",
        ):
            open_runs(chosen, resume=True)
        with st.popover("Name and tags", icon=":material/edit:", disabled=none or bool(taken)):
            if chosen and not taken:
                _name_and_tags(chosen)
        with st.popover(
            "Export",
            icon=":material/download:",
            disabled=len(chosen) != 1 or bool(unread),
            help="One run as one .zip, to open on another machine.",
        ):
            if len(chosen) == 1 and not unread:
                _export(chosen[0])
        st.button(
            "Delete",
            icon=":material/delete:",
            key="runs-delete",
            disabled=none or bool(taken),
            on_click=_delete,
            args=(chosen,),
            help="Can be undone for a week.",
        )
        groups = {run.chain.group for run in chosen if run.chain is not None}
        if len(groups) == 1 and st.button(
            "See all chains",
            icon=":material/call_split:",
            key="runs-chains",
            help="The judgement of all of them, on the Compare page, where they go on, too.",
        ):
            open_chains(groups.pop(), owned=not taken)
    # One line in every case, so that the table keeps its place.
    if taken:
        st.caption(f"{plain(taken[0].name)} {holding.why_not(taken[0].run_id)}.")
    elif mixed:
        st.caption("Runs of different texts do not compare: tick runs of the same texts to open.")
    elif len(chosen) == 1 and chosen[0].failure:
        st.caption(f"Ticked: {plain(f'{chosen[0].name} {status_of(chosen[0])}')}")
    elif len(chosen) == 1 and chosen[0].chain is not None:
        chain = chosen[0].chain
        st.caption(plain(f"Ticked: {chosen[0].name}, one of {chain.of} chains. {chain.sentence}"))
    elif none:
        st.caption("Tick a row to act on it; several to compare them.")
    else:
        st.caption(f"Ticked: {plain(', '.join(run.name for run in chosen)[:70])}")


def _name_and_tags(chosen: Sequence[Saved]) -> None:
    """One form: a name where one row is ticked, tags for all."""
    one = chosen[0] if len(chosen) == 1 else None
    common = sorted(set.intersection(*(set(run.tags) for run in chosen)))
    with st.form(f"runs-edit-{'-'.join(run.run_id for run in chosen)}", border=False):
        name = st.text_input("Name", one.name, max_chars=NAME_LENGTH) if one is not None else ""
        tags = st.text_input(
            "Tags", ", ".join(common), max_chars=TAGS_LENGTH, help="With commas between them."
        )
        if not st.form_submit_button("Save", type="primary"):
            return
    given = {tag.strip() for tag in tags.split(",")}
    for run in chosen:
        if one is not None and name.strip():
            change(partial(server.library().rename, run.run_id, name))
            entry = server.registry().get(run.run_id)
            if entry is not None:
                entry.background.run.name = name.strip()
        kept = set(run.tags) - set(common)
        change(partial(server.library().tag, run.run_id, tuple(given | kept)))
    st.rerun()


def _export(run: Saved) -> None:
    with_text = st.checkbox(
        "With the texts themselves",
        key="runs-with-text",
        help="Without them the file holds word counts, titles, dates and labels; documents are "
        "then shown as word counts.",
    )
    # Made by one click and fetched by the next: a file that is made on demand is gone from the
    # server whenever the page is drawn anew, and the click on it then fails.
    learning = _stands(run) == STATUS_WORDS["running"]
    wanted = (run.run_id, with_text, 0.0 if learning else run.updated)
    if st.button("Make the .zip", icon=":material/folder_zip:", key="runs-make"):
        try:
            st.session_state["runs-zip"] = (wanted, _exported(run.run_id, with_text))
        except StoreError as problem:
            st.error(plain(problem), icon=":material/error:")
    made, data = st.session_state.get("runs-zip", ((), b""))
    if made == wanted:
        st.download_button(
            f"Download {len(data) / MB:,.1f} MB",
            data,
            bundle.file_name(run),
            "application/zip",
            key="runs-download",
            on_click="ignore",
            icon=":material/download:",
            type="primary",
        )
    if learning:
        st.caption(
            "It is learning: the file holds it as it was saved last. Pause it first to "
            "have all of it."
        )


def _exported(run_id: str, with_text: bool) -> bytes:
    out = io.BytesIO()
    bundle.export(server.library(), run_id, out, with_text)
    return out.getvalue()


def _delete(chosen: Sequence[Saved]) -> None:
    chosen = [run for run in chosen if holding.may_control(run.run_id)]
    for run in chosen:
        entry = server.registry().get(run.run_id)
        if entry is not None:
            entry.background.pause()
        session.leave(run.run_id)
        change(partial(server.library().delete, run.run_id))
    gone = {run.run_id for run in chosen}
    st.session_state[TICKED] = [r for r in st.session_state[TICKED] if r not in gone]
    st.session_state["runs-deleted"] = [(run.run_id, run.name) for run in chosen]
