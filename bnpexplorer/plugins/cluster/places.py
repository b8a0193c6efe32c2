"""Actors of Dask's, one on each worker: they keep what several calls share, and compute.

A step by tasks took 45 ms of processor time beside what it computed. Calls to an actor pass the
scheduler by. Measured with the messages of a step (6.4 MB for all, 3 MB of slices) and two workers,
200 steps in turn: they took 1.04 times as long as calls by a protocol of our own on connections of
our own, and as much processor time (64 ms). A whole step of 4,096 documents took 0.95 times as long
and 0.99 times the processor time; 1.05 and 1.07 times since all arrays that come home are put
straight (`message.py`), also those that are only joined.

Three things an actor does not do. It has one thread, so it computes on those that tasks have. It is
not begun again when its worker dies, so `Places` begins another. Nobody notices when its worker
hangs, so workers are asked for signs of life.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from types import MappingProxyType
from typing import Any

from .message import Message

SECONDS = 20.0
"""After which a worker is taken for gone on which no actor begins."""
BEAT_SECONDS = 5.0
"""Between two signs to the scheduler that the cluster is in use: it sees no call, and one with an
idle timeout would end amid a run."""

LOOK_SECONDS = 5.0
"""Between two looks whether they have answered; most steps are over before the first."""
LOOKS = 4
"""In which one has not answered that is taken for hanging: 20 s, twice what a worker of a machine
took that had four times as many processes as cores and was compiling. Looks are counted, not
seconds, so that nobody hangs who was suspended together with this process."""


class Lost(Exception):
    """A worker was lost, with its task or data that the task needs."""


class Place:
    """The actor. It goes with the client that began it, however that ends."""

    def __init__(self) -> None:
        self.kept: dict[str, Message] = {}

    async def keep(self, name: str, message: Message) -> None:
        self.kept[name] = message

    async def let_go(self, name: str) -> None:
        self.kept.pop(name, None)

    async def give(self, name: str) -> Message:
        return self._of(name)

    async def fetch(self, name: str, worker: str, actor: str) -> None:
        """Keep what the actor of another worker keeps under this name."""
        from distributed import get_worker

        said = await called(get_worker(), worker, actor, "give", name)
        self.kept[name] = said["result"]

    async def compute(self, functions: bytes, name: str, pieces: Message) -> Message:
        """Return what a task such as `parts.compute` says to work, what is shared, and pieces."""
        from distributed import get_worker

        # Those of tasks, as many as the worker has: all actors of a worker have one thread.
        threads, run = get_worker().executors["default"], copy_context().run
        computing = partial(run, _computed, functions, self._of(name), pieces)
        found: Message = await asyncio.get_running_loop().run_in_executor(threads, computing)
        return found

    def _of(self, name: str) -> Message:
        if name not in self.kept:
            raise Lost(f"{name} is not there")
        return self.kept[name]


def _computed(functions: bytes, shared: Message, pieces: Message) -> Message:
    """Return what is asked for; by a thread, since to load functions may import much."""
    from distributed.protocol.pickle import loads

    task, work = loads(functions)
    found: Message = task(work, shared, pieces)
    return found


async def called(node: Any, worker: str, actor: str, what: str, *given: Any) -> Any:
    """Return what an actor says, by the connections of a client or of another worker.

    Dask's own handle would wait for ever for an actor that its worker does not have any more.
    """
    from distributed.protocol.serialize import to_serialize

    args = [to_serialize(one) for one in given]
    return await node.rpc(worker).actor_execute(actor=actor, function=what, args=args)


class Places:
    """The actors of one client; all on its event loop. They go with this object.

    Whoever fails to answer loses its actor, and gets another when it is wanted next.
    """

    def __init__(self, client: Any, first: Mapping[str, Message] = MappingProxyType({})) -> None:
        """`first`: what each actor keeps from the beginning, by names."""
        self.client, self.first = client, first
        self.begun: dict[str, asyncio.Task[Any]] = {}
        """Worker -> the future of its actor."""
        self._beaten = -BEAT_SECONDS

    async def call(self, worker: str, what: str, *given: Any) -> Any:
        """Return what `Place.what` says. Raises Lost, or what was raised by what it computed."""
        begun = self.begun.get(worker)
        try:
            said = await called(self.client, worker, await self.actor(worker), what, *given)
        except Exception as problem:  # Dask's are of many kinds
            if begun is None or self.begun.get(worker) is begun:
                self.begun.pop(worker, None)
            raise Lost(repr(problem)) from problem
        if said["status"] != "OK":
            raise said["exception"]
        return said["result"]

    async def actor(self, worker: str) -> str:
        """Return the key of a worker's actor, which begins when it is first wanted."""
        if worker not in self.begun:
            self.begun[worker] = asyncio.ensure_future(self._begin(worker))
        key: str = (await asyncio.shield(self.begun[worker])).key
        return key

    async def _begin(self, worker: str) -> Any:
        future = self.client.submit(Place, actor=True, workers=[worker], pure=False)
        with self.client.as_current():
            async with asyncio.timeout(SECONDS):
                await future
        for name, message in self.first.items():
            await called(self.client, worker, future.key, "keep", name, message)
        return future

    def drop(self, worker: str) -> None:
        """Let a worker's actor go, and whatever is under way to it: all such calls raise Lost."""
        self.begun.pop(worker, None)
        for comm in list(self.client.rpc.occupied.get(worker, ())):
            comm.abort()  # `remove` would wait for a worker that does not read
        self.client.rpc.remove(worker)

    async def let_go(self, worker: str, name: str) -> None:
        """Let a worker's actor keep this no longer, if it is there still."""
        if worker in self.begun:
            with suppress(Lost):  # its actors went with it
                await self.call(worker, "let_go", name)

    async def beat(self) -> None:
        """Give the scheduler a small task now and then, until this is cancelled."""
        while True:
            await asyncio.sleep(self._beaten + BEAT_SECONDS - time.monotonic())
            if time.monotonic() - self._beaten >= BEAT_SECONDS:
                self._beaten = time.monotonic()
                self.client.submit(int, pure=False).release()  # that it begins is enough


# ---- signs of life -------------------------------------------------------------------------------
# Dask notices a process that has ended within moments. One that is stopped, or whose machine swaps
# or waits for a disk, keeps its connections, and Dask would wait for it for minutes or for ever.


async def silent(client: Any, worker: str) -> None:
    """Return when a worker hangs: ask it again and again whether it is there."""
    unanswered, question = 0, _asked(client, worker)
    try:
        while unanswered < LOOKS:
            await asyncio.sleep(LOOK_SECONDS)
            unanswered += 1
            if question.done() and not question.exception():
                unanswered, question = 0, _asked(client, worker)
            elif question.done():  # it cannot be reached, which is no answer
                question = _asked(client, worker)
    finally:
        question.cancel()


def _asked(client: Any, worker: str) -> "asyncio.Task[Any]":
    return asyncio.ensure_future(client.rpc(worker).echo(data=""))


async def watched(client: Any, workers: Sequence[str], hangs: Callable[[str], None]) -> None:
    """Call `hangs` once for each worker that hangs, until this is cancelled."""

    async def watch(worker: str) -> None:
        await silent(client, worker)
        hangs(worker)

    await asyncio.gather(*map(watch, workers))
