"""All runs of a server: the queue, leases, the grace timer, what is forgotten."""

import threading
import time

import pytest

from bnpexplorer.runs import registry as registry_module
from bnpexplorer.runs.background import BackgroundRun
from bnpexplorer.runs.keeping import Keeping
from bnpexplorer.state.labels import Labels
from bnpexplorer.ui.frame.words import status_words
from tests.tools.background import nothing_to_compile, slow_registry, slow_run
from tests.tools.waiting import NEVER, until


@pytest.fixture
def registry():
    yield from slow_registry()


@pytest.fixture(autouse=True)
def warm_kernels(monkeypatch):
    nothing_to_compile(monkeypatch)


def test_a_wrong_key_gives_no_control(dozen, registry):
    entry = registry.add(slow_run(dozen))
    assert registry.owned(entry.run_id, entry.secret)
    for wrong in ("", "guess", "\u00fc", entry.secret + "x"):
        assert not registry.owned(entry.run_id, wrong)
    assert not registry.owned("unknown", entry.secret)


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


@pytest.fixture
def timers(monkeypatch):
    """Timers that have begun and were not cancelled; none goes off by itself."""
    begun = []

    class ByHand(threading.Timer):
        def start(self):
            begun.append(self)

        def cancel(self):
            super().cancel()
            if self in begun:
                begun.remove(self)

    monkeypatch.setattr(registry_module.threading, "Timer", ByHand)
    return begun


def go_off(timers):
    """Let the time of the only timer be over."""
    (timer,) = timers
    timer.function(*timer.args)


def test_a_lost_tab_pauses_the_run_after_the_grace(dozen, registry, timers):
    entry = registry.add(slow_run(dozen, passes=50))
    registry.attach("tab", entry.run_id)
    entry.background.start()
    until(lambda: entry.background.status == "running")
    registry.drop("tab")
    (late,) = timers
    assert late.interval == registry._grace_seconds
    registry.attach("reloaded tab", entry.run_id)  # within the grace
    assert not timers
    late.function(*late.args)  # as where it went off just before it was cancelled
    entry.background.run.method.may_step.release()
    until(lambda: entry.background.run.method.n_steps == 1)
    assert entry.background.status == "running"
    registry.attach("second tab", entry.run_id)
    registry.drop("reloaded tab")
    assert not timers
    assert entry.background.status == "running", "somebody still watches"
    registry.drop("second tab")
    go_off(timers)
    assert entry.grace is None
    assert not registry.tabs
    entry.background.run.method.may_step.release()
    until(lambda: entry.background.status == "paused")
    assert registry.get(entry.run_id) is entry, "nothing is lost"


def test_a_tab_that_comes_back_looks_at_the_runs_that_it_had_not_left(dozen, registry, monkeypatch):
    first, second = (registry.add(slow_run(dozen)) for _ in range(2))
    for entry in (first, second):
        registry.attach("tab", entry.run_id)
    registry.lose("tab")
    registry.attach("tab", second.run_id)  # by a script that was still on its way
    registry.lose("tab")
    assert registry.lost == {"tab"}
    assert first.grace is not None
    registry.detach("tab", second.run_id)
    registry.come_back("tab")
    assert (first.tabs, first.grace) == ({"tab"}, None)
    assert (second.tabs, registry.lost) == (set(), set())
    registry.lose("tab")
    monkeypatch.setattr(registry_module, "COMES_BACK", 0.0)
    registry.lose("another tab")
    assert "tab" not in registry.lost, "nothing is remembered of tabs that cannot come back"
    registry.come_back("tab")
    assert not first.tabs


def lost_until_paused(registry, entry):
    """Its tab loses the connection, and the timer rings."""
    registry.lose("tab")
    until(lambda: entry.grace is None)
    entry.background.run.method.may_step.release()
    until(lambda: entry.background.status == "paused")


@pytest.fixture
def watched(dozen, registry, elsewhere):
    """A run that learns in one open tab, at a quarter past two of this machine."""
    registry._clock = lambda: time.mktime((2026, 5, 4, 14, 15, 0, 0, 0, -1))
    entry = registry.add(slow_run(dozen, passes=50))
    registry.attach("tab", entry.run_id)
    entry.background.start()
    until(lambda: entry.background.status == "running")
    return entry


@pytest.mark.second
def test_a_run_that_paused_since_its_tab_was_lost_goes_on_when_the_tab_comes_back(
    registry, watched
):
    lost_until_paused(registry, watched)
    assert status_words(watched.background) == "paused at 14:15, as no connected tab showed it"
    registry.come_back("tab")
    until(lambda: watched.background.status == "running")
    assert watched.background.why_paused == ""
    assert watched.tabs == {"tab"}


def test_a_run_that_a_person_paused_stays_so_when_its_tab_comes_back(registry, watched):
    watched.background.pause()
    watched.background.run.method.may_step.release()
    until(lambda: watched.background.status == "paused")
    registry.lose("tab")
    until(lambda: watched.grace is None)
    registry.come_back("tab")
    assert watched.background.asked_for == ""
    assert status_words(watched.background) == "paused"
    assert not watched.background.is_going


def test_a_run_that_may_not_go_on_when_its_tab_comes_back_says_why_it_paused(
    registry, watched, monkeypatch
):
    def full(*_):
        raise ValueError("You have as many runs as a link may.")

    lost_until_paused(registry, watched)
    monkeypatch.setattr(registry, "check_going", full)
    registry.come_back("tab")
    assert status_words(watched.background) == "paused at 14:15, as no connected tab showed it"


