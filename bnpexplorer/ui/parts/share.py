"""Share: links that carry the view, downloads made on demand, how to cite."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from html import escape
from pathlib import PurePath
from urllib.parse import urlencode

import streamlit as st

from ... import export
from ...export import Result
from ...export.citations import bibtex
from ...runs import limits
from ..frame import access, server
from ..frame.link import LINK
from ..frame.look import is_embedded
from ..frame.server import Loaded
from ..frame.session import JOBS, Shown
from ..frame.words import plain
from .explore import at_rest, folding_of
from .run_choice import labels_of, run_field

NOT_SHARED = ("run", "own", LINK, access.TEXTS, *JOBS, *JOBS.values(), "large")
"""What the address says of who may do what, and of its owner's screen; the rest is the view."""
OF_DOCUMENTS = (
    "only-label",
    "only-but",
    "only-word",
    "documents-search",
    "topics-one-label",
    "topics-other-label",
)
"""How words of the address begin that are taken from documents: not for who only watches."""
EMBED_HEIGHT = 900
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
        export.pyldavis,  # other types the server would gzip
        to="pyldavis",
        cell=8,
    ),
    Download(
        "MALLET's files",
        "topic-keys, doc-topics and state",
        "For programs that read MALLET. topics.csv tells which number is which topic.",
        "-mallet.zip",
        "application/zip",
        export.mallet,
        texts=True,
        to="mallet",
        cell=4,
    ),
)


def link(
    page: str,
    runs: Mapping[str, str],
    view: Mapping[str, str],
    embedded: bool = False,
    keys: Sequence[str] = (),
) -> str:
    """An address of `page` that shows these runs (identity -> secret, empty: only watching).

    `keys` open their texts to who watches.
    """
    query = {"run": ",".join(runs)}
    if any(runs.values()):
        query["own"] = ",".join(runs.values())
    if keys:
        query[access.TEXTS] = ",".join(keys)
    query |= view
    if embedded:
        query["embed"] = "true"
    return f"{page}?{urlencode(query, safe=',')}"


def snippet(address: str, title: str) -> str:
    """HTML that shows an address inside another page."""
    return (
        f'<iframe src="{escape(address, quote=True)}" title="{escape(title, quote=True)}" '
        f'width="100%" height="{EMBED_HEIGHT}" style="border:0"></iframe>'
    )


def view_of_address() -> dict[str, str]:
    """What the address says of the view: axis, series, run and topics shown."""
    return {name: st.query_params[name] for name in st.query_params if name not in NOT_SHARED}


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
    """The button on a page of runs; what it opens is made when it is opened.

    A page inside another one has none.
    """
    if is_embedded():
        return
    box = st.popover(
        "Share", icon=":material/share:", type="tertiary", on_change="rerun", key="share"
    )
    if box.open:
        with box:
            _links(runs)
            _downloads(runs)


def _links(runs: Sequence[Shown]) -> None:
    page, view = st.context.url or "", view_of_address()
    owned = {s.entry.run_id: s.entry.secret if s.owned else "" for s in runs}
    watching, seen = dict.fromkeys(owned, ""), view
    names = ", ".join(labels_of(runs))
    st.markdown("### Link to watch")
    keys = _keys_to_read(owned.values())
    if not keys and not all(map(access.is_open, owned)):
        seen = {n: said for n, said in view.items() if not n.startswith(OF_DOCUMENTS)}
    st.code(link(page, watching, seen, keys=keys), language=None, wrap_lines=True)
    st.caption("Whoever has it sees this page as it is now, and cannot pause or change anything.")
    if any(owned.values()):
        with st.expander("Link to control, for yourself", icon=":material/key:"):
            st.code(link(page, owned, view), language=None, wrap_lines=True)
            st.caption("Whoever has this one can pause and stop the runs and rename topics.")
    with st.expander("Show it inside another page", icon=":material/code:"):
        address = link(page, watching, seen, embedded=True, keys=keys)
        st.code(snippet(address, f"bnpexplorer: {names}"), language="html", wrap_lines=True)
        st.caption(
            "The page without its menu and its controls. The other page must be able to reach "
            "this server; an address with localhost works on this computer only."
        )


def _keys_to_read(secrets: Iterable[str]) -> list[str]:
    """For the link to watch, if their owner wants it to share the texts, on a shared server.

    Alone at a machine whoever opens the app reads them anyway.
    """
    held = dict.fromkeys(filter(None, secrets))
    if not limits.is_shared() or not held:
        return []
    wanted = st.toggle(
        "With the texts",
        key="share-texts",
        help="Off: who watches sees figures and topics, never documents. On: whoever has the link "
        "also reads the documents, may learn from them and download them, as long as the run is "
        "there.",
    )
    return [access.key_to_read(secret) for secret in held] if wanted else []


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
    with st.expander("How to cite", icon=":material/format_quote:"):
        citation = bibtex([background.run.method.name])
        st.code(citation, language="latex", wrap_lines=True)
    st.caption(f"The run's name on this server and on the command line: `{run_id}`")


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
