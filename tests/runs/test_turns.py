"""A class: runs compute by turns, a place is the lecturer's, and guests have a limit together."""

import threading
from dataclasses import dataclass

import pytest

from bnpexplorer.runs import lecturer, limits
from bnpexplorer.runs.gate import Gate
from bnpexplorer.runs.registry import RunRegistry
from tests.tools.background import Slow, nothing_to_compile, slow_run
from tests.tools.waiting import until

KEY = "nobody-guesses-it"
OVER = threading.Event()
"""Who waits in line goes home."""


@dataclass(eq=False)
class Who:
    name: str = ""
    is_brief: bool = False
    is_lecturers: bool = False


@pytest.fixture(autouse=True)
def in_a_class(monkeypatch):
    nothing_to_compile(monkeypatch)
    monkeypatch.setenv(limits.SHARED, "1")
    monkeypatch.setenv(lecturer.LECTURER, KEY)
    OVER.clear()
    yield
    OVER.set()


# ---- the line ----------------------------------------------------------------------------------


def line_up(gate, *waiting):
    """They come in this order; each keeps the place that it gets."""
    for who in waiting:
        threading.Thread(target=gate.enter, args=(who, OVER.is_set), daemon=True).start()
        until(lambda who=who: who in gate._line or who in gate._inside)


def order(gate, n):
    """Who gets the next places, when one is left after the other and wanted again."""
    found = []
    for _ in range(n):
        before = [*gate._inside]
        gate.leave(before[0])
        until(lambda before=before: {*gate._inside} - {*before})
        found += {*gate._inside} - {*before}
        line_up(gate, before[0])
    return found


def test_runs_take_turns():
    gate = Gate(1, 10.0)
    a, b, c = (Who(name) for name in "abc")
    line_up(gate, a, b, c)
    assert [gate.place(who) for who in (a, b, c)] == [0, 1, 2]
    assert order(gate, 5) == [b, c, a, b, c]


def test_a_single_step_comes_before_long_work_every_other_time():
    gate = Gate(1, 10.0)
    long, brief = [Who(f"long {i}") for i in range(3)], [Who(f"{i}", True) for i in range(3)]
    line_up(gate, *long, *brief)
    assert [gate.place(who) for who in (*long, *brief)] == [0, 2, 4, 1, 3, 5]
    assert order(gate, 5) == [brief[0], long[1], brief[1], long[2], brief[2]]


def test_alone_a_single_step_waits_as_all_others():
    gate = Gate(1)
    first, long, brief = Who(), Who(), Who(is_brief=True)
    line_up(gate, first, long, brief)
    assert order(gate, 2) == [long, brief]
    assert not gate.turn_is_over(brief)


def test_one_that_is_cancelled_leaves_the_line():
    gate, (a, b, c) = Gate(1), (Who(name) for name in "abc")
    assert gate.enter(a, lambda: False)
    assert not gate.enter(b, lambda: True)
    assert gate.place(b) == 0
    gate.leave(a)
    assert gate.enter(c, lambda: False)


def test_one_place_more_is_the_lecturer_s_alone():
    gate = Gate(2, 10.0)
    guests, own = [Who(name) for name in "abc"], [Who(is_lecturers=True) for _ in range(2)]
    line_up(gate, *guests)
    assert gate.must_wait(Who())
    assert not gate.must_wait(own[0])
    line_up(gate, *own)
    assert [*gate._inside] == [*guests[:2], own[0]]
    gate.leave(own[0])
    until(lambda: own[1] in gate._inside)
    assert gate.place(guests[2]) == 1, "the lecturer's place is nobody else's"


def test_what_the_lecturer_wants_beyond_that_place_waits_as_all_others():
    gate = Gate(2, 10.0)
    first, second, more, own = Who("a"), Who("b"), Who("c"), [Who(is_lecturers=True) for _ in "de"]
    line_up(gate, first, second, *own, more)
    assert [*gate._inside] == [first, second, own[0]]
    assert order(gate, 2) == [own[1], more]


def test_who_has_had_a_turn_makes_way_for_others_only():
    gate = Gate(1, 0.0)
    a, b, own = Who("a"), Who("b"), Who(is_lecturers=True)
    line_up(gate, a)
    assert not gate.turn_is_over(a), "nobody waits"
    line_up(gate, b)
    assert gate.turn_is_over(a)
    assert ([*gate._inside], gate._line) == ([a], [b]), "asking changes nothing"
    assert not gate.turn_is_over(b), "it has no place"
    line_up(gate, own)
    assert not gate.turn_is_over(own), "the others cannot have its place"


def test_a_turn_has_its_time():
    gate, a = Gate(1, 60.0), Who()
    line_up(gate, a, Who())
    assert not gate.turn_is_over(a)


# ---- runs --------------------------------------------------------------------------------------


@pytest.fixture
def registry():
    made = RunRegistry(Gate(2, 0.0), kept=30)
    yield made
    for entry in made.entries():
        if isinstance(entry.background.run.method, Slow):
            entry.background.run.method.may_step.release(1000)
    made.stop_all()
    assert not [t for t in threading.enumerate() if t.name == "run"]


