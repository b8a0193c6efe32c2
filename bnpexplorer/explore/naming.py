"""What a document is called in lists: its title, how it goes on, and what is known of it."""

import numpy as np

from ..corpus.corpus import Corpus
from .documents import counts_of


def title_of(corpus: Corpus, row: int, length: int = 90) -> str:
    """The document's title, else its first words, its id or its number."""
    docs = corpus.docs
    for column in (docs.title, docs.text, docs.id):
        if column is not None and str(column[row] or "").strip():
            line = " ".join(str(column[row])[: 4 * length].split())
            return line if len(line) <= length else line[: length - 1].rstrip() + "…"
    return f"document {row + 1:,}"


def snippet_of(corpus: Corpus, row: int, length: int = 110) -> str:
    """How the text goes on after its title, or the commonest words where there is no text."""
    docs = corpus.docs
    title = title_of(corpus, row)
    if docs.text is not None and str(docs.text[row] or "").strip():
        line = " ".join(str(docs.text[row])[: 4 * length].split())
        if line[:60] == title[:60]:
            line = line[len(title) - 1 :].strip()
        return line if len(line) <= length else line[: length - 1].rstrip() + "…"
    counts = counts_of(corpus, row)
    return ", ".join(corpus.vocab[w] for w in sorted(counts, key=lambda w: -counts[w])[:8])


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
