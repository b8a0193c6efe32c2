"""The thread around a run, and the gate at which runs wait."""

import math
import threading
import time

import numpy as np
import pytest

from bnpexplorer.core.faults import NotNow
from bnpexplorer.methods import make_method
from bnpexplorer.runs import background as background_module
from bnpexplorer.runs import warming
from bnpexplorer.runs.background import BackgroundRun, never
from bnpexplorer.runs.gate import Gate
from bnpexplorer.runs.run import Run
from bnpexplorer.runs.warming import warm_in_turn
from tests.tools.background import Slow, nothing_to_compile, slow_registry, slow_run
from tests.tools.waiting import NEVER, until


@pytest.fixture
def registry():
    yield from slow_registry()


@pytest.fixture(autouse=True)
def warm_kernels(monkeypatch):
    nothing_to_compile(monkeypatch)


def test_a_run_stands_back_behind_the_pages_before_it_learns(monkeypatch, dozen):
    done = []
    monkeypatch.setattr(
        background_module, "stand_back", lambda: done.append(threading.current_thread().name)
    )
    run = slow_run(dozen)
    step = run.step
    monkeypatch.setattr(run, "step", lambda: (done.append("step"), step()))
    background = BackgroundRun(run)
    background.step_once()
    run.method.may_step.release()
    until(lambda: "step" in done)
    background.stop()
    assert background.wait(NEVER)
    assert done[:2] == ["run", "step"]


def test_methods_are_compiled_one_after_the_other(monkeypatch):
    """Two threads want the first method; the second is compiled alone, and nobody waits for it."""
    compiled, may_end = [], {"first": threading.Event(), "second": threading.Event()}

    def compiling(method):
        compiled.append(method.name)
        assert may_end[method.name].wait(NEVER)
        compiled.append(f"{method.name} ready")

    class Named:
        def __init__(self, name):
            self.name = name

    def begin(*names):
        def work():
            for name in names:
                warm_in_turn(Named(name))

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        return thread

    monkeypatch.setattr(warming, "warm", compiling)
    monkeypatch.setattr(warming, "is_warm", lambda method: f"{method.name} ready" in compiled)
    both = begin("first", "second")
    until(lambda: compiled == ["first"])
    first, second = begin("first"), begin("second")
    time.sleep(0.05)
    assert compiled == ["first"]
    may_end["first"].set()
    first.join(NEVER)
    assert not first.is_alive()
    assert both.is_alive()
    assert second.is_alive()
    may_end["second"].set()
    both.join(NEVER)
    second.join(NEVER)
    assert compiled == ["first", "first ready", "second", "second ready"]


def test_settle_returns_as_soon_as_what_was_asked_is_so(dozen):
    background = BackgroundRun(slow_run(dozen))
    method = background.run.method
    background.start()
    until(lambda: background.status == "running")
    background.pause()
    began = time.monotonic()
    background.settle(0.1)
    assert time.monotonic() - began >= 0.1, "the mini-batch is still being learned"
    assert background.status == "running"
    assert background.asked_for == "pause", "which is what a page says meanwhile"
    method.may_step.release()
    background.settle(NEVER)
    assert background.status == "paused"
    assert background.asked_for == ""
    background.step_once()
    until(lambda: background.status == "running")
    assert background.asked_for == "", "it takes a step, and is not about to pause"
    method.may_step.release()
    background.settle(NEVER)
    assert background.status == "paused"
    assert method.n_steps == 2
    background.stop()
    method.may_step.release(1000)
    background.settle(NEVER)
    assert background.ended


def test_gives_the_same_numbers_as_a_plain_run(dozen):
    method = make_method("lda-svi", "default", {"n_topics": 3})
    plain = Run(method, dozen, seed=9, batch_size=4, passes=4)
    while not plain.done:
        plain.step()
    background = BackgroundRun(Run(method, dozen, seed=9, batch_size=4, passes=4))
    background.start()
    assert background.wait(300)
    assert background.status == "finished"
    np.testing.assert_array_equal(
        background.latest.topics.topic_word, plain.snapshot().topics.topic_word
    )


def test_pause_step_resume_stop(dozen, registry):
    background = registry.add(slow_run(dozen)).background
    method = background.run.method
    assert background.status == "ready"
    background.step_once()
    method.may_step.release()
    until(lambda: background.status == "paused")
    assert method.n_steps == 1
    assert background.latest.step == 1
    background.step_once()
    method.may_step.release()
    until(lambda: background.latest.step == 2 and background.status == "paused")
    background.resume()
    until(lambda: background.status == "running")
    background.pause()
    method.may_step.release()
    until(lambda: background.status == "paused")
    assert method.n_steps == 3
    background.stop()
    assert background.wait(NEVER)
    assert background.status == "stopped"
    assert background.latest.step == 3
    background.start()
    assert background.status == "stopped", "a run that has ended stays ended"


