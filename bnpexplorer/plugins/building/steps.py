"""The steps of a build, each of which goes on where it was ended.

How far a build is, in all its steps together.
"""

from dataclasses import asdict, replace
from pathlib import Path

from ...corpus.corpus import CorpusError
from ...corpus.documents.joining import check_period, joined_note
from ...corpus.documents.passages import divided_note, suggestion
from ...corpus.readers.source import Reading, ReadOptions, Source, shown
from ...corpus.stored import StoredCorpus
from ...corpus.stored.layout import SHARD_DOCS
from ...corpus.stored.writer import ShardWriter
from ...corpus.text import check_speed
from ...corpus.words.suggesting import Suggestion
from . import facts
from .chunks import ChunkTexts, chunk_file, shape_of
from .counting import COUNTED, NUMBERED, SETTLED, VOCABULARY
from .crew import Crew
from .facts import JOINED, PASSAGES, Facts, Task, known
from .gathering import Progress, gather
from .joining import JOINING, KEYS, SHUFFLED, Joining, regrouped
from .merging import choose
from .phrasing import Phrases
from .plan import BuildPlan, made_of, noted
from .worker import task_file
from .writing import corpora, report_of, stays, stop_words, unread_dates


class Building:
    """One build on its way."""

    def __init__(
        self, home: Path, out: Path, plan: BuildPlan, crew: Crew, progress: Progress
    ) -> None:
        self._home, self._out, self._plan = home, out, plan
        self._crew, self._progress = crew, progress

    def run(self, inputs: list[Path], options: ReadOptions) -> StoredCorpus:
        read = self._read(inputs, options)
        joined = self._joined(read, options) if options.join else read
        counted = self._divided(joined, options) if options.passages else joined
        texts = ChunkTexts(self._home / counted.folder, counted)
        made = self._settled(counted)
        settings = made.settings
        if not settings.min_tokens:  # that needs the lengths of all texts at once
            raise CorpusError(
                "A corpus on the disk needs a least number of words of a document; give "
                "--min-tokens 1 to keep every document with a word."
            )
        check_speed(texts, settings)
        if settings.phrases and not settings.joined:
            settings = Phrases(self._home, counted, settings, self._work).joined()
        self._work("count", COUNTED, ".npz", Task(counted, asdict(settings)), "counting")
        vocabulary = choose(self._home, counted.n_chunks, counted.n_docs, settings)
        keys = facts.Keys(tuple(kind.key for kind in vocabulary.kinds))
        facts.write(self._home / VOCABULARY, keys)
        self._work("number", NUMBERED, ".npz", Task(counted, asdict(settings)), "numbering")
        self._crew.end()
        found = stays(self._home, counted, vocabulary, settings)
        report = report_of(counted, vocabulary, found, stop_words(self._home, counted), settings)
        names = tuple(shown(path.name) for path in inputs)
        report = replace(report, reading=Reading(settings, options, names))
        notes = self._notes((read, joined, counted), options, texts) + made.said
        vocab = tuple(
            kind.name for kind, stay in zip(vocabulary.kinds, found.words, strict=True) if stay
        )
        plan = {"plan": made_of(self._plan)}
        writer = ShardWriter(self._out, vocab, counted.name, plan, SHARD_DOCS)
        pieces = corpora(self._home, counted, found, vocab, writer.done)
        for piece in pieces:
            writer.add(piece)
            self._progress("writing", writer.done / report.n_docs, f"{writer.done:,} documents")
        return writer.finish(noted(report, notes, made.warnings))

    def _read(self, inputs: list[Path], options: ReadOptions) -> Facts:
        """The documents of all files in chunks."""
        done = self._home / "records.json"
        found = facts.read(Facts, done)
        if found is None:
            found = gather(self._home, inputs, options, self._plan, self._progress)
            facts.write(done, found)
        return found

    def _joined(self, read: Facts, options: ReadOptions) -> Facts:
        """The same joined by a column: the rows of a group are brought together, chunk by chunk."""
        check_period(read.name, "date" in read.fields, options.period)
        task = Task(read, options=options)
        self._work("key", KEYS, ".npz", task, "grouping")
        self._crew.end()  # who has gone through keys holds memory that the next step needs
        if facts.read(Joining, self._home / JOINING) is None:
            facts.write(self._home / JOINING, regrouped(self._home, read, options))
        self._work("shuffle", SHUFFLED, ".arrow", task, "bringing together")
        there = known(Joining, self._home / JOINING)
        self._work("join", JOINED, ".arrow", task, "joining", there.n_chunks)
        return self._of_chunks(there.part_of(read), JOINED)

    def _divided(self, read: Facts, options: ReadOptions) -> Facts:
        """The same in passages."""
        self._work("divide", PASSAGES, ".arrow", Task(read, options=options), "dividing")
        return self._of_chunks(read, PASSAGES)

    def _of_chunks(self, read: Facts, folder: str) -> Facts:
        """What there is to know of chunks that were made of others."""
        parts = []
        for part in read.parts:
            chunks = range(part.first, part.first + len(part.sizes))
            shapes = [shape_of(self._home / folder, chunk) for chunk in chunks]
            names = shapes[0][0]  # the same of all chunks of a part
            parts.append(replace(part, fields=names, sizes=tuple(n for _, n in shapes)))
        return Facts(tuple(parts), folder)

    def _settled(self, counted: Facts) -> Suggestion:
        """The settings, with what is found out of the texts."""
        task = Task(counted, asked=self._plan.words)
        facts.write(task_file(self._home, "settle"), task)
        self._crew.work_on("settle", [0], lambda: None)
        self._crew.end()
        return known(Suggestion, self._home / SETTLED)

    def _work(
        self, step: str, folder: str, suffix: str, task: Task, what: str, n_chunks: int = 0
    ) -> None:
        """Have processes do a step for every chunk that is not done: `n_chunks`, or as many as the
        documents have."""
        facts.write(task_file(self._home, step), task)
        n_chunks = n_chunks or task.facts.n_chunks
        there = [chunk_file(self._home / folder, i, suffix).is_file() for i in range(n_chunks)]
        done = sum(there)

        def note() -> None:
            nonlocal done
            done += 1
            docs = task.facts.n_docs * done // n_chunks
            self._progress(what, done / n_chunks, f"{docs:,} documents")

        self._crew.work_on(step, [i for i, is_there in enumerate(there) if not is_there], note)

    def _notes(
        self, stages: tuple[Facts, Facts, Facts], options: ReadOptions, texts: ChunkTexts
    ) -> tuple[str, ...]:
        """What is to be said of the files, each by its name where there are several, and of all.

        `stages`: as they were read, joined, counted.
        """
        read, joined, counted = stages
        notes: list[str] = []
        of_dates = unread_dates(self._home, read)
        for i, (part, dates) in enumerate(zip(read.parts, of_dates, strict=True)):
            said = part.said(dates)
            if options.passages and not options.join:
                n_passages = counted.parts[i].n_docs
                said = (*said, divided_note(part.n_docs, n_passages, options.passages))
            several = len(read.parts) > 1
            notes += [f"{part.name}: {' '.join(said)}"] if several else said
        if options.join:
            n_alone = known(Joining, self._home / JOINING).n_alone
            numbers = (read.n_docs, joined.n_docs, n_alone)
            notes += [joined_note(*numbers, options.join, options.period)]
            if options.passages:
                notes += [divided_note(joined.n_docs, counted.n_docs, options.passages)]
        if not options.passages:
            whole = Source(read.name, "", texts=texts)  # type: ignore[arg-type]
            notes += [long] if (long := suggestion(whole)) else []
        return tuple(notes)


SHARES = {
    **{"reading": 0.25, "grouping": 0.05, "bringing together": 0.1, "joining": 0.1},
    **{"dividing": 0.1, "cutting": 0.4, "finding pairs": 0.1, "finding threes": 0.1},
    **{"finding phrases": 0.2, "counting": 0.45, "numbering": 0.1, "writing": 0.2},
}
"""Of the time, in their order; steps that nobody asks for are passed over."""


def of_all(what: str, share: float) -> float:
    """The share of all work that is done, from 0 to 1, with so much of a step.

    Raises ValueError for a step that there is not.
    """
    steps = [*SHARES]
    before = sum(SHARES[step] for step in steps[: steps.index(what)])
    return (before + SHARES[what] * share) / sum(SHARES.values())
