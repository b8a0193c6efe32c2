"""Words stay whole: accents apart, İ, _, apostrophes and digits; and the way back to letters."""

import random
import unicodedata

import pytest

from bnpexplorer.corpus.readers.source import Source
from bnpexplorer.corpus.text import make_corpus
from bnpexplorer.corpus.words.cutting import Cutter
from bnpexplorer.corpus.words.letters import composed, one_way, one_way_places, same_length
from bnpexplorer.corpus.words.occurrences import cut, find_words, original_places
from bnpexplorer.corpus.words.pattern import LETTERS, WHOLE, WITH_DIGITS, WORDS
from bnpexplorer.corpus.words.settings import TextSettings

BEFORE = TextSettings(stop_words="none", min_df=1, max_df=1.0, min_tokens=1)
NEW = TextSettings(stop_words="none", min_df=1, max_df=1.0, min_tokens=1, whole_words=True)
TURKISH = TextSettings(stop_words="none", whole_words=True, language="tr")


def words_of(text, settings):
    return cut(text, settings).words()[0]


def apart(text):
    return unicodedata.normalize("NFD", text)


@pytest.mark.parametrize(
    ("text", "before", "now"),
    [
        (apart("le médecin, l école"), ["decin", "cole"], ["médecin", "école"]),
        (apart("château"), ["cha", "teau"], ["château"]),
        ("İstanbul", ["stanbul"], ["istanbul"]),
        ("İstanbul".lower(), ["stanbul"], ["istanbul"]),
        ("new_york or climate_change", [], ["new_york", "climate_change"]),
        ("_emphasis_ foo_2", [], ["emphasis", "foo"]),
        ("O’Brien o'clock don`t", ["brien", "clock", "don"], ["o'brien", "o'clock", "don't"]),
        ("'quoted' dogs'", ["quoted", "dogs"], ["quoted", "dogs"]),
        ("п'ять пʼять", ["ять", "пʼять"], ["п'ять", "п'ять"]),
        ("co2 covid-19 1990", ["covid"], ["covid"]),
        ("q\u0303uz ọ\u0301na", [], ["q\u0303uz", "ọ\u0301na"]),
    ],
)
def test_words_are_whole_in_the_new_way_and_as_ever_in_the_old(text, before, now):
    assert words_of(text, BEFORE) == before
    assert words_of(text, NEW) == now


@pytest.mark.parametrize("pattern", [LETTERS, WORDS])
def test_words_with_digits_are_kept_by_choice_and_numbers_never(pattern):
    settings = TextSettings(stop_words="none", digits=True, token_pattern=pattern)
    text = "covid-19 co2 5g web3 g-20 1990s 1990-1995 12 covid-19th a 2024 foo_2 3.5"
    kept = ["covid-19", "co2", "5g", "web3", "g-20", "1990s", "covid", "19th", "foo_2"]
    assert words_of(text, settings) == kept


def test_two_letters_are_a_word_where_the_language_has_such():
    settings = TextSettings(stop_words="none", token_pattern=WORDS, whole_words=True)
    assert words_of("ab a_b x हिन्दी है", settings) == ["ab", "a_b", "हिन्दी", "है"]


def test_the_small_letter_of_a_turkish_i_has_no_dot():
    assert words_of("ISPARTA İzmir", TURKISH) == ["ısparta", "izmir"]
    assert words_of("ISPARTA İzmir", NEW) == ["isparta", "izmir"]


def test_a_pattern_of_ones_own_stays_as_it_was_written():
    settings = TextSettings(token_pattern=r"\w\w+", whole_words=True, digits=True)
    assert settings.pattern == r"\w\w+"
    assert TextSettings().pattern == LETTERS, "scripts and runs of before"


def test_contractions_count_as_what_they_are_contractions_of():
    stop = TextSettings(whole_words=True)
    cutter = Cutter(stop)
    words = ("don't", "it's", "that's", "dog's", "o'clock")
    assert [*filter(cutter.is_stop, words)] == ["don't", "it's", "that's"]
    corpus, _ = make_corpus(
        Source("a", "lines", ("dogs don’t bark, it's true", "dogs don't bark")),
        TextSettings(whole_words=True, min_df=1, max_df=1.0, min_tokens=1),
    )
    assert corpus.vocab == ("bark", "dogs", "true")


