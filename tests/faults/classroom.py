"""Foreign names reach nothing, whatever they look like; and a class has its places by turns."""

import asyncio
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bnpexplorer.runs.gate import Gate
from bnpexplorer.ui.seam import callers
from bnpexplorer.ui.seam.callers import Hosts, OwnHostsOnly

PIECES = [
    *("localhost", "127.0.0.1", "[::1]", "evil.example", "lab.example", "10.0.0.5", "[fe80::1]"),
    *(":8501", ":99999", ":", ".", "@", "/", "\\", "?", "#", "%2e", "%00", "\t", " ", ",", "-"),
    *("LOCALHOST", "0x7f.1", "2130706433", "::1", "[", "]", "ö", "xn--", "null", "127.1", "*"),
]
PORT = r"\.?(:\d{0,5})?"
LOCAL = rf"(localhost|127\.0\.0\.1|\[::1\]|lab\.example){PORT}"
NUMBERS = rf"(\d{{1,3}}(\.\d{{1,3}}){{3}}|\[[0-9a-f:.]+\]){PORT}"
SERVED = {
    Hosts(frozenset({*callers.LOCAL, "lab.example"})): LOCAL,
    Hosts(frozenset({*callers.LOCAL, "lab.example"}), any_address=True): f"({LOCAL}|{NUMBERS})",
}


def _name(rng: np.random.Generator) -> str:
    return "".join(rng.choice(PIECES, int(rng.integers(1, 5))))


async def _heard(guard: OwnHostsOnly, scope: dict[str, Any]) -> bool:
    """Whether a request comes through the guard."""
    heard = False

    async def app(*_: Any) -> None:
        nonlocal heard
        heard = True

    async def send(_: Any) -> None:
        pass

    guard.app = app
    await guard(scope, send, send)  # type: ignore[arg-type]
    return heard


def names(rng: np.random.Generator, folder: Path) -> None:
    """Random hosts and origins: what comes through has the form of a name that is served."""
    guard = OwnHostsOnly(None)  # type: ignore[arg-type]
    for guard.hosts, form in SERVED.items():
        for _ in range(100):
            host, origin = _name(rng), rng.choice(["", "http://", "https://"]) + _name(rng)
            headers = [(b"host", host.encode()), (b"origin", str(origin).encode())]
            headers = headers[: int(rng.integers(1, 3))]
            kind = str(rng.choice(["http", "websocket"]))
            if asyncio.run(_heard(guard, {"type": kind, "headers": headers})):
                assert re.fullmatch(form, host, re.I), host
                sound = re.fullmatch(rf"\w*:?//({form})", str(origin), re.I)
                assert len(headers) == 1 or sound, (host, origin)


@dataclass(eq=False)
class Who:
    is_brief: bool = False
    is_lecturers: bool = False


def _let_in(gate: Gate) -> list[Who]:
    """Let in all that may enter, and return them."""
    entered: list[Any] = []
    while (who := gate._next(gate._line, [*gate._inside])) is not None:
        gate.enter(who, lambda: True)
        entered.append(who)
        gate._line.remove(who)
    return entered


def places(rng: np.random.Generator, folder: Path) -> None:
    """Random numbers of runs: never more places than there are, one always the lecturer's, and the
    others' turns even."""
    gate, turns = Gate(2, turn_seconds=0.0), Counter[Who]()
    guests = [Who() for _ in range(int(rng.integers(3, 20)))]
    for who in guests:
        gate._line.append(who)
        turns.update(_let_in(gate))
    for _ in range(60):
        assert len(gate._inside) == 2
        longest: Any = next(iter(gate._inside))  # its turn began first
        assert gate.turn_is_over(longest)
        gate.leave(longest)
        gate._line.append(longest)
        (next_one,) = _let_in(gate)
        assert next_one is not longest
        turns[next_one] += 1
        mine = Who(bool(rng.integers(2)), is_lecturers=True)
        assert not gate.must_wait(mine), "whatever the others do"
        if rng.random() < 0.3:
            gate._line.append(mine)
            assert _let_in(gate) == [mine]
            gate.leave(mine)
    counts = [turns[who] for who in guests]
    assert max(counts) - min(counts) <= 1, turns


TRIALS = {"names": names, "places": places}
