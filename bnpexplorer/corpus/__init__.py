"""Corpora: from a person's file to word counts by document."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .corpus import Batch, Corpus, CorpusError, DocTable

if TYPE_CHECKING:
    from .source import Source

__all__ = ["Batch", "Corpus", "CorpusError", "DocTable", "load", "load_source"]


def load(
    path: str | Path,
    *,
    text: str = "",
    date: str = "",
    label: str = "",
    id: str = "",
    title: str = "",
    vocab: str | Path | None = None,
    format: str = "",
    encoding: str = "",
    split: str = "lines",
    **settings: Any,
) -> Corpus:
    """A corpus from a file, or from a folder of `.txt` files (folders below it become labels).

    `text`, `date`, `label`, `id`, `title`: columns of a table (empty: guessed, "-": none); `vocab`:
    the vocabulary file of counts; `format`: a key of `readers.READERS` (empty: found out);
    `encoding`: a codec name; `split`: plain text by "lines" or "paragraphs"; `settings`: fields of
    `text.TextSettings` that replace the defaults for this source.

    Raises CorpusError, whose sentence names the file, the line or field, and the remedy; ValueError
    for a setting out of range.
    """
    from .text import default_settings, make_corpus

    source = load_source(
        path,
        vocab,
        text=text,
        date=date,
        label=label,
        id=id,
        title=title,
        format=format,
        encoding=encoding,
        split=split,
    )
    return make_corpus(source, replace(default_settings(source), **settings))[0]


def load_source(path: str | Path, vocab: str | Path | None = None, **options: str) -> "Source":
    """The documents of a file or folder before words are counted; `options`: of `ReadOptions`."""
    from .readers import ReadOptions, read_path

    return read_path(path, vocab, ReadOptions(**options))
