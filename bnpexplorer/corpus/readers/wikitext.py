"""The text of a page of a wiki without its markup: templates, tables, references and links go.

Braces are counted in one pass, so that a page takes time in proportion to its length.
"""

import html
import re

DEEPEST = 8
"""Links within links: the captions of pictures hold some."""
BRACES = re.compile(r"\{\{|\}\}|\{\||\|\}(?!\})")
BRACKETS = re.compile(r"\[\[|\]\]")
HIDDEN = tuple(
    (re.compile(begin, re.IGNORECASE), re.compile(end, re.IGNORECASE))
    for begin, end in (
        (r"<!--", r"-->"),
        *(
            (rf"<{tag}\b[^<>]*(?<!/)>", rf"</{tag}\s*>")
            for tag in ("ref", "math", "chem", "gallery", "timeline", "score", "syntaxhighlight",
                        "source", "imagemap", "templatestyles", "mapframe", "graph")
        ),
    )
)  # fmt: skip
"""Begin and end of what no reader of the page reads as words."""
TAG = re.compile(r"</?[a-zA-Z][^<>]{0,2000}>")
SWITCH = re.compile(r"__[A-Z]{3,30}__")
HEADING = re.compile(r"^=[^\n]*=[ \t]*$", re.MULTILINE)
LISTED = re.compile(r"^[*#:;]+[ \t]*", re.MULTILINE)
RULE = re.compile(r"^-{4,}", re.MULTILINE)
ADDRESS = re.compile(r"\[(?:https?:|ftp:)?//[^\s\[\]]{1,2000}(?:[ \t]([^\[\]\n]{0,1000}))?\]")
QUOTES = re.compile(r"'{2,5}")
CATEGORY = re.compile(
    r"\[\[\s*(?:Category|Kategorie|Catégorie|Categoría|Categoria|Categorie|Kategoria|Kategori"
    r"|Категория|分类|カテゴリ)\s*:\s*([^\]|\n]{1,200})",
    re.IGNORECASE,
)
PREFIXED = re.compile(r"[^\W\d_][\w -]{0,30}:\S")
"""A link to a file, a category or another wiki, whose words are no text."""


def categories_of(text: str) -> list[str]:
    """Return the categories that a page names, in order."""
    return [*dict.fromkeys(match[1].strip() for match in CATEGORY.finditer(text))]


def plain_text(text: str) -> str:
    """Return the words of a page."""
    for begin, end in HIDDEN:
        text = _without(text, begin, end)
    text = _linked(_outside(text))
    text = ADDRESS.sub(lambda found: found[1] or "", text)
    text = TAG.sub(" ", text)
    for pattern in (SWITCH, LISTED, RULE, QUOTES):
        text = pattern.sub("", text)
    text = HEADING.sub(lambda found: found[0].strip("= \t"), text)
    text = html.unescape(text).replace("\xa0", " ")
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+", " ", text)).strip()


def _without(text: str, begin: re.Pattern[str], end: re.Pattern[str]) -> str:
    """A text without what stands from each begin to the next end."""
    kept, place = list[str](), 0
    while (begun := begin.search(text, place)) and (ended := end.search(text, begun.end())):
        kept.append(text[place : begun.start()])
        place = ended.end()
    return "".join([*kept, text[place:]])


def _outside(text: str) -> str:
    """Return the text without templates and tables; braces without a partner stay."""
    kept, opened = list[str](), list[tuple[str, int]]()
    place = 0
    for brace in BRACES.finditer(text):
        sign = brace[0]
        kept.append(text[place : brace.start()])
        place = brace.end()
        if sign in ("{{", "{|"):
            opened.append((sign, len(kept)))
            kept.append(sign)
        elif opened and opened[-1][0] == {"}}": "{{", "|}": "{|"}[sign]:
            del kept[opened.pop()[1] :]
        else:
            kept.append(sign)
    return "".join([*kept, text[place:]])


def _linked(text: str) -> str:
    """Replace links by their words, and those to files and categories by nothing."""
    kept, opened = list[str](), list[int]()
    place = 0
    for bracket in BRACKETS.finditer(text):
        kept.append(text[place : bracket.start()])
        place = bracket.end()
        if bracket[0] == "[[" and len(opened) < DEEPEST:
            opened.append(len(kept))
            kept.append("[[")
        elif opened:
            start = opened.pop()
            inner = "".join(kept[start + 1 :])
            del kept[start:]
            target, bar, shown = inner.partition("|")
            target = target.strip()
            if not PREFIXED.match(target.removeprefix(":")):
                kept.append(shown.rpartition("|")[2] if bar and shown.strip() else target)
            elif target.startswith(":"):
                kept.append(shown or target.removeprefix(":"))
        else:
            kept.append(" ")
    return "".join([*kept, text[place:]])