def start(registry, dozen, secret=""):
    entry = registry.add(slow_run(dozen, passes=1000), secret=secret)
    entry.background.start()
    until(lambda: entry.background.status in ("running", "queued"))
    return entry.background


def test_eight_strangers_watch_it_learn_and_the_lecturer_s_step_is_next(dozen, registry):
    strangers = [start(registry, dozen) for _ in range(8)]
    assert sum(s.status == "running" for s in strangers) == 2
    assert sorted(s.place_in_queue for s in strangers) == [0, 0, 1, 2, 3, 4, 5, 6]
    step = registry.add(slow_run(dozen), secret=lecturer.new_secret()).background
    step.run.method.may_step.release()
    step.step_once()
    until(lambda: step.status == "paused" and step.run.n_steps == 1)
    assert sum(s.status == "running" for s in strangers) == 2, "while nobody else went on"
    assert not any(s.run.n_steps for s in strangers)


def test_two_long_claims_do_not_block_anybody(dozen, registry):
    claims = [start(registry, dozen) for _ in range(2)]
    step = registry.add(slow_run(dozen)).background
    step.step_once()
    until(lambda: step.place_in_queue == 1)
    claims[0].run.method.may_step.release()
    step.run.method.may_step.release()
    until(lambda: step.status == "paused")
    assert step.run.n_steps == 1
    until(lambda: claims[0].status == "running")
    assert claims[0].run.n_steps == 1, "it gave its place up for a step"
    claims[0].run.method.may_step.release(2)
    until(lambda: claims[0].run.n_steps == 3)


def test_who_waits_for_the_next_turn_may_be_paused(dozen, registry):
    first, _, third = (start(registry, dozen) for _ in range(3))
    first.run.method.may_step.release()
    until(lambda: third.status == "running" and first.status == "queued")
    first.pause()
    until(lambda: first.status == "paused")
    assert first.latest is not None, "what it learned in its turn is shown"


def test_guests_together_have_so_many_going_at_once(dozen, registry, monkeypatch):
    monkeypatch.setattr(limits, "MOST_GOING", 2)
    registry.check_going(2)
    with pytest.raises(
        ValueError, match="In a class at most 2 runs, races and studies may go on at once"
    ):
        registry.check_going(3)
    first = start(registry, dozen)
    start(registry, dozen)
    with pytest.raises(ValueError, match="Pause or stop one of yours, or wait"):
        registry.check_going()
    guest, own = (registry.add(slow_run(dozen), secret=s) for s in ("", lecturer.new_secret()))
    with pytest.raises(ValueError, match="go on at once"):
        registry.resume(guest.background, guest.background.start)
    registry.resume(own.background, own.background.start)
    until(lambda: own.background.status == "running")
    first.stop()
    first.run.method.may_step.release()
    until(lambda: first.ended)
    registry.check_going()  # what the lecturer has going is not counted
    monkeypatch.setenv(limits.SHARED, "0")
    registry.check_going(50)


def test_the_lecturer_s_secrets_are_known_and_do_not_tell_the_key(monkeypatch):
    secret = lecturer.new_secret()
    assert lecturer.is_lecturers(secret)
    assert secret != lecturer.new_secret()
    assert len(secret.partition(".")[2]) == 16, "as long as those of others"
    assert KEY not in secret
    name = secret.partition(".")[0]
    for other in ("", "a.b", name, f"x{secret}", "made alone", f"{KEY}.b"):
        assert not lecturer.is_lecturers(other)
    assert lecturer.has_key(KEY)
    assert not lecturer.has_key(name), "who knows the name does not have the key"
    monkeypatch.setenv(lecturer.LECTURER, "another-key-of-hers")
    assert not lecturer.is_lecturers(secret)
    monkeypatch.setenv(lecturer.LECTURER, KEY)
    monkeypatch.setenv(limits.SHARED, "")
    assert not lecturer.is_lecturers(secret), "alone there is none"
    assert not lecturer.has_key(KEY)


def test_a_secret_of_an_earlier_version_is_the_lecturer_s_still():
    assert lecturer.is_lecturers("043b38f928bd8487.rP2Yw1n8Qm4tXk0c")


def test_a_key_is_not_guessed(monkeypatch):
    assert lecturer.is_key(lecturer.new_key())
    for short in ("", "smith", "x" * 11, "x" * 65, "two words of it", "ä" * 12):
        monkeypatch.setenv(lecturer.LECTURER, short)
        assert not lecturer.is_key(short)
        assert not lecturer.has_key(short)
        assert not lecturer.is_lecturers(lecturer.new_secret())
    monkeypatch.setenv(lecturer.LECTURER, "x" * 12)
    assert lecturer.has_key("x" * 12)


def test_a_claim_has_its_minutes(monkeypatch):
    limits.check_minutes(30)
    with pytest.raises(ValueError, match="may take 30 minutes; this one would take 600"):
        limits.check_minutes(600)
    monkeypatch.setenv(limits.SHARED, "")
    limits.check_minutes(1440)
