"""What a cluster says of itself: whole sentences, with numbers and names. No cluster is needed."""

import os
import re
from argparse import Namespace
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from bnpexplorer.inference.pool import PoolLost
from bnpexplorer.plugins.cluster import ClusterPool, connect, peers, starting
from bnpexplorer.plugins.cluster.command import way_on
from bnpexplorer.plugins.cluster.members import Members, Worker
from bnpexplorer.plugins.cluster.pool import SHARDS
from bnpexplorer.plugins.cluster.shards import shards_at

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


# ---- who is lost or left out ---------------------------------------------------------------------


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


# ---- addresses and processes ---------------------------------------------------------------------


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
