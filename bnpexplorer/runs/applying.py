"""Apply a run to new texts: their topics, their unknown words, and which texts do not fit."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..core.arrays import F32, F64, I64, Bools
from ..core.display import plural
from ..corpus.corpus import Corpus, CorpusError
from ..corpus.documents.added import Added
from ..corpus.documents.file_rows import FileRows
from ..corpus.intake import api
from ..corpus.readers.source import NONE, Reading, ReadOptions, Source
from ..corpus.text import AS_COUNTED, Report
from ..explore.file_rows import rows_of, topic_columns
from ..explore.proportions import doc_topic
from ..state.moment import Moment
from .run import Run

FEW = 5
"""A text with fewer known words does not fit, since its topics would be a guess."""
MOST_UNKNOWN = 0.5
"""A text with a larger share of unknown words does not fit."""
SPREADS = 3.0
"""Robust standard deviations by which a text may be less likely than the run's own."""
REFERENCE, BLOCK = 1000, 256
"""Documents of the run that new ones are compared with, and documents scored at once."""


@dataclass(frozen=True, eq=False)
class Applied:
    """N new texts in the order of their file; D of them have topics."""

    moment: Moment
    corpus: Corpus
    """The D documents over the vocabulary of the run; `docs.id` int64 (D,): their text numbers."""
    share: F32
    """float32 (D, K): topic proportions."""
    n_unknown: I64
    """int64 (N,): unknown words of each text."""
    unknown: Sequence[tuple[str, int]]
    """The most frequent unknown words, with the number of texts that contain each."""
    unfit: tuple[str, ...]
    """N sentences: why the topics do not fit a text; empty where they do."""
    text_rows: I64
    """int64 (N,): the place of each text's row in its file."""

    @property
    def said(self) -> str:
        """Return sentences to read before trusting the topics: unknown words, texts that do not
        fit."""
        n_words = int(self.corpus.n_tokens + self.n_unknown.sum())
        n_texts, n_unfit = len(self.n_unknown), sum(map(bool, self.unfit))
        rare = ", ".join(word for word, _ in self.unknown[:8])
        said = (
            f"{self.corpus.n_docs:,} of {plural(n_texts, 'text')} have topics. The run does not "
            f"know {self.n_unknown.sum():,} of {n_words:,} words"
        )
        said += f", such as {rare}." if rare else "."
        fit = "do not fit" if n_unfit != 1 else "does not fit"
        return f"{said} The topics {fit} {plural(n_unfit, 'text')}." if n_unfit else said

    def columns(self, all_shares: bool = False) -> tuple[Added, ...]:
        """Return the columns to add to those of the file."""
        rows, row = rows_of(self.corpus)
        part = np.full(self.corpus.n_docs, "new")
        columns = topic_columns(self.moment, self.corpus, self.share, part, all_shares)
        lengths = np.bincount(row, self.corpus.doc_lengths, len(rows))
        known = np.asarray(lengths, np.float64)
        own = [
            Added("known_words", numbers=known, whole=True),
            Added("unknown_words", numbers=self._of_rows(), whole=True),
            Added("does_not_fit", texts=self._unfit_of_rows()),
        ]
        kept = [column for column in columns if column.name != "part"]
        at = next(i for i, column in enumerate(kept) if column.name == "left_out")
        return (*kept[:at], *own, *kept[at:])

    def _of_rows(self) -> F64:
        rows, _ = rows_of(self.corpus)
        return np.bincount(self.text_rows, self.n_unknown, len(rows)).astype(np.float64)

    def _unfit_of_rows(self) -> tuple[str, ...]:
        """Return for each row the first reason among its texts."""
        found = [""] * len(rows_of(self.corpus)[0])
        for place, why in zip(self.text_rows.tolist(), self.unfit, strict=True):
            found[place] = found[place] or why
        return tuple(found)

    def table(self, suffix: str = "", all_shares: bool = False) -> bytes:
        """Return the file with these columns (`intake.api.write_back`). Raises CorpusError."""
        return api.write_back(rows_of(self.corpus)[0], self.columns(all_shares), suffix)


def reading_of(run: Run, report: Report | None) -> Reading:
    """Return how the texts of a run were tokenized. Raises CorpusError if that is not known."""
    reading = report.reading if report is not None else None
    if reading is None and report is not None:
        reading = Reading(report.settings)
    reading = reading or run.reading
    if reading is None or reading.settings == AS_COUNTED:
        raise CorpusError(
            "This run does not say how its texts were cut into words, so it cannot be applied to "
            "new ones. Learn the texts again with this version, or learn texts instead of counts."
        )
    return reading


def options_for(asked: ReadOptions, before: ReadOptions) -> ReadOptions:
    """Return how to read a file of new texts: columns as `asked`, else as `before`, the options of
    the run's own texts, which also decide the passages."""
    chosen = {name: getattr(asked, name) or getattr(before, name) for name in ("text", "title")}
    return replace(asked, **chosen, date=NONE, label=NONE, id=NONE, passages=before.passages)


