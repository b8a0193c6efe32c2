"""What a snapshot and its topics say of themselves, and where in a pass a state stands."""

from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.state import invariants
from bnpexplorer.state.invariants import StateContext
from bnpexplorer.state.looks import COLOURS, look
from bnpexplorer.state.moment import NO_WORDS
from bnpexplorer.state.names import suggested
from bnpexplorer.state.snapshot import TracePoint
from tests.state.test_names import topics_of
from tests.tools.moments import made


def rows(*scores):
    nan = float("nan")
    return [TracePoint(i, 10 * i, 0.5 * i, 3, nan, score) for i, score in enumerate(scores)]


@pytest.mark.parametrize(
    ("scores", "latest"),
    [
        ((), None),
        ((float("nan"), float("-inf")), None),
        ((-8.0, -7.0, -7.5), -7.5),
        ((-7.0, -9.0, float("nan")), -9.0),
        ((-7.0, float("-inf")), -7.0),
    ],
)
def test_the_latest_score_is_the_last_that_is_a_number(scores, latest):
    assert made({4: 2.0}, trace=rows(*scores)).snapshot.heldout == latest


def test_moments_go_by_run_step_changes_and_the_members_of_groups():
    moment = made({4: 2.0, 7: 3.0, 9: 1.0})
    assert moment.at == ("made", 2)
    changed = replace(moment, snapshot=replace(moment.snapshot, edition=3))
    assert changed.at == ("made changed 3", 2)
    grouped = [
        replace(moment, labels=moment.labels.group(group)) for group in ([4, 7], [4, 9], [7, 4])
    ]
    assert len({one.at for one in (moment, changed, *grouped)}) == 5


def test_topics_whose_shares_do_not_add_up_are_found():
    moment = made({4: 2.0, 7: 3.0})
    topics, ground = moment.snapshot.topics, None
    assert topics.mismatch(ground) == ""
    for factor in (0.99, 1.01):
        words = replace(topics, topic_word=topics.topic_word * np.array([[1], [factor]], "f4"))
        assert words.mismatch(ground) == "the words of a topic do not add up to 1"
        weights = replace(topics, weight=topics.weight * factor)
        assert weights.mismatch(ground) == "no weights"
    assert replace(topics, unseen=topics.unseen + 0.01).mismatch(ground) == "no weights"


def test_grouped_topics_know_the_words_and_what_they_count():
    topics = made({4: 2.0, 7: 3.0}).snapshot.topics.over(("a", "b", "c"), counted=False)
    moment = made({4: 2.0, 7: 3.0})
    moment = replace(moment, snapshot=replace(moment.snapshot, topics=topics))
    found = replace(moment, labels=moment.labels.group([4, 7])).topics
    assert len(found) == 1
    assert (found.vocab, found.counted) == (("a", "b", "c"), False)


def test_small_topics_have_three_patterns_in_turn():
    owners, top = {3: 5, 30: 2}, {3}
    assert look(3, owners, top) == 5
    assert look(30, owners, top) == 2 + COLOURS * (1 + 2), "once large, and small now"
    assert look(4, owners, {4}) == 4 + COLOURS, "it has no colour of its own yet"
    found = [look(topic, {}, set()) for topic in (0, 13, 14, 28, 41, 42, 56)]
    assert found == [14, 27, 28, 42, 55, 14, 28]


def test_a_name_stays_while_its_words_are_among_the_eight_most_relevant():
    """And while no larger topic has the same."""
    vocab = [letter * 5 for letter in "abcdefghijkl"]
    one = topics_of([np.arange(12, 0, -1)])
    for last, stays in ((7, True), (8, False)):
        kept = {10: (1, 0, last)}
        assert (suggested(one, vocab, kept) == kept) == stays
        assert stays or suggested(one, vocab, kept) == {10: (0, 1, 2)}
    both = topics_of([np.arange(12, 0, -1)] * 2, [500.0, 400.0])
    assert suggested(both, vocab, {10: (1, 0, 2), 11: (2, 1, 0)}) == {10: (1, 0, 2), 11: (0, 1, 3)}


@pytest.mark.parametrize(
    ("n_batches_done", "n_passes", "n_rows", "docs_seen"),
    [(0, 0, 0, 0), (1, 0, 3, 3), (2, 0, 6, 6), (3, 0, 7, 7), (0, 2, 0, 14), (3, 2, 7, 21)],
)
def test_a_context_counts_documents_and_not_room_for_them(
    n_batches_done, n_passes, n_rows, docs_seen
):
    """Seven documents in threes: the last mini-batch has one."""
    corpus = Corpus.from_csr(np.eye(7, dtype=int) + 1)
    order = np.array([4, 1, 6, 0, 2, 5, 3])
    ground = StateContext(corpus, {"eta": 0.5}, order, 3, n_batches_done, n_passes)
    assert ground.n_batches == 3
    assert [ground.rows(i).tolist() for i in range(3)] == [[4, 1, 6], [0, 2, 5], [3]]
    assert ground.rows_of_pass.tolist() == order[:n_rows].tolist()
    assert ground.docs_seen == docs_seen
    sizes = {"eta": 0.5, "D": 7, "V": 7, "U": 49, "N": 56, "B": 3, "docs_seen": docs_seen}
    assert ground.sizes == sizes
    words = corpus.take(order[:n_rows]).word_totals.astype(float)
    assert ground.misses(words) == ""
    found = "other words than those of the present pass" if n_batches_done else ""
    assert ground.misses(words + np.eye(7)[2]) == found


def test_sums_are_close_up_to_rounding_and_of_the_same_shape():
    sums, second = np.array([1e6, 1.0, 0.0]), np.array([0.0, 1.0, 0.0])
    assert invariants.close(sums + 0.9 * second, sums)
    assert not invariants.close(sums + 1.1 * second, sums)
    assert not invariants.close(sums - 1.1 * second, sums)
    assert not invariants.close(sums[:2], sums)
    assert not invariants.close(sums[:, None], sums)
    small = np.array([0.1, 0.2])
    assert invariants.close(small + 9e-7, small)
    assert not invariants.close(small + 2e-6, small)


def test_words_of_a_topic_make_a_line_or_a_note():
    moment = made({4: 9.0, 7: 5.0})
    assert moment.words_line(4, 3) == "a · b< · c"
    assert moment.words_line(4, 2, ", ") == "a, b<"
    assert moment.words_line(4, 0) == NO_WORDS == "(no words)"
