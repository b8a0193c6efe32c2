"""A class: places to compute, runs and disk are shared out by link, some always the lecturer's."""

import threading
from dataclasses import dataclass

import pytest

from bnpexplorer.runs import limits, links
from bnpexplorer.runs.gate import Shares
from bnpexplorer.runs.links import LinkUsage, link_of, new_secret
from bnpexplorer.runs.registry import RunRegistry
from tests.tools.background import Slow, nothing_to_compile, slow_run
from tests.tools.waiting import until

KEY = "nobody-guesses-it"
ME = links.name_of(KEY)
MB = 2**20
OVER = threading.Event()
"""Who waits in line goes home."""


@dataclass(eq=False)
class Who:
    link: str
    is_brief: bool = False


@pytest.fixture(autouse=True)
def in_a_class(monkeypatch):
    nothing_to_compile(monkeypatch)
    monkeypatch.setenv(limits.SHARED, "1")
    monkeypatch.setenv(links.LECTURER, KEY)
    OVER.clear()
    yield
    OVER.set()


# ---- the line ----------------------------------------------------------------------------------


def line_up(gate, *waiting):
    """They come in this order; each keeps the place that it gets."""
    for who in waiting:
        threading.Thread(target=gate.enter, args=(who, OVER.is_set), daemon=True).start()
        until(lambda who=who: who in gate._line or who in holders(gate))


def holders(gate):
    return [*gate._inside, *filter(None, [gate._kept_for_first])]


def order(gate, n):
    """Who gets the next places, when one is left after the other."""
    found = []
    for _ in range(n):
        before = holders(gate)
        gate.leave(before[0])
        until(lambda before=before: set(holders(gate)) - set(before))
        found += [who for who in holders(gate) if who not in before]
    return found


def test_a_link_without_a_place_goes_before_one_that_has_some():
    gate = Shares(2, ME)
    greedy, other = [Who("a") for _ in range(5)], Who("b")
    line_up(gate, *greedy, other)
    assert holders(gate) == greedy[:2]
    assert (gate.place(other), gate.place(greedy[2]), gate.place(greedy[0])) == (1, 2, 0)
    assert order(gate, 1) == [other]


def test_links_take_turns():
    gate = Shares(1, ME)
    a, b, c = ([Who(link) for _ in range(3)] for link in "abc")
    line_up(gate, *a, *b, *c)
    assert order(gate, 8) == [b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2]]


def test_a_single_step_comes_before_long_work_every_other_time():
    gate = Shares(1, ME)
    long = [Who(f"long {i}") for i in range(4)]
    brief = [Who(f"brief {i}", is_brief=True) for i in range(4)]
    line_up(gate, *long, *brief)
    assert order(gate, 7) == [brief[0], long[1], brief[1], long[2], brief[2], long[3], brief[3]]


def test_one_place_more_is_the_lecturer_s_alone():
    gate = Shares(2, ME)
    guests, own = [Who("a"), Who("b"), Who("c")], [Who(ME), Who(ME)]
    line_up(gate, *guests)
    assert gate.must_wait(Who("d"))
    assert not gate.must_wait(own[0])
    line_up(gate, *own)
    assert holders(gate) == [*guests[:2], own[0]]
    gate.leave(own[0])
    until(lambda: gate._kept_for_first is own[1])
    assert gate.place(guests[2]) == 1, "the lecturer's place is nobody else's"


def test_the_place_that_is_kept_counts_where_the_lecturer_wants_more():
    """Both links have one place, and the lecturer's turn was later."""
    gate = Shares(2, ME)
    first, second, more, own = Who("a"), Who("b"), Who("a"), [Who(ME), Who(ME)]
    line_up(gate, first, second, *own, more)
    assert holders(gate) == [first, second, own[0]]
    gate.leave(second)
    until(lambda: len(holders(gate)) == 3)
    assert holders(gate) == [first, more, own[0]]


def test_without_a_lecturer_s_link_no_place_is_kept():
    gate = Shares(1, "")
    line_up(gate, Who(""), Who(""))
    assert len(holders(gate)) == 1


def test_who_has_had_a_turn_makes_way_for_others_only():
    gate = Shares(1, ME, turn_seconds=0.0)
    a, b = Who("a"), Who("b")
    line_up(gate, a)
    assert not gate.turn_is_over(a), "nobody waits"
    line_up(gate, b)
    assert gate.turn_is_over(a)
    assert (holders(gate), gate._line) == ([a], [b]), "asking changes nothing"
    assert not gate.turn_is_over(b), "it has no place"
    own = Who(ME)
    line_up(gate, own)
    assert not gate.turn_is_over(own), "the others cannot have its place"
    two, later = Shares(2, ME, turn_seconds=0.0), Who("a")
    line_up(two, a, b, later)
    assert two.turn_is_over(a)
    assert not two.turn_is_over(b), "it would come before the second of a"


def test_a_turn_has_its_time():
    gate = Shares(1, ME, turn_seconds=60.0)
    a = Who("a")
    line_up(gate, a, Who("b"))
    assert not gate.turn_is_over(a)


def test_links_that_are_long_gone_are_forgotten(monkeypatch):
    monkeypatch.setattr("bnpexplorer.runs.gate.REMEMBERED", 3)
    gate = Shares(1, ME)
    for i in range(10):
        who = Who(str(i % 5))
        assert gate.enter(who, lambda: True)
        gate.leave(who)
    assert list(gate._turns) == ["2", "3", "4"]


# ---- runs --------------------------------------------------------------------------------------


