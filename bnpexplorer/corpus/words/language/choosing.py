"""The settings that suit a language, and what is to be said of it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...readers.source import Source
from ...text import default_settings
from ..pattern import LETTERS, WORDS
from ..settings import TextSettings
from .detecting import LanguageGuess, find_language
from .names import AUTO, NAMES, codes_of, said
from .runs import UNSPACED, cutter_for
from .stems import EXTRAS, languages

_ALPHABETS = (
    "af az be bg br ca cs cy da de el en eo es et eu fi fo fr fy ga gd gl hr hu hy ig is it ka kk "
    "ku ky la lb lt lv mk mt nl no oc pl pt ro ru sk sl sq sr sv tg tk tr tt uk uz wa"
)
ALPHABETS = frozenset(_ALPHABETS.split())
"""Languages of which words of fewer than three letters say little, as in English."""
BETTER = {"ja": "fugashi", "zh": "rjieba"}


def for_language(settings: TextSettings, codes: Sequence[str]) -> TextSettings:
    """The settings with stop words and word-cutting of these languages; of English as ever.

    How words are stemmed, and all that does not depend on the language, stays.
    """
    english = tuple(codes) == ("en",)
    return replace(
        settings,
        language="+".join(codes),
        stop_words="english" if english else "language" if codes else settings.stop_words,
        token_pattern=LETTERS if codes and ALPHABETS.issuperset(codes) else WORDS,
        cutter=cutter_for(codes),
    )


def language_settings(
    source: Source, settings: TextSettings
) -> tuple[TextSettings, tuple[str, ...]]:
    """The settings with what suits the language that the texts are found to be in, and why.

    Of counts, and where too little text tells none, the settings stay as they are.
    """
    if source.texts is None:
        return settings, ()
    found = find_language(source.texts)
    if not found.codes:
        return settings, (
            "There is too little text to tell its language, so that it is taken for English.",
        )
    made = for_language(settings, found.codes)
    return made, (sentence_of(found, made),)


def settings_asked(
    source: Source, asked: Mapping[str, Any], usual: TextSettings | None = None
) -> tuple[TextSettings, tuple[str, ...]]:
    """Return the `usual` settings of a source, or `default_settings`, with those asked for, and
    sentences about its language.

    `asked["language"]` may be "auto"; a language sets stop words and word-cutting unless these are
    asked for too.
    """
    settings, notes = usual or default_settings(source), tuple[str, ...]()
    language = str(asked.get("language", ""))
    if language == AUTO:
        settings, notes = language_settings(source, settings)
    elif language and source.texts is not None:
        settings = for_language(settings, codes_of(language))
    others = {name: value for name, value in asked.items() if name != "language"}
    settings = replace(settings, **others)
    return settings, notes if language else warning(source, settings)


def check_asked(asked: Mapping[str, Any]) -> None:
    """Raise ValueError for a mistake in settings asked for, before the texts are known."""
    language = str(asked.get("language", ""))
    others = {name: value for name, value in asked.items() if name != "language"}
    if language == AUTO:  # what goes with some languages only is seen when one was found
        others = {name: v for name, v in others.items() if (name, v) != ("stop_words", "language")}
        others.pop("stem", None)
    elif language:
        others["language"] = language
    TextSettings(**others)


def warning(source: Source, settings: TextSettings) -> tuple[str, ...]:
    """What to say where English stop words are taken out of texts that are not English."""
    if source.texts is None or settings.language or settings.stop_words != "english":
        return ()
    codes = find_language(source.texts).codes
    if not codes or "en" in codes:
        return ()
    cut = ", and their sentences are not cut into words" if _unspaced(codes) else ""
    return (
        f"These texts are {said(codes)}, but English stop words are left out of them{cut}; "
        f"give the language ({'+'.join(codes)}, or {AUTO}).",
    )


def sentence_of(found: LanguageGuess, settings: TextSettings) -> str:
    """What language was found, and what follows."""
    if len(found.codes) == 1:
        first = f"The texts are {said(found.codes)}"
    else:
        shares = ", ".join(f"{100 * share:.0f} % {NAMES[code]}" for code, share in found.shares)
        first = f"The texts are in several languages ({shares})"
    return f"{first}: {consequences(settings)}"


def consequences(settings: TextSettings) -> str:
    """What follows from the languages of settings that `for_language` made."""
    codes = settings.codes
    listed = [code for code in codes if code in languages()]
    without = [code for code in codes if code not in listed]
    what = f"{said(listed)} stop words are left out" if listed else ""
    lack = f"there is no list of {said(without)} stop words" if without else ""
    sentence = "; ".join(filter(None, (what, lack)))
    return " ".join([f"{sentence}.", *_on_cutting(codes, settings.cutter)])


def _on_cutting(codes: Sequence[str], cutter: str) -> list[str]:
    """How sentences without blanks become words, and what would do it better."""
    first = _unspaced(codes)
    if not first or cutter == "none":
        return []
    if cutter == "pairs":
        return ["They are written without blanks: every two neighbouring signs count as a word."]
    said_ = [f"Words are cut by the package {cutter}."]
    better = BETTER.get(first)
    if better and better != cutter:
        said_.append(
            f"The package {better} does it better and faster; install it with: "
            f"pip install 'bnpexplorer[{EXTRAS[better]}]'."
        )
    return said_


def _unspaced(codes: Sequence[str]) -> str:
    return next((code for code in codes if code in UNSPACED), "")
