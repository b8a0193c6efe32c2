"""Sentences and pictures of the Lab whose numbers all differ: which number stands where."""

from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.lab.shrinking import ShrinkingTurn
from bnpexplorer.ui.lab import corpora, ordered, pictures, restaurant, shrinking
from tests.tools.alone import drawn
from tests.tools.pages import texts


def test_how_unequal_tables_are_in_words():
    assert restaurant._unequal([]) == ""
    assert restaurant._unequal([30, 50, 4, 15, 1]) == (
        " The largest holds 50 of 100 customers, and 3 of 5 hold 90 %."
    )


@pytest.mark.parametrize(
    ("lost", "kept", "said"),
    [
        ((3.5, 2.25), (4.0, 5.75), "it shrinks from 3.50 to 2.25, and its average grows from 4.00"),
        ((2.25, 3.5), (5.75, 4.0), "it grows from 2.25 to 3.50, and its average falls from 5.75"),
    ],
)
def test_a_topic_grows_or_shrinks_by_its_own_numbers(lost, kept, said):
    sides = [[ShrinkingTurn(n, n, 0.5) for n in ends] for ends in (lost, kept)]
    assert said in shrinking._verdict(*sides, 0.5)


def test_draws_are_closest_to_the_bound_where_their_ratio_is_largest():
    share, bound = np.array([0.4, 0.3, 0.02]), np.array([0.9, 0.5, 0.1])
    said = ordered._verdict(0.7, share, bound).replace("\u00a0", " ")
    assert "(closest at n = 2: 30.00 % of draws, where 50.00 % may)" in said


@pytest.mark.parametrize(("n", "per_row"), [(pictures.FEW, 4), (pictures.FEW + 1, 5)])
def test_few_tables_stand_four_in_a_row_and_more_five(n, per_row):
    seats = [pictures.Seat(k + 1, "", "") for k in range(n)]
    tops = [x for x, *_ in pictures._placed(seats)]
    assert tops[: per_row + 1] == [100 * (k + 0.5) / per_row for k in (*range(per_row), 0)]


def test_topics_of_a_drawn_corpus_are_counted_beyond_those_that_are_pictured():
    topic_word = np.full((23, 25), 0.04)
    doc_topic = np.full((4, 23), 1 / 23)
    small = SimpleNamespace(topic_word=topic_word, doc_topic=doc_topic)
    said = texts(drawn(corpora._words, "gdp", small).markdown)
    assert "**23 topics in all; 21.0 make up 90" in said
