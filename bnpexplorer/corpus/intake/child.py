"""What runs in the child: one piece of work after the other, until the server hangs up.

`process.py` starts it without the package's own names, which would load every method: it starts in
a third of the time and holds 100 MB less.
"""

import contextlib
import importlib
from dataclasses import dataclass
from typing import Any

from ...core import store
from ...core.child import Channel, limit_time, restrict
from ...core.faults import is_own, trace_of
from ...core.packing import hints_of
from ...core.progress import tell_to
from ..corpus import CorpusError
from ..words.settings import TextSettings
from . import wire
from .work import WORK

READY, UNDER_WAY = "ready", "under way"
SPARE_SECONDS = 5


@dataclass(frozen=True)
class Request:
    """One piece of work."""

    work: str
    seconds: float
    """Of the processor; the server watches, and the system, should the server be gone."""
    handed_over: int
    """Bytes that the result may hold."""


@dataclass(frozen=True)
class Answer:
    """How a piece of work ended, or how far it is; the result follows if it went well."""

    ended: str
    """ "well", "refused" (by a reader, in one sentence), "memory", "failed" (a library did, on this
    file), "own" (a mistake of bnpexplorer), or "under way" (`sentence`: how far): others follow
    that."""
    sentence: str = ""
    trace: str = ""


def main(server: Channel, at_work: int) -> None:
    """Serve until the server hangs up. `at_work`: bytes that this process may hold."""
    importlib.import_module("bnpexplorer.corpus.readers.formats")  # before memory is limited
    TextSettings().vectorizer()  # it imports scikit-learn
    restrict(at_work)
    tell_to(lambda said: wire.send(server.outgoing, [Answer(UNDER_WAY, said), None]))
    wire.send(server.outgoing, READY)
    with contextlib.suppress(EOFError, BrokenPipeError):  # the server has hung up
        while True:
            _serve(server)


def _serve(server: Channel) -> None:
    tree, arrays = wire.receive(server.incoming)
    request = store.unpack(Request, tree["value"][0], arrays)
    limit_time(request.seconds + SPARE_SECONDS)
    answer, result = _done(request, tree["value"][1], arrays)
    try:
        wire.send(server.outgoing, [answer, result], request.handed_over)
    except (wire.Oversize, MemoryError):
        wire.send(server.outgoing, [Answer("memory"), None])


def _done(request: Request, arguments: Any, arrays: store.Arrays) -> tuple[Answer, Any]:
    work = WORK[request.work]
    kinds = hints_of(work)
    try:
        given = {name: store.unpack(kinds[name], arguments[name], arrays) for name in arguments}
        return Answer("well"), work(**given)
    except (CorpusError, store.StoreError) as problem:
        return Answer("refused", str(problem)), None
    except MemoryError:
        return Answer("memory"), None
    except Exception as problem:  # whatever a library raises; the server says which file it was
        return Answer("own" if is_own(problem) else "failed", *_why(problem)), None


def _why(problem: Exception) -> tuple[str, str]:
    """The error in short, and its traceback."""
    return f"{type(problem).__name__}: {store.short(problem)}", trace_of(problem)
