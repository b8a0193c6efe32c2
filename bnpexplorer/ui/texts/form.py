"""The form for texts: which words count, dividing and joining documents, and the language."""

import hashlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Any

import streamlit as st

from ...corpus import CorpusError
from ...corpus.documents.joining import PERIODS
from ...corpus.documents.passages import FEWEST, MOST, PARAGRAPHS, suggested
from ...corpus.intake.api import count_words, entries, read_files
from ...corpus.intake.held import HELD
from ...corpus.readers.archives import ALL, PACKED
from ...corpus.readers.files import NAMES as SAID
from ...corpus.readers.formats import READERS, among_files
from ...corpus.readers.source import LEAVE_OUT, MINUTES, SPEECHES, Reading, ReadOptions, Source
from ...corpus.text import new_settings
from ...corpus.words.language.choosing import consequences, for_language, language_settings
from ...corpus.words.language.detecting import unpack
from ...corpus.words.language.names import AUTO, NAMES, said
from ...corpus.words.settings import TextSettings
from ..frame.server import LoadedCorpus
from ..frame.session import loaded_corpus
from ..frame.words import plain
from ..parts.forms import settings_inputs
from ..parts.under_way import UnderWay, awaited, say_under_way
from ..seam.server import Once
from ..seam.tab import let_go_later, let_go_of_closed_tabs
from ..seam.widgets import Place
from .cleaning import clean_up
from .columns import columns_form, say_offers
from .stop_words import FORM, stop_words_file