# ---- the way back --------------------------------------------------------------------------------

LETTERS_OF_ALL_KINDS = (
    *("a", "e", "i", "I", "İ", "ı", "J", "q", "Σ", "ß", "ﬁ", "Å", "é", "\u212b", "\u0958", "ᄀ"),
    *("\u0300", "\u0301", "\u0307", "\u0323", "\u030c", "\u1161", "\u11a8", "\u093c", "\u0930"),
    *("_", "'", "’", "-", " ", "\r\n", "2", "x", "n", "\u200d", "한"),
)


def goes_on(letter):
    name = unicodedata.name(letter, "")
    return unicodedata.category(letter)[0] == "M" or name.startswith(("HANGUL JU", "HANGUL JO"))


def brute_places(text, settings):
    """Where the letters of a preprocessed text stood, for those that begin a piece: pieces begin
    with a letter and can be preprocessed each alone."""
    alone = settings.letters()
    cuts = [
        i
        for i in range(len(text) + 1)
        if not (text[i : i + 1] and goes_on(text[i]))
        and unicodedata.normalize("NFC", text[:i]) + unicodedata.normalize("NFC", text[i:])
        == unicodedata.normalize("NFC", text)
        and len(alone(text[:i])) + len(alone(text[i:])) == len(alone(text))
    ]
    return {len(alone(text[:i])): i for i in reversed(cuts)}


@pytest.mark.parametrize("accents", ["none", "unicode"])
@pytest.mark.parametrize("language", ["", "tr"])
@pytest.mark.parametrize("seed", range(4))
def test_every_letter_knows_where_it_stood(seed, language, accents):
    draw = random.Random(seed)
    settings = TextSettings(
        stop_words="none", whole_words=True, language=language, strip_accents=accents, digits=True
    )
    for _ in range(60):
        text = "".join(draw.choices(LETTERS_OF_ALL_KINDS, k=draw.randint(0, 14)))
        plain = settings.letters()(text)
        places = original_places(text, plain, settings).tolist()
        assert len(places) == len(plain) + 1
        assert places == sorted(places)
        if accents == "none":
            for place, stood in brute_places(text, settings).items():
                assert places[place] == stood, (text, place)
        found = find_words(text, settings, {})
        index = {word: i for i, word in enumerate(found.unknown)}
        for one in find_words(text, settings, index).occurrences:
            piece = text[one.start : one.stop]
            assert settings.letters()(piece) == [*index][one.word], (text, piece)


def test_lower_case_keeps_the_place_of_every_letter():
    every = [chr(i) for i in range(0x20000) if not 0xD800 <= i < 0xE000]
    for turkish in (False, True):
        assert all(len(same_length(letter, True, turkish)) == 1 for letter in every)


def test_what_is_composed_already_stays():
    text = "école हिन्दी 한국 café"
    assert composed(text) == text
    assert one_way_places(text, True, False).tolist() == [*range(len(text) + 1)]
    assert one_way("J\u030c", True, False) == "ǰ"
    assert one_way("İI", False, True) == "İI", "capitals stay where they matter"


def test_marks_in_a_text_cover_the_accents():
    text = apart("Le médecin de l’école; CAFÉ")
    words = words_of(text, NEW)
    found = find_words(text, NEW, {word: i for i, word in enumerate(words)})
    marked = [text[one.start : one.stop] for one in found.occurrences]
    assert marked == [apart("médecin"), apart("l’école"), apart("CAFÉ")]


def test_marks_cover_accents_that_a_pattern_of_ones_own_leaves_out():
    text = "cafe\u0323\u0301 sea"  # e with a dot below, and an accent that stays apart
    settings = TextSettings(stop_words="none", token_pattern=r"\w\w+", whole_words=True)
    found = find_words(text, settings, {"cafẹ": 0})
    assert [text[one.start : one.stop] for one in found.occurrences] == [text[:6]]


@pytest.mark.parametrize("pattern", [*WHOLE.values(), *WITH_DIGITS.values()])
def test_patterns_take_time_in_proportion_to_the_text(pattern):
    from bnpexplorer.corpus.words.pattern import _trial

    probes = ["a" * 99 + "2!", "1" * 99, "a_" * 50, "a-1" * 33, "a'" * 50 + "9", "\u0301" * 99]
    _trial(pattern, *(probe * 1000 for probe in probes))
