"""A lesson on paper: one HTML page for A4 that fetches nothing, exercises first, then answers."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count, groupby

from ..compare import settings_of, told_apart
from ..core.display import style_beside
from ..core.html import Markup, joined, render, with_elements
from ..corpus.corpus import CorpusError
from ..lab import DEMONSTRATIONS
from ..samples import SAMPLES, load_sample
from .lesson import Lesson, LessonStep, SetUp

STYLE = style_beside(__file__, "handout.css")
draw = partial(render, "lessons/handout.html")
LINES = 3
"""Ruled lines for an answer."""


def handout(lesson: Lesson) -> Markup:
    """Return the page."""
    numbered = list(enumerate(lesson.steps, 1))
    exercises = count(1)
    names = [f"Exercise {next(exercises)}" if step.question else "" for step in lesson.steps]
    return draw(
        "page",
        title=lesson.title,
        style=STYLE,
        about=inline(lesson.about),
        minutes=lesson.minutes,
        steps=[_for_the_class(n, step, names[n - 1]) for n, step in numbered],
        answers=[_for_the_lecturer(n, step, names[n - 1]) for n, step in numbered],
    )


def _for_the_class(number: int, step: LessonStep, name: str) -> Markup:
    return draw(
        "for_the_class",
        number=number,
        title=inline(step.title),
        text=html_of(step.text),
        exercise=_labelled(name, step.question),
        lines=LINES,
    )


def _for_the_lecturer(number: int, step: LessonStep, name: str) -> Markup:
    return draw(
        "for_the_lecturer",
        number=number,
        title=inline(step.title),
        on_screen=in_words(step.set_up) if step.set_up else "",
        notes=html_of(step.notes),
        question=_labelled(name, step.question),
        answer=_labelled("Answer", step.answer) if step.question else "",
    )


def _labelled(label: str, markdown: str) -> Markup:
    return html_of(f"**{label}.** {markdown}") if markdown else Markup()


def in_words(set_up: SetUp) -> str:
    """Return in plain text what a step's button opens and starts."""
    if set_up.show:
        return f"Lab: {DEMONSTRATIONS[set_up.show]}."
    words = f"The {set_up.page_title} page"
    names = ", ".join(_names(set_up))
    plans = set_up.race or set_up.runs
    if plans:
        words += f" with {'a race of ' if set_up.race else ''}{names}"
    if set_up.sample:
        words += f"{' on' if plans else ' with'} “{SAMPLES[set_up.sample].title}”"
    return f"{words}."


def _names(set_up: SetUp) -> list[str]:
    """Return the names of its runs on pages; only the methods if its texts are not installed."""
    plans = set_up.race or set_up.runs
    names = [plan.method.name for plan in plans]
    if len(set(names)) == len(names):
        return names
    try:
        corpus = load_sample(set_up.sample).corpus
    except CorpusError:
        return names
    return told_apart(names, [settings_of(plan.settled(corpus)) for plan in plans])


# ---- Markdown, as far as lessons have it ---------------------------------------------------------


def html_of(markdown: str) -> Markup:
    """Return paragraphs, lists and tables as HTML; all else of Markdown stays as it is written."""
    blocks = re.split(r"\n\s*\n", markdown.strip())
    return joined(_block(block.splitlines()) for block in blocks if block.strip())


def _block(rows: Sequence[str]) -> Markup:
    """Return one block, whose lines may change from a paragraph to a list."""
    return joined(KINDS[kind](list(some)) for kind, some in groupby(_joined(rows), _kind))


def _joined(rows: Sequence[str]) -> list[str]:
    """A line that goes on is one with the one before it."""
    found: list[str] = []
    for row in map(str.strip, rows):
        goes_on = found and _kind(row) == "p" and _kind(found[-1]) != "table"
        if goes_on:
            found[-1] += f" {row}"
        else:
            found.append(row)
    return found


def _kind(row: str) -> str:
    if row.startswith("|"):
        return "table"
    if re.match(r"[-*] ", row):
        return "ul"
    return "ol" if re.match(r"\d+\. ", row) else "p"


def _paragraphs(rows: Sequence[str]) -> Markup:
    return draw("paragraphs", rows=map(inline, rows))


def _list(kind: str, rows: Sequence[str]) -> Markup:
    return draw(kind, rows=[inline(row.split(" ", 1)[1]) for row in rows])


def _table(rows: Sequence[str]) -> Markup:
    """Return a table; its second row says how columns are aligned."""
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    alignment = cells[1] if len(cells) > 1 else []
    right = [i for i, cell in enumerate(alignment) if re.fullmatch(r":?-+:", cell)]
    heads, *drawn = ([*map(inline, row)] for row in (cells[0], *cells[2:]))
    return draw("table", heads=heads, rows=drawn, right=right)


KINDS: dict[str, Callable[[Sequence[str]], Markup]] = {
    "p": _paragraphs,
    "ul": partial(_list, "ul"),
    "ol": partial(_list, "ol"),
    "table": _table,
}


def inline(words: str) -> Markup:
    """Return text with bold, italics and code; of a link, its words: paper cannot follow it."""
    return with_elements(
        words,
        (r"!?\[([^\]]*)\]\([^)]*\)", r"\1"),
        (r"`([^`]+)`", r"<code>\1</code>"),
        (r"\*\*(.+?)\*\*", r"<strong>\1</strong>"),
        (r"\*(.+?)\*", r"<em>\1</em>"),
    )
