"""What is sent, counted and sent again, and which runs go where; no cluster is needed."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from bnpexplorer.chains import chains_of
from bnpexplorer.checks.expecting import bars
from bnpexplorer.compare import Race
from bnpexplorer.corpus.corpus import CorpusError
from bnpexplorer.plugins.cluster.drivers import Rounds, driver_of
from bnpexplorer.plugins.cluster.guests import RunAway, RunThere
from bnpexplorer.plugins.cluster.message import Message
from bnpexplorer.plugins.cluster.sending import TRIES, Moved, Sending, asked, share_out
from bnpexplorer.plugins.cluster.shards import counts_at
from bnpexplorer.plugins.cluster.trials import Trials
from bnpexplorer.runs.plan import Plan
from tests.plugins.cluster import far
from tests.plugins.cluster.test_told import of
from tests.tools.stored import on_disk

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


@pytest.mark.parametrize(("state", "sent"), [(None, True), ("topics", False)])
def test_what_a_run_begins_from_is_sent_until_it_has_topics(state: Any, sent: bool) -> None:
    """Afterwards the topics go with it, and what it began from would be sent in vain."""
    run: Any = SimpleNamespace(
        state=state, given="other topics", pack_standing=lambda: ({"seed": 7}, {"topic": 1})
    )
    manifest, arrays = RunAway(run).packed()
    assert manifest == {"seed": 7} | ({"given": "other topics"} if sent else {})
    assert arrays == {"topic": 1}


def test_a_file_elsewhere_that_was_cut_short_is_told_with_both_sizes(tmp_path: Any) -> None:
    far.is_known()
    stored = on_disk(bars(30), tmp_path / "bars.corpus")
    size = (stored.folder / "counts.npy").stat().st_size
    with (stored.folder / "counts.npy").open("r+b") as file:
        file.truncate(size - 12)
    address = f"far://{stored.folder}"
    with pytest.raises(CorpusError) as told:
        counts_at(address, "", stored.manifest.fingerprint, str(tmp_path))
    assert str(told.value) == f"{address}/counts.npy has {size - 12:,} bytes in place of {size:,}."


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


def test_those_behind_learn_first_and_what_failed_there_learns_here() -> None:
    sent, here = list[Any](), list[Any]()

    def advance(those: Any, docs: int) -> list[int]:
        sent.append((those, docs))
        return [0, 2]

    job: Any = SimpleNamespace(runs=[], each=lambda those, work: here.extend(those))
    rounds = Rounds(job, SimpleNamespace(advance=advance, seconds=4.0))  # type: ignore[arg-type]
    runs = [SimpleNamespace(docs_seen=seen) for seen in (70, 100, 30, 130, 50)]
    rounds.away, rounds.docs = [*"abcde"], 100  # type: ignore[list-item]
    rounds._learn([*enumerate(runs)])  # type: ignore[arg-type]
    assert sent == [(["c", "e", "a"], 100)]
    assert here == [(2, runs[2]), (0, runs[0])]


def test_a_run_that_comes_home_has_one_thread_and_tells_of_its_last_step() -> None:
    """As it had there, so that what it tells of its speed is true."""
    ours, theirs = (Plan.of("lda-svi", passes=1).start(bars(40)) for _ in range(2))
    for one in (ours, theirs):
        one.pool = None
    theirs.prepare()
    theirs.step()
    ours.threads = 7
    assert (info := theirs.latest_info) != ours.latest_info
    RunAway(ours).stand(*RunThere(theirs).packed())
    assert (ours.threads, ours.n_steps, ours.latest_info) == (1, 1, info)
