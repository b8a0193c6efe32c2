"""Sentences of changes: shares and bounds stay true when they are rounded."""

import re
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.core.display import points
from bnpexplorer.explore import change
from bnpexplorer.explore.sentences import Basis, Sides, change_sentence, two_percents
from tests.explore.test_group_means import some_shares


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (0.01, 0.12, ("1 %", "12 %")),
        (0.014, 0.016, ("1.4 %", "1.6 %")),
        (0.0002, 0.12, ("under 0.5 %", "12 %")),
        (0.004, 0.03, ("0.4 %", "3.0 %")),
        (0.000356, 0.000095, ("0.036 %", "0.009 %")),
        (0.00002, 0.00004, ("0.002 %", "0.004 %")),
    ],
)
def test_shares_are_rounded_as_far_as_the_change_stays_right(one, other, said):
    assert tuple(x.replace("\u00a0", " ") for x in two_percents(one, other)) == said


@pytest.mark.parametrize("sure", [0.01299, 0.1999, 0.00999, 0.000199, -0.0129, -0.499])
def test_a_bound_is_rounded_so_that_it_stays_true(sure):
    x = some_shares(4, 20)
    found = change.changes(x[:, :1], np.arange(20) < 10, np.arange(20) >= 10)
    end = {"low": np.array([sure - 1]), "high": np.array([sure])}
    end = {"low": np.array([sure]), "high": np.array([sure + 1])} if sure > 0 else end
    said = change_sentence("tax", replace(found, **end), 0, Sides("a", "b"), Basis("words")).detail
    way, number = re.search(r"(up|down) by at least ([\d.]+) points", said).groups()
    step = 10.0 ** -len(number.partition(".")[2])
    assert (way == "up") == (sure > 0)
    assert float(number) <= 100 * abs(sure) < float(number) + step + 1e-9


@pytest.mark.parametrize(
    ("changes_", "said"),
    [
        ([0.12, 0.05, 0.19], ["+12.0", "+5.0", "+19.0"]),
        ([0.0003, 0.0002, 0.0004], ["+0.03", "+0.02", "+0.04"]),
        ([-0.0003, -0.00005, 0.0], ["-0.030", "-0.005", "+0.000"]),
    ],
)
def test_small_changes_do_not_look_like_none(changes_, said):
    assert points(changes_) == said


def test_sentences_say_what_they_are_shares_of():
    x = some_shares(4, 300)
    x[150:, 0] += 0.5 * (1 - x[150:, 0])
    before = np.arange(300) < 150
    found = change.changes(x[:, :1], before, ~before)
    means_ = [100 * float(x[rows, 0].mean()) for rows in (before, ~before)]
    for basis, of in (
        (Basis("documents"), "of the average document"),
        (Basis("documents", True, "cluster"), "of the documents"),
    ):
        said = change_sentence("tax", found, 0, Sides("1990", "1991"), basis).text
        noun = basis.noun.capitalize()
        match = re.fullmatch(
            rf"{noun} “tax” rose from ([\d.]+)\s% {of} \(1990\) to ([\d.]+)\s% \(1991\)\.", said
        )
        assert match, said
        for number, true in zip(match.groups(), means_, strict=True):
            assert abs(float(number) - true) <= 0.5 * 10.0 ** -len(number.partition(".")[2])
    both = change_sentence("tax", found, 0, Sides("Whig", "Democratic", True), Basis("words"))
    assert re.fullmatch(
        r"Topic “tax” is [\d.]+\s% of the words of “Democratic” and [\d.]+\s% of those of “Whig”\.",
        both.text,
    )
    least = re.fullmatch(
        r"150 documents of “Democratic” and 150 of “Whig”; at least ([\d.]+) points more in "
        r"“Democratic” than in “Whig”, with 95\s% certainty\.",
        both.detail,
    )
    assert least, both.detail
    assert 0 <= 100 * found.sure[0] - float(least[1]) < 1
    turned = change.changes(x[:, :1], ~before, before)
    both = change_sentence("tax", turned, 0, Sides("Whig", "Democratic", True), Basis("words"))
    assert "points more in “Whig” than in “Democratic”" in both.detail
    nothing = change.changes(x[:, :1], np.arange(300) == 0, np.arange(300) == 200)
    unsure = change_sentence("tax", nothing, 0, Sides("a", "b"), Basis("words"))
    assert "do not make this sure" in unsure.detail
