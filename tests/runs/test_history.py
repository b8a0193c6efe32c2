"""The details of the newest events, of topics that are still there and of some others are kept."""

from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer import Corpus, Run
from bnpexplorer.methods.dpm_gibbs import DpmGibbs
from bnpexplorer.methods.hdp_tsvi import HdpTsvi
from bnpexplorer.models.dpm import DPMixture
from bnpexplorer.models.hdp import HDP
from bnpexplorer.plots.live import marks_along
from bnpexplorer.runs.draws import Draw, RunDraws
from bnpexplorer.runs.history import DETAILED, FRAME_WORDS, MAX_FRAMES, SPREAD, History
from bnpexplorer.state.edits import Edit
from bnpexplorer.state.snapshot import Details, Event, Info, Topics


def born(topic):
    return Event("birth", children=(topic,), details=Details(topic, log_prior=(-0.5,)))


def births_of(told):
    """Of a history or a snapshot, in their order."""
    return [e for e in told.events if e.kind == "birth"]


def every(n_topics):
    """Of so many topics each of these keeps its details where it went long ago."""
    return next(n for n in (1, 2, 4, 8, 16) if 150 * n >= n_topics)


@pytest.mark.second
def test_details_are_kept_of_the_newest_and_of_those_still_there():
    """Of 1,200 topics every tenth stays, and all others end 5 steps after they came; of these every
    second, fourth or eighth keeps its own, so that 150 at most are left."""
    history = History(12_000)
    for step in range(1, 1201):
        ended = [] if step < 6 or (step - 5) % 10 == 0 else [Event("prune", parents=(step - 5,))]
        history.note((born(step), *ended), step, 10 * step)
        births = births_of(history)
        kept = [e.children[0] for e in births if e.details is not None]
        old = [e.children[0] for e in births[:-DETAILED]]
        there = [k for k in old if k % 10 == 0 or k > step - 5 or k % every(step + 1) == 0]
        assert kept == there + [e.children[0] for e in births[-DETAILED:]]
    assert [e.details.document for e in births if e.details] == kept
    assert every(step + 1) == 16
    assert len(kept) == 90 + 56 - 11 + DETAILED


@pytest.mark.parametrize("opened", [False, True])
def test_a_topic_that_takes_in_others_is_still_there(opened):
    """As a merge by hand gives the sum the identity of one, and a split the first part."""
    history = History(1000)
    history.note((born(0), born(1), born(2)), 1, 10)
    history.note((Event("merge", (0, 1), (0,)), Event("split", (2,), (2, 3))), 2, 20)
    if opened:  # as from a file, which has the events alone
        history = History(1000, events=list(history.events))
    for topic in range(10, 10 + DETAILED):
        history.note((born(topic),), topic, 10 * topic)
    first = [e for e in history.events if e.step == 1]
    assert [e.details is not None for e in first] == [True, False, True]


@pytest.mark.second
def test_topics_in_use_after_a_long_run_tell_what_a_replay_tells(tmp_path):
    """Also where the run was saved and opened on its way."""
    rng = np.random.default_rng(3)
    counts = rng.multinomial(30, rng.dirichlet(np.full(40, 0.1), 6)[rng.integers(6, size=60)])
    corpus = Corpus.from_csr(counts)
    method = HdpTsvi(HDP(5.0, 1.0, 0.1), burn_in=5, kept_sweeps=1, alone=0.05)
    run = Run(method, corpus, seed=5, batch_size=30, passes=240)
    while not run.done:
        if run.n_steps == 150:
            run.save(tmp_path / "half.run")
            run = Run.load(tmp_path / "half.run")
        run.step()
    again, born, ended = Run(method, corpus, seed=5, batch_size=30, passes=240), {}, 0
    while not again.done:
        again.step()
        for event in again.latest_info.events:
            at = {"step": again.n_steps, "docs_seen": again.docs_seen}
            born |= {event.children[0]: replace(event, **at)} if event.kind == "birth" else {}
            ended += event.kind == "prune"
    assert ended > 2 * DETAILED
    snapshot = run.snapshot()
    kept = {e.children[0]: e for e in snapshot.events if e.kind == "birth" and e.details}
    in_use = snapshot.topics.topic_ids[snapshot.topics.in_use].tolist()
    old = [topic for topic in in_use if topic < list(born)[-DETAILED]]
    assert len(old) >= 2, "none of the first topics lasts"
    assert born[min(old)].step < 10
    assert {topic: kept[topic] for topic in in_use} == {topic: born[topic] for topic in in_use}
    assert len(kept) <= DETAILED + SPREAD + len(snapshot.topics)
    gone = [e.children[0] for e in births_of(snapshot)[:-DETAILED] if e.children[0] not in in_use]
    marks = next(marks_along(run.moment(), snapshot.trace))
    told = [snapshot.events[place].details is not None for place in marks.newest]
    of_many = marks.counts >= every(len(born))  # one of these is among so many in a row
    assert of_many.sum() > 30
    assert all(np.array(told)[of_many]), "a click on a mark finds numbers"
    assert kept.keys() & gone == {topic for topic in gone if topic % every(len(born)) == 0}


