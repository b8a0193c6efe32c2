"""Topics that made a corpus: how many a run has found again is part of its history."""

import dataclasses

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import jensenshannon

from bnpexplorer import Plan
from bnpexplorer.core.store import StoreError
from bnpexplorer.explore.likeness import FOUND_AGAIN
from bnpexplorer.runs.run import Run
from bnpexplorer.samples import load_sample


def start(sample="bars", method="hdp-tsvi", passes=4):
    found = load_sample(sample)
    run = Plan.of(method, batch_size=100, passes=passes).split_and_start(found.corpus)
    run.known = found.true_topics
    return run


def count(known, topics):
    """By hand: Jensen-Shannon distances in bits, the best pairing, those nearer than a half."""
    used = [row for row, size in zip(topics.topic_word, topics.size, strict=True) if size >= 1.0]
    if not used:
        return 0
    between = np.array([[jensenshannon(a, b, base=2) for b in used] for a in known])
    between = np.nan_to_num(between)
    rows, columns = linear_sum_assignment(between)
    return int((between[rows, columns] < 0.5).sum())


@pytest.mark.second
@pytest.mark.parametrize("sample", ["bars", "hdp-draw"])
def test_every_row_counts_the_topics_of_its_moment(sample):
    run, checked = start(sample), 0
    while not run.done:
        run.step()
        row = run.history[-1]
        if row.step == run.n_steps:
            topics = run.method.topics(run.state)
            assert row.scalars[FOUND_AGAIN] == count(run.known, topics)
            checked += 1
    assert checked > 10
    counts = {row.scalars[FOUND_AGAIN] for row in run.history}
    assert len(counts) > 2, "a curve, not a level"


@pytest.mark.second
def test_what_is_known_changes_nothing_that_is_learned():
    told, plain = start(passes=1), start(passes=1)
    plain.known = None
    while not told.done:
        told.step()
        plain.step()
    for one, other in zip(told.history, plain.history, strict=True):
        scalars = {name: x for name, x in one.scalars.items() if name != FOUND_AGAIN}
        wanted = dataclasses.replace(one, scalars=scalars, seconds=other.seconds)
        np.testing.assert_equal(dataclasses.asdict(other), dataclasses.asdict(wanted))  # nan is nan
    assert FOUND_AGAIN in told.history[0].scalars
    np.testing.assert_array_equal(
        told.snapshot().topics.topic_word, plain.snapshot().topics.topic_word
    )


@pytest.mark.second
def test_a_saved_run_goes_on_counting(tmp_path):
    run = start(passes=1)
    run.step()
    run.save(tmp_path / "run.zip")
    again = Run.load(tmp_path / "run.zip")
    np.testing.assert_array_equal(again.known, run.known)
    while not run.done:
        run.step()
        again.step()
    counts = [row.scalars[FOUND_AGAIN] for row in run.history]
    assert [row.scalars[FOUND_AGAIN] for row in again.history] == counts


@pytest.mark.parametrize("known", [np.ones((3, 4)), np.ones(25), np.full((2, 25), -1.0)])
def test_topics_of_other_words_are_refused(known, tmp_path):
    run = start(passes=1)
    run.known = known
    manifest, arrays = run.pack_texts()
    standing, more = run.pack_standing()
    with pytest.raises(StoreError, match="true topics"):
        Run.unpack({**manifest, **standing}, {**arrays, **more}, "it")
