"""Reads a lesson strictly: whatever is not understood is refused by file and line."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from .lesson import Lesson, LessonError, LessonStep, Line, SetUp, refuse, whole
from .setting_up import KEYS, fields_of, set_up_of

LESSON_FILES = Path(__file__).resolve().parent
"""The folder of the lessons that come with the package."""
OF_LESSON = ("title", "about", "minutes", "order")
NOTES = "For the lecturer"
SECTIONS = ("Set up", "Question", "Answer", NOTES)


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
        refuse(file, 1, "a lesson begins with a line ---, then title, about and minutes")
    end = next((i for i, (_, row) in enumerate(lines[1:], 1) if row.strip() == "---"), None)
    if end is None:
        refuse(file, 1, "no second line --- ends what begins here")
    fields = fields_of(lines[1:end], file, OF_LESSON + KEYS)
    for key in ("title", "about", "minutes"):
        if key not in fields:
            refuse(file, 1, f"{key}: is missing between the lines ---")
    about_it = {key: fields[key][0] for key in fields if key in OF_LESSON}
    named = {key: rows for key, rows in fields.items() if key in KEYS}
    usual = set_up_of(named, file, ()) if named else None
    steps = _steps(lines[end + 1 :], file, usual)
    if not steps:
        refuse(file, lines[-1][0], "the lesson has no step; a step begins with a line ## and words")
    order = whole(about_it.get("order", (1, "99")), file, "order", 0, 999)
    return Lesson(
        file.removesuffix(".md"),
        about_it["title"][1],
        about_it["about"][1],
        whole(about_it["minutes"], file, "minutes", 1, 180),
        order,
        tuple(steps),
    )


def _steps(lines: Sequence[Line], file: str, usual: SetUp | None) -> list[LessonStep]:
    starts = [i for i, (_, row) in enumerate(lines) if row.startswith("## ")]
    for number, row in lines[: starts[0] if starts else None]:
        if row.strip():
            refuse(file, number, "text before the first step; a step begins with ## and words")
    bounds = [*starts, len(lines)]
    steps: list[LessonStep] = []
    for a, b in pairwise(bounds):
        steps.append(_step(lines[a:b], file, usual, steps))
    return steps


def _step(
    lines: Sequence[Line], file: str, usual: SetUp | None, before: Sequence[LessonStep]
) -> LessonStep:
    at, title = lines[0][0], lines[0][1][3:].strip()
    parts: dict[str, list[Line]] = {"": []}
    where, heads = "", {}
    for number, row in lines[1:]:
        if row.startswith("### "):
            where = row[4:].strip()
            if where not in SECTIONS or where in parts:
                refuse(
                    file,
                    number,
                    f"a step has {', '.join(SECTIONS)} below ###, once each; got {where!r}",
                )
            parts[where], heads[where] = [], number
        else:
            parts[where].append((number, row))
    words = {name: "\n".join(row for _, row in rows).strip() for name, rows in parts.items()}
    if not title or not words[""]:
        refuse(file, at, "a step has a title after ## and text below it")
    if bool(words.get("Question")) != bool(words.get("Answer")):
        alone = heads.get("Question") or heads["Answer"]
        refuse(file, alone, "a Question and its Answer go together, and neither is empty")
    set_up = None
    if "Set up" in parts:
        fields = fields_of(parts["Set up"], file, KEYS)
        if not fields and usual is None:
            refuse(file, heads["Set up"], "nothing to set up, here or between the lines ---")
        set_up = set_up_of(fields, file, before) if fields else usual
    question, answer = words.get("Question", ""), words.get("Answer", "")
    return LessonStep(title, words[""], set_up, question, answer, words.get(NOTES, ""))
