"""Whole runs and trials on the workers of a cluster, one a worker, each computed as if alone.

A worker keeps the runs that it drives (`guests.py`), so nothing is sent again. Every few seconds
the client gets their standing, and changes only then. If a worker dies, another repeats these
seconds from there, with equal numbers. Texts go to every worker once, those of a corpus on the disk
by the name of its folder.
"""

import asyncio
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from ...core import store
from ...core.display import plural
from ...corpus.corpus import Corpus
from ...evaluate import Heldout
from ...runs.background import never
from ...runs.packed_texts import pack_texts
from .guests import GONE, Came, Guest, Piece, drive_on, host, stop
from .message import Message
from .places import Places
from .pool import ClusterPool
from .sending import TRIES, asked, in_turn, share_out

SECONDS = 4.0
"""Between two times that all is at home, and what a killed worker costs at most. To pack, check and
read the 3 MB of a run on 7,000 words takes 0.01 s of a processor."""
SHARE = 20.0
"""They are away for longer where coming home took more than a twentieth of it: large topics, a slow
network, or machines that are busy with something else;"""
MOST_SECONDS = 20.0
"""but no longer than this, so that people see them learn."""
LEAST = 0.1
"""Remaining seconds below which no further piece is begun."""
LOOK_EVERY = 0.05
"""Seconds between two looks whether somebody waits for it."""
TEXTS = "texts"
"""The name of what all share."""


class Away(Protocol):
    """The client's side of a guest, with its standing at the last return."""

    @property
    def guest(self) -> type[Guest]:
        """The class of its guest on a worker."""
        ...

    @property
    def mark(self) -> int:
        """Return a number that changes whenever it changes here."""
        ...

    def packed(self) -> store.Packed: ...

    def stand(self, manifest: dict[str, Any], arrays: store.Arrays) -> None:
        """Take over what `Guest.packed` gave."""
        ...


@dataclass
class _Known:
    """One of those that are driven, as it was away last."""

    name: str = field(default_factory=lambda: uuid.uuid4().hex)
    worker: str = ""
    """That has it."""
    mark: int = -1
    """Where it stood when it came home from there; -1 while it is away."""
    n_lost: int = 0
    """How often it was lost with its worker since it was home: it may be what kills them."""


