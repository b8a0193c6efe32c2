"""One step on its way: what goes to which worker, and what comes back."""

import asyncio
import logging
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ...inference.pool import Pieces
from .holdings import BatchStep, Named
from .message import Message
from .parts import MISSING, Reply, Trouble, compute
from .places import Lost, Places

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
HAND_ON_SECONDS = 20.0
"""After which a worker gets from here what another does not hand on to it."""
TRIES = 4
"""How often a task is begun that is lost with its worker; then it is computed on this machine: it
may be the task that kills them."""

Group = tuple[int, int]
"""The first of some pieces that go together, and the first after them."""

T = TypeVar("T")

log = logging.getLogger(__name__)


@dataclass
class Moved:
    """The traffic over the network."""

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


def groups(n: int, n_tasks: int) -> list[Group]:
    """Return `n` pieces in `n_tasks` groups, the largest first, or one group each if there are
    fewer pieces."""
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


async def share_out(
    lanes: Sequence[str],
    gone: set[str],
    take: Callable[[str], T | None],
    do: Callable[[str, T], Awaitable[None]],
    back: Callable[[T], None],
) -> None:
    """Let each worker of `lanes` do tasks that it takes, one after another, until it takes None.

    A lost worker is `gone`, and its task goes `back` for the others. Raises what `do` raised, once
    all begun tasks have ended.
    """
    problems = list[Exception]()

    async def serve(worker: str) -> None:
        while worker not in gone and not problems and (thing := take(worker)) is not None:
            try:
                await do(worker, thing)
            except Lost as problem:
                log.info("%s lost a task: %s", worker, problem)
                gone.add(worker)
                back(thing)
            except Exception as problem:  # for whoever called
                problems.append(problem)

    before = -1
    while before < len(gone):
        before = len(gone)
        await asyncio.gather(*(serve(worker) for worker in lanes if worker not in gone))
    if problems:
        raise problems[0]


async def asked(
    places: Places,
    moved: Moved,
    worker: str,
    task: Callable[..., Message],
    work: Any,
    name: str,
    pieces: Any,
) -> Message:
    """Return what a task says to work, to what a worker keeps by a name, and to pieces. Raises
    Lost, or what `work` raised."""
    from distributed.protocol.pickle import dumps

    sent, functions = Message(pieces), dumps((task, work))
    moved.tasks += 1
    moved.sent += sent.n_bytes
    found: Message = await places.call(worker, "compute", functions, name, sent)
    moved.received += found.n_bytes
    return found


