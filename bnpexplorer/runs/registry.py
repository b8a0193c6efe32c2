"""The runs of a server: how many compute at once, which tabs show them, which are dropped."""

import contextlib
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..state.labels import Labels
from ..state.moment import Moment
from .background import BackgroundRun, Drivable
from .gate import Gate
from .keeping import ENDED, Status
from .lecturer import is_lecturers
from .limits import check_going, is_shared

COMES_BACK = 180.0
"""Seconds for which the runs of a lost tab are remembered; Streamlit keeps its session for 120."""
UNWATCHED = "at {}, as no connected tab showed it"
"""When and why a run was paused, after "paused"."""


@dataclass(eq=False)
class Entry:
    """A run in the registry, with its secret and the tabs that show it."""

    run_id: str
    secret: str
    background: BackgroundRun[Any]
    source: object = None
    """Data of the caller, such as the whole corpus before the split."""
    labels: Labels = field(default_factory=Labels)
    """The owner's labels of its topics."""
    labels_before: tuple[Labels, ...] = ()
    """The labels before each change of topics by hand, the newest last, for an undo."""
    tabs: set[str] = field(default_factory=set)
    grace: threading.Timer | None = None
    moment: Moment | None = None
    """The moment that tabs showed last, so that they share its computed values."""
    drawn: Any = None
    """The snapshot that tabs drew last."""
    drawn_at: float = 0.0
    outdated: bool = False
    """The run has ended here and may continue from the disk, in place of this entry."""
    put_aside: bool = False
    """The registry stopped it to make room for others; no person asked for that."""
    checks: str = ""
    """Identity of the run whose stability these chains check."""


Keep = Callable[[Entry, Any, Status], None]
"""(entry, run, status): saves the run to the disk."""


