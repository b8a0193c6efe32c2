"""What pages, commands and `bnpexplorer.load` call to read texts and runs from elsewhere, to count
words and to find them.

Each raises CorpusError, or StoreError for a run, with one sentence: for what a reader refuses, for
a file beyond the limits of memory and time, and for whatever else goes wrong with it.

What stands at a path that a person wrote: a child opens files and folders itself, but a pipe
belongs to the process that was given it, and so does everything below these folders.
"""

import datetime
import os
import stat
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from ...core import store
from ..corpus import Corpus, CorpusError, DocTable
from ..documents.added import Added
from ..documents.enough import too_little
from ..documents.file_rows import FileRows
from ..documents.leaving_out import leave_out as leave_out_here
from ..order import is_large
from ..readers.source import FIND_OUT, Reading, ReadOptions, Source, refusing, shown
from ..stored import StoredCorpus, is_stored
from ..stored.elsewhere import CHOSEN, brought, is_address
from ..stored.layout import REMEDY
from ..stored.reporting import report_of
from ..text import Report
from ..words.known import KnownWords
from ..words.language.choosing import check_asked
from ..words.lost import spread
from ..words.occurrences import Cut, TextMatches, find_in
from ..words.occurrences import cut as cut_here
from ..words.pattern import PATTERNS
from ..words.settings import TextSettings
from ..words.suggesting import LOOKED_AT, Suggestion, forms_words, given
from . import work
from .children import CHILDREN
from .process import ReadingFailed
from .refusing import OF_RUNS, TryAgain, refusal, sentence_of, sound
from .usage import reading_limits
from .work import PathPlace

NOT_NOW = ("busy", "start", "cancelled")
PATTERN_SECONDS = 3.0
"""Of the processor, for cutting one text: a page waits for it. A long speech takes 0.01."""
LONG, LONG_SECONDS = 300_000, 10.0
"""Letters from which on a text is cut apart by every pattern, and what that may take: with all of
the clean-up, 3 million took 9 to 19 s where they are nothing but junk."""


def load(
    path: str | Path,
    *,
    text: str | Sequence[str] = "",
    date: str = "",
    label: str | Sequence[str] = "",
    id: str = "",
    title: str = "",
    vocab: str | Path | None = None,
    format: str = "",
    delimiter: str = "",
    header: str = "",
    encoding: str = "",
    split: str = "lines",
    sheet: str = "",
    entry: str = "",
    file_names: str = "",
    passages: int | str = "",
    join: str = "",
    period: str = "",
    as_of: str = "",
    questions: str = "",
    add_title: str = "",
    label_parts: str = "",
    ragged: str = "",
    **settings: Any,
) -> Corpus:
    """Return a corpus from a file, or from a folder of texts (folders below it become labels), or
    the one that was built into a folder on the disk, or at an address that fsspec reads, such as
    s3://BUCKET/news.corpus, which is copied to this machine at the first time.

    `text`, `date`, `label`, `id`, `title`: columns of a table (empty: guessed, "-": none); `vocab`:
    the vocabulary file of counts; `format`: a key of `readers.READERS` (empty: found out);
    `delimiter`: between the fields of a CSV file; `header`: "yes" or "no", whether its first row
    names the columns; `encoding`: a codec name; `split`: plain text by "lines", "paragraphs", or ""
    for paragraphs where its lines are wrapped, documents of writing programs by "headings",
    transcripts by "minutes", TEI by "speeches" or "paragraphs"; `sheet`: of an Excel file;
    `entry`: the table of an
    archive that is read, or "*" for all as one; `file_names`: what names of files in a folder or
    archive say, "date", "label" or "date label"; `passages`: divide documents into passages of
    about so many words, or "paragraphs"; `join`: one document for each value of this column, and
    for each `period` ("day", "week", "month" or "year"); `as_of`: "today", or the day of the first
    reading such as "2026-03-05": columns, header rows and dialects of tables are found by their
    content, more forms of dates are read, and no two-digit year lies after that day (empty: as the
    first version); `questions`: of several columns for `text` "apart" makes a document each;
    `add_title`: "short" begins short texts with their titles; `label_parts`: "first" of a label
    such as "sea;trade"; `ragged`: "leave out" rows with other numbers of fields; `settings`: fields
    of `corpus.settings.TextSettings` that replace the defaults for this source.

    - `language`, such as "de", or "auto" to have it found out, sets stop words and how words are
      cut, unless these are given too; `stem` counts words of one kind as one;
    - `clean`: a preset such as "tweets", some of `cleaning.PARTS`, or "auto" to clean up what is
      found in more than 2 % of the texts and to have the language found out, unless it is given;
    - `phrases` joins words that belong together, such as supreme_court;
    - `stop_words`, `extra_stop_words`, `min_df`, `max_df`, `max_features`, `min_tokens` and
      `drop_repeated` say what is left out; `titles` counts their words too;
    - `lowercase`, `strip_accents`, `token_pattern`, `cutter`, `ngram_min` and `ngram_max` say what
      a word is, `phrase_npmi` and `phrase_count` what a phrase.

    Without `language` and `clean`, texts are taken for English and stay as they are.

    It is read in a child process, within the limits of `limits.reading_limits`.

    Raises CorpusError, whose sentence names the file, the line or field, and the remedy; ValueError
    for a setting out of range. Warns where there is too little text to learn from.
    """
    options = ReadOptions(
        text=in_lines(text),
        date=date,
        label=in_lines(label),
        id=id,
        title=title,
        format=format,
        delimiter=delimiter,
        header=header,
        encoding=encoding,
        split=split,
        sheet=sheet,
        entry=entry,
        file_names=file_names,
        passages=str(passages),
        join=join,
        period=period,
        as_of=str(datetime.date.today()) if as_of == "today" else as_of,
        questions=questions,
        add_title=add_title,
        label_parts=label_parts,
        ragged=ragged,
    )
    loaded = load_with_report(path, vocab, options, settings)
    for sentence in (*loaded.warnings, too_little(loaded.corpus)):
        if sentence:
            warnings.warn(f"{loaded.corpus.name}: {sentence}", stacklevel=2)
    return loaded.corpus


