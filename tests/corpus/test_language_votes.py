"""How documents vote for a language, at every limit; and what is said of the languages found."""

from types import SimpleNamespace

import pytest
from scipy import sparse

from bnpexplorer.corpus.readers.source import Source
from bnpexplorer.corpus.text import default_settings
from bnpexplorer.corpus.words.language import detecting
from bnpexplorer.corpus.words.language.choosing import (
    consequences,
    for_language,
    language_settings,
    settings_asked,
    warning,
)
from bnpexplorer.corpus.words.language.detecting import find_language
from bnpexplorer.corpus.words.language.names import NAMES
from bnpexplorer.corpus.words.language.runs import cutter_for
from bnpexplorer.corpus.words.language.stems import stop_words
from bnpexplorer.corpus.words.pattern import LETTERS, WORDS
from bnpexplorer.corpus.words.settings import TextSettings

DE, EN, NO = {"de": 0.9}, {"en": 1.0}, {"no": 0.5, "da": 0.1}


@pytest.fixture
def looks(monkeypatch):
    """Finds the languages of documents that look as given, of so many words each."""

    def found(likely, n_words=10.0):
        monkeypatch.setattr(detecting, "_look", lambda text: (likely[int(text)], n_words))
        return find_language([str(i) for i in range(len(likely))])

    return found


@pytest.mark.parametrize(
    ("likely", "shares"),
    [
        ([DE] * 9 + [EN], {"de": 0.9, "en": 0.1}),
        ([DE] * 18 + [EN] * 1, {"de": 1.0}),
        # Of a hundred votes nine are for a third language, which counts for nothing.
        ([EN] * 60 + [DE] * 31 + [{"fr": 0.8}] * 9, {"en": 60 / 91, "de": 31 / 91}),
        ([DE] * 6 + [{}] * 30 + [EN] * 2, {"de": 0.75, "en": 0.25}),
        # As common: by the alphabet.
        ([EN] * 5 + [DE] * 5, {"de": 0.5, "en": 0.5}),
        # Five times as likely as the language of most is no clear vote against it.
        ([{"da": 0.9}] * 3 + [NO], {"da": 1.0}),
        ([{"da": 0.9}] * 3 + [{"no": 0.51, "da": 0.1}], {"da": 0.75, "no": 0.25}),
        # Less likely than a half: no vote, neither for what leads nor for itself.
        ([DE] * 3 + [{"fr": 0.49}], {"de": 1.0}),
        ([DE] * 3 + [{"fr": 0.5}], {"de": 0.75, "fr": 0.25}),
        ([{"fr": 0.49, "it": 0.4}] * 9, {}),
    ],
)
def test_documents_vote(likely, shares, looks):
    found = looks(likely)
    assert dict(found.shares) == pytest.approx(shares)
    assert found.codes == tuple(shares)


def test_languages_that_share_their_lists_are_as_likely_as_both(monkeypatch):
    """Of the five most likely ones; where none stands out, the letters tell nothing."""
    ranked = [("nn", 0.4), ("da", 0.3), ("no", 0.2), ("bs", 0.05), ("sv", 0.04), ("hr", 0.01)]
    monkeypatch.setattr(detecting, "_model", lambda: SimpleNamespace(rank=lambda text: ranked))
    found = detecting.likely("en tekst")
    assert found == pytest.approx({"no": 0.6, "da": 0.3, "hr": 0.05, "sv": 0.04})
    ranked[0] = ("nn", 1.9 / len(NAMES))
    assert detecting.likely("en tekst") == {}


def test_counts_have_no_language_that_would_cut_them():
    source = Source("c.mtx", "mtx", None, sparse.csr_matrix([[1, 2]]), ("海", "山"))
    assert settings_asked(source, {"language": "ja"}) == (default_settings(source), ())
    assert settings_asked(source, {"language": "auto"}) == (default_settings(source), ())


@pytest.mark.parametrize(("n_words", "codes"), [(2.5, ("de",)), (2.4, ())])
def test_five_words_in_all_tell_a_language(n_words, codes, looks):
    found = looks([DE, DE], n_words)
    assert (found.codes, found.n_words) == (codes, 5)


def test_some_hundred_documents_vote_each_by_its_beginning(monkeypatch):
    seen = []
    monkeypatch.setattr(detecting, "_look", lambda text: seen.append(text) or (DE, 10))
    find_language([f"{i} " + "x" * 900 for i in range(601)])
    assert len(seen) == 300
    assert {len(text) for text in seen} == {600}
    assert [int(text.split()[0]) for text in seen[:3]] == [0, 2, 4]
    assert int(seen[-1].split()[0]) == 598


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("the and for " + "ab " * 15, False),  # 3 of 18: a sixth
        ("the and for " + "ab " * 16, True),  # 3 of 19
        ("the and ab", True),  # two are too few, however large their share
        ("THE And foR", False),
        ("https://the.and/for the and @for #that ab", True),
    ],
)
def test_english_is_told_by_its_commonest_words(text, asked, monkeypatch):
    monkeypatch.setattr(detecting, "likely", lambda _: {"xx": 1.0})
    n_words = len(text.split()) - 3 * ("http" in text)
    assert detecting._look(text) == ({"xx": 1.0} if asked else {"en": 1.0}, n_words)


