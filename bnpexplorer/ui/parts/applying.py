"""Apply to new texts: a file of them gets the topics of the run, for who may read its documents."""

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
        wanted = (upload.file_id, text, moment.at)
        key = f"applied-{run_id}"
        if st.button("Apply to new texts", key=f"apply-{run_id}"):
            with st.spinner("Reading the new texts ..."):
                options = options_for(ReadOptions(text=text.strip()), before.options)
                st.session_state[key] = (wanted, _made(shown, moment, texts, upload, options))
        known, made = st.session_state.get(key, (None, None))
        if known == wanted and made is not None:
            _show(made, upload.name, run_id)


def _made(
    shown: RunOnPage, moment: Moment, texts: LoadedCorpus, upload: object, options: ReadOptions
) -> tuple[Applied, bytes] | str:
    """Return the result and the file with topics, or one sentence why not."""
    try:
        source = read_files([(upload.name, upload.getvalue())], options)  # type: ignore[attr-defined]
        found = apply(shown.entry.background.run, moment, source, texts.report)
        return found, found.table()
    except CorpusError as problem:
        return str(problem)


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
