"""The workers of a Dask cluster as a pool: the slices of a step become tasks.

What all share (topics at the words of the batch) goes to some workers, from which the others get
it; slices go to the worker that computes them, by a connection of its own, and results come back
that way. The scheduler sees names only. Tasks change nothing, so that one that was lost is
computed again with equal numbers, by another worker or, if there is none, here.
"""

import gc
import logging
import os
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from typing import Any, Protocol, Self, TypeVar

from ..corpus.corpus import Batch, Corpus
from ..corpus.stored import StoredCorpus
from ..corpus.stored.elsewhere import said
from ..inference.cores import cores
from ..inference.pool import Pieces, PoolLost
from .holdings import Holdings
from .message import Message
from .naming import Naming, Step
from .parts import compute_parts
from .peers import PROCESSOR, about, refusal, warning
from .sending import Moved, Sending, compute
from .shards import shards_at

R = TypeVar("R")

CONNECT_SECONDS = 10.0
"""After which nobody is taken to be at an address."""
WAIT_SECONDS = 20.0
"""That a step waits for a worker: one that was killed is back after 2 s where somebody starts it
again, and of a cluster of our own we do."""
START_SECONDS = 120.0
"""That the processes of a cluster of our own have to start: 2 s on a machine that does nothing."""
SHARDS = "BNPEXPLORER_SHARDS"
"""The variable that names where workers read stored corpora, where that is not their own path."""
LOOK_EVERY = 0.1
"""Seconds between two looks for workers."""


class Owned(Protocol):
    """Processes that end with the pool."""

    security: Any
    """The keys without which they answer nobody, of `distributed.Security`."""

    def revive(self) -> None: ...

    def close(self) -> None: ...


