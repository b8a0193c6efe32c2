"""How children are dealt out, who follows them, and where each limit lies: without any process."""

import os

import pytest

from bnpexplorer.corpus.intake import children, process, usage, work
from bnpexplorer.corpus.intake.following import Follower, follower_here, following
from bnpexplorer.corpus.intake.process import Child, ReadingFailed
from bnpexplorer.corpus.intake.usage import ReadingLimits, Usage, UsageWatch


class FakeProcess:
    def __init__(self):
        self.pid, self.status = 1, None

    def poll(self):
        return self.status


@pytest.mark.parametrize(
    ("n_done", "held", "busy", "status", "usable"),
    [
        (99, 400 * 2**20 - 1, False, None, True),
        (100, 0, False, None, False),
        (0, 400 * 2**20, False, None, False),
        (0, 0, True, None, False),
        (0, 0, False, 0, False),
    ],
)
def test_a_tired_child_is_used_no_more(n_done, held, busy, status, usable, monkeypatch):
    one = object.__new__(Child)
    one._process, one._n_done, one._busy = FakeProcess(), n_done, busy
    one._process.status = status
    monkeypatch.setattr(process, "resident_bytes", lambda pid: held)
    assert one.usable == usable


class FakeChild:
    """What a group of children sees of one."""

    def __init__(self, limits):
        self.limits, self.usable, self.ended, self.asked = limits, True, False, []

    def do(self, function, seconds, **given):
        self.asked.append((function, seconds, given))
        return "done"

    def wait(self):
        self.asked.append("wait")

    def end(self):
        self.ended = True


@pytest.fixture
def group(monkeypatch):
    monkeypatch.setattr(children, "Child", FakeChild)
    monkeypatch.setenv("BNPEXPLORER_READ_SECONDS", "40")
    return children.Children(most=1)


def test_a_piece_of_work_may_take_what_it_needs_up_to_the_limit(group):
    for at_most, seconds in ((None, 40), (3.0, 3.0), (90.0, 40)):
        assert group.do(work.cut, at_most=at_most, text="sea") == "done"
        (one,) = group._all
        assert one.asked[-1] == (work.cut, seconds, {"text": "sea"})
    assert len(one.asked) == 3, "the same child does all"
    group.warm()
    assert one.asked[-1] == "wait"


def test_children_of_other_limits_and_tired_ones_are_ended(group, monkeypatch):
    group.do(work.cut)
    (first,) = group._all
    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", "700")
    group.do(work.cut)
    (second,) = group._all
    assert (first.ended, second.ended, second.limits.megabytes) == (True, False, 700)
    second.usable = False
    group.do(work.cut)
    (third,) = group._all
    assert (second.ended, third.ended) == (True, False)
    third.do = lambda *_, **__: setattr(third, "usable", False)
    group.do(work.cut)
    assert (third.ended, group._all, group._idle) == (True, set(), [])
    group.do(work.cut)
    (last,) = group._all
    group.end()
    assert (last.ended, group._all, group._idle) == (True, set(), [])


def test_who_waits_too_long_is_told_that_others_are_read_and_the_place_is_free_again(
    group, monkeypatch
):
    monkeypatch.setattr(children, "PATIENCE", -1.0)
    assert children.Children()._most == 2
    group._places.acquire()
    seen = Follower()
    with following(seen), pytest.raises(ReadingFailed) as said:
        group.do(work.cut)
    assert (said.value.why, seen.said) == ("busy", "waiting until other files are read")
    group._places.release()
    monkeypatch.setattr(FakeChild, "do", lambda *_, **__: 1 / 0)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            group.do(work.cut)
    assert group._places.acquire(blocking=False)


# ---- who follows, and limits -------------------------------------------------------------------


