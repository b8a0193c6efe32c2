"""Guests: whole runs and trials that a worker drives and keeps between two pieces of work.

After a piece the client gets what a file would hold; the run itself stays on the worker, so nothing
is sent twice. Texts are sent once, and a worker drops its guests with their texts.
"""

import logging
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, Self

from ...claims import Trial, TrialOutcome
from ...claims.attempt import Attempt, Splits, StudyTerms, begin
from ...core import store
from ...corpus.corpus import Corpus
from ...evaluate import Heldout
from ...runs.packed_texts import unpack_texts
from ...runs.run import Run
from ...runs.warming import warm_in_turn
from ...state.snapshot import Info
from .message import Message

MOST_STOPS = 1000
"""Stopped rounds that are remembered."""

log = logging.getLogger(__name__)


@dataclass(eq=False)
class GuestTexts:
    """Texts on a worker, with all that it keeps for them."""

    corpus: Corpus
    heldout: Heldout | None
    made: dict[Any, Any] = field(default_factory=dict)
    """Results that later guests use again, such as splits."""
    guests: "OrderedDict[str, Guest]" = field(default_factory=OrderedDict)


class Guest(Protocol):
    """A run or trial on a worker."""

    @classmethod
    def arrives(cls, manifest: dict[str, Any], arrays: store.Arrays, texts: GuestTexts) -> Self:
        """Return the guest that its `Away`, or the guest on another worker, packed, with compiled
        kernels. Raises ValueError with a sentence if it cannot be opened on this machine."""
        ...

    @property
    def ended(self) -> bool: ...

    def learn(self, docs: int, over: Callable[[], bool]) -> None:
        """Learn until `docs` documents are processed, it has ended, or `over()` is true after a
        mini-batch. Raises what a step does."""
        ...

    def packed(self) -> store.Packed:
        """Return its packed standing."""
        ...


class Piece(NamedTuple):
    """A piece of work for a worker."""

    kind: type[Guest]
    name: str
    """Name of the guest, unique on the client."""
    round: str
    """Name by which all pieces under way at once are stopped."""
    sent: store.Packed | None
    """None if the worker has it."""
    docs: int
    """As in `Guest.learn`."""
    seconds: float
    """Most seconds of learning, after at least one mini-batch."""


class Came(NamedTuple):
    """The result of a piece, back on the client."""

    manifest: dict[str, Any]
    arrays: store.Arrays
    seconds: float
    """Seconds on the worker, by its own clock."""


GONE = "gone"
"""The answer of a worker that no longer has a guest, which must be sent again."""

_STOPS: deque[str] = deque(maxlen=MOST_STOPS)
"""Rounds whose pieces must return now."""
_LOCK = threading.Lock()


def host(work: Callable[..., Any], texts: Message, piece: Message) -> Message:
    """Run `work` on a piece with these texts, which are unpacked once."""
    with _LOCK:
        if texts.opened is None:
            texts.opened = GuestTexts(*unpack_texts(*texts.value()))
    return Message(work(piece.value(), texts.opened))


def drive_on(piece: Piece, texts: GuestTexts) -> Came | str | None:
    """Drive a guest and keep it; return None if that failed, so that the client drives it and
    reports, and `GONE` if the guest is not here."""
    began = time.monotonic()
    guest = texts.guests.pop(piece.name, None)
    if piece.sent is not None:
        guest = piece.kind.arrives(*piece.sent, texts)
    elif guest is None:
        return GONE
    until = time.monotonic() + piece.seconds
    try:
        guest.learn(piece.docs, lambda: time.monotonic() > until or piece.round in _STOPS)
    except Exception as problem:
        log.info("A guest failed: %r", problem)
        return None
    if not guest.ended:
        texts.guests[piece.name] = guest
        while len(texts.guests) > _n_threads():  # others have gone on elsewhere
            texts.guests.popitem(last=False)
    return Came(*guest.packed(), time.monotonic() - began)


def _n_threads() -> int:
    from distributed import get_worker

    return max(1, int(get_worker().state.nthreads))


def stop(this_round: str) -> None:
    """Let the pieces of a round return after their current mini-batch."""
    _STOPS.append(this_round)


# ---- runs ----------------------------------------------------------------------------------------


def drive(run: Run, docs: int, over: Callable[[], bool] = lambda: False) -> None:
    """Let a run learn at least one mini-batch, until it has processed `docs` documents or `over()`
    is true; if it has processed them, only prepare it. Raises what a step does."""
    run.prepare()
    while not run.done and run.docs_seen < docs:
        run.step()
        if over():
            return


