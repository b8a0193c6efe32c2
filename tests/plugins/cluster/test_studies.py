"""Trials of claims and sweeps that workers try, one each: what is found is what we find here."""

import dataclasses
import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bnpexplorer.__main__ import main
from bnpexplorer.checks.expecting import bars
from bnpexplorer.claims import Claim, ClaimVerdict, Judged, Study, Trial, TrialOutcome
from bnpexplorer.cli.threads import LOST
from bnpexplorer.compare.sweep import Axis, Sweep
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference.cores import use_everywhere
from bnpexplorer.inference.pool import PoolLost
from bnpexplorer.plugins.cluster import ClusterPool
from bnpexplorer.plugins.cluster import command as cluster_options
from bnpexplorer.plugins.cluster import trials as trials_module
from bnpexplorer.plugins.cluster.drivers import StudyDriver
from bnpexplorer.plugins.cluster.trials import Trials
from bnpexplorer.runs.background import BackgroundRun
from bnpexplorer.runs.run import Run
from tests.plugins.cluster import work
from tests.tools.waiting import NEVER, until

pytestmark = pytest.mark.second

KINDS = ("lda-svi", "hdp-tsvi", "hdp-gibbs", "dpm-particle")
"""Of each kind one method."""


def claim_of(methods: tuple[str, ...] = KINDS, passes: int = 1, one_split: bool = False) -> Claim:
    """Trials that end with their passes, however long these take."""
    return Claim(
        "kinds",
        "A method of each kind",
        "Nobody 2020",
        "One is one.",
        "By counting.",
        lambda n: [
            Trial(name, x, name, seed, batch_size=10 * (1 + x), passes=passes)
            for seed in range(n)
            for x, name in enumerate(methods)
        ],
        lambda findings: ClaimVerdict("holds", f"{len(findings)}"),
        lambda findings: [],
        Judged("Nobody judged it."),
        one_split=one_split,
    )


def study_of(claim: Any, folder: Path, texts: Corpus | None = None) -> Study[Any]:
    corpus = bars(80) if texts is None else texts
    return Study(claim, corpus, 3600.0 * 24, 2, folder)


def finished(study: Study[Any]) -> Study[Any]:
    while not study.done:
        study.step()
    return study


def at_once(study: Study[Any], pool: ClusterPool, seconds: float) -> Study[Any]:
    trials = Trials(pool, study.corpus, timed=True)
    trials.seconds = trials.most = seconds
    study.driver = StudyDriver(study, trials)
    return study


def expect_equal(a: Study[Any], b: Study[Any]) -> None:
    """All that was found, but for the seconds."""
    assert list(a.findings) == list(b.findings) == list(a.trials)
    for trial in a.trials:
        ours, theirs = a.findings[trial], b.findings[trial]
        assert len(ours.seconds) == len(theirs.seconds) > 1
        for field in dataclasses.fields(TrialOutcome):
            if field.name != "seconds":
                of_both = [repr(getattr(one, field.name)) for one in (ours, theirs)]
                assert of_both[0] == of_both[1], (trial, field.name)


@pytest.mark.parametrize("one_split", [False, True])
def test_a_study_finds_what_it_would_in_turn(
    pool: ClusterPool, tmp_path: Path, one_split: bool
) -> None:
    """Pieces of a trial, by both workers; and whole trials of a sweep."""
    methods = KINDS if not one_split else KINDS[:1]
    claim = claim_of(methods, one_split=one_split)
    alone = finished(study_of(claim, tmp_path / "alone"))
    there = finished(at_once(study_of(claim, tmp_path / "there"), pool, 0.3))
    expect_equal(alone, there)
    assert study_of(claim, tmp_path / "there").done, "what was found is on the disk"


def test_a_sweep_finds_what_it_would_in_turn(pool: ClusterPool, tmp_path: Path) -> None:
    sweep = Sweep("hdp-tsvi", Axis("batch_size", (10.0, 20.0)))
    once = [dataclasses.replace(trial, passes=1) for trial in sweep.trials(2)]
    alone, there = (study_of(sweep, tmp_path / name) for name in ("alone", "there"))
    for study in (alone, there):
        study.trials = once
    expect_equal(finished(alone), finished(at_once(there, pool, 30.0)))


