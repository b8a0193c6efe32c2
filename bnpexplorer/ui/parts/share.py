"""Share: links that carry the view (`share.py`), downloads made on demand, how to cite.

Links to what a page shows: to watch it, to control it, and to show it inside another page.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import PurePath
from urllib.parse import urlencode

import streamlit as st

from ... import export
from ...core.html import Markup, render
from ...core.plugins import plugin_if_there
from ...corpus.documents.added import suffix_of
from ...export import Result
from ...export.citations import bibtex
from ...export.your_file import MIMES
from ...runs import limits
from ...runs.registry import Entry
from ...state.moment import Moment
from ...state.snapshot import Snapshot
from ..frame import access, explore_or_study, present, reading, server
from ..frame.fewer import shown_of
from ..frame.link import LINK
from ..frame.look import is_embedded
from ..frame.server import LoadedCorpus
from ..frame.session import JOBS, RunOnPage
from ..frame.words import plain
from .applying import apply_to_new
from .explore import at_rest, folding_of
from .qr_code import show_code
from .run_buttons import labels_of, run_field

draw = partial(render, "ui/parts/share.html")

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
    first: bool = False
    """Whether it stands in sight, and not among those for programmers."""


DOWNLOADS = (
    Download(
        "Report",
        "One page that opens anywhere, also offline",
        "Curves, topics, a map and every setting in one HTML file that fetches nothing.",
        ".html",
        "text/html",
        lambda result: export.report(result, date.today()),
        first=True,
    ),
    Download(
        "Tables for Excel",
        "Topics, words, documents, history",
        "CSV files, marked as UTF-8: without the mark Excel shows letters with accents wrongly.",
        "-tables-excel.zip",
        "application/zip",
        lambda result: export.tables(result, bom=True),
        to="csv --bom",
        cell=1,
        first=True,
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
        "Script and notebook",
        "Python that makes the same run again",
        "Same final numbers with the same versions. The zip holds word counts, unless a sample was "
        "learned, but not the documents' texts.",
        "-script.zip",
        "application/zip",
        export.recreation,
        texts=True,
    ),
)


def result_of(shown: RunOnPage, texts: LoadedCorpus | None) -> Result | None:
    """What a run on the page has learned so far; None before its first step.

    `texts`: its documents, or None for who only watches, to whom no file tells their names.
    """
    entry = shown.entry
    snapshot = entry.background.latest
    if snapshot is None:
        return None
    run, moment, loaded = entry.background.run, _moment_of(entry, snapshot), texts
    if loaded is None and (loaded := access.counts_of(entry)) is None:
        return None
    result = export.result_of(
        run, moment, loaded.corpus, loaded.report, lambda: folding_of(moment).wait()
    )
    if texts is not None:
        return result
    return replace(result, moment=replace(result.moment, corpus=result.corpus.unnamed()))


def _moment_of(entry: Entry, snapshot: Snapshot) -> Moment:
    """Return the moment as pages show it."""
    return shown_of(entry, server.moment_of(entry, snapshot))


def downloads() -> tuple[Download, ...]:
    """Return the files of a run, those in forms of other programs last."""
    return (*DOWNLOADS, *(plugin_if_there("downloads") or ()))


def your_file(texts: LoadedCorpus | None) -> tuple[Download, ...]:
    """Return the file that was read with topics beside its columns, for who may read it; once with
    the share of every topic. Empty where it is not known."""
    rows = None if texts is None else texts.corpus.file_rows
    if rows is None:
        return ()
    suffix = suffix_of(rows)
    return (
        Download(
            "Your file, with topics",
            f"Every {rows.unit} with its main topic",
            "The file that was read, with columns added: the main topic, its name and share, the "
            "second topic, and why a row has none. Your own cells are unchanged.",
            f"-topics{suffix}",
            MIMES[suffix],
            export.your_file,
            texts=True,
            first=True,
        ),
        Download(
            "Your file, with all shares",
            "The same, with the share of every topic",
            "A column a topic, after those of your file.",
            f"-shares{suffix}",
            MIMES[suffix],
            lambda result: export.your_file(result, all_shares=True),
            texts=True,
            cell=1,
        ),
    )


def share(runs: Sequence[RunOnPage], seen: RunOnPage | None = None) -> None:
    """The button on a page of runs; the files are first those of the one that is `seen`."""

    def draw() -> None:
        show_links(links_of(runs))
        _downloads(runs, 0 if seen is None else list(runs).index(seen))

    share_button("share", draw)


def share_button(key: str, draw: Callable[[], None]) -> None:
    """What it opens is drawn when it is opened. A page inside another one has none."""
    if is_embedded():
        return
    box = st.popover("Share", icon=":material/share:", type="tertiary", on_change="rerun", key=key)
    if box.open:
        with box:
            draw()


def _downloads(runs: Sequence[RunOnPage], usual: int = 0) -> None:
    st.markdown("### Download")
    place = run_field("Run to download", runs, "share-run", in_address=False, usual=usual)
    shown, label = runs[place], plain(labels_of(runs)[place])
    background, run_id = shown.entry.background, shown.entry.run_id
    if background.latest is None or not len(background.latest.topics):
        st.caption(f"{label} has learned nothing yet; files can be made after its first step.")
    else:
        texts = access.texts_of(shown.entry)
        of_documents = (*downloads(), *your_file(texts))
        offered = [one for one in of_documents if texts is not None or not one.texts]
        for download in offered:
            if download.first:
                _download(shown, download, texts)
        if texts is not None:
            moment = _moment_of(shown.entry, background.latest)
            apply_to_new(shown, replace(moment, corpus=texts.corpus), texts)
        with st.expander("For programmers", icon=":material/code:"):
            for download in offered:
                if not download.first:
                    _download(shown, download, texts)
            st.caption(f"The run's name on this server and on the command line: `{run_id}`")
        if texts is None:
            st.caption(f"Files of the documents are not here. {access.FOR_ITS_OWNER}")
        if at_rest(shown):  # most of the files are made from them
            folding_of(_moment_of(shown.entry, background.latest))
        if not background.ended:
            st.caption("The run goes on: a file has what it had learned when you pressed.")
    how_to_cite([background.run.method.name])


def how_to_cite(methods: Sequence[str]) -> None:
    """The papers of these methods, for a list of references."""
    with st.expander("How to cite", icon=":material/format_quote:"):
        st.code(bibtex(methods), language="latex", wrap_lines=True)


def _download(shown: RunOnPage, download: Download, texts: LoadedCorpus | None) -> None:
    """A button whose file is made when it is pressed, in a thread of its own."""

    def made() -> str | bytes:
        result = result_of(shown, texts)
        assert result is not None, "drawn only for a run that has learned something"
        return download.make(result)

    moment = _moment_of(shown.entry, shown.entry.background.latest)
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


NOT_SHARED = ("run", "own", LINK, access.TEXTS, *JOBS, *JOBS.values(), "large", present.IN_ADDRESS)
NOT_SHARED += reading.IN_ADDRESS
"""What the address says of who may do what, of its owner's screen, and of the lesson that is read
there; the rest is the view."""
OF_DOCUMENTS = (
    "only-label",
    "only-but",
    "only-word",
    "documents-search",
    "topics-one-label",
    "topics-other-label",
    "topics-label-lines",
)
"""How words of the address begin that are taken from documents: not for who only watches."""
EMBED_HEIGHT, CODE = 900, 260
"""Pixels of a page inside another one, and of a QR code."""


@dataclass(frozen=True)
class Links:
    """What the links of a page lead to."""

    names: str
    """What people call it."""
    watch: Mapping[str, str]
    """What the address names it by."""
    control: Mapping[str, str]
    """What the address of its owner has besides; empty for who only watches."""
    secrets: Sequence[str]
    """Those that open its texts, if this tab has them."""
    is_open: bool
    """Whether everybody may have its texts."""


def link(page: str, *queries: Mapping[str, str]) -> str:
    """An address of `page` that says all of these."""
    query = {name: said for each in queries for name, said in each.items()}
    return f"{page}?{urlencode(query, safe=',')}"


def snippet(address: str, title: str) -> Markup:
    """Return HTML that shows an address inside another page."""
    return draw("snippet", address=address, title=title, height=EMBED_HEIGHT)


def view_of_address() -> dict[str, str]:
    """Return the part of the address that describes the view: axis, series, run and topics shown.
    Study is left out, since links lead there by default."""
    left_out = (
        NOT_SHARED if explore_or_study.explores() else (*NOT_SHARED, explore_or_study.IN_ADDRESS)
    )
    return {name: st.query_params[name] for name in st.query_params if name not in left_out}


def links_of(runs: Sequence[RunOnPage]) -> Links:
    """Of the runs on a page."""
    owned = {s.entry.run_id: s.entry.secret if s.owned else "" for s in runs}
    return Links(
        ", ".join(labels_of(runs)),
        {"run": ",".join(owned)},
        {"own": ",".join(owned.values())} if any(owned.values()) else {},
        [*owned.values()],
        all(map(access.is_open, owned)),
    )


def watching_address(watch: Mapping[str, str]) -> str:
    """Where others watch what is named so; short, since it is read from a wall and typed."""
    return link(st.context.url or "", watch)


def show_links(links: Links) -> None:
    """To watch, to control for its owner, and in Study inside another page."""
    page, view = st.context.url or "", view_of_address()
    seen = view
    st.markdown("### Link to watch")
    keys = _keys_to_read(links.secrets)
    if not keys and not links.is_open:
        seen = {n: said for n, said in view.items() if not n.startswith(OF_DOCUMENTS)}
    watch = {**links.watch, **({access.TEXTS: ",".join(keys)} if keys else {})}
    watching = link(page, watch, seen)
    st.code(watching, language=None, wrap_lines=True)
    st.caption("Whoever has it sees this page as it is now, and cannot pause or change anything.")
    with st.expander("QR code of this link", icon=":material/qr_code_2:"):
        show_code(watching, CODE)
    if links.control:
        with st.expander("Link to control, for yourself", icon=":material/key:"):
            own = link(page, links.watch, links.control, view)
            st.code(own, language=None, wrap_lines=True)
            st.caption("Whoever has this one can pause and stop the runs and rename topics.")
    if explore_or_study.explores():
        return
    with st.expander("Show it inside another page", icon=":material/code:"):
        address = link(page, watch, seen, {"embed": "true"})
        st.code(snippet(address, f"bnpexplorer: {links.names}"), language="html", wrap_lines=True)
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
