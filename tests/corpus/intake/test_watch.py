"""When a child is ended: by its processor time, its memory and its standing still, and never since
the machine is busy. The clock and what a child uses are numbers here."""

import os
import signal
from pathlib import Path

import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.intake import api, children, process, refusing, usage, work
from bnpexplorer.corpus.intake.following import Follower, following
from bnpexplorer.corpus.intake.usage import STILL, Usage, UsageWatch, usage_of
from bnpexplorer.corpus.readers.formats import read_files
from bnpexplorer.corpus.text import TextSettings
from tests.tools.waiting import NEVER

ROOT, MB = Path(__file__).parents[3], 2**20
SLOW, ENDLESS = "😀(?:a|aa)+!", "sea " * 300 + "😀" + "a" * 60
"""A pattern, and a text on which it never ends, beyond the letters on which patterns are tried."""
OWN = TextSettings(min_df=1, token_pattern=SLOW)


def begun(seconds=30.0):
    return UsageWatch(seconds, 1000 * MB, Usage(200 * MB, 5.0, 100), now=0.0)


def test_a_busy_machine_refuses_nothing():
    """A file that takes 18 s of processor time, of which the machine gives a tenth."""
    watch = begun()
    for now in range(1, 181):
        assert watch.verdict(now, Usage(300 * MB, 5.0 + now / 10, 100)) == ""


def test_processor_time_counts_from_where_the_work_began():
    watch = begun()
    assert watch.verdict(1.0, Usage(0, 34.9, 100)) == ""
    assert watch.verdict(1.1, Usage(0, 35.1, 100)) == "time"


def test_what_reads_moves_and_what_does_neither_is_still():
    watch = begun()
    for second in range(1, 200):
        assert watch.verdict(second, Usage(0, 5.0, 100 + second)) == ""
    assert watch.verdict(199 + STILL, Usage(0, 5.0, 299)) == ""
    assert watch.verdict(200 + STILL, Usage(0, 5.0, 299)) == "still"


def test_memory_counts_at_once():
    assert begun().verdict(0.1, Usage(1001 * MB, 5.0, 100)) == "memory"


def test_a_process_is_seen_to_work_and_to_read():
    before = usage_of(os.getpid())
    while usage_of(os.getpid()).seconds == before.seconds:
        sum(range(100_000))
    after = usage_of(os.getpid())
    assert 0 < after.seconds - before.seconds < 10
    assert after.n_bytes > 10 * MB
    assert after.moved > before.moved or not os.path.exists("/proc/self/io")


def test_one_s_own_machine_gives_time_and_a_shared_server_thirty_seconds(monkeypatch):
    assert usage.reading_limits().seconds == usage.ALONE
    monkeypatch.setenv("BNPEXPLORER_SHARED", "1")
    assert usage.reading_limits().seconds == usage.SHARED_SECONDS
    monkeypatch.setenv("BNPEXPLORER_READ_SECONDS", "7")
    assert usage.reading_limits().seconds == 7


def test_security_says_the_same():
    said = " ".join((ROOT / ".github/SECURITY.md").read_text().split())
    assert f"has {usage.SHARED_SECONDS} seconds of processor time each" in said
    assert usage.ALONE == 60 * 60
    assert "On your own machine each has an hour" in said
    assert f"for {STILL:g} seconds it neither uses the processor nor" in said


@pytest.mark.second
def test_what_takes_too_much_time_is_refused_by_what_the_processor_spent(monkeypatch):
    """The clock of the server runs five times as fast, and decides nothing."""
    monkeypatch.setenv("BNPEXPLORER_READ_SECONDS", "1")
    monkeypatch.setattr(process, "clock", Ticking(0.1))
    source, seen = read_files([("a.txt", ENDLESS.encode())]), Follower()
    with (
        following(seen),
        pytest.raises(CorpusError, match=r"takes more than 1 second of processor time; .*_SECONDS"),
    ):
        api.count_words(source, OWN)
    assert seen.usage.seconds >= 1


class Ticking:
    """A clock that goes on by `pace` seconds at every look at it."""

    def __init__(self, pace):
        self.now, self.pace = 0.0, pace

    def __call__(self):
        self.now += self.pace
        return self.now


@pytest.mark.second
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="signals")
def test_a_child_that_stands_still_is_refused(monkeypatch):
    child = process.Child(api.reading_limits())
    child.wait()
    monkeypatch.setattr(children.Children, "_take", lambda *_: child)
    monkeypatch.setattr(process, "clock", Ticking(1.0))
    os.kill(child._process.pid, signal.SIGSTOP)
    with pytest.raises(CorpusError, match=r"^Reading a\.txt has stood still for 60 seconds"):
        api.read_files([("a.txt", b"one\ntwo")])
    assert not child.usable


@pytest.mark.second
def test_who_follows_ends_the_work_and_the_next_file_is_read():
    source, seen = read_files([("a.txt", ENDLESS.encode())]), Follower()
    seen.on_look = lambda: seen.cancel() if seen.usage.seconds > 0.2 else None
    with (
        following(seen),
        pytest.raises(refusing.Cancelled, match=r"^Reading a\.txt was cancelled\.$"),
    ):
        api.count_words(source, OWN)
    assert api.read_files([("a.txt", b"one\ntwo")]).n_docs == 2


def test_who_waits_for_a_free_child_may_cancel_too():
    mine = children.Children(most=1)
    assert mine._places.acquire(timeout=NEVER)
    seen = Follower()
    seen.cancel()
    with following(seen), pytest.raises(process.ReadingFailed) as said:
        mine.do(work.cut, text="one", settings=OWN)
    assert said.value.why == "cancelled"
    assert seen.said == "waiting until other files are read"


def test_who_follows_is_told_how_many_texts_are_counted(monkeypatch):
    seen, told = Follower(), []
    monkeypatch.setattr(Follower, "tell", lambda self, said: told.append(said))
    rows = "\n".join(f"{n},the sea and hill {n}" for n in range(200))
    with following(seen):
        source = api.read_files([("a.csv", f"id,text\n{rows}".encode())])
        api.count_words(source, TextSettings(min_df=1, max_df=1.0, min_tokens=1))
    told = [said for said in told if said and said != "starting the reader"]
    assert told == ["0.0 MB to read", "64 lines", "64 of 200 texts"]
