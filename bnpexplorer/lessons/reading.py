"""Reads a lesson strictly: whatever is not understood is refused by file and line."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

from ..lab import DEMONSTRATIONS
from ..runs.plan import Plan
from ..samples import SAMPLES

LESSON_FILES = Path(__file__).resolve().parent
"""The folder of the lessons that come with the package."""
PAGES = ("start", "corpus", "documents", "live", "topics", "compare", "runs", "claims", "lab")
"""Pages that a lesson may open; a step is left out where the app has not got its page."""
OF_LESSON = ("title", "about", "minutes", "order")
OF_SET_UP = ("sample", "run", "runs", "page", "show")
SECTIONS = ("Set up", "Question", "Answer")
WHOLE = ("batch", "passes", "seed")
"""Settings of a run that are not the method's: whole numbers."""


class LessonError(ValueError):
    """A lesson that cannot be read; names the file and the line and says what to do."""


@dataclass(frozen=True)
class SetUp:
    """What "Set it up" does: load a sample, start runs, open a page."""

    sample: str = ""
    runs: tuple[Plan, ...] = ()
    """What a line does not say is left open."""
    page: str = "live"
    show: str = ""
    """The Lab's demonstration."""
    of_step: int = 0
    """The earlier step whose sample and runs these are; 0 for its own."""


@dataclass(frozen=True)
class Step:
    """A page of a lesson, in Markdown."""

    title: str
    text: str
    set_up: SetUp | None = None
    question: str = ""
    answer: str = ""


@dataclass(frozen=True)
class Lesson:
    """A lesson; `name` is its file's name without the ending."""

    name: str
    title: str
    about: str
    minutes: int
    order: int
    steps: tuple[Step, ...]


Line = tuple[int, str]
"""Its number in the file, from 1, and its text."""


def read(path: Path) -> Lesson:
    """The lesson in a file. Raises LessonError."""
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors begin with a mark
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise LessonError(f"{path.name}, line {line}: this is not UTF-8; save it so.") from None
    return parse(text, path.name)


def parse(text: str, file: str) -> Lesson:
    """The lesson in a text; `file` is named in errors. Raises LessonError."""
    lines: list[Line] = list(enumerate(text.splitlines(), 1))
    if not lines or lines[0][1].strip() != "---":
        _refuse(file, 1, "a lesson begins with a line ---, then title, about and minutes")
    end = next((i for i, (_, row) in enumerate(lines[1:], 1) if row.strip() == "---"), None)
    if end is None:
        _refuse(file, 1, "no second line --- ends what begins here")
    fields = _fields(lines[1:end], file, OF_LESSON + OF_SET_UP)
    for key in ("title", "about", "minutes"):
        if key not in fields:
            _refuse(file, 1, f"{key}: is missing between the lines ---")
    about_it = {key: fields[key][0] for key in fields if key in OF_LESSON}
    named = {key: rows for key, rows in fields.items() if key in OF_SET_UP}
    usual = _set_up(named, file, ()) if named else None
    steps = _steps(lines[end + 1 :], file, usual)
    if not steps:
        _refuse(
            file, lines[-1][0], "the lesson has no step; a step begins with a line ## and words"
        )
    order = _whole(about_it.get("order", (1, "99")), file, "order", 0, 999)
    return Lesson(
        file.removesuffix(".md"),
        about_it["title"][1],
        about_it["about"][1],
        _whole(about_it["minutes"], file, "minutes", 1, 180),
        order,
        tuple(steps),
    )


def _refuse(file: str, line: int, why: str) -> NoReturn:
    raise LessonError(f"{file}, line {line}: {why}.")


def _fields(lines: Sequence[Line], file: str, known: Sequence[str]) -> dict[str, list[Line]]:
    """`key: value` lines; only `run` may stand more than once."""
    found: dict[str, list[Line]] = {}
    for number, row in lines:
        if not row.strip():
            continue
        key, colon, value = (part.strip() for part in row.partition(":"))
        if not colon or key not in known:
            _refuse(file, number, f"expected one of {', '.join(known)}, a colon, and its value")
        if not value:
            _refuse(file, number, f"{key}: has no value")
        if key in found and key != "run":
            _refuse(file, number, f"{key}: stands in line {found[key][0][0]} already")
        found.setdefault(key, []).append((number, value))
    return found


def _whole(line: Line, file: str, key: str, low: int, high: int) -> int:
    number, value = line
    if not value.isascii() or not value.isdigit() or not low <= int(value) <= high:
        _refuse(file, number, f"{key} must be a whole number from {low} to {high}; got {value!r}")
    return int(value)