def test_who_waits_in_line_is_kept_before_and_who_starts_at_once_is_not(dozen, registry):
    kept = []
    entries = [
        registry.add(
            slow_run(dozen), keep=lambda entry, run, status: kept.append((entry.run_id, status))
        )
        for _ in range(4)
    ]
    for entry in entries:
        entry.background.start()
        until(lambda e=entry: e.background.status in ("running", "queued"))
    third, fourth = entries[2:]
    until(lambda: fourth.background.place_in_queue == 2)
    assert kept == [(third.run_id, "queued"), (fourth.run_id, "queued")]
    third.background.stop()
    until(lambda: third.background.status == "stopped")
    assert kept[2:] == [(third.run_id, "stopped")]


def test_failure_is_reported_and_gives_the_place_back(dozen, registry):
    class Broken(Slow):
        def step(self, state, batch, rng, pool):
            assert self.may_step.acquire(timeout=NEVER)
            raise ZeroDivisionError("the weights vanished")

    run = slow_run(dozen)
    run.method = Broken()
    broken = registry.add(run).background
    broken.start()
    until(lambda: broken.status == "running")
    broken.change(lambda run: None)
    assert broken.changing
    run.method.may_step.release()
    assert broken.wait(NEVER)
    assert broken.status == "failed"
    assert not broken.changing, "what was asked for will never be done"
    assert broken.error == "ZeroDivisionError: the weights vanished"
    assert "Traceback" in broken.error_details
    others = [registry.add(slow_run(dozen)).background for _ in range(2)]
    for other in others:
        other.start()
        until(lambda o=other: o.status == "running")


def test_single_steps_that_could_not_be_taken_are_not_taken_later(dozen):
    class Lost(Slow):
        is_lost = True

        def step(self, state, batch, rng, pool):
            if self.is_lost:
                assert self.may_step.acquire(timeout=NEVER)
                raise NotNow("The texts are gone.")
            return super().step(state, batch, rng, pool)

    run = slow_run(dozen)
    run.method = Lost()
    background = BackgroundRun(run)
    background.step_once()
    until(lambda: background.status == "running")
    background.step_once()
    run.method.may_step.release()
    until(lambda: background.lost)
    with background._changed:
        assert background._idle(), "no step is left to be taken"
    until(lambda: background.status == "paused")
    assert background.error == "The texts are gone."
    run.method.is_lost = False
    run.method.may_step.release(3)
    background.step_once()
    background.settle(NEVER)
    assert (run.n_steps, background.error, background.lost) == (1, "", False)
    background.stop()
    assert background.wait(NEVER)


@pytest.mark.parametrize(("step_seconds", "taken"), [(0.0, ["long"]), (1e-9, ["one"])])
def test_in_slow_motion_a_job_of_long_steps_takes_one_mini_batch_at_a_time(
    step_seconds, taken, monkeypatch
):
    steps = []

    class Job:
        method, docs_seen, done, hurried = None, 0, False, never

        def step(self, how="long"):
            steps.append(how)
            self.done = True

        def step_once(self):
            self.step("one")

        def prepare(self):
            pass

        def snapshot(self):
            pass

    monkeypatch.setattr(background_module, "warm_in_turn", lambda method: None)
    background = BackgroundRun(Job(), step_seconds=step_seconds)
    background.start()
    assert background.wait(NEVER)
    assert steps == taken


def test_slow_motion_keeps_the_pace_but_nobody_waiting(dozen):
    run = Run(make_method("lda-svi", "default", {"n_topics": 3}), dozen, batch_size=4, passes=2)
    background, began = BackgroundRun(run, step_seconds=0.05), time.monotonic()
    background.start()
    assert background.wait(NEVER)
    assert background.status == "finished"
    assert time.monotonic() - began >= 0.05 * 5, "between the six steps"

    again = BackgroundRun(Run(run.method, dozen, batch_size=4, passes=2), step_seconds=60.0)
    again.start()
    until(lambda: again.run.docs_seen == 4)
    again.pause()
    until(lambda: again.status == "paused")
    again.step_once()
    until(lambda: again.run.docs_seen == 8)
    again.start()
    until(lambda: again.run.docs_seen == 12)
    again.stop()
    assert again.wait(NEVER)
    assert (again.status, again.run.docs_seen) == ("stopped", 12)