def test_another_tab_that_shows_the_run_says_why_it_paused_until_somebody_resumes(
    registry, watched
):
    lost_until_paused(registry, watched)
    registry.attach("reloaded tab", watched.run_id)
    assert "as no connected tab showed it" in status_words(watched.background)
    watched.background.resume()
    until(lambda: watched.background.status == "running")
    watched.background.pause()
    watched.background.run.method.may_step.release()
    until(lambda: watched.background.status == "paused")
    assert status_words(watched.background) == "paused"


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
    assert old.background.wait(NEVER)
    registry.renew("one")
    assert registry.get("one") is old, "until somebody has read it from the disk"
    kept, early = [], Labels({1: "early"})
    new = registry.add(
        slow_run(dozen),
        keep=lambda entry, run, status: kept.append((entry, run)),
        run_id="one",
        secret="s",
        labels=early,
        error="it failed",
    )
    assert registry.get("one") is new is not old
    assert new.tabs == {"watcher"}
    assert new.background.error == "it failed"
    third = registry.add(slow_run(dozen), run_id="one", secret="s", labels=Labels({1: "late"}))
    assert third is new
    assert new.labels == early, "what was read by the second who came is not newer"
    new.background.step_once()
    new.background.run.method.may_step.release()
    new.background.settle(NEVER)
    assert kept == [(new, new.background.run)], "it writes by its own entry"


def test_two_tabs_that_open_a_run_at_once_get_one_entry(dozen, registry, monkeypatch):
    """The second comes while the first is taken in; with a lock it waits, and this test goes on."""
    made = []

    def taken_in(*what):
        made.append(what)
        if len(made) == 1:
            other = threading.Thread(
                target=registry.add, args=(slow_run(dozen),), daemon=True, kwargs={"run_id": "one"}
            )
            other.start()
            other.join(0.2)
        return BackgroundRun(*what)

    monkeypatch.setattr(registry_module, "BackgroundRun", taken_in)
    entry = registry.add(slow_run(dozen), run_id="one")
    assert registry.add(slow_run(dozen), run_id="one") is entry
    assert len(made) == 1


def test_ended_runs_are_forgotten_oldest_first(dozen, registry):
    entries = []
    for _ in range(3):
        entries.append(registry.add(slow_run(dozen)))
        entries[-1].background.stop()
        entries[-1].background.wait(NEVER)
    registry.attach("tab", entries[0].run_id)
    fresh = registry.add(slow_run(dozen))
    assert registry.get(entries[0].run_id) is not None, "a tab still shows it"
    assert registry.get(entries[1].run_id) is None
    assert registry.get(entries[2].run_id) is not None
    assert registry.get(fresh.run_id) is not None


def test_ended_runs_are_forgotten_before_paused_ones_however_old_these_are(dozen, registry):
    paused, ended, other = (registry.add(slow_run(dozen)) for _ in range(3))
    paused.background.run.method.may_step.release()
    paused.background.step_once()
    until(lambda: paused.background.status == "paused")
    ended.background.stop()
    ended.background.wait(NEVER)
    fourth = registry.add(slow_run(dozen))
    assert [entry.run_id for entry in registry.entries()] == [
        fourth.run_id,
        other.run_id,
        paused.run_id,
    ]
    assert not paused.put_aside
    assert ended.put_aside
    fifth = registry.add(slow_run(dozen))
    assert paused.put_aside
    assert registry.get(paused.run_id) is None
    assert [entry.run_id for entry in registry.entries()] == [
        fifth.run_id,
        fourth.run_id,
        other.run_id,
    ], "what has not begun is not forgotten"


def test_all_runs_together_are_waited_for_as_long_as_the_server_may(dozen, registry, monkeypatch):
    clock, waited = [100.0], []
    monkeypatch.setattr(registry_module.time, "monotonic", lambda: clock[0])

    def settle(background, timeout):
        waited.append(timeout)
        clock[0] += 3.0

    monkeypatch.setattr(BackgroundRun, "settle", settle)
    monkeypatch.setattr(BackgroundRun, "pause", lambda background: None)
    ended, *_ = (registry.add(slow_run(dozen)) for _ in range(4))
    ended.background.status = "finished"
    registry.pause_all(5.0)
    assert waited == [5.0, 2.0, 0.0]


def unsaved(background):
    """A run whose folder refuses it."""

    def keeper(run, status):
        raise OSError("no space left")

    background._keeping = Keeping(keeper)


def test_what_could_not_be_saved_is_not_let_go_and_is_forgotten_last(dozen, registry):
    entries = [registry.add(slow_run(dozen)) for _ in range(3)]
    unsaved(entries[0].background)
    for entry in entries:
        entry.background.run.method.may_step.release(1)
        entry.background.step_once()
        until(lambda e=entry: e.background.run.docs_seen)
        entry.background.stop()
        entry.background.wait(NEVER)
    assert "no space left" in entries[0].background.not_kept
    assert not registry.let_go(entries[0].run_id), "it is in memory only"
    registry.add(slow_run(dozen))
    assert registry.get(entries[0].run_id) is not None
    assert registry.get(entries[1].run_id) is None
    assert registry.let_go(entries[2].run_id)
    assert registry.get(entries[2].run_id) is None


def test_ticks_stretch_with_the_watchers(dozen, registry):
    entry = registry.add(slow_run(dozen))
    assert registry.tick_seconds() == 1.0
    for i in range(20):
        registry.attach(f"tab {i}", entry.run_id)
    assert len(registry.tabs) == 20
    assert registry.tick_seconds() == 10.0


def test_many_tabs_are_given_one_moment_to_draw(dozen, registry, monkeypatch):
    clock = [100.0]
    monkeypatch.setattr("bnpexplorer.runs.registry.time.monotonic", lambda: clock[0])
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
