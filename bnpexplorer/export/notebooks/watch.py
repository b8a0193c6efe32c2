"""A run that learns in a thread of its own while somebody looks, as the app's runs do."""

from dataclasses import replace
from weakref import WeakValueDictionary

from ...core.html import Markup
from ...runs.background import BackgroundRun
from ...runs.run import Run
from ...state.moment import Moment
from ...state.snapshot import Snapshot
from ..pieces import curves, lead, level_of, title_of, topics_table
from .card import quiet

MOST = 10
"""Topics that live figures list."""

_threads: WeakValueDictionary[int, "BackgroundRun[Run]"] = WeakValueDictionary()
"""By the run's `id`; kept by whoever watches, and by the thread as long as it lives."""


def _thread_of(run: Run) -> "BackgroundRun[Run] | None":
    thread = _threads.get(id(run))
    return thread if thread is not None and thread.run is run else None


def standing(run: Run) -> Snapshot | None:
    """How a run stands: what its thread showed last, while one learns, since only a thread may ask
    the run that it changes; else the run's own word. None before it has learned anything."""
    thread = _thread_of(run)
    if thread is not None and thread.is_going:
        latest: Snapshot | None = thread.latest
        return latest
    return run.snapshot() if run.docs_seen else None


class RunWatch:
    """Buttons and drawings of one run; every method but `wait` answers at once."""

    def __init__(self, run: Run, step_seconds: float = 0.0) -> None:
        """Raises ValueError for a time below 0."""
        if not step_seconds >= 0.0:
            raise ValueError(f"step_seconds must be 0 or more; got {step_seconds:g}.")
        thread = _thread_of(run)
        if thread is None or not thread.is_going:  # what somebody did to the run since counts
            if thread is not None:
                thread.stop()  # it would wait for ever
                thread.wait()
            thread = _threads[id(run)] = BackgroundRun(run, step_seconds=step_seconds)
        self.run, self.thread = run, thread
        self._level: tuple[float | None] | None = None
        self._moment: Moment | None = None

    def go_on(self) -> None:
        """Learn until the run is done."""
        self.thread.start()

    def pause(self) -> None:
        """Stop after the mini-batch at hand."""
        self.thread.pause()
        self.thread.settle()

    def step(self) -> None:
        """Learn from one more mini-batch, then pause."""
        self.thread.step_once()
        self.thread.settle()

    def wait(self, timeout: float | None = None) -> bool:
        """Block until the run is done; False after `timeout` seconds."""
        return self.thread.wait(timeout)

    @property
    def going(self) -> bool:
        return self.thread.is_going

    @property
    def done(self) -> bool:
        """Whether there is nothing left to learn, or it has failed."""
        return self.thread.ended

    def moment(self) -> Moment | None:
        """What the run published last, with names and colours as they were; None before that."""
        snapshot: Snapshot | None = self.thread.latest
        if snapshot is None:
            return None
        if self._moment is None or self._moment.snapshot is not snapshot:
            before = None if self._moment is None else self._moment.earlier
            self._moment = replace(self.run.moment(snapshot), before=before)
        return self._moment.settled() if self.done else self._moment

    def said(self) -> str:
        """One sentence of how it stands."""
        thread, moment = self.thread, self.moment()
        seen = 0 if moment is None else moment.snapshot.docs_seen
        if thread.status == "failed":
            return f"It failed after {seen:,} documents: {thread.error}"
        if thread.error:
            return thread.error
        if moment is None:
            return "Compiling and making the first state …" if self.going else "It has not begun."
        state = "Done" if self.done else "Learning" if self.going else "Paused"
        return f"{state}: {lead(self.run, moment)}"

    def drawing(self) -> Markup:
        """Return the figures as HTML without scripts."""
        moment = self.moment()
        if moment is None:
            return quiet("Nothing to draw yet.")
        if self._level is None:
            self._level = (level_of(self.run),)
        figures = curves(self.run, moment, *self._level, to_the_end=True)
        return figures + topics_table(moment, MOST)

    @property
    def title(self) -> str:
        moment = self.moment()
        return self.run.corpus.name if moment is None else title_of(self.run, moment)
