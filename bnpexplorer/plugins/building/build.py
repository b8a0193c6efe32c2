"""A corpus on the disk from files of any size: one step after the other, each goes on where it was
ended."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...core import store
from ...core.environment import usable_cores, usual_threads
from ...corpus.corpus import Corpus, CorpusError
from ...corpus.documents.joining import check_period
from ...corpus.readers.source import FIND_OUT, ReadOptions, shown
from ...corpus.stored import StoredCorpus, is_stored
from ...corpus.stored.layout import MANIFEST, read_manifest
from ...corpus.stored.writer import ShardWriter
from ...corpus.text import Report
from ...corpus.words.language.choosing import check_asked
from ...corpus.words.suggesting import given
from .alone import alone
from .chunks import chunk_file
from .crew import Crew
from .facts import RECORDS, BegunOtherwise
from .gathering import Progress
from .plan import (
    BuildPlan,
    as_begun,
    begun,
    check_work,
    is_same,
    is_work,
    made_of,
    noted,
    place_of,
    plan_of,
    remove_stored,
    remove_work,
    room_for,
    work_folder,
)
from .records import inputs_of
from .steps import Building


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
    of `TextSettings`), where that fits into memory; several files are as one with all their
    documents. One of `paths` may be a corpus on the disk, whose texts are counted anew. `threads`:
    processes that count words (as many as `usual_threads` says unless given, and one for every
    core at most: another would take 200 MB and gain nothing); the result does not depend on it.
    What is begun is kept beside `out` until the corpus is complete; the same call goes on with it,
    `force` starts anew.

    Memory: some 200 MB and 130 MB a process, and what `gathering`, `joining`, `phrasing`, `merging`
    and `writing` hold.

    Raises CorpusError, whose sentence names the file, the folder or the setting, and the remedy,
    and what `usual_threads` does.
    """
    words, n_processes = dict(words or {}), min(threads or usual_threads(), usable_cores())
    check_asked(given(words))
    out, inputs = place_of(out), inputs_of(paths)
    check_period(shown(inputs[0].name), True, options.period)
    for path in inputs:
        if path.is_dir() and out.is_relative_to(path.resolve()):
            raise CorpusError(
                f"{shown(out)} lies in the folder that is read; build the corpus elsewhere."
            )
    home = work_folder(out)
    if not force:
        options = replace(options, as_of=as_begun(out, home, options.as_of))
    plan = plan_of(inputs, options, words)
    _check_out(out, home, force)
    if (out / MANIFEST).is_file() and not force:
        return _complete(out, plan)
    check_work(home)
    with room_for(home), alone(home):
        if (out / MANIFEST).is_file() and not force:  # by whoever has just built there
            return _complete(out, plan)
        begun(home, plan, force)
        if force:
            remove_stored(out)
        try:
            with Crew(home, n_processes) as crew:
                found = Building(home, out, plan, crew, progress).run(inputs, options)
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
    out = place_of(out)
    home = work_folder(out)
    _check_out(out, out, True)
    check_work(home)
    made = {"fingerprint": corpus.fingerprint, "reading": store.pack(report.reading, {})}
    with room_for(home), alone(home):
        if force:
            remove_stored(out)
            remove_work(home)
        elif is_work(home):
            raise BegunOtherwise(
                f"{shown(home)} holds a build of other files that was begun; give --force to give "
                "it up, or give the corpus another name."
            )
        writer = ShardWriter(out, corpus.vocab, corpus.name, made)
        writer.add(corpus.part(writer.done, corpus.n_docs))
        return writer.finish(noted(report, notes, warnings), corpus.n_empty_dropped)


def _check_out(out: Path, home: Path, force: bool) -> None:
    if out.exists() and not is_stored(out) and not (out.is_dir() and not any(out.iterdir())):
        raise CorpusError(
            f"{shown(out)} exists and holds something else than a corpus; give another name."
        )
    if not out.parent.resolve().is_dir():
        raise CorpusError(f"There is no folder {shown(out.parent.resolve())} to build a corpus in.")
    if is_stored(out) and not (out / MANIFEST).is_file() and not home.exists() and not force:
        raise BegunOtherwise(
            f"{shown(out)} is a build of which {shown(home)} is missing; bring that folder back, "
            "or give --force to start anew."
        )


def _complete(out: Path, plan: BuildPlan) -> StoredCorpus:
    """The corpus, if it was built for this plan. Raises CorpusError."""
    if not is_same(read_manifest(out).made.get("plan"), made_of(plan)):
        raise BegunOtherwise(
            f"{shown(out)} holds a corpus of other files or settings; give another name, or "
            "--force to build this one in its place."
        )
    return StoredCorpus(out)
