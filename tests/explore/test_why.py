"""What an event tells: probabilities by both updates, numbers in words, why there are none."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import softmax

from bnpexplorer.core import store
from bnpexplorer.explore import why
from bnpexplorer.lab.toy import CASES, collapsed_log_odds, log_likelihoods, mean_field_log_odds
from bnpexplorer.state.edits import Edit
from bnpexplorer.state.snapshot import Details, Event, Frame, Snapshot

ENDS = "It no longer held enough."
TOLD = Details(3, (), (7, 5), (-1.0, -2.0, -3.0), (-20.0, -30.0, -19.0), (-21.0, -31.0, -40.0))


def snapshot(events, frames=(), edits=()):
    return Snapshot(9, 90, 1.0, None, (), tuple(events), tuple(frames), edits=tuple(edits))


def frame(docs, topics, weights):
    words = np.array([[topic, topic + 1] for topic in topics])
    return Frame(docs, docs, np.array(topics), np.array(weights), words, np.ones((len(topics), 2)))


def test_both_updates_weigh_the_same_choices():
    found = why.WeighedChoices.of(TOLD)
    assert found.topics == (7, 5, why.NEW)
    np.testing.assert_allclose(found.probability(False), softmax([-21.0, -32.0, -22.0]))
    np.testing.assert_allclose(found.probability(True), softmax([-22.0, -33.0, -43.0]))
    assert found.ahead(mean_field=False) == pytest.approx(-1.0)
    assert found.ahead(mean_field=True) == pytest.approx(-21.0)
    assert found.rival == 7


def test_the_rival_is_the_best_of_those_in_play_by_the_collapsed_update():
    """Not a new topic, which may be the likeliest, nor mean field's best."""
    told = Details(3, (), (7, 5), (-1.0, -2.0, -3.0), (-30.0, -20.0, -2.0), (-31.0, -50.0, -40.0))
    found = why.WeighedChoices.of(told)
    assert found.probability(False).argmax() == 2
    assert found.probability(True).argmax() == 0
    assert found.rival == 5


def test_what_weighed_nothing_has_no_table():
    assert why.WeighedChoices.of(Details(sizes=(3, 4), log_ratio=-0.5)) is None


def test_of_a_file_of_before_there_is_no_mean_field():
    old = replace(TOLD, log_meanfield=())
    packed, arrays = store.pack(old, {}, "details"), {}
    packed.pop("log_meanfield", None)
    packed.pop("alone", None)
    assert store.unpack(Details, packed, arrays) == old
    assert len(why.WeighedChoices.of(old).log_meanfield) == 0


@pytest.mark.parametrize(
    ("log", "words"),
    [
        (math.log(0.5), "0.5"),
        (math.log(0.00123), "0.00123"),
        (math.log(999.0), "999"),
        (7.0, "1.1 × 10³"),
        (math.log(999.7), "1 × 10³"),
        (math.log(2.5e-7), "2.5 × 10⁻⁷"),
        (-1000.0, "5.1 × 10⁻⁴³⁵"),
        (math.log(9.99e-9), "1 × 10⁻⁸"),
        (math.log(3.2e12), "3.2 × 10¹²"),
    ],
)
def test_numbers_of_any_size(log, words):
    assert why.power(log) == words


@pytest.mark.parametrize(
    ("log", "words"),
    [
        (0.0, "about as likely as"),
        (-math.log(1.04), "about as likely as"),
        (0.0625, "1.06 times as likely as"),
        (math.log(3.0), "3 times as likely as"),
        (-math.log(2.5), "2.5 times less likely than"),
        (math.log(20_000.0), "20,000 times as likely as"),
        (-20.0 * math.log(10.0), "1 × 10²⁰ times less likely than"),
    ],
)
def test_ratios_in_words(log, words):
    assert why.times(log) == words


@pytest.mark.parametrize(
    ("collapsed", "mean", "words"),
    [
        (1.0, 0.5, "it would have opened it, too"),
        (-1.0, 0.5, "it would have opened it, too"),
        (1.0, -0.5, "it would hardly have opened it"),
        (-2.0, -2.6, "as rare by both"),
        (-2.0, -2.8, "rarer still"),
        (-2.0, -1.2, "less rare"),
    ],
)
def test_what_mean_field_would_have_done(collapsed, mean, words):
    assert why.compared(collapsed, mean) == words


