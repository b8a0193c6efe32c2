"""Builds of corpora on the disk, for a page: each by a process of its own, which can be ended and
begun again at any moment without losing what is done."""

import logging
import os
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from ..core.child import ChildProcess
from ..corpus.readers.source import ReadOptions

LOG = logging.getLogger(__name__)
BUILDER = "bnpexplorer.intake.builder:main"
PATIENCE = 20.0
"""Seconds in which a build ends its processes, each of which ends the chunk that it is at. After
twice as many it is ended from here."""
Standing = Literal["under way", "ending", "stopped", "refused", "built"]
DIED = (
    "The process that builds {out} ended by itself, perhaps since memory ran out; go on with it: "
    "what is done is kept."
)
KILLED = (
    "The build of {out} did not end when it was asked to, and was ended by force after "
    "{seconds:.0f} seconds, perhaps since a disk does not answer; what is done is kept."
)
STUCK = (
    "The build of {out} does not end, not even by force: process {pid} waits for a disk that does "
    "not answer. It ends when that disk does; what is done is kept, and goes on then."
)


@dataclass(frozen=True)
class Order:
    """What is to be built, and where."""

    paths: tuple[str, ...]
    """Files and folders, absolute."""
    out: str
    """The folder of the corpus, absolute."""
    options: ReadOptions
    words: Mapping[str, Any]
    """Fields of `TextSettings`."""
    n_bytes: int = 0
    """Of the files, to say how far it is."""


class Build:
    """One build: begins at once. Any thread may look at it, and end it.

    `standing`: "under way", "ending" (somebody asked it to), "stopped" (it was ended; `sentence`
    says so if that took force), "refused" (`sentence` says why; `anew`: whether only `force` helps)
    or "built". `step`, `done` (0 to 1, of all) and `said` say how far it is.
    """

    def __init__(self, order: Order, threads: int, force: bool = False) -> None:
        """`threads`: processes that count words; `force`: anew, in place of what was begun there
        otherwise. Raises OSError where the system starts no process."""
        self.order = order
        self.standing: Standing = "under way"
        self.sentence, self.anew = "", False
        self.step, self.done, self.said = "", 0.0, ""
        self._lock, self._over = threading.Lock(), threading.Event()
        self._forced = False
        told = {**asdict(order), "threads": threads, "force": force}
        root = os.path.abspath(os.sep)
        self._process = ChildProcess(BUILDER, told, grace=PATIENCE, interrupted=True, folder=root)
        threading.Thread(target=self._listen, daemon=True, name="build").start()

    @property
    def ended(self) -> bool:
        return self.standing in ("stopped", "refused", "built")

    def end(self) -> None:
        """Ask it to end; it does within some seconds, and keeps what is done. One that does not,
        as where a disk does not answer, is ended by force."""
        with self._lock:
            if self.standing != "under way":
                return
            self.standing = "ending"
        threading.Thread(target=self._see_to_end, daemon=True, name="end of a build").start()

    def wait(self, seconds: float | None = None) -> bool:
        """Whether it has ended within so many seconds."""
        return self._over.wait(seconds)

    def _see_to_end(self) -> None:
        self._process.hang_up()
        if self.wait(2 * PATIENCE):
            return
        self._forced = True
        self._process.kill()
        if not self.wait(PATIENCE):  # a process that waits for a disk cannot be ended at all
            with self._lock:
                self._conclude({}, STUCK)

    def _listen(self) -> None:
        answer: dict[str, Any] = {}
        for answer in self._process.channel:
            if "step" in answer:
                self.step, self.done, self.said = answer["step"], answer["done"], answer["said"]
        self._process.end(2 * PATIENCE)
        with self._lock:
            self._conclude(answer, KILLED if self._forced else "")

    def _conclude(self, answer: dict[str, Any], force: str) -> None:
        """How it ended, once; `force`: what is to be said if it was ended from here."""
        if self.ended:
            return
        pid, seconds = self._process.pid, 2 * PATIENCE
        match answer.get("ended"):
            case "well":
                self.done, self.standing = 1.0, "built"
            case "refused":
                self.sentence, self.anew = str(answer["sentence"]), bool(answer.get("anew"))
                self.standing = "refused"
            case _ if self.standing == "ending":
                self.sentence = force.format(out=self.order.out, pid=pid, seconds=seconds)
                self.standing = "stopped"
            case _:
                self.sentence, self.standing = DIED.format(out=self.order.out), "refused"
                LOG.warning("The process of a build ended:\n%s", self._process.printed())
        self._over.set()
