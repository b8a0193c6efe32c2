"""Long documents divided into passages, each a document of its own that knows where it is from."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ...core.display import plural
from ..corpus import Column, CorpusError, DocTable
from ..readers.source import Source, check_number, strings
from .units import mark

PARAGRAPHS = "paragraphs"
FEWEST, MOST = 20, 100_000
"""Words of a passage that may be asked for."""
SHORT_PARAGRAPH = 10
"""Words below which a paragraph, such as a heading or a greeting, goes with the next."""
MAX_OWN_LABELS = 500
"""Most documents that become the labels of their passages where there are no others."""
LONG = 2000
"""Words of a typical document from which on passages are suggested: topics mix in such a text until
it says little which words belong together."""
SAMPLED = 200
"""Documents that are measured for it."""
TYPICAL = "The typical document has about"

SIGN = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
EAST_ASIAN = re.compile(f"[{SIGN}]")
WORD = re.compile(rf"[{SIGN}]|[^\s{SIGN}\u3000-\u303f\uff01-\uff0f\uff1a-\uff20]+")
"""What stands between blanks; of scripts without blanks every sign is a word."""
PARAGRAPH_END = re.compile(r"\n[ \t]*\n\s*")
LINE_END = re.compile(r"\n\s*")
SENTENCE_END = re.compile(
    r"[.!?…。！？](?:(?<=[。！？])\s*|(?<!\b\w[.!?…])(?<!\b\d\d\.)(?<!\b[DMS][rst]\.)(?<!\bMrs\.)"
    r"(?<!\bProf\.)[\"'”’»)\]]*\s+)"
)
"""Where a sentence ends; not after initials, days of a month ("5. März") and some titles.
It begins with what it looks for: with the exceptions first, 16 MB took many times as long."""


@dataclass(frozen=True)
class TextSentence:
    """A sentence, with the blanks that follow it."""

    text: str
    n_words: int
    ends_paragraph: bool = False


def divide(source: Source, how: str) -> Source:
    """A source whose documents are passages: of about `how` words, ending with a sentence and where
    possible with a paragraph, or its paragraphs ("paragraphs"). Empty: as it is.

    A passage has the date and label of its document, and its title with its place: "Budget ¶3".
    Without labels the documents become the labels, if they are at most `MAX_OWN_LABELS`.

    Raises CorpusError for counts and for what is no number of words.
    """
    if not how:
        return source
    if source.texts is None:
        raise CorpusError(
            f"{source.name} holds counts, which cannot be divided into passages; give the texts."
        )
    divided = divide_part(source, how)
    return replace(divided, notes=(*source.notes, divided_note(source.n_docs, divided.n_docs, how)))


def divide_part(source: Source, how: str, first: int = 0, n_docs: int | None = None) -> Source:
    """As `divide`, of documents of which the one before was number `first` among `n_docs` in all;
    without a note on it."""
    n_words = _asked(source.name, how)
    texts: list[str] = []
    lengths = []
    for text in source.texts or ():
        found = paragraphs_of(text) if n_words is None else passages_of(text, n_words)
        texts += found or [text]
        lengths.append(max(len(found), 1))
        check_number(source.name, len(texts), "passages")
    rows = np.repeat(np.arange(source.n_docs), lengths)
    places = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    whole = source.n_docs if n_docs is None else n_docs
    docs = _of_passages(source, rows, places, np.array(lengths) > 1, first, whole)
    return replace(source, texts=tuple(texts), docs=replace(docs, text=strings(texts)))


def divided_note(n_docs: int, n_passages: int, how: str) -> str:
    """What is to be said of documents that were divided."""
    into = "paragraphs" if how == PARAGRAPHS else f"passages of about {int(how):,} words"
    return (
        f"{plural(n_docs, 'document')} divided into {n_passages:,} {into}; each has the "
        "title of its document with its place, such as ¶3."
    )


def suggestion(source: Source) -> str:
    """A sentence if the typical document is so long that passages learn better; else nothing."""
    texts = source.texts or ()
    some = [text for text in texts[:: max(len(texts) // SAMPLED, 1)] if text.strip()]
    if not some:
        return ""
    typical = int(np.median([_n_words(text) for text in some]))
    if typical < LONG:
        return ""
    return (
        f"{TYPICAL} {float(f'{typical:.2g}'):,.0f} words. Topics become "
        "sharper if such long documents are divided into passages of about 200 words."
    )


def suggested(source: Source) -> bool:
    """Whether the notes of a source suggest passages: that is found out once, where it is read."""
    return any(note.startswith(TYPICAL) for note in source.notes)


def passages_of(text: str, n_words: int) -> list[str]:
    """The text in passages of about `n_words`; nothing but blanks between them is lost."""
    passages: list[list[str]] = []
    count = n_words  # of the passage that grows; none does yet
    for piece in _pieces(text, n_words):
        # A piece begins a passage where this one is full, or would be further from `n_words` with
        # the piece than it is without.
        if count >= n_words or count + piece.n_words - n_words > n_words - count:
            passages.append([])
            count = 0
        passages[-1].append(piece.text)
        count += piece.n_words
        if piece.ends_paragraph and count >= 0.8 * n_words:
            count = n_words
    if len(passages) > 1 and _n_words("".join(passages[-1])) < n_words / 2:
        rest = passages.pop()
        passages[-1] += rest
    joined = ("".join(pieces).strip() for pieces in passages)
    return [passage for passage in joined if passage]


def paragraphs_of(text: str) -> list[str]:
    """The paragraphs between blank lines, or the lines of a text that has none; a short one goes
    with the next."""
    found: list[str] = []
    before = ""
    for paragraph, _ in _cut(text, _paragraph_end(text)):
        before += paragraph
        if _n_words(before) >= SHORT_PARAGRAPH:
            found.append(before.strip())
            before = ""
    if before.strip() and found:
        found[-1] = f"{found[-1]}\n\n{before.strip()}"
    elif before.strip():
        found.append(before.strip())
    return found


def _asked(name: str, how: str) -> int | None:
    """Words of a passage; None for paragraphs."""
    if how == PARAGRAPHS:
        return None
    if not how.isdecimal() or not FEWEST <= int(how) <= MOST:
        raise CorpusError(
            f"{name}: passages must be a number of words from {FEWEST} to {MOST:,}, or "
            f"'{PARAGRAPHS}'; got {how!r}."
        )
    return int(how)


def _of_passages(
    source: Source, rows: Column, places: Column, divided: Column, first: int, n_docs: int
) -> DocTable:
    """The table of passages: `rows` (P,) their documents, `places` (P,) from 0 within these,
    `divided` bool (D,); `first` and `n_docs` as of `divide_part`."""
    docs = source.docs.take(rows)
    names = _names(source, first)
    marks = [mark(k) if divided[d] else "" for d, k in zip(rows, places, strict=True)]
    titles = [names[d] + end for d, end in zip(rows, marks, strict=True)]
    label = docs.label
    if label is None and 1 < n_docs <= MAX_OWN_LABELS:
        label = strings(names[d] for d in rows)
    ids = docs.id
    if ids is not None:
        ids = strings(f"{i}{end}" if i else "" for i, end in zip(ids, marks, strict=True))
    return replace(docs, title=strings(titles), label=label, id=ids)


def _names(source: Source, first: int) -> list[str]:
    """What each document is called: its title, its id, or its number, of which the first is the
    one after `first`."""
    columns = [c for c in (source.docs.title, source.docs.id) if c is not None]
    return [
        next(
            (str(c[d]).strip() for c in columns if str(c[d]).strip()), f"Document {first + d + 1:,}"
        )
        for d in range(source.n_docs)
    ]


def _pieces(text: str, n_words: int) -> Iterator[TextSentence]:
    """The sentences of a text; one of more than `n_words` is cut between words."""
    for paragraph, _ in _cut(text, _paragraph_end(text)):
        for sentence, last in _cut(paragraph, SENTENCE_END):
            n = _n_words(sentence)
            if n <= n_words:
                yield TextSentence(sentence, n, last)
                continue
            starts = [match.start() for match in WORD.finditer(sentence)]
            groups = [starts[i : i + n_words] for i in range(0, len(starts), n_words)]
            cuts = [0, *(group[0] for group in groups[1:]), len(sentence)]
            for group, start, stop in zip(groups, cuts, cuts[1:], strict=False):
                yield TextSentence(sentence[start:stop], len(group), last and stop == len(sentence))


def _n_words(text: str) -> int:
    if text.isascii() or not EAST_ASIAN.search(text):
        return len(text.split())
    return len(WORD.findall(text))


def _paragraph_end(text: str) -> re.Pattern[str]:
    return PARAGRAPH_END if PARAGRAPH_END.search(text.strip()) else LINE_END


def _cut(text: str, end: re.Pattern[str]) -> Sequence[tuple[str, bool]]:
    """The pieces of a text up to and with each `end`, and whether each is the last."""
    stops = [match.end() for match in end.finditer(text)]
    cuts = [0, *(stop for stop in stops if stop < len(text)), len(text)]
    pairs = [(text[a:b], b == len(text)) for a, b in pairwise(cuts)]
    return [pair for pair in pairs if pair[0]]
