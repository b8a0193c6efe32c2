"""Test trials that are tried at once, and whose processor time counts for which."""

import threading
import time

import numpy as np
import pytest

from bnpexplorer.claims import Study
from bnpexplorer.claims.attempt import Attempt, begin
from bnpexplorer.inference.cores import Cores
from bnpexplorer.methods import make_method
from bnpexplorer.runs.run import Run
from tests.claims.small import BY_PASSES, SMALL, finished
from tests.tools.waiting import NEVER


@pytest.fixture
def two_cores(monkeypatch):
    monkeypatch.setattr("bnpexplorer.claims.study.usual_pool", lambda: made)
    made = Cores(2)
    return made


@pytest.mark.second
def test_trials_of_equal_passes_are_tried_at_once_and_find_the_same(
    bars, tmp_path, two_cores, monkeypatch
):
    corpus = bars[0].take(np.arange(120))
    together = Study(BY_PASSES, corpus, 600.0, 2, tmp_path / "two")
    assert together.n_at_once == 2
    begun = []
    with monkeypatch.context() as patched:
        patched.setattr("bnpexplorer.claims.study._learn", begun.append)
        together.step()  # in which nothing is learned
    assert [len(attempts) for attempts in begun] == [2]
    finished(together)
    two_cores.use(1)
    alone = Study(BY_PASSES, corpus, 600.0, 2, tmp_path / "one")
    assert alone.n_at_once == 1
    with monkeypatch.context() as patched:
        patched.setattr("bnpexplorer.claims.study._learn", begun.append)
        alone.step()
    assert [len(attempts) for attempts in begun] == [2, 1]
    finished(alone)
    assert list(together.findings) == list(alone.findings) == together.trials
    for trial, outcome in together.findings.items():
        other = alone.findings[trial]
        assert outcome.passes[-1] == trial.passes == 2
        assert outcome.scores[-1] == other.scores[-1]
        assert outcome.docs_seen[-1] == other.docs_seen[-1]
        assert outcome.unigram == (other.unigram[-1],) * len(outcome.unigram)


def test_trials_at_once_compute_at_the_same_time(bars, tmp_path, two_cores, monkeypatch):
    """Both are inside a step at one moment: each waits there for the other."""
    there = threading.Barrier(2, timeout=NEVER)
    learn = Attempt.learn

    def met(attempt, over):
        there.wait()
        learn(attempt, over)

    study = Study(BY_PASSES, bars[0].take(np.arange(120)), 600.0, 1, tmp_path)
    monkeypatch.setattr(Attempt, "learn", met)
    study.step()
    assert not there.broken


def test_trials_of_equal_seconds_are_tried_at_once_too(bars, tmp_path, two_cores, monkeypatch):
    study = Study(SMALL, bars[0].take(np.arange(120)), 120.0, 2, tmp_path)
    begun = []
    monkeypatch.setattr("bnpexplorer.claims.study._learn", begun.append)
    study.step()
    assert [len(attempts) for attempts in begun] == [study.n_at_once] == [2]
    assert all(attempt.run.pool is None for attempt in begun[0]), "each has one core"


def test_seconds_of_a_trial_are_those_that_a_processor_spent_on_it(bars, tmp_path, monkeypatch):
    """A step that waits, as where others have the processor, takes none of a trial's time."""
    corpus = bars[0].take(np.arange(120))
    study = Study(SMALL, corpus, 1200.0, 1, tmp_path)
    attempt = begin(study.trials[0], study.terms, corpus, {})
    usual = Run(make_method("lda-svi", "default", {"n_topics": 4}), corpus, 0, batch_size=5)
    for run in (attempt.run, usual):
        run.step()  # which compiles
        step = type(run.method).step

        def slow(self, *given, step=step):
            time.sleep(0.5)
            return step(self, *given)

        before = run.seconds
        with monkeypatch.context() as patched:
            patched.setattr(type(run.method), "step", slow)
            run.step()
        spent = run.seconds - before
        assert spent < 0.4 if run is attempt.run else spent >= 0.5