def test_a_worker_that_is_killed_costs_a_study_no_number(
    pool: ClusterPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In its second piece, after moments that came home: what it had is done again from there."""
    claim = claim_of(("lda-svi", "hdp-tsvi"), passes=30)
    texts = dataclasses.replace(bars(80), name=str(tmp_path))
    alone = finished(study_of(claim, tmp_path / "alone", texts))
    monkeypatch.setattr(trials_module, "drive_on", work.dies_amid)
    monkeypatch.setattr(pool, "wait_seconds", NEVER)
    again = pool.moved.again
    there = at_once(study_of(claim, tmp_path / "there", texts), pool, 0.0)
    there.step()  # a mini-batch each
    assert len(there.snapshot()) == 2, "some moments are at home"
    assert not there.findings
    assert pool.moved.again == again
    there.driver.trials.seconds = there.driver.trials.most = 3600.0
    expect_equal(alone, finished(there))
    assert pool.moved.again == again + 1


def test_a_second_is_one_of_the_worker_and_ends_a_trial(pool: ClusterPool, tmp_path: Path) -> None:
    claim = claim_of(("hdp-tsvi",), passes=10_000)
    study = Study(claim, bars(80), 2 * (2.0 + 1.5), 2, tmp_path)
    finished(at_once(study, pool, 0.4))
    assert study.share == 2.0
    for outcome in study.findings.values():
        assert 2.0 <= outcome.seconds[-1] < 4.0
        assert np.all(np.diff(outcome.seconds) > 0)
        assert len(outcome.seconds) >= 3


def test_a_trial_that_fails_there_fails_here(
    pool: ClusterPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The study is told why, as it is in turn."""
    study = at_once(study_of(claim_of(("lda-svi",)), tmp_path), pool, 5.0)
    monkeypatch.setattr(trials_module, "drive_on", work.always_fails)
    monkeypatch.setattr(Run, "step", work.no_step)
    with pytest.raises(ArithmeticError, match="no number"):
        study.step()


def test_claims_on_the_command_line_are_tried_by_the_workers(
    pool: ClusterPool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Where the cluster is lost, what was found stays, and the same command goes on.

    Sixteen trials: two at once, a mini-batch at a time.
    """
    monkeypatch.setenv("BNPEXPLORER_HOME", str(tmp_path))
    claim = claim_of(("lda-svi", "hdp-tsvi"))
    monkeypatch.setattr("bnpexplorer.cli.claims.CLAIMS", {"kinds": claim})
    monkeypatch.setattr(cluster_options, "connect", lambda *_: nullcontext(pool))
    command = ["claims", "kinds", "--path", "sample:bars", "--minutes", "1000", "--seeds", "8"]
    command += ["--cluster", "tcp://far:1"]
    ready = ClusterPool.ready

    def found() -> list[Path]:
        return list((tmp_path / "claims").glob("kinds-*.json"))

    def gone(self: ClusterPool) -> None:
        if found():
            raise PoolLost("The cluster does not answer any more.")
        ready(self)

    with monkeypatch.context() as patched:
        patched.setattr(trials_module, "SECONDS", 0.0)
        patched.setattr(trials_module, "MOST_SECONDS", 0.0)
        patched.setattr(ClusterPool, "ready", gone)
        assert main(command) == LOST
    said = capsys.readouterr().err
    assert "does not answer any more. What was found is kept, and the same command goes on" in said
    [kept] = found()
    assert 0 < len(json.loads(kept.read_text())) < 16
    assert main(command) == 0
    assert "holds here after equal seconds. 16" in capsys.readouterr().out


def test_a_study_of_the_app_pauses_at_once_and_goes_on(
    pool: ClusterPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the cluster that serves the process, and with what was learned when it was paused."""
    monkeypatch.setattr(trials_module, "SECONDS", 600.0)  # the most, then, too
    claim = claim_of(("hdp-tsvi", "lda-svi"), passes=100_000)
    use_everywhere(pool)
    try:
        study = study_of(claim, tmp_path)
        assert study.n_at_once == 2
        background = BackgroundRun(study)
        background.start()
        until(lambda: background.status == "running")
        background.pause()
        until(lambda: background.status == "paused")
        assert not study.done
        learned = max(away.mark for away in study.driver.away.values())
        assert learned > 0
        assert background.latest.keys() - study.findings.keys(), "what is under way is shown"
        study.driver.trials.seconds = study.driver.trials.most = 0.2
        background.resume()
        until(lambda: max((a.mark for a in study.driver.away.values()), default=0) > learned)
        background.stop()
        assert background.wait(300)
        assert background.status == "stopped"
    finally:
        use_everywhere(None)
