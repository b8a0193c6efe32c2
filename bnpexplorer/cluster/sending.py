"""One step on its way: what goes to which worker, and what comes back."""

import asyncio
import logging
import uuid
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ..inference.pool import Pieces
from .answering import SCHEDULER, watch
from .message import Message
from .places import Lost, Places, Remote

GROUPS = 2
"""Calls for every thread of the workers: while it computes one, the next is on its way to it, and
what it found on its way back. They grow smaller, so that all end at once, with little to bring
home: 2 and SHARE of 1.3 took 1.25 and 1.29 times a step of threads, 2 that are equal 1.26 and 1.27,
4 and 1.8 1.26 and 1.29; where all is encrypted more calls cost more."""
SHARE = 1.3
"""How many times its even share of what is left goes into a group."""
COPIES = 8
"""Workers to which this machine sends what all share; the others get it from these, so that its
own connection does not carry one copy a worker."""
TRIES = 4
"""How often a task is begun that is lost with its worker; then it is computed on this machine: it
may be the task that kills them."""

Group = tuple[int, int]
"""The first of some pieces that go together, and the first after them."""

T = TypeVar("T")

log = logging.getLogger(__name__)


@dataclass
class Moved:
    """What went over the network."""

    sent: int = 0
    """Bytes; of what all share those that leave this machine."""
    shared: int = 0
    """Bytes of these that all tasks of a step share: mostly topics."""
    received: int = 0
    """Bytes."""
    tasks: int = 0
    again: int = 0
    """Tasks that were lost with their worker and begun again."""
    named: int = 0
    """Pieces whose documents were not sent: workers read them or had them."""


def compute(work: Callable[..., Any], given: Message, pieces: Message) -> Message:
    """On a worker: `work` of every piece."""
    shared = given.value()
    return Message([work(*piece, shared) for piece in pieces.value()])


def groups(n: int, n_tasks: int) -> list[Group]:
    """`n` pieces in `n_tasks` groups, the largest first, or each alone if there are not so many."""
    found, begin = list[Group](), 0
    for left in range(min(n, n_tasks), 0, -1):
        size = min(max(round(SHARE * (n - begin) / left), 1), n - begin - (left - 1))
        found.append((begin, begin + size))
        begin += size
    return found


def in_turn(workers: Mapping[str, int]) -> list[str]:
    """Every worker as often as it is said, all of them first for the first time."""
    most = max(workers.values(), default=0)
    return [w for turn in range(most) for w, n in workers.items() if n > turn]


