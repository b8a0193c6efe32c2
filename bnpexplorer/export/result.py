"""What every export is made from: a run's settings, its topics, its documents, their names.

D documents, V words, K topics.
"""

import io
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from typing import IO, Any

import numpy as np

from ..core.arrays import F32, F64, I64, Bools
from ..corpus.corpus import Corpus, DocTable
from ..corpus.readers.source import Reading
from ..corpus.stored import StoredCorpus
from ..corpus.text import Report, describe
from ..corpus.words.settings import TextSettings
from ..evaluate import Heldout, between_starts, split_heldout
from ..explore import doc_topic
from ..runs.run import Run
from ..runs.whole import Parts, learned_rows, parts, whole_of
from ..state.moment import Moment
from ..state.snapshot import Snapshot
from .citations import bibtex
from .pieces import protocol_sentence


@dataclass(frozen=True, eq=False)
class Result:
    """A run at one moment, with what a person said of its topics. Make one with `result_of`."""

    run: Run
    """Read for its settings; neither stepped nor asked for anything new."""
    moment: Moment
    """Of all documents: those learned and those held out."""
    held_out: Bools
    """bool (D,): which documents were kept apart from learning."""
    by_rule: bool
    """Whether `split_heldout` with the run's seed divides `corpus` as it was divided."""
    text_settings: TextSettings | None = None
    """How texts became words, where that is known."""
    reading: Reading | None = None
    """How `corpus` was made of files, where that is known."""
    folded: Callable[[], F32 | None] | None = None
    """Gives the proportions of `corpus` where they are kept already, or waits for them."""

    @property
    def snapshot(self) -> Snapshot:
        return self.moment.snapshot

    @property
    def corpus(self) -> Corpus:
        return self.moment.corpus

    @property
    def by_size(self) -> list[int]:
        """All topics, the largest first; hidden ones are exported like the others, and marked."""
        topics = self.moment.topics
        ids: list[int] = topics.topic_ids[topics.by_size].tolist()
        return ids

    @cached_property
    def entries(self) -> tuple[I64, I64]:
        """Return the rows of tables of documents in the order of the file: two arrays int64 (N,).

        Places of rows of the file, all of them, -1 where it is not known; and of documents, -1 for
        a row that has none of its own.
        """
        rows, row = self.corpus.file_rows, self.corpus.docs.row
        if rows is None or row is None:
            n_docs = self.corpus.n_docs
            return np.full(n_docs, -1), np.arange(n_docs)
        return rows.entries(row)

    @property
    def part(self) -> Parts:
        """Return `learned`, `not yet learned` or `held out` for every document: str (D,)."""
        return parts(self.held_out, self.learned)

    @cached_property
    def learned(self) -> Bools:
        """bool (D,): which documents were learned by the moment of the snapshot."""
        return learned_rows(self.run, self.held_out, self.snapshot.docs_seen)

    @cached_property
    def shares(self) -> F32:
        """float32 (D, K): expected topic proportions of all documents, by the model's fold-in;
        those of a group added up.

        In single precision, as the pages keep them, so that files are the same wherever they are
        made. What a row leaves to 1 belongs to topics not yet seen.
        """
        topics, moment = self.snapshot.topics, self.moment
        if not len(topics):
            return np.zeros((self.corpus.n_docs, 0), np.float32)
        found = self.folded() if self.folded else None
        if found is None:
            texts = self.corpus.without_text()
            found = doc_topic(moment.model, topics, texts, self.run.pool)
        return np.asarray(moment.gathered(found), np.float32)

    @property
    def proportions(self) -> F64:
        """`shares` as float64 (D, K): a copy, twice as large, for few documents. Files are made of
        `shares`, some documents at a time."""
        return self.shares.astype(np.float64)

    @property
    def score(self) -> float | None:
        """The latest held-out log likelihood per word; None if nothing was scored."""
        return self.moment.score

    @property
    def between_starts(self) -> str:
        """How far the run's score differs between starts of the fold-in; empty if by nothing."""
        return between_starts(self.snapshot.spread, int(self.held_out.sum()))

    @property
    def protocol_sentence(self) -> str:
        """How the score is computed; empty if nothing is scored."""
        return protocol_sentence(self.run.protocol)

    @property
    def model_settings(self) -> dict[str, Any]:
        return asdict(self.run.method.model)

    @property
    def method_settings(self) -> dict[str, Any]:
        """The knobs of the method."""
        method = self.run.method
        return {f.name: getattr(method, f.name) for f in fields(method) if f.name != "model"}

    @property
    def citation(self) -> str:
        """BibTeX of the program and of the papers behind the method."""
        return bibtex([self.run.method.name])