def _one_of(line: Line, file: str, key: str, known: Sequence[str]) -> str:
    number, value = line
    if value not in known:
        _refuse(file, number, f"there is no {key} {value!r}; choose from {', '.join(known)}")
    return value


def _set_up(fields: dict[str, list[Line]], file: str, before: Sequence[Step]) -> SetUp:
    runs = tuple(_run(line, file) for line in fields.get("run", []))
    sample, page = "", "live"
    if "sample" in fields:
        sample = _one_of(fields["sample"][0], file, "sample", list(SAMPLES))
    if "page" in fields:
        page = _one_of(fields["page"][0], file, "page", PAGES)
    if runs and not sample:
        _refuse(file, fields["run"][0][0], "a run needs a sample: line as well")
    show = ""
    if "show" in fields:
        if page != "lab":
            _refuse(file, fields["show"][0][0], "show: goes with page: lab")
        show = _one_of(fields["show"][0], file, "demonstration", list(DEMONSTRATIONS))
    if "runs" not in fields:
        return SetUp(sample, runs, page, show)
    line = fields["runs"][0]
    earlier = _earlier(line, file, before)
    if sample or show:
        _refuse(file, line[0], "runs: goes with page: alone")
    return SetUp(earlier.sample, earlier.runs, page, "", int(line[1]))


def _earlier(line: Line, file: str, before: Sequence[Step]) -> SetUp:
    """The set-up of the step before that a `runs:` line names."""
    found = {str(n): step.set_up for n, step in enumerate(before, 1)}.get(line[1])
    if found is None or not found.runs or found.of_step:
        _refuse(file, line[0], f"runs: names a step before this one with runs; got {line[1]!r}")
    return found


def _run(line: Line, file: str) -> Plan:
    """`method name=value ...`: batch, passes, seed, preset, or a setting of method or model."""
    number, value = line
    name, *pairs = value.split()
    given: dict[str, str] = {}
    for pair in pairs:
        key, equals, word = pair.partition("=")
        if not equals or not key or not word or key in given:
            _refuse(file, number, f"expected name=value once each after {name}; got {pair!r}")
        given[key] = word
    preset = given.pop("preset", "default")
    numbers = {
        key: _whole((number, given.pop(key)), file, key, 0 if key == "seed" else 1, 10**6)
        for key in WHOLE
        if key in given
    }
    truth = {"true": True, "false": False}
    values = {key: truth.get(word, word) for key, word in given.items()}
    try:
        return Plan.of(
            name,
            preset,
            values,
            seed=numbers.get("seed", 0),
            batch_size=numbers.get("batch"),
            passes=numbers.get("passes"),
        )
    except ValueError as problem:
        _refuse(file, number, str(problem).rstrip("."))


def _steps(lines: Sequence[Line], file: str, usual: SetUp | None) -> list[Step]:
    starts = [i for i, (_, row) in enumerate(lines) if row.startswith("## ")]
    for number, row in lines[: starts[0] if starts else None]:
        if row.strip():
            _refuse(file, number, "text before the first step; a step begins with ## and words")
    bounds = [*starts, len(lines)]
    steps: list[Step] = []
    for a, b in pairwise(bounds):
        steps.append(_step(lines[a:b], file, usual, steps))
    return steps


def _step(lines: Sequence[Line], file: str, usual: SetUp | None, before: Sequence[Step]) -> Step:
    at, title = lines[0][0], lines[0][1][3:].strip()
    parts: dict[str, list[Line]] = {"": []}
    where, heads = "", {}
    for number, row in lines[1:]:
        if row.startswith("### "):
            where = row[4:].strip()
            if where not in SECTIONS or where in parts:
                _refuse(
                    file,
                    number,
                    f"a step has {', '.join(SECTIONS)} below ###, once each; got {where!r}",
                )
            parts[where], heads[where] = [], number
        else:
            parts[where].append((number, row))
    words = {name: "\n".join(row for _, row in rows).strip() for name, rows in parts.items()}
    if not title or not words[""]:
        _refuse(file, at, "a step has a title after ## and text below it")
    if bool(words.get("Question")) != bool(words.get("Answer")):
        alone = heads.get("Question") or heads["Answer"]
        _refuse(file, alone, "a Question and its Answer go together, and neither is empty")
    set_up = None
    if "Set up" in parts:
        fields = _fields(parts["Set up"], file, OF_SET_UP)
        if not fields and usual is None:
            _refuse(file, heads["Set up"], "nothing to set up, here or between the lines ---")
        set_up = _set_up(fields, file, before) if fields else usual
    return Step(title, words[""], set_up, words.get("Question", ""), words.get("Answer", ""))
