"""Whether workers and their scheduler give signs of life, and what they say when they are asked.

Dask notices a process that has ended within moments. One that is stopped, or whose machine swaps or
waits for a disk, keeps its connections, and Dask would wait for it for minutes or for ever.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

LOOK_SECONDS = 5.0
"""Between two looks whether they have answered; most steps are over before the first."""
LOOKS = 4
"""In which one has not answered that is taken for hanging: 20 s, twice what a worker of a machine
took that had four times as many processes as cores and was compiling. Looks are counted, not
seconds, so that nobody hangs who was suspended together with this process."""
SCHEDULER = ""
"""Stands for the scheduler in the place of a worker's address."""


async def watch(client: Any, workers: Iterable[str], silent: Callable[[str], None]) -> None:
    """On the client's event loop, until it is cancelled: ask all again and again whether they are
    there, and call `silent` once for each that hangs."""
    those = [SCHEDULER, *workers]
    questions: dict[str, asyncio.Task[None]] = {}
    unanswered: Counter[str] = Counter()
    try:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            for who in list(those):
                question = questions.get(who)
                if question is None or question.done():
                    unanswered[who] = 0
                    questions[who] = _asked(client, who)
                    continue
                unanswered[who] += 1
                if unanswered[who] >= LOOKS:
                    those.remove(who)
                    silent(who)
    finally:
        for question in questions.values():
            question.cancel()


def _asked(client: Any, who: str) -> "asyncio.Task[None]":
    """Done when it has answered."""

    async def answered() -> None:
        while True:
            try:
                await (client.rpc(who) if who else client.scheduler).echo(data="")
                return
            except Exception:  # of many kinds: it cannot be reached, which is no answer
                await asyncio.sleep(LOOK_SECONDS)

    return asyncio.ensure_future(answered())


def ask_each(
    client: Any, workers: Sequence[str], seconds: float, work: Callable[..., Any], *given: Any
) -> dict[str, Any]:
    """Worker -> what it says to `work(*given)`, or the error; of one that has said nothing after
    so many seconds a TimeoutError."""

    async def one(worker: str) -> Any:
        try:
            async with asyncio.timeout(seconds):
                found = await client.run(
                    work, *given, workers=[worker], on_error="return", asynchronous=True
                )
        except (OSError, RuntimeError, ValueError) as problem:
            return problem
        return found.get(worker, ConnectionError("it is gone"))

    async def all_of_them() -> list[Any]:
        return await asyncio.gather(*map(one, workers))

    return dict(zip(workers, client.sync(all_of_them), strict=True))