def test_who_follows_reads_how_far_it_is():
    one = Follower()
    assert one.sentence == "0 s of processor time, 0 MB of memory"
    one.tell("1,200 of 60,000 texts")
    looks = []
    one.on_look = lambda: looks.append(one.usage.seconds)
    one.look(Usage(1340 * 2**20, 1234.4, 9))
    assert one.sentence == ("1,200 of 60,000 texts, 1,234 s of processor time, 1,340 MB of memory")
    assert looks == [1234.4]
    with following(one):
        with following(other := Follower()):
            assert follower_here() is other
        assert follower_here() is one
    assert follower_here() not in (one, other)
    assert not one.cancelled
    one.cancel()
    assert one.cancelled


MB = 2**20


@pytest.mark.parametrize(
    ("now", "used", "verdict"),
    [
        (1.0, Usage(1000 * MB, 35.0, 100), ""),
        (1.0, Usage(1000 * MB + 1, 35.0, 100), "memory"),
        (1.0, Usage(1000 * MB, 35.01, 100), "time"),
        (60.0, Usage(200 * MB, 5.0, 100), ""),
        (60.1, Usage(200 * MB, 5.0, 100), "still"),
        (60.1, Usage(900 * MB, 5.0, 100), "still"),  # memory alone is no movement
        (60.1, Usage(200 * MB, 5.0, 101), ""),
        (60.1, Usage(200 * MB, 5.01, 100), ""),
    ],
)
def test_a_child_is_ended_beyond_each_limit(now, used, verdict):
    watch = UsageWatch(30.0, 1000 * MB, Usage(200 * MB, 5.0, 100), now=0.0)
    assert watch.verdict(now, used) == verdict
    assert watch.used(used) == Usage(used.n_bytes, used.seconds - 5.0, used.moved - 100)
    assert watch.used(Usage()) == Usage(0, 0.0, 0), "of a process that has ended nothing is known"


@pytest.mark.skipif(not hasattr(os, "sysconf"), reason="POSIX")
@pytest.mark.parametrize("counted", [True, False])
def test_what_linux_tells_of_a_process_is_understood(counted, tmp_path):
    """Its name may hold brackets and blanks; some containers do not tell what it reads."""
    after = ["S", *map(str, range(1, 40))]  # the state, and numbers by their places
    after[11], after[12], after[21] = "250", "50", "7"
    (tmp_path / "stat").write_text(f"42 (a) b) c {') ' + ' '.join(after)}")
    if counted:
        (tmp_path / "io").write_text("rchar: 1000\nwchar: 200\nsyscr: 30\nsyscw: 4\n")
    page, tick = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")
    assert usage._linux(tmp_path) == Usage(7 * page, 300 / tick, 1200 if counted else 0)


@pytest.mark.parametrize(
    ("said", "used"),
    [
        ("  1234 00:07.50\n", Usage(1234 * 1024, 7.5)),
        ("1 2:03:04", Usage(1024, 2 * 3600 + 3 * 60 + 4)),
        ("20 3-01:02:03,25", Usage(20 * 1024, 3 * 86_400 + 3600 + 2 * 60 + 3.25)),
        ("", Usage()),
        ("RSS TIME", Usage()),
    ],
)
def test_what_ps_says_is_understood(said, used):
    assert usage._by_ps(said) == used


@pytest.mark.parametrize(
    ("memory", "asked", "megabytes"),
    [
        (64_000, "", 1500),
        (2000, "", 1500),
        (1999, "", 1499),
        (900, "", 400),
        (500, "", 300),
        (64_000, "2000", 2000),
        (64_000, "301", 301),
        (64_000, "299", 300),
    ],
)
def test_a_reader_has_so_much_memory(memory, asked, megabytes, monkeypatch):
    monkeypatch.setattr(usage, "usable_memory", lambda: memory * MB)
    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", asked)
    assert usage.reading_limits().megabytes == megabytes


def test_a_fifth_of_the_memory_is_for_what_is_handed_over():
    limits = ReadingLimits(1000)
    assert (limits.at_work, limits.handed_over) == (800 * MB, 200 * MB)
