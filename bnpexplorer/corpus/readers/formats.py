"""From a person's file to a `Source`: the table of formats, and the choice among them.

To add a format, write one function `Upload -> Source` and one line in `READERS`. If its documents
have fields, such as a title or a date, make a `RowTable` of them and return `read_rows` of it
(`tables.py`; `json.py` is an example), which chooses the columns. The function that makes the
`RowTable` also has a line in `TABLES` (`plugins/building/records.py`), so that a corpus on the disk
can be built from such files.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from ..corpus import CorpusError
from ..documents.passages import divide, suggestion
from .counts import read_ldac, read_mtx, read_uci
from .decoding import Data, find_encoding, open_text, refuse_binary
from .excel import is_excel, read_excel
from .json import read_jsonl
from .source import FIND_OUT, NONE, ReadOptions, Source, Upload, read_bytes
from .table import header_and_width, read_csv, read_parquet, read_tsv, sniff_delimiter
from .text import from_files, not_read, read_pasted, read_text, read_zip
from .unpacking import unpacked

__all__ = ["NONE", "READERS", "ReadOptions", "Reader", "Source", "Upload", "guess_format", "read"]
__all__ += ["read_files", "read_path"]


@dataclass(frozen=True)
class Reader:
    """One format."""

    title: str
    sentence: str
    """What such a file looks like."""
    suffixes: tuple[str, ...]
    read: Callable[[Upload], Source]
    needs_vocab: bool = False


READERS: dict[str, Reader] = {
    "csv": Reader("CSV", "A table with one document a row.", (".csv",), read_csv),
    "tsv": Reader("TSV", "A table with tabs between its columns.", (".tsv", ".tab"), read_tsv),
    "jsonl": Reader(
        "JSON lines", "One JSON object a line.", (".jsonl", ".ndjson", ".json"), read_jsonl
    ),
    "text": Reader(
        "Plain text",
        "One document a line, or blank lines between documents.",
        (".txt", ".text", ".md"),
        read_text,
    ),
    "pasted": Reader("Pasted text", "Texts copied into a box.", (), read_pasted),
    "excel": Reader("Excel", "A sheet with one document a row.", (".xlsx", ".xlsm"), read_excel),
    "zip": Reader(
        "ZIP of texts", "One .txt file a document; folders are labels.", (".zip",), read_zip
    ),
    "parquet": Reader(
        "Parquet", "A table with one document a row.", (".parquet", ".pq"), read_parquet
    ),
    "uci": Reader(
        "UCI bag of words",
        "docword.*.txt: lines 'document word count'; with a vocabulary.",
        (),
        read_uci,
        needs_vocab=True,
    ),
    "ldac": Reader(
        "LDA-C",
        "Lines 'M word:count word:count ...'; with a vocabulary.",
        (".ldac", ".lda-c"),
        read_ldac,
        needs_vocab=True,
    ),
    "mtx": Reader(
        "Matrix Market",
        "A sparse matrix, documents by words; with a vocabulary.",
        (".mtx",),
        read_mtx,
        needs_vocab=True,
    ),
}


def read(
    name: str,
    data: bytes,
    *,
    vocab: tuple[str, bytes] | None = None,
    options: ReadOptions = FIND_OUT,
) -> Source:
    """The documents of one file, in the format asked for or found out from content and name.

    `vocab`: name and content of the vocabulary file, for formats of counts. Any file may be
    packed with gzip, xz, bzip2 or zstd.

    Raises CorpusError, whose one sentence names the file, the line or field, and the remedy.
    """
    check_format(name, options)
    if not data.strip():
        raise CorpusError(f"{name} is empty; give a file with at least one document.")
    inner, content, how = unpacked(name, data)
    kind = options.format or guess_format(inner, content, options.encoding)
    source = READERS[kind].read(Upload(name, content, vocab, options))
    said = replace(source, notes=(*source.notes, how) if how else source.notes)
    return _divided(said, options)


def check_format(name: str, options: ReadOptions) -> None:
    """Raise CorpusError where a format is asked for that there is not."""
    if options.format and options.format not in READERS:
        raise CorpusError(
            f"{name}: no format is called {options.format!r}; choose one of {', '.join(READERS)}."
        )


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


def guess_format(name: str, data: Data, encoding: str = "") -> str:
    """The key in `READERS` that fits a file best: by its first bytes, its name, its first lines."""
    if data.startswith(b"PK\x03\x04") or data.startswith(b"PK\x05\x06"):
        return "excel" if is_excel(data) else "zip"
    if data.startswith(b"PAR1"):
        return "parquet"
    if data.startswith(b"%%MatrixMarket"):
        return "mtx"
    by_name = {suffix: key for key, reader in READERS.items() for suffix in reader.suffixes}
    named = by_name.get(PurePosixPath(name.lower()).suffix, "")
    if named in ("zip", "parquet", "mtx", "excel"):
        refuse_binary(name, data)
        raise CorpusError(
            f"{name} is no {READERS[named].title} file in spite of its name; rename it, or write "
            "it again."
        )
    codec, _ = find_encoding(name, data, encoding)
    head = open_text(data, codec, newline=None).read(1 << 16)
    return _guess_text_format(named, head)


def _guess_text_format(named: str, head: str) -> str:
    lines = [line.strip() for line in head.split("\n")[:50]]
    filled = [line for line in lines[:-1] or lines if line]
    if named not in ("csv", "tsv", "jsonl"):
        totals = all(re.fullmatch(r"\d+", line) for line in lines[:3])
        if len(lines) > 3 and totals and re.fullmatch(r"-?\d+(\s+-?[\d.]+)+", lines[3]):
            return "uci"
        if filled and all(re.fullmatch(r"\d+( +-?\d+:-?[\d.]+)+|0", line) for line in filled):
            return "ldac"
    if named:
        return named
    if filled and filled[0].startswith(("{", "[{")):
        return "jsonl"
    delimiter = sniff_delimiter(head)
    header, share = header_and_width(head, delimiter)
    if len(header) > 1 and len(filled) > 1 and share > 0.9:
        return "tsv" if delimiter == "\t" else "csv"
    return "text"


def read_files(files: Sequence[tuple[str, bytes]], options: ReadOptions = FIND_OUT) -> Source:
    """Several files given together: counts with their vocabulary, or a folder of `.txt` files.

    Raises CorpusError where the files do not belong together.
    """
    if not files:
        raise CorpusError("No file was given; choose at least one.")
    if len(files) == 1:
        return read(*files[0], options=options)
    names = ", ".join(name for name, _ in files[:4]) + (", ..." if len(files) > 4 else "")
    if len(files) == 2:
        counts = [pair for pair in files if _is_counts(*pair)]
        if len(counts) == 1:
            vocab = files[0] if counts[0] is files[1] else files[1]
            return read(*counts[0], vocab=vocab, options=options)
    if all(name.lower().endswith(".txt") for name, _ in files):
        return _divided(from_files(f"{len(files):,} texts", "zip", files, options), options)
    raise CorpusError(
        f"{names}: these files do not belong together; give one file, counts with their "
        "vocabulary, or .txt files alone."
    )


def read_path(
    path: str | Path, vocab: str | Path | None = None, options: ReadOptions = FIND_OUT
) -> Source:
    """The documents of a file, or of a folder of `.txt` files (read as a ZIP of them would be)."""
    path = Path(path)
    if path.is_dir():
        found = sorted(path.rglob("*.txt"))
        if not found:
            raise CorpusError(f"{path} has no .txt file in it; give a file, or a folder of texts.")
        files = [(file.relative_to(path).as_posix(), read_bytes(file)) for file in found]
        n_files = sum(file.is_file() for file in path.rglob("*"))
        left_out = not_read(n_files - len(found), "file")
        return _divided(from_files(path.name, "folder", files, options, left_out), options)
    words = None if vocab is None else (Path(vocab).name, read_bytes(Path(vocab)))
    return read(path.name, read_bytes(path), vocab=words, options=options)


def _is_counts(name: str, data: bytes) -> bool:
    inner, content, _ = unpacked(name, data)
    if not content.strip():
        return False
    return READERS[guess_format(inner, content)].needs_vocab
