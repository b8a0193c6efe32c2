"""Whole runs and trials on the workers of a cluster, one a worker, each computed as if alone.

A worker keeps what it drives (`guests.py`) and goes on with it, so that nothing is sent to it
again. Where it stands comes home after some seconds, and only then has anything changed here: a
worker that dies costs these seconds, and another does them again from there, with equal numbers.
The texts go to every worker once, those of a corpus on the disk by the name of its folder.
"""

import asyncio
import logging
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary

from ..core import store
from ..corpus.corpus import Corpus
from ..corpus.readers.source import plural
from ..evaluate import Heldout
from ..runs.packed_texts import pack_texts
from .guests import GONE, Came, Guest, GuestWork, drive_on, host, stop
from .message import Message
from .places import Lost, Places, Remote
from .pool import ClusterPool
from .sending import TRIES, Sending, in_turn

SECONDS = 4.0
"""Between two times that all is at home, and what a killed worker costs at most. To pack, check and
read the 3 MB of a run on 7,000 words takes 0.01 s of a processor."""
SHARE = 20.0
"""They are away for longer where coming home took more than a twentieth of it: large topics, a slow
network, or machines that are busy with something else;"""
MOST_SECONDS = 20.0
"""but no longer than this, so that people see them learn."""
LEAST = 0.1
"""Seconds that are too few to begin with another."""
TELL_SECONDS = 5.0
"""That workers have to hear that somebody waits for them."""
LOOK_EVERY = 0.05
"""Seconds between two looks whether somebody waits for it."""

log = logging.getLogger(__name__)


class Away(Protocol):
    """What stands here for something that a worker drives: where it stood when it was home."""

    @property
    def guest(self) -> type[Guest]:
        """What it is on a worker."""
        ...

    @property
    def mark(self) -> int:
        """Where it stands; another number whenever it has changed here."""
        ...

    def packed(self) -> store.Packed: ...

    def stand(self, manifest: dict[str, Any], arrays: store.Arrays) -> None:
        """Take over what `Guest.packed` gave."""
        ...


@dataclass
class _Known:
    """Of one that was away."""

    name: str
    worker: str = ""
    """That has it."""
    token: str = ""
    """Of the piece with which it came home last; empty while it is away."""
    mark: int = -1
    """Where it stood then."""


