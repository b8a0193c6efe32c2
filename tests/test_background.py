"""The thread around a run, the queue, leases and the grace timer."""

import threading
import time

import numpy as np
import pytest

from bnpexplorer import background as background_module
from bnpexplorer import registry as registry_module
from bnpexplorer.background import BackgroundRun, Gate, warm_in_turn
from bnpexplorer.labels import Labels
from bnpexplorer.methods import make_method
from bnpexplorer.methods.base import Inference
from bnpexplorer.registry import Registry
from bnpexplorer.run import Run
from bnpexplorer.warming import warm


def until(condition, seconds=20.0):
    """Wait until `condition()` holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)


class Slow(Inference):
    """A method whose steps wait until the test lets them go on."""

    def __init__(self):
        self.inner = make_method("lda-svi", "default", {"n_topics": 3})
        self.name, self.model, self.batching = "lda-svi", self.inner.model, "shuffled"
        self.may_step = threading.Semaphore(0)
        self.n_steps = 0

    def init(self, corpus, rng):
        return self.inner.init(corpus, rng)

    def step(self, state, batch, rng, pool):
        assert self.may_step.acquire(timeout=30)
        self.n_steps += 1
        return self.inner.step(state, batch, rng, pool)

    def topics(self, state):
        return self.inner.topics(state)


@pytest.fixture
def registry():
    made = Registry(computing=2, kept=3, grace_seconds=0.2)
    yield made
    for entry in list(made._entries.values()):
        if isinstance(entry.background.run.method, Slow):
            entry.background.run.method.may_step.release(1000)
    made.stop_all()
    assert not [t for t in threading.enumerate() if t.name == "run"], "a worker thread is left"


@pytest.fixture(autouse=True)
def warm_kernels(monkeypatch):
    """The stand-ins of these tests need no compilation of their own."""
    warm(make_method("lda-svi", "default", {"n_topics": 3}))
    monkeypatch.setattr(background_module, "warm_key", lambda method: method.name)
    monkeypatch.setattr(background_module, "is_warm", lambda method: True)


def test_methods_are_compiled_one_after_the_other(monkeypatch):
    """Two threads want the first method; the second is compiled alone, and nobody waits for it."""
    compiled, may_end = [], {"first": threading.Event(), "second": threading.Event()}

    def compiling(method):
        compiled.append(method.name)
        assert may_end[method.name].wait(20)
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

    monkeypatch.setattr(background_module, "warm", compiling)
    monkeypatch.setattr(
        background_module, "is_warm", lambda method: f"{method.name} ready" in compiled
    )
    both = begin("first", "second")
    until(lambda: compiled == ["first"])
    first, second = begin("first"), begin("second")
    time.sleep(0.05)
    assert compiled == ["first"]
    may_end["first"].set()
    first.join(20)
    assert not first.is_alive()
    assert both.is_alive()
    assert second.is_alive()
    may_end["second"].set()
    both.join(20)
    second.join(20)
    assert compiled == ["first", "first ready", "second", "second ready"]


def slow_run(dozen, passes=5):
    return Run(Slow(), dozen, batch_size=4, passes=passes)


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
    background.settle(20.0)
    assert background.status == "paused"
    assert background.asked_for == ""
    background.step_once()
    method.may_step.release()
    background.settle(20.0)
    assert background.status == "paused"
    assert method.n_steps == 2
    background.stop()
    method.may_step.release(1000)
    background.settle(20.0)
    assert background.ended


def test_gives_the_same_numbers_as_a_plain_run(dozen):
    method = make_method("lda-svi", "default", {"n_topics": 3})
    plain = Run(method, dozen, seed=9, batch_size=4, passes=4)
    while not plain.done:
        plain.step()
    background = BackgroundRun(Run(method, dozen, seed=9, batch_size=4, passes=4))
    background.start()
    assert background.wait(60)
    assert background.status == "finished"
    np.testing.assert_array_equal(
        background.latest.topics.topic_word, plain.snapshot().topics.topic_word
    )


def test_a_wrong_key_gives_no_control(dozen, registry):
    entry = registry.add(slow_run(dozen))
    assert registry.owned(entry.run_id, entry.secret)
    for wrong in ("", "guess", "\u00fc", entry.secret + "x"):
        assert not registry.owned(entry.run_id, wrong)
    assert not registry.owned("unknown", entry.secret)


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
    assert background.wait(10)
    assert background.status == "stopped"
    assert background.latest.step == 3
    background.start()
    assert background.status == "stopped", "a run that has ended stays ended"


def test_third_run_waits_and_sees_its_place(dozen, registry):
    entries = [registry.add(slow_run(dozen, passes=1)) for _ in range(4)]
    for entry in entries:
        entry.background.start()
        until(lambda e=entry: e.background.status in ("running", "queued"))
    first, second, third, fourth = (e.background for e in entries)
    assert (first.status, second.status) == ("running", "running")
    assert (third.status, third.place_in_queue) == ("queued", 1)
    assert (fourth.status, fourth.place_in_queue) == ("queued", 2)
    first.run.method.may_step.release(3)
    until(lambda: third.status == "running")
    assert first.status == "finished"
    until(lambda: fourth.place_in_queue == 1)
    fourth.stop()
    until(lambda: fourth.status == "stopped")
    second.pause()
    second.run.method.may_step.release()
    until(lambda: second.status == "paused")
    fifth = registry.add(slow_run(dozen)).background
    fifth.start()
    until(lambda: fifth.status == "running")


def test_who_waits_in_line_is_kept_before_and_who_starts_at_once_is_not(dozen, registry):
    kept = []
    entries = [
        registry.add(
            slow_run(dozen),
            keep=lambda entry, run, status: kept.append((entry.run_id, status)),
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
            raise ZeroDivisionError("the weights vanished")

    run = slow_run(dozen)
    run.method = Broken()
    broken = registry.add(run).background
    broken.start()
    assert broken.wait(10)
    assert broken.status == "failed"
    assert broken.error == "ZeroDivisionError: the weights vanished"
    assert "Traceback" in broken.error_details
    others = [registry.add(slow_run(dozen)).background for _ in range(2)]
    for other in others:
        other.start()
        until(lambda o=other: o.status == "running")


def test_a_lost_tab_pauses_the_run_after_the_grace(dozen, registry):
    entry = registry.add(slow_run(dozen, passes=50))
    registry.attach("tab", entry.run_id)
    entry.background.start()
    until(lambda: entry.background.status == "running")
    registry.drop("tab")
    registry.attach("reloaded tab", entry.run_id)  # within the grace
    time.sleep(0.4)
    entry.background.run.method.may_step.release()
    until(lambda: entry.background.run.method.n_steps == 1)
    assert entry.background.status == "running"
    registry.attach("second tab", entry.run_id)
    registry.drop("reloaded tab")
    time.sleep(0.4)
    assert entry.background.status == "running", "somebody still watches"
    registry.drop("second tab")
    time.sleep(0.3)
    entry.background.run.method.may_step.release()
    until(lambda: entry.background.status == "paused")
    assert registry.get(entry.run_id) is entry, "nothing is lost"


def test_only_the_secret_controls(dozen, registry):
    entry = registry.add(slow_run(dozen))
    assert registry.owned(entry.run_id, entry.secret)
    assert not registry.owned(entry.run_id, "guess")
    assert not registry.owned("no such run", entry.secret)


def test_a_stop_is_not_taken_back(dozen, registry):
    background = registry.add(slow_run(dozen)).background
    background.start()
    until(lambda: background.status == "running")
    background.stop()
    background.pause()
    background.start()
    background.run.method.may_step.release()
    assert background.wait(10)
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
        assert may_go.wait(10)
        prepare()

    run.prepare = slow_prepare
    background = registry.add(run).background
    background.start()
    assert begun.wait(10)
    assert background.status == "starting"
    background.pause()
    may_go.set()
    until(lambda: background.status == "paused")
    assert run.method.n_steps == 0


def test_paused_runs_that_nobody_sees_do_not_pile_up(dozen, registry):
    for i in range(8):
        entry = registry.add(slow_run(dozen))
        registry.attach(f"tab {i}", entry.run_id)
        entry.background.step_once()
        entry.background.run.method.may_step.release()
        until(lambda e=entry: e.background.status == "paused")
        registry.drop(f"tab {i}")
    assert len(registry._entries) <= 4
    until(lambda: sum(t.name == "run" for t in threading.enumerate()) <= 4)


def test_who_opens_a_run_gets_it_however_many_others_are_watched(dozen, registry):
    for i in range(registry._kept):
        registry.attach(f"tab {i}", registry.add(slow_run(dozen)).run_id)
    learned = slow_run(dozen)
    learned.method.may_step.release()
    learned.step()
    entry = registry.add(learned)
    assert entry.background.status == "paused"
    assert registry.get(entry.run_id) is entry


def test_a_run_that_ended_is_renewed_in_its_place_with_its_tabs(dozen, registry):
    old = registry.add(slow_run(dozen), run_id="one", secret="s")
    registry.attach("watcher", "one")
    registry.renew("one")
    again = registry.add(slow_run(dozen), run_id="one", secret="s", labels=Labels({1: "late"}))
    assert again is old, "it has not ended"
    old.background.stop()
    assert old.background.wait(10)
    registry.renew("one")
    assert registry.get("one") is old, "until somebody has read it from the disk"
    kept, early = [], Labels({1: "early"})
    new = registry.add(
        slow_run(dozen),
        keep=lambda entry, run, status: kept.append((entry, run)),
        run_id="one", secret="s", labels=early, error="it failed",
    )  # fmt: skip
    assert registry.get("one") is new is not old
    assert new.tabs == {"watcher"}
    assert new.background.error == "it failed"
    third = registry.add(slow_run(dozen), run_id="one", secret="s", labels=Labels({1: "late"}))
    assert third is new
    assert new.labels == early, "what was read by the second who came is not newer"
    new.background.step_once()
    new.background.run.method.may_step.release()
    new.background.settle(20.0)
    assert kept == [(new, new.background.run)], "it writes by its own entry"


def test_two_tabs_that_open_a_run_at_once_get_one_entry(dozen, registry, monkeypatch):
    """The second comes while the first is taken in; with a lock it waits, and this test goes on."""
    made = []

    def taken_in(*what):
        made.append(what)
        if len(made) == 1:
            other = threading.Thread(target=registry.add, args=(slow_run(dozen),), daemon=True,
                                     kwargs={"run_id": "one"})  # fmt: skip
            other.start()
            other.join(0.2)
        return BackgroundRun(*what)

    monkeypatch.setattr(registry_module, "BackgroundRun", taken_in)
    entry = registry.add(slow_run(dozen), run_id="one")
    assert registry.add(slow_run(dozen), run_id="one") is entry
    assert len(made) == 1


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
    assert background.wait(20)
    assert background.status == "finished"
    assert background.not_kept


def test_ended_runs_are_forgotten_oldest_first(dozen, registry):
    entries = []
    for _ in range(3):
        entries.append(registry.add(slow_run(dozen)))
        entries[-1].background.stop()
        entries[-1].background.wait(10)
    registry.attach("tab", entries[0].run_id)
    fresh = registry.add(slow_run(dozen))
    assert registry.get(entries[0].run_id) is not None, "a tab still shows it"
    assert registry.get(entries[1].run_id) is None
    assert registry.get(entries[2].run_id) is not None
    assert registry.get(fresh.run_id) is not None


def test_ticks_stretch_with_the_watchers(dozen, registry):
    entry = registry.add(slow_run(dozen))
    assert registry.tick_seconds() == 1.0
    for i in range(20):
        registry.attach(f"tab {i}", entry.run_id)
    assert registry.n_tabs == 20
    assert registry.tick_seconds() == 10.0


def test_many_tabs_are_given_one_moment_to_draw(dozen, registry, monkeypatch):
    clock = [100.0]
    monkeypatch.setattr("bnpexplorer.registry.time.monotonic", lambda: clock[0])
    entry = registry.add(slow_run(dozen))
    for i in range(20):  # asked once in 10 seconds each
        registry.attach(f"tab {i}", entry.run_id)
    assert registry.shown(entry) is None, "nothing learned yet"
    background = entry.background
    background.status, background.latest = "running", "first"
    clock[0] += 60.0
    assert registry.shown(entry) == "first"
    background.latest = "second"
    clock[0] += 2.0
    assert registry.shown(entry) == "first"
    clock[0] += 1.0
    assert registry.shown(entry) == "second"
    background.latest = "third"
    background.status = "paused"
    assert registry.shown(entry) == "third", "a run at rest is drawn as it stands"


def test_gate_lets_a_cancelled_waiter_go():
    gate = Gate(1)
    assert gate.enter("a", lambda: False)
    assert not gate.enter("b", lambda: True)
    assert gate.place("b") == 0
    gate.leave("a")
    assert gate.enter("c", lambda: False)
