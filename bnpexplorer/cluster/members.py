"""Who is in a cluster: which workers may compute, which are left out, and what is to be said."""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import CancelledError, Future
from typing import Any, Protocol

from .answering import LOOK_SECONDS, LOOKS, SCHEDULER
from .peers import PROCESSOR, about, refusal, warning
from .places import Places
from .reaching import CONNECT_SECONDS, let_go, reached

START_SECONDS = 120.0
"""That the processes of a cluster of our own have to start: 2 s on a machine that does nothing."""
ANSWER_SECONDS = 60.0
"""That a worker has to tell its versions: it imports the package first, 3 s from a disk of its own
and many times that where 256 read it from one that they share."""
LOOK_EVERY = 0.1
"""Seconds between two looks for workers."""

log = logging.getLogger(__name__)


class Owned(Protocol):
    """Processes that end with the pool."""

    security: Any
    """The keys without which they answer nobody, of `distributed.Security`."""

    def revive(self, hanging: Collection[str] = ()) -> None:
        """Start again what has ended, and what hangs, by the addresses of workers."""
        ...

    def close(self) -> None: ...


class Members:
    """The workers of one cluster, as far as this machine knows.

    Every worker is asked for its versions before it gets anything, and computes from the next look
    on; nobody waits for one that joins late. One that hangs is asked again like a newcomer.
    """

    def __init__(self, address: str, owned: Owned | None, tell: Callable[[str], None]) -> None:
        self.address, self.owned, self._tell = address, owned, tell
        self.notes: dict[str, list[str]] = {}
        """As `ClusterPool.notes`."""
        self.places: Places | None = None
        """What workers keep and compute; None while nobody is at the address."""
        self.in_use: dict[str, int] = {}
        """Address of every worker that computes -> its threads."""
        self.known: dict[str, str] = {}
        """Address of every worker that has answered -> why it is left out, or empty."""
        self.processors: dict[str, str] = {}
        """Address of every worker that has answered -> its processor."""
        self._asked: dict[str, Future[Any]] = {}
        """Address of every worker that was asked and has not answered -> its answer."""
        self._since: dict[str, float] = {}
        """Address of every worker that is there and has told nothing -> when that was noticed."""
        self._hanging: set[str] = set()

    @property
    def client(self) -> Any:
        """Dask's; None while nobody is at the address."""
        return None if self.places is None else self.places.client

    def open(self, n_expected: int) -> None:
        """Reach the scheduler, and so many workers. Raises ValueError with a sentence."""
        self.places = Places(reached(self.address, self._keys))
        deadline = time.monotonic() + (START_SECONDS if self.owned else CONNECT_SECONDS)
        while True:
            self.look()
            n_there = len(self.known) + len(self._since)
            if n_there >= n_expected and not self.expected:
                break
            if n_there < n_expected and time.monotonic() > deadline:
                raise ValueError(
                    f"The cluster at {self.address} has no worker; start some with "
                    f"`dask worker {self.address}`."
                )
            time.sleep(LOOK_EVERY)
        if refused := [f"{why} It is {worker}." for worker, why in self.known.items() if why]:
            raise ValueError(" ".join(refused))
        if not self.in_use:
            raise ValueError(
                f"The workers of the cluster at {self.address} do not answer; end them and start "
                f"others with `dask worker {self.address}`."
            )

    def drop(self) -> None:
        """Let go of the scheduler."""
        places, self.places = self.places, None
        self.in_use = {}
        asked, self._asked, self._since = self._asked, {}, {}
        for answer in asked.values():
            answer.cancel()
        if places is not None:
            places.close()
            let_go(places.client)

    @property
    def _keys(self) -> Any:
        return None if self.owned is None else self.owned.security

    # ---- looking -----------------------------------------------------------------------------

    def look(self) -> bool:
        """Use the workers that are there now; whether there is one. Takes as long as the scheduler
        does to answer, `CONNECT_SECONDS` at most, and to be reached anew."""
        if self.owned is not None:
            self.owned.revive(self._hanging)
        try:
            if self.client is None or self.client.status != "running":
                self.drop()
                self.places = Places(reached(self.address, self._keys))
            there: dict[str, int] = dict(self.client.nthreads(callback_timeout=CONNECT_SECONDS))
            self._ask(there)
        except (OSError, ValueError, RuntimeError, TimeoutError):
            self.drop()
            return False
        self._hear()
        self.in_use = {
            w: n for w, n in there.items() if self.known.get(w) == "" and w not in self._hanging
        }
        return bool(self.in_use)

    @property
    def expected(self) -> bool:
        """Whether a newcomer may answer still."""
        return any(worker not in self._hanging for worker in self._since)

    def hangs(self, worker: str) -> None:
        """A worker gave no sign of life amid a step: it gets nothing until it answers. May be
        called by any thread, and also of the scheduler, which is found out at the next look."""
        if worker == SCHEDULER:
            return
        self._hanging.add(worker)
        self.in_use = {w: n for w, n in self.in_use.items() if w != worker}
        self.note(
            f"A worker of the cluster gave no sign of life for {LOOK_SECONDS * LOOKS:.0f} s amid a "
            "step: what it had to do was done again without it, and it gets nothing more until it "
            "answers.",
            worker,
        )

    def _ask(self, there: dict[str, int]) -> None:
        """Ask newcomers, and those that hang, what they are; forget those that are gone."""
        self._hanging.intersection_update(there)
        hanging = set(self._hanging)
        self.known = {w: why for w, why in self.known.items() if w in there and w not in hanging}
        self._since = {w: since for w, since in self._since.items() if w in there}
        for worker in self._asked.keys() - there.keys():
            self._asked.pop(worker).cancel()
        for worker in there:
            if worker not in self.known and worker not in self._asked:
                telling = self.client.run(
                    about, workers=[worker], on_error="return", asynchronous=True
                )
                loop = self.client.loop.asyncio_loop
                self._asked[worker] = asyncio.run_coroutine_threadsafe(telling, loop)
                self._since.setdefault(worker, time.monotonic())

    def _hear(self) -> None:
        """What those have answered that were asked."""
        for worker in [worker for worker, answer in self._asked.items() if answer.done()]:
            answer = self._asked.pop(worker)
            try:
                found = answer.result().get(worker, ConnectionError("it is gone"))
            except (OSError, RuntimeError, ValueError, CancelledError) as problem:
                log.info("Worker %s could not be asked: %r", worker, problem)
                continue
            if not isinstance(found, OSError):  # it has gone already, or cannot be reached yet
                self._meet(worker, found)
        for worker, since in self._since.items():
            if time.monotonic() - since > ANSWER_SECONDS and worker not in self._hanging:
                self._hanging.add(worker)
                self.note(
                    f"A worker of the cluster does not say within {ANSWER_SECONDS:.0f} s what it "
                    "is: it gets nothing to do until it answers.",
                    worker,
                )

    def _meet(self, worker: str, found: Any) -> None:
        """A worker has told what it is, or why it cannot."""
        self._hanging.discard(worker)
        self._since.pop(worker, None)
        why = refusal(found)
        self.known[worker] = why
        self.processors[worker] = found[PROCESSOR] if not why else ""
        if said := why or warning(found):
            self.note(said, worker)

    # ---- telling -----------------------------------------------------------------------------

    def alike(self, workers: Iterable[str]) -> tuple[list[str], list[str]]:
        """Those of them that have the processor that most have, and the others."""
        kinds = {worker: self.processors.get(worker, "") for worker in workers}
        usual = Counter(kinds.values()).most_common(1)
        alike = [worker for worker, kind in kinds.items() if kind == usual[0][0]]
        return alike, [worker for worker in kinds if worker not in alike]

    def note(self, said: str, worker: str = "") -> None:
        """Add a sentence to `notes`, once for every worker that it holds for."""
        if said in self.notes and (not worker or worker in self.notes[said]):
            return
        self.notes.setdefault(said, []).extend([worker] if worker else [])
        self._tell(f"{said} It is {worker}." if worker else said)

    def lost(self) -> str:
        """What a person reads when there is nobody to compute the next step; whoever runs the
        cluster is told its addresses."""
        why = self._lost()
        self._tell(f"{why} The cluster: {', '.join((self.address, *self.known, *self._since))}.")
        return why

    def _lost(self) -> str:
        if refused := [why for why in self.known.values() if why]:
            return f"The cluster has no worker that can go on. {' '.join(dict.fromkeys(refused))}"
        if self.client is None:
            return (
                "The cluster does not answer any more; start its scheduler with `dask scheduler` "
                "and its workers again, and go on with the run. Nothing is lost."
            )
        if self._since:
            return (
                "The workers of the cluster do not answer any more; end them, start others with "
                "`dask worker` and the address of its scheduler, and go on with the run. Nothing "
                "is lost."
            )
        return (
            "The cluster has no worker any more; start some with `dask worker` and the address of "
            "its scheduler, and go on with the run. Nothing is lost."
        )
