"""Words that cutting breaks or leaves out are counted, said and kept by a setting."""

from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.corpus.documents.enough import kept_sentence, losses
from bnpexplorer.corpus.readers.source import Source
from bnpexplorer.corpus.text import (
    AS_COUNTED,
    default_settings,
    kept_with,
    least_words,
    make_corpus,
    new_settings,
)
from bnpexplorer.corpus.words.lost import APART, DIGITS, JOINED, SHORT, SINGLE
from bnpexplorer.corpus.words.pattern import WORDS
from bnpexplorer.corpus.words.settings import TextSettings

ALL = TextSettings(min_df=1, max_df=1.0, min_tokens=1)


def report_of(*texts, **changed):
    return make_corpus(Source("own", "lines", texts), replace(ALL, **changed))[1]


@pytest.mark.parametrize(
    ("word", "why", "name", "value"),
    [
        ("new_york", JOINED, "whole_words", True),
        ("me\u0301decin", APART, "whole_words", True),
        ("co2", DIGITS, "digits", True),
        ("covid-19", DIGITS, "digits", True),
        ("uk", SHORT, "token_pattern", WORDS),
    ],
)
def test_a_lost_word_is_counted_said_and_kept_by_its_button(word, why, name, value):
    report = report_of(*[f"sailors of the {word} harbour and {word} 1990"] * 20)
    lost = report.lost
    assert lost.removed[why].tokens == 40
    assert lost.removed[why].words == ((word, 20),)
    assert lost.n_words == 20 * 7, "numbers are no words"
    assert lost.share(why) == 2 / 7
    assert set(lost.removed) == {why}, "of and and are stop words"
    (loss,) = losses(report)
    assert (loss.name, loss.value) == (name, value)
    assert loss.sentence.startswith("29 % of the words are broken or left out because")
    assert loss.sentence.endswith(f"such as {word}.")
    after = report_of(*[f"sailors of the {word} harbour and {word} 1990"] * 20, **{name: value})
    assert after.lost.removed == {}
    assert losses(after) == ()
    broken = 40 if why == APART or "-" in word else 0  # decin and covid counted
    assert after.n_tokens == report.n_tokens + 40 - broken


def test_single_letters_are_counted_and_no_setting_keeps_them():
    report = report_of(*["vitamin c harbour storm s"] * 20)
    assert report.lost.removed[SINGLE].words == (("c", 20),), "s is the end of a contraction"
    assert losses(report) == ()


def test_few_lost_words_are_counted_and_not_said():
    report = report_of(*["sailors harbour storms anchors " * 30 + "co2"] * 20)
    assert report.lost.removed[DIGITS].tokens == 20
    assert losses(report) == ()


def test_pieces_of_contractions_and_signs_are_no_lost_words():
    report = report_of("sailors don't sail, it's 5 % of 1990 -- _ -- captain's", *["storms"] * 9)
    assert report.lost.removed == {}


def test_remains_among_the_commonest_words_are_left_out_by_one_button():
    report = report_of(*["harbour http amp storms won"] * 20, extra_stop_words="captain")
    (loss,) = losses(report)
    assert "http" in loss.sentence
    assert loss.name == "extra_stop_words"
    assert sorted(loss.value.split()) == ["amp", "captain", "http"]
    assert report_of(*["harbour http amp"] * 20, extra_stop_words=loss.value).n_words == 1


# ---- the least number of words -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("short", "docs", "least"), [(2, 100, 5), (3, 100, 1), (0, 99, 1), (50, 100, 1), (0, 1000, 5)]
)
def test_the_least_number_of_words_follows_the_texts(short, docs, least):
    lengths = np.array([4] * short + [5] * (docs - short))
    assert least_words(lengths) == least


def test_texts_without_a_word_decide_nothing():
    assert least_words(np.array([0] * 500 + [9] * 100)) == 5
    assert least_words(np.zeros(200, np.int64)) == 1


def test_what_each_choice_keeps_is_said():
    texts = ["a1 b2", *["one"] * 4, *["one two"] * 3, *["one two three four five"] * 120]
    report = make_corpus(
        Source("own", "lines", tuple(texts)), replace(ALL, stop_words="none", min_tokens=0)
    )[1]
    assert report.settings.min_tokens == 1, "what was chosen stands in the settings"
    assert report.kept_with == ((1, 127), (2, 123), (3, 120), (5, 120))
    assert kept_sentence(report) == (
        "Documents with at least 1 word that counts: 127; 2: 123; 3: 120; 5: 120. Kept are those "
        "with at least 1."
    )
    assert kept_with(np.array([7, 4]), 7) == ((1, 2), (2, 2), (3, 2), (5, 1), (7, 1))
    assert (
        kept_sentence(report_of(*[f"sea hill rock wave wind {end}tide" for end in "abcdefghi"]))
        == ""
    )


def test_new_forms_begin_in_the_new_way_and_scripts_as_ever():
    source = Source("own", "lines", ("sea",) * 500)
    assert default_settings(source) == TextSettings(min_df=2)
    assert new_settings(source) == TextSettings(min_df=2, whole_words=True, min_tokens=0)
    counts = make_corpus(source, ALL)[0]
    of_counts = Source("own", "uci", counts=counts.to_csr(), vocab=counts.vocab)
    assert new_settings(of_counts) == AS_COUNTED
    assert make_corpus(of_counts)[1].lost is None
