"""What is told of births and ends, from weights and draws by hand."""

import numpy as np
import pytest

from bnpexplorer.inference.births import WORDS, last_to_leave, opened, with_details
from bnpexplorer.kernels.openings import RIVALS
from bnpexplorer.state.snapshot import Details, Event


def test_the_likeliest_topics_are_told_and_the_first_different_words():
    prior = np.log([0.1, 0.2, 0.05, 0.15, 0.1, 0.1, 0.2, 0.1])
    likelihood = np.log([0.9, 0.1, 0.1, 0.5, 0.2, 0.3, 0.4, 0.05])
    asked = []

    def mean(told):
        asked.append(told)
        return -np.arange(8.0)[told]

    ids = np.array([30, 31, 32, 33, 34, 35, 36])
    words = [9, 4, 9, 4, *range(20, 40)]
    details = opened(np.int64(7), ids, prior, likelihood, mean, words)
    order = [0, 6, 3, 5, 1]  # by the products of both
    assert len(order) == RIVALS
    assert details.document == 7
    assert details.topics == (30, 36, 33, 35, 31)
    assert details.words == (9, 4, *range(20, 28))
    assert len(details.words) == WORDS
    assert details.log_prior == pytest.approx([prior[k] for k in (*order, 7)])
    assert details.log_likelihood == pytest.approx([likelihood[k] for k in (*order, 7)])
    assert details.log_meanfield == tuple(-float(k) for k in (*order, 7))
    assert asked == [[*order, 7]]
    assert opened(0, ids, prior, likelihood, mean).words == ()


def test_details_go_to_the_events_of_their_topics():
    born, ended = Details(document=1), Details(document=2)
    events = (Event("birth", children=(5,)), Event("prune", parents=(3,)), Event("birth", (), (6,)))
    told = with_details(events, {5: born, 3: ended, 9: born})
    assert [event.details for event in told] == [born, ended, None]
    assert [event.kind for event in told] == ["birth", "prune", "birth"]


def test_the_last_to_leave_is_told_and_where_it_went():
    before, after = np.array([4, 7, 4, 7, -1, 2]), np.array([7, 9, 2, 9, 4, 2])
    about = {2: (22, (5,)), 3: (33, (6,))}
    told = last_to_leave(np.array([4, 7]), before, after, about.__getitem__)
    assert told == {
        4: Details(document=22, words=(5,), topics=(2,), trial="last"),
        7: Details(document=33, words=(6,), topics=(9,), trial="last"),
    }
