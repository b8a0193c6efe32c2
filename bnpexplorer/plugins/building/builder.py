"""What runs in the process of a build: a corpus on the disk is built as its server asks.

`builds.py` starts it, and it answers with a message for whatever it has done. When its server
hangs up, on purpose or since it is gone, it is interrupted: what is done stands on the disk, and
the same build goes on there.
"""

import contextlib
import time
from pathlib import Path
from typing import Any

from ...core import store
from ...core.child import Channel
from ...core.environment import stand_back
from ...corpus.corpus import CorpusError
from ...corpus.readers.source import ReadOptions
from .build import build
from .facts import BegunOtherwise
from .steps import of_all

OFTEN = 0.2
"""Seconds between two messages on how far it is."""


def main(server: Channel, asked: dict[str, Any]) -> None:
    """Build what is asked for, behind all other work of the machine, and tell the server of it."""
    stand_back()
    with contextlib.suppress(KeyboardInterrupt):  # the server has hung up
        _say(server, _built(server, asked))


def _built(server: Channel, asked: dict[str, Any]) -> dict[str, Any]:
    """How it ended."""
    said = _Said(server)
    try:
        build(
            [Path(path) for path in asked["paths"]],
            Path(asked["out"]),
            ReadOptions(**asked["options"]),
            asked["words"],
            asked["threads"],
            asked["force"],
            said.progress,
        )
    except (CorpusError, ValueError) as problem:
        anew = isinstance(problem, BegunOtherwise)
        return {"ended": "refused", "sentence": str(problem), "anew": anew}
    except MemoryError:
        return {"ended": "refused", "sentence": _no_memory(asked)}
    except Exception as problem:  # whatever a library raises: the person is told, and may go on
        why = f"{type(problem).__name__}: {store.short(problem)}"
        return {"ended": "refused", "sentence": f"The build of {asked['out']} failed ({why})."}
    return {"ended": "well"}


def _no_memory(asked: dict[str, Any]) -> str:
    return (
        f"The machine has no memory left for the build of {asked['out']}; close other programs and "
        "start the same build again, which goes on where it ended."
    )


class _Said:
    """How far it is, told now and then, and whenever a step begins."""

    def __init__(self, server: Channel) -> None:
        self._server, self._step, self._next = server, "", 0.0

    def progress(self, what: str, share: float, said: str) -> None:
        if what == self._step and time.monotonic() < self._next:
            return
        self._step, self._next = what, time.monotonic() + OFTEN
        _say(self._server, {"step": what, "done": of_all(what, share), "said": said})


def _say(server: Channel, what: dict[str, Any]) -> None:
    with contextlib.suppress(BrokenPipeError):  # the server is gone
        server.send(what)