@pytest.fixture
def registry():
    made = RunRegistry(Shares(2, ME, turn_seconds=0.0), kept=30)
    yield made
    for entry in made.entries():
        if isinstance(entry.background.run.method, Slow):
            entry.background.run.method.may_step.release(1000)
    made.stop_all()
    assert not [t for t in threading.enumerate() if t.name == "run"]


def start(registry, dozen, link):
    entry = registry.add(slow_run(dozen, passes=1000), secret=new_secret(link))
    entry.background.start()
    until(lambda: entry.background.status in ("running", "queued"))
    return entry.background


def test_four_strangers_watch_it_learn_and_the_lecturer_s_step_is_next(dozen, registry):
    strangers = [start(registry, dozen, f"stranger {i}") for i in range(4) for _ in range(2)]
    assert sum(s.status == "running" for s in strangers) == 2
    assert sorted(s.place_in_queue for s in strangers) == [0, 0, 1, 2, 3, 4, 5, 6]
    step = registry.add(slow_run(dozen), secret=new_secret(ME)).background
    step.run.method.may_step.release()
    step.step_once()
    until(lambda: step.status == "paused" and step.run.n_steps == 1)
    assert sum(s.status == "running" for s in strangers) == 2, "while nobody else went on"
    assert not any(s.run.n_steps for s in strangers)


def test_two_long_claims_do_not_block_anybody(dozen, registry):
    claims = [start(registry, dozen, link) for link in ("a", "b")]
    step = registry.add(slow_run(dozen), secret=new_secret("c")).background
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
    first, _, third = (start(registry, dozen, link) for link in "abc")
    first.run.method.may_step.release()
    until(lambda: third.status == "running" and first.status == "queued")
    first.pause()
    until(lambda: first.status == "paused")
    assert first.latest is not None, "what it learned in its turn is shown"


def test_a_link_has_so_many_going_at_once_and_all_together_too(dozen, registry, monkeypatch):
    monkeypatch.setattr(links, "MOST_GOING", 2)
    monkeypatch.setattr(links, "MOST_GOING_OF_ALL", 3)
    registry.check_going("a", 2)
    with pytest.raises(ValueError, match="2 runs, races and studies going at once, and you have 0"):
        registry.check_going("a", 3)
    first = start(registry, dozen, "a")
    start(registry, dozen, "a")
    with pytest.raises(ValueError, match="you have 2: pause or stop one first"):
        registry.check_going("a")
    start(registry, dozen, "b")
    with pytest.raises(ValueError, match="3 runs, races and studies of this class are going"):
        registry.check_going("b")
    registry.check_going(ME, 50)
    start(registry, dozen, ME)
    first.stop()
    first.run.method.may_step.release()
    until(lambda: first.ended)
    registry.check_going("c")  # what the lecturer has going is not counted
    monkeypatch.setenv(limits.SHARED, "0")
    registry.check_going("a", 50)


def test_a_secret_names_its_link_and_no_other_does():
    one, two = new_secret("a"), new_secret("a")
    assert one != two
    assert link_of(one) == link_of(two) == "a"
    assert link_of("made before there were links") == ""
    assert links.new_name() != links.new_name()
    assert "." not in "".join(links.new_name() for _ in range(50))


def test_the_lecturer_s_key_is_not_guessed_nor_told_by_a_secret(monkeypatch):
    assert links.lecturer() == ME
    assert KEY not in new_secret(ME)
    assert links.name_of(ME) != ME, "who knows the name does not have the key"
    assert links.is_lecturers(links.new_name())
    for short in ("smith", "x" * 11, "two words of it"):
        monkeypatch.setenv(links.LECTURER, short)
        assert links.lecturer() == ""
    monkeypatch.setenv(links.LECTURER, "x" * 12)
    assert links.lecturer()


# ---- the disk ----------------------------------------------------------------------------------


@pytest.fixture
def disk(monkeypatch):
    monkeypatch.setenv("BNPEXPLORER_DISK_MB", "1000")


def test_what_a_link_may_keep(disk):
    assert LinkUsage("a", 0, 0, 0, 1).share == 750 * MB, "a quarter is the lecturer's"
    assert LinkUsage("a", 0, 0, 300 * MB, 5).share == 150 * MB
    assert LinkUsage("a", 0, 0, 0, 100).share == links.LEAST_DISK
    assert LinkUsage("a", 0, 0, 740 * MB, 100).share == 10 * MB, "all but the lecturer together"
    assert LinkUsage("a", 0, 0, 800 * MB, 2).share == 0
    assert LinkUsage(ME, 0, 0, 0, 1).share == 1000 * MB
    assert LinkUsage(ME, 0, 0, 2000 * MB, 9).share == 250 * MB, "whatever the others take"


def test_more_is_refused_in_a_sentence(disk):
    LinkUsage("a", links.MOST_KEPT - 1, 149 * MB, 0, 5).check()
    with pytest.raises(
        ValueError, match="24 saved runs, races and studies, and in a class each of you may keep 24"
    ):
        LinkUsage("a", links.MOST_KEPT, 0, 0, 5).check()
    with pytest.raises(ValueError, match="takes 150 MB, and in this class your share is 150 MB"):
        LinkUsage("a", 1, 150 * MB, 0, 5).check()
    LinkUsage(ME, 500, 249 * MB, 2000 * MB, 9).check()


def test_a_claim_has_its_minutes(monkeypatch):
    links.check_minutes(30)
    with pytest.raises(ValueError, match="may take 30 minutes; this one would take 600"):
        links.check_minutes(600)
    monkeypatch.setenv(limits.SHARED, "")
    links.check_minutes(1440)
    assert links.lecturer() == ""
