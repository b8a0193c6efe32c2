"""Builds of corpora on the disk, for a page: each by a process of its own, which can be ended and
begun again at any moment without losing what is done; and the list of those of this server.

As in `ui/frame/machine.py`, every function of the list refuses on a server that others reach.
"""

import hashlib
import logging
import os
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from ...core import store
from ...core.child import ChildProcess
from ...core.faults import note
from ...corpus import CorpusError
from ...corpus.readers.source import ReadOptions, shown
from ...corpus.stored.layout import MANIFEST
from ...inference.cores import cores
from ...runs.saved.jobs import UnfinishedJob
from ...ui.frame import server
from ...ui.frame.machine import check, is_local
from ...ui.seam.server import Once
from .alone import alone
from .plan import check_work, place_of, remove_stored, remove_work, work_folder

LOG = logging.getLogger(__name__)
KIND = "build"
"""Of builds among the jobs of the library, which keeps them until they are complete."""
BUILDER = "bnpexplorer.plugins.building.builder:main"
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


# ---- those of this server ------------------------------------------------------------------------


@dataclass(frozen=True)
class Begun:
    """A build that is not complete yet, or has just been completed."""

    build_id: str
    order: Order
    build: Build | None
    """None: an earlier server began it."""

    @property
    def under_way(self) -> bool:
        return self.build is not None and not self.build.ended

    @property
    def built(self) -> bool:
        return self.build is not None and self.build.standing == "built"

    @property
    def refused_at_once(self) -> bool:
        """What lies where it was to be is not of this build."""
        return self.build is not None and self.build.standing == "refused" and not self.build.step

    @property
    def name(self) -> str:
        return shown(Path(self.order.out).name)


@Once
def _lock() -> threading.Lock:
    return threading.Lock()


@Once
def _builds() -> dict[str, Build]:
    """Those that this server began, until somebody dismisses them."""
    return {}


def builds() -> list[Begun]:
    """All that somebody may want to look at, the latest first; none for who may name no paths."""
    if not is_local():
        return []
    jobs = server.library().jobs
    with _lock():
        here = dict(_builds())
    found = [Begun(build_id, build.order, build) for build_id, build in here.items()]
    for begun in found:
        if begun.built or begun.refused_at_once:
            jobs.remove(begun.build_id)
    kept = [job for job in jobs.all() if job.kind == KIND and job.job_id not in here]
    orders = [(job.job_id, _order_of(job)) for job in kept]
    earlier = [Begun(build_id, order, None) for build_id, order in orders if order is not None]
    return found[::-1] + earlier


def begin(order: Order, force: bool = False) -> str:
    """Begin a build, or go on with it, and keep that it was begun: its name among `builds`.

    `force`: anew, in place of what was begun there otherwise. Raises CorpusError, also where
    another one is under way: one takes all cores.
    """
    check()
    out = place_of(Path(order.out))
    order = replace(order, out=str(out))
    if force and (out / MANIFEST).is_file():  # by whoever has built there since the page was drawn
        raise CorpusError(f"{shown(out.name)} is complete by now; open it, or give another name.")
    build_id = hashlib.sha256(order.out.encode("utf-8", "surrogateescape")).hexdigest()[:10]
    with _lock():
        for other in _builds().values():
            if not other.ended:
                name = shown(Path(other.order.out).name)
                raise CorpusError(
                    f"{name} is being built; wait until that has ended, or cancel it."
                )
        try:
            _builds()[build_id] = Build(order, cores().n, force)
        except OSError as problem:
            raise CorpusError(
                f"The system starts no process to build in ({problem.strerror}); close other "
                "programs and try again."
            ) from problem
    job = UnfinishedJob(build_id, KIND, "", "", Path(order.out).name, {"order": asdict(order)})
    try:
        server.library().jobs.write(job)
    except OSError:  # the build goes on all the same; after a restart its command goes on with it
        st.toast("The build cannot be kept among the saved runs; it goes on while the app does.")
    return build_id


def cancel(build_id: str) -> None:
    """End a build; what is done is kept, and `begin` goes on there. Raises CorpusError."""
    check()
    if (build := _builds().get(build_id)) is not None:
        build.end()


def dismiss(build_id: str) -> None:
    """Show a build that has ended no more; its files stay as they are. Raises CorpusError."""
    check()
    with _lock():
        build = _builds().get(build_id)
        if build is not None and not build.ended:
            raise CorpusError("It is under way; cancel it first.")
        _builds().pop(build_id, None)
    server.library().jobs.remove(build_id)


def discard(begun: Begun) -> None:
    """Remove what a build that was ended has written, and show it no more. Raises CorpusError."""
    check()
    out = Path(begun.order.out)
    home = work_folder(out)
    check_work(home)
    if home.is_dir():
        with alone(home):
            if not (out / MANIFEST).is_file():
                remove_stored(out)
            remove_work(home)
    dismiss(begun.build_id)


def _order_of(job: UnfinishedJob) -> Order | None:
    """What is to be built; None where the file was changed."""
    try:
        order: Order = store.unpack(Order, store.part(job.about, "order"), {})
    except store.DAMAGE as problem:
        note("A build that was begun", problem)
        return None
    return order
