"""What a run does when its cluster is lost and comes back; no cluster is needed for it."""

import argparse
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from bnpexplorer.__main__ import main
from bnpexplorer.chains import chains_of
from bnpexplorer.checks.expecting import bars, same
from bnpexplorer.cli import fit
from bnpexplorer.cli.threads import LOST
from bnpexplorer.inference.cores import use_everywhere, usual_pool
from bnpexplorer.inference.pool import PoolLost, RemotePool, Threads
from bnpexplorer.plugins.cluster.command import say_who_learns
from bnpexplorer.runs.background import BackgroundRun
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.run import Run
from bnpexplorer.runs.saved.library import Library


class Fickle(Threads, RemotePool):
    """Threads that are gone once, after so many steps."""

    def __init__(self, steps: int) -> None:
        super().__init__(2)
        self.steps, self.back = steps, threading.Event()

    def ready(self) -> None:
        self.steps -= 1
        if self.steps < 0 and not self.back.is_set():
            raise PoolLost("The cluster does not answer any more. Nothing is lost.")


def plan(chains: int = 1) -> Plan:
    values = {"n_topics": 6}
    return Plan.of("lda-svi", values=values, batch_size=100, passes=3, seed=3, chains=chains)


def finished(run: Any) -> Any:
    while not run.done:
        run.step()
    return run


def test_a_run_of_the_app_is_paused_and_goes_on_when_it_is_resumed() -> None:
    kept, pool = [], Fickle(4)
    alone = finished(plan().start(bars()))
    run = plan().start(bars(), pool=pool)
    background = BackgroundRun(run, keeper=lambda run, status: kept.append((status, run.n_steps)))
    background.start()
    while background.status != "paused":
        assert not background.wait(0.01), background.error
    assert (run.n_steps, background.latest.step, kept[-1]) == (4, 4, ("paused", 4))
    assert background.lost
    assert background.error == "The cluster does not answer any more. Nothing is lost."
    pool.back.set()
    background.resume()
    assert background.wait(300)
    assert (background.status, background.error, background.lost) == ("finished", "", False)
    assert same(run.snapshot().topics, alone.snapshot().topics)
    pool.close()


def test_chains_are_not_given_up_for_it() -> None:
    with Fickle(5) as pool:
        chains = chains_of(plan(chains=2), bars(), learn_all=True, pool=pool)
        with pytest.raises(PoolLost):
            finished(chains)
        assert chains.failed == {}
        pool.back.set()
        finished(chains)
    alone = finished(chains_of(plan(chains=2), bars(), learn_all=True))
    for ours, theirs in zip(chains.snapshot(), alone.snapshot(), strict=True):
        assert same(ours.topics, theirs.topics)


@pytest.fixture
def fickle(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fickle]:
    with Fickle(2) as pool:

        @contextmanager
        def given(options: argparse.Namespace) -> Iterator[Fickle]:
            yield pool

        monkeypatch.setattr(fit, "pool_for", given)
        yield pool


FIT = ["fit", "sample:bars", "--method", "lda-svi", "--batch-size", "500", "--passes", "2"]


@pytest.mark.second
def test_fit_saves_what_was_learned_and_goes_on_to_the_same_end(
    fickle: Fickle, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    out, straight = str(tmp_path / "cut"), str(tmp_path / "straight")
    assert main([*FIT, "--out", out, "--cluster", "tcp://far:1"]) == LOST
    said = capsys.readouterr().err
    way = f"fit {out} --go-on --cluster tcp://far:1 --out {out} --force"
    assert f"Nothing is lost. The run is in {out}: go on with `bnpexplorer {way}`." in said
    assert Run.load(out).n_steps == 2
    fickle.back.set()
    assert main(way.split()) == 0
    assert main([*FIT, "--out", straight]) == 0
    ended, whole = Run.load(out), Run.load(straight)
    assert ended.done
    assert same(ended.snapshot().topics, whole.snapshot().topics)


def test_fit_keeps_what_nobody_asked_it_to_keep(
    fickle: Fickle, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(FIT) == LOST
    [saved] = [one for one in Library().saved() if "cut short" in one.name]
    assert f"kept among those of the app as {saved.run_id}" in capsys.readouterr().err
    assert Library().load(saved.run_id).n_steps == 2


def test_what_goes_on_cannot_be_another_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "some", "--go-on", "--method", "lda-svi", "--batch-size", "3"]) == 2
    assert "leave --method, --batch-size out" in capsys.readouterr().err


def test_fit_refuses_a_cluster_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*FIT, "--cluster", "nowhere"]) == 2
    assert "A cluster is tcp://HOST:PORT" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "said"), [("lda-svi", False), ("hdp-tsvi", True)])
def test_a_sequential_law_says_that_the_cluster_is_not_for_it(
    name: str, said: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    say_who_learns(Plan.of(name).start(bars()))
    assert ("learns on this machine alone" in capsys.readouterr().err) == said


def test_runs_that_are_given_no_pool_take_the_one_for_all() -> None:
    before = usual_pool()
    with Threads(2) as pool:
        use_everywhere(pool)
        try:
            assert plan().start(bars()).pool is pool
        finally:
            use_everywhere(None)
    assert usual_pool() is before
