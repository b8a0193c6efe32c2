"""A corpus on the disk from files of any size: one step after the other, each goes on where it was
ended."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ...core import store
from ...core.environment import usual_threads
from ..corpus import Corpus, CorpusError
from ..language.choosing import check_asked
from ..passages import divided_note, suggestion
from ..paths import shown
from ..reading import Reading
from ..settings import TextSettings
from ..source import FIND_OUT, ReadOptions, Source
from ..stored import StoredCorpus, is_stored
from ..stored.layout import MANIFEST, SHARD_DOCS, read_manifest
from ..stored.writer import ShardWriter
from ..suggesting import Suggestion, given
from ..text import Report, check_speed
from . import facts
from .chunks import Texts, chunk_file, shape_of
from .counting import COUNTED, NUMBERED, PASSAGES, SETTLED, VOCABULARY, texts_folder
from .crew import Crew
from .facts import Facts, Task
from .gathering import RECORDS, Progress, gather
from .merging import choose
from .plan import (
    Plan,
    alone,
    begun,
    check_work,
    plan_of,
    remove_stored,
    remove_work,
    room_for,
    work_folder,
)
from .records import inputs_of
from .worker import task_file
from .writing import corpora, report_of, stays, stop_words, unread_dates


def build(
    paths: list[Path],
    out: Path,
    options: ReadOptions = FIND_OUT,
    words: Mapping[str, Any] | None = None,
    threads: int | None = None,
    force: bool = False,
    progress: Progress = lambda what, share, said: None,
) -> StoredCorpus:
    """Build the corpus of files and folders, one after the other, in the folder `out`.

    It is the corpus that `load` makes of the same file with the same `options` and `words` (fields
    of `TextSettings`), where that fits into memory. `threads`: processes that count words (as
    many as `usual_threads` says unless given); the result does not depend on it. What is begun is
    kept beside `out` until the corpus is complete; the same call goes on with it, `force` starts
    anew.

    Memory: some 200 MB and 130 MB a process, and what `gathering`, `merging` and `writing` hold.

    Raises CorpusError, whose sentence names the file, the folder or the setting, and the remedy,
    and what `usual_threads` does.
    """
    words, n_processes = dict(words or {}), threads or usual_threads()
    _refuse(options, words)
    check_asked(given(words))
    inputs = inputs_of(paths)
    for path in inputs:
        if path.is_dir() and out.resolve().is_relative_to(path.resolve()):
            raise CorpusError(
                f"{shown(out)} lies in the folder that is read; build the corpus elsewhere."
            )
    plan = plan_of(inputs, options, words)
    home = work_folder(out)
    _check_out(out, home, force)
    if (out / MANIFEST).is_file() and not force:
        return _complete(out, plan)
    check_work(home)
    with room_for(home), alone(home):
        begun(home, plan, force)
        if force:
            remove_stored(out)
        try:
            with Crew(home, n_processes) as crew:
                found = _Building(home, out, plan, crew, progress).run(inputs, options)
        except CorpusError:
            if not chunk_file(home / RECORDS, 0).is_file():  # nothing was begun that is worth it
                remove_work(home)
            raise
        remove_work(home)
        return found


def build_whole(
    corpus: Corpus,
    report: Report,
    notes: tuple[str, ...],
    warnings: tuple[str, ...],
    out: Path,
    force: bool = False,
) -> StoredCorpus:
    """A corpus that fits into memory, such as one of counts, in the folder `out`.

    Raises CorpusError where something else is there, or a corpus unless `force` is given.
    """
    _check_out(out, out, True)
    if force:
        remove_stored(out)
    made = {"fingerprint": corpus.fingerprint, "reading": store.pack(report.reading, {})}
    with room_for(out):
        writer = ShardWriter(out, corpus.vocab, corpus.name, made)
        writer.add(corpus.part(writer.done, corpus.n_docs))
        return writer.finish(noted(report, notes, warnings), corpus.n_empty_dropped)


def _refuse(options: ReadOptions, words: Mapping[str, Any]) -> None:
    """What would need all texts at once."""
    if options.join:
        raise CorpusError(
            f"join={options.join!r} needs all texts of a value at once, which a build never holds; "
            "join them before, or load the file without building."
        )
    if words.get("phrases") and not words.get("joined"):
        raise CorpusError(
            "phrases are found by counting all neighbours of all texts, which a build does not; "
            "give those to join by joined, such as 'supreme_court new_york' (a run on a part of "
            "the texts finds them), or leave phrases out."
        )


def _check_out(out: Path, home: Path, force: bool) -> None:
    if out.exists() and not is_stored(out) and not (out.is_dir() and not any(out.iterdir())):
        raise CorpusError(
            f"{shown(out)} exists and holds something else than a corpus; give another name."
        )
    if not out.parent.resolve().is_dir():
        raise CorpusError(f"There is no folder {shown(out.parent.resolve())} to build a corpus in.")
    if is_stored(out) and not (out / MANIFEST).is_file() and not home.exists() and not force:
        raise CorpusError(
            f"{shown(out)} is a build of which {shown(home)} is missing; bring that folder back, "
            "or give --force to start anew."
        )


def _complete(out: Path, plan: Plan) -> StoredCorpus:
    """The corpus, if it was built for this plan. Raises CorpusError."""
    if read_manifest(out).made.get("plan") != _made(plan):
        raise CorpusError(
            f"{shown(out)} holds a corpus of other files or settings; give another name, or "
            "--force to build this one in its place."
        )
    return StoredCorpus(out)


def _made(plan: Plan) -> dict[str, Any]:
    """What of a plan is written into the corpus: no folders of this machine."""
    files = [[Path(file.path).name, file.size, file.changed] for file in plan.files]
    return {"files": files, "options": plan.options, "words": plan.words}


class _Building:
    """One build on its way."""

    def __init__(self, home: Path, out: Path, plan: Plan, crew: Crew, progress: Progress) -> None:
        self._home, self._out, self._plan = home, out, plan
        self._crew, self._progress = crew, progress

    def run(self, inputs: list[Path], options: ReadOptions) -> StoredCorpus:
        read = self._read(inputs, options)
        counted = self._divided(read, options.passages) if options.passages else read
        texts = Texts(self._home / texts_folder(options.passages), counted)
        made = self._settled(counted, options.passages)
        settings = made.settings
        check_speed(texts, settings)
        self._count(counted, settings, options.passages)
        vocabulary = choose(self._home, counted.n_chunks, counted.n_docs, settings)
        keys = facts.Keys(tuple(kind.key for kind in vocabulary.kinds))
        facts.write(self._home / VOCABULARY, keys)
        self._work("number", NUMBERED, ".npz", counted, settings, "numbering")
        self._crew.end()
        found = stays(self._home, counted, vocabulary, settings)
        report = report_of(counted, vocabulary, found, stop_words(self._home, counted), settings)
        names = tuple(path.name for path in inputs)
        report = replace(report, reading=Reading(settings, options, names))
        notes = self._notes(read, counted, options, texts) + made.said
        vocab = tuple(
            kind.name for kind, stay in zip(vocabulary.kinds, found.words, strict=True) if stay
        )
        made_of = {"plan": _made(self._plan)}
        writer = ShardWriter(self._out, vocab, counted.name, made_of, SHARD_DOCS)
        pieces = corpora(self._home, counted, found, vocab, options.passages, writer.done)
        for piece in pieces:
            writer.add(piece)
            self._progress("writing", writer.done / report.n_docs, f"{writer.done:,} documents")
        return writer.finish(noted(report, notes, made.warnings))

    def _read(self, inputs: list[Path], options: ReadOptions) -> Facts:
        """The documents of all files in chunks."""
        done = self._home / "records.json"
        found = facts.read(Facts, done)
        if found is None:
            found = gather(self._home, inputs, options, self._plan.n_bytes, self._progress)
            facts.write(done, found)
        return found

    def _divided(self, read: Facts, passages: str) -> Facts:
        """The same in passages."""
        self._work("divide", PASSAGES, ".arrow", read, None, "dividing", passages)
        parts = []
        for part in read.parts:
            chunks = range(part.first, part.first + len(part.sizes))
            shapes = [shape_of(self._home / PASSAGES, chunk) for chunk in chunks]
            names = shapes[0][0]  # the same of all chunks of a part
            parts.append(replace(part, fields=names, sizes=tuple(n for _, n in shapes)))
        return Facts(tuple(parts))

    def _settled(self, counted: Facts, passages: str) -> Suggestion:
        """The settings, with what is found out of the texts."""
        task = Task(counted, {}, passages, self._plan.words)
        facts.write(task_file(self._home, "settle"), task)
        self._crew.work_on("settle", [0], lambda: None)
        self._crew.end()
        made = facts.read(Suggestion, self._home / SETTLED)
        if made is None:
            raise CorpusError(f"{shown(self._home)} was removed meanwhile; start the build again.")
        return made

    def _count(self, counted: Facts, settings: TextSettings, passages: str) -> None:
        self._work("count", COUNTED, ".npz", counted, settings, "counting", passages)

    def _work(
        self,
        step: str,
        folder: str,
        suffix: str,
        counted: Facts,
        settings: TextSettings | None,
        what: str,
        passages: str = "",
    ) -> None:
        """Have processes do a step for every chunk that is not done."""
        asked = {} if settings is None else asdict(settings)
        facts.write(task_file(self._home, step), Task(counted, asked, passages))
        there = [
            chunk_file(self._home / folder, i, suffix).is_file() for i in range(counted.n_chunks)
        ]
        done = sum(there)

        def note() -> None:
            nonlocal done
            done += 1
            docs = counted.n_docs * done // counted.n_chunks
            self._progress(what, done / counted.n_chunks, f"{docs:,} documents")

        missing = [chunk for chunk, is_there in enumerate(there) if not is_there]
        self._crew.work_on(step, missing, note)

    def _notes(
        self, read: Facts, counted: Facts, options: ReadOptions, texts: Texts
    ) -> tuple[str, ...]:
        """What is to be said of the files, each by its name where there are several."""
        notes: list[str] = []
        of_dates = unread_dates(self._home, counted)
        for part, passages, dates in zip(read.parts, counted.parts, of_dates, strict=True):
            said = part.said(dates)
            if options.passages:
                note = divided_note(part.n_docs, passages.n_docs, options.passages)
                said = (*said, note)
            several = len(read.parts) > 1
            notes += [f"{part.name}: {' '.join(said)}"] if several else said
        if not options.passages:
            whole = Source(read.name, "", texts=texts)  # type: ignore[arg-type]
            notes += [long] if (long := suggestion(whole)) else []
        return tuple(notes)


def noted(report: Report, notes: tuple[str, ...], warnings: tuple[str, ...]) -> dict[str, Any]:
    """A report for the manifest of the corpus, without what its arrays tell."""
    ranks, frequencies = report.zipf
    names = ("n_read", "dropped", "removed", "settings", "n_repeated", "reading")
    return {
        **{name: store.pack(getattr(report, name), {}) for name in names},
        "zipf": [ranks.tolist(), frequencies.tolist()],
        "notes": list(notes),
        "warnings": list(warnings),
    }
