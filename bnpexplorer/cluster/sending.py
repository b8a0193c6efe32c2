"""One step on its way: what goes to which worker, and what comes back."""

import asyncio
import logging
import uuid
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ..inference.pool import Pieces
from .answering import SCHEDULER, watch
from .message import Message

GROUPS = 2
"""Tasks for every thread of the workers: while it computes the first, the second is on its way to
it, and what it found on its way back."""
COPIES = 8
"""Workers to which this machine sends what all share; the others get it from these, so that its
own connection does not carry one copy a worker."""
TRIES = 4
"""How often a task is begun that is lost with its worker; then it is computed on this machine: it
may be the task that kills them."""


SECONDS = 10.0
"""After which a worker is taken for gone that the scheduler does not know."""

Group = tuple[int, int]
"""The first of some pieces that go together, and the first after them."""

log = logging.getLogger(__name__)


class Lost(Exception):
    """A task, or what it needs, went with its worker."""


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
    """`n` pieces in `n_tasks` groups, or each alone if there are not so many."""
    n_tasks = min(n, n_tasks)
    return list(pairwise(n * i // n_tasks for i in range(n_tasks + 1)))


_UNDER_WAY: set[asyncio.Task[Any]] = set()
"""What goes to workers still, of steps that may be over."""


def _let_go(giving: asyncio.Task[Any]) -> None:
    """What all shared of a step, once a worker has it."""
    _UNDER_WAY.discard(giving)
    if not giving.cancelled() and giving.exception() is None:
        giving.result().release()


class Sending:
    """The pieces of one step, on the client's event loop; Dask keeps nothing of it afterwards."""

    def __init__(
        self,
        client: Any,
        workers: dict[str, int],
        moved: Moved,
        task: Callable[[Callable[..., Any], Message, Message], Message] = compute,
    ) -> None:
        self.client, self.workers, self.moved, self._task = client, workers, moved, task
        self._name = uuid.uuid4().hex
        self._todo: deque[Group] = deque()
        self._tries: Counter[Group] = Counter()
        self.gone: set[str] = set()
        """Workers that lost a task, or hang."""
        self._hanging = False
        """Whether one hangs."""
        self._second_hand: Sequence[str] = ()
        """Workers that get from others what all share."""
        self._ends: dict[str, asyncio.Future[None]] = {}
        """Worker -> what is done as soon as nothing more is awaited of it."""
        self._problem: Exception | None = None
        """What `work` raised."""

    async def all(
        self, work: Callable[..., Any], pieces: Pieces, given: Any, results: dict[int, Any]
    ) -> None:
        """Put what `work` finds for every piece into `results` at the piece's place.

        Results are missing there if their workers were lost. Raises what `work` raised.
        """
        shared = Message(given)
        holders, self._second_hand = list(self.workers)[:COPIES], list(self.workers)[COPIES:]
        self.moved.shared += shared.n_bytes * len(holders)
        giving = [asyncio.create_task(self.scatter("given", shared, w)) for w in holders]

        anew: dict[str, asyncio.Task[Any]] = {}

        async def there(place: int, worker: str) -> Any:
            if not self._hanging:
                return await asyncio.shield(giving[place % len(giving)])
            # Dask lets go of copies that nobody waits for, within two seconds, and may have left
            # the one of whom nothing is heard.
            if worker not in anew:
                going = self.scatter(f"given-{len(anew)}", shared, worker)
                anew[worker] = asyncio.create_task(going)
                giving.append(anew[worker])
            return await asyncio.shield(anew[worker])

        todo = groups(len(pieces), GROUPS * sum(self.workers.values()))
        try:
            # One group more than a worker has threads is on its way to it.
            await self.share_out(work, pieces, todo, there, results, spare=1)
        finally:
            # Not cancelled: a worker that had it before the scheduler was told would keep it.
            _UNDER_WAY.update(giving)
            for task in giving:
                task.add_done_callback(_let_go)

    async def share_out(
        self,
        work: Callable[..., Any],
        pieces: Pieces,
        todo: list[Group],
        given: Callable[[int, str], Awaitable[Any]],
        results: dict[int, Any],
        spare: int = 0,
    ) -> None:
        """As `all`, by these groups: as many at once as a worker has threads and `spare` more.

        `given(place, worker)` is Dask's name for what all share, on that worker or another.
        """
        self._todo.extend(todo)

        async def serve(place: int, worker: str) -> None:
            """Give a worker one group after another until none is left, or it is gone."""
            while self._todo and self._problem is None and worker not in self.gone:
                begin, end = group = self._next(worker)
                try:
                    there = await given(place, worker)
                    found = await self.one(work, there, pieces[begin:end], worker, begin)
                except Lost as problem:
                    log.info("%s lost a task: %s", worker, problem)
                    self.gone.add(worker)
                    self._back(group)
                except Exception as problem:  # of `work`, for whoever called
                    self._problem = problem
                else:
                    results.update(enumerate(found, begin))

        while self._todo and (left := self._left()) and self._problem is None:
            lanes = [(i, w) for i, (w, n) in enumerate(left.items()) for _ in range(n + spare)]
            await asyncio.gather(*(serve(i, worker) for i, worker in lanes))
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
        self, work: Callable[..., Any], given: Any, pieces: Pieces, worker: str, begin: int
    ) -> list[Any]:
        """One group by one worker. Raises Lost, or what `work` raised."""
        found = await self._asked(work, given, list(pieces), worker, begin)
        return list(found)

    async def _asked(
        self,
        work: Callable[..., Any],
        given: Any,
        pieces: list[Any],
        worker: str,
        begin: int,
        turn: int = 0,
    ) -> Any:
        """What the task says to these pieces; `turn` counts how often it is asked of this worker.
        Raises as `one`."""
        # Another name at every try: to one that hangs the scheduler has told in vain to forget it.
        tries = self._tries[begin, begin + len(pieces)]
        there = await self.scatter(f"pieces-{begin}-{tries}-{turn}", Message(pieces), worker)
        key = f"bnpexplorer-slices-{self._name}-{begin}-{tries}-{turn}"
        future = self.client.submit(
            self._task, work, given, there, workers=[worker], key=key, pure=False
        )
        self.moved.tasks += 1
        try:
            coming = self.client.gather([future], direct=True, asynchronous=True)
            [found] = await self._of(worker, coming)
        except Exception as problem:
            if future.status == "error" and type(problem).__name__ != "KilledWorker":
                raise
            raise Lost(repr(problem)) from problem
        finally:  # at once: a frame that refers to them may wait long for Python's collector
            for name in (there, future):
                name.release()
        self.moved.received += found.n_bytes
        return found.value()

    async def scatter(self, what: str, message: Message, worker: str) -> Any:
        """Send a message to a worker; Dask's name for it. Raises Lost."""
        key = f"bnpexplorer-{what}-{self._name}"
        try:
            going = self.client.scatter(
                {key: message}, workers=[worker], direct=True, timeout=SECONDS, asynchronous=True
            )
            there = await self._of(worker, going)
        except Exception as problem:
            raise Lost(repr(problem)) from problem
        self.moved.sent += message.n_bytes
        return there[key]

    # ---- workers that hang -------------------------------------------------------------------

    def hangs(self, who: str) -> None:
        """Await nothing more of a worker, or of anybody if it is the scheduler. Whoever gets from
        others what all share may be waiting for that one: this step goes on without them, too."""
        self._hanging = True
        given_up = self.workers if who == SCHEDULER else (who, *self._second_hand)
        for worker in given_up:
            self.gone.add(worker)
            if not (end := self._end_of(worker)).done():
                end.set_result(None)

    def _end_of(self, worker: str) -> "asyncio.Future[None]":
        if worker not in self._ends:
            self._ends[worker] = asyncio.get_running_loop().create_future()
        return self._ends[worker]

    async def _of(self, worker: str, awaitable: Awaitable[Any]) -> Any:
        """What is awaited of a worker. Raises Lost as soon as nothing more is."""
        task, end = asyncio.ensure_future(awaitable), self._end_of(worker)
        # Neither awaited nor cancelled afterwards: what writes to one that does not read ends with
        # the connection, and a result with its name, which is let go.
        task.add_done_callback(lambda over: over.cancelled() or over.exception())
        await asyncio.wait({task, end}, return_when=asyncio.FIRST_COMPLETED)
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
        sending.hangs(who)
        hangs(who)

    watching = asyncio.ensure_future(watch(sending.client, sending.workers, told))
    try:
        await how(sending, *arguments)
    finally:
        watching.cancel()