def test_why_an_event_tells_no_numbers():
    birth, merge = Event("birth", (), (1,), 1, 10), Event("merge", (1, 2), (1,), 5, 50)
    by_hand = snapshot([birth, merge], edits=[Edit("merge", (1, 2), step=5, docs_seen=50)])
    assert why.untold(by_hand, 1, "", ENDS) == "This was done by hand."
    prunes = [Event("prune", (topic,), (), 5, 50) for topic in (3, 4)]
    deleted = snapshot(prunes, edits=[Edit("delete", (4,), step=5, docs_seen=50)])
    assert why.untold(deleted, 0, "", ENDS) == ENDS
    assert why.untold(deleted, 1, "", ENDS) == "This was done by hand."
    gone_on = snapshot([birth], edits=[Edit("run on", step=1, docs_seen=10)])
    assert "began with" in why.untold(gone_on, 0, "", ENDS)
    assert why.untold(by_hand, 0, "It has all its topics.", ENDS) == "It has all its topics."
    assert "of those that the run began with" in why.untold(by_hand, 0, "", ENDS)
    told = replace(birth, details=TOLD)
    many = snapshot([birth, told, birth, *[told, merge] * (why.LISTED - 1), told])
    assert "newest 300 events" in why.untold(many, 0, "", ENDS)
    assert "newest 300 events" in why.untold(many, 2, "", ENDS)
    assert "began with" in why.untold(snapshot(many.events[1:-1]), 1, "", ENDS)
    ended = snapshot([Event("prune", (1,), (), 5, 50)])
    assert why.untold(ended, 0, "", ENDS) == ENDS
    assert "earlier version" in why.untold(ended, 0, "", "")
    left = replace(ended.events[0], details=Details(2, (), (7,), trial="last"))
    assert "newest 300 events" in why.untold(snapshot([*ended.events, *[left] * 300]), 0, "", "")


def test_the_newest_can_be_chosen_and_older_ones_that_tell_something():
    assert why.listed([Event("birth")] * 3) == [2, 1, 0]
    told = [Event("birth", details=TOLD)]
    events = [Event("birth"), *told, *[Event("prune")] * 99, *told, *[Event("prune")] * 298]
    assert why.listed(events) == [*range(399, 99, -1), 1]


def test_the_birth_of_a_topic_that_went_is_found():
    told = {"details": TOLD}
    events = [
        Event("birth", children=(4,), **told),
        Event("split", (4,), (4, 5), **told),
        Event("birth", children=(6,)),
        Event("merge", (4, 5, 6), (4,), **told),
        Event("prune", (4,)),
    ]
    assert [why.birth_of(events, topic, 3) for topic in (4, 5, 6, 7)] == [0, 1, None, None]
    assert why.birth_of(events, 4, 4) == 0, "what took it in is not its birth"
    assert why.birth_of(events, 5, 1) is None


def test_a_topic_that_went_is_told_by_its_past():
    frames = [frame(10, [4, 6], [0.3, 0.7]), frame(20, [4], [0.6]), frame(30, [4], [0.0])]
    events = [Event("birth", (), (4,), 1, 5), Event("prune", (4,), (), 4, 40)]
    life = why.life_until(snapshot(events), frames, 4, 40)
    assert (life.born, life.largest, life.last, life.last_docs) == (5, 0.6, 0.6, 20)
    life = why.life_until(snapshot(events), frames, 4, 20)
    assert (life.largest, life.last, life.last_docs) == (0.3, 0.3, 10)
    assert why.life_until(snapshot(events), frames, 6, 40).born is None
    took_in = Event("merge", (4, 6), (4,), 3, 30)
    life = why.life_until(snapshot([events[0], took_in, events[1]]), frames, 4, 40)
    assert life.born == 5, "what it took in did not make it"
    assert life.parents == ()
    split = Event("split", (9,), (4, 6), 2, 5)
    assert why.life_until(snapshot([split]), frames, 4, 40).parents == (9,)
    assert why.life_until(snapshot([split]), frames[:1], 6, 4 + 7).born == 5
    assert why.life_until(snapshot(events), frames, 8, 40) is None


def test_words_are_those_of_the_moment_before():
    frames = [frame(10, [4], [1.0]), frame(20, [4, 9], [0.5, 0.5])]
    frames[1].word_ids[0] = [40, 41]
    assert why.words_then(frames, 4, 15, 2) == (4, 5)
    assert why.words_then(frames, 4, 20, 2) == (4, 5), "a frame of its own step is after it"
    assert why.words_then(frames, 4, 25, 2) == (40, 41)
    assert why.words_then(frames, 9, 12, 2) == (9, 10), "its first, where it was not there before"
    assert why.words_then(frames, 77, 25, 2) == ()


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("copies", [1, 5, 20])
def test_the_lab_weighs_each_component_as_its_odds_do(case, copies):
    case = CASES[case]
    (collapsed1, mean1), (collapsed2, mean2) = (
        log_likelihoods(copies, lam) for lam in (case.lam1, case.lam2)
    )
    assert collapsed1 - collapsed2 == pytest.approx(
        collapsed_log_odds(copies, case.lam1, case.lam2), abs=1e-9
    )
    assert mean1 - mean2 == pytest.approx(
        mean_field_log_odds(copies, case.lam1, case.lam2), abs=1e-9
    )
