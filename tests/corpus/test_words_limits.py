"""Settings of words at their limits, and what of them reaches the counting of words."""

import numpy as np
import pytest

from bnpexplorer.corpus.readers.source import Source
from bnpexplorer.corpus.text import check_speed, make_corpus
from bnpexplorer.corpus.words import pattern, phrases
from bnpexplorer.corpus.words.cleaning import cleaned
from bnpexplorer.corpus.words.cutting import Cutter
from bnpexplorer.corpus.words.occurrences import find_words, index_of
from bnpexplorer.corpus.words.phrases import commonest, neighbours
from bnpexplorer.corpus.words.settings import TextSettings
from bnpexplorer.corpus.words.suggesting import (
    NonWords,
    Stretch,
    excerpt,
    excerpts,
    found_in,
    suggested,
)

ALL = {"min_df": 1, "max_df": 1.0, "max_features": 0, "min_tokens": 1}


def vocab_of(texts, **settings):
    return set(make_corpus(Source("a", "text", tuple(texts)), TextSettings(**settings))[0].vocab)


# ---- settings ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "allowed", "refused"),
    [
        ("token_pattern", ["x" * 500], ["x" * 501]),
        ("ngram_max", [1, 5], [0, 6]),
        ("language", ["de" + "+de" * 66], ["de" + "+de" * 67]),
        ("extra_stop_words", ["x" * 100_000], ["x" * 100_001]),
        ("min_df", [1, 10**9, 0.0, 1.0], [0, 10**9 + 1, 1.01, -0.1]),
        ("max_df", [1, 10**9, 0.0, 1.0], [0, 10**9 + 1, 1.01, -0.1]),
        ("max_features", [0, 10_000_000], [-1, 10_000_001]),
        ("min_tokens", [0, 1_000_000], [-1, 1_000_001]),
        ("phrase_npmi", [0.0, 1.0], [-0.01, 1.01]),
        ("phrase_count", [1, 1_000_000], [0, 1_000_001]),
        ("joined", ["x" * 1_000_000], ["x" * 1_000_001]),
        ("strip_accents", ["none", "unicode", "ascii"], ["Unicode"]),
        ("stop_words", ["none", "english"], ["german"]),
        ("cutter", ["none", "pairs", "budoux", "rjieba", "fugashi"], ["jieba"]),
    ],
)
def test_a_setting_has_its_limits(name, allowed, refused):
    for value in allowed:
        TextSettings(**{name: value})
    for value in refused:
        with pytest.raises(ValueError, match=name):
            TextSettings(**{name: value})


def test_runs_of_words_may_be_of_one_length():
    assert TextSettings(ngram_min=3, ngram_max=3).ngram_max == 3
    with pytest.raises(ValueError, match="TextSettings: ngram_min is 3 but ngram_max is 2; the fi"):
        TextSettings(ngram_min=3, ngram_max=2)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            "(",
            "token_pattern '(' is no regular expression: missing ), unterminated subpattern at "
            r"position 0; correct it, or use \w\w+ for words of two signs or more.",
        ),
        (
            r"(\w)(x)(y)",
            r"token_pattern '(\\w)(x)(y)' has 3 groups, at most one is allowed; write (?:...) for "
            "a group that only holds things together.",
        ),
        (
            "x?",
            "token_pattern 'x?' matches the empty word; ask for at least one letter, for example "
            "with + instead of *.",
        ),
        ("a\0", "token_pattern holds a zero byte; remove it."),
    ],
)
def test_what_is_wrong_with_a_pattern_is_said(wrong, said):
    with pytest.raises(ValueError, match="token_pattern") as told:
        TextSettings(token_pattern=wrong)
    assert str(told.value) == said
    assert TextSettings(token_pattern=r"<(\w+)>").token_pattern == r"<(\w+)>", (
        "one group is allowed"
    )


def test_a_pattern_is_tried_on_the_beginnings_of_a_hundred_texts(monkeypatch):
    tried = []
    monkeypatch.setattr(pattern, "_try_speed", lambda *given: tried.append(given))
    texts = [f"{i:03}" + "x" * 2000 for i in range(300)]
    check_speed(texts, TextSettings(token_pattern=r"[a-z]{2,8}"))
    ((found, sample),) = tried
    assert found == r"[a-z]{2,8}"
    assert len(sample) == 100_000
    pieces = sample.split("\n")
    assert [piece[:3] for piece in pieces] == [f"{i:03}" for i in range(100)]
    assert {len(piece) for piece in pieces[:-1]} == {1000}
    check_speed(texts, TextSettings())
    assert len(tried) == 1, "a pattern that is known to be fast is not tried"


# ---- which words -------------------------------------------------------------------------------