class Sending:
    """The pieces of one step, on the client's event loop; workers keep nothing of it afterwards."""

    def __init__(
        self,
        places: Places,
        workers: dict[str, int],
        moved: Moved,
        task: Callable[[Callable[..., Any], Message, Message], Message] = compute,
    ) -> None:
        self.places, self.workers, self.moved, self._task = places, workers, moved, task
        self._name = uuid.uuid4().hex
        self._aligned = True
        """Whether arrays of what is found begin where kernels want them. To put 9.5 MB of a step of
        4,096 documents straight is a twentieth of the step."""
        self._todo: deque[Group] = deque()
        self._tries: Counter[Group] = Counter()
        self.gone: set[str] = set()
        """Workers that lost a task, or hang."""
        self._second_hand: Sequence[str] = ()
        """Workers that get from others what all share."""
        self._ends: dict[str, asyncio.Future[None]] = {}
        """Worker -> what is done as soon as nothing more is awaited of it."""
        self._problem: Exception | None = None
        """What `work` raised."""

    async def all(
        self,
        work: Callable[..., Any],
        pieces: Pieces,
        given: Any,
        results: dict[int, Any],
        joined: bool = False,
    ) -> None:
        """Put what `work` finds for every piece into `results` at the piece's place; `joined` as in
        `Pool.each`.

        Results are missing there if their workers were lost. Raises what `work` raised.
        """
        shared, self._aligned = Message(given), not joined
        holders, self._second_hand = list(self.workers)[:COPIES], list(self.workers)[COPIES:]
        naming: dict[str, asyncio.Task[Remote]] = {}

        def named(worker: str) -> asyncio.Task[Remote]:
            """What all share, on its way to a worker."""
            if worker not in naming:
                holder = None
                if worker not in holders:
                    holder = named(holders[self._second_hand.index(worker) % COPIES])
                naming[worker] = asyncio.create_task(self._given(shared, worker, holder))
            return naming[worker]

        async def there(worker: str) -> Remote:
            return await asyncio.shield(named(worker))

        todo = groups(len(pieces), GROUPS * sum(self.workers.values()))
        try:
            # One group more than a worker has threads is on its way to it.
            await self.share_out(work, pieces, todo, there, results, spare=1)
        finally:  # at once: a frame that refers to them may wait long for Python's collector
            for task in naming.values():
                if task.done() and not task.cancelled() and task.exception() is None:
                    task.result().release()

    async def _given(
        self, shared: Message, worker: str, holder: "asyncio.Task[Remote] | None"
    ) -> Remote:
        """What all share begins to go to a worker. Raises Lost."""
        kept = await self._of(worker, self.places.named(worker, f"given-{self._name}"))
        going = self._gives(shared, kept) if holder is None else self._from(holder, shared, kept)
        self.places.goes(going)
        return kept

    async def _gives(self, shared: Message, kept: Remote) -> None:
        await self.keep(kept, shared)
        self.moved.shared += shared.n_bytes

    async def _from(self, holder: "asyncio.Task[Remote]", shared: Message, kept: Remote) -> None:
        """From a worker that has it; from here where that one was lost."""
        try:
            await self.places.hand_on(await asyncio.shield(holder), kept)
        except Exception as problem:  # of that worker's, which is no trouble of this one
            log.info("%s gets nothing from another: %s", kept.held.worker, problem)
            await self._gives(shared, kept)

    async def share_out(
        self,
        work: Callable[..., Any],
        pieces: Pieces,
        todo: list[Group],
        given: Callable[[str], Awaitable[Remote]],
        results: dict[int, Any],
        spare: int = 0,
    ) -> None:
        """As `all`, by these groups: as many at once as a worker has threads and `spare` more.

        `given(worker)` is what all share, as that worker keeps it.
        """
        self._todo.extend(todo)

        async def serve(worker: str) -> None:
            """Give a worker one group after another until none is left, or it is gone."""
            while self._todo and self._problem is None and worker not in self.gone:
                begin, end = group = self._next(worker)
                try:
                    there = await given(worker)
                    found = await self.one(work, there, pieces[begin:end], begin)
                except Lost as problem:
                    log.info("%s lost a task: %s", worker, problem)
                    self.gone.add(worker)
                    self._back(group)
                except Exception as problem:  # of `work`, for whoever called
                    self._problem = problem
                else:
                    results.update(enumerate(found, begin))

        while self._todo and (left := self._left()) and self._problem is None:
            at_once = {worker: n + spare for worker, n in left.items()}
            await asyncio.gather(*map(serve, in_turn(at_once)))
        if self._problem is not None:
            raise self._problem

    def _next(self, worker: str) -> Group:
        """Take what this worker is to do next out of what is left to do."""
        return self._todo.popleft()

    def _left(self) -> dict[str, int]:
        return {worker: n for worker, n in self.workers.items() if worker not in self.gone}

    def _back(self, group: Group) -> None:
        """Put a group that was lost first in line, unless it was tried too often."""
        self.moved.again += 1
        self._tries[group] += 1
        if self._tries[group] < TRIES:
            self._todo.appendleft(group)

    async def one(
        self, work: Callable[..., Any], given: Remote, pieces: Pieces, begin: int
    ) -> list[Any]:
        """One group by the worker that keeps `given`. Raises Lost, or what `work` raised."""
        return list(await self._asked(work, given, list(pieces)))

    async def _asked(self, work: Callable[..., Any], given: Remote, pieces: list[Any]) -> Any:
        """What the task says to these pieces. Raises as `one`."""
        from distributed.protocol.pickle import dumps

        sent, functions = Message(pieces), dumps((self._task, work))
        self.moved.tasks += 1
        self.moved.sent += sent.n_bytes
        computing = self.places.compute(functions, given, sent)
        found = await self._of(given.held.worker, computing)
        self.moved.received += found.n_bytes
        return found.value(self._aligned)

    async def keep(self, kept: Remote, message: Message) -> None:
        """Send what a worker keeps. Raises Lost."""
        await self.places.keep(kept, message)
        self.moved.sent += message.n_bytes

    async def kept(self, what: str, message: Message, worker: str) -> Remote:
        """The same under a new name. Raises Lost."""
        kept = await self._of(worker, self.places.named(worker, f"{what}-{self._name}"))
        await self._of(worker, self.keep(kept, message))
        return kept

    # ---- workers that hang -------------------------------------------------------------------

    def hangs(self, who: str) -> Sequence[str]:
        """Await nothing more of a worker, or of anybody if it is the scheduler. Whoever gets from
        others what all share may be waiting for that one: this step goes on without them, too.
        Returns all these."""
        given_up = [*self.workers] if who == SCHEDULER else [who, *self._second_hand]
        for worker in given_up:
            self.gone.add(worker)
            if not (end := self._end_of(worker)).done():
                end.set_result(None)
        return given_up

    def _end_of(self, worker: str) -> "asyncio.Future[None]":
        if worker not in self._ends:
            self._ends[worker] = asyncio.get_running_loop().create_future()
        return self._ends[worker]

    async def _of(self, worker: str, awaitable: Awaitable[T]) -> T:
        """What is awaited of a worker. Raises Lost as soon as nothing more is."""
        task = asyncio.ensure_future(awaitable)
        both: list[asyncio.Future[Any]] = [task, self._end_of(worker)]
        # Neither awaited nor cancelled afterwards, as in `Places`.
        task.add_done_callback(lambda over: over.cancelled() or over.exception())
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise Lost("it gives no sign of life")


async def watched(
    sending: Sending,
    hangs: Callable[[str], None],
    how: Callable[..., Awaitable[None]],
    *arguments: Any,
) -> None:
    """`how(sending, *arguments)`, which awaits nothing of those that hang; `hangs` is told, too."""

    def told(who: str) -> None:
        for worker in sending.hangs(who):
            sending.places.drop(worker)
        hangs(who)

    watching = asyncio.ensure_future(watch(sending.places.client, sending.workers, told))
    beating = asyncio.ensure_future(sending.places.beat())
    try:
        await how(sending, *arguments)
    finally:
        watching.cancel()
        beating.cancel()
