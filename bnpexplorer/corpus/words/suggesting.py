"""What is found in texts before they are counted, and the settings that suit it.

The page, `load(path, clean="auto")` and `--clean auto` do what is suggested here. Excerpts
show a few documents before and after the clean-up.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ..readers.source import Source
from ..text import new_settings
from .cleaning import LATER, PARTS, Cleaned, cleaned
from .language.choosing import language_settings, settings_asked
from .language.names import AUTO
from .lost import LETTERS_OF_ONE, spread
from .settings import TextSettings

LOOKED_AT = 3000
"""Documents, spread evenly: a share of 2 % is then known to half a percent."""
OFFERED = 0.02
"""What is in a larger share of the texts is worth a clean-up."""
N_EXAMPLES = 2
EXAMPLE_LETTERS = 40
INSTEAD_OF = {"tags": "tag-words"}
"""What is suggested for what is found: the words of tags say what a text is about."""


@dataclass(frozen=True)
class NonWords:
    """One kind of what is no word, in the texts looked at."""

    part: str
    """Its name in `cleaning.PARTS`."""
    share: float
    """Of the documents that have it, from 0 to 1."""
    examples: tuple[str, ...]
    """At most two different ones."""

    @property
    def sentence(self) -> str:
        """Links in 41 % of the texts."""
        return f"{self.short_sentence} of the texts"

    @property
    def short_sentence(self) -> str:
        """Links in 41 %."""
        return f"{PARTS[self.part].title} in {_percent(self.share)}"


@dataclass(frozen=True)
class Suggestion:
    """Settings that suit a source, and why."""

    settings: TextSettings
    said: tuple[str, ...] = ()
    """What was found and what these settings do about it, in plain sentences."""
    found: tuple[NonWords, ...] = ()
    """Every kind of `cleaning.PARTS` that is in any text looked at, the most frequent first."""
    warnings: tuple[str, ...] = ()
    """What of `said` is probably not meant."""


def suggested(source: Source, settings: TextSettings) -> Suggestion:
    """`settings` with what suits the texts of a source: first the language, unless they say one,
    then the clean-up. Counts have no texts: they stay as they are."""
    said = tuple[str, ...]()
    if not settings.language:
        settings, said = language_settings(source, settings)
    return _cleaned_up(source, settings, said)


def settled(source: Source, words: Mapping[str, Any], as_forms: bool = False) -> Suggestion:
    """The defaults for a source with `words` (fields of `TextSettings`) instead of some.

    Where `clean` or `language` is "auto", with what is suggested, but for what is given.
    `as_forms`: with the defaults of forms, which find out both.
    """
    words = forms_words(words) if as_forms else words
    asked = given(words)
    usual = new_settings(source) if as_forms else None
    settings, said = settings_asked(source, asked, usual)
    if words.get("clean") == AUTO:
        return _cleaned_up(source, settings, said)
    return Suggestion(settings, said, warnings=() if asked.get("language") else said)


def forms_words(words: Mapping[str, Any]) -> dict[str, Any]:
    """`words`, with language and clean-up to be found out unless they are given."""
    return {"clean": AUTO, "language": AUTO} | dict(words)


def given(words: Mapping[str, Any]) -> dict[str, Any]:
    """`words` without a clean-up that is to be found out, for which the language is too, unless one
    is given."""
    if words.get("clean") != AUTO:
        return dict(words)
    others = {name: value for name, value in words.items() if name != "clean"}
    return others | {"language": words.get("language") or AUTO}


def _cleaned_up(source: Source, settings: TextSettings, said: tuple[str, ...]) -> Suggestion:
    """The settings with the clean-up that suits the texts."""
    if source.texts is None:
        return Suggestion(settings, said)
    found = found_in(spread(source.texts, LOOKED_AT), settings)
    worth = [one for one in found if is_offered(one, settings)]
    parts = [INSTEAD_OF.get(one.part, one.part) for one in worth]
    done = [f"{one.sentence}: {PARTS[part].done}." for one, part in zip(worth, parts, strict=True)]
    changed = replace(settings, clean=" ".join([settings.clean, *parts]))
    return Suggestion(changed, (*said, *done), found)


def is_offered(found: NonWords, settings: TextSettings) -> bool:
    """Return whether a kind of non-words is worth a clean-up: it is in a larger share of the texts
    than `OFFERED`, or is contractions that whole words would hold."""
    if settings.whole_words:
        return found.share > OFFERED or found.part == "contractions"
    return found.share > OFFERED and found.part not in LATER


def found_in(texts: Sequence[str], settings: TextSettings) -> tuple[NonWords, ...]:
    """Every kind of what is no word that is in any of the texts, the most frequent first.

    Numbers are none where the token pattern leaves them out in any case.
    """
    found = []
    for name, part in PARTS.items():
        if name in INSTEAD_OF.values() or (name == "numbers" and not _takes_numbers(settings)):
            continue
        documents, examples = 0, dict[str, None]()
        for text in texts:
            spans = part.found_in(text)
            documents += bool(spans)
            if spans and len(examples) < N_EXAMPLES:
                longest = max(spans, key=lambda span: span[1] - span[0])
                examples[_example(text, *longest)] = None
        if documents:
            found.append(NonWords(name, documents / len(texts), tuple(examples)))
    return tuple(sorted(found, key=lambda one: -one.share))


def _takes_numbers(settings: TextSettings) -> bool:
    return any(word.isdigit() for word in re.findall(settings.token_pattern, "in 1990 of 365 days"))


def _example(text: str, start: int, stop: int) -> str:
    """One line of what was found."""
    line = " ".join(text[start:stop].split())
    return line if len(line) <= EXAMPLE_LETTERS else line[: EXAMPLE_LETTERS - 1] + "…"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.01 else "fewer than 1 %"


N_EXCERPTS = 3
LETTERS = 280
"""Of an excerpt at most: four lines."""
BEFORE = 60
"""Letters before the first change."""
TRIES = 50
"""Documents that are looked at for one that changes."""


@dataclass(frozen=True)
class Stretch:
    """A stretch of a text."""

    text: str
    """As it was."""
    fate: Literal["kept", "removed", "mended"]
    now: str = ""
    """What stands there after, if it was mended."""


def excerpts(texts: Sequence[str], switches: str) -> list[list[Stretch]]:
    """At most three documents that change, spread over all, each around its first change."""
    found = []
    rows = set[int]()
    for i in range(N_EXCERPTS):
        first = i * len(texts) // N_EXCERPTS
        for row in range(first, min(first + TRIES, len(texts))):
            text = texts[row][:LETTERS_OF_ONE]
            after = cleaned(text, switches)
            if row not in rows and (after.removed or after.mended):
                rows.add(row)
                found.append(excerpt(text, after))
                break
    return found


def excerpt(text: str, after: Cleaned) -> list[Stretch]:
    """The text around its first change; blanks in a row are one."""
    changes = sorted([*((a, b, None) for a, b in after.removed), *after.mended])
    start = max(changes[0][0] - BEFORE, 0)
    if start:  # not in the middle of a word
        blank = text.find(" ", start, changes[0][0])
        start = blank + 1 if blank >= 0 else start
    stop, at, pieces = min(start + LETTERS, len(text)), start, list[Stretch]()
    for a, b, new in changes:
        if a < at or a >= stop:  # inside what was removed, or beyond
            continue
        pieces += [Stretch(_line(text[at:a]), "kept")] if a > at else []
        fate: Literal["removed", "mended"] = "removed" if new is None else "mended"
        pieces.append(Stretch(_line(text[a : min(b, stop)]), fate, new or ""))
        at = min(b, stop)
    rest = [Stretch(_line(text[at:stop]), "kept")] if at < stop else []
    head = [Stretch("… ", "kept")] if start else []
    tail = [Stretch(" …", "kept")] if stop < len(text) else []
    return [*head, *pieces, *rest, *tail]


def _line(text: str) -> str:
    """On one line, its outer blanks kept as one each."""
    words = " ".join(text.split())
    if not words:
        return " " if text else ""
    return f"{' ' * text[0].isspace()}{words}{' ' * text[-1].isspace()}"