class RunThere:
    """A run on a worker, with one thread, since the worker's other threads have their own runs."""

    def __init__(self, run: Run) -> None:
        self.run = run

    @classmethod
    def arrives(cls, manifest: dict[str, Any], arrays: store.Arrays, texts: GuestTexts) -> Self:
        of = (texts.corpus, texts.heldout)
        run = Run.unpack(manifest, arrays, "The run that was sent", texts=of)
        run.pool = None
        warm_in_turn(run.method)
        return cls(run)

    @property
    def ended(self) -> bool:
        return self.run.done

    def learn(self, docs: int, over: Callable[[], bool]) -> None:
        drive(self.run, docs, over)

    def packed(self) -> store.Packed:
        """Return the packed standing of the run, with the report of its last step."""
        manifest, arrays = self.run.pack_standing()
        manifest["info"] = store.pack(self.run.latest_info, arrays, "info")
        return manifest, arrays


class RunAway:
    """An `Away` for a run of the client, which changes when its guest returns."""

    guest: type[Guest] = RunThere

    def __init__(self, run: Run) -> None:
        self.run = run

    @property
    def mark(self) -> int:
        return self.run.n_steps

    def packed(self) -> store.Packed:
        """Return the packed run without its texts."""
        manifest, arrays = self.run.pack_standing()
        if self.run.state is None:
            manifest["given"] = store.pack(self.run.given, arrays, "given")
        return manifest, arrays

    def stand(self, manifest: dict[str, Any], arrays: store.Arrays) -> None:
        self.run.stand(manifest, arrays)
        if "info" in manifest:
            self.run.latest_info = store.unpack(Info, manifest["info"], arrays)
        self.run.threads = 1


# ---- trials of a study ---------------------------------------------------------------------------


def _opened(
    manifest: Mapping[str, Any], arrays: store.Arrays, corpus: Corpus, splits: Splits
) -> Attempt:
    """Return the attempt that `AttemptAway` packed."""
    attempt = begin(manifest["trial"], manifest["terms"], corpus, splits)
    if "run" in manifest:
        attempt.run.stand(manifest["run"], arrays)
        attempt.outcome, attempt.scored_at = manifest["outcome"], manifest["scored_at"]
    return attempt


def _packed(attempt: Attempt) -> store.Packed:
    """Return the results so far, and the standing of its run until that ends."""
    arrays: store.Arrays = {}
    manifest = {
        "outcome": attempt.outcome,
        "scored_at": attempt.scored_at,
        "ended": attempt.ended,
        "n_steps": attempt.run.n_steps,
    }
    if not attempt.ended:
        manifest["run"], arrays = attempt.run.pack_standing()
    return manifest, arrays


class AttemptThere:
    """A trial on a worker, with one thread, begun there from the whole corpus."""

    def __init__(self, attempt: Attempt) -> None:
        self.attempt = attempt

    @classmethod
    def arrives(cls, manifest: dict[str, Any], arrays: store.Arrays, texts: GuestTexts) -> Self:
        splits = texts.made.setdefault("splits", {})
        return cls(_opened(manifest, arrays, texts.corpus, splits))

    @property
    def ended(self) -> bool:
        return self.attempt.ended

    def learn(self, docs: int, over: Callable[[], bool]) -> None:
        self.attempt.learn(over)

    def packed(self) -> store.Packed:
        return _packed(self.attempt)


class AttemptAway:
    """An `Away` for a trial of the client, with its results so far."""

    guest: type[Guest] = AttemptThere

    def __init__(self, trial: Trial, terms: StudyTerms) -> None:
        self._asked = {"trial": trial, "terms": terms}
        self._manifest: dict[str, Any] = {}
        self._arrays: store.Arrays = {}

    @property
    def outcome(self) -> TrialOutcome:
        found: TrialOutcome = self._manifest.get("outcome", TrialOutcome())
        return found

    @property
    def ended(self) -> bool:
        return bool(self._manifest.get("ended", False))

    @property
    def mark(self) -> int:
        """Mini-batches learned."""
        return int(self._manifest.get("n_steps", 0))

    def packed(self) -> store.Packed:
        return {**self._manifest, **self._asked}, self._arrays

    def stand(self, manifest: dict[str, Any], arrays: store.Arrays) -> None:
        self._manifest, self._arrays = manifest, arrays

    def learn_here(self, corpus: Corpus, splits: Splits, over: Callable[[], bool]) -> None:
        """Learn on the client as a worker would. Raises what a step does."""
        attempt = _opened(*self.packed(), corpus, splits)
        attempt.learn(over)
        self.stand(*_packed(attempt))