Files = Sequence[tuple[str, bytes]]
DELIMITERS = {"": "found out", ",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}


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


@st.cache_resource(show_spinner=False, max_entries=2, scope="session")
def _entries(_files: Files, fingerprint: str) -> tuple[str, ...]:
    return awaited("Looking at the files", f"entries {fingerprint}", lambda: entries(*_files[0]))


def entries_of(files: Files, fingerprint: str) -> tuple[str, ...]:
    """The tables of an archive, or of several files, among which a person has to choose."""
    if len(files) > 1:
        return among_files([name for name, _ in files])
    return _entries(files, fingerprint) if files[0][0].lower().endswith(PACKED) else ()


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


def read_form(files: Files) -> LoadedCorpus | None:
    """Read files and count their words, asking what only the person can know; None on an error, and
    as long as it is under way.

    An error is shown with its remedy, and the corpus loaded before stays as it was.
    """
    fingerprint = fingerprint_of(files)
    try:
        read = partial(_read, files, fingerprint)
        chosen = choose(read, fingerprint, among=entries_of(files, fingerprint))
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
    return LoadedCorpus(corpus, replace(report, reading=reading))


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
    return new_settings(source)


def choose(
    read: Callable[[ReadOptions], Source],
    fingerprint: str,
    usual: Usual = _suit_these,
    among: Sequence[str] = (),
) -> Chosen:
    """Ask how texts are read and which words count; everything starts at what was found out.

    `read`: the texts, or the first of them; `fingerprint`: of what is read; `among`: tables of
    which one is read. Raises UnderWay, CorpusError, ValueError.
    """
    key = f"read-{fingerprint[:12]}"
    options = _options_form(read, key, among)
    source = read(options)
    for note in source.notes:
        if note in source.warnings:
            st.warning(plain(note), icon=":material/warning:")
        else:
            st.caption(plain(note))
    say_offers(source, _columns_key(options, key))
    # Passages are more documents than there were, for which other settings are usual.
    shape = f"{'-divided' * bool(options.passages)}{'-joined' * bool(options.join)}"
    form = f"{key}-words{shape}"
    read_as = f"{fingerprint}{options}"
    start = language_form(source, usual(options, source), form)
    start = clean_up(source, start, read_as, f"{key}-clean")
    form = f"{form}-{start.language}"  # another language starts the fields anew
    settings = _settings_form(source, start, form)
    return Chosen(source, options, settings, read_as, form)


def _entry_input(among: Sequence[str], key: str) -> str:
    """Which of several tables is read; empty where none is chosen."""
    if not among:
        return ""
    return st.selectbox(
        "Table",
        ["", *among],
        format_func=lambda e: {"": "found out", ALL: "all tables as one"}.get(e, e),
        key=f"{key}-entry",
        width=320,
    )


def _names_input(source: Source, key: str) -> None:
    """Draw the choice of what names of files say, where each file is a document."""
    if source.format in ("zip", "folder"):
        st.selectbox(
            "Names of files say",
            SAID,
            format_func=lambda n: {"": "nothing", "date label": "date and label"}.get(n, n),
            key=f"{key}-names",
            width=320,
            help="The first year in a name, with month and day where they are there, and its first "
            "word.",
        )


def _options_form(
    read: Callable[[ReadOptions], Source], key: str, among: Sequence[str] = ()
) -> ReadOptions:
    """Format, columns and the like; everything starts at what was found out."""
    with st.expander("How the file is read", icon=":material/tune:", expanded=bool(among)):
        options = replace(
            _reading_inputs(key),
            entry=_entry_input(among, key),
            file_names=st.session_state.get(f"{key}-names", ""),
            sheet=st.session_state.get(f"{key}-sheet", ""),
            # A page that is open at midnight goes on as it began.
            as_of=st.session_state.setdefault(f"{key}-as-of", str(date.today())),
        )
        source = read(options)
        _names_input(source, key)
        if len(source.sheets) > 1:
            st.selectbox(
                "Sheet",
                ["", *source.sheets],
                format_func=lambda s: s or "the one with most rows",
                key=f"{key}-sheet",
                width=320,
            )
        if source.columns:  # each table is guessed anew
            options = columns_form(source, options, _columns_key(options, key))
    return passages_form(source, options, key)


def _columns_key(options: ReadOptions, key: str) -> str:
    """Return the beginning of the keys of the pickers of columns."""
    table = options.sheet or options.entry
    return f"{key}-{options.format}{f'-{table}' if table else ''}"


def _reading_inputs(key: str) -> ReadOptions:
    """How bytes become rows or texts; empty strings leave it to the readers."""
    kind, delimiter, header, ragged, encoding, split = st.columns(6)
    return ReadOptions(
        format=kind.selectbox(
            "Format",
            ["", *READERS],
            key=f"{key}-format",
            format_func=lambda k: READERS[k].title if k else "found out",
        ),
        delimiter=delimiter.selectbox(
            "Delimiter",
            list(DELIMITERS),
            key=f"{key}-delimiter",
            format_func=lambda d: DELIMITERS[d],
        ),
        header=header.selectbox(
            "First row names columns",
            ["", "yes", "no"],
            key=f"{key}-header",
            format_func=lambda h: h or "found out",
        ),
        ragged=ragged.selectbox(
            "Rows of another width",
            ["", LEAVE_OUT],
            key=f"{key}-ragged",
            format_func=lambda r: r or "refuse the file",
            help="Rows of a CSV file with more or fewer fields than the header.",
        ),
        encoding=encoding.text_input(
            "Encoding",
            placeholder="found out",
            key=f"{key}-encoding",
            help="Such as utf-8 or cp1252, if letters come out wrong.",
        ).strip(),
        split=split.selectbox(
            "Documents of a text",
            list(SPLITS),
            key=f"{key}-split",
            format_func=SPLITS.__getitem__,
            help="A plain text is divided into lines or paragraphs, a Word document, book or page "
            "by its headings, a transcript into minutes, TEI into speeches or paragraphs.",
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


USUAL_WORDS = 200
SPLITS = {
    "": "found out",
    "lines": "one document a line",
    "paragraphs": "paragraphs",
    "headings": "one document a heading",
    MINUTES: "one document a minute",
    SPEECHES: "one document a speech",
}
LONG = {"": "stay as they are", "words": "into passages", PARAGRAPHS: "into paragraphs"}


def passages_form(source: Source, options: ReadOptions, key: str) -> ReadOptions:
    """`options` with what a person wants of long and short documents; open where passages are
    suggested. `source`: as it is without; short ones are joined by a column. Counts are neither
    divided nor joined."""
    if source.texts is None:
        return options
    wide = bool(source.columns)
    title, icon = "Long and short documents", ":material/content_cut:"
    with st.expander(title, icon=icon, expanded=suggested(source)):
        row = st.columns(4 if wide else 2, vertical_alignment="bottom")
        how = row[0].selectbox(
            "Long documents",
            list(LONG),
            format_func=LONG.__getitem__,
            key=f"{key}-long",
            help="Each part becomes a document that knows where it is from: its title ends with "
            "its place, such as ¶3, and date and label stay.",
        )
        n_words = row[1].number_input(
            "Words in a passage",
            FEWEST,
            MOST,
            USUAL_WORDS,
            disabled=how != "words",
            key=f"{key}-passage-words",
            help="About so many: passages end with a sentence, where possible with a paragraph.",
        )
        join, period = _joining(source, row[2:], key) if wide else ("", "")
    passages = f"{n_words}" if how == "words" else how
    return replace(options, passages=passages, join=join, period=period)


def _joining(source: Source, places: Sequence[Place], key: str) -> tuple[str, str]:
    """The column by which texts are joined, and the period; empty for none."""
    join = places[0].selectbox(
        "Join short texts of one",
        ["", *source.columns],
        format_func=lambda c: c or "do not join",
        key=f"{key}-join",
        help="All texts with the same value in this column become one document, such as all "
        "tweets of an account.",
    )
    period = places[1].selectbox(
        "within one",
        ["", *PERIODS],
        format_func=lambda p: p or "any time",
        disabled=not join,
        key=f"{key}-period",
    )
    return join, period if join else ""


ANY = "any"
"""A language that has no name here."""
SOON = 1.0
"""Seconds in which the Texts page is drawn."""


@Once
def tell_languages_soon() -> None:
    """Once in a server, while the first person who turned to the page chooses a file: unpack what
    tells languages. Whoever gave a text at once would wait 0.5 s for it."""
    timer = threading.Timer(SOON, unpack)
    timer.daemon = True
    timer.start()


@st.cache_resource(show_spinner=False, max_entries=2, scope="session")
def _found(key: str, start: TextSettings, _source: Source) -> tuple[TextSettings, tuple[str, ...]]:
    return language_settings(_source, start)


def language_form(source: Source, start: TextSettings, key: str) -> TextSettings:
    """`start` with what suits the language of the texts: the one found out, or the one chosen.

    What was found and what follows is said beside the field. Counts have no language to choose.
    """
    if source.texts is None:
        return start
    found, notes = _found(key, start, source)
    at_first = f"found out: {said(found.codes)}" if found.codes else "not found out"
    names = {AUTO: at_first, **dict(sorted(NAMES.items(), key=lambda item: item[1]))}
    names[ANY] = "another, without stop words"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            "Language of the texts",
            list(names),
            format_func=names.__getitem__,
            key=f"{key}-language",
            width=300,
            help="It decides which common words are left out and how sentences are cut into words.",
        )
        if chosen == AUTO:
            settings, said_of_it = found, " ".join(notes)
        elif chosen == ANY:
            settings = replace(for_language(start, ()), stop_words="none")
            said_of_it = "No stop words are left out; two letters or more are a word."
        else:
            settings = for_language(start, (chosen,))
            sentence = consequences(settings)
            said_of_it = sentence[0].upper() + sentence[1:]
        st.caption(plain(said_of_it))
    return settings
