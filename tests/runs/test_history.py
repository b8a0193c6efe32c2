"""The details of the newest events are kept with a run, and those of older ones are not."""

import numpy as np

from bnpexplorer import Corpus, Run
from bnpexplorer.methods.dpm_gibbs import DpmGibbs
from bnpexplorer.models.dpm import DPMixture
from bnpexplorer.runs.history import DETAILED, FRAME_WORDS, History
from bnpexplorer.state.snapshot import Details, Event, Info, Topics


def test_the_newest_events_keep_their_details():
    history, told = History(1000), Details(document=3, log_ratio=-0.5)
    for step in range(1, 9):
        history.note((Event("birth", details=told),) * 47, step, 10 * step)
        n = len(history.events)
        assert [e.details for e in history.events[: max(n - DETAILED, 0)]] == [None] * max(
            n - DETAILED, 0
        )
        assert all(e.details == told for e in history.events[max(n - DETAILED, 0) :])
    assert n > DETAILED + 47


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
