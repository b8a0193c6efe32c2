"""Runs in the background: one thread for each run.

The thread never calls a page. It publishes a frozen snapshot by one assignment, and pages poll.
"""

import math
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any, Generic, Literal, Protocol, TypeVar, runtime_checkable

from ..core.environment import stand_back
from ..core.faults import NotNow
from ..methods.base import Method
from .gate import Gate
from .keeping import ENDED, Keeper, Keeping, Status
from .warming import warm_in_turn

PUBLISH_SECONDS = 0.5
"""Time between snapshots; one takes about 23 ms at 150 topics and 20,000 words."""


class Drivable(Protocol):
    """The interface that a thread drives: a run, or a study with the same interface."""

    @property
    def method(self) -> Method: ...

    @property
    def done(self) -> bool: ...

    @property
    def docs_seen(self) -> int: ...

    def prepare(self) -> None: ...

    def step(self) -> None: ...

    def snapshot(self) -> Any: ...


def never() -> bool:
    """Return False, the first value of `Longer.hurried`."""
    return False


@runtime_checkable
class Longer(Protocol):
    """A job whose step may last seconds, since other processes compute it."""

    hurried: Callable[[], bool]
    """Whether somebody waits for the current step, which then ends as soon as it can."""

    def step_once(self) -> None:
        """Take the smallest step that a person can ask for."""
        ...


J = TypeVar("J", bound=Drivable)


