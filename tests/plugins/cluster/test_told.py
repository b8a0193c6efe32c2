"""What a cluster says of itself, and what is decided before anything is sent; no cluster is needed.

Whole sentences, with their numbers and names.
"""

import os
import re
from argparse import Namespace
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from bnpexplorer.chains import chains_of
from bnpexplorer.checks.expecting import bars
from bnpexplorer.compare import Race
from bnpexplorer.inference.pool import PoolLost
from bnpexplorer.plugins.cluster import ClusterPool, connect, peers, starting
from bnpexplorer.plugins.cluster.command import way_on
from bnpexplorer.plugins.cluster.drivers import Rounds, driver_of
from bnpexplorer.plugins.cluster.guests import RunAway
from bnpexplorer.plugins.cluster.holdings import ASK_AGAIN, REMEDY, Holdings
from bnpexplorer.plugins.cluster.members import Members, Worker
from bnpexplorer.plugins.cluster.message import Message
from bnpexplorer.plugins.cluster.parts import MISSING, Trouble
from bnpexplorer.plugins.cluster.pool import SHARDS
from bnpexplorer.plugins.cluster.sending import TRIES, Moved, Sending, asked, share_out
from bnpexplorer.plugins.cluster.shards import shards_at
from bnpexplorer.plugins.cluster.trials import Trials
from bnpexplorer.runs.plan import Plan

FAR = "tcp://far.example:8786"


def of(**in_use: int) -> ClusterPool:
    pool = ClusterPool(FAR)
    pool.members.in_use = in_use
    return pool


# ---- the pool ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("in_use", "n", "words"),
    [({}, 1, "0 workers"), ({"a": 1}, 1, "1 worker"), ({"a": 1, "b": 4}, 5, "2 workers")],
)
def test_how_many_compute(in_use: dict[str, int], n: int, words: str) -> None:
    pool = of(**in_use)
    assert (pool.n_workers, pool.in_words) == (n, words)
    assert pool.n_alike == max(1, len(in_use))


def test_where_they_are() -> None:
    assert of().where == "at far.example"
    owned: Any = SimpleNamespace(security=None)
    assert ClusterPool(FAR, owned=owned).where == "on this machine"


