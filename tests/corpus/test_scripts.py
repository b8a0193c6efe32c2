"""Signs of scripts by what Unicode calls them: which language they tell, how they make words."""

import re
import unicodedata

import pytest

from bnpexplorer.corpus.words.language import detecting, runs
from bnpexplorer.corpus.words.language.names import NAMES
from bnpexplorer.corpus.words.pattern import WORDS

SIGNS = [chr(code) for code in range(0x300, 0xD7A4)]


def signs_of(script, categories, last="\ud7a3"):
    """Signs whose name begins with that of a script, of these categories, up to the last."""
    return [
        sign
        for sign in SIGNS
        if sign <= last
        and unicodedata.category(sign) in categories
        and unicodedata.name(sign, "").startswith(f"{script} ")
    ]


@pytest.mark.parametrize(
    ("script", "language", "last"),
    [
        ("GREEK", "Greek", "\u03ff"),
        ("ARMENIAN", "Armenian", "\u058f"),
        ("HEBREW", "Hebrew", "\u05ff"),
        ("BENGALI", "Bengali", "\u09ff"),
        ("GURMUKHI", "Punjabi", "\u0a7f"),
        ("GUJARATI", "Gujarati", "\u0aff"),
        ("ORIYA", "Odia", "\u0b7f"),
        ("TAMIL", "Tamil", "\u0bff"),
        ("TELUGU", "Telugu", "\u0c7f"),
        ("KANNADA", "Kannada", "\u0cff"),
        ("MALAYALAM", "Malayalam", "\u0d7f"),
        ("SINHALA", "Sinhala", "\u0dff"),
        ("THAI", "Thai", "\u0e7f"),
        ("LAO", "Lao", "\u0eff"),
        ("TIBETAN", "Tibetan", "\u0fff"),
        ("MYANMAR", "Burmese", "\u109f"),
        ("GEORGIAN", "Georgian", "\u10ff"),
        ("HANGUL SYLLABLE", "Korean", "\ud7a3"),
        ("ETHIOPIC", "Amharic", "\u137f"),
        ("KHMER", "Khmer", "\u17ff"),
    ],
)
def test_the_letters_of_a_script_tell_its_language(script, language, last):
    letters = signs_of(script, ("Lu", "Ll", "Lo"), last)
    assert len(letters) > 30
    found = {code for sign in letters[::7] for code in detecting._look(sign * 10)[0]}
    assert {NAMES[code] for code in found} == {language}


@pytest.mark.parametrize(
    ("script", "last"),
    [
        ("COMBINING", "\u036f"),
        ("HEBREW", "\u05c7"),
        ("ARABIC", "\u06ed"),
        ("DEVANAGARI", "\u0963"),
        ("BENGALI", "\u09e3"),
        ("GURMUKHI", "\u0a75"),
        ("GUJARATI", "\u0ae3"),
        ("ORIYA", "\u0b63"),
        ("TAMIL", "\u0bd7"),
        ("TELUGU", "\u0c63"),
        ("KANNADA", "\u0ce3"),
        ("MALAYALAM", "\u0d63"),
        ("SINHALA", "\u0df3"),
        ("THAI", "\u0e4e"),
        ("LAO", "\u0ece"),
        ("MYANMAR", "\u109d"),
        ("KHMER", "\u17d3"),
    ],
)
def test_vowels_and_tones_stand_within_words(script, last):
    """Python's expressions count them for no letters."""
    marks = signs_of(script, ("Mn", "Mc"), last)
    assert len(marks) > 10
    letter = "e" if script == "COMBINING" else signs_of(script, ("Lo",))[0]
    words = [f"{letter}{mark}{letter}" for mark in marks]
    assert re.findall(WORDS, " ".join(words)) == words
    assert re.findall(WORDS, "1 ".join(words)) == words[-1:], "what holds a digit is no word"


@pytest.mark.parametrize(
    ("script", "run", "last"),
    [
        ("HIRAGANA", "east", "\u309f"),
        ("KATAKANA", "east", "\u30ff"),
        ("CJK UNIFIED", "east", "\u9fff"),
        ("THAI", "thai", "\u0e4e"),
        ("LAO", "others", "\u0ece"),
        ("MYANMAR", "others", "\u103f"),
        ("KHMER", "others", "\u17d3"),
    ],
)
def test_scripts_without_blanks_make_runs_of_their_own(script, run, last):
    signs = "".join(signs_of(script, ("Lo", "Lm", "Mn", "Mc"), last))
    assert len(signs) > 50
    found = [(match.group(), match.lastgroup) for match in runs.RUN.finditer(f"sea {signs}, 7")]
    assert found == [(signs, run)]


def test_every_language_has_a_name_of_its_own():
    assert len({*NAMES.values()}) == len(NAMES)
