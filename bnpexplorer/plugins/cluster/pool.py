"""The workers of a Dask cluster as a pool: their actors are called to compute the slices of a step.

What all share (topics at the words of the batch) goes to some workers, from which the others get
it; slices go to the worker that computes them, and results come back that way. The scheduler tells
who is there and sees nothing else. Calls change nothing, so that one that was lost is made again
with equal numbers, to another worker or, if there is none, here.
"""

import asyncio
import os
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ...corpus.corpus import Batch, Corpus
from ...corpus.stored import StoredCorpus
from ...corpus.stored.elsewhere import said
from ...inference.cores import cores
from ...inference.pool import Driver, Pieces, PoolLost, RemotePool
from .holdings import BatchStep, Holdings
from .members import LOOK_EVERY, Members
from .message import Message
from .places import Places, watched
from .sending import Moved, Sending
from .shards import shards_at

if TYPE_CHECKING:
    from .starting import Workers

R = TypeVar("R")

WAIT_SECONDS = 20.0
"""That a step waits for a worker: one that was killed is back after 2 s where somebody starts it
again, and of a cluster of our own we do."""
SHARDS = "BNPEXPLORER_SHARDS"
"""The variable that names where workers read stored corpora, where that is not their own path."""


class ClusterPool(RemotePool):
    """A `Pool` (inference/pool.py) whose `each` is computed by workers of a Dask cluster.

    `here` stays on this machine, with its threads. Every worker is asked for its versions before it
    gets anything, also one that joins later: then it is left out, with a sentence in `notes`.

    Whoever watches a run reads why it is paused, and `notes`: these name no machine. What `tell`
    is told does: it is for whoever runs the cluster.
    """

    def __init__(
        self,
        address: str,
        n_expected: int = 1,
        owned: "Workers | None" = None,
        tell: Callable[[str], None] = lambda said: None,
    ) -> None:
        self.address, self.members = address, Members(address, owned, tell)
        self.notes = self.members.notes
        """What to know of its workers, in sentences -> the addresses of those it holds for; no
        address where the sentence says itself whom it means."""
        self.crowded = ""
        """What to know of its seconds, where its workers share cores; told where they count."""
        self.moved = Moved()
        """What was sent and received so far."""
        self.wait_seconds = WAIT_SECONDS
        named = os.environ.get(SHARDS, "").strip()
        self.shards = shards_at(named) if named else ""
        """Where workers read a stored corpus, or a folder that holds it; empty: at its own path."""
        self.holdings = Holdings(self.note)
        self._at = threading.local()
        """`step`: the mini-batch of the thread's present step, if anything of it may be named."""
        self._n_expected = n_expected
        self._lock = threading.Lock()  # several runs of an app look for workers

    # ---- as a pool -------------------------------------------------------------------------

    @property
    def n_workers(self) -> int:
        """Slices that are computed at once: the threads of all workers."""
        return max(1, sum(self.members.in_use.values()))

    @property
    def in_words(self) -> str:
        """As "4 workers"."""
        count = len(self.members.in_use)
        return f"{count} {'worker' if count == 1 else 'workers'}"

    @property
    def where(self) -> str:
        """As "at HOST", for whoever runs the cluster."""
        if self.members.owned is not None:
            return "on this machine"
        return f"at {self.address.partition('://')[2].rpartition(':')[0]}"

    @property
    def workers(self) -> dict[str, int]:
        """Address of every worker in use -> its threads."""
        return dict(self.members.in_use)

    @property
    def n_alike(self) -> int:
        """The workers with the commonest processor: there a second is worth the same."""
        workers = self.workers
        return len(self.members.alike(workers)[0]) if workers else 1

    def driver_of(self, job: Any) -> Driver | None:
        """As `RemotePool.driver_of`."""
        from .drivers import driver_of

        return driver_of(job, self)

    def here(self, work: Callable[[int, int], object], n: int) -> None:
        cores().here(work, n)

    def each(self, work: Callable[..., R], pieces: Pieces, given: Any) -> list[R]:
        """As `Pool.each`. What the cluster leaves undone is computed here, so that a step that has
        begun always ends; whether there is anybody for the next, `ready` finds out."""
        found: dict[int, R] = {}
        step: BatchStep | None = getattr(self._at, "step", None)
        named = [None] * len(pieces) if step is None else step.named(pieces)
        shared = Message((step.reading if step is not None and any(named) else None, given))

        async def sent(places: Places, workers: dict[str, int]) -> None:
            sending = Sending(places, workers, self.moved, step, named)
            await sending.all(work, pieces, shared, found)

        self.call(sent)
        if missing := [i for i in range(len(pieces)) if i not in found]:
            left = [pieces[i] for i in missing]
            found |= dict(zip(missing, cores().each(work, left, given), strict=True))
        return [found[i] for i in range(len(pieces))]

    def call(self, how: Callable[[Places, dict[str, int]], Awaitable[None]]) -> None:
        """Await `how(places, workers)` on the client's event loop, with the workers in use; nothing
        if there are none. All that is under way to one that hangs is lost. Raises what `how`
        does."""
        places, workers = self.members.places, self.workers
        if places is None or not workers:
            return

        def hangs(worker: str) -> None:
            places.drop(worker)
            self.members.hangs(worker)

        async def watching() -> None:
            beside = [watched(places.client, [*workers], hangs), places.beat()]
            tasks = [asyncio.ensure_future(one) for one in beside]
            try:
                await how(places, workers)
            finally:
                for task in tasks:
                    task.cancel()

        places.client.sync(watching)

    def reads(self, batch: Batch, again: bool) -> None:
        """As `RemotePool.reads`: documents of a corpus on the disk are not sent to workers that
        read them there, nor such as come again to a worker that has kept them."""
        self._at.step, address = None, ""
        with suppress(OSError, RuntimeError, TimeoutError):  # the cluster may go at any moment
            if isinstance(batch.corpus, StoredCorpus) and self.how_read(batch.corpus):
                address = self._address_of(batch.corpus)
        if batch.corpus is not None and (address or again):
            self._at.step = BatchStep(batch, self.holdings, address, again)

    def how_read(self, corpus: Corpus) -> str:
        """Where workers read this corpus themselves and how many do, in a sentence; empty if none
        does. Asks those that are there and were not asked before."""
        if not isinstance(corpus, StoredCorpus) or self.members.client is None:
            return ""
        address, workers = self._address_of(corpus), list(self.workers)
        self.holdings.ask(self.members.client, workers, address, corpus)
        fingerprint = corpus.manifest.fingerprint
        n = sum(self.holdings.reads(worker, fingerprint) for worker in workers)
        if not n:
            return ""
        who = "Workers read" if n == len(workers) else f"{n} of {len(workers)} workers read"
        return f"{who} the documents themselves, from {said(address)}."

    def _address_of(self, corpus: StoredCorpus) -> str:
        return self.shards or str(corpus.folder)

    def ready(self) -> None:
        """Before a step: use the workers that are there now, and wait for one if there is none.

        Raises PoolLost with a sentence if none comes or answers, or nobody is at the address any
        more.
        """
        deadline = time.monotonic() + self.wait_seconds
        with self._lock:
            while not self.members.look():
                if time.monotonic() > deadline and not self.members.expected:
                    raise PoolLost(self.members.lost())
                time.sleep(LOOK_EVERY)

    # ---- beginning and ending --------------------------------------------------------------

    def open(self) -> None:
        """Reach the scheduler and its workers. Raises ValueError with a sentence."""
        try:
            self.members.open(self._n_expected)
        except ValueError:
            self.close()
            raise

    def close(self) -> None:
        """Disconnect from the cluster, and end the processes started for it."""
        self.members.drop()
        if self.members.owned is not None:
            self.members.owned.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def note(self, said: str) -> None:
        """Add a sentence to `notes`."""
        self.members.note(said)
