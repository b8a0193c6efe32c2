"""What a person sees of a corpus before it is learned, and the form that prunes it."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from ...corpus import CorpusError
from ...corpus.readers import NONE, READERS, ReadOptions, Source
from ...corpus.reading import Reading
from ...corpus.settings import TextSettings
from ...corpus.text import Report, default_settings
from ...intake.door import count_words, read_files
from ...intake.held import HELD
from ...plots.corpus import lengths_figure, zipf_figure
from ..frame.look import is_dark, text_size
from ..frame.server import Loaded
from ..frame.session import loaded_corpus
from ..frame.words import plain
from ..parts.enough import say_too_little
from ..parts.figure import live_figure
from ..parts.forms import settings_inputs
from ..parts.tables import read_as_table
from ..seam.closed_tabs import let_go_later, let_go_of_closed_tabs
from .cleaning import clean_up
from .language import language_form
from .losses import say_losses
from .passages import passages_form
from .stop_words import FORM, commonest, stop_words_file

Files = Sequence[tuple[str, bytes]]
DELIMITERS = {"": "found out", ",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
FIELD_WORDS = {"text": "Text", "date": "Date", "label": "Label", "title": "Title", "id": "Id"}


@st.cache_resource(
    show_spinner="Reading ...", max_entries=2, scope="session", on_release=lambda _: let_go_later()
)
def _read(_files: Files, fingerprint: str, options: ReadOptions) -> Source:
    # Sources are immutable, so one copy serves all reruns; the key is a hash of the files. A tab
    # has two at most: as it was found out, and as it was asked for.
    if HELD.full:
        let_go_of_closed_tabs()
    HELD.check(", ".join(name for name, _ in _files[:3]))
    source = read_files(_files, options)
    HELD.note(source)
    return source


@st.cache_resource(show_spinner="Counting words ...", max_entries=1, scope="session")
def _count(_source: Source, key: str, settings: TextSettings) -> Any:
    HELD.check(_source.name)
    corpus, report = count_words(_source, settings)
    HELD.note(corpus)
    return corpus, report


def fingerprint_of(files: Files) -> str:
    """A hash of names and contents."""
    digest = hashlib.sha256()
    for name, data in files:
        digest.update(name.encode() + b"\0" + data)
    return digest.hexdigest()


def read_form(files: Files) -> Loaded | None:
    """Read files and count their words, asking what only the person can know; None on an error.

    An error is shown with its remedy, and the corpus loaded before stays as it was.
    """
    fingerprint = fingerprint_of(files)
    key = f"read-{fingerprint[:12]}"
    try:
        options = _options_form(files, fingerprint, key)
        source = _read(files, fingerprint, options)
        for note in source.notes:
            st.caption(plain(note))
        # Passages are more documents than there were, for which other settings are usual.
        shape = f"{'-divided' * bool(options.passages)}{'-joined' * bool(options.join)}"
        form = f"{key}-words{shape}"
        read_as = f"{fingerprint}{options}"
        start = language_form(source, default_settings(source), form)
        start = clean_up(source, start, read_as, f"{key}-clean")
        form = f"{form}-{start.language}"  # another language starts the fields anew
        settings = _settings_form(source, start, form)
        corpus, report = _count(source, read_as, settings)
    except (CorpusError, ValueError) as problem:
        st.error(plain(problem), icon=":material/error:")
        if loaded_corpus() is not None:
            st.caption("The texts that were loaded before are still there.")
        return None
    st.session_state[FORM] = form
    names = tuple(name for name, _ in files)
    counts = source.texts is None and len(names) > 1
    reading = Reading(report.settings, options, names, vocabulary=counts)
    return Loaded(corpus, replace(report, reading=reading))


def _options_form(files: Files, fingerprint: str, key: str) -> ReadOptions:
    """Format, columns and the like; everything starts at what was found out."""
    with st.expander("How the file is read", icon=":material/tune:"):
        kind, delimiter, header, encoding, split = _reading_inputs(key)
        options = ReadOptions(
            format=kind,
            delimiter=delimiter,
            header=header,
            encoding=encoding.strip(),
            split=split,
            sheet=st.session_state.get(f"{key}-sheet", ""),
        )
        source = _read(files, fingerprint, options)
        if len(source.sheets) > 1:
            st.selectbox(
                "Sheet",
                ["", *source.sheets],
                format_func=lambda s: s or "the one with most rows",
                key=f"{key}-sheet",
                width=320,
            )
        sheet = f"-{options.sheet}" if options.sheet else ""
        if source.columns:
            found, chosen = source.columns, source.chosen
            picked = {}
            for place, (field, words) in zip(st.columns(5), FIELD_WORDS.items(), strict=True):
                choices = [*found] if field == "text" else [NONE, *found]
                at = chosen.get(field, NONE)
                with place:
                    picked[field] = st.selectbox(
                        f"{words} column",
                        choices,
                        choices.index(at) if at in choices else 0,
                        format_func=lambda c: "none" if c == NONE else c,
                        key=f"{key}-{kind}{sheet}-{field}",  # each sheet is guessed anew
                    )
            if picked != {field: chosen.get(field, NONE) for field in FIELD_WORDS}:
                options = replace(options, **picked)  # else it is read as it was found out
    return passages_form(source, options, key)


def _reading_inputs(key: str) -> tuple[str, str, str, str, str]:
    """Format, delimiter, header, encoding and split; empty strings leave it to the readers."""
    kind, delimiter, header, encoding, split = st.columns(5)
    return (
        kind.selectbox(
            "Format",
            ["", *READERS],
            key=f"{key}-format",
            format_func=lambda k: READERS[k].title if k else "found out",
        ),
        delimiter.selectbox(
            "Delimiter",
            list(DELIMITERS),
            key=f"{key}-delimiter",
            format_func=lambda d: DELIMITERS[d],
        ),
        header.selectbox(
            "First row names columns",
            ["", "yes", "no"],
            key=f"{key}-header",
            format_func=lambda h: h or "found out",
        ),
        encoding.text_input(
            "Encoding",
            placeholder="found out",
            key=f"{key}-encoding",
            help="Such as utf-8 or cp1252, if letters come out wrong.",
        ),
        split.selectbox(
            "Plain text",
            ["lines", "paragraphs"],
            key=f"{key}-split",
            format_func=lambda s: {"lines": "one document a line"}.get(s, "paragraphs"),
        ),
    )


def _settings_form(source: Source, start: TextSettings, key: str) -> TextSettings:
    """The vectoriser's settings, started at what suits the source."""
    values: dict[str, Any] = {}
    with st.expander("Which words count", icon=":material/filter_alt:"):
        elsewhere = ["titles"] if source.docs.title is None else []
        settings_inputs(start, key, False, 2, values, names_in_help=True, elsewhere=elsewhere)
        stop_words_file(values, key)
        with st.expander("More"):
            settings_inputs(start, key, True, 3, values, names_in_help=True)
            st.caption(
                "Help beside a field tells its name in Python; where scikit-learn's "
                "CountVectorizer has a setting of that name, it means the same."
            )
    return replace(start, **values)