def apply(run: Run, moment: Moment, source: Source, report: Report | None = None) -> Applied:
    """Infer the topics of new texts with the topics of a run at `moment`.

    Texts are tokenized like those of the run. A text does not fit if

    - more than `MOST_UNKNOWN` of its words are unknown, or
    - it has fewer than `FEW` known words, or
    - its known words are unlikely: their log likelihood per word, under the text's own proportions,
      lies more than `SPREADS` robust standard deviations below the median of up to `REFERENCE`
      documents of the run (the held-out ones if there are 50 or more). For a text of n words the
      spread grows by sqrt(m / n) where n is below the median length m.

    Tested with 20 topics of 3,000 paragraphs of annual messages. 0.5 % of 1,000 other paragraphs do
    not fit; 83 % of 160 texts on cooking, sports and music, nearly all by their unknown words; and
    86 % of 200 texts of 40 known words drawn uniformly, by likelihood. Words drawn with the
    frequencies of the messages pass, and clusters find nothing unlikely there.

    Raises CorpusError, as `reading_of` and `count_known` do.
    """
    settings = reading_of(run, report).settings
    removed = [] if report is None else [w for r in report.removed.values() for w, _ in r.words]
    found = api.count_known(source, settings, run.corpus.vocab, removed)
    corpus = found.corpus
    assert corpus.docs.id is not None
    share = doc_topic(moment.model, moment.topics, corpus, run.pool)
    n_texts = len(found.n_unknown)
    n_known = np.zeros(n_texts, np.int64)
    n_known[corpus.docs.id] = corpus.doc_lengths
    unlikely = np.zeros(n_texts, bool)
    unlikely[corpus.docs.id] = _unlikely(run, moment, corpus, share)
    strange = found.n_unknown > MOST_UNKNOWN * (n_known + found.n_unknown)
    unfit = np.where(
        strange,
        "most of its words are unknown",
        np.where(
            (n_known > 0) & (n_known < FEW),
            f"fewer than {FEW} known words",
            np.where(unlikely, "its words are unlikely together", ""),
        ),
    )
    row = source.docs.row
    text_rows = np.arange(n_texts) if row is None else row
    rows = source.rows or FileRows.of(range(1, n_texts + 1), "row")
    blank = np.array([not text.strip() for text in source.texts or ()], bool)
    why = np.where(n_known > 0, 0, np.where(blank, 1, 2))
    judged = rows.judged(text_rows, why, ["no text", "no word that the run knows"])
    docs = replace(corpus.docs, row=text_rows[corpus.docs.id])
    corpus = replace(corpus, docs=docs, file_rows=judged)
    moment = replace(moment, corpus=corpus)
    return Applied(
        moment, corpus, share, found.n_unknown, found.unknown.words, tuple(unfit), text_rows
    )


def _unlikely(run: Run, moment: Moment, docs: Corpus, share: F32) -> Bools:
    """Return bool (D,): which documents are less likely than the run's own (see `apply`)."""
    own = run.corpus if run.heldout is None else run.heldout.whole
    if own.n_docs < 50:  # too few for a median
        own = run.corpus
    own = own.take(np.linspace(0, own.n_docs - 1, min(own.n_docs, REFERENCE)).astype(np.int64))
    filled = own.doc_lengths > 0
    if not filled.any():
        return np.zeros(docs.n_docs, bool)
    own = own.take(filled)
    usual = likelihood(moment, own, doc_topic(moment.model, moment.topics, own, run.pool))
    middle = float(np.median(usual))
    spread = 1.4826 * float(np.median(np.abs(usual - middle))) or 1e-9
    typical = float(np.median(own.doc_lengths))
    wider = np.sqrt(np.maximum(typical / docs.doc_lengths, 1.0))
    found = likelihood(moment, docs, share)
    return np.asarray(found < middle - SPREADS * spread * wider)


def likelihood(moment: Moment, docs: Corpus, share: F32) -> F64:
    """Return float64 (D,): log likelihood per word under the documents' own proportions (D, K)."""
    topics, found = moment.topics, np.zeros(docs.n_docs)
    for begin in range(0, docs.n_docs, BLOCK):
        part, theta = docs.part(begin, begin + BLOCK), share[begin : begin + BLOCK]
        unseen = np.maximum(1.0 - theta.sum(axis=1, dtype=np.float64), 0.0) / docs.n_words
        words = np.asarray(theta @ topics.topic_word, np.float64) + unseen[:, None]
        doc = np.repeat(np.arange(part.n_docs), np.diff(part.indptr))
        logs = part.counts * np.log(np.maximum(words[doc, part.word_ids], 1e-30))
        found[begin : begin + BLOCK] = np.bincount(doc, logs, part.n_docs) / part.doc_lengths
    return found
