"""A process that works on chunks: it is told a step and a number, and answers when that is done."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...core import store
from ...core.child import Channel
from ...corpus.corpus import CorpusError
from ...corpus.readers.source import Source
from ...corpus.words.cutting import Cutter
from ...corpus.words.settings import TextSettings
from ...corpus.words.suggesting import settled
from . import facts
from .chunks import ChunkTexts
from .counting import SETTLED, VOCABULARY, count_chunk, divide_chunk, number_chunk
from .joining import join_chunk, key_chunk, shuffle_chunk
from .phrasing import (
    FREQUENT,
    PHRASES,
    Frequent,
    PhraseCounts,
    cut_chunk,
    find_chunk,
    pair_chunk,
    triple_chunk,
)

DONE, REFUSED, FAILED, DISK = "done", "refused", "failed", "disk"
ANEW = "anew"
"""Refused, since something was begun otherwise."""

Work = Callable[[int], None]


def main(builder: Channel, folder: str) -> None:
    """Serve until the process of the build hangs up."""
    known: dict[str, Work] = {}
    for step, chunk in builder:
        builder.send(_answer(known, Path(folder), step, chunk))


def _answer(known: dict[str, Work], home: Path, step: str, chunk: int) -> list[Any]:
    """Do a chunk; return how that ended, as `crew.py` reads it."""
    try:
        if step not in known:
            known[step] = work_of(home, step)
        known[step](chunk)
        return [DONE]
    except CorpusError as problem:
        kind = ANEW if isinstance(problem, facts.BegunOtherwise) else REFUSED
        return [kind, _in_one_line(str(problem))]
    except OSError as problem:
        return [DISK, problem.errno, str(problem.filename or home)]
    except Exception as problem:  # whatever a library raises of a text
        return [FAILED, _in_one_line(f"{type(problem).__name__}: {store.short(problem)}")]


def _in_one_line(sentence: str) -> str:
    return " ".join(sentence.split())


def task_file(home: Path, step: str) -> Path:
    """Where the task of a step is."""
    return home / f"task-{step}.json"


def work_of(home: Path, step: str) -> Work:
    """What is to be done with a chunk. Raises CorpusError."""
    task = facts.known(facts.Task, task_file(home, step))
    return STEPS[step](home, task)


def _count(home: Path, task: facts.Task) -> Work:
    cutter = Cutter(TextSettings(**task.settings))
    return lambda chunk: count_chunk(home, task, chunk, cutter)


def _number(home: Path, task: facts.Task) -> Work:
    words = facts.known(facts.Keys, home / VOCABULARY)
    kinds = {key: w for w, key in enumerate(words.keys)}
    return lambda chunk: number_chunk(home, chunk, kinds, task.settings["min_tokens"])


def _settle(home: Path, task: facts.Task) -> Work:
    """The settings that suit the texts: a process of its own holds what tells languages apart."""

    def settle(_: int) -> None:
        texts = ChunkTexts(home / task.facts.folder, task.facts)
        part = task.facts.parts[0]
        source = Source(task.facts.name, part.kind, texts=texts)  # type: ignore[arg-type]
        facts.write(home / SETTLED, settled(source, task.asked))

    return settle


def _cut(home: Path, task: facts.Task) -> Work:
    cutter = Cutter(TextSettings(**task.settings))
    return lambda chunk: cut_chunk(home, task, chunk, cutter)


def _pair(home: Path, task: facts.Task) -> Work:
    frequent = facts.known(Frequent, home / FREQUENT)
    return lambda chunk: pair_chunk(home, chunk, frequent)


def _triple(home: Path, task: facts.Task) -> Work:
    frequent, found = (
        facts.known(Frequent, home / FREQUENT),
        facts.known(PhraseCounts, home / PHRASES),
    )
    return lambda chunk: triple_chunk(home, chunk, frequent, found.pairs)


def _find(home: Path, task: facts.Task) -> Work:
    frequent, found = (
        facts.known(Frequent, home / FREQUENT),
        facts.known(PhraseCounts, home / PHRASES),
    )
    return lambda chunk: find_chunk(home, chunk, frequent, found.phrases)


def _of_rows(work: Callable[[Path, facts.Task, int], None]) -> Callable[[Path, facts.Task], Work]:
    return lambda home, task: lambda chunk: work(home, task, chunk)


STEPS = {
    "key": _of_rows(key_chunk),
    "shuffle": _of_rows(shuffle_chunk),
    "join": _of_rows(join_chunk),
    "divide": _of_rows(divide_chunk),
    "settle": _settle,
    "cut": _cut,
    "pair": _pair,
    "triple": _triple,
    "find": _find,
    "count": _count,
    "number": _number,
}