def result_of(
    run: Run,
    moment: Moment,
    corpus: Corpus | None = None,
    report: Report | None = None,
    folded: Callable[[], F32 | None] | None = None,
) -> Result:
    """A `Result` of a run at a moment. `corpus`: all documents before those held out were taken;
    `report`: how it was made.

    Without it, or if it does not belong to the run, documents come as `whole_of` has them.
    `folded` gives the topic proportions of `corpus` if somebody keeps them.
    """
    held_out = None if corpus is None else held_out_rows(run, corpus)
    by_rule = held_out is not None
    settings = None if corpus is None else text_settings_of(corpus, report)
    reading = None if report is None else report.reading
    if corpus is None or held_out is None:
        corpus, held_out = whole_of(run)
        folded = None  # of other documents
    moment = replace(moment, corpus=corpus)
    return Result(run, moment, held_out, by_rule, settings, reading, folded)


def held_out_rows(run: Run, corpus: Corpus) -> Bools | None:
    """Which documents of the whole corpus the run holds out, bool (D,), by dividing it anew.

    None if that gives other documents than the run has.
    """
    if isinstance(corpus, StoredCorpus) and isinstance(run.corpus, StoredCorpus):
        return _left_out(run.corpus, corpus)
    numbered = replace(corpus, docs=DocTable(id=np.arange(corpus.n_docs)))
    held_out = np.zeros(corpus.n_docs, bool)
    train = numbered
    if run.heldout is not None:
        n, protocol = run.heldout.whole.n_docs, run.heldout.protocol
        try:
            train, heldout = split_heldout(numbered, run.seed, n, protocol)
        except ValueError:  # too small to divide so: another corpus
            return None
        held_out[heldout.whole.docs.id] = True
        if not _same(heldout, run.heldout):
            return None
    return held_out if train.fingerprint == run.corpus.fingerprint else None


def _left_out(learned: StoredCorpus, corpus: StoredCorpus) -> Bools | None:
    """What a run leaves out of a corpus on the disk: bool (D,); None if that is another one."""
    if learned.manifest.fingerprint != corpus.fingerprint:
        return None
    held_out = np.zeros(corpus.n_docs, bool)
    held_out[learned.left_out] = True
    return held_out


def text_settings_of(corpus: Corpus, report: Report | None) -> TextSettings | None:
    """How texts became words; None where the report was made of counts, which do not tell."""
    if report is None or report.settings == describe(corpus.take([0])).settings:
        return None
    return report.settings


def _same(a: Heldout, b: Heldout) -> bool:
    return (
        a.observed.fingerprint == b.observed.fingerprint
        and a.hidden.fingerprint == b.hidden.fingerprint
    )


Member = str | bytes | Iterable[bytes]
"""What stands in a file of a zip: whole, or piece by piece where it is too large for that."""


def zipped(members: Mapping[str, Member]) -> bytes:
    """A zip file of these members; the same members give the same bytes."""
    out = io.BytesIO()
    zip_to(out, members)
    return out.getvalue()


def zip_to(out: IO[bytes], members: Mapping[str, Member]) -> None:
    """Write such a file.

    Compressed at zlib's level 1: a person waits for it, and level 6 takes three to five times as
    long for 48 MB of shares, to make 6 MB of them instead of 9. Arrays are stored as they are: of
    35 MB of proportions in full precision 31 would stay, after 0.75 s.
    """
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, data in members.items():
            stored = name.endswith((".gz", ".npy"))
            if not isinstance(data, (str, bytes)):  # a `ZipInfo` of our own is stored as it is
                entry = zipfile.ZipInfo(name) if stored else name
                with archive.open(entry, "w", force_zip64=True) as member:
                    for piece in data:
                        member.write(piece)
                continue
            how = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(name), data, how, compresslevel=1)