def in_lines(columns: str | Sequence[str]) -> str:
    """One column, or several, as `ReadOptions` has them: a line each."""
    return columns if isinstance(columns, str) else "\n".join(columns)


def load_with_report(
    path: str | Path,
    vocab: str | Path | None = None,
    options: ReadOptions = FIND_OUT,
    settings: Mapping[str, Any] | None = None,
    as_forms: bool = False,
) -> work.CorpusFromFile:
    """As `load`, with the report and the reader's notes; `as_forms`: with the defaults of forms."""
    of_the_file = replace(options, split="", as_of="")  # which have defaults where forms ask
    chosen = vocab is not None or of_the_file != FIND_OUT or bool(settings)
    if is_address(path):
        path = brought(str(path), chosen)
    if is_stored(path):
        return _stored(Path(path), chosen)
    words, name = dict(settings or {}), shown(Path(path).name)
    asked = forms_words(words) if as_forms else words
    check_asked(given(asked))  # a mistake there is told before anything is read
    loaded: work.CorpusFromFile = _ask(
        name,
        work.load,
        place=place_of(path),
        vocab=None if vocab is None else place_of(vocab),
        options=options,
        words=words,
        as_forms=as_forms,
    )
    files = tuple(shown(Path(one).name) for one in (path, vocab) if one is not None)
    report = loaded.report
    reading = Reading(report.settings, options, files, vocab is not None)
    loaded = replace(loaded, report=replace(report, reading=reading))
    return sound(name, lambda: _checked(loaded))


def _stored(folder: Path, chosen: bool) -> work.CorpusFromFile:
    """A corpus that was built on the disk; it is not read, only opened."""
    if chosen:
        raise CorpusError(CHOSEN.format(folder))
    corpus = StoredCorpus(folder)
    noted = corpus.manifest.report
    told = {key: noted.get(key, []) for key in ("notes", "warnings")}
    if not all(isinstance(said, list) for said in told.values()):
        raise CorpusError(f"The report of the corpus in {folder} is damaged. {REMEDY}")
    notes = (f"Opened on the disk: {shown(str(folder))}.", *map(str, told["notes"]))
    return work.CorpusFromFile(corpus, report_of(corpus), notes, tuple(map(str, told["warnings"])))