class RunRegistry:
    """The runs of this server; as many compute at once as `gate` has places.

    A tab holds a lease on the runs it shows. When a computing run loses its last lease, a grace
    timer starts, since a reload or a network failure ends a session for a moment. If no tab returns
    in time, the run is paused, and resumes when a lost tab reconnects. Beyond `kept` runs, the
    registry drops runs that no tab shows: ended ones first, then paused ones, the oldest first. A
    step of each takes at least `step_seconds`.
    """

    def __init__(
        self,
        gate: Gate | None = None,
        kept: int = 24,
        grace_seconds: float = 60.0,
        step_seconds: float = 0.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._clock = clock
        self._gate = gate or Gate(2)
        self._kept, self._grace_seconds = kept, grace_seconds
        self._step_seconds = step_seconds
        self._entries: dict[str, Entry] = {}
        self._lost: dict[str, tuple[float, set[str]]] = {}
        """Tab -> when it was lost, and the runs that it looked at."""
        self._lock = threading.RLock()

    def add(
        self,
        run: Drivable,
        source: object = None,
        keep: Keep | None = None,
        run_id: str = "",
        secret: str = "",
        labels: Labels | None = None,
        error: str = "",
        tenfold_seconds: float = 0.0,
    ) -> Entry:
        """Add a run without starting it. `tenfold_seconds`: see `BackgroundRun`.

        `run_id`, `secret`, `labels` and `error` are those of a saved run; two tabs that open it at
        once get the same entry.
        """
        run_id, secret = run_id or secrets.token_hex(5), secret or secrets.token_urlsafe(12)
        with self._lock:
            before = self._entries.get(run_id)
            if before is not None and not before.outdated:
                return before

            entry: Entry  # the keeper needs it
            keeper = None if keep is None else lambda run, status: keep(entry, run, status)
            background = BackgroundRun(
                run, self._gate, keeper, self._step_seconds, is_lecturers(secret), tenfold_seconds
            )
            background.error = error
            entry = Entry(run_id, secret, background, source, labels or Labels())
            if before is not None:
                entry.tabs = before.tabs
            self._entries[run_id] = entry
            self._forget_old(entry)
            return entry

    def get(self, run_id: str) -> Entry | None:
        return self._entries.get(run_id)

    def entries(self) -> list[Entry]:
        """Return all entries, the newest first."""
        with self._lock:
            return list(reversed(self._entries.values()))

    def owned(self, run_id: str, secret: str) -> bool:
        """Whether `secret` controls the run."""
        entry = self.get(run_id)
        return entry is not None and secrets.compare_digest(entry.secret.encode(), secret.encode())

    def check_going(self, wanted: int = 1) -> None:
        """Raise ValueError, with what to do, if guests of a class may not start `wanted` more."""
        if is_shared():
            with self._lock:
                there = [entry.background for entry in self._entries.values()]
            check_going(wanted + sum(b.is_going and not b.is_lecturers for b in there))

    def resume(self, background: BackgroundRun[Any], ask: Callable[[], None]) -> None:
        """Resume a resting run by calling `ask`.

        Raises ValueError, with what to do, if a class has too many runs already.
        """
        with self._lock:  # so that two requests at once do not both take the last place
            if not background.is_going and not background.is_lecturers:
                self.check_going()
            ask()

    def renew(self, run_id: str) -> None:
        """Let a copy of this ended run that is opened from the disk replace it, with its tabs."""
        with self._lock:
            entry = self.get(run_id)
            if entry is not None and entry.background.ended:
                entry.outdated = True

    def let_go(self, run_id: str) -> bool:
        """Drop a run, after saving it, so that it can continue elsewhere; False if it computes,
        waits to compute, or could not be saved."""
        entry = self.get(run_id)
        if entry is None:
            return True
        if entry.background.status not in (*ENDED, "paused", "ready"):
            return False
        entry.background.stop()
        entry.background.wait()
        if entry.background.not_kept:
            return False
        with self._lock:
            self._entries.pop(run_id, None)
        return True

    def attach(self, tab: str, run_id: str) -> None:
        """Give the tab a lease on the run and stop the grace timer."""
        with self._lock:
            entry = self.get(run_id)
            if entry is not None:
                entry.tabs.add(tab)
                if entry.grace is not None:
                    entry.grace.cancel()
                    entry.grace = None

    def detach(self, tab: str, run_id: str) -> None:
        """End the tab's lease on the run; the last one to leave starts the grace timer."""
        with self._lock:
            entry = self.get(run_id)
            if tab in self._lost:
                self._lost[tab][1].discard(run_id)
            if entry is None or tab not in entry.tabs:
                return
            entry.tabs.discard(tab)
            if not entry.tabs and not entry.background.ended and entry.grace is None:
                entry.grace = threading.Timer(self._grace_seconds, self._abandoned, (entry,))
                entry.grace.daemon = True
                entry.grace.start()

    def drop(self, tab: str) -> None:
        """End all leases of a tab that is gone."""
        with self._lock:
            for run_id in list(self._entries):
                self.detach(tab, run_id)

    def lose(self, tab: str) -> None:
        """End the leases of a tab that lost its connection, until it comes back."""
        with self._lock:
            now = time.monotonic()
            looked_at = {entry.run_id for entry in self._entries.values() if tab in entry.tabs}
            if tab in self._lost:  # one of its scripts was still running
                looked_at |= self._lost[tab][1]
            self.drop(tab)
            self._lost = {t: was for t, was in self._lost.items() if now - was[0] < COMES_BACK}
            self._lost[tab] = (now, looked_at)

    def come_back(self, tab: str) -> None:
        """Restore the leases of a reconnected tab, and resume its runs that were paused because no
        tab showed them, within the limit of a class."""
        with self._lock:
            _, looked_at = self._lost.pop(tab, (0.0, set()))
            for run_id in looked_at:
                self.attach(tab, run_id)
                entry = self.get(run_id)
                if entry is not None and entry.background.why_paused:
                    with contextlib.suppress(ValueError):  # its row says why it is paused
                        self.resume(entry.background, entry.background.start)

    @property
    def lost(self) -> set[str]:
        """Lost tabs that may come back."""
        with self._lock:
            return set(self._lost)

    @property
    def tabs(self) -> set[str]:
        """Tabs that show a run now."""
        with self._lock:
            return set().union(*(entry.tabs for entry in self._entries.values()))

    def tick_seconds(self) -> float:
        """Return the seconds between two updates of a tab: 1, or more if many tabs watch.

        A tab with one update a second costs up to 0.1 of a core; all together may cost 0.2.
        """
        return max(1.0, 0.5 * len(self.tabs))

    def shown(self, entry: Entry) -> Any:
        """Return the snapshot for all tabs: the latest, or for a while the one drawn last, so that
        tabs share their drawings. For a resting run it is always the latest.
        """
        latest, now = entry.background.latest, time.monotonic()
        held = entry.drawn is not None and now - entry.drawn_at < 0.25 * self.tick_seconds()
        if not held or entry.background.status != "running":
            entry.drawn, entry.drawn_at = latest, now
        return entry.drawn

    def stop_all(self, timeout: float = 10.0) -> None:
        """Stop every run and wait for its thread, at shutdown and in tests."""
        with self._lock:
            entries = list(self._entries.values())
        for entry in entries:
            if entry.grace is not None:
                entry.grace.cancel()
            entry.background.stop()
        for entry in entries:
            entry.background.wait(timeout)

    def pause_all(self, timeout: float = 5.0) -> None:
        """Pause every run, so that its thread saves it before the server closes."""
        with self._lock:
            going = [e.background for e in self._entries.values() if not e.background.ended]
        for background in going:
            background.pause()
        deadline = time.monotonic() + timeout
        for background in going:
            background.settle(max(deadline - time.monotonic(), 0.0))

    def _abandoned(self, entry: Entry) -> None:
        with self._lock:
            entry.grace = None
            if not entry.tabs and entry.background.is_going:
                when = time.strftime("%H:%M", time.localtime(self._clock()))
                entry.background.pause(UNWATCHED.format(when))

    def _forget_old(self, newcomer: Entry) -> None:
        """Drop runs beyond `kept`, except the newcomer, which has no lease yet."""
        unseen = [e for e in self._entries.values() if not e.tabs and e is not newcomer]
        ended = [e for e in unseen if e.background.ended]
        paused = [e for e in unseen if e.background.status == "paused"]
        # Runs that could not be saved go last, since they are in memory only.
        order = sorted(ended + paused, key=lambda e: bool(e.background.not_kept))
        for entry in order[: max(len(self._entries) - self._kept, 0)]:
            entry.put_aside = True
            entry.background.stop()
            del self._entries[entry.run_id]
