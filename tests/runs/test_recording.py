"""The recording that the Start page plays is a run of ours: learned once more it begins alike."""

from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.explore.likeness import found_again
from bnpexplorer.runs import recording as recording_module
from bnpexplorer.runs.recording import FILE, PLAN, SAMPLE, record, recording
from bnpexplorer.samples import bar_topics, load_sample
from bnpexplorer.state.snapshot import Event, Frame


@pytest.mark.second
def test_the_run_learned_once_more_begins_as_it_was_recorded():
    found, run = recording(), PLAN.split_and_start(load_sample(SAMPLE).corpus)
    for _ in range(40):
        run.step()
    first = [row for row in found.trace if row[0] <= 40]
    assert len(first) > 10
    assert [(p.step, p.docs_seen) for p in run.history] == [row[:2] for row in first]
    # Bits are equal on like machines only, but the numbers are those of this run.
    assert [p.n_topics for p in run.history] == pytest.approx([row[3] for row in first], abs=2)
    told = [(p.heldout, row[4]) for p, row in zip(run.history, first, strict=True)]
    assert [np.isnan(ours) for ours, _ in told] == [theirs is None for _, theirs in told]
    scores = np.array([pair for pair in told if pair[1] is not None], float)
    assert np.abs(scores[:, 0] - scores[:, 1]).max() < 0.01
    assert (found.docs_in_pass, found.planned_docs) == (run.corpus.n_docs, run.planned_docs)


@pytest.mark.second
def test_the_run_ends_in_exactly_the_ten_bars():
    run = PLAN.split_and_start(load_sample(SAMPLE).corpus)
    while not run.done:
        run.step()
    topics = run.snapshot().topics
    assert int(topics.in_use.sum()) == len(bar_topics()) == 10
    assert found_again(bar_topics(), topics).count == 10
    assert recording().trace[-1][3] == 10


@pytest.mark.second
def test_a_recording_holds_the_history_and_the_pictures_of_its_run():
    plan = replace(PLAN, passes=3)
    found, run = record(plan), plan.split_and_start(load_sample(SAMPLE).corpus)
    while not run.done:
        run.step()
    snapshot = run.snapshot()
    assert (found.method, found.seed) == ("hdp-gibbs", 0)
    assert (found.docs_in_pass, found.planned_docs) == (run.corpus.n_docs, 3 * run.corpus.n_docs)
    rows = [(p.step, p.docs_seen, p.n_topics) for p in snapshot.trace]
    assert [(row[0], row[1], row[3]) for row in found.trace] == rows
    scores = [None if np.isnan(p.heldout) else round(p.heldout, 4) for p in snapshot.trace]
    assert [row[4] for row in found.trace] == scores
    assert found.events == tuple((e.kind, e.docs_seen) for e in snapshot.events)
    assert found.moments[0] == 0
    assert found.moments[-1] == snapshot.frames[-1].docs_seen == run.docs_seen
    assert len(found.pictures) == len(found.moments)
    end, shades = snapshot.topics, found.shades(len(found.moments) - 1)
    for topic, shade in zip(found.topics, shades, strict=True):
        words = end.topic_word[end.topic_ids.tolist().index(topic)]
        shown = shade > 0.05
        np.testing.assert_allclose(shade[shown], (words / words.max())[shown], atol=0.006)
        assert shade.max() == 1.0
    largest = end.topic_ids[np.argsort(-end.size)][: len(found.topics)]
    assert sorted(found.topics) == sorted(largest.tolist())


def test_a_topic_that_was_split_off_has_the_picture_of_the_other_before():
    """7 came of 4, which came of 2; 3 came of 2 later and stands behind it. 9 and 8 were merged."""
    events = (
        Event("birth", (), (2,)),
        Event("split", (2,), (2, 4)),
        Event("split", (4,), (4, 7)),
        Event("split", (2,), (2, 3)),
        Event("merge", (9, 2), (9,)),
        Event("merge", (5, 6), (8,)),
    )
    lines = [recording_module._line(topic, events) for topic in (2, 3, 7, 9, 8)]
    assert lines == [[2], [3, 2], [7, 4, 2], [9], [8]]
    two = Frame(
        1,
        10,
        np.array([4, 2]),
        np.array([0.25, 0.75]),
        np.array([[0, 2], [1, 2]]),
        np.array([[0.8, 0.2], [0.5, 0.0]], np.float32),
    )
    assert recording_module._pictures(two, lines, 3) == ["009900", "", "990025", "", ""]


def test_its_pictures_become_the_bars():
    found = recording()
    shades = found.shades(len(found.moments) - 1)
    pictures = shades / shades.sum(axis=1, keepdims=True)

    def far(moment):
        shades = found.shades(moment)
        there = shades[~np.isnan(shades).any(axis=1)]
        pictures = there / there.sum(axis=1, keepdims=True)
        return [0.5 * np.abs(pictures - bar).sum(axis=1).min() for bar in bar_topics()]

    assert pictures.shape == (len(found.topics), 25)
    assert np.mean(far(-1)) < 0.25 < np.mean(far(1))
    brightest = {tuple(np.flatnonzero(shade > 0.5)) for shade in shades}
    assert brightest == {tuple(np.flatnonzero(bar)) for bar in bar_topics()}, "ten clear bars"
    assert list(found.moments) == sorted(set(found.moments))
    assert found.moments[-1] == found.planned_docs


def test_a_topic_has_a_picture_from_its_birth_on():
    found = recording()
    born = [np.isnan(found.shades(i)).any(axis=1) for i in range(len(found.moments))]
    assert born[0].all(), "no document is read, no topic is there"
    assert not born[-1].any()


def test_topics_are_born_one_by_one():
    found = recording()
    there = [sum(map(bool, pictures)) for pictures in found.pictures]
    assert there[0] == 0
    assert there[1] < 0.5 * len(found.topics), "most come while somebody looks"
    assert max(np.diff(there[1:])) == 1


def test_figures_draw_its_history():
    moment, found = recording().moment(), recording()
    assert [p.n_topics for p in moment.trace] == [row[3] for row in found.trace]
    assert moment.snapshot.heldout == pytest.approx(found.trace[-1][4])
    assert sum(e.kind in ("birth", "split") for e in moment.snapshot.events) >= len(found.topics)
    assert moment.planned_docs == PLAN.passes * moment.docs_in_pass
    assert moment.corpus.n_words == load_sample(SAMPLE).corpus.n_words


def test_the_file_is_small():
    assert FILE.stat().st_size < 100_000
