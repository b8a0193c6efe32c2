"""Which workers read a corpus themselves, and who is asked again; no cluster is needed."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bnpexplorer.checks.expecting import bars
from bnpexplorer.corpus.corpus import Batch
from bnpexplorer.plugins.cluster.holdings import ASK_AGAIN, REMEDY, BatchStep, Holdings
from bnpexplorer.plugins.cluster.parts import MISSING, Trouble, marks_of
from bnpexplorer.plugins.cluster.sending import Moved, Sending
from tests.plugins.cluster.test_told import of
from tests.tools.stored import on_disk


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


@pytest.mark.parametrize(("row", "shard"), [(0, 0), (63, 0), (64, 1), (127, 1), (128, 2)])
def test_the_shard_of_the_first_document_that_differs_is_told(
    tmp_path: Path, row: int, shard: int
) -> None:
    stored = on_disk(bars(150), tmp_path / "bars.corpus", shard_docs=64)
    rows = np.array([row, 140])
    batch = Batch(stored.take(rows), rows, 0, 1, stored)
    step = BatchStep(batch, Holdings(print), str(stored.folder), False)
    part: Any = SimpleNamespace(first=0, last=2, rows=rows)
    one, two = marks_of(step._held(0, 2)).tolist()
    for marks, told in (([one + 1, two + 1], shard), ([one, two + 1], 2)):
        said = step.differs(part, "a", np.array(marks))
        assert f"reads other numbers in shard {told} of" in said


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
