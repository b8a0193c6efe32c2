"""Apply to new texts: a file of them gets the topics of the run, for who may read its documents."""

from dataclasses import dataclass, field
from uuid import uuid4

import streamlit as st

from ...corpus.corpus import CorpusError
from ...corpus.documents.added import suffix_of
from ...corpus.intake.api import read_files
from ...corpus.readers.source import ReadOptions
from ...export.your_file import MIMES
from ...runs.applying import Applied, apply, options_for, reading_of
from ...state.moment import Moment
from ..frame.server import LoadedCorpus
from ..frame.session import RunOnPage
from ..frame.words import plain
from .under_way import UnderWay, awaited, say_under_way


def apply_to_new(shown: RunOnPage, moment: Moment, texts: LoadedCorpus) -> None:
    """Draw the form with a file, its column of texts and a button; then the result and the file
    with topics."""
    run, run_id = shown.entry.background.run, shown.entry.run_id
    try:
        before = reading_of(run, texts.report)
    except CorpusError:
        return  # of counts, and of runs of earlier versions
    with st.expander("Apply to new texts", icon=":material/playlist_add:"):
        upload = st.file_uploader(
            "File with new texts",
            key=f"apply-file-{run_id}",
            help="Each text gets the topics of this run, which learns nothing from it.",
        )
        text = st.text_input(
            "Column with the texts",
            value=before.options.text,
            key=f"apply-text-{run_id}",
            help="Empty: it is found out.",
        )
        if upload is None:
            return
        file, key = (upload.file_id, text), f"applied-{run_id}"
        kept: _Applying | None = st.session_state.get(key)
        if st.button("Apply to new texts", key=f"apply-{run_id}"):
            kept = _Applying(file, moment.at)
            st.session_state[key] = kept
        if kept is None or kept.file != file:
            return
        if kept.made is None:
            options = options_for(ReadOptions(text=text.strip()), before.options)
            files = [(upload.name, upload.getvalue())]

            def work() -> tuple[Applied, bytes]:
                found = apply(run, moment, read_files(files, options), texts.report)
                return found, found.table()

            try:
                kept.made = awaited(f"Applying to {upload.name}", f"apply {kept.key}", work)
            except UnderWay as waited_for:
                say_under_way(waited_for.going)
                return
            except CorpusError as problem:
                kept.made = str(problem)
        _show(kept.made, upload.name, run_id)
        if kept.at != moment.at:
            st.caption("The topics have changed since. Apply them again to use the present ones.")


@dataclass(eq=False)
class _Applying:
    """One press of the button, for a file and its column of texts, at a moment of the run."""

    file: tuple[str, str]
    at: object
    made: tuple[Applied, bytes] | str | None = None
    """The result and the file with topics, or one sentence why not."""
    key: str = field(default_factory=lambda: uuid4().hex)
    """Each press begins anew, also where the one before was cancelled."""


def _show(made: tuple[Applied, bytes] | str, name: str, run_id: str) -> None:
    if isinstance(made, str):
        st.error(plain(made))
        return
    found, data = made
    assert found.corpus.file_rows is not None
    suffix = suffix_of(found.corpus.file_rows)
    st.markdown(plain(found.said))
    st.download_button(
        "New texts, with topics",
        data,
        file_name=f"{name.rpartition('.')[0] or name}-topics{suffix}",
        mime=MIMES[suffix],
        on_click="ignore",
        icon=":material/download:",
        key=f"applied-file-{run_id}",
    )