def test_details_are_saved_and_opened_with_a_run(tmp_path):
    counts = (
        np.random.default_rng(0).poisson(0.7, (30, 8)) + np.eye(8, dtype=int)[np.arange(30) % 8]
    )
    method = DpmGibbs(DPMixture(5.0, 0.2), start_size=1)
    run = Run(method, Corpus.from_csr(counts), batch_size=10, passes=20)
    while not run.done:
        run.step()
    run.save(tmp_path / "a.run")
    events = run.snapshot().events
    assert Run.load(tmp_path / "a.run").snapshot().events == events
    births = [e.details for e in events if e.kind == "birth" and e.details]
    moves = [e.details for e in events if e.kind in ("split", "merge")]
    assert all(len(d.log_prior) == len(d.topics) + 1 > 1 for d in births)
    assert all(sum(d.sizes) >= 2 and np.isfinite(d.log_ratio) for d in moves)
    assert births
    assert moves


def topics_of(sizes):
    """Topics whose shares of the words differ from their weights in the corpus."""
    n = len(sizes)
    return Topics(
        np.full((n, 50), 0.02, np.float32),
        np.ones(n),
        np.array(sizes, float),
        np.full(n, 0.9 / n),
        0.1,
        np.arange(n),
        1.0,
        1.0,
        0.1,
    )


def test_a_copy_shares_no_list_with_the_other():
    """An edit is taken back by it."""
    history = History(1000)
    copied = history.copy()
    for one, other in ((history, copied), (history.draws, copied.draws)):
        lists = [name for name, value in vars(one).items() if isinstance(value, list)]
        assert lists
        assert not [name for name in lists if getattr(one, name) is getattr(other, name)]


def test_a_frame_holds_shares_and_the_last_moment_always_has_one():
    history = History(planned=1000)
    history.add(1, 10, 0.1, topics_of([30.0, 10.0]), Info(), float("nan"), last=False)
    (frame,) = history.frames
    np.testing.assert_allclose(frame.weight, [0.75, 0.25])
    assert frame.word_ids.shape == (2, FRAME_WORDS)
    history.next_frame = 1000
    history.add(2, 20, 0.2, topics_of([1.0]), Info(), float("nan"), last=False)
    assert len(history.frames) == 1, "its turn has not come"
    history.add(3, 30, 0.3, topics_of([2.0]), Info(), float("nan"), last=True)
    assert [frame.docs_seen for frame in history.frames] == [10, 30]


def test_after_a_change_by_hand_a_score_and_a_frame_are_due_and_draws_are_as_far_apart():
    history = History(planned=1000, next_row=900, next_score=900, next_frame=900)
    history.draws = RunDraws([Draw(10, {"topics": 3.0})], spacing=7)
    history.change(Edit("merge", (1, 2), ("a", "b"), (1,), 4, 40), (born(9),))
    assert history.score_due(40)
    assert not history.score_due(39)
    assert history.next_frame == 40
    assert (history.draws.taken, history.draws.spacing) == ([], 7)
    assert (history.edition, [edit.kind for edit in history.edits]) == (1, ["merge"])
    assert [(e.step, e.docs_seen, e.children) for e in history.events] == [(4, 40, (9,))]


def test_rows_scores_and_frames_come_closer_together_at_the_start():
    """Of 6,000 documents: a tenth of those read until 1 in 200 of all, a fifth until 1 in 60."""
    history, nan = History(planned=6000), float("nan")
    for docs in range(1, 6001):
        if history.row_due(docs):
            score = -2.0 if history.score_due(docs) else nan
            history.add(docs, docs, 0.5, topics_of([1.0]), Info(), score, last=docs == 6000)
    rows = [point.docs_seen for point in history.trace]
    scores = [point.docs_seen for point in history.trace if np.isfinite(point.heldout)]
    assert rows[:12] == [*range(1, 11), 12, 14]
    assert set(np.diff(rows)[-100:]) == {31}
    assert scores[:8] == [1, 2, 3, 4, 5, 7, 9, 12]
    assert set(np.diff(scores)[-30:]) == {124}, "101 later, at the next row"
    assert [frame.docs_seen for frame in history.frames[:3]] == [1, 3, 5], "of 201 every second"
    assert len(history.frames) <= 200


def test_of_too_many_frames_every_second_is_left_and_the_next_are_further_apart():
    history, spacing = History(planned=100_000), set()
    for docs in range(1, 1000):
        history.add(docs, docs, 0.0, topics_of([1.0]), Info(), float("nan"), last=False)
        spacing.add((len(history.frames), history.frame_spacing))
    assert max(n for n, _ in spacing) == MAX_FRAMES == 200
    assert history.frame_spacing == 100_000 // 200, "as many as fit, if all are read"
    assert [frame.docs_seen for frame in history.frames[-2:]] == [201, 701]
    short = History(planned=1)
    for docs in range(1, 1000):
        short.add(docs, docs, 0.0, topics_of([1.0]), Info(), float("nan"), last=True)
    assert short.frame_spacing == 0, "planned for one document, each of which is the last"
