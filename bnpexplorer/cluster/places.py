"""At home: the places that this process has on workers."""

import asyncio
import time
import uuid
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from .message import Message
from .place import HELD, HOLD, Missing, answer_of, calls, checked, install

T = TypeVar("T")

SECONDS = 10.0
"""After which a worker is taken for gone that takes no connection."""
BEAT_SECONDS = 5.0
"""Between two signs to the scheduler that the cluster is in use: it sees no call, and one with an
idle timeout would end amid a run."""


class Lost(Exception):
    """What was asked of a worker, or what it needs, went with it."""


@dataclass
class WorkerPlace:
    """A place on a worker."""

    worker: str
    name: str
    comm: Any
    """The connection that holds it."""
    ended: "asyncio.Future[None]"
    """Done as soon as it is there no more."""


class Remote:
    """Something that a place keeps, until this is released or nobody refers to it."""

    def __init__(self, places: "Places", held: WorkerPlace, name: str) -> None:
        self.held, self.name = held, name
        self._places: Places | None = places

    def release(self) -> None:
        places, self._places = self._places, None
        if places is not None:
            places.let_go(self)

    def __del__(self) -> None:
        self.release()


class Places:
    """The places of one client; all but `let_go` and `close` on its event loop.

    Whoever fails to answer loses its place, so that nothing stays there that was on its way to it,
    and gets a new one when it is wanted next.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self._there: dict[str, asyncio.Task[WorkerPlace]] = {}
        """By workers."""
        self._beaten = -BEAT_SECONDS
        self._going: set[asyncio.Task[Any]] = set()
        """What nobody may be awaiting any more."""

    # ---- what is asked -----------------------------------------------------------------------

    async def named(self, worker: str, name: str) -> Remote:
        """The name of what a worker is to keep; what needs it waits for it there. Raises Lost."""
        return Remote(self, await self._held(worker), name)

    async def keep(self, kept: Remote, message: Message) -> None:
        """Let a worker keep this under its name. Raises Lost."""
        await self._ask(kept.held, "keep", kept.name, message)

    async def hand_on(self, kept: Remote, to: Remote) -> None:
        """Let a worker get from another what that one keeps under the same name. Raises Lost."""
        if not await self._ask(to.held, "fetch", kept.name, kept.held.worker, kept.held.name):
            raise Lost(f"{kept.held.worker} hands nothing on")

    async def compute(self, functions: bytes, given: Remote, pieces: Message) -> Message:
        """As `Place.compute`, where `given` is kept. Raises Lost, or what `work` raised."""
        found: Message = await self._ask(given.held, "compute", functions, given.name, pieces)
        return found

    async def _ask(self, held: WorkerPlace, what: str, *given: Any) -> Any:
        asking = self.goes(calls(self.client.rpc, held.worker)(held.name, what, *given))
        # Neither awaited nor cancelled where the place has gone: what writes to one that does not
        # read ends with the connection, and nothing is kept of what comes to no place.
        await asyncio.wait({asking, held.ended}, return_when=asyncio.FIRST_COMPLETED)
        try:
            if not asking.done():
                raise Missing("it is there no more")
            said = checked(asking.result())
        except Exception as problem:  # Dask's are of many kinds
            self.drop(held.worker, held)
            raise Lost(repr(problem)) from problem
        return answer_of(said)

    def let_go(self, kept: Remote) -> None:
        """By any thread."""
        with suppress(RuntimeError):  # the event loop has ended, and all connections with it
            self.client.loop.add_callback(self._let_go, kept.held, kept.name)

    def _let_go(self, held: WorkerPlace, name: str) -> None:
        if held.ended.done():
            return  # it went with its place

        async def telling() -> None:
            try:
                await calls(self.client.rpc, held.worker)(held.name, "let_go", name, reply=False)
            except Exception:  # of many kinds, as above
                self.drop(held.worker, held)

        self.goes(telling())

    # ---- places ------------------------------------------------------------------------------

    async def _held(self, worker: str) -> WorkerPlace:
        """A worker's place, which begins when it is first wanted."""
        if worker not in self._there:
            self._there[worker] = self.goes(self._begun(worker))
        beginning = self._there[worker]
        try:
            return await asyncio.shield(beginning)
        except (Exception, asyncio.CancelledError) as problem:
            if not beginning.done():
                raise  # whoever asked was cancelled
            if self._there.get(worker) is beginning:
                del self._there[worker]
            raise Lost(repr(problem)) from problem

    async def _begun(self, worker: str) -> WorkerPlace:
        from distributed.comm.core import connect

        await self.client.run(install, workers=[worker], asynchronous=True)
        comm = await connect(worker, timeout=SECONDS, **self.client.connection_args)
        held = WorkerPlace(
            worker, uuid.uuid4().hex, comm, asyncio.get_running_loop().create_future()
        )
        await comm.write({"op": HOLD, "place": held.name})
        if await comm.read() != HELD:
            raise ConnectionError("it gives no place")
        self.goes(self._watch(held))
        return held

    async def _watch(self, held: WorkerPlace) -> None:
        with suppress(OSError):
            await held.comm.read()
        self.drop(held.worker, held)

    def drop(self, worker: str, held: WorkerPlace | None = None) -> None:
        """Let a worker's place go with all that it keeps, if it still is this one."""
        there = self._there.get(worker)
        if there is not None and (held is None or _found(there) is held):
            del self._there[worker]
            held = _found(there)
            there.cancel()
        if held is not None:
            held.comm.abort()
            if not held.ended.done():
                held.ended.set_result(None)

    def close(self) -> None:
        """By any thread: let all of them go."""

        def all_of_them() -> None:
            for worker in list(self._there):
                self.drop(worker)

        with suppress(RuntimeError):
            self.client.loop.add_callback(all_of_them)

    # ---- signs of life -----------------------------------------------------------------------

    async def beat(self) -> None:
        """Until this is cancelled, give the scheduler a small task now and then."""
        while True:
            left = self._beaten + BEAT_SECONDS - time.monotonic()
            if left > 0:
                await asyncio.sleep(left)
                continue
            self._beaten = time.monotonic()
            # That it begins is enough, wherever it ends.
            self.client.submit(int, pure=False).release()

    def goes(self, doing: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        """Begin what nobody may be awaiting at its end."""
        task = asyncio.ensure_future(doing)
        self._going.add(task)
        task.add_done_callback(self._gone)
        return task

    def _gone(self, task: "asyncio.Task[Any]") -> None:
        self._going.discard(task)
        if not task.cancelled():
            task.exception()  # asked for, so that nobody is warned of what nobody awaits


def _found(beginning: "asyncio.Task[WorkerPlace]") -> WorkerPlace | None:
    """The place that has begun, if it has."""
    if beginning.done() and not beginning.cancelled() and beginning.exception() is None:
        return beginning.result()
    return None