def test_the_variable_for_shards_is_a_whole_path(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ClusterPool(FAR).shards == ""
    for asked_for, at in (
        (" shards/news ", os.path.abspath("shards/news")),
        (" s3://b/a ", "s3://b/a"),
    ):
        assert shards_at(asked_for) == at
        monkeypatch.setenv(SHARDS, asked_for)
        assert ClusterPool(FAR).shards == at


def test_what_nobody_computed_is_computed_here_in_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where some workers were lost, and the others have answered."""
    pool = of(a=1)

    async def all_of_it(self: Sending, work: Any, pieces: Any, shared: Any, found: Any) -> None:
        found |= {1: "there", 3: "there"}

    def called(how: Callable[..., Any]) -> None:
        places: Any = None
        with pytest.raises(StopIteration):
            how(places, {"a": 1}).send(None)

    monkeypatch.setattr(Sending, "all", all_of_it)
    monkeypatch.setattr(pool, "call", called)
    pieces = [(i,) for i in range(5)]
    found = pool.each(lambda i, given: i + given, pieces, 10)
    assert found == [10, "there", 12, "there", 14]


class Client:
    """Answers what each worker is asked: why it cannot read a corpus."""

    def __init__(self, **answers: str) -> None:
        self.answers, self.asked = answers, list[str]()

    def sync(self, how: Callable[[], Any]) -> None:
        import asyncio

        asyncio.run(how())

    async def run(self, *_: Any, workers: list[str], **__: Any) -> dict[str, str]:
        self.asked += workers
        return {worker: self.answers[worker] for worker in workers}


CORPUS: Any = SimpleNamespace(
    folder=SimpleNamespace(name="c"), manifest=SimpleNamespace(fingerprint="f")
)


@pytest.mark.parametrize(
    ("answers", "who"),
    [
        ({"a": "", "b": ""}, "Workers read"),
        ({"a": "", "b": "No."}, "1 of 2 workers read"),
        ({"a": "No.", "b": "No."}, ""),
    ],
)
def test_how_many_read_a_corpus(
    monkeypatch: pytest.MonkeyPatch, answers: dict[str, str], who: str
) -> None:
    monkeypatch.setattr("bnpexplorer.plugins.cluster.pool.StoredCorpus", SimpleNamespace)
    pool = of(a=1, b=1)
    places: Any = SimpleNamespace(client=Client(**answers))
    pool.members.places, pool.shards = places, "/there"
    said = f"{who} the documents themselves, from /there." if who else ""
    assert pool.how_read(CORPUS) == said


# ---- who reads what ------------------------------------------------------------------------------


def test_only_a_worker_that_could_not_read_is_asked_again_and_after_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, told = [1000.0], list[str]()
    monkeypatch.setattr("bnpexplorer.plugins.cluster.holdings.time.monotonic", lambda: now[0])
    known, client = Holdings(told.append), Client(well="", ill="It has no disk.")
    for later, n_asked in ((0.0, 2), (ASK_AGAIN - 1.0, 2), (2.0, 3), (10 * ASK_AGAIN, 4)):
        now[0] += later
        known.ask(client, ["well", "ill"], "/there", CORPUS)
        assert len(client.asked) == n_asked
    assert sorted(client.asked) == ["ill"] * 3 + ["well"]
    assert told == [f"Worker ill cannot read the corpus itself: It has no disk. {REMEDY}"] * 3
    assert known.reads("well", "f")
    assert not known.reads("well", "another")
    assert not known.reads("ill", "f")


def test_who_was_not_asked_since_the_cluster_went_is_asked_anew() -> None:
    class Gone(Client):
        def sync(self, how: Callable[[], Any]) -> None:
            raise OSError("gone")

    known, there = Holdings(lambda said: None), Client(a="")
    with pytest.raises(OSError, match="gone"):
        known.ask(Gone(), ["a"], "/there", CORPUS)
    known.ask(there, ["a"], "/there", CORPUS)
    assert there.asked == ["a"]
    assert known.reads("a", "f")


def test_that_a_worker_reads_no_more_is_told_once() -> None:
    told = list[str]()
    known = Holdings(told.append)
    known.ask(Client(a="", b=""), ["a", "b"], "/there", CORPUS)
    for worker in ("a", "a", "b"):
        known.reads_no_more(worker, "f", f"{worker} is ill.")
    assert told == ["a is ill.", "b is ill."]
    assert not known.reads("a", "f")


def test_what_a_worker_lacks_is_sent_and_what_it_cannot_read_is_told() -> None:
    told = list[str]()
    known = Holdings(told.append)
    known.ask(Client(a=""), ["a"], "/there", CORPUS)
    known.kept = {b"0": "a", b"1": "a", b"2": "a"}
    step: Any = SimpleNamespace(
        keep=True, holdings=known, fingerprint="f", differs=lambda *_: "It differs."
    )
    named: Any = [(0, SimpleNamespace(key=key)) for key in (b"x", b"0", b"1", b"2")]
    sending = Sending(None, {"a": 1}, Moved(), step, named)  # type: ignore[arg-type]
    marks: Any = ()
    sending._note("a", 1, {0: Trouble(MISSING, marks)})
    assert (known.kept, told) == ({b"1": "a", b"2": "a"}, [])
    assert known.reads("a", "f")
    sending._note("a", 1, {2: Trouble("Shard 3 is gone.", marks)})
    assert told == [
        "Worker a could not read on: Shard 3 is gone. It is sent its documents from now on."
    ]
    assert known.kept == {b"1": "a"}
    known._readers["a", "f"] = "", 0.0
    sending._note("a", 1, {1: Trouble("", marks)})
    assert told[1:] == ["It differs."]


# ---- what is sent --------------------------------------------------------------------------------


def run(how: Any) -> Any:
    import asyncio

    return asyncio.run(how)


def test_what_goes_and_comes_is_counted() -> None:
    class There:
        async def call(self, worker: str, what: str, *given: Any) -> Message:
            assert (worker, what, given[1]) == ("a", "compute", "name")
            return answer

    answer, moved, places = Message(b"x" * 5000), Moved(), There()
    found = run(asked(places, moved, "a", Message, len, "name", b"y" * 900))  # type: ignore[arg-type]
    assert found is answer
    assert moved == Moved(sent=Message(b"y" * 900).n_bytes, received=answer.n_bytes, tasks=1)


def test_what_is_lost_too_often_is_not_sent_again() -> None:
    sending = Sending(None, {"a": 1}, Moved(), None, ())  # type: ignore[arg-type]
    sending._todo = [(3, 4)]
    for n in range(1, TRIES + 1):
        sending._back((0, 2))
        assert sending.moved.again == n
        assert sending._todo[0] == ((0, 2) if n < TRIES else (3, 4))
        sending._todo = [(3, 4)]


def test_a_worker_that_is_lost_is_asked_no_more() -> None:
    from bnpexplorer.plugins.cluster.places import Lost

    todo, done, gone = [0, 1, 2, 3], list[tuple[str, int]](), set[str]()

    async def do(worker: str, thing: int) -> None:
        if worker == "bad":
            raise Lost("gone")
        done.append((worker, thing))

    def take(worker: str) -> int | None:
        return todo.pop(0) if todo else None

    run(share_out(["bad", "good"], gone, take, do, lambda thing: todo.insert(0, thing)))
    assert gone == {"bad"}
    assert sorted(done) == [("good", i) for i in range(4)]


# ---- who goes where ------------------------------------------------------------------------------


def test_runs_with_minutes_and_races_are_timed_and_take_their_held_out_documents_along() -> None:
    plan = Plan.of("hdp-tsvi", n_heldout=20)
    train, heldout = plan.split(bars(120))
    pool = of(a=1)
    for minutes in (None, 3.0):
        chains = Plan.of("hdp-tsvi", n_heldout=20, minutes=minutes, chains=2)
        driver: Any = driver_of(chains_of(chains, bars(120)), pool)
        assert driver.trials.timed is (minutes is not None)
    race: Any = driver_of(Race([plan.start(train, heldout) for _ in range(2)]), pool)
    assert race.trials.timed
    assert race.trials._heldout is heldout


def test_that_cores_are_crowded_is_told_where_seconds_count() -> None:
    pool = of(a=1)
    pool.crowded = "They take turns."
    Trials(pool, bars(20))
    assert not pool.notes
    Trials(pool, bars(20), timed=True)
    assert [*pool.notes] == ["They take turns."]


def test_rounds_take_about_as_long_as_runs_are_away() -> None:
    """Twice as many documents after a short one, half as many after a long one, and no more than
    there are."""
    trials: Any = SimpleNamespace(away=4.0)
    rounds = Rounds(SimpleNamespace(runs=[]), trials)  # type: ignore[arg-type]
    runs = [
        SimpleNamespace(docs_seen=seen, batch_size=size) for seen, size in ((100, 10), (130, 30))
    ]
    going: Any = list(enumerate(runs))
    strides = []
    for seconds in (0.0, 1.9, 1.9, 4.0, 8.0, 8.1, 8.1, 100.0):
        rounds._seconds = seconds
        rounds.begin_part(going, 10_000)
        strides.append(rounds.docs - 100)
        assert rounds._seconds == 0.0
    assert strides == [30, 60, 120, 120, 120, 60, 30, 30]
    rounds.begin_part(going, 125)
    assert rounds.docs == 125


def test_a_run_that_comes_home_has_one_thread() -> None:
    """As it had there, so that what it tells of its speed is true."""
    ours, theirs = (Plan.of("lda-svi", passes=1).start(bars(40)) for _ in range(2))
    for one in (ours, theirs):
        one.pool = None
    theirs.prepare()
    theirs.step()
    ours.threads = 7
    RunAway(ours).stand(*RunAway(theirs).packed())
    assert (ours.threads, ours.n_steps) == (1, 1)


# ---- sentences -----------------------------------------------------------------------------------


@pytest.mark.parametrize("shards", [None, "/s"])
def test_the_way_on_with_a_run_whose_cluster_was_lost(shards: str | None) -> None:
    options = Namespace(out="my.run", cluster=FAR, shards=shards)
    more = f" --shards {shards}" if shards else ""
    assert way_on(options, "abc") == (
        "The run is in my.run: go on with `bnpexplorer fit my.run --go-on "
        f"--cluster {FAR} --out my.run --force{more}`."
    )
    options.out = None
    said = "The run is kept among those of the app as abc: go on with it there."
    assert way_on(options, "abc") == said


def test_why_a_cluster_is_lost() -> None:
    told = list[str]()
    members = Members(FAR, None, told.append)
    assert members.lost() == (
        "The cluster does not answer any more; start its scheduler with `dask scheduler` and its "
        "workers again, and go on with the run. Nothing is lost."
    )
    members.places = SimpleNamespace(client=object())  # type: ignore[assignment]
    none = members.lost()
    assert none == (
        "The cluster has no worker any more; start some with `dask worker` and the address of its "
        "scheduler, and go on with the run. Nothing is lost."
    )
    members.there = {"tcp://a:1": Worker(), "tcp://b:2": Worker()}
    assert members.lost() == (
        "The workers of the cluster do not answer any more; end them, start others with "
        "`dask worker` and the address of its scheduler, and go on with the run. Nothing is lost."
    )
    for one, why in zip(members.there.values(), ("Too old.", "Too old."), strict=True):
        one.why = why
    members.there["tcp://c:3"] = Worker(why="Too new.")
    refused = "The cluster has no worker that can go on. Too old. Too new."
    assert members.lost() == refused
    assert told[1] == f"{none} The cluster: {FAR}."
    assert told[3] == f"{refused} The cluster: {FAR}, tcp://a:1, tcp://b:2, tcp://c:3."


def test_why_a_worker_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = {"numpy": "2.1", "dask": "9", peers.PROCESSOR: "z80"}
    monkeypatch.setattr(peers, "about", lambda: ours)
    assert peers.refusal(dict(ours)) == peers.warning(ours) == ""
    assert peers.refusal({"numpy": "1.9", peers.PROCESSOR: "6502"}) == (
        "A worker of the cluster has numpy 1.9 (here 2.1), dask missing (here 9), so that its "
        "numbers could differ; install there what is installed here, start it again, and go on."
    )
    assert peers.refusal({**ours, peers.PROCESSOR: "6502"}) == ""
    assert peers.warning({**ours, peers.PROCESSOR: "6502"}) == (
        "A worker of the cluster has another processor, 6502, than this machine, z80: the last "
        "bits of numbers may differ from those of this machine alone."
    )
    assert peers.refusal(ImportError("no numba")) == (
        "A worker of the cluster cannot compute for bnpexplorer (ImportError: no numba); install "
        "there what is installed here (`pip install bnpexplorer[cluster]`), start it, and go on."
    )


def test_at_the_start_a_refused_worker_is_told_with_its_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    members = Members(FAR, None, lambda said: None)
    monkeypatch.setattr(members, "_reach", lambda: None)
    monkeypatch.setattr(members, "look", lambda: True)
    members.there = {"tcp://a:1": Worker(why=""), "tcp://b:2": Worker(why="It is old.")}
    with pytest.raises(ValueError, match=r"^It is old\. It is tcp://b:2\.$"):
        members.open(2)
    members.there["tcp://b:2"].why = ""
    with pytest.raises(
        ValueError, match=f"^The workers of the cluster at {FAR} do not answer; end"
    ):
        members.open(2)
    members.in_use = {"tcp://a:1": 1}
    members.open(2)
    monkeypatch.setattr("bnpexplorer.plugins.cluster.members.CONNECT_SECONDS", -1.0)
    with pytest.raises(ValueError, match=f"^The cluster at {FAR} has no worker; start some with"):
        members.open(3)


def test_processes_of_our_own_have_longer_to_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """And nobody gives up while one that has come may answer still."""
    monkeypatch.setattr("bnpexplorer.plugins.cluster.members.CONNECT_SECONDS", -1.0)
    owned: Any = SimpleNamespace(security=None)
    pool = ClusterPool(FAR, owned=owned)
    members, looks = pool.members, [0]

    def look() -> bool:
        looks[0] += 1
        if looks[0] == 3:
            members.there, members.in_use = {"a": Worker(why="")}, {"a": 1}
        return looks[0] >= 3

    monkeypatch.setattr(members, "_reach", lambda: None)
    monkeypatch.setattr(members, "look", look)
    members.open(1)
    assert looks == [3]
    looks[0], pool.wait_seconds = 0, -1.0
    members.there = {"a": Worker()}
    pool.ready()
    looks[0] = -10
    with pytest.raises(PoolLost, match=r"^The cluster does not answer any more; start its sched"):
        pool.ready()
    assert looks == [-9]


@pytest.mark.parametrize(
    "address",
    ["", "far:1", "tcp://far", "tcp://far:0", "tcp://far:65536", "http://far:80", "tcp://a b:1"],
)
def test_what_is_no_address_of_a_cluster(address: str) -> None:
    with pytest.raises(ValueError, match=r"^A cluster is tcp://HOST:PORT, as `dask scheduler`"):
        connect(address)


@pytest.mark.parametrize("count", ["0", "257", "", "-1", "two", "1.5"])
def test_what_is_no_number_of_processes(count: str) -> None:
    said = f"local:N is a cluster of N processes on this machine, 1 to 256; got 'local:{count}'."
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        connect(f"local:{count}")


@pytest.mark.parametrize(("count", "crowded"), [(2, ""), (3, "3 processes take turns on 2 cores")])
def test_more_processes_than_cores_take_turns(
    monkeypatch: pytest.MonkeyPatch, count: int, crowded: str
) -> None:
    monkeypatch.setattr("distributed.LocalCluster", lambda **_: SimpleNamespace())
    workers: Any = lambda *_: SimpleNamespace(address=FAR, security=None)  # noqa: E731
    monkeypatch.setattr(starting, "Workers", workers)
    monkeypatch.setattr(starting, "usable_cores", lambda: 2)
    monkeypatch.setattr(ClusterPool, "open", lambda pool: None)
    pool = connect(f"local:{count}")
    assert pool.crowded.partition(": ")[0] == crowded
    assert pool._n_expected == count


def test_workers_that_hang_are_ended_and_those_that_have_ended_begun_again(monkeypatch):
    """One of three hangs and one has ended; the third goes on as it is."""
    well, hanging, gone = (Mock(**{"poll.return_value": ended}) for ended in (None, None, 1))
    there = {"tcp://a:1": SimpleNamespace(name="own-0"), "tcp://b:2": SimpleNamespace(name="own-1")}
    workers = object.__new__(starting.Workers)
    workers.scheduler = SimpleNamespace(scheduler=SimpleNamespace(workers=there))
    workers.processes = [well, hanging, gone]
    workers._names = {well: "own-0", hanging: "own-1", gone: "own-2"}
    ended, begun = [], iter("xy")
    monkeypatch.setattr(starting, "end_all", lambda those, seconds: ended.append((those, seconds)))
    monkeypatch.setattr(workers, "_started", lambda: next(begun))
    workers.revive(["tcp://b:2", "tcp://nowhere:3"])
    assert ended == [([hanging], 0.0)]
    assert workers.processes == [well, "x", "y"]
    assert workers._names == {well: "own-0"}
