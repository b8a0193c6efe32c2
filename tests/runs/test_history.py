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
from bnpexplorer.runs.history import DETAILED, FRAME_WORDS, SPREAD, History
from bnpexplorer.state.snapshot import Details, Event, Info, Topics


def born(topic):
    return Event("birth", children=(topic,), details=Details(topic, log_prior=(-0.5,)))


def births_of(told):
    """Of a history or a snapshot, in their order."""
    return [e for e in told.events if e.kind == "birth"]


def every(n_topics):
    """Of so many topics each of these keeps its details where it went long ago."""
    return next(n for n in (1, 2, 4, 8, 16) if 150 * n >= n_topics)


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