def read_files(files: Sequence[tuple[str, bytes]], options: ReadOptions = FIND_OUT) -> Source:
    """The documents of files given together, before words are counted."""
    name = " and ".join([name for name, _ in files[:2]] + ["others"] * (len(files) > 2))
    contents = [(file, np.frombuffer(data, np.uint8)) for file, data in files]
    sent: work.Sent = _ask(name, work.read, files=contents, options=options)
    return sound(name, sent.source)


def entries(name: str, data: bytes) -> tuple[str, ...]:
    """The tables of an archive among which a person may choose for `ReadOptions.entry`; none of
    another file."""
    found: tuple[str, ...] = _ask(
        name, work.entries, archive=name, data=np.frombuffer(data, np.uint8)
    )
    return found


def look(paths: Sequence[Path], options: ReadOptions = FIND_OUT) -> tuple[Source, work.Looked]:
    """The first documents of files of any size, of which a corpus may be built on the disk, and
    how much they are in all: `plugins.building.head.head_of`."""
    name = shown(paths[0].name) + (" and others" if len(paths) > 1 else "")
    named = [np.frombuffer(os.fsencode(path.absolute()), np.uint8) for path in paths]
    looked: work.Looked = _ask(name, work.look, paths=named, options=options)
    return sound(name, looked.sent.source), looked


def suggest(source: Source, settings: TextSettings) -> Suggestion:
    """What suits the texts of a source: `suggesting.suggested`."""
    if source.texts is None:
        return Suggestion(settings)
    some = replace(source, texts=tuple(spread(source.texts, LOOKED_AT)), docs=DocTable(), rows=None)
    found: Suggestion = _ask(source.name, work.suggest, sent=work.Sent.of(some), settings=settings)
    return found


def count_words(source: Source, settings: TextSettings) -> tuple[Corpus, Report]:
    """The corpus of a source, and what was left out and why: `text.make_corpus`."""
    rows = source.rows and source.rows.without_cells()
    bare = work.Sent.of(replace(source, docs=_counted(source.docs, settings), rows=rows))
    made: work.Made = _ask(source.name, work.count, sent=bare, settings=settings)
    return sound(source.name, lambda: made.among(source.docs, source.name, source.rows))


def leave_out(
    corpus: Corpus, words: Collection[str], settings: TextSettings | None = None
) -> tuple[Corpus, Report]:
    """The corpus without `words`, and its report: `corpus.leaving_out.leave_out`.

    Raises CorpusError also for a large one on the disk, of which all would have to be held.
    """
    if isinstance(corpus, StoredCorpus) and is_large(corpus):
        raise CorpusError(
            f"The {corpus.n_docs:,} texts of {corpus.name} lie on the disk and are too many to be "
            "counted again here. Put the words into a file and build the corpus anew: `python -m "
            "bnpexplorer corpus build PATH OUT --stop-words FILE`."
        )
    if corpus.docs.text is None or settings is None:
        return leave_out_here(corpus, words, settings)  # columns go, and no text is cut
    docs = replace(_counted(corpus.docs, settings), text=corpus.docs.text)
    texts = replace(replace(corpus, docs=docs).without_text(), docs=docs)  # no columns of the file
    made: work.Made = _ask(
        corpus.name, work.leave_out, corpus=texts, words=[*words], settings=settings
    )
    return sound(corpus.name, lambda: made.among(corpus.docs, corpus.name, corpus.file_rows))


def _counted(docs: DocTable, settings: TextSettings) -> DocTable:
    """What of a table of documents beside its texts is counted: all else need not travel."""
    return DocTable(title=docs.title if settings.titles else None, row=docs.row)


def find_words(text: str, settings: TextSettings, index: Mapping[str, int]) -> TextMatches:
    """Where the words of a vocabulary stand in a text: `corpus.occurrences.find_words`.

    A pattern that somebody wrote may take for ever on one text and no time on all others, and a
    pattern at work holds every thread of its process; so does cleaning up a very long text. Raises
    NotNow if no child was free for it.
    """
    usual = settings.token_pattern in PATTERNS
    if usual and len(text) <= LONG:
        return find_in(text, cut_here(text, settings), settings, index)
    at_most = LONG_SECONDS if usual else PATTERN_SECONDS
    try:
        pieces: Cut = CHILDREN.do(work.cut, at_most=at_most, text=text, settings=settings)
    except ReadingFailed as problem:
        if problem.why in NOT_NOW:
            raise TryAgain(str(refusal("The text", problem))) from problem
        if usual:
            raise CorpusError(
                f"This text of {len(text):,} letters was not cut within {at_most:g} seconds, so "
                "its words are not marked; read the texts in passages to see them."
            ) from problem
        raise CorpusError(
            f"The token pattern {settings.token_pattern!r} did not cut this text within "
            f"{at_most:g} seconds, so its words are not marked; read the texts with "
            "another pattern, such as \\w\\w+, to see them."
        ) from problem
    return sound("The text", lambda: find_in(text, pieces, settings, index))


