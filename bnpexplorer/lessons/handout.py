"""A lesson on paper: one HTML page for A4 that fetches nothing, exercises first, then answers."""

import re
from collections.abc import Callable, Sequence
from html import escape
from itertools import count, groupby
from string import Template

from ..compare import settings_of, told_apart
from ..core.display import style_beside
from ..corpus.corpus import CorpusError
from ..lab import DEMONSTRATIONS
from ..samples import SAMPLES, load_sample
from .lesson import Lesson, LessonStep, SetUp

STYLE = style_beside(__file__, "handout.css")
PAGE = Template("""\
<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>$style</head><body>
<main><h1>$title</h1><p class="about">$about $minutes minutes.</p>
$steps</main>
<main class="lecturer"><h1>For the lecturer: $title</h1>
<p class="about">Notes and answers. Every number is that of the run or the demonstration that the
step sets up; the same version gives it again.</p>
$answers</main>
</body></html>
""")
LINES = 3
"""Ruled lines for an answer."""


def handout(lesson: Lesson) -> str:
    """The page, as HTML."""
    numbered = list(enumerate(lesson.steps, 1))
    exercises = count(1)
    names = [f"Exercise {next(exercises)}" if step.question else "" for step in lesson.steps]
    return PAGE.substitute(
        title=escape(lesson.title),
        style=STYLE,
        about=inline(lesson.about),
        minutes=lesson.minutes,
        steps="\n".join(_for_the_class(n, step, names[n - 1]) for n, step in numbered),
        answers="\n".join(_for_the_lecturer(n, step, names[n - 1]) for n, step in numbered),
    )


def _head(number: int, step: LessonStep) -> str:
    return f"<h2>{number}. {inline(step.title)}</h2>"


def _for_the_class(number: int, step: LessonStep, name: str) -> str:
    exercise = ""
    if step.question:
        ruled = '<div class="rule"></div>' * LINES
        exercise = f'<div class="exercise">{_labelled(name, step.question)}{ruled}</div>'
    return f"<section>{_head(number, step)}{html_of(step.text)}{exercise}</section>"


def _for_the_lecturer(number: int, step: LessonStep, name: str) -> str:
    parts = [_head(number, step)]
    if step.set_up is not None:
        parts.append(f'<p class="screen"><b>On the screen.</b> {in_words(step.set_up)}</p>')
    if step.notes:
        parts.append(html_of(step.notes))
    if step.question:
        parts.append(_labelled(name, step.question) + _labelled("Answer", step.answer))
    return f"<section>{''.join(parts)}</section>"


def _labelled(label: str, markdown: str) -> str:
    return html_of(f"**{label}.** {markdown}")


def in_words(set_up: SetUp) -> str:
    """What a step's button opens, and what it starts, as HTML."""
    if set_up.show:
        return f"Lab: {escape(DEMONSTRATIONS[set_up.show])}."
    words = f"The {set_up.page.capitalize()} page"
    names = ", ".join(_names(set_up))
    plans = set_up.race or set_up.runs
    if plans:
        words += f" with {'a race of ' if set_up.race else ''}{names}"
    if set_up.sample:
        words += f"{' on' if plans else ' with'} “{SAMPLES[set_up.sample].title}”"
    return f"{escape(words)}."


def _names(set_up: SetUp) -> list[str]:
    """What the pages call its runs; of texts that are not installed the methods alone."""
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


def html_of(markdown: str) -> str:
    """Paragraphs, lists and tables as HTML; whatever else Markdown knows stays as it is written."""
    blocks = re.split(r"\n\s*\n", markdown.strip())
    return "".join(_block(block.splitlines()) for block in blocks if block.strip())


def _block(rows: Sequence[str]) -> str:
    """One block, whose lines may change from a paragraph to a list."""
    return "".join(KINDS[kind](list(some)) for kind, some in groupby(_joined(rows), _kind))


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


def _paragraphs(rows: Sequence[str]) -> str:
    return "".join(f"<p>{inline(row)}</p>" for row in rows)


def _list(tag: str) -> Callable[[Sequence[str]], str]:
    def items(rows: Sequence[str]) -> str:
        words = (row.split(" ", 1)[1] for row in rows)
        return f"<{tag}>{''.join(f'<li>{inline(one)}</li>' for one in words)}</{tag}>"

    return items


def _table(rows: Sequence[str]) -> str:
    """The second row only says how columns are aligned."""
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    right = [bool(re.fullmatch(r":?-+:", cell)) for cell in cells[1]] if len(cells) > 1 else []

    def line(tag: str, row: Sequence[str]) -> str:
        kinds = [" class=number" if i < len(right) and right[i] else "" for i in range(len(row))]
        drawn = (
            f"<{tag}{kind}>{inline(one)}</{tag}>" for kind, one in zip(kinds, row, strict=True)
        )
        return f"<tr>{''.join(drawn)}</tr>"

    body = "".join(line("td", row) for row in cells[2:])
    return f"<table><thead>{line('th', cells[0])}</thead><tbody>{body}</tbody></table>"


KINDS: dict[str, Callable[[Sequence[str]], str]] = {
    "p": _paragraphs,
    "ul": _list("ul"),
    "ol": _list("ol"),
    "table": _table,
}


def inline(words: str) -> str:
    """Bold, slanted and code; of a link its words, since paper does not follow it."""
    html = escape(words)
    html = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", html)
    html = re.sub(r"`([^`]+)`", r"<code>\1</code>", html)
    html = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", html)
    return re.sub(r"\*(.+?)\*", r"<em>\1</em>", html)
