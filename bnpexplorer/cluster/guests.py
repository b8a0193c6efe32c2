"""On a worker: whole runs and trials that it drives, and keeps between two pieces of their way.

What comes home after a piece is what a file would hold; what goes on stays here, so that nothing
is sent twice. The texts come once, and with them goes whatever a worker has kept.
"""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, Self
from weakref import WeakKeyDictionary

from ..core import store
from ..corpus.corpus import Corpus
from ..evaluate import Heldout
from ..runs.packed_texts import unpack_texts
from .message import Message
from .place import WORKER

MOST_STOPS = 1000
"""Pieces that were to stop and had ended already are remembered no longer than so many others."""

log = logging.getLogger(__name__)


@dataclass(eq=False)
class GuestTexts:
    """Texts on a worker, and all that it keeps with them."""

    corpus: Corpus
    heldout: Heldout | None
    made: dict[Any, Any] = field(default_factory=dict)
    """What guests make of the texts for those who come later, such as splits."""
    guests: "OrderedDict[str, tuple[str, Guest]]" = field(default_factory=OrderedDict)
    """Name -> the piece after which it stands here, and the guest itself."""


class Guest(Protocol):
    """What a worker drives."""

    @classmethod
    def arrives(cls, manifest: dict[str, Any], arrays: store.Arrays, texts: GuestTexts) -> Self:
        """From what its `Away` packed, or what it packed itself on another worker. Compiles what
        it needs. Raises ValueError with a sentence if it cannot be opened on this machine."""
        ...

    @property
    def ended(self) -> bool: ...

    def learn(self, docs: int, over: Callable[[], bool]) -> None:
        """Learn until it has processed so many documents, has ended, or `over`, which is asked
        after every mini-batch. Raises what a step does."""
        ...

    def packed(self) -> store.Packed:
        """Where it stands."""
        ...


class GuestWork(NamedTuple):
    """What a worker is asked for."""

    kind: type[Guest]
    name: str
    """Of the guest, which no other one has at home."""
    token: str
    """Of this piece."""
    before: str
    """The token of the piece after which this worker has it; empty if it is sent."""
    sent: store.Packed | None
    docs: int
    """As in `Guest.learn`."""
    seconds: float
    """That it learns at most, but one mini-batch at least."""


class Came(NamedTuple):
    """What comes home."""

    manifest: dict[str, Any]
    arrays: store.Arrays
    seconds: float
    """That the worker had it, by its own clock."""


GONE = "gone"
"""The answer of a worker that does not have a guest any more: it is to be sent."""

_OPENED: WeakKeyDictionary[Message, GuestTexts] = WeakKeyDictionary()
"""Texts that were sent, as long as their place keeps them; unpacked once."""
_STOPS: "OrderedDict[str, None]" = OrderedDict()
"""Tokens of pieces that are to come home now."""
_LOCK = threading.Lock()


def host(work: Callable[..., Any], texts: Message, pieces: Message) -> Message:
    """The task: `work` of every piece with these texts."""
    with _LOCK:
        opened = _OPENED.get(texts)
        if opened is None:
            opened = _OPENED[texts] = GuestTexts(*unpack_texts(*texts.value()))
    return Message([work(GuestWork(*piece), opened) for piece in pieces.value()])


def drive_on(piece: GuestWork, texts: GuestTexts) -> Came | str | None:
    """Drive a guest on, and keep it; None if that failed: whoever sent it drives it then, and
    tells. `GONE` if it is not here."""
    began = time.monotonic()
    before, guest = texts.guests.pop(piece.name, ("", None))
    if piece.sent is not None:
        guest = piece.kind.arrives(*piece.sent, texts)
    elif guest is None or before != piece.before:
        return GONE
    until = time.monotonic() + piece.seconds
    try:
        guest.learn(piece.docs, lambda: time.monotonic() > until or piece.token in _STOPS)
    except Exception as problem:
        log.info("A guest failed: %r", problem)
        return None
    if not guest.ended:
        _keep(texts, piece, guest)
    return Came(*guest.packed(), time.monotonic() - began)


def _keep(texts: GuestTexts, piece: GuestWork, guest: Guest) -> None:
    """Only as many as are driven at once: others have gone on elsewhere."""
    texts.guests[piece.name] = (piece.token, guest)
    while len(texts.guests) > _n_threads():
        texts.guests.popitem(last=False)


def _n_threads() -> int:
    return max(1, int(WORKER.get().state.nthreads))


def stop(tokens: list[str]) -> None:
    """Let these pieces come home after the mini-batch at hand; not a task, so that it comes
    through while they compute."""
    for token in tokens:
        _STOPS[token] = None
    while len(_STOPS) > MOST_STOPS:
        _STOPS.popitem(last=False)
