"""The parts of a lesson."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from ..lab.controls import Value
from ..runs.plan import Plan


class LessonError(ValueError):
    """A lesson that cannot be read; names the file and the line and says what to do."""


@dataclass(frozen=True)
class SetUp:
    """The actions of "Set it up": load a sample, start runs or a race, open a page in a view."""

    sample: str = ""
    runs: tuple[Plan, ...] = ()
    """What a line does not say is left open."""
    race: tuple[Plan, ...] = ()
    """Runs that are stepped in turn, on the Compare page."""
    page: str = "live"
    show: str = ""
    """The Lab's demonstration."""
    claim: str = ""
    """The claim that the Claims page turns to."""
    settings: tuple[tuple[str, Value], ...] = ()
    """What is set on the page, by the names of its address; of a demonstration everything."""
    of_step: int = 0
    """The earlier step whose sample, runs and race these are; 0 for its own."""

    @property
    def page_title(self) -> str:
        """The name of the page in the menu."""
        return "Texts" if self.page == "corpus" else self.page.capitalize()


@dataclass(frozen=True)
class LessonStep:
    """A page of a lesson, in Markdown."""

    title: str
    text: str
    set_up: SetUp | None = None
    question: str = ""
    answer: str = ""
    notes: str = ""
    """For whoever teaches."""


@dataclass(frozen=True)
class Lesson:
    """A lesson; `name` is its file's name without the ending."""

    name: str
    title: str
    about: str
    minutes: int
    order: int
    steps: tuple[LessonStep, ...]

    def page_of(self, number: int) -> str:
        """The page that a step, counted from 1, talks about: its own, else that of the step before;
        empty for none."""
        before = [step.set_up.page for step in self.steps[:number] if step.set_up is not None]
        return before[-1] if before else ""


Line = tuple[int, str]
"""Its number in the file, from 1, and its text."""


def refuse(file: str, line: int, why: str) -> NoReturn:
    """Raises LessonError; `why` has no full stop."""
    raise LessonError(f"{file}, line {line}: {why}.")


def whole(line: Line, file: str, key: str, low: int, high: int) -> int:
    """A whole number of a range. Raises LessonError."""
    number, value = line
    if not value.isascii() or not value.isdigit() or not low <= int(value) <= high:
        refuse(file, number, f"{key} must be a whole number from {low} to {high}; got {value!r}")
    return int(value)


def one_of(line: Line, file: str, key: str, known: Sequence[str]) -> str:
    """One of the words that are known. Raises LessonError."""
    number, value = line
    if value not in known:
        refuse(file, number, f"there is no {key} {value!r}; choose from {', '.join(known)}")
    return value