def never() -> bool:
    return False


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
        self._there: dict[str, asyncio.Future[Remote]] = {}
        """Address of every worker that has the texts, or soon will -> as it keeps them."""
        self._known: WeakKeyDictionary[Away, _Known] = WeakKeyDictionary()
        self._lost: WeakKeyDictionary[Away, int] = WeakKeyDictionary()
        """How often one was lost with its worker since it was home: it may be what kills them."""
        self._moving = 0.0
        """Seconds that it took to send and to bring home whoever took longest, last time."""

    def advance(self, those: Sequence[Away], docs: int = 0) -> list[int]:
        """Let workers drive them until each has processed so many documents, or for
        `self.seconds`; whoever comes first goes first, and where they are more than the workers,
        the last may be left as they were.

        Returns the places of those that failed there, or were lost with several workers: they are
        as they were, and fail again where they are driven next. Raises PoolLost if there is no
        worker, and ValueError with a sentence if one cannot open what was sent; then all are as
        they were.
        """
        if not those:
            return []
        self.pool.ready()
        found: dict[int, _Home] = {}
        self.pool.send(host, self._send, those, docs, found)
        began, self._moving = (
            time.monotonic(),
            max([0.0, *(home.moving for home in found.values())]),
        )
        for place, home in found.items():
            if home.came is not None:
                one, known = those[place], self._known[those[place]]
                one.stand(home.came.manifest, home.came.arrays)
                known.token, known.mark = home.token, one.mark
                self._lost.pop(one, None)
        self._moving += time.monotonic() - began
        failed = {place for place, home in found.items() if home.came is None}
        return sorted(failed.union(i for i, one in enumerate(those) if self._hopeless(one)))

    @property
    def away(self) -> float:
        """Seconds for which they are away next."""
        return min(max(self.seconds, SHARE * self._moving), self.most)

    def _hopeless(self, one: Away) -> bool:
        return self._lost.get(one, 0) >= TRIES

    # ---- on the client's event loop ----------------------------------------------------------

    async def _send(
        self, sending: Sending, those: Sequence[Away], docs: int, found: "dict[int, _Home]"
    ) -> None:
        """Fill `found`: place -> what came home."""
        if sending.places is not self._places:  # the scheduler was gone and is back
            self._places, self._there = sending.places, {}
        lanes = self._lanes(sending.workers)
        todo = [i for i, one in enumerate(those) if not self._hopeless(one)]
        step = _Step(sending, docs, time.monotonic() + self.away, len(lanes))

        async def serve(worker: str) -> None:
            """Let a worker drive one after another until none is left, or the time is over."""
            begun = False
            while todo and worker not in sending.gone and not step.problems:
                if begun and (step.left < LEAST or self.hurried()):
                    return
                begun = True
                place = self._next(those, todo[: max(step.idle, 1)], worker)
                todo.remove(place)
                step.idle -= 1
                try:
                    found[place] = await self._one(step, those[place], worker)
                except Lost as problem:
                    log.info("%s lost one: %s", worker, problem)
                    sending.gone.add(worker)
                    sending.moved.again += 1
                    self._lost[those[place]] = self._lost.get(those[place], 0) + 1
                    if not self._hopeless(those[place]):
                        todo.insert(0, place)
                except Exception as problem:  # what was sent cannot be opened there
                    step.problems.append(problem)

        watch = asyncio.ensure_future(self._hurry(step))
        try:
            await asyncio.gather(*map(serve, lanes))
            # What a worker had that died is done again, where somebody is left for it.
            while todo and sending.gone and step.left > LEAST and not step.problems:
                left = [worker for worker in lanes if worker not in sending.gone]
                if not left:
                    break
                await asyncio.gather(*map(serve, left))
        finally:
            watch.cancel()
            for worker in sending.gone:
                self._there.pop(worker, None)
        if step.problems:
            raise step.problems[0]

    def _lanes(self, workers: Mapping[str, int]) -> list[str]:
        """Every worker as often as it drives one at the same time."""
        if not self.timed:
            return in_turn(workers)
        alike, others = self.pool.alike(workers)
        if others:
            self.pool.note(
                f"{plural(len(others), 'worker')} with another processor than most have no part "
                "in what is measured in seconds: a second is worth more there, or less."
            )
        return alike

    def _next(self, those: Sequence[Away], turn: list[int], worker: str) -> int:
        """Of those whose turn it is, one that the worker has; else one that no other has."""
        owners = {i: self._known[those[i]].worker for i in turn if those[i] in self._known}
        own = [i for i in turn if owners.get(i) == worker]
        free = [i for i in turn if owners.get(i, "") not in self._there]
        return [*own, *free, *turn][0]

    async def _one(self, step: "_Step", one: Away, worker: str) -> "_Home":
        """One piece of one of them. Raises Lost."""
        known = self._known.setdefault(one, _Known(uuid.uuid4().hex))
        before = known.token if (known.worker, known.mark) == (worker, one.mark) else ""
        known.worker, known.token, token = worker, "", uuid.uuid4().hex
        texts = await asyncio.shield(self._texts(step.sending, worker))
        step.under_way[token], began = worker, time.monotonic()
        found: Any = GONE
        try:
            for sent in (None, one.packed) if before else (one.packed,):
                if found == GONE:
                    packed, seconds = sent and sent(), max(step.left, 0.0)
                    piece = GuestWork(
                        one.guest, known.name, token, before, packed, step.docs, seconds
                    )
                    [found] = await step.sending.one(drive_on, texts, [(*piece,)], 0)
        finally:
            del step.under_way[token]
        moving = 0.0 if found is None else time.monotonic() - began - found.seconds
        return _Home(found, token, moving)

    def _texts(self, sending: Sending, worker: str) -> "asyncio.Future[Remote]":
        if worker not in self._there:
            packed = Message(pack_texts(self._corpus, self._heldout))
            bring = sending.kept("texts", packed, worker)
            self._there[worker] = asyncio.ensure_future(bring)
        return self._there[worker]

    async def _hurry(self, step: "_Step") -> None:
        """As soon as somebody waits, let all come home that are under way."""
        told: set[str] = set()
        while True:
            await asyncio.sleep(LOOK_EVERY)
            new = step.under_way.keys() - told if self.hurried() else set()
            if new:
                told |= new
                workers = sorted({step.under_way[token] for token in new})
                telling = step.sending.places.client.run(
                    stop, sorted(new), workers=workers, on_error="ignore", asynchronous=True
                )
                try:  # one that hangs holds up nobody who is told after it
                    await asyncio.wait_for(telling, TELL_SECONDS)
                except (OSError, ValueError, TimeoutError) as problem:  # it comes home by itself
                    log.info("Nobody could be told to hurry: %r", problem)


class _Home(NamedTuple):
    came: Came | None
    """None if it failed there."""
    token: str
    moving: float
    """Seconds beside those that the worker had it."""


class _Step:
    """What all share that are under way in one step."""

    def __init__(self, sending: Sending, docs: int, until: float, n_lanes: int) -> None:
        self.sending, self.docs, self._until = sending, docs, until
        self.idle = n_lanes
        """How many can be begun at once, still."""
        self.under_way: dict[str, str] = {}
        """Token -> worker."""
        self.problems: list[Exception] = []

    @property
    def left(self) -> float:
        """Seconds."""
        return self._until - time.monotonic()
