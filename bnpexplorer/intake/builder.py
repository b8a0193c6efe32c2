"""What runs in the process of a build: a corpus on the disk is built as its server asks.

`building.py` starts it. It is told once what to build, in one line, and answers with a line for
whatever it has done. When its server hangs up, on purpose or since it is gone, it ends: what is
done stands on the disk, and the same build goes on there.
"""

import contextlib
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import IO, Any

from ..core import store
from ..core.environment import stand_back
from ..corpus.building.build import build
from ..corpus.building.facts import BegunOtherwise
from ..corpus.building.steps import of_all
from ..corpus.corpus import CorpusError
from ..corpus.readers.source import ReadOptions
from .building import PATIENCE

OFTEN = 0.2
"""Seconds between two lines on how far it is."""


def main() -> None:
    """Build what the first line asks for."""
    answers, sys.stdout = sys.stdout, sys.stderr  # what a library prints is no answer
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a server in the background has none
    asked = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_server, daemon=True).start()
    stand_back()
    with contextlib.suppress(KeyboardInterrupt):  # the server has hung up
        _say(answers, _built(answers, asked))


def _built(answers: IO[str], asked: dict[str, Any]) -> dict[str, Any]:
    """How it ended."""
    said = _Said(answers)
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

    def __init__(self, answers: IO[str]) -> None:
        self._answers, self._step, self._next = answers, "", 0.0

    def progress(self, what: str, share: float, said: str) -> None:
        if what == self._step and time.monotonic() < self._next:
            return
        self._step, self._next = what, time.monotonic() + OFTEN
        _say(self._answers, {"step": what, "done": of_all(what, share), "said": said})


def _say(answers: IO[str], what: dict[str, Any]) -> None:
    with contextlib.suppress(BrokenPipeError):  # the server is gone
        print(json.dumps(what), file=answers, flush=True)


def _end_with_server() -> None:
    """Wait until nothing can come any more, and end the build in good order, or without."""
    while os.read(0, 1):  # of sys.stdin a waiting thread would hold the lock until the very end
        pass
    if hasattr(signal, "pthread_kill"):  # not on Windows, where nothing else ends a waiting thread
        main_thread = threading.main_thread().ident
        assert main_thread is not None
        signal.pthread_kill(main_thread, signal.SIGINT)
        time.sleep(PATIENCE)
    os._exit(1)
