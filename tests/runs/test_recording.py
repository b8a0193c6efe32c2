"""The recording that the Start page plays is a run of ours: learned once more it begins alike."""

import numpy as np
import pytest

from bnpexplorer.explore.likeness import found_again
from bnpexplorer.runs.recording import FILE, PLAN, SAMPLE, recording
from bnpexplorer.samples import bar_topics, load_sample


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
