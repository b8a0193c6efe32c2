"""The members of a cluster: its scheduler, the workers that may compute, and reports on them."""

import asyncio
import gc
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .peers import PROCESSOR, about, refusal, warning
from .places import LOOK_SECONDS, LOOKS, Places

if TYPE_CHECKING:
    from .starting import Workers

CONNECT_SECONDS = 10.0
"""After which nobody is taken to be at an address."""
START_SECONDS = 120.0
"""That the processes of a cluster of our own have to start: 2 s on a machine that does nothing."""
ANSWER_SECONDS = 60.0
"""That a worker has to tell its versions: it imports the package first, 3 s from a disk of its own
and many times that where 256 read it from one that they share."""
LOOK_EVERY = 0.1
"""Seconds between two looks for workers."""

log = logging.getLogger(__name__)


def reached(address: str, security: Any = None) -> Any:
    """Return Dask's client of the scheduler at an address; `security`: the keys to it.

    Raises ValueError with a sentence if nobody answers.
    """
    from distributed import Client

    for name in ("distributed", "distributed.client"):  # we say what is wrong, in sentences
        logging.getLogger(name).setLevel(logging.CRITICAL)
    asked: dict[str, Any] = {"timeout": CONNECT_SECONDS, "set_as_default": False}
    if security is not None:
        asked["security"] = security
    found, problems = list[Any](), list[str]()

    def reach() -> None:  # a port that is something else's may never answer, nor time out
        try:
            found.append(Client(address, direct_to_workers=True, **asked))
        except Exception as problem:  # told below; Dask's are of many kinds
            problems.append(f"{type(problem).__name__}: {problem}")
        if problems:
            # A client that came to nothing closes itself when it is collected. Were that while
            # Dask begins another, both would wait for one lock for ever.
            gc.collect()

    trying = threading.Thread(target=reach, name="reach a cluster", daemon=True)
    trying.start()
    trying.join(CONNECT_SECONDS + 5.0)
    if found:
        return found[0]
    if any(said.startswith("TypeError") and "ssl" in said for said in problems):
        raise ValueError(
            f"{address} needs certificates; name them in Dask's configuration, "
            "distributed.comm.tls."
        )
    raise ValueError(
        f"No Dask scheduler answers at {address}; start one with `dask scheduler` and "
        "name the address that it prints."
    )


@dataclass
class Worker:
    """A worker of the cluster, as far as this machine knows."""

    asked: "Future[Any] | None" = None
    """Its answer to what it is, where it was asked."""
    since: float = field(default_factory=time.monotonic)
    """When it came."""
    why: str | None = None
    """Why it is left out, or empty; None while it has not answered."""
    processor: str = ""
    hangs: bool = False