def test_a_common_word_leaves_its_kin_and_one_left_out_by_hand_takes_it():
    """ "call" is a stop word of English; "calling" and "trees" are none."""
    texts = ["call calling calls tree trees sea"]
    english = {**ALL, "language": "en", "stem": "stem"}
    assert vocab_of(texts, **english) == {"calling", "tree", "sea"}
    assert vocab_of(texts, **english, extra_stop_words="trees") == {"calling", "sea"}
    assert vocab_of(texts, **ALL, language="en", extra_stop_words="trees") == {
        "calling", "calls", "tree", "sea",
    }  # fmt: skip
    assert vocab_of(texts, **ALL, stop_words="none") == set(texts[0].split())


def test_a_phrase_that_is_left_out_leaves_its_words_whatever_the_pattern():
    texts = ["red sea boat", "red house by the sea"]
    asked = {**ALL, "stop_words": "none", "token_pattern": "[a-z]{3,}", "joined": "red_sea"}
    assert vocab_of(texts, **asked) == {"red_sea", "boat", "red", "house", "the", "sea"}
    asked["extra_stop_words"] = "red_sea, house"
    assert vocab_of(texts, **asked) == {"boat", "red", "the", "sea"}


@pytest.mark.parametrize(
    ("stop_words", "left"),
    [("english", "und sea"), ("language", "the sea"), ("none", "the und sea")],
)
def test_common_words_left_out_are_those_that_are_asked_for(stop_words, left):
    settings = {**ALL, "language": "de", "stop_words": stop_words}
    assert vocab_of(["the und sea"], **settings) == set(left.split())


def test_a_cutter_joins_phrases_only_where_nothing_parts_them():
    cutter = Cutter(TextSettings(**ALL, stop_words="none", joined="new_york red_sea_port"))
    for text, words in (
        ("new york red sea port", "new_york red_sea_port"),
        ("new-york red\nsea  port", "new_york red_sea_port"),
        ("new, york red sea a port", "new york red sea port"),
        ("new\n\nyork new   york", "new york new york"),
        ("red sea new york", "red sea new_york"),
    ):
        assert cutter.words(text) == words.split()
    assert neighbours("ab cd,ef", [(0, 2), (3, 5), (6, 8)]) == [False, True, False]
    assert neighbours("abc", [(0, 2), (1, 3)]) == [False, False], "pairs of signs overlap"
    assert neighbours("", []) == []


PLANTED = ["red sea"] * 6 + ["red", "sea"] + ["new york city"] * 4 + ["york city"]
"""York and city stand together only, five times; red and sea six times of seven."""


@pytest.mark.parametrize(
    ("more", "joined"),
    [
        ({}, ""),  # ten times unless told otherwise
        ({"phrase_count": 7}, ""),
        ({"phrase_count": 6}, "red_sea"),
        ({"phrase_count": 5}, "red_sea york_city"),
        ({"phrase_count": 4}, "new_york_city red_sea york_city"),
        ({"phrase_count": 4, "phrase_npmi": 1.0}, "york_city"),
        ({"phrase_count": 4, "min_df": 5}, "red_sea"),
        ({"phrase_count": 4, "min_df": 4 / 13}, "new_york_city red_sea"),
        ({"phrase_count": 4, "min_df": 0.4}, "red_sea"),
        ({"phrase_count": 4, "min_df": 0.5}, ""),
        ({"phrase_count": 4, "phrases": False}, ""),
        ({"phrase_count": 4, "joined": "sea_red"}, "sea_red"),
    ],
)
def test_phrases_are_those_of_the_settings(more, joined):
    wanted = {**ALL, "stop_words": "none", "phrases": True, "phrase_npmi": 0.3}
    report = make_corpus(Source("a", "text", tuple(PLANTED)), TextSettings(**wanted | more))[1]
    assert report.settings.joined == joined


def test_the_phrases_in_most_documents_are_kept_and_the_first_of_equals(monkeypatch):
    monkeypatch.setattr(phrases, "MOST", 3)
    within = {"c_c": 4, "a_a": 4, "d_d": 9, "b_b": 4, "e_e": 3}
    assert commonest(within, 4) == ("a_a", "b_b", "d_d")
    assert commonest(within, 5) == ("d_d",)
    assert commonest({"b_b": 2, "a_a": 3}, 2) == ("a_a", "b_b")


def test_words_are_found_by_their_kind_and_told_by_how_often():
    settings = TextSettings(**ALL, language="en", stem="stem", joined="red_sea", ngram_max=2)
    index = index_of(["houses", "red_sea", "houses boat"], settings)
    text = "A house, houses boats; the Red Sea: boats red tin red"
    found = find_words(text, settings, index)
    marked = [(text[one.start : one.stop], one.word) for one in found.occurrences]
    assert marked == [("house", 0), ("houses boats", 2), ("Red Sea", 1)]
    assert found.counts == {0: 2, 1: 1, 2: 1}
    assert found.unknown == {"boats": 2, "red": 2, "tin": 1}
    assert list(found.unknown) == ["boats", "red", "tin"]
    assert found.n_stop == 1, "'a' is no word of this pattern"


