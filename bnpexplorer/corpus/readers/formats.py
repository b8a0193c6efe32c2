"""From a person's file to a `Source`: all readers in order, and the choice among them.

The README of `corpus` says how to add one.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path, PurePosixPath

from ...core.display import plural
from ..corpus import CorpusError
from ..documents.passages import divide, suggestion
from . import columnar, counts, excel, files, references, slack, tallies, wordcounts
from .archives import ALL, ArchiveEntry, chosen_tables, kind_of, listed, open_archive
from .chats import WHATSAPP
from .conllu import CONLLU
from .decoding import Data, without_zeros
from .file_texts import misnamed
from .files import from_files, is_text_name, left_out, texts_in
from .json import JSON
from .mail import MAIL
from .mallet import MALLET
from .mediawiki import MEDIAWIKI
from .reader import CLEAR, SURE, Look, Reader
from .refused import refuse_binary, refuse_text
from .separated import CSV, TSV
from .source import FIND_OUT, NONE, ReadOptions, Source, Upload, check_choices, read_bytes
from .tables import RowTable, read_rows
from .tei import TEI
from .text import PASTED, TEXT
from .together import together
from .transcripts import TRANSCRIPT
from .unpacking import unpacked
from .written.opening import form_of

__all__ = ["NONE", "READERS", "ReadOptions", "Reader", "Source", "Upload", "guess_format", "read"]
__all__ += ["read_files", "read_path"]
GROUP = "bnpexplorer.readers"
"""The entry points by which other packages offer readers."""
LOG = logging.getLogger(__name__)


def _all_readers() -> dict[str, Reader]:
    """Return our readers, whose first wins among equals, and those of other packages."""
    written = (MAIL, WHATSAPP, *slack.READERS, TRANSCRIPT, TEI, MEDIAWIKI, CONLLU, MALLET)
    ours = (
        CSV,
        TSV,
        JSON,
        TEXT,
        PASTED,
        *written,
        *excel.READERS,
        *files.READERS,
        *columnar.READERS,
    )
    found = {
        reader.key: reader
        for reader in (*ours, *counts.READERS, *wordcounts.READERS, *tallies.READERS)
    }
    found[references.READER.key] = references.READER
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            reader = point.load()
            if not isinstance(reader, Reader) or reader.key in found:
                raise TypeError("it is no Reader, or there is one of its key already")
        except Exception as problem:  # whatever another package's code may raise
            LOG.warning("The reader %s (%s) is left out: %s.", point.name, point.value, problem)
        else:
            found[reader.key] = reader
    return found


READERS = _all_readers()


def read(
    name: str,
    data: bytes,
    *,
    vocab: tuple[str, bytes] | None = None,
    options: ReadOptions = FIND_OUT,
) -> Source:
    """The documents of one file, in the format asked for or found out from its content.

    `vocab`: name and content of the vocabulary file, for formats of counts. Any file may be
    packed with gzip, xz, bzip2 or zstd, and a table may lie in an archive.

    Raises CorpusError, whose one sentence names the file, the line or field, and the remedy.
    """
    check_format(name, options)
    if not data.strip():
        raise CorpusError(f"{name} is empty; give a file with at least one document.")
    inner, content, how = unpacked(name, data)
    zeros = 0
    if options.as_of:
        content, zeros = without_zeros(content)
    tables, said = tables_inside(name, content, options)
    if len(tables) > 1:
        source = read_rows(*together(name, tables_of(name, tables, options), options))
    else:
        where = name
        if tables:
            ((inner, content),) = tables
            where = f"{name}, entry {inner}"
        kind = options.format or guess_format(
            inner, content, options.encoding, where, options.as_of
        )
        upload, reader = Upload(where, content, vocab, options), READERS[kind]
        source = wordcounts.read_binary(upload, reader)
    left = f"{plural(zeros, 'zero byte')} left out." if zeros else ""
    notes = (*source.notes, *filter(None, (how, left)), *said)
    return _divided(replace(source, name=name, notes=notes), options)


def check_format(name: str, options: ReadOptions) -> None:
    """Raise CorpusError where a format is asked for that there is not, or another option."""
    if options.format and options.format not in READERS:
        raise CorpusError(
            f"{name}: no format is called {options.format!r}; choose one of {', '.join(READERS)}."
        )
    check_choices(name, options)


def _divided(source: Source, options: ReadOptions) -> Source:
    """The source in the passages that are asked for, or with the sentence that suggests them."""
    if options.join and not source.columns:
        raise CorpusError(
            f"{source.name} has no columns by which its texts could be joined; give a table."
        )
    if options.passages:
        return divide(source, options.passages)
    long = "" if source.counts is not None else suggestion(source)
    return replace(source, notes=(*source.notes, long)) if long else source


def guess_format(
    name: str, data: Data, encoding: str = "", where: str = "", as_of: str = ""
) -> str:
    """Return the key in `READERS` that fits the content of a file best; the name breaks ties.

    `where`: by which messages call the file, unless by its name; `as_of`: `ReadOptions.as_of`,
    without which files are of the forms that the first version knew. Raises CorpusError for a form
    that is known and not read, with the way out, and for what is no text.
    """
    where = where or name
    look = Look(name, data, encoding)
    known = {key: one for key, one in READERS.items() if as_of or not one.later}
    scores = {key: reader.sniff(look) for key, reader in known.items()}
    best = max(scores, key=scores.__getitem__)
    if scores[best] >= SURE:
        return best
    refuse_binary(where, look.start)
    named = [one for one in READERS.values() if one.binary and look.suffix in one.suffixes]
    if named:
        raise misnamed(where, named[0].title)
    if look.fault is not None:
        raise look.fault
    if scores[best] < CLEAR:
        refuse_text(where, look.text, look.lines)
    return best


# ---- several files -----------------------------------------------------------------------------

FEW_TEXTS = 20
"""Texts of an archive up to which each is looked at, whether it is a table."""


def tables_inside(
    name: str, data: Data, options: ReadOptions
) -> tuple[list[tuple[str, bytes]], tuple[str, ...]]:
    """Return the tables (path, content) of an archive to read, and sentences about them; none for
    an archive of texts and for another file. Raises CorpusError where a person has to choose."""
    if options.format == "zip" or not kind_of(data) or _is_document(name, data):
        if options.entry:
            raise CorpusError(f"{name} is no archive of which an entry could be read.")
        return [], ()
    with open_archive(name, data) as archive:
        texts = sum(is_text_name(entry.path) for entry in archive.entries)
        own = [entry for entry in archive.entries if not entry.is_about]
        asked = _asked(((entry.path, entry.content()) for entry in own), options)

        def is_table(entry: ArchiveEntry) -> bool:
            return _is_table(entry, texts <= FEW_TEXTS or asked == ALL, options.as_of)

        chosen = chosen_tables(archive, asked, is_table, lambda e: is_text_name(e.path))
        found = [(entry.path, entry.content()) for entry in chosen]
        rest = [entry for entry in archive.entries if entry not in chosen]
    if not found:
        return [], ()
    beside = f"; not read: {listed(rest)}" if rest else ""
    return found, (f"Read of the archive: {listed(chosen)}{beside}.",)


def _is_document(name: str, data: Data) -> bool:
    """Whether a ZIP archive is a document of a program, or the archive of one."""
    is_form = form_of(Look(name, data)) is not None
    return is_form or excel.is_excel(data) or slack.is_slack(data)


def _is_table(entry: ArchiveEntry, looked_at: bool, as_of: str = "") -> bool:
    suffix = PurePosixPath(entry.path.lower()).suffix
    if any(suffix in one.suffixes for one in READERS.values() if one.table is not None):
        return True
    if not (looked_at and is_text_name(entry.path)):
        return False
    try:
        found = READERS[guess_format(entry.path, entry.content(), as_of=as_of)]
    except CorpusError:
        return False
    return found.table is not None and not found.many


def _asked(files: Iterable[tuple[str, bytes]], options: ReadOptions) -> str:
    """Return the entry that is asked for, or `ALL` where all files are of a form of many."""
    known = options.entry or options.format
    return options.entry or ("" if known or not _are_of_many(files) else ALL)


def _are_of_many(files: Iterable[tuple[str, bytes]]) -> bool:
    """Whether all files hold references, or have the ending of another form of many; not so of
    none. Files of references are often named as texts are."""
    many = {suffix for one in READERS.values() if one.many for suffix in one.suffixes}
    found = False
    for name, data in files:
        found = PurePosixPath(name.lower()).suffix in many
        found = found or references.READER.sniff(Look(*unpacked(name, data)[:2])) == SURE
        if not found:
            break
    return found


def tables_of(
    name: str, files: Sequence[tuple[str, bytes]], options: ReadOptions
) -> list[tuple[str, RowTable]]:
    """The rows of each file (path, content), which must be a table. Raises CorpusError."""
    found = []
    for path, content in files:
        where = f"{name}, entry {path}"
        kind = options.format or guess_format(path, content, options.encoding, where, options.as_of)
        table = READERS[kind].table
        if table is None:
            raise CorpusError(f"{where} is no table that could be read together with others.")
        found.append((path, table(Upload(where, content, None, options))))
    return found


def among_files(names: Sequence[str]) -> tuple[str, ...]:
    """Return the choices among several files: `ALL` where their names are those of tables."""
    return (ALL,) if all(_is_table(ArchiveEntry(name, bytes), False) for name in names) else ()


def entries_of(name: str, data: bytes) -> tuple[str, ...]:
    """The tables of an archive among which a person may choose, and `ALL`; none of another file."""
    name, content, _ = unpacked(name, data)
    if not kind_of(content) or _is_document(name, content):
        return ()
    with open_archive(name, content) as archive:
        few = len(archive.entries) <= FEW_TEXTS
        paths = [entry.path for entry in archive.entries if _is_table(entry, few, "now")]
    return (*paths, *([ALL] if len(paths) > 1 else []))


def read_files(files: Sequence[tuple[str, bytes]], options: ReadOptions = FIND_OUT) -> Source:
    """Several files given together: counts with their vocabulary, a folder of texts, or with the
    entry "*" tables.

    Raises CorpusError where the files do not belong together.
    """
    if not files:
        raise CorpusError("No file was given; choose at least one.")
    if len(files) == 1:
        return read(*files[0], options=options)
    if _asked(files, options) == ALL:
        return _read_together(f"{len(files):,} tables", files, options)
    names = ", ".join(name for name, _ in files[:4]) + (", ..." if len(files) > 4 else "")
    if len(files) == 2:
        counted = [pair for pair in files if _is_counts(*pair)]
        if len(counted) == 1:
            vocab = files[0] if counted[0] is files[1] else files[1]
            return read(*counted[0], vocab=vocab, options=options)
    if all(PurePosixPath(name.lower()).suffix and is_text_name(name) for name, _ in files):
        return _divided(from_files(f"{len(files):,} texts", "zip", files, options), options)
    raise CorpusError(
        f"{names}: these files do not belong together; give one file, counts with their "
        "vocabulary, texts alone, or say that tables of the same columns are read together "
        f'(entry "{ALL}").'
    )


def _read_together(name: str, files: Sequence[tuple[str, bytes]], options: ReadOptions) -> Source:
    packed = [unpacked(path, data)[:2] for path, data in files]
    return _divided(read_rows(*together(name, tables_of(name, packed, options), options)), options)


def read_path(
    path: str | Path, vocab: str | Path | None = None, options: ReadOptions = FIND_OUT
) -> Source:
    """The documents of a file, or of a folder of texts (read as an archive of them would be)."""
    path = Path(path)
    if path.is_dir():
        found, others = texts_in(path)
        if options.entry == ALL or not found:
            files = [(f.relative_to(path).as_posix(), f) for f in others]
            tables = [
                (name, read_bytes(file))
                for name, file in files
                if _is_table(ArchiveEntry(name, bytes), False)
            ]
            if tables and _asked(tables, options) == ALL:
                return _read_together(path.name, tables, options)
        if not found:
            raise CorpusError(
                f"{path} has no texts in it, such as .txt files; give a file, or a folder of texts."
            )
        texts = [(file.relative_to(path).as_posix(), read_bytes(file)) for file in found]
        if _asked(texts, options) == ALL:
            return _read_together(path.name, texts, options)
        rest = left_out([file.name for file in others], "file")
        return _divided(from_files(path.name, "folder", texts, options, rest), options)
    words = None if vocab is None else (Path(vocab).name, read_bytes(Path(vocab)))
    return read(path.name, read_bytes(path), vocab=words, options=options)


def _is_counts(name: str, data: bytes) -> bool:
    inner, content, _ = unpacked(name, data)
    if not content.strip():
        return False
    return READERS[guess_format(inner, content)].needs_vocab
