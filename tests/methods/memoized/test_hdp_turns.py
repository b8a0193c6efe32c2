"""Which moves take their turn in a pass, which are put off, and when a run has had enough."""

from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.methods.memoized import judging, proposals
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
