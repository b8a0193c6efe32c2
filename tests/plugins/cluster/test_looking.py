"""Who computes, and what is said of workers that come, hang and go; no cluster is needed."""

import asyncio
from argparse import Namespace
from concurrent.futures import Future
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from bnpexplorer.inference.pool import PoolLost
from bnpexplorer.plugins.cluster import command, members, peers, places
from bnpexplorer.plugins.cluster.members import Members, Worker
from tests.plugins.cluster.test_told import FAR, of


class Client:
    """Of a cluster with these workers and threads."""

    def __init__(self, **threads: int) -> None:
        self.threads, self.status = threads, "running"

    def nthreads(self, callback_timeout: float) -> dict[str, int]:
        if not self.threads:
            raise OSError("nobody answers")
        return self.threads

    def close(self, timeout: float) -> None:
        self.status = "closed"


def looking(**threads: int) -> tuple[Members, Client, list[str]]:
    told = list[str]()
    found, client = Members(FAR, None, told.append), Client(**threads)
    found.places = SimpleNamespace(client=client)  # type: ignore[assignment]
    return found, client, told


def test_those_that_are_there_and_may_compute_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has gone is forgotten, with what it was asked; newcomers are met."""
    found, client, _ = looking(well=3, old=5, new=7)
    asked, met = Future[Any](), list[str]()
    monkeypatch.setattr(found, "_meet", lambda who, one: met.append(who))
    found.there = {"well": Worker(why=""), "old": Worker(why="Too old."), "gone": Worker(asked)}
    assert found.look()
    assert found.in_use == {"well": 3}
    assert [*found.there] == met == ["well", "old", "new"]
    assert asked.cancelled()
    assert found.expected, "the newcomer"
    found.there["new"].hangs = True
    assert not found.expected
    client.threads = {"old": 5}
    assert not found.look()
    assert [*found.there] == ["old"]
    client.threads = {}
    assert not found.look()
    assert (found.places, found.in_use, client.status) == (None, {}, "closed")


def test_workers_of_our_own_that_hang_are_begun_again_at_a_look() -> None:
    revived = list[list[str]]()
    found, _, _ = looking(a=1, b=1)
    found.owned = SimpleNamespace(revive=revived.append)  # type: ignore[assignment]
    found.there = {"a": Worker(why=""), "b": Worker(why="x", hangs=True)}
    found.look()
    assert revived == [["b"]]


def test_one_that_hangs_gets_nothing_and_it_is_told_once() -> None:
    found, _, told = looking(a=2, b=3)
    found.there, found.in_use = (
        {"a": Worker(Future(), why=""), "b": Worker(why="")},
        {"a": 2, "b": 3},
    )
    said = (
        "A worker of the cluster gave no sign of life for 20 s amid a step: what it had to do was "
        "done again without it, and it gets nothing more until it answers."
    )
    for _ in range(2):
        found.hangs("a")
    one = found.there["a"]
    assert (one.hangs, one.why, one.asked) == (True, None, None)
    assert found.in_use == {"b": 3}
    assert told == [f"{said} It is a."]
    found.hangs("b")
    assert found.notes == {said: ["a", "b"]}


def answered(found: Any) -> "Future[Any]":
    future = Future[Any]()
    if isinstance(found, Exception):
        future.set_exception(found)
    else:
        future.set_result(found)
    return future


def test_what_a_newcomer_answers_says_whether_it_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = {"numpy": "2.1", peers.PROCESSOR: "z80"}
    monkeypatch.setattr(peers, "about", lambda: ours)
    found, _, told = looking(a=1)
    like, other, old = ours, ours | {peers.PROCESSOR: "6502"}, ours | {"numpy": "1"}
    refused = peers.refusal(old)
    for answer, processor, why, note in (
        (like, "z80", "", ""),
        (other, "6502", "", f"{peers.warning(other)} It is a."),
        (old, "", refused, f"{refused} It is a."),
    ):
        told.clear()
        one = Worker(answered({"a": answer}), hangs=True)
        found._meet("a", one)
        assert (one.hangs, one.why, one.processor, one.asked) == (False, why, processor, None)
        assert told == [note] * bool(note)
    for gone in ({}, OSError("gone"), {"a": OSError("gone")}):
        one = Worker(answered(gone))
        found._meet("a", one)
        assert (one.why, one.asked) == (None, None), "it is asked again"
    assert len(told) == 1


def test_one_that_does_not_say_what_it_is_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(members.time, "monotonic", lambda: now[0])
    found, _, told = looking(a=1)
    one = Worker(Future(), since=1000.0)
    for now[0], n_told in ((1060.0, 0), (1060.5, 1), (2000.0, 1)):
        found._meet("a", one)
        assert (one.hangs, len(told)) == (n_told == 1, n_told)
    assert told == [
        "A worker of the cluster does not say within 60 s what it is: it gets nothing to do until "
        "it answers. It is a."
    ]


def test_those_with_the_commonest_processor_are_alike() -> None:
    found, _, _ = looking()
    kinds = {"a": "x86", "b": "arm", "c": "arm", "d": "x86", "e": "arm"}
    found.there = {who: Worker(processor=kind) for who, kind in kinds.items()}
    assert found.alike("abcde") == (["b", "c", "e"], ["a", "d"])
    assert found.alike("abd") == (["a", "d"], ["b"])


# ---- signs of life -------------------------------------------------------------------------------


@pytest.mark.parametrize("answers", ["....", "aaaaaaa....", "eeee", "ae.a....", "a.ea...."])
def test_one_hangs_that_has_not_answered_in_four_looks_in_turn(
    monkeypatch: pytest.MonkeyPatch, answers: str
) -> None:
    """`a` is an answer by the next look, `e` an error, and a dot none."""
    asked = list[asyncio.Future[Any]]()
    looks = list[float]()

    def question(client: Any, worker: str) -> Any:
        asked.append(asyncio.get_running_loop().create_future())
        return asked[-1]

    async def sleep(seconds: float) -> None:
        what = answers[len(looks)]
        looks.append(seconds)
        if what == "a":
            asked[-1].set_result("")
        elif what == "e":
            asked[-1].set_exception(OSError("not reached"))

    monkeypatch.setattr(places, "_asked", question)
    monkeypatch.setattr(places.asyncio, "sleep", sleep)
    asyncio.run(places.silent(None, "a"))
    since = max((i for i, what in enumerate(answers[: len(looks)]) if what == "a"), default=-1)
    assert looks == [places.LOOK_SECONDS] * (since + 1 + places.LOOKS)
    answered_by_then = sum(what in "ae" for what in answers[: len(looks)])
    assert len(asked) == 1 + answered_by_then
    assert asked[-1].cancelled()


# ---- the command line ----------------------------------------------------------------------------


@pytest.mark.parametrize("shards", [None, "s3://b/a"])
def test_a_command_says_who_computes_and_passes_on_where_they_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], shards: str | None
) -> None:
    pool, asked = of(a=2, b=3), list[Any]()

    def connect(*given: Any) -> Any:
        asked.append(given)
        return nullcontext(pool)

    monkeypatch.setattr(command, "connect", connect)
    with command.reached(Namespace(cluster=FAR, shards=shards)) as found:
        assert found is pool
    assert pool.shards == (shards or "")
    assert asked == [(FAR, command._tell)]
    said = "bnpexplorer: computing on 2 workers at far.example.\n"
    assert capsys.readouterr() == ("", said)
    with command.reached(Namespace(cluster=FAR)):
        assert capsys.readouterr().err == said


def test_chains_at_once_are_told_and_others_are_not(capsys: pytest.CaptureFixture[str]) -> None:
    for at_once in (False, True):
        chains: Any = SimpleNamespace(is_at_once=at_once, runs=[1, 2, 3])
        command.say_if_at_once(chains)
    said = "bnpexplorer: 3 chains at once, each as a whole by a worker.\n"
    assert capsys.readouterr() == ("", said)


@pytest.mark.parametrize(
    ("parallel", "lost", "read", "said"),
    [
        ("", False, "Workers read.", "hdp-x learns on this machine alone. Why it does."),
        ("topics", True, "Workers read.", "hdp-x learns on this machine alone. Why it does."),
        ("documents", False, "Workers read.", "Workers read."),
        ("documents", True, "Workers read.", "Workers read."),
        ("documents", False, "", ""),
    ],
)
def test_who_learns_is_said_before_anything_is_learned(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    parallel: str,
    lost: bool,
    read: str,
    said: str,
) -> None:
    def ready() -> None:
        if lost:
            raise PoolLost("Nobody is there.")

    pool, corpus = of(a=2), object()
    monkeypatch.setattr(pool, "ready", ready)
    monkeypatch.setattr(pool, "how_read", {corpus: read}.__getitem__)
    method = SimpleNamespace(name="hdp-x", parallel=parallel, in_turn="Why it does.")
    run: Any = SimpleNamespace(method=method, pool=pool, corpus=corpus)
    command.say_who_learns(run)
    assert capsys.readouterr() == ("", f"bnpexplorer: {said}\n" if said else "")
