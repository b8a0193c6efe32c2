"""Load a corpus, look at it, prune it."""

import streamlit as st

from ...corpus import CorpusError
from ...corpus.readers.formats import READERS
from ..frame import explore_or_study, machine, pages, session
from ..frame.server import LoadedCorpus
from ..frame.words import plain
from ..parts.forms import find_topics, say_why
from ..parts.setting_up import choose_sample
from ..parts.shortage import say_shortage
from .form import read_form, tell_languages_soon
from .paths import PATHS, WAY, from_paths, say_builds
from .preview import preview
from .stop_words import FORM

COUNTS = [reader.title for reader in READERS.values() if reader.needs_vocab]
TEXTS = [reader.title for reader in READERS.values() if reader.suffixes and not reader.needs_vocab]
"""The formats of files, as the upload names them."""


def page() -> None:
    """The page, drawn from its top."""
    tell_languages_soon()
    st.title("Which texts?")
    st.markdown(
        "Texts stay on this machine: they are read by the computer that runs this page, and "
        "nothing is sent anywhere."
    )
    say_shortage()

    ways = ["Upload files", "Paste", "Samples"]
    if machine.is_local():
        ways.insert(1, PATHS)
    way = st.segmented_control(
        "Where from", ways, default=ways[0], required=True, key=WAY, label_visibility="collapsed"
    )
    fresh = None
    st.session_state.pop(FORM, None)
    if way == "Upload files":
        files = st.file_uploader(
            f"{', '.join(TEXTS)}, or word counts with their vocabulary ({', '.join(COUNTS)}); "
            "packed with gzip, xz, bzip2 or zstd too",
            accept_multiple_files=True,
            key="corpus-files",
        )
        if machine.is_local():
            st.caption(
                "Uploads are held in memory. Larger texts, and a corpus that was built, are read "
                f"where they lie: *{PATHS}*."
            )
        if files:
            fresh = read_form([(file.name, file.getvalue()) for file in files])
    elif way == PATHS and machine.is_local():
        fresh = from_paths()
    elif way == "Paste":
        text = st.text_area(
            "One document a line, or paragraphs between blank lines", height=200, key="corpus-paste"
        )
        if text.strip():
            fresh = read_form([("pasted.txt", text.encode())])
    else:
        name = choose_sample("Sample", "corpus-sample")
        if st.button("Load the sample", icon=":material/download:", key="load-sample"):
            try:
                with st.spinner("Reading the texts ..."):
                    session.use_sample(name)
            except CorpusError as problem:
                st.error(plain(problem), icon=":material/error:")

    if way != PATHS:
        say_builds()
    if fresh is not None:
        session.use_corpus(fresh)
    loaded = session.loaded_corpus()
    if loaded is None:
        return

    st.divider()
    _go_on(loaded)
    preview(loaded)


def _go_on(loaded: LoadedCorpus) -> None:
    """The one way that is recommended, with its reason; other methods a click away."""
    st.header(plain(loaded.corpus.name))
    with st.container(horizontal=True, vertical_alignment="center", key="go-on"):
        if find_topics(loaded, "find-topics"):
            pages.go_to("live")
        say_why(loaded)
        if st.button(
            "Choose a method yourself", type="tertiary", icon=":material/tune:", key="go-live"
        ):
            st.session_state["choosing"] = st.session_state["own-choice"] = True
            explore_or_study.study()
            pages.go_to("live")
