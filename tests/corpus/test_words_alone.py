"""Small rules of words, each by itself: limits, stop words, who cuts what, and what is said."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from bnpexplorer.corpus.words import pattern
from bnpexplorer.corpus.words.cleaning import Cleaned
from bnpexplorer.corpus.words.counting import (
    Counted,
    Removed,
    bounds,
    in_fewer_than,
    in_more_than,
    prune,
)
from bnpexplorer.corpus.words.junk import links
from bnpexplorer.corpus.words.language import runs, stems
from bnpexplorer.corpus.words.language.names import listed
from bnpexplorer.corpus.words.occurrences import cut
from bnpexplorer.corpus.words.phrases import PhraseTokens, join_pairs
from bnpexplorer.corpus.words.settings import TextSettings
from bnpexplorer.corpus.words.suggesting import Stretch, excerpt


@pytest.mark.parametrize(
    ("min_df", "max_df", "found"),
    [(1, 1, (1, 1)), (1.0, 1.0, (70.0, 70.0)), (0.1, 60, (7.0, 60)), (3, 0.9, (3, 63.0))],
)
def test_a_limit_is_a_number_of_documents_or_a_share_of_them(min_df, max_df, found):
    assert bounds(70, min_df, max_df) == pytest.approx(found)


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (1, "1 document"),
        (2, "2 documents"),
        (1500, "1,500 documents"),
        (0.125, "12.5 % of documents"),
        (1.0, "100 % of documents"),
    ],
)
def test_limits_are_said_in_documents_or_percent(limit, said):
    assert in_fewer_than(limit) == f"in fewer than {said}"
    assert in_more_than(limit) == f"in more than {said}"


def test_a_pattern_is_tried_on_long_runs_of_its_own_letters(monkeypatch):
    tried = []
    monkeypatch.setattr(pattern, "_trial", lambda *given: tried.append(given))
    pattern.check_pattern_speed(r"(é+)+[q7]", "the sea")
    ((wanted, *probes, sample),) = tried
    assert (wanted, sample) == (r"(é+)+[q7]", "the sea")
    assert sorted(probes) == sorted(
        2000 * letter + end for letter in "a1 _-.'Aéq7" for end in ("!", "\n~")
    )


def test_scikit_learn_cuts_as_the_settings_say():
    settings = TextSettings(
        lowercase=False,
        strip_accents="ascii",
        token_pattern=r"(?u)\b\w\w+\b",
        ngram_min=2,
        ngram_max=3,
        stop_words="none",
        extra_stop_words="sea hill",
        min_df=4,
        max_df=0.25,
        max_features=70,
    )
    found = settings.vectorizer().get_params()
    assert {name: found[name] for name in found if name not in ("analyzer", "input")} == {
        "lowercase": False,
        "strip_accents": "ascii",
        "token_pattern": r"(?u)\b\w\w+\b",
        "ngram_range": (2, 3),
        "stop_words": ["hill", "sea"],
        "min_df": 4,
        "max_df": 0.25,
        "max_features": 70,
        "dtype": np.int32,
        "preprocessor": None,
        "tokenizer": None,
        "vocabulary": None,
        "binary": False,
        "encoding": "utf-8",
        "decode_error": "strict",
    }
    none = TextSettings(stop_words="none", max_features=0).vectorizer()
    assert (none.max_features, none.stop_words, none.strip_accents) == (None, None, None)


@pytest.mark.parametrize(
    ("lowercase", "accents", "found"),
    [
        (True, "none", "the sÉa".lower()),
        (False, "none", "The SÉa"),
        (True, "unicode", "the sea"),
        (False, "ascii", "The SEa"),
    ],
)
def test_capitals_and_accents_are_as_the_settings_say_with_and_without_a_clean_up(
    lowercase, accents, found
):
    for clean, rest in (("", " bit.ly/x"), ("links", " " * 9)):
        settings = TextSettings(lowercase=lowercase, strip_accents=accents, clean=clean)
        assert settings.vectorizer().build_preprocessor()("The SÉa bit.ly/x") == found + rest


def test_documents_end_where_their_joined_words_end():
    tokens = PhraseTokens(
        np.array([0, 1, 2, 0, 1, 1, 2]),
        np.array([False, True, True, False, True, True, False]),
        np.ones(7, np.int64),
        np.array([3, 6, 6, 7]),
        ["red", "sea", "hill"],
    )
    joined = join_pairs(tokens, ["red_sea", "sea_hill"], np.array([-1, 0, 1, -1, 0, -1, -1]))
    assert joined.word.tolist() == [3, 2, 3, 1, 2]
    assert joined.parts.tolist() == [2, 1, 2, 1, 1]
    assert joined.beside.tolist() == [False, True, False, True, False]
    assert joined.ends.tolist() == [2, 4, 4, 5]
    assert joined.names == ["red", "sea", "hill", "red_sea", "sea_hill"]


def test_a_word_that_is_too_rare_and_too_common_is_left_out_once():
    counts = sparse.csr_matrix(np.array([[2, 1, 1], [1, 0, 3], [1, 0, 0], [5, 0, 0]], np.int32))
    counted = Counted(counts, np.array(["all", "one", "two"], object))
    keep, removed = prune(counted, 3, 1, 0)
    assert keep.tolist() == [False] * 3
    assert removed == {
        "in fewer than 3 documents": Removed(2, (("two", 2), ("one", 1)), 5),
        "in more than 1 document": Removed(1, (("all", 4),), 9),
    }


def test_english_has_scikit_learns_stop_words_and_japanese_the_pieces_of_its_endings():
    assert len(stems.stop_words("en")) == 318
    assert {"まし", "でしょ", "これから"} <= stems.stop_words("ja")
    assert stems.stop_words("br") >= {"gant"}
    assert "まし" not in stems.stop_words("zh")


def test_stop_words_are_those_of_all_languages_that_are_given():
    for language, left_out in (
        ("en+de+fr", {"the", "und", "nous"}),
        ("fr+en", {"the", "nous"}),
        ("de", {"und"}),
    ):
        settings = TextSettings(language=language, stop_words="language")
        stop = settings.stop_list(settings.vectorizer())
        assert stop & {"the", "und", "nous"} == left_out, language


def test_lemmas_are_in_small_letters(monkeypatch):
    given = SimpleNamespace(lemmatize=lambda word, lang: f"{word.upper()}-{lang}ß")
    monkeypatch.setattr(stems, "imported", lambda package, why: given)
    assert stems.stem_of.__wrapped__("lemma", "de")("haus") == "haus-dess"


def test_languages_are_listed_by_their_codes():
    assert listed(["fr", "da", "de"]) == "da (Danish), de (German), fr (French)"


@pytest.mark.parametrize(
    ("cutter", "script", "codes", "by"),
    [
        ("rjieba", "east", ("zh",), "rjieba"),
        ("rjieba", "thai", ("zh",), None),
        ("rjieba", "others", ("zh",), None),
        ("fugashi", "east", ("ja",), "fugashi"),
        ("fugashi", "thai", ("ja",), None),
        ("budoux", "east", ("de", "ja", "zh"), "ja_word"),
        ("budoux", "east", ("th",), "zh-hans"),
        ("budoux", "thai", ("zh",), "th"),
        ("budoux", "others", ("zh",), None),
        ("pairs", "east", ("zh",), None),
    ],
)
def test_a_package_cuts_the_scripts_that_it_knows(monkeypatch, cutter, script, codes, by):
    def package(name, why):
        tagger = SimpleNamespace(Tagger=lambda: lambda run: [SimpleNamespace(surface=name)])
        return {"rjieba": SimpleNamespace(cut=lambda run: [name]), "fugashi": tagger}[name]

    monkeypatch.setattr(runs, "imported", package)
    monkeypatch.setattr(runs, "_budoux", lambda model: lambda run: [model])
    pieces = runs._pieces.__wrapped__(cutter, script, codes)
    assert (pieces and pieces("some")) == (by and [by])


def test_a_single_sign_is_a_piece_of_its_own():
    assert [*runs.runs_cut("ab海c", "pairs", ("zh",))] == [(0, 2), (2, 3), (3, 4)]
    assert [*runs.runs_cut("海山川", "pairs", ("zh",))] == [(0, 2), (1, 3)]


def test_a_phrase_is_a_stop_word_by_itself_and_not_by_its_first_word():
    known = {"min_df": 1, "language": "en", "joined": "the_sea red_hill"}
    found = cut("the sea and the red hill", TextSettings(**known, extra_stop_words="red_hill"))
    assert found.words()[0] == ["the_sea", "and", "the", "red_hill"]
    assert found.is_stop.tolist() == [False, True, True, True]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see WWW.Sea.example now", ["WWW.Sea.example"]),
        ("see www.sea.example now", ["www.sea.example"]),
        ("see wWw.intranet now", ["wWw.intranet"]),
        ("HTTPS://a.b/c", ["HTTPS://a.b/c"]),
    ],
)
def test_links_are_found_in_any_letters(text, found):
    assert sorted({text[a:b] for a, b in links(text)}) == found


def test_letters_that_became_none_are_mended_and_not_removed():
    after = Cleaned("fürs Meer ", np.arange(11), ((12, 16),), ((1, 7, "ü"), (8, 9, "")))
    assert excerpt("f&uuml;r\xads MeerMEER", after) == [
        Stretch("f", "kept"),
        Stretch("&uuml;", "mended", "ü"),
        Stretch("r", "kept"),
        Stretch("\xad", "mended", ""),
        Stretch("s M", "kept"),
        Stretch("eerM", "removed", ""),
        Stretch("EER", "kept"),
    ]
