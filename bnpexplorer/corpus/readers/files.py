"""Readers of files of texts: a folder, or a ZIP or tar archive of them, a page of HTML, documents
of writing programs. A file is one document, or one for each heading."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

import numpy as np

from ...core.progress import passing
from ..corpus import Column, CorpusError, DocTable
from ..documents.file_rows import FileRows
from ..words.language.stems import is_there
from .archives import ABOUT, JUNK, Archive, ArchiveEntry, kind_of, open_archive
from .dates import parse_dates
from .file_texts import HTML, MARKDOWN, Decoding, Part, misnamed
from .keeping import packed_rows
from .reader import CLEAR, NAMED, SURE, Look, Reader
from .source import BY_HEADINGS, TEXTS, Offer, ReadOptions, Source, Upload, strings
from .tallies import counted_files
from .text import is_html
from .written.opening import FORMS, SUFFIXES, DocumentForm, form_of

ENDINGS = (*TEXTS, *MARKDOWN, *HTML)
FEWEST_HEADINGS = 3
"""Headings from which on a document for each is offered."""
DATE = re.compile(
    r"(?<!\d)((?:1[4-9]|20)\d\d)(?:[-_. ]?(0[1-9]|1[0-2])(?:[-_. ]?(0[1-9]|[12]\d|3[01]))?)?(?!\d)"
)
"""A year in the name of a file, with or without month and day."""
DATED = 0.8
"""Share of the names that hold dates from which on these are offered."""
NAMES = ("", "date", "label", "date label")
"""What may be taken from names of files."""


def read_archive(upload: Upload) -> Source:
    """An archive of texts: one document a file, its name the title, its folder the label.

    Files of lines `word<TAB>count` are counts. Raises CorpusError for archives that are damaged,
    encrypted, nested, too large, or that hold links or names leading out of the folder.
    """
    with open_archive(upload.name, upload.data) as archive:
        wanted, notes = texts_of(archive, upload.options)
        unpacking = passing(wanted, "files unpacked", len(wanted))
        files = [(entry.path, entry.content()) for entry in unpacking]
    written = any(PurePosixPath(path).suffix.lower() in SUFFIXES for path, _ in files)
    counted = None if written else counted_files(upload.name, files, upload.options)
    if counted is None:
        kind = "tar" if archive.kind == "tar" else "zip"
        return from_files(upload.name, kind, files, upload.options, notes)
    counts, vocab, said = counted
    columns, told = columns_of([path for path, _ in files], upload.options)
    return Source(
        upload.name, "zip", None, counts, vocab, DocTable(**columns), notes=(said, *told, *notes)
    )


def texts_of(archive: Archive, options: ReadOptions) -> tuple[list[ArchiveEntry], tuple[str, ...]]:
    """Return the texts of an archive in the order of their paths, and sentences about the rest.
    Raises CorpusError if there are none."""
    only = options.format == "zip"  # as a file of before was read that was asked for as a ZIP
    paths = texts_among([entry.path for entry in archive.entries], only)
    wanted = sorted((e for e in archive.entries if e.path in paths), key=lambda e: e.path)
    others = [e.path for e in archive.entries if e.path not in paths]
    if not wanted:
        holds = ", ".join(others[:3]) or "nothing"
        raise CorpusError(
            f"{archive.name} has no texts in it (it holds {holds}); pack one .txt file a document."
        )
    return wanted, left_out(others, "entry", "entries")


def texts_in(folder: Path) -> tuple[list[Path], list[Path]]:
    """The texts in a folder and below it in the order of their paths, and its other files."""
    files = {file.relative_to(folder).as_posix(): file for file in sorted(folder.rglob("*"))}
    files = {path: f for path, f in files.items() if f.is_file() and not JUNK.fullmatch(path)}
    paths = texts_among([*files])
    return [files[p] for p in files if p in paths], [files[p] for p in files if p not in paths]


def texts_among(paths: Sequence[str], only_txt: bool = False) -> set[str]:
    """Return the texts among the files of an archive or folder: .txt files, and others named like
    texts. Without a .txt file they must outnumber the other files, which may be tables. PDF
    documents are none beside .txt files where the package for them is not installed."""
    txt = {path for path in paths if path.lower().endswith(".txt")}
    if txt and only_txt:
        return txt
    about = {path for path in paths if ABOUT.fullmatch(PurePosixPath(path).name)}
    texts = {path for path in paths if is_text_name(path)}
    rest = len([path for path in paths if path not in texts | about])
    if txt:
        pdf = {path for path in texts if path.lower().endswith(".pdf")}
        return txt | (texts - about - (pdf if pdf and not is_there("pypdf") else set()))
    if len(texts - about) > rest:
        return texts - about
    return set() if rest else texts


def is_text_name(path: str) -> bool:
    """Whether a name ends as texts do, in a number, or not at all."""
    suffix = PurePosixPath(path).suffix.lower()
    return suffix in ENDINGS or suffix in SUFFIXES or not re.search("[a-z]", suffix)


def left_out(paths: Sequence[str], noun: str, several: str = "") -> tuple[str, ...]:
    """The sentence about what else is in an archive or a folder of texts; none for nothing."""
    if not paths:
        return ()
    endings = Counter(
        PurePosixPath(path).suffix.lower() or PurePosixPath(path).name for path in paths
    )
    told = ", ".join(f"{n:,} {ending}" for ending, n in endings.most_common(5))
    what = noun if len(paths) == 1 else several or f"{noun}s"
    more = ", ..." if len(endings) > 5 else ""
    return (
        f"{len(paths):,} {what} left out, no texts by their names ({told}{more}); save as plain "
        "text what is to be read.",
    )


def from_files(
    name: str,
    kind: str,
    files: Sequence[tuple[str, bytes]],
    options: ReadOptions,
    notes: Sequence[str] = (),
) -> Source:
    """The documents of `files` (path, content), in the order of their paths: one for each, or one
    for each heading where options say so.

    Title: its own, or the file's name without ending. Label: its folder, below the folder common
    to all.
    """
    files = sorted(files)
    decoding = Decoding(name, options, kind == "html")
    parts = [decoding.parts(path, data) for path, data in passing(files, "files", len(files))]
    said, warnings = decoding.notes(kind), decoding.warnings()
    columns, told = columns_of([path for path, _ in files], options)
    file = np.repeat(np.arange(len(files)), [*map(len, parts)])
    columns = {field: column[file] for field, column in columns.items()}
    named = [
        row
        for (path, _), found in zip(files, parts, strict=True)
        for row in named_parts(path, found)
    ]
    columns |= {field: strings(row[field] for row in named) for field in ("id", "title", "text")}
    docs = DocTable(**columns, row=np.arange(len(named)))
    apart = options.split == BY_HEADINGS
    cells = packed_rows(
        {"file": files[at][0]} | ({"heading": row["title"]} if apart else {})
        for at, row in zip(file, named, strict=True)
    )
    rows = FileRows.of([*range(1, len(named) + 1)], "heading" if apart else "file", cells)
    return Source(
        name,
        "zip" if kind == "tar" else kind,
        tuple(row["text"] for row in named),
        docs=docs,
        notes=(*said, *told, *notes),
        warnings=warnings,
        offers=() if apart or decoding.n_headings < FEWEST_HEADINGS else (_by_headings(decoding),),
        rows=rows,
    )


def named_parts(path: str, parts: Sequence[Part]) -> list[dict[str, str]]:
    """Id, title and text of the documents of a file; several of one have ids with their number."""
    title = PurePosixPath(path).stem
    return [
        {
            "id": path if len(parts) == 1 else f"{path}#{number}",
            "title": part.title or title,
            "text": part.text,
        }
        for number, part in enumerate(parts, start=1)
    ]


def _by_headings(decoding: Decoding) -> Offer:
    return Offer(
        f"The texts have {decoding.n_headings:,} headings.",
        "Read one document a heading",
        {"split": BY_HEADINGS},
    )


# ---- what names of files say -------------------------------------------------------------------


def columns_of(paths: Sequence[str], options: ReadOptions) -> tuple[dict[str, Column], list[str]]:
    """Return columns of a `DocTable` by the paths of files, and sentences about them."""
    named = fields_of(paths, options)
    columns: dict[str, Column] = {f: strings(named[f]) for f in named if f != "date"}
    said = offer(paths, options)
    if "date" in named:
        columns["date"], note = parse_dates(named["date"])
        said = [f"Dates are read from the names of the files. {note}".strip()]
    return columns, said


def fields_of(paths: Sequence[str], options: ReadOptions) -> dict[str, list[str]]:
    """Field -> one string a file: id, title, label unless all are in one folder, and date where it
    is to be taken from the names. Raises CorpusError where another thing is asked for."""
    check_names(options)
    pure = [PurePosixPath(path) for path in paths]
    by_name = "label" in options.file_names
    labels = [_begin(path.stem) for path in pure] if by_name else _folders(pure)
    fields = {"id": [*map(str, pure)], "title": [path.stem for path in pure]}
    if options.split == BY_HEADINGS and len(paths) > 1 and not any(labels):
        labels = fields["title"]  # which file a heading is of
    fields |= {"label": labels} if any(labels) else {}
    return fields | ({"date": [*map(date_in, pure)]} if "date" in options.file_names else {})


def check_names(options: ReadOptions) -> None:
    """Raise CorpusError for a value of `file_names` that is unknown."""
    if options.file_names not in NAMES:
        told = ", ".join(map(repr, NAMES[1:]))
        raise CorpusError(f"Names of files can say {told}; got {options.file_names!r}.")


def offer(paths: Sequence[str], options: ReadOptions) -> list[str]:
    """A sentence if names of files hold dates that are not used."""
    if "date" in options.file_names:
        return []
    dated = [path for path in paths if date_in(PurePosixPath(path))]
    if len(dated) < max(2, DATED * len(paths)):
        return []
    return [
        f"The names of the files hold dates, such as {date_in(PurePosixPath(dated[0]))} in "
        f"{dated[0]!r}: choose dates from names (--file-names date) to use them."
    ]


def date_in(path: PurePosixPath) -> str:
    """The date in a name, or else in the nearest folder with one; empty for none."""
    for part in (path.stem, *reversed(path.parent.parts)):
        if found := DATE.search(part):
            return "-".join(filter(None, found.groups()))
    return ""


def _begin(stem: str) -> str:
    """The words before the first number in a name, such as obama in obama_2009-01-20."""
    parts = [part for part in re.split(r"[\W_]+", DATE.sub(" ", stem)) if part]
    words = [part for part in parts if not any(map(str.isdigit, part))]
    return words[0] if words else ""


def _folders(paths: Sequence[PurePosixPath]) -> list[str]:
    """The folder of every path, without the leading folders that all of them share."""
    parents = [path.parent.parts for path in paths]
    shared = 0
    while all(len(p) > shared for p in parents) and len({p[shared] for p in parents}) == 1:
        shared += 1
    return ["/".join(part for part in p[shared:] if part != ".") for p in parents]


def read_html(upload: Upload) -> Source:
    """A page of HTML: one document, without its tags."""
    return from_files(upload.name, "html", [(upload.name, upload.data)], upload.options)


def _sniff(look: Look) -> float:
    return SURE if kind_of(look.data) else 0.0


def _sniff_html(look: Look) -> float:
    if look.suffix in ENDINGS and look.suffix not in HTML and look.suffix:
        return 0.0
    return CLEAR if is_html(look.text) else NAMED * (look.suffix in HTML and bool(look.text))


def _reader(form: DocumentForm) -> Reader:
    """The reader of one form of documents."""

    def read(upload: Upload) -> Source:
        if form_of(Look(upload.name, upload.data)) is not form:
            raise misnamed(upload.name, form.title)
        return from_files(upload.name, form.key, [(upload.name, upload.data)], upload.options)

    return Reader(
        form.key,
        form.title,
        form.sentence,
        (form.suffix,),
        lambda look: SURE * (form_of(look) is form),
        read,
        binary=True,
    )


READERS = (
    *map(_reader, FORMS),
    Reader(
        "zip",
        "ZIP or tar of texts",
        "ZIP or tar: one .txt, .md, .html, Word or other document a file; folders are labels. One "
        "with a table is that table.",
        (".zip", ".tar", ".tgz"),
        _sniff,
        read_archive,
        binary=True,
    ),
    Reader("html", "HTML", "A page, one document without its tags.", HTML, _sniff_html, read_html),
)