class BackgroundRun(Generic[J]):
    """A run and the daemon thread that computes it; all methods but `wait` and `settle` return at
    once.

    `latest` is the last published snapshot (None before the first step). If the method fails,
    `status` is "failed", `error` holds one sentence and `error_details` the traceback. A saved run
    that failed before keeps its `error` until it continues. A run whose cluster is lost is paused,
    with a sentence in `error`, and continues when it is resumed. A run that was learned in part
    before begins as paused, or as finished.

    Parameters
    ----------
    gate
        Limits how many runs compute at once. In a class it keeps a place for the lecturer's runs
        and lets others take turns.
    keeper
        Called when the run waits, pauses and ends, and regularly while it learns. If it fails, the
        run continues and `not_kept` says why.
    step_seconds
        Least duration of a step, to watch a run in slow motion.
    tenfold_seconds
        Least time in which the number of documents read grows tenfold, used instead of
        `step_seconds`, so that the start can be seen on any machine. What a person asks for waits
        for neither.
    """

    def __init__(
        self,
        run: J,
        gate: Gate | None = None,
        keeper: Keeper | None = None,
        step_seconds: float = 0.0,
        is_lecturers: bool = False,
        tenfold_seconds: float = 0.0,
    ) -> None:
        self.run, self.is_lecturers = run, is_lecturers
        self.status: Status = "ready"
        self.latest: Any = None
        self.error, self.error_details, self.not_kept = "", "", ""
        self.lost = False
        """Whether it is paused because its cluster was lost."""
        if run.docs_seen:
            self.latest = run.snapshot()
            self.status = "finished" if run.done else "paused"
        self.why_paused = ""
        """When and why it was paused, if no person asked for it."""
        self._keeping = None if keeper is None else Keeping(keeper)
        self._step_took = 0.0
        self._gate = gate or Gate(1)
        self._changed = threading.Condition()
        self._wanted: Literal["run", "pause", "stop"] = "pause"
        self._single_steps = 0
        self._acts: list[Callable[[Any], None]] = []
        """Changes that a person asked for, oldest first."""
        self.refusal = ""
        """Why the last change could not be made."""
        self._step_seconds, self._tenfold_seconds = step_seconds, tenfold_seconds
        self._rested = True
        """Whether the last step is published and saved."""
        self._thread: threading.Thread | None = None
        self._working = False
        """Whether the thread is alive."""
        self._published = 0.0
        job: Any = run
        if isinstance(job, Longer):
            job.hurried = lambda: self._wanted != "run" or bool(self._acts)

    # ---- requests ----------------------------------------------------------------------------

    def start(self) -> None:
        """Compute until the run is done."""
        self._ask("run")

    resume = start

    def pause(self, why: str = "") -> None:
        """Pause after the current mini-batch and give the place to the next run in the queue.

        `why`: when and why, if no person asks for it; kept until the next request.
        """
        self._ask("pause", why)

    def step_once(self) -> None:
        """Learn from exactly one more mini-batch, then pause."""
        with self._changed:
            self._single_steps += 1
        self._ask("pause")

    def stop(self) -> None:
        """End the run after the current mini-batch; what it learned stays."""
        self._ask("stop")

    def change(self, act: Callable[[Any], None]) -> None:
        """Have the run's own thread call `act(run)` between two steps, at once if the run rests.

        A ValueError of `act` is stored in `refusal`; any other error ends the run as failed. Raises
        ValueError if the run was stopped or has failed.
        """
        with self._changed:
            if self.status in ("stopped", "failed") or self._wanted == "stop":
                raise ValueError(
                    "This run was stopped or has failed. Open it again from the Runs page to "
                    "change it."
                )
            self.refusal = ""
            self._acts.append(act)
            self._set_going()

    def run_on(self, passes: int) -> None:
        """Let a finished run learn for `passes` more passes."""
        with self._changed:
            self.change(lambda run: run.run_on(passes))
            self._wanted = "run"

    @property
    def changing(self) -> bool:
        """Whether a requested change is still pending."""
        return bool(self._acts)

    def wait(self, timeout: float | None = None) -> bool:
        """Block until the thread has ended; False after `timeout` seconds."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout)
            return not thread.is_alive()
        return True

    def settle(self, timeout: float = 0.15) -> None:
        """Block until the last request has taken effect, at most `timeout` seconds.

        Most mini-batches end sooner, so a page that waits shows a pause at once.
        """
        deadline = time.monotonic() + timeout
        while not self._settled() and time.monotonic() < deadline:
            time.sleep(0.005)

    def _settled(self) -> bool:
        if self._acts:
            return False
        if self.ended or self._wanted == "run":
            return self.status not in ("ready", "paused")
        return self._wanted == "pause" and self.status == "paused" and not self._single_steps

    @property
    def place_in_queue(self) -> int:
        """Return 0 while computing, else how many runs must pause or end before this one starts."""
        return self._gate.place(self)

    @property
    def is_brief(self) -> bool:
        """Whether it wants a place for single steps only."""
        return self._wanted != "run" and self._single_steps > 0

    @property
    def ended(self) -> bool:
        return self.status in ENDED

    @property
    def is_going(self) -> bool:
        """Whether it computes, waits to compute, or was just asked to."""
        return not self.ended and (self.status not in ("ready", "paused") or not self._idle())

    @property
    def asked_for(self) -> Literal["", "pause", "stop"]:
        """Return the request that takes effect when the current mini-batch or preparation ends."""
        if self.ended or self.status in ("ready", "paused") or self._single_steps:
            return ""
        return "" if self._wanted == "run" else self._wanted

    # ---- the thread --------------------------------------------------------------------------

    def _ask(self, what: Literal["run", "pause", "stop"], why: str = "") -> None:
        with self._changed:
            if self.ended or self._wanted == "stop":
                return
            self.why_paused = why
            self._wanted = what
            self._set_going()

    def _set_going(self) -> None:
        """Start the thread, also of a finished run, or wake it; the caller holds the lock."""
        if not self._working:
            self._working = True
            self._thread = threading.Thread(target=self._work, daemon=True, name="run")
            self._thread.start()
        self._changed.notify_all()

    def _idle(self) -> bool:
        return self._wanted == "pause" and self._single_steps == 0

    def _work(self) -> None:
        stand_back()
        try:
            while self._ready_to_step():
                if self.status != "running":
                    try:
                        self._make_ready()
                    except NotNow as problem:
                        self._pause_without(str(problem))
                    continue  # a pause or a stop may have been requested meanwhile
                single, began = self._wanted == "pause", time.monotonic()
                docs_before = self.run.docs_seen
                try:
                    if not self.run.done:  # a study may find all its results on the disk
                        self._learn(single)
                except NotNow as problem:
                    self._pause_without(str(problem))
                    continue
                self._rested, self._step_took = False, time.monotonic() - began
                if single:
                    with self._changed:
                        self._single_steps = max(self._single_steps - 1, 0)
                if self.run.done:
                    self._rest("finished")
                    if self._end("finished"):
                        return
                    continue
                if not self._idle():  # otherwise the loop pauses it next
                    if time.monotonic() - self._published > PUBLISH_SECONDS:
                        self._publish()
                    self._keep("running")
                    if self._gate.turn_is_over(self):
                        self._publish()
                        self._gate.leave(self)
                        self.status = "queued"
                        continue
                    self._slow_down(began + self._lasts(docs_before))
            if self.status == "finished":
                return
            if self.run.docs_seen:
                self._rest("stopped")
            elif self._keeping is not None and self._keeping.begun:  # it waited in the queue
                self._keep("stopped")
            self._end("stopped")
        except Exception as problem:  # the page reports it
            self.error = f"{type(problem).__name__}: {problem}"
            self.error_details = traceback.format_exc()
            self._keep("failed")
            self._end("failed")

    def _learn(self, single: bool) -> None:
        """Take one step, of a single mini-batch if a person watches each."""
        job: Any = self.run
        if isinstance(job, Longer) and (single or self._step_seconds):
            job.step_once()
        else:
            job.step()

    def _pause_without(self, why: str) -> None:
        """Pause after the last step, since the next cannot be taken now, and store `why`."""
        with self._changed:
            self.error, self.lost = why, True
            self._wanted, self._single_steps = "pause", 0

    def _end(self, status: Status) -> bool:
        """Mark the thread as ended; False if a finished run must be changed first."""
        with self._changed:
            if self._acts and status == "finished":
                return False
            self._acts.clear()
            self._gate.leave(self)  # before another thread may enter
            self.status, self._working = status, False
            return True

    def _act(self) -> None:
        """Make the requested changes, and publish each at once."""
        while self._acts:
            warm_in_turn(self.run.method)
            try:
                self._acts[0](self.run)
            except ValueError as problem:
                self.refusal = str(problem)
            else:
                self._rested = False
                self._publish()
            with self._changed:
                self._acts.pop(0)

    def _lasts(self, docs_before: int) -> float:
        """Return the least seconds of this step, whose successor reads as many documents."""
        docs = self.run.docs_seen
        if not self._tenfold_seconds or not docs:
            return self._step_seconds
        return self._tenfold_seconds * math.log10((2 * docs - docs_before) / docs)

    def _slow_down(self, next_step: float) -> None:
        """Wait until the time of the next step, or until a request comes."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._wanted != "run" or bool(self._acts), next_step - time.monotonic()
            )

    def _make_ready(self) -> None:
        """Compile the kernels and make the first state; quick if that is done already."""
        self.status = "compiling"
        warm_in_turn(self.run.method)
        self.status = "starting"
        self.run.prepare()
        self.error, self.lost = "", False
        self.status = "running"

    def _ready_to_step(self) -> bool:
        """Wait while paused or queued; False if the run stops or has finished."""
        while True:
            self._act()
            if self.status == "finished":
                if not self.run.done:  # it was asked to run on
                    self.status = "paused"
                    continue
                if not self._rested:
                    self._rest("finished")
                if self._end("finished"):
                    return False
                continue
            with self._changed:
                while self._idle() and self._rested and not self._acts:
                    self._gate.leave(self)
                    self.status = "paused"
                    self._changed.wait()
                if self._wanted == "stop":
                    return False
                if self._acts:
                    continue
                idle = self._idle()
            if idle:  # a pause is shown only once it is on the disk
                self._rest("paused")
                continue
            if self.status == "running":
                return True
            self.status = "queued"
            if self._gate.must_wait(self):
                self._keep("queued")  # the server may end before its turn
            if self._gate.enter(self, self._not_now):
                return True
            if self._idle():  # its owner paused it in the queue
                self._keep("paused")

    def _not_now(self) -> bool:
        """Whether a request ends the wait for a place."""
        return self._wanted == "stop" or self._idle() or bool(self._acts)

    def _rest(self, status: Status) -> None:
        """Publish and save the last step before the thread waits or ends."""
        self._publish()
        self._keep(status)
        self._rested = True

    def _keep(self, status: Status) -> None:
        """Save the run: before a wait, at every pause and end, and otherwise by the clock."""
        keeping, lasts = self._keeping, max(self._step_took, self._step_seconds)
        if keeping is not None and (status != "running" or keeping.due(lasts)):
            self.not_kept = keeping.keep(self.run, status)

    def _publish(self) -> None:
        self.latest = self.run.snapshot()
        self._published = time.monotonic()
