"""From texts or counts to a `Corpus`, and a report of what was left out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from ..core.arrays import I64
from ..core.display import plural
from ..core.progress import passing
from .corpus import Corpus, CorpusError
from .documents.file_rows import FileRows
from .readers.source import Reading, Source
from .words.counting import (
    TOP,
    Counted,
    Mask,
    Removed,
    count_given,
    count_texts,
    document_frequency,
    most_frequent,
    prune,
    removed_words,
    zipf,
)
from .words.cutting import Cutter
from .words.lost import LostWords, lost_words
from .words.pattern import PATTERNS, SAMPLE, check_pattern_speed
from .words.phrases import cut_all, find_phrases
from .words.settings import TextSettings

AS_COUNTED = TextSettings(stop_words="none", min_df=0.0, max_df=1.0, max_features=0, min_tokens=1)
"""The settings of counts, of which nothing is left out."""

FEW_DOCUMENTS = 100
LEAST_WORDS, FEW_SHORT = 5, 0.02
"""Few short documents are left out: they say little. Where there are more, the collection is one of
short texts, which learns better with them (`benchmarks/short_documents.py`)."""
CHOICES = (1, 2, 3, 5)


@dataclass(frozen=True, eq=False)
class Report:
    """What became of the documents and words of a source."""

    n_read: int
    n_docs: int
    n_tokens: int
    n_words: int
    dropped: dict[str, int]
    """Reason -> number of documents left out."""
    commonest: tuple[tuple[str, int, int], ...]
    """At most 50 (word, count, document frequency) of the corpus, most frequent first."""
    removed: dict[str, Removed]
    """Reason -> words left out, in the order in which the reasons were applied."""
    lengths: I64
    """int64 (D,): tokens of every document of the corpus."""
    zipf: tuple[I64, I64]
    """Ranks (from 1) and frequencies of all words before any was left out; at most 400 points."""
    settings: TextSettings
    """The settings in force."""
    n_repeated: int = 0
    """Documents of the corpus whose text is that of an earlier one."""
    lost: LostWords | None = None
    """Words that the cutting broke or left out; None for counts, and in old reports."""
    kept_with: tuple[tuple[int, int], ...] = ()
    """(least number of words, documents that it keeps), in ascending order; empty in old reports,
    and for a corpus on the disk."""
    reading: Reading | None = None
    """How the corpus is made again of its files; None where it is of none, or an old report."""

    @property
    def left_out(self) -> str:
        """How many documents were left out, of how many, and why; empty if none was."""
        n = sum(self.dropped.values())
        reasons = "; ".join(f"{count:,} had {reason}" for reason, count in self.dropped.items())
        return f"{n:,} of {plural(self.n_read, 'document')} ({reasons})" if n else ""

    @property
    def repeated(self) -> str:
        """How many documents of the corpus repeat another; empty if none does."""
        if not self.n_repeated:
            return ""
        words = plural(self.n_repeated, "document has", "documents have")
        return f"{words} the text of an earlier one"


def default_settings(source: Source) -> TextSettings:
    """Settings that suit a source: counts stay as they are, few documents are pruned less.

    `max_df` is meant for stop words that the list lacks; among fewer than 100 documents it would
    remove their subject.
    """
    return AS_COUNTED if source.counts is not None else usual_settings(source.n_docs)


def usual_settings(n_docs: int) -> TextSettings:
    """The settings that `default_settings` has for so many texts."""
    if n_docs < FEW_DOCUMENTS:
        return TextSettings(min_df=1, max_df=1.0, min_tokens=1)
    return TextSettings(min_df=2 if n_docs < 1000 else 5)


def new_settings(source: Source) -> TextSettings:
    """The settings with which forms and `fit` begin: as `default_settings`, which scripts keep, but
    words stay whole and the least number of words of a document follows the texts."""
    usual = default_settings(source)
    return usual if source.texts is None else replace(usual, whole_words=True, min_tokens=0)


def describe(corpus: Corpus) -> Report:
    """The report of a corpus that came as counts: nothing is left out."""
    source = Source(corpus.name, "counts", counts=corpus.to_csr(), vocab=corpus.vocab)
    return make_corpus(source)[1]


def make_corpus(source: Source, settings: TextSettings | None = None) -> tuple[Corpus, Report]:
    """The corpus of a source, and what was left out and why; the source stays as it is.

    `settings`: those of `default_settings` unless given. Of counts, words stay or go by stop words,
    `min_df`, `max_df` and `max_features`; what concerns the cutting of texts has no effect. Words
    that occur only in documents left out are left out too, unless they came with counts.

    Raises CorpusError if no word or no document is left, or for a token pattern that would take for
    ever.
    """
    settings = settings or default_settings(source)
    counted_in = with_titles(source) if settings.titles else source
    settings = _with_phrases(counted_in, settings)
    counted = _count(counted_in, settings)
    keep, removed = prune(counted, settings.min_df, settings.max_df, settings.max_features)
    if not keep.any():
        raise _nothing_left(source, "word", settings)
    counts = counted.matrix[:, np.flatnonzero(keep)]
    lengths: I64 = np.asarray(counts.sum(axis=1, dtype=np.int64)).ravel()
    if settings.min_tokens == 0:
        settings = replace(settings, min_tokens=least_words(lengths))
    long = lengths >= settings.min_tokens
    if not long.any():
        raise _nothing_left(source, "document", settings)
    earlier = _earlier(source, long)
    repeated = earlier >= 0
    kept = long & ~repeated if settings.drop_repeated else long
    file_rows = _judged(source, counts, kept, long, earlier, settings.min_tokens)
    counts = counts[np.flatnonzero(kept)]
    if source.texts is not None:
        orphan = np.zeros(len(keep), bool)
        orphan[keep] = document_frequency(counts) == 0
        if orphan.any():
            counts = counts[:, np.flatnonzero(~orphan[keep])]
            removed["only in documents left out"] = removed_words(counted, orphan)
            keep &= ~orphan
    corpus = Corpus.from_csr(
        counts, counted.words[keep].tolist(), source.docs.take(kept), source.name
    )
    corpus = replace(corpus, file_rows=file_rows)
    if counted.stop_documents:
        tally = counted.stop_documents
        removed = {"stop word": most_frequent(tally.items(), len(tally)), **removed}
    stops = np.array([*counted.stop_frequency.values()], np.int64)
    report = Report(
        n_read=source.n_docs,
        n_docs=corpus.n_docs,
        n_tokens=corpus.n_tokens,
        n_words=corpus.n_words,
        dropped=_dropped(source, long, repeated & ~kept, settings.min_tokens),
        commonest=_commonest(corpus),
        removed=removed,
        lengths=corpus.doc_lengths,
        zipf=zipf(np.concatenate([counted.frequency, stops])),
        settings=settings,
        n_repeated=int((repeated & kept).sum()),
        lost=lost_words(source.texts, Cutter(settings)) if source.texts is not None else None,
        kept_with=kept_with(lengths, settings.min_tokens) if source.texts is not None else (),
    )
    return corpus, report


def _with_phrases(source: Source, settings: TextSettings) -> TextSettings:
    """The settings with the phrases of the texts, if such are wanted and not known yet."""
    if not settings.phrases or settings.joined or source.texts is None:
        return settings
    check_speed(source.texts, settings)
    tokens = cut_all(passing(source.texts, "texts", source.n_docs), Cutter(settings))
    low = settings.min_df
    documents = low * source.n_docs if isinstance(low, float) else low
    found = find_phrases(tokens, settings.phrase_count, settings.phrase_npmi, documents)
    return replace(settings, joined=" ".join(found))


def check_speed(texts: Sequence[str], settings: TextSettings) -> None:
    """Raise CorpusError for a token pattern that would take for ever."""
    if settings.token_pattern not in PATTERNS:
        sample = "\n".join(text[:1000] for text in islice(texts, 1 + SAMPLE // 1000))
        check_pattern_speed(settings.token_pattern, sample)


def _count(source: Source, settings: TextSettings) -> Counted:
    cutter = Cutter(settings)
    if source.texts is None:
        assert source.counts is not None
        assert source.vocab is not None
        return count_given(source.counts, source.vocab, cutter.stop)
    check_speed(source.texts, settings)
    try:
        return count_texts(source.texts, cutter)
    except ValueError as error:
        if "empty vocabulary" not in str(error):
            raise
        raise _nothing_left(source, "word", settings) from None


def with_titles(source: Source) -> Source:
    """The source as its words are counted: every text below its title."""
    titles = source.docs.title
    if titles is None or source.texts is None:
        raise CorpusError(
            f"{source.name} has no titles whose words could count; choose the column with the "
            "titles, or count the texts alone."
        )
    pairs = zip(titles, source.texts, strict=True)
    return replace(source, texts=tuple(f"{title}\n{text}" for title, text in pairs))


def least_words(lengths: I64) -> int:
    """Return the least number of words of a document that follows the texts: `LEAST_WORDS`, unless
    that leaves out more documents than `FEW_SHORT`; then 1. `lengths`: int64 (D,), their words.

    Texts without a word are lost in any case and decide nothing. Of few documents all stay.
    """
    words = lengths[lengths > 0]
    if len(lengths) < FEW_DOCUMENTS or not len(words):
        return 1
    return LEAST_WORDS if (words < LEAST_WORDS).mean() <= FEW_SHORT else 1


def kept_with(lengths: I64, own: int) -> tuple[tuple[int, int], ...]:
    """Return how many documents each choice of the least number of words keeps."""
    return tuple((n, int((lengths >= n).sum())) for n in sorted({*CHOICES, own}))


def _earlier(source: Source, among: Mask) -> I64:
    """The first document of those with the text of each, int64 (D,): -1 where it is the first
    itself or none of them; of counts -1."""
    found = np.full(len(among), -1)
    seen: dict[str, int] = {}
    for place, text in enumerate(source.texts or ()):
        if among[place]:
            first = seen.setdefault(text.strip(), place)
            found[place] = -1 if first == place else first
    return found


def _blank(source: Source) -> Mask:
    """Which documents have no text, bool (D,)."""
    if source.texts is not None:
        return np.array([not text.strip() for text in source.texts], bool)
    assert source.counts is not None
    return np.asarray(np.diff(source.counts.indptr) == 0)


def _judged(
    source: Source, counts: Any, kept: Mask, long: Mask, earlier: I64, min_tokens: int
) -> FileRows | None:
    """The rows of the file, with the reason of those left out; `counts` (D, V) of what counts."""
    rows, place = source.rows, source.docs.row
    if rows is None or place is None:
        return None
    reasons = ("no text", "no word left", too_few_words(min_tokens))
    n_words = np.asarray(counts.sum(axis=1, dtype=np.int64)).ravel()
    why = np.where(_blank(source), 1, np.where(n_words == 0, 2, 3))
    again = long & (earlier >= 0)
    why[again] = -1 - place[earlier[again]]
    why[kept] = 0
    return rows.judged(place, why, reasons)


def _dropped(source: Source, long: Mask, again: Mask, min_tokens: int) -> dict[str, int]:
    blank = _blank(source)
    short, empty = int((~long).sum()), int((blank & ~long).sum())
    return dropped(empty, short - empty, int(again.sum()), min_tokens)


def dropped(empty: int, short: int, again: int, min_tokens: int) -> dict[str, int]:
    """Why documents were left out, and how many, as `Report` has it: those without text, others of
    too few words, those that repeat an earlier one."""
    counts = {
        "no text": empty,
        too_few_words(min_tokens): short,
        "the text of an earlier one": again,
    }
    return {reason: n for reason, n in counts.items() if n}


def too_few_words(min_tokens: int) -> str:
    """The reason of documents that are left out because too few of their words count."""
    return f"fewer than {min_tokens} words left" if min_tokens > 1 else "no word left"


def _commonest(corpus: Corpus) -> tuple[tuple[str, int, int], ...]:
    frequency = np.bincount(corpus.word_ids, corpus.counts, corpus.n_words).astype(np.int64)
    documents = np.bincount(corpus.word_ids, minlength=corpus.n_words)
    return commonest(corpus.vocab, frequency, documents)


def commonest(
    vocab: Sequence[str], frequency: I64, documents: I64
) -> tuple[tuple[str, int, int], ...]:
    """The most frequent words as `Report` has them; `frequency`, `documents` int64 (V,)."""
    top = np.argsort(-frequency, kind="stable")[:TOP]
    return tuple((vocab[w], int(frequency[w]), int(documents[w])) for w in top)


def _nothing_left(source: Source, what: str, settings: TextSettings) -> CorpusError:
    column = source.chosen.get("text")
    where = f"{source.name}, column {column!r}" if column else source.name
    if source.n_docs > 1 and len({*(source.texts or ())}) == 1:
        return CorpusError(
            f"{where}: all {source.n_docs:,} documents are the same text, by which no topics can "
            "differ; choose another text column, or load other texts."
        )
    return nothing_left(where, source.n_docs, what, settings)


def nothing_left(where: str, n_docs: int, what: str, settings: TextSettings) -> CorpusError:
    """That every `what` ("word" or "document") of so many documents is left out."""
    if what == "document":
        return CorpusError(
            f"{where}: every document has fewer than {settings.min_tokens} words left; lower "
            "min_tokens, keep more words, or choose another text column."
        )
    return CorpusError(
        f"{where}: no word is left of {n_docs:,} documents; lower min_df (now "
        f"{settings.min_df}), raise max_df (now {settings.max_df}), check stop words and token "
        "pattern, or choose another text column."
    )
