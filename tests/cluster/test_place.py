"""What a worker keeps for a client, and until when; here, without a cluster."""

import asyncio
from typing import Any

from bnpexplorer.cluster.message import Message
from bnpexplorer.cluster.place import HELD, Host
from tests.tools.waiting import NEVER


class Connection:
    """That holds a place, until it is closed at its other end."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.closed = asyncio.Event()

    async def write(self, said: str) -> None:
        self.said.append(said)

    async def read(self) -> None:
        await self.closed.wait()
        raise ConnectionError("closed")


def test_a_place_goes_with_its_connection_and_nobody_waits_for_it() -> None:
    """Of calls that came before what they need, the worker would else hold all that was sent."""

    async def tried() -> None:
        host, connection = Host(None), Connection()
        holding = asyncio.ensure_future(host.hold(connection, "mine"))
        await asyncio.sleep(0)
        assert connection.said == [HELD]
        kept: dict[str, Any] = await host.ask("mine", "keep", ("one", Message((1, 2))))
        assert kept["status"] == "OK"
        assert (await host.ask("mine", "give", ("one",)))["status"] == "OK"
        assert host.places["mine"].kept == ["one"]
        waiting = asyncio.ensure_future(host.ask("mine", "give", ("never",)))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        connection.closed.set()
        done, _ = await asyncio.wait({waiting, holding}, timeout=NEVER)
        assert done == {waiting, holding}
        assert waiting.result() == {"status": "missing"}
        assert not host.places
        assert await host.ask("mine", "keep", ("two", Message(3))) == {"status": "missing"}

    asyncio.run(tried())


def test_calls_may_come_before_what_they_need_and_are_told_where_it_is_let_go() -> None:
    async def tried() -> None:
        host, connection = Host(None), Connection()
        holding = asyncio.ensure_future(host.hold(connection, "mine"))
        await asyncio.sleep(0)
        first, second = (
            asyncio.ensure_future(host.ask("mine", "give", (name,))) for name in ("one", "two")
        )
        await asyncio.sleep(0.1)
        await host.ask("mine", "keep", ("one", Message(1)))
        await host.ask("mine", "let_go", ("two",))
        assert (await asyncio.wait_for(first, NEVER))["status"] == "OK"
        assert await asyncio.wait_for(second, NEVER) == {"status": "missing"}
        await host.ask("mine", "let_go", ("one",))
        assert host.places["mine"].kept == []
        connection.closed.set()
        await holding

    asyncio.run(tried())
