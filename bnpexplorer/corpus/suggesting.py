"""What is found in texts before they are counted, and the settings that suit it.

The page, `load(path, clean="auto")` and `--clean auto` do what is suggested here.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .cleaning import PARTS
from .language.choosing import language_settings, settings_asked
from .language.names import AUTO
from .settings import TextSettings
from .source import Source

LOOKED_AT = 3000
"""Documents, spread evenly: a share of 2 % is then known to half a percent."""
LETTERS_OF_ONE = 5000
"""Of each document, from its beginning."""
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


def settled(source: Source, words: Mapping[str, Any]) -> Suggestion:
    """The defaults for a source with `words` (fields of `TextSettings`) instead of some.

    Where `clean` or `language` is "auto", with what is suggested, but for what is given.
    """
    asked = given(words)
    settings, said = settings_asked(source, asked)
    if words.get("clean") == AUTO:
        return _cleaned_up(source, settings, said)
    return Suggestion(settings, said, warnings=() if asked.get("language") else said)


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
    found = found_in(spread(source.texts), settings)
    parts = [INSTEAD_OF.get(one.part, one.part) for one in found if one.share > OFFERED]
    done = [
        f"{one.sentence}: {PARTS[part].done}."
        for one, part in zip(found, parts, strict=False)  # the most frequent come first
    ]
    changed = replace(settings, clean=" ".join([settings.clean, *parts]))
    return Suggestion(changed, (*said, *done), found)


def spread(texts: Sequence[str]) -> list[str]:
    """The beginnings of at most `LOOKED_AT` texts, spread evenly over all."""
    n = min(len(texts), LOOKED_AT)
    return [texts[i * len(texts) // n][:LETTERS_OF_ONE] for i in range(n)]


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