@pytest.mark.parametrize(
    ("text", "likely", "n_words"),
    [
        ("ελληνικα abc", {"el": 1.0}, 5),  # eight signs weigh as much as four words
        ("漢" * 19 + "か", {"zh": 0.8, "ja": 0.2}, 10),  # a twentieth
        ("漢" * 18 + "かな", {"ja": 1.0}, 10),
        ("漢かกกก", {"th": 1.0}, 2.5),
        ("漢字かกกก", {"th": 1.0}, 3),  # as many: Japanese needs more
        ("漢字かなกกก", {"ja": 1.0}, 3.5),
    ],
)
def test_a_script_tells_its_language(text, likely, n_words):
    assert detecting._look(text) == (likely, n_words)


def test_words_beside_a_script_are_looked_at_where_there_are_as_many(monkeypatch):
    monkeypatch.setattr(detecting, "likely", lambda text: {text: 1.0})
    assert detecting._look("漢字漢字 one two") == ({"漢字漢字 one two": 1.0}, 4)
    assert detecting._look("12 + 3") == ({}, 0)
    assert detecting._look("e\u0301cole de\u0301ja\u0300") == ({"école déjà": 1.0}, 2), (
        "one sign each"
    )


# ---- what is said ------------------------------------------------------------------------------


def made(codes, **more):
    settings = for_language(TextSettings(min_df=7, stem="none", **more), codes)
    assert settings.min_df == 7
    return settings


@pytest.mark.parametrize(
    ("codes", "pattern", "stops"),
    [
        (("en",), LETTERS, "english"),
        (("de",), LETTERS, "language"),
        (("de", "en"), LETTERS, "language"),
        (("hi",), WORDS, "language"),
        (("de", "hi"), WORDS, "language"),
        ((), WORDS, "none"),
    ],
)
def test_a_language_sets_the_pattern_and_the_stop_words(codes, pattern, stops):
    settings = made(codes, stop_words="none")
    assert (settings.language, settings.token_pattern) == ("+".join(codes), pattern)
    assert (settings.stop_words, settings.cutter) == (stops, cutter_for(codes))


def test_what_follows_from_languages_is_said():
    assert consequences(made(("de", "en"))) == "German and English stop words are left out."
    assert consequences(made(("de", "is", "fo"))) == (
        "German stop words are left out; there is no list of Icelandic and Faroese stop words."
    )
    pairs = "They are written without blanks: every two neighbouring signs count as a word."
    assert consequences(made(("km",))) == f"there is no list of Khmer stop words. {pairs}"
    assert consequences(made(("th",))) == (
        "Thai stop words are left out. Words are cut by the package budoux."
    )


def test_a_better_package_is_named_where_another_cuts(monkeypatch):
    monkeypatch.setattr(
        "bnpexplorer.corpus.words.language.runs.is_there", lambda package: package == "fugashi"
    )
    assert [cutter_for((code,)) for code in ("zh", "ja", "th", "lo", "de")] == [
        "budoux", "fugashi", "budoux", "pairs", "none",
    ]  # fmt: skip
    assert consequences(made(("de", "zh"))) == (
        "German and Chinese stop words are left out. Words are cut by the package budoux. The "
        "package rjieba does it better and faster; install it with: pip install "
        "'bnpexplorer[chinese]'."
    )
    assert consequences(made(("ja",))) == (
        "Japanese stop words are left out. Words are cut by the package fugashi."
    )


def test_several_languages_are_said_with_their_shares(looks):
    looks([DE] * 2 + [EN])
    source = Source("a.txt", "text", ("0", "1", "2"))
    settings, said = language_settings(source, TextSettings(min_df=3))
    assert said == (
        "The texts are in several languages (67 % German, 33 % English): German and English stop "
        "words are left out.",
    )
    assert settings == for_language(TextSettings(min_df=3), ("de", "en"))
    counts = Source("a", "mtx")
    assert language_settings(counts, TextSettings()) == (TextSettings(), ())
    looks([{}])
    assert language_settings(Source("a.txt", "text", ("0",)), TextSettings(min_df=3)) == (
        TextSettings(min_df=3),
        ("There is too little text to tell its language, so that it is taken for English.",),
    )


def test_english_stop_words_in_other_texts_are_a_warning_and_in_english_ones_are_none(looks):
    source = Source("a.txt", "text", ("0",))
    for likely, said in (
        (DE, "German, but English stop words are left out of them; give the language (de, or"),
        ({"ja": 1.0}, "Japanese, but English stop words are left out of them, and their sentences "
                      "are not cut into words; give the language (ja, or"),
        (EN, ""),
        ({}, ""),
    ):  # fmt: skip
        looks([likely])
        told = (f"These texts are {said} auto).",) if said else ()
        assert warning(source, TextSettings()) == told
        assert settings_asked(source, {"min_df": 1})[1] == told
        for settings in (TextSettings(language="fr"), TextSettings(stop_words="none")):
            assert warning(source, settings) == ()
    two = Source("a.txt", "text", ("0", "1"))
    looks([DE, EN])
    assert warning(two, TextSettings()) == (), "half of them are English"
    looks([DE, {"ja": 1.0}])
    assert warning(two, TextSettings()) == (
        "These texts are German and Japanese, but English stop words are left out of them, and "
        "their sentences are not cut into words; give the language (de+ja, or auto).",
    )
    looks([DE])
    settings, said = settings_asked(source, {"language": "fr", "min_df": 4})
    assert (settings.language, settings.min_df, said) == ("fr", 4, ())
    assert settings_asked(source, {})[0] == default_settings(source)


def test_thai_am_is_a_stop_word_however_it_is_written():
    words = stop_words("th")
    whole = {word for word in words if "\u0e33" in word}
    assert whole
    assert {word.replace("\u0e33", "\u0e4d\u0e32") for word in whole} & words
    assert {"まし", "ください"} <= stop_words("ja")
    assert len(stop_words("en")) == 318