class Members:
    """The workers of one cluster.

    Every worker is asked for its versions before it gets anything, and computes from the next look
    on; nobody waits for one that joins late. One that hangs is asked again like a newcomer.
    """

    def __init__(self, address: str, owned: "Workers | None", tell: Callable[[str], None]) -> None:
        self.address, self.owned, self._tell = address, owned, tell
        self.notes: dict[str, list[str]] = {}
        """As `ClusterPool.notes`."""
        self.places: Places | None = None
        """What workers keep and compute; None while nobody is at the address."""
        self.in_use: dict[str, int] = {}
        """Address of every worker that computes -> its threads."""
        self.there: dict[str, Worker] = {}
        """Address of every worker -> what is known of it."""

    @property
    def client(self) -> Any:
        """Dask's; None while nobody is at the address."""
        return None if self.places is None else self.places.client

    def open(self, n_expected: int) -> None:
        """Connect to the scheduler and its workers. Raises ValueError with a sentence."""
        self._reach()
        deadline = time.monotonic() + (START_SECONDS if self.owned else CONNECT_SECONDS)
        while True:
            self.look()
            if len(self.there) >= n_expected and not self.expected:
                break
            if len(self.there) < n_expected and time.monotonic() > deadline:
                raise ValueError(
                    f"The cluster at {self.address} has no worker; start some with "
                    f"`dask worker {self.address}`."
                )
            time.sleep(LOOK_EVERY)
        if refused := [f"{one.why} It is {who}." for who, one in self.there.items() if one.why]:
            raise ValueError(" ".join(refused))
        if not self.in_use:
            raise ValueError(
                f"The workers of the cluster at {self.address} do not answer; end them and start "
                f"others with `dask worker {self.address}`."
            )

    def _reach(self) -> None:
        self.places = Places(reached(self.address, self.owned and self.owned.security))

    def drop(self) -> None:
        """Let go of the scheduler."""
        client, self.places, self.in_use = self.client, None, {}
        for one in self.there.values():
            if one.asked is not None:
                one.asked.cancel()
                one.asked = None
        if client is not None:
            with suppress(OSError, RuntimeError, TimeoutError):  # its scheduler may be gone
                client.close(timeout=2)

    # ---- looking -----------------------------------------------------------------------------

    def look(self) -> bool:
        """Use the workers that are there now; whether there is one. Takes as long as the scheduler
        does to answer, `CONNECT_SECONDS` at most, and to be reached anew."""
        if self.owned is not None:
            self.owned.revive([who for who, one in self.there.items() if one.hangs])
        try:
            if self.client is None or self.client.status != "running":
                self.drop()
                self._reach()
            threads: dict[str, int] = dict(self.client.nthreads(callback_timeout=CONNECT_SECONDS))
            for who in self.there.keys() - threads.keys():
                if (asked := self.there.pop(who).asked) is not None:
                    asked.cancel()
            for who in threads:
                self._meet(who, self.there.setdefault(who, Worker()))
        except (OSError, ValueError, RuntimeError, TimeoutError):
            self.drop()
            return False
        computing = [who for who, one in self.there.items() if one.why == "" and not one.hangs]
        self.in_use = {who: n for who, n in threads.items() if who in computing}
        return bool(self.in_use)

    @property
    def expected(self) -> bool:
        """Whether a newcomer may answer still."""
        return any(one.why is None and not one.hangs for one in self.there.values())

    def hangs(self, worker: str) -> None:
        """Give a worker nothing until it answers: it gave no sign of life amid a step. May be
        called by any thread."""
        if (one := self.there.get(worker)) is not None:
            one.hangs, one.why, one.asked = True, None, None
        self.in_use = {w: n for w, n in self.in_use.items() if w != worker}
        self.note(
            f"A worker of the cluster gave no sign of life for {LOOK_SECONDS * LOOKS:.0f} s amid a "
            "step: what it had to do was done again without it, and it gets nothing more until it "
            "answers.",
            worker,
        )

    def _meet(self, worker: str, one: Worker) -> None:
        """Ask a new or hanging worker about itself, or take its answer."""
        if one.why is not None:
            return
        if one.asked is None:
            telling = self.client.run(about, workers=[worker], on_error="return", asynchronous=True)
            one.asked = asyncio.run_coroutine_threadsafe(telling, self.client.loop.asyncio_loop)
        elif one.asked.done():
            asked, one.asked = one.asked, None
            try:
                found = asked.result().get(worker, ConnectionError("it is gone"))
            except (OSError, RuntimeError, ValueError, CancelledError) as problem:
                found = ConnectionError(repr(problem))
            if isinstance(found, OSError):  # it has gone already, or cannot be reached yet
                log.info("Worker %s could not be asked: %r", worker, found)
                return
            one.hangs, one.why = False, refusal(found)
            one.processor = "" if one.why else found[PROCESSOR]
            if said := one.why or warning(found):
                self.note(said, worker)
        elif time.monotonic() - one.since > ANSWER_SECONDS and not one.hangs:
            one.hangs = True
            self.note(
                f"A worker of the cluster does not say within {ANSWER_SECONDS:.0f} s what it is: "
                "it gets nothing to do until it answers.",
                worker,
            )

    # ---- telling -----------------------------------------------------------------------------

    def alike(self, workers: Iterable[str]) -> tuple[list[str], list[str]]:
        """Return those of them that have the processor that most have, and the others."""
        kinds = {who: self.there[who].processor if who in self.there else "" for who in workers}
        [(usual, _)] = Counter(kinds.values()).most_common(1)
        alike = [worker for worker, kind in kinds.items() if kind == usual]
        return alike, [worker for worker in kinds if worker not in alike]

    def note(self, said: str, worker: str = "") -> None:
        """Add a sentence to `notes`, once for every worker that it holds for."""
        if said in self.notes and (not worker or worker in self.notes[said]):
            return
        self.notes.setdefault(said, []).extend([worker] if worker else [])
        self._tell(f"{said} It is {worker}." if worker else said)

    def lost(self) -> str:
        """Return the sentence for a person if no worker can compute the next step, and tell the
        addresses of the cluster to its administrator."""
        why = self._lost()
        self._tell(f"{why} The cluster: {', '.join((self.address, *self.there))}.")
        return why

    def _lost(self) -> str:
        if refused := [one.why for one in self.there.values() if one.why]:
            return f"The cluster has no worker that can go on. {' '.join(dict.fromkeys(refused))}"
        if self.client is None:
            return (
                "The cluster does not answer any more; start its scheduler with `dask scheduler` "
                "and its workers again, and go on with the run. Nothing is lost."
            )
        if self.there:
            return (
                "The workers of the cluster do not answer any more; end them, start others with "
                "`dask worker` and the address of its scheduler, and go on with the run. Nothing "
                "is lost."
            )
        return (
            "The cluster has no worker any more; start some with `dask worker` and the address of "
            "its scheduler, and go on with the run. Nothing is lost."
        )
