"""On a worker: whole runs and trials that it drives, and keeps between two pieces of their way.

What comes home after a piece is what a file would hold; what goes on stays here, so that nothing
is sent twice. The texts come once, and with them goes whatever a worker has kept.
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
"""Rounds that were to stop are remembered no longer than so many others."""

log = logging.getLogger(__name__)


@dataclass(eq=False)
class GuestTexts:
    """Texts on a worker, and all that it keeps with them."""

    corpus: Corpus
    heldout: Heldout | None
    made: dict[Any, Any] = field(default_factory=dict)
    """What guests make of the texts for those who come later, such as splits."""
    guests: "OrderedDict[str, Guest]" = field(default_factory=OrderedDict)


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


class Piece(NamedTuple):
    """What a worker is asked for."""

    kind: type[Guest]
    name: str
    """Of the guest, which no other one has at home."""
    round: str
    """By which all that are under way at once are told to stop."""
    sent: store.Packed | None
    """None if the worker has it."""
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

_STOPS: deque[str] = deque(maxlen=MOST_STOPS)
"""Rounds whose pieces are to come home now."""
_LOCK = threading.Lock()


def host(work: Callable[..., Any], texts: Message, piece: Message) -> Message:
    """The task: `work` of a piece with these texts, which are unpacked once."""
    with _LOCK:
        if texts.opened is None:
            texts.opened = GuestTexts(*unpack_texts(*texts.value()))
    return Message(work(piece.value(), texts.opened))


def drive_on(piece: Piece, texts: GuestTexts) -> Came | str | None:
    """Drive a guest on, and keep it; None if that failed: whoever sent it drives it then, and
    tells. `GONE` if it is not here."""
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
    """Let its pieces come home after the mini-batch at hand."""
    _STOPS.append(this_round)


# ---- runs ----------------------------------------------------------------------------------------


def drive(run: Run, docs: int, over: Callable[[], bool] = lambda: False) -> None:
    """Let a run learn until it has processed so many documents, or until it is `over`, but one
    mini-batch at least; one that has processed them is only prepared. Raises what a step does."""
    run.prepare()
    while not run.done and run.docs_seen < docs:
        run.step()
        if over():
            return


class RunThere:
    """On a worker: a `Guest`. It has one thread: the worker's others have runs of their own."""

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
        """Where the run stands, with what its last step told."""
        manifest, arrays = self.run.pack_standing()
        manifest["info"] = store.pack(self.run.latest_info, arrays, "info")
        return manifest, arrays


class RunAway:
    """Here: an `Away` for a run, which changes when it comes home."""

    guest: type[Guest] = RunThere

    def __init__(self, run: Run) -> None:
        self.run = run

    @property
    def mark(self) -> int:
        return self.run.n_steps

    def packed(self) -> store.Packed:
        """What the run is beside its texts."""
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
    """The attempt that `AttemptAway` packed."""
    attempt = begin(manifest["trial"], manifest["terms"], corpus, splits)
    if "run" in manifest:
        attempt.run.stand(manifest["run"], arrays)
        attempt.outcome, attempt.scored_at = manifest["outcome"], manifest["scored_at"]
    return attempt


def _packed(attempt: Attempt) -> store.Packed:
    """Return what was found, and where its run stands as long as it goes on."""
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
    """On a worker: a `Guest`, with one thread. It is begun there, from the whole corpus."""

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
    """At home: an `Away` for a trial, and what it has found so far."""

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
        """Learn as a worker would. Raises what a step does."""
        attempt = _opened(*self.packed(), corpus, splits)
        attempt.learn(over)
        self.stand(*_packed(attempt))
