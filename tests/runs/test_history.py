"""The details of the newest events are kept with a run, and those of older ones are not."""

import numpy as np

from bnpexplorer import Corpus, Run
from bnpexplorer.methods.dpm_gibbs import DpmGibbs
from bnpexplorer.models.dpm import DPMixture
from bnpexplorer.runs.history import DETAILED, History
from bnpexplorer.state.snapshot import Details, Event


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
