"""Letters of a wrong encoding and words parted at line ends: what is mended, and what is sound."""

import pytest

from bnpexplorer.corpus.readers.source import Source
from bnpexplorer.corpus.words.cleaning import CERTAIN, LATER, PRESETS, clean, cleaned
from bnpexplorer.corpus.words.mending import parted_words, wrong_encoding
from bnpexplorer.corpus.words.occurrences import find_words
from bnpexplorer.corpus.words.settings import TextSettings
from bnpexplorer.corpus.words.suggesting import settled, suggested


def misread(text, times=1):
    for _ in range(times):
        text = "".join(
            bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in text.encode()
        )
    return text


@pytest.mark.parametrize(
    "text",
    [
        "café naïve",
        "Über größer",
        "“quoted” – it’s",
        "Привет, мир",
        "中文",
        "😀 yes",
        "10 £, 5 °C",
        "à la",
    ],
)
@pytest.mark.parametrize("times", [1, 2])
def test_a_wrong_encoding_is_mended_once_and_twice(text, times):
    wrong = misread(text, times)
    assert wrong != text
    assert clean(wrong, "encoding") == text


@pytest.mark.parametrize(
    "text", ["café", "LIBERTÉ… ", "MANHÃ…", "CAFÉ”…", "Âge", "plain", "€ 5", "пря́мо", "«À»", "Ã–l"]
)
def test_sound_texts_stay(text):
    assert wrong_encoding(text) == []


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("Umwelt-\nministerium", "Umweltministerium"),
        ("klima-\r\n  tisch", "klimatisch"),
        ("Nord-\nSüd", "Nord-\nSüd"),
        ("Haus-\nund Garten", "Haus-\nund Garten"),
        ("two -\nthree", "two -\nthree"),
        ("one-\n\ntwo", "one-\n\ntwo"),
        ("5-\nfold", "5-\nfold"),
    ],
)
def test_words_parted_at_line_ends_are_one_where_small_letters_go_on(text, mended):
    assert clean(text, "hyphens") == mended
    assert bool(parted_words(text)) == (text != mended)


def test_mended_words_are_marked_where_they_stood():
    text = "das Umwelt-\nministerium im " + misread("Café")
    settings = TextSettings(whole_words=True, stop_words="none", clean="encoding hyphens")
    found = find_words(text, settings, {"umweltministerium": 0, "café": 1})
    marked = [text[one.start : one.stop] for one in found.occurrences]
    assert marked == ["Umwelt-\nministerium", misread("Café")]
    assert len(cleaned(text, settings.clean).mended) == 2


def test_only_texts_cut_in_the_new_way_are_offered_the_new_parts():
    texts = tuple(f"Das Umwelt-\nministerium im {misread('Café')} {i}" for i in range(30))
    source = Source("a", "csv", texts)
    assert settled(source, {"clean": "auto"}).settings.clean == "", "as scripts of before"
    assert settled(source, {}, as_forms=True).settings.clean == "encoding hyphens"
    assert suggested(source, TextSettings(whole_words=True)).settings.clean == "encoding hyphens"
    assert not LATER & CERTAIN
    assert LATER.isdisjoint(part for parts in PRESETS.values() for part in parts)


def test_one_contraction_is_worth_a_clean_up_where_words_stay_whole():
    source = Source("a", "lines", ("dogs bark",) * 99 + ("dogs don't bark",))
    assert suggested(source, TextSettings(whole_words=True)).settings.clean == "contractions"
    assert suggested(source, TextSettings()).settings.clean == ""
