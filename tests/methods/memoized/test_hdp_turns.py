"""Which moves take their turn in a pass, which are put off, and when a run has had enough."""

from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.methods.memoized import judging, proposals
from bnpexplorer.methods.memoized import moves as following
from bnpexplorer.methods.memoized.bound import columns_of
from bnpexplorer.methods.memoized.hdp_splitmerge import HdpSplitmerge
from bnpexplorer.methods.memoized.judging import BoundTerms, ColumnSource, MovesOutcome
from bnpexplorer.methods.memoized.moves import Moves, TopicSplit, refuse
from bnpexplorer.methods.memoized.proposals import ProposalLimits
from bnpexplorer.models.hdp import HDP
from tests.methods.memoized.test_hdp_moves import MODEL, bound, followed

FEW = ProposalLimits(splits=2, merges=2, parts=2, max_topics=9)


def proposed(before, fit, ids, limits=FEW):
    """What the next pass follows."""
    rng = np.random.default_rng(0)
    return proposals.propose(before, fit, MODEL, ids, columns_of(fit), limits, rng, None)


@pytest.fixture(scope="module")
def standing():
    """A fit of four topics, 10 to 13, and its twin."""
    return followed(0, Moves())


def test_a_refused_move_is_put_off_for_ten_passes(standing):
    fit, _, ids = standing
    before = Moves(passes=3, last_trial="delete")
    refuse(before, "merge", (10, 11))
    assert [refusal.until for refusal in before.refusals] == [13]
    for n_passes, known in ((3, 1), (11, 1), (12, 0)):
        later = proposed(replace(before, passes=n_passes), fit, ids)
        assert later.passes == n_passes + 1
        assert len(later.refusals) == known
        assert (
            (10, 11)
            in proposed(replace(before, passes=n_passes), fit, ids, replace(FEW, merges=6)).pairs
        ) != bool(known)


def test_a_topic_that_was_not_to_be_split_is_not_sampled_again(standing):
    fit, _, ids = standing
    before = Moves(last_trial="delete")
    for topic in (10, 12, 13):
        refuse(before, "split", (topic,))
    assert [sample.topic for sample in proposed(before, fit, ids).samples] == [11]
    none = proposed(Moves(last_trial="delete"), fit, ids, replace(FEW, max_topics=4))
    assert none.samples == [], "there is no room for a part more"


def test_splits_and_the_deletion_of_a_small_topic_take_turns(standing):
    """Only what holds less than half of the average is small; a refused one is passed over."""
    fit, _, ids = standing
    fit = replace(fit, lam=replace(fit.lam, row_sum=fit.lam.row_sum.copy()))
    sizes = np.array([30.0, 3.0, 20.0, 4.0])
    fit.lam.row_sum[fit.lam.slots] = sizes / fit.lam.scale
    assert fit.lam.size.tolist() == pytest.approx(sizes.tolist())
    first = proposed(Moves(last_trial="split"), fit, ids)
    assert (first.trial.kind, first.trial.events[0].parents) == ("delete", (11,))
    assert (first.last_trial, first.pairs) == ("delete", []), "nothing else while a trial runs"
    waiting = proposed(first, fit, ids)
    assert waiting.trial is first.trial
    assert all(sample.full for sample in waiting.samples)
    over = proposed(replace(first, trial=None), fit, ids)
    assert (over.trial, over.last_trial) == (None, "split")
    assert len(over.pairs) == 2
    again = Moves(last_trial="split")
    refuse(again, "delete", (11,))
    assert proposed(again, fit, ids).trial.events[0].parents == (13,)
    refuse(again, "delete", (13,))
    assert proposed(again, fit, ids).trial is None


def test_the_better_half_of_the_splits_that_failed_is_tried_at_once():
    """Of three the two that cost least, whatever their order."""
    rng = np.random.default_rng(5)
    splits = [
        TopicSplit(topic, rng.gamma(1.0, 3.0, (8, 2)), np.array([0.6, 0.4]))
        for topic in (12, 10, 13)
    ]
    moves = Moves(splits=splits)
    fit, _, ids = followed(0, moves)
    columns = columns_of(fit)
    sources = [ColumnSource((k,), identity=int(i)) for k, i in enumerate(ids)]
    outcome = MovesOutcome(fit, ids, 20, bound(fit, MODEL) + 1e9)  # so high that all of them fail
    terms, missed = judging._judge_splits(moves, BoundTerms(columns, sources), outcome, MODEL, None)
    assert len(missed) == 3
    costs = [5.0, 1.0, 3.0]
    missed = [m._replace(by=cost) for m, cost in zip(missed, costs, strict=True)]
    trial = judging._split_trial(moves, fit, terms, missed, outcome, None)
    assert [event.parents for event in trial.events] == [(10,), (13,)]
    assert [event.children for event in trial.events] == [(20, 21), (22, 23)]
    assert outcome.next_id == 24
    assert trial.topic_ids.tolist() == [20, 21, 11, 12, 22, 23]
    judging._judge_trial(Moves(trial=trial), trial, replace(outcome, bound=-1e9), MODEL, None)
    moves.trial = trial
    outcome.bound = -1e9
    judging._judge_trial(moves, trial, outcome, MODEL, None)
    assert {event.details.trial for event in outcome.events} == {"splits"}
    assert len({event.details.log_ratio for event in outcome.events}) == 1


