"""The form that says how texts are read and which of their words count."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

from ...corpus import CorpusError
from ...corpus.readers import NONE, READERS, ReadOptions, Source
from ...corpus.reading import Reading
from ...corpus.settings import TextSettings
from ...corpus.text import default_settings
from ...intake.door import count_words, read_files
from ...intake.held import HELD
from ..frame.server import Loaded
from ..frame.session import loaded_corpus
from ..frame.words import plain
from ..parts.forms import settings_inputs
from ..seam.closed_tabs import let_go_later, let_go_of_closed_tabs
from .cleaning import clean_up
from .language import language_form
from .passages import passages_form
from .stop_words import FORM, stop_words_file
from .under_way import UnderWay, awaited, say_under_way

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
    names = ", ".join(name for name, _ in _files[:3])
    HELD.check(names)
    key = f"read {fingerprint} {options}"
    source = awaited(f"Reading {names}", key, lambda: read_files(_files, options))
    HELD.note(source)
    return source


@st.cache_resource(show_spinner="Counting words ...", max_entries=1, scope="session")
def _count(_source: Source, key: str, settings: TextSettings) -> Any:
    HELD.check(_source.name)
    corpus, report = awaited(
        f"Counting the words of {_source.name}",
        f"count {key} {settings}",
        lambda: count_words(_source, settings),
    )
    HELD.note(corpus)
    return corpus, report


def fingerprint_of(files: Files) -> str:
    """A hash of names and contents."""
    digest = hashlib.sha256()
    for name, data in files:
        digest.update(name.encode() + b"\0" + data)
    return digest.hexdigest()


def read_form(files: Files) -> Loaded | None:
    """Read files and count their words, asking what only the person can know; None on an error, and
    as long as it is under way.

    An error is shown with its remedy, and the corpus loaded before stays as it was.
    """
    fingerprint = fingerprint_of(files)
    try:
        read = partial(_read, files, fingerprint)
        chosen = choose(read, fingerprint)
        corpus, report = _count(chosen.source, chosen.read_as, chosen.settings)
    except UnderWay as waited_for:
        say_under_way(waited_for.going)
        return None
    except (CorpusError, ValueError) as problem:
        say_refused(problem)
        return None
    st.session_state[FORM] = chosen.form
    names = tuple(name for name, _ in files)
    counts = chosen.source.texts is None and len(names) > 1
    reading = Reading(report.settings, chosen.options, names, vocabulary=counts)
    return Loaded(corpus, replace(report, reading=reading))


def say_refused(problem: Exception) -> None:
    """Why nothing was read, and that nothing is lost by it."""
    st.error(plain(problem), icon=":material/error:")
    if loaded_corpus() is not None:
        st.caption("The texts that were loaded before are still there.")


@dataclass(frozen=True)
class Chosen:
    """What a person chose, looking at the texts."""

    source: Source
    options: ReadOptions
    settings: TextSettings
    read_as: str
    """What was read, and how, for caches."""
    form: str
    """What the keys of the fields begin with that say which words count."""


Usual = Callable[[ReadOptions, Source], TextSettings]
"""The settings to begin with, for texts that were read in a way."""


def _suit_these(_: ReadOptions, source: Source) -> TextSettings:
    return default_settings(source)


def choose(
    read: Callable[[ReadOptions], Source], fingerprint: str, usual: Usual = _suit_these
) -> Chosen:
    """Ask how texts are read and which words count; everything starts at what was found out.

    `read`: the texts, or the first of them; `fingerprint`: of what is read. Raises UnderWay,
    CorpusError, ValueError.
    """
    key = f"read-{fingerprint[:12]}"
    options = _options_form(read, key)
    source = read(options)
    for note in source.notes:
        if note in source.warnings:
            st.warning(plain(note), icon=":material/warning:")
        else:
            st.caption(plain(note))
    # Passages are more documents than there were, for which other settings are usual.
    shape = f"{'-divided' * bool(options.passages)}{'-joined' * bool(options.join)}"
    form = f"{key}-words{shape}"
    read_as = f"{fingerprint}{options}"
    start = language_form(source, usual(options, source), form)
    start = clean_up(source, start, read_as, f"{key}-clean")
    form = f"{form}-{start.language}"  # another language starts the fields anew
    settings = _settings_form(source, start, form)
    return Chosen(source, options, settings, read_as, form)


def _options_form(read: Callable[[ReadOptions], Source], key: str) -> ReadOptions:
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
        source = read(options)
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
            settings_inputs(start, key, True, 3, values, names_in_help=True, elsewhere=elsewhere)
            st.caption(
                "Help beside a field tells its name in Python; where scikit-learn's "
                "CountVectorizer has a setting of that name, it means the same."
            )
    return replace(start, **values)