class Trials:
    """Drives any number of `Away` on the workers of a pool, over the same texts.

    Texts and guests stay with the workers as long as this object is kept.

    `timed`: what they learn is measured in seconds. A second is one of the worker's own clock
    inside steps, and everything has one thread. So that it is worth the same everywhere, a worker
    drives one at a time, however many threads it has, and only workers with the commonest
    processor are used.
    """

    def __init__(
        self, pool: ClusterPool, corpus: Corpus, heldout: Heldout | None = None, timed: bool = False
    ) -> None:
        self.pool, self.timed = pool, timed
        self.seconds = SECONDS
        """For which they are away at least,"""
        self.most = max(self.seconds, MOST_SECONDS)
        """and at most."""
        self.hurried: Callable[[], bool] = never
        """Whether somebody waits: then all come home after the mini-batch at hand."""
        if timed and pool.crowded:
            pool.note(pool.crowded)
        self._corpus, self._heldout = corpus, heldout
        self._places: Places | None = None
        """Whose actors have the texts."""
        self._known: WeakKeyDictionary[Away, _Known] = WeakKeyDictionary()
        self._moving = 0.0
        """Seconds that it took to send and to bring home whoever took longest, last time."""

    def advance(self, those: Sequence[Away], docs: int = 0) -> list[int]:
        """Let workers drive `those`, in their order, until each has processed `docs` documents, or
        for `self.seconds`. With fewer workers than guests the last may stay unchanged.

        Returns the places of guests that failed there, or were lost with several workers; these are
        unchanged, and fail again where they are driven next. Raises PoolLost if there is no worker,
        and ValueError with a sentence if one cannot open its guest; then all are unchanged.
        """
        if not those:
            return []
        for one in those:
            self._known.setdefault(one, _Known())
        self.pool.ready()
        home = dict[int, Came | None]()
        self.pool.call(lambda places, workers: self._send(places, workers, those, docs, home))
        began = time.monotonic()
        for place, came in home.items():
            if came is not None:
                one, known = those[place], self._known[those[place]]
                one.stand(came.manifest, came.arrays)
                known.mark, known.n_lost = one.mark, 0
        self._moving += time.monotonic() - began
        failed = {place for place, came in home.items() if came is None}
        return sorted(failed.union(i for i, one in enumerate(those) if self._hopeless(one)))

    @property
    def away(self) -> float:
        """Seconds for which they are away next."""
        return min(max(self.seconds, SHARE * self._moving), self.most)

    def _hopeless(self, one: Away) -> bool:
        return self._known[one].n_lost >= TRIES

    # ---- on the client's event loop ----------------------------------------------------------

    async def _send(
        self,
        places: Places,
        workers: dict[str, int],
        those: Sequence[Away],
        docs: int,
        home: dict[int, Came | None],
    ) -> None:
        """Fill `home`: place -> what came home, None if it failed there."""
        if self._places is None or self._places.client is not places.client:
            packed = Message(pack_texts(self._corpus, self._heldout))
            self._places = Places(places.client, {TEXTS: packed})
        texts, this_round = self._places, uuid.uuid4().hex
        moved, gone = self.pool.moved, set[str]()
        lanes, until = self._lanes(workers), time.monotonic() + self.away
        self._moving = 0.0
        todo, idle = [i for i, one in enumerate(those) if not self._hopeless(one)], len(lanes)

        def take(worker: str) -> int | None:
            """The next for a worker, as long as there is time for it; all begin with one each."""
            nonlocal idle
            if not todo or (idle <= 0 and (self.hurried() or until - time.monotonic() < LEAST)):
                return None
            place = self._next(those, todo[: max(idle, 1)], worker)
            todo.remove(place)
            idle -= 1
            return place

        async def do(worker: str, place: int) -> None:
            one, known, began = those[place], self._known[those[place]], time.monotonic()
            has = (known.worker, known.mark) == (worker, one.mark)
            known.worker, known.mark = worker, -1
            if worker not in texts.begun:
                moved.sent += texts.first[TEXTS].n_bytes
            found: Any = GONE
            for sent in (None, one.packed) if has else (one.packed,):
                if found == GONE:
                    seconds = max(until - time.monotonic(), 0.0)
                    piece = Piece(one.guest, known.name, this_round, sent and sent(), docs, seconds)
                    found = (
                        await asked(texts, moved, worker, host, drive_on, TEXTS, piece)
                    ).value()
            home[place] = found
            if found is not None:
                self._moving = max(self._moving, time.monotonic() - began - found.seconds)

        def back(place: int) -> None:
            moved.again += 1
            self._known[those[place]].n_lost += 1
            if not self._hopeless(those[place]):
                todo.insert(0, place)

        hurrying = asyncio.ensure_future(self._hurry(places.client, lanes, this_round))
        try:
            await share_out(lanes, gone, take, do, back)
        finally:
            hurrying.cancel()

    def _lanes(self, workers: Mapping[str, int]) -> list[str]:
        """Every worker as often as it drives one at the same time."""
        if not self.timed:
            return in_turn(workers)
        alike, others = self.pool.members.alike(workers)
        if others:
            self.pool.note(
                f"{plural(len(others), 'worker')} with another processor than most have no part "
                "in what is measured in seconds: a second is worth more there, or less."
            )
        return alike

    def _next(self, those: Sequence[Away], turn: list[int], worker: str) -> int:
        """Return the next in turn that the worker has, else one that no other worker has."""
        assert self._places is not None
        owners = {i: self._known[those[i]].worker for i in turn}
        own = [i for i in turn if owners[i] == worker]
        free = [i for i in turn if owners[i] not in self._places.begun]
        return [*own, *free, *turn][0]

    async def _hurry(self, client: Any, workers: Sequence[str], this_round: str) -> None:
        """Let all guests return as soon as somebody waits."""
        while not self.hurried():
            await asyncio.sleep(LOOK_EVERY)
        with suppress(OSError, ValueError):  # then they come home by themselves
            await client.run(
                stop, this_round, workers=[*workers], on_error="ignore", asynchronous=True
            )
