"""Limits and edges of topics, and what sentences of changes say: exact words and numbers."""

import math
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.core.display import rates
from bnpexplorer.explore import atlas, change, likeness, through
from bnpexplorer.explore.changed_words import ChangedWords
from bnpexplorer.explore.sentences import (
    Basis,
    Sides,
    change_sentence,
    turn_sentence,
    word_sentence,
)
from bnpexplorer.explore.working import Doing, Working
from bnpexplorer.state.snapshot import Event, Frame
from tests.tools.waiting import NEVER

NB = "\u00a0"


# ---- topics --------------------------------------------------------------------------------------


def frame(docs, weights):
    ids = np.array([*weights])
    shown = np.tile(np.arange(2), (len(ids), 1))
    return Frame(docs, docs, ids, np.array([*weights.values()]), shown, np.ones(shown.shape))


def test_the_river_is_of_the_largest_topics_that_are_not_hidden():
    frames = [frame(10, {1: 0.6, 2: 0.3, 3: 0.1}), frame(20, {1: 0.1, 2: 0.4, 3: 0.5})]
    events = [Event("birth", (), (3,), 1, 4)]
    found = through.river(frames, events, {1}, 1)
    assert (found.topics, found.docs_seen) == ([3], [10, 20])
    assert found.share.tolist() == [[0.1], [0.5]]
    assert [(m.topic, m.born, m.event) for m in found.marks] == [(3, True, 0)]
    assert through.river(frames, events, set(), 2).topics == [1, 3]
    assert through.largest_at_some_time([frame(1, {5: 0.5, 4: 0.5, 3: 0.2})], 1) == [4]


@pytest.mark.parametrize(
    ("known", "said"),
    [
        (np.ones(4), "the shape \\(4,\\)"),
        (np.ones((2, 3)), "the shape \\(2, 3\\)"),
        (np.array([[0.5, 0.5, -0.1, 0.1]]), "no shares of words"),
        (np.array([[0.5, np.nan, 0.1, 0.1]]), "no shares of words"),
    ],
)
def test_known_topics_are_shares_over_the_same_words(known, said):
    likeness.check_known(np.full((2, 4), 0.25), 4)
    with pytest.raises(ValueError, match=said):
        likeness.check_known(known, 4)


def test_a_point_at_the_edge_of_a_map_is_of_its_last_square():
    places = np.array([[0, 0], [40, 40], [39.9, 39.9]], np.float32)
    share = np.array([[0.9, 0.0], [0.0, 0.8], [0.0, 0.4]], np.float32)
    found = atlas.regions(places, share)
    assert (found[1].n_docs, found[1].x) == (2, pytest.approx((40 * 2 + 39.9) / 3, abs=1e-3))
    nothing = atlas.regions(places, np.zeros((3, 2), np.float32))
    assert nothing == {}


# ---- sentences -----------------------------------------------------------------------------------


def test_of_labels_the_average_document_is_one():
    one = [np.array([x]) for x in (0.1, 0.3, 0.1, 0.3)]
    found = change.Changes(40, 1_050, 40, 500, *one, 3)
    sides = Sides("Whig", "Tory", True)
    said = change_sentence("tax", found, 0, sides, Basis("documents"))
    assert said.text == (
        f"Topic “tax” is 30{NB}% of the average document of “Tory” and 10{NB}% of that of “Whig”."
    )
    assert said.detail == (
        "1,050 documents of “Tory” and 40 of “Whig”, which are 500 and 40 different texts; at "
        f"least 10 points more in “Tory” than in “Whig”, with 95{NB}% certainty for all 3 "
        "comparisons together."
    )
    cluster = change_sentence("tax", found, 0, sides, Basis("documents", True, "cluster"))
    assert "of the documents of “Tory” and" in cluster.text
    assert cluster.text.endswith(f"10{NB}% of those of “Whig”.")


def test_a_fall_from_one_period_to_the_next_is_told_with_its_numbers():
    days = np.array(["2014-10-01", "2014-12-01"], "datetime64[D]")
    turn = change.ChangeTurn(0, *days, 1, 1_200, 1, 900, 0.25, 0.05, -0.1234, 1)
    said = turn_sentence("tax", turn, "month", Basis("words"))
    assert said.text == (
        f"In December 2014 topic “tax” fell from 25{NB}% in October 2014 to 5{NB}% of the words."
    )
    assert said.detail == (
        "1 document in October 2014, 1,200 in December 2014, which are 1 and 900 different texts; "
        f"down by at least 12 points, with 95{NB}% certainty."
    )


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (0.001, 0.002, (["1", "2"], "1,000")),
        (0.0102, 0.0002, (["10", "0.2"], "1,000")),
        (0.0009, 0.0002, (["9", "2"], "10,000")),
        (0.00001, 0.0, (["1", "0"], "100,000")),
        (1e-9, 2e-9, (["0.001", "0.002"], "1,000,000")),
    ],
)
def test_a_rate_is_of_as_many_words_as_make_it_one_at_least(one, other, said):
    assert rates((one, other)) == said


def test_a_word_that_is_not_sure_says_so():
    one = np.array([4])
    found = ChangedWords(one, one * 2, one - 1, one - 2, 1000, 1000, one * 0.1, one * 0.5, 2.0, 7)
    said = word_sentence("tax", found, 0, Sides("A", "B"))
    assert said.text == "The word “tax” rose from 4 (A) to 8 in 1,000 words (B)."
    assert said.detail == (
        "4 times in 3 documents, then 8 times in 2; 2.0 standard errors, which is not sure."
    )
    sure = replace(found, z=np.array([-2.1]))
    assert word_sentence("tax", sure, 0, Sides("A", "B")).detail.endswith(
        f"2.1 standard errors, sure with 95{NB}% certainty for all 7 comparisons together."
    )


# ---- work that takes long ------------------------------------------------------------------------


def test_work_that_goes_wrong_without_a_word_names_its_kind():
    def fail():
        raise KeyError

    doing = Doing(fail, "some")
    assert doing.wait(NEVER) is None
    assert (doing.error, doing.title) == ("KeyError", "some")
    bare = Working()
    assert bare.wait(NEVER) is None
    assert bare.error == "NotImplementedError"


def test_powers_and_roots_of_shares_leave_what_is_missing_to_one_more_topic():
    roots = atlas.root_shares(np.array([[0.64, 0.0], [0.36, 0.7]], np.float32))
    np.testing.assert_allclose(roots, [[0.8, 0.0, 0.6], [0.6, math.sqrt(0.7), 0.0]], atol=1e-6)