class Sending:
    """The pieces of one step, on the client's event loop; workers keep nothing of it afterwards.

    `step`: the mini-batch, whose documents need not be sent to workers that read or have them.
    """

    def __init__(
        self,
        places: Places,
        workers: dict[str, int],
        moved: Moved,
        step: BatchStep | None,
        named: Sequence[Named | None],
    ) -> None:
        """`named`: of every piece, what need not be sent with it."""
        self.places, self.workers, self.moved = places, workers, moved
        self._step, self._named = step, named
        self._name = f"given-{uuid.uuid4().hex}"
        self._gone: set[str] = set()
        self._todo: list[Group] = []
        self._tries: Counter[Group] = Counter()

    async def all(
        self, work: Callable[..., Any], pieces: Pieces, shared: Message, results: dict[int, Any]
    ) -> None:
        """Put what `work` finds for every piece into `results` at the piece's place.

        `shared`: how parts are read, and what all pieces share. Results are missing if their
        workers were lost. Raises what `work` raised.
        """
        self._todo = groups(len(pieces), GROUPS * sum(self.workers.values()))
        names, going = list(self.workers), dict[str, asyncio.Task[None]]()

        def there(worker: str) -> asyncio.Task[None]:
            """Return the transfer of the shared data to a worker; the first workers pass it on."""
            if worker not in going:
                holder = names[i % COPIES] if (i := names.index(worker)) >= COPIES else ""
                giving = self._give(worker, shared, holder, there(holder) if holder else None)
                going[worker] = asyncio.ensure_future(giving)
            return going[worker]

        async def do(worker: str, group: Group) -> None:
            await asyncio.shield(there(worker))
            found = await self._one(work, worker, pieces, range(*group))
            results.update(enumerate(found, group[0]))

        # One group more than a worker has threads is on its way to it.
        lanes = in_turn({worker: n + 1 for worker, n in self.workers.items()})
        try:
            await share_out(lanes, self._gone, self._take, do, self._back)
        finally:
            await asyncio.gather(*(self.places.let_go(worker, self._name) for worker in going))

    async def _give(
        self, worker: str, shared: Message, holder: str, held: "asyncio.Task[None] | None"
    ) -> None:
        """Give a worker what all share: by a `holder` as soon as it is `held` there, or from here.
        Raises Lost."""
        if held is not None:
            try:
                async with asyncio.timeout(HAND_ON_SECONDS):
                    await asyncio.shield(held)
                    actor = await self.places.actor(holder)
                    await self.places.call(worker, "fetch", self._name, holder, actor)
                return
            except Exception as problem:  # of the holder, which is no trouble of this one
                log.info("%s gets nothing from another: %r", worker, problem)
        await self.places.call(worker, "keep", self._name, shared)
        self.moved.sent += shared.n_bytes
        self.moved.shared += shared.n_bytes

    def _take(self, worker: str) -> Group | None:
        """Take a group: first one that the worker has, then one that none has, then any."""
        if not self._todo:
            return None
        holders = [self._holder(begin) for begin, _ in self._todo]
        others = self.workers.keys() - self._gone
        free = (i for i, holder in enumerate(holders) if holder not in others)
        return self._todo.pop(holders.index(worker) if worker in holders else next(free, 0))

    def _holder(self, place: int) -> str:
        """The worker that has kept the documents of a piece; empty if none is known."""
        if self._step is None or not self._step.keep or (named := self._named[place]) is None:
            return ""
        return self._step.holdings.kept.get(named[1].key, "")

    def _back(self, group: Group) -> None:
        """Put a group that was lost first in line, unless it was tried too often."""
        self.moved.again += 1
        self._tries[group] += 1
        if self._tries[group] < TRIES:
            self._todo.insert(0, group)

    async def _one(
        self, work: Callable[..., Any], worker: str, pieces: Pieces, group: range
    ) -> list[Any]:
        """Return the results of a worker for one group. Raises Lost, or what `work` raised."""
        for _ in range(TRIES):  # what it turns out to lack is sent next
            sent = [self._packed(pieces[place], place, worker) for place in group]
            found = await asked(self.places, self.moved, worker, compute, work, self._name, sent)
            reply: Reply = found.value()
            if self._step is not None:
                self._step.holdings.kept.update(dict.fromkeys(reply.kept, worker))
            if reply.found is not None:
                return reply.found
            self._note(worker, group[0], reply.troubles)
        raise RuntimeError(f"A worker lacks what it was sent: {reply.troubles}")

    def _packed(self, piece: tuple[Any, ...], place: int, worker: str) -> tuple[Any, ...]:
        """Return a piece as it is sent to a worker: with its documents, unless it has them."""
        if self._step is None or (named := self._named[place]) is None:
            return piece
        (i, part), known = named, self._step.holdings
        if self._step.read_by(worker) or known.kept.get(part.key) == worker:
            self.moved.named += 1
        else:
            part = self._step.whole(part)
        return (*piece[:i], part, *piece[i + 1 :])

    def _note(self, worker: str, begin: int, troubles: dict[int, Trouble]) -> None:
        """Note why a worker could not compute some pieces."""
        for place, (why, marks) in troubles.items():
            step, named = self._step, self._named[begin + place]
            assert step is not None
            assert named is not None
            step.holdings.kept.pop(named[1].key, None)
            if why == MISSING:
                continue
            sentence = (
                f"Worker {worker} could not read on: {why} It is sent its documents from now on."
                if why
                else step.differs(named[1], worker, marks)
            )
            step.holdings.reads_no_more(worker, step.fingerprint, sentence)