class ClusterPool:
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
        owned: Owned | None = None,
        tell: Callable[[str], None] = lambda said: None,
    ) -> None:
        self.address, self._owned, self._tell = address, owned, tell
        self.notes: dict[str, list[str]] = {}
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
        self._client: Any = None
        self._workers: dict[str, int] = {}
        """Address of every worker in use -> its threads."""
        self._known: dict[str, str] = {}
        """Address of every worker that was asked -> why it is left out, or empty."""
        self._processors: dict[str, str] = {}
        """Address of every worker that was asked -> its processor."""
        self._most: int | None = None
        self._lock = threading.Lock()  # several runs of an app look for workers

    shares_memory = False

    # ---- as a pool -------------------------------------------------------------------------

    @property
    def n_workers(self) -> int:
        """Slices that are computed at once: the threads of all workers."""
        return max(1, sum(self._workers.values()))

    @property
    def in_words(self) -> str:
        """As "4 workers"."""
        count = len(self._workers)
        return f"{count} {'worker' if count == 1 else 'workers'}"

    @property
    def where(self) -> str:
        """As "at HOST", for whoever runs the cluster."""
        if self._owned is not None:
            return "on this machine"
        return f"at {self.address.partition('://')[2].rpartition(':')[0]}"

    @property
    def workers(self) -> dict[str, int]:
        """Address of every worker in use -> its threads."""
        return dict(islice(self._workers.items(), self._most))

    def alike(self, workers: Iterable[str]) -> tuple[list[str], list[str]]:
        """Those of them that have the processor that most have, and the others."""
        kinds = {worker: self._processors.get(worker, "") for worker in workers}
        usual = Counter(kinds.values()).most_common(1)
        alike = [worker for worker, kind in kinds.items() if kind == usual[0][0]]
        return alike, [worker for worker in kinds if worker not in alike]

    def here(self, work: Callable[[int, int], object], n: int) -> None:
        cores().here(work, n)

    def each(self, work: Callable[..., R], pieces: Pieces, given: Any) -> list[R]:
        """As `Pool.each`. What the cluster leaves undone is computed here, so that a step that has
        begun always ends; whether there is anybody for the next, `ready` finds out."""
        found: dict[int, R] = {}
        step: Step | None = getattr(self._at, "step", None)
        named = [] if step is None else step.named(pieces)
        if step is None or not any(named):
            self.send(compute, Sending.all, work, pieces, given, found)
        else:
            given_to_parts, naming = (step.reading, given), partial(Naming, step=step, named=named)
            self._send(naming, compute_parts, Sending.all, work, pieces, given_to_parts, found)
        if missing := [i for i in range(len(pieces)) if i not in found]:
            left = [pieces[i] for i in missing]
            found |= dict(zip(missing, cores().each(work, left, given), strict=True))
        return [found[i] for i in range(len(pieces))]

    def send(
        self, task: Callable[..., Message], how: Callable[..., Awaitable[None]], *arguments: Any
    ) -> None:
        """`how(sending, *arguments)` on the client's event loop, to the workers in use; nothing if
        there are none. `task` computes on a worker, as `compute` does. Raises what `how` does."""
        self._send(Sending, task, how, *arguments)

    def _send(
        self,
        sending: Callable[..., Sending],
        task: Callable[..., Message],
        how: Callable[..., Awaitable[None]],
        *arguments: Any,
    ) -> None:
        client, workers = self._client, self.workers
        if client is not None and workers:
            client.sync(how, sending(client, workers, self.moved, task), *arguments)

    def reads(self, batch: Batch, again: bool) -> None:
        """As `Pool.reads`: documents of a corpus on the disk are not sent to workers that read them
        there, nor such as come again to a worker that has kept them."""
        self._at.step, address = None, ""
        with suppress(OSError, RuntimeError, TimeoutError):  # the cluster may go at any moment
            if isinstance(batch.corpus, StoredCorpus) and self.how_read(batch.corpus):
                address = self._address_of(batch.corpus)
        if batch.corpus is not None and (address or again):
            self._at.step = Step(batch, self.holdings, address, again)

    def how_read(self, corpus: Corpus) -> str:
        """Where workers read this corpus themselves and how many do, in a sentence; empty if none
        does. Asks those that are there and were not asked before."""
        if not isinstance(corpus, StoredCorpus) or self._client is None:
            return ""
        address, workers = self._address_of(corpus), list(self.workers)
        self.holdings.ask(self._client, workers, address, corpus)
        fingerprint = corpus.manifest.fingerprint
        n = sum(self.holdings.reads(worker, fingerprint) for worker in workers)
        if not n:
            return ""
        who = "Workers read" if n == len(workers) else f"{n} of {len(workers)} workers read"
        return f"{who} the documents themselves, from {said(address)}."

    def _address_of(self, corpus: StoredCorpus) -> str:
        return self.shards or str(corpus.folder)

    @contextmanager
    def only(self, n_workers: int) -> Iterator[None]:
        """While this lasts, use so many workers at most."""
        before, self._most = self._most, n_workers
        try:
            yield
        finally:
            self._most = before

    def ready(self) -> None:
        """Before a step: use the workers that are there now, and wait for one if there is none.

        Raises PoolLost with a sentence if none comes, or nobody is at the address any more.
        """
        deadline = time.monotonic() + self.wait_seconds
        with self._lock:
            while not self._look():
                if time.monotonic() > deadline:
                    why = self._lost()
                    self._tell(f"{why} The cluster: {', '.join((self.address, *self._known))}.")
                    raise PoolLost(why)
                time.sleep(LOOK_EVERY)

    # ---- beginning and ending --------------------------------------------------------------

    def open(self) -> None:
        """Reach the scheduler and its workers. Raises ValueError with a sentence."""
        self._reach()
        deadline = time.monotonic() + (START_SECONDS if self._owned else CONNECT_SECONDS)
        while len(self._client.scheduler_info(n_workers=-1)["workers"]) < self._n_expected:
            if time.monotonic() > deadline:
                self.close()
                raise ValueError(
                    f"The cluster at {self.address} has no worker; start some with "
                    f"`dask worker {self.address}`."
                )
            time.sleep(LOOK_EVERY)
        self._look()
        if refused := [f"{why} It is {worker}." for worker, why in self._known.items() if why]:
            self.close()
            raise ValueError(" ".join(refused))

    def close(self) -> None:
        """Let go of the cluster, and end what was started for it."""
        self._drop()
        if self._owned is not None:
            self._owned.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _reach(self) -> None:
        """Raises ValueError if nobody answers."""
        from distributed import Client

        for name in ("distributed", "distributed.client"):  # we say what is wrong, in sentences
            logging.getLogger(name).setLevel(logging.CRITICAL)
        asked: dict[str, Any] = {"timeout": CONNECT_SECONDS, "set_as_default": False}
        if self._owned is not None:
            asked["security"] = self._owned.security
        found, problems = list[Any](), list[str]()

        def reach() -> None:  # a port that is something else's may never answer, nor time out
            try:
                found.append(Client(self.address, direct_to_workers=True, **asked))
            except Exception as problem:  # told below; Dask's are of many kinds
                problems.append(f"{type(problem).__name__}: {problem}")
            if problems:
                # A client that came to nothing closes itself when it is collected. Were that while
                # Dask begins another, both would wait for one lock for ever.
                gc.collect()

        trying = threading.Thread(target=reach, name="reach a cluster", daemon=True)
        trying.start()
        trying.join(CONNECT_SECONDS + 5.0)
        self._client = found[0] if found else None
        if any(said.startswith("TypeError") and "ssl" in said for said in problems):
            raise ValueError(
                f"{self.address} needs certificates; name them in Dask's configuration, "
                "distributed.comm.tls."
            )
        if self._client is None:
            raise ValueError(
                f"No Dask scheduler answers at {self.address}; start one with `dask scheduler` and "
                "name the address that it prints."
            )

    def _drop(self) -> None:
        client, self._client = self._client, None
        self._workers = {}
        if client is not None:
            with suppress(OSError, RuntimeError, TimeoutError):  # it may be gone
                client.close(timeout=2)

    # ---- its workers -----------------------------------------------------------------------

    def _look(self) -> bool:
        """Use the workers that are there now; whether there is one."""
        if self._owned is not None:
            self._owned.revive()
        try:
            if self._client is None or self._client.status != "running":
                self._drop()
                self._reach()
            there: dict[str, int] = dict(self._client.nthreads())
            self._ask([worker for worker in there if worker not in self._known])
        except (OSError, ValueError, RuntimeError, TimeoutError):
            self._drop()
            return False
        self._known = {worker: self._known[worker] for worker in there if worker in self._known}
        self.holdings.forget(there)
        self._workers = {w: n for w, n in there.items() if self._known.get(w) == ""}
        return bool(self._workers)

    def _ask(self, newcomers: list[str]) -> None:
        """Find out which of them may compute, and what is to be said of them."""
        if not newcomers:
            return
        for worker, found in self._client.run(about, workers=newcomers, on_error="return").items():
            if isinstance(found, OSError):  # it has gone already, or does not answer yet
                continue
            why = refusal(found)
            self._known[worker] = why
            self._processors[worker] = found[PROCESSOR] if not why else ""
            if said := why or warning(found):
                self.note(said, worker)

    def note(self, said: str, worker: str = "") -> None:
        """Add a sentence to `notes`, once for every worker that it holds for."""
        if said in self.notes and (not worker or worker in self.notes[said]):
            return
        self.notes.setdefault(said, []).extend([worker] if worker else [])
        self._tell(f"{said} It is {worker}." if worker else said)

    def _lost(self) -> str:
        """What a person reads when there is nobody to compute the next step."""
        if refused := [why for why in self._known.values() if why]:
            return f"The cluster has no worker that can go on. {' '.join(dict.fromkeys(refused))}"
        if self._client is None:
            return (
                "The cluster does not answer any more; start its scheduler with `dask scheduler` "
                "and its workers again, and go on with the run. Nothing is lost."
            )
        return (
            "The cluster has no worker any more; start some with `dask worker` and the address of "
            "its scheduler, and go on with the run. Nothing is lost."
        )