# ---- what is suggested -------------------------------------------------------------------------


def test_examples_are_two_different_ones_on_one_line():
    texts = ["see bit.ly/a bit.ly/longer", "bit.ly/longer", "a http://x.y/" + "z" * 50, "bit.ly/q"]
    (links,) = found_in(texts, TextSettings())
    assert links.examples == ("bit.ly/longer", "http://x.y/" + "z" * 28 + "…")
    assert len(links.examples[1]) == 40
    (html,) = found_in(["<b\n  class='a'>sea", "f&uuml;r", "sea"], TextSettings())
    assert (html.examples, html.share) == (("<b class='a'>", "&uuml;"), 2 / 3)
    (links,) = found_in(["http://x.y/" + "z" * 29], TextSettings())
    assert links.examples == ("http://x.y/" + "z" * 29,), "forty letters are shown whole"


@pytest.mark.parametrize(
    ("share", "said"), [(0.41, "41 %"), (0.01, "1 %"), (0.0099, "fewer than 1 %"), (0.996, "100 %")]
)
def test_a_share_is_said_in_percent(share, said):
    found = NonWords("emails", share, ())
    assert found.short_sentence == f"E-mail addresses in {said}"
    assert found.sentence == f"E-mail addresses in {said} of the texts"


@pytest.mark.parametrize(("n", "clean"), [(2, ""), (3, "links")])
def test_more_than_two_in_a_hundred_texts_are_worth_a_clean_up(n, clean):
    texts = ("plain words bit.ly/x",) * n + ("plain words",) * (100 - n)
    found = suggested(Source("a", "text", texts), TextSettings(language="en"))
    assert found.settings.clean == clean
    assert found.said == ((f"Links in {n} % of the texts: left out.",) if clean else ())
    assert [one.share for one in found.found] == [n / 100]


def test_excerpts_are_of_three_parts_of_the_texts_each_of_the_first_that_changes():
    texts = ["plain"] * 300
    for row in (49, 120, 130, 200, 255):
        texts[row] = f"text {row} bit.ly/x"
    shown = [one[0].text for one in excerpts(texts, "links")]
    assert shown == ["text 49 ", "text 120 ", "text 200 "]
    texts[49] = "plain"
    texts[50] = "text 50 bit.ly/x"  # the fifty-first of its part
    assert len(excerpts(texts, "links")) == 2
    assert len(excerpts(["text bit.ly/x"], "links")) == 1, "no document is shown twice"
    late = "x" * 5000 + " bit.ly/x"
    assert excerpts([late], "links") == [], "only the beginning of a text is looked at"


def test_an_excerpt_begins_with_a_word_before_its_first_change_and_ends_after_four_lines():
    text = "one two three " * 10 + "bit.ly/x and &amp; then " + "word " * 80
    found = excerpt(text, cleaned(text, "html links"))
    at = text.index("bit.ly")
    start = text.index(" ", at - 60) + 1
    assert found[:4] == [
        Stretch("… ", "kept"),
        Stretch(text[start:at], "kept"),
        Stretch("bit.ly/x", "removed"),
        Stretch(" and ", "kept"),
    ]
    assert found[4] == Stretch("&amp;", "mended", "&")
    assert found[-1] == Stretch(" …", "kept")
    assert sum(len(one.text) for one in found[1:-1]) == 280
    beyond = "bit.ly/x " + "word " * 60 + "bit.ly/y"
    assert [
        one.text for one in excerpt(beyond, cleaned(beyond, "links")) if one.fate != "kept"
    ] == ["bit.ly/x"]
    within = "sea <b title='&amp;'> hill"
    assert excerpt(within, cleaned(within, "html")) == [
        Stretch("sea ", "kept"),
        Stretch("<b title='&amp;'>", "removed"),
        Stretch(" hill", "kept"),
    ]
    short = "bit.ly/x sea"
    assert excerpt(short, cleaned(short, "links")) == [
        Stretch("bit.ly/x", "removed"),
        Stretch(" sea", "kept"),
    ]


def test_the_way_back_of_a_text_of_many_changes_is_exact():
    found = cleaned("a&amp;b bit.ly/x ﬁn", "html links broken")
    assert found.text == "a&b          fin"
    assert found.places.tolist() == [0, 1, *range(6, 17), 17, 17, 18, 19][: len(found.text) + 1]
    assert found.removed == ((8, 16),)
    assert found.mended == ((1, 6, "&"), (17, 18, "fi"))
    assert np.all(np.diff(found.places) >= 0)
    hyphen = cleaned("sea&shy;\nside", "html broken")  # an entity, and then nothing
    assert (hyphen.text, hyphen.mended) == ("seaside", ((3, 9, ""),))