def preview(loaded: Loaded) -> None:
    """Sizes, lengths, Zipf, the commonest words, what was left out, the first documents."""
    corpus, report = loaded.corpus, loaded.report
    say_too_little(corpus)
    left_out = sum(report.dropped.values()) if report else corpus.n_empty_dropped
    with st.container(horizontal=True):  # on a phone two by two
        for words, number in (
            ("Documents", corpus.n_docs),
            ("Words in all", corpus.n_tokens),
            ("Different words", corpus.n_words),
            ("Documents left out", left_out),
        ):
            st.metric(words, f"{number:,}", width=170)
    if report is None:
        return
    say_losses(report)
    if report.left_out:
        st.caption(f"Left out: {plain(report.left_out)}.")
    if report.repeated:
        st.caption(
            f"{report.repeated}. Where one is learned and the other held out, the "
            "held-out score is better than it should be; *Keep repeated documents once*, among the "
            "settings of words, keeps the first of each."
        )
    _figures(report)
    _words(loaded, report)
    _documents(loaded)


def _figures(report: Report) -> None:
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("### Document lengths")
        live_figure(
            lengths_figure(report, is_dark(), text_size()),
            "lengths",
            240,
            "Histogram of document lengths in words that count; numbers in the table.",
        )
        st.caption(
            f"Half of the documents have at most {int(pd.Series(report.lengths).median()):,} words "
            "that count. Very short ones say little; very long ones take time."
        )
        read_as_table("lengths", lambda: _length_table(report))
    with right:
        st.markdown("### Zipf's law")
        live_figure(
            zipf_figure(report, is_dark(), text_size()),
            "zipf",
            240,
            "Word frequency against rank, both on logarithmic axes; numbers in the table.",
        )
        st.caption("Natural language comes close to a straight line; before any word is left out.")
        read_as_table(
            "zipf", lambda: pd.DataFrame(dict(zip(("rank", "times"), report.zipf, strict=True)))
        )


def _length_table(report: Report) -> pd.DataFrame:
    """How many documents there are of each length that occurs."""
    lengths, documents = np.unique(report.lengths, return_counts=True)
    return pd.DataFrame({"words in a document": lengths, "documents": documents})


def _words(loaded: Loaded, report: Report) -> None:
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("### The commonest words that count")
        commonest(loaded, report)
    with right:
        st.markdown("### Words left out")
        if not report.removed:
            st.caption("None.")
            return
        reason = st.selectbox(
            "Why",
            list(report.removed),
            format_func=lambda r: f"{r} ({report.removed[r].total:,})",
            key="removed-reason",
        )
        table = pd.DataFrame(report.removed[reason].words, columns=["word", "documents"])
        st.dataframe(table, hide_index=True, height=226, width="stretch")


def _documents(loaded: Loaded) -> None:
    columns = loaded.corpus.docs.columns()
    if not columns:
        return
    st.markdown("### The first documents")
    shown = {}
    for name in ("id", "date", "title", "label", "text"):
        if name in columns:
            head = columns[name][:50]
            shown[name] = [str(x)[:200] if name == "text" else x for x in head]
    table, config = pd.DataFrame(shown), {}
    days = table["date"].dropna() if "date" in table else None
    if days is not None and (days.dt.normalize() == days).all():
        config["date"] = st.column_config.DateColumn(format="YYYY-MM-DD")
    st.dataframe(table, hide_index=True, height=260, width="stretch", column_config=config)