def count_known(
    source: Source, settings: TextSettings, vocab: Sequence[str], left_out: Sequence[str] = ()
) -> KnownWords:
    """The words of new texts that are in a vocabulary, and how many are not:
    `words.known.count_known`."""
    bare = work.Sent.of(replace(source, docs=_counted(source.docs, settings), rows=None))
    found: KnownWords = _ask(
        source.name,
        work.count_known,
        sent=bare,
        settings=settings,
        vocab=[*vocab],
        left_out=[*left_out],
    )

    def checked() -> KnownWords:
        rows, n_unknown = found.corpus.docs.id, found.n_unknown
        fits = rows is not None and rows.dtype == np.int64 and len(n_unknown) == source.n_docs
        if found.corpus.fault() or not fits or found.corpus.vocab != tuple(vocab):
            raise ValueError(found.corpus.fault() or "its texts do not fit")
        assert rows is not None
        if not 0 <= rows.min() <= rows.max() < source.n_docs or n_unknown.min() < 0:
            raise ValueError("it holds texts that are not there")
        return found

    return sound(source.name, checked)


def write_back(rows: FileRows, added: Sequence[Added], suffix: str = "") -> bytes:
    """The file that was read, with columns added: `readers.writing_back.with_columns`."""
    made: work.Content = _ask(
        "The table", work.write_back, rows=rows, added=[*added], suffix=suffix
    )
    return made.tobytes()


def run_file(file: str | Path | IO[bytes], limit: int, name: str) -> store.Packed:
    """The manifest and arrays of a saved run from elsewhere: `store.read` with its `limit`.

    `limit`: bytes, at most what a child may hand over. Raises StoreError.
    """
    path, content = "", None
    if isinstance(file, (str, Path)):
        path = str(Path(file).absolute())
    else:
        file.seek(0)
        content = np.frombuffer(file.read(), np.uint8)
    try:
        found: work.RunFile = CHILDREN.do(
            work.run_file, path=path, content=content, limit=limit, name=name
        )
    except ReadingFailed as problem:
        raise store.StoreError(
            sentence_of(name, problem, OF_RUNS, "export the run again")
        ) from problem
    with store.named(name):
        return found.packed(limit, name)


def _ask(name: str, function: Callable[..., Any], **arguments: Any) -> Any:
    try:
        return CHILDREN.do(function, **arguments)
    except ReadingFailed as problem:
        raise refusal(name, problem) from problem


def _checked(loaded: work.CorpusFromFile) -> work.CorpusFromFile:
    if loaded.corpus.fault() or not loaded.corpus.n_docs:
        raise ValueError(loaded.corpus.fault())
    return loaded


OURS = (Path("/dev/stdin"), Path("/dev/fd"), Path("/proc"))
"""A child's /dev/stdin is the pipe of its requests, even where ours is a file."""


def place_of(path: str | Path) -> PathPlace:
    """The file or folder at this path, with its content where only this process can read it.

    Raises CorpusError if it is not there, not to be read, or a pipe without end.
    """
    path, most = Path(path), reading_limits().handed_over
    with refusing(path):
        where, mode = path.absolute(), path.stat().st_mode
        name = np.frombuffer(os.fsencode(where), np.uint8)
        if stat.S_ISDIR(mode):
            return PathPlace(name)
        with path.open("rb") as file:
            if stat.S_ISREG(mode) and not any(map(where.is_relative_to, OURS)):
                return PathPlace(name)
            content = file.read(most + 1)
    if len(content) > most:
        raise CorpusError(
            f"{shown(path)} gives more than {most / 2**20:,.0f} MB, the most that is read from a "
            "pipe; write it to a file and give that, or set BNPEXPLORER_MEMORY_MB to five times as "
            "much."
        )
    return PathPlace(name, np.frombuffer(content, np.uint8))