def test_a_run_begins_with_samples_of_its_largest_topics(dozen):
    for splits, n_start, most, expected in ((3, 5, 9, 3), (8, 5, 9, 5), (8, 5, 4, 4)):
        method = HdpSplitmerge(HDP(), n_start=n_start, splits=splits, max_topics=most)
        state = method.init(dozen, np.random.default_rng(0))
        assert [sample.topic for sample in state.moves.samples] == [*range(expected)]
        assert len(state.topic_ids) == state.next_id == min(n_start, most)
        assert method.limits == ProposalLimits(splits, method.merges, method.parts, most)


# ---- what splits are made of ---------------------------------------------------------------------


@pytest.mark.parametrize("most", [1, 5, 300])
def test_a_sample_takes_documents_until_it_is_large_enough(most, monkeypatch):
    monkeypatch.setattr(following, "SAMPLE_DOCS", most)
    open_one, full_one = proposals.empty_samples([12, 11])
    full_one.full = True
    _, twin, _ = followed(1, Moves(samples=[open_one, full_one]))
    tokens = (twin.counts * twin.r[:, :, 2]).sum(axis=1)
    rows = np.concatenate(twin.blocks)  # the order of visits
    rows = rows[(tokens >= following.SAMPLE_SHARE * twin.counts.sum(axis=1))[rows]][:most]
    assert len(rows) == min(most, len(rows)) > 0
    sums = np.add.reduceat(open_one.tokens, open_one.indptr[:-1])
    assert sums == pytest.approx(tokens[rows])
    assert len(full_one.tokens) == 0


def test_topics_to_be_split_are_drawn_by_their_size(standing):
    """Of those that hold two tokens or more."""
    fit, _, ids = standing
    fit = replace(fit, lam=replace(fit.lam, row_sum=fit.lam.row_sum.copy()))
    fit.lam.row_sum[fit.lam.slots] = np.array([60.0, 1.9, 2.0, 38.0]) / fit.lam.scale
    alive = {int(i): k for k, i in enumerate(ids)}
    rng, n, one = np.random.default_rng(0), 4000, replace(FEW, splits=1)
    drawn = [proposals._new_samples(fit, alive, set(), set(), one, rng)[0].topic for _ in range(n)]
    seen = [drawn.count(topic) / n for topic in ids]
    assert seen == pytest.approx([0.6, 0.0, 0.02, 0.38], abs=0.035)
    assert 0.0 < seen[2] < 0.04
    taken = proposals._new_samples(fit, alive, {10}, {("split", (13,))}, FEW, rng)
    assert [sample.topic for sample in taken] == [12]


@pytest.mark.parametrize(
    ("room", "parts"),
    [(0, []), (1, [2]), (2, [3]), (3, [3, 2]), (4, [3, 3]), (7, [3, 3, 3]), (99, [3, 3, 3])],
)
def test_splits_have_no_more_parts_than_there_is_room_for(room, parts, standing, monkeypatch):
    fit, _, ids = standing
    asked = []

    def made(sample, topic, n_parts, *others):
        asked.append((topic, n_parts))
        return TopicSplit(sample.topic, np.ones((8, n_parts)), np.full(n_parts, 1 / n_parts))

    monkeypatch.setattr(proposals, "make_split", made)
    samples = proposals.empty_samples([13, 10, 12])
    limits = ProposalLimits(splits=5, merges=0, parts=3, max_topics=4 + room)
    found = proposed(Moves(samples=samples, last_trial="delete"), fit, ids, limits)
    assert asked == list(zip([3, 0, 2], parts, strict=False))
    assert [len(split.share) for split in found.splits] == parts
    left = room - sum(n - 1 for n in parts)
    taken = {split.topic for split in found.splits}
    again = {sample.topic for sample in found.samples}
    assert again == (set(ids.tolist()) - taken if left else set())


@pytest.mark.parametrize(
    ("size", "refused", "chosen"),
    [
        ([10.0, 10.0, 4.0], [], -1),
        ([10.0, 3.9, 10.0], [], 8),
        ([1.0, 30.0, 2.0], [], 7),
        ([1.0, 30.0, 2.0], [7], 9),
        ([3.0], [], -1),
    ],
)
def test_the_smallest_topic_of_less_than_half_an_average_one_may_go(size, refused, chosen):
    """Of the topics 7, 8 and 9, but for those whose deletion was refused."""
    ids = np.array([7, 8, 9])[: len(size)]
    put_off = {("delete", (topic,)) for topic in refused}
    assert proposals._smallest(np.array(size), ids, put_off) == chosen
