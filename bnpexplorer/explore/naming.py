"""What a document is called in lists: its title, how it goes on, and what is known of it."""

import numpy as np

from ..corpus.corpus import Column, Corpus
from .documents import counts_of


def title_of(corpus: Corpus, row: int, length: int = 90) -> str:
    """The document's title, else its first words, its id or its number."""
    docs = corpus.docs
    for column in (docs.title, docs.text, docs.id):
        line = _line(column, row, 4 * length)
        if line:
            return _cut(line, length)
    return f"document {row + 1:,}"


def snippet_of(corpus: Corpus, row: int, length: int = 110, title: int = 90) -> str:
    """How the text goes on after its title of at most `title` letters, as `title_of` cuts it.

    The commonest words where there is no text; empty where the title has said all.
    """
    docs = corpus.docs
    line = _line(docs.text, row, 4 * (title + length))
    if line:
        head = title_of(corpus, row, title).removesuffix("…")
        rest = line[len(head) :] if line.startswith(head) else ""
        own = not _line(docs.title, row, 1)  # the title is the text's beginning
        if own or (rest and not rest[0].isalnum()):
            line = rest.strip()
        return _cut(line, length)
    counts = counts_of(corpus, row)
    return ", ".join(corpus.vocab[w] for w in sorted(counts, key=lambda w: -counts[w])[:8])


def _line(column: Column | None, row: int, letters: int) -> str:
    """The beginning of what a column says of a document, on one line; empty if nothing."""
    if column is None or column[row] is None:
        return ""
    return " ".join(str(column[row]).lstrip()[:letters].split())


def _cut(line: str, length: int) -> str:
    """At most `length` letters, cut between two words where there is a blank in their latter half;
    scripts without blanks are cut anywhere."""
    if len(line) <= length:
        return line
    blank = line.rfind(" ", length // 2, length)
    return line[: blank if blank > 0 else length - 1].rstrip() + "…"


def facts_of(corpus: Corpus, row: int) -> list[str]:
    """Date, label and id, where there are any, in words."""
    docs = corpus.docs
    facts = []
    if docs.date is not None and not np.isnat(docs.date[row]):
        facts.append(str(docs.date[row].astype("datetime64[D]")))
    for column in (docs.label, docs.id):
        if column is not None and str(column[row] or "").strip():
            facts.append(str(column[row]))
    return facts
