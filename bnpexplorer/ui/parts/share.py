"""Share: links that carry the view (`links.py`), downloads made on demand, how to cite."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import PurePath

import streamlit as st

from ... import export
from ...export import Result
from ...export.citations import bibtex
from ...interchange import mallet_file, pyldavis_file
from ..frame import access, server
from ..frame.look import is_embedded
from ..frame.server import Loaded
from ..frame.session import Shown
from ..frame.words import plain
from .explore import at_rest, folding_of
from .links import links_of, show_links
from .run_choice import labels_of, run_field

MOST_BYTES = 2**28
"""Of a file that a page makes, which is held in memory until it is fetched."""


@dataclass(frozen=True)
class Download:
    """One file to download."""

    label: str
    words: str
    """What it is, beside the button."""
    hint: str
    suffix: str
    mime: str
    make: Callable[[Result], str | bytes]
    texts: bool = False
    """Whether it holds what each document says, as word counts: not for who only watches."""
    to: str = ""
    """How the command line calls it, which writes it as it is made."""
    cell: int = 0
    """Bytes that it has, packed, for every document and topic."""


DOWNLOADS = (
    Download(
        "Report",
        "One page that opens anywhere, also offline",
        "Curves, topics, a map and every setting in one HTML file that fetches nothing.",
        ".html",
        "text/html",
        lambda result: export.report(result, date.today()),
    ),
    Download(
        "Tables",
        "CSV: topics, words, documents, history",
        "Shares are of modelled words. Hidden topics are there, marked as hidden.",
        "-tables.zip",
        "application/zip",
        export.tables,
        to="csv",
        cell=1,
    ),
    Download(
        "Tables for Excel",
        "The same, marked as UTF-8",
        "Excel shows letters with accents rightly only with this mark.",
        "-tables-excel.zip",
        "application/zip",
        lambda result: export.tables(result, bom=True),
        to="csv --bom",
        cell=1,
    ),
    Download(
        "Script and notebook",
        "Python that makes the same run again",
        "Same final numbers with the same versions. The zip holds word counts, unless a sample was "
        "learned, but not the documents' texts.",
        "-script.zip",
        "application/zip",
        export.recreation,
        texts=True,
    ),
    Download(
        "Arrays for pyLDAvis",
        "What its prepare function takes",
        "An .npz without pickle; give prepare also sort_topics=False.",
        "-pyldavis.npz",
        "application/zip",
        pyldavis_file,  # other types the server would gzip
        to="pyldavis",
        cell=8,
    ),
    Download(
        "MALLET's files",
        "topic-keys, doc-topics and state",
        "For programs that read MALLET. topics.csv tells which number is which topic.",
        "-mallet.zip",
        "application/zip",
        mallet_file,
        texts=True,
        to="mallet",
        cell=4,
    ),
)


def result_of(shown: Shown, texts: Loaded | None) -> Result | None:
    """What a run on the page has learned so far; None before its first step.

    `texts`: its documents, or None for who only watches, to whom no file tells their names.
    """
    entry = shown.entry
    snapshot = entry.background.latest
    if snapshot is None:
        return None
    run, moment, loaded = entry.background.run, server.moment_of(entry, snapshot), texts
    if loaded is None and (loaded := access.counts_of(entry)) is None:
        return None
    result = export.result_of(
        run, moment, loaded.corpus, loaded.report, lambda: folding_of(moment).wait()
    )
    if texts is not None:
        return result
    return replace(result, moment=replace(result.moment, corpus=result.corpus.unnamed()))


def share(runs: Sequence[Shown]) -> None:
    """The button on a page of runs."""

    def draw() -> None:
        show_links(links_of(runs))
        _downloads(runs)

    share_button("share", draw)


def share_button(key: str, draw: Callable[[], None]) -> None:
    """What it opens is drawn when it is opened. A page inside another one has none."""
    if is_embedded():
        return
    box = st.popover("Share", icon=":material/share:", type="tertiary", on_change="rerun", key=key)
    if box.open:
        with box:
            draw()


def _downloads(runs: Sequence[Shown]) -> None:
    st.markdown("### Download")
    place = run_field("Run to download", runs, "share-run", in_address=False)
    shown, label = runs[place], plain(labels_of(runs)[place])
    background, run_id = shown.entry.background, shown.entry.run_id
    if background.latest is None or not len(background.latest.topics):
        st.caption(f"{label} has learned nothing yet; files can be made after its first step.")
    else:
        texts = access.texts_of(shown.entry)
        for download in DOWNLOADS:
            if texts is not None or not download.texts:
                _download(shown, download, texts)
        if texts is None:
            st.caption(f"Files of the documents are not here. {access.FOR_ITS_OWNER}")
        if at_rest(shown):  # most of the files are made from them
            folding_of(server.moment_of(shown.entry, background.latest))
        if not background.ended:
            st.caption("The run goes on: a file has what it had learned when you pressed.")
    how_to_cite([background.run.method.name])
    st.caption(f"The run's name on this server and on the command line: `{run_id}`")


def how_to_cite(methods: Sequence[str]) -> None:
    """The papers of these methods, for a list of references."""
    with st.expander("How to cite", icon=":material/format_quote:"):
        st.code(bibtex(methods), language="latex", wrap_lines=True)


def _download(shown: Shown, download: Download, texts: Loaded | None) -> None:
    """A button whose file is made when it is pressed, in a thread of its own."""

    def made() -> str | bytes:
        result = result_of(shown, texts)
        assert result is not None, "drawn only for a run that has learned something"
        return download.make(result)

    moment = server.moment_of(shown.entry, shown.entry.background.latest)
    n_docs = moment.corpus.n_docs
    if download.cell * n_docs * len(moment.topics) > MOST_BYTES:
        file = f"FILE{PurePath(download.suffix).suffix}"
        st.caption(
            f"**{download.label}**: of {n_docs:,} documents too large for a page; `python -m "
            f"bnpexplorer export {shown.entry.run_id} {file} --to {download.to}` writes it."
        )
        return
    name = "-".join(["bnpexplorer", shown.entry.background.run.method.name, shown.entry.run_id])
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.download_button(
            download.label,
            made,
            file_name=name + download.suffix,
            mime=download.mime,
            on_click="ignore",
            icon=":material/download:",
            help=download.hint,
            key=f"share{download.suffix}-{shown.entry.run_id}",
            width=210,
        )
        st.caption(download.words)