def test_a_stop_is_not_taken_back(dozen, registry):
    background = registry.add(slow_run(dozen)).background
    background.start()
    until(lambda: background.status == "running")
    background.stop()
    background.pause()
    background.start()
    background.run.method.may_step.release()
    assert background.wait(NEVER)
    assert background.status == "stopped"


def test_a_step_asked_for_while_a_batch_is_at_hand_is_one_more(dozen, registry):
    background = registry.add(slow_run(dozen)).background
    method = background.run.method
    background.start()
    until(lambda: background.status == "running")
    background.pause()
    background.step_once()
    method.may_step.release(5)
    until(lambda: background.status == "paused")
    assert method.n_steps == 2


def test_a_pause_while_it_starts_comes_before_the_first_batch(dozen, registry):
    run = slow_run(dozen)
    begun, may_go = threading.Event(), threading.Event()
    prepare = run.prepare

    def slow_prepare():
        begun.set()
        assert may_go.wait(NEVER)
        prepare()

    run.prepare = slow_prepare
    background = registry.add(run).background
    background.start()
    assert begun.wait(NEVER)
    assert background.status == "starting"
    background.pause()
    may_go.set()
    until(lambda: background.status == "paused")
    assert run.method.n_steps == 0


def test_a_run_that_is_paused_in_line_is_no_longer_in_line_on_the_disk(dozen, registry):
    kept = []
    entries = [
        registry.add(slow_run(dozen), keep=lambda entry, run, status: kept.append(status))
        for _ in range(3)
    ]
    for entry in entries:
        entry.background.start()
        until(lambda e=entry: e.background.status in ("running", "queued"))
    until(lambda: kept == ["queued"])
    entries[2].background.pause()
    until(lambda: entries[2].background.status == "paused")
    assert kept == ["queued", "paused"]


@pytest.mark.parametrize("error", [MemoryError(), KeyError("gone")])
def test_whatever_keeps_a_run_off_the_disk_it_goes_on(dozen, registry, error):
    def keep(entry, run, status):
        raise error

    run = slow_run(dozen, passes=1)
    for _ in range(run.n_batches):
        run.method.may_step.release()
    background = registry.add(run, keep=keep).background
    background.start()
    assert background.wait(NEVER)
    assert background.status == "finished"
    assert background.not_kept


def test_a_tenfold_of_the_documents_lasts_as_long_as_it_should_whatever_the_step(dozen):
    run = Run(make_method("lda-svi", "default", {"n_topics": 3}), dozen, batch_size=4, passes=2)
    paced = BackgroundRun(run, tenfold_seconds=4.0)
    lasts, before = [], 0
    while not run.done:
        run.step()
        lasts.append(paced._lasts(before))
        before = run.docs_seen
    after = [(docs + 4) / docs for docs in range(4, 28, 4)]
    assert lasts == pytest.approx([4.0 * math.log10(growth) for growth in after])
    assert BackgroundRun(run, step_seconds=9.0)._lasts(0) == 9.0
    assert BackgroundRun(run)._lasts(0) == 0.0


def test_who_pauses_a_paced_run_waits_for_no_document(dozen):
    run = Run(make_method("lda-svi", "default", {"n_topics": 3}), dozen, batch_size=4, passes=2)
    paced = BackgroundRun(run, tenfold_seconds=600.0)
    paced.start()
    until(lambda: run.docs_seen == 4)
    paced.pause()
    until(lambda: paced.status == "paused")
    assert run.docs_seen == 4
    paced.stop()
    assert paced.wait(NEVER)


def test_a_run_whose_turn_is_over_shows_its_last_step_while_it_waits(dozen, monkeypatch):
    monkeypatch.setattr(background_module, "PUBLISH_SECONDS", math.inf)
    gate = Gate(1, turn_seconds=0.0)
    first, second = (BackgroundRun(slow_run(dozen), gate=gate) for _ in range(2))
    first.start()
    until(lambda: first.status == "running")
    second.start()
    until(lambda: gate.place(second) == 1)
    first.run.method.may_step.release()
    until(lambda: first.status == "queued")
    assert first.latest.docs_seen == first.run.docs_seen == 4
    for one in (first, second):
        one.stop()
        one.run.method.may_step.release()
        assert one.wait(NEVER)


def test_why_a_run_was_paused_holds_until_somebody_asks_for_something(dozen):
    background = BackgroundRun(slow_run(dozen))
    asks = (background.start, background.step_once, background.pause, background.stop)
    for ask in asks:
        background.pause("Paused at noon.")
        assert background.why_paused == "Paused at noon."
        ask()
        assert background.why_paused == ""
    background.run.method.may_step.release(9)
    assert background.wait(NEVER)
