"""Sentences about files that a child could not read, with the way out of each."""

from collections.abc import Callable
from typing import TypeVar

from ...core.display import plural
from ...core.faults import own_sentence, told
from ..corpus import CorpusError
from .process import ReadingFailed
from .usage import STILL, reading_limits

T = TypeVar("T")
OF_TEXTS = (
    "build a corpus of it on the disk (python -m bnpexplorer corpus build FILE OUT), split it, or "
    "raise"
)
OF_RUNS = "raise"
"""What to do about a file that takes too much, before the name of the limit."""
LONGEST = 600
"""Letters of a refusal; those of readers have 100 to 300, unless they quote the file."""


class TryAgain(CorpusError):
    """What says nothing of the text or pattern: the same may go well in a minute."""


class Cancelled(TryAgain):
    """What was cancelled by whoever followed it (`following.py`)."""


def refusal(name: str, problem: ReadingFailed) -> CorpusError:
    """Return the error that a person sees where texts could not be read."""
    kind = Cancelled if problem.why == "cancelled" else CorpusError
    return kind(
        sentence_of(name, problem, OF_TEXTS, "write it again, as CSV or plain text in UTF-8")
    )


def sentence_of(name: str, problem: ReadingFailed, of_limits: str, of_damage: str) -> str:
    """What a person is told; `of_limits` and `of_damage`: what is to be done."""
    limits = reading_limits()
    match problem.why:
        case "refused":
            return shortened(problem.sentence)
        case "memory":
            return (
                f"Reading {name} takes more than {limits.megabytes:,} MB of memory, or the machine "
                f"ran out of it; {of_limits} "
                "BNPEXPLORER_MEMORY_MB."
            )
        case "own":
            return own_sentence(name, problem.sentence, problem.trace)
        case "time":
            return (
                f"Reading {name} takes more than {plural(limits.seconds, 'second')} of processor "
                f"time; {of_limits} BNPEXPLORER_READ_SECONDS."
            )
        case "still":
            return (
                f"Reading {name} has stood still for {STILL:g} seconds, as where a disk or a "
                "network does not answer; copy the file to another place and try again."
            )
        case "cancelled":
            return f"Reading {name} was cancelled."
        case "busy":
            return (
                f"{name} was not read, because other files are being read; try again in a minute."
            )
        case "start":
            return (
                "Files are read in a process of their own, which could not be started "
                f"({problem.sentence}): restart the app; if that does not help, install it again."
            )
    why = f" ({problem.sentence})" if problem.sentence else ""
    return f"{name} cannot be read{why}: it is damaged or of an unusual kind; {of_damage}."


def shortened(sentence: str) -> str:
    """A sentence that quotes a file at length, without its middle: the remedy stands at its end."""
    if len(sentence) <= LONGEST:
        return sentence
    return f"{sentence[: LONGEST // 2]} ... {sentence[-LONGEST // 2 :]}"


def sound(name: str, make: Callable[[], T]) -> T:
    """What a child found, checked: one that has read a hostile file is not trusted."""
    try:
        return make()
    except Exception as problem:
        damaged = str(refusal(name, ReadingFailed("died")))
        raise CorpusError(told(name, problem, damaged)) from problem
