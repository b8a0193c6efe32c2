"""Files and folders of this machine by their paths, for whoever sits at it: corpora that were built
are opened where they lie, and large files are built into one by a process of its own.

Nothing of it exists on a server that others reach: neither on a page nor here, where every function
refuses. Who could name a path would read whatever the account of the server may.
"""

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import streamlit as st

from ...core import store
from ...core.faults import note
from ...corpus import CorpusError
from ...corpus.building.alone import alone
from ...corpus.building.plan import check_work, place_of, remove_stored, remove_work, work_folder
from ...corpus.readers.source import ReadOptions, Source, shown
from ...corpus.stored.layout import MANIFEST
from ...inference.cores import cores
from ...intake import api
from ...intake.building import Build, Order
from ...intake.work import Looked
from ...runs import limits
from ...saved.jobs import UnfinishedJob
from ..seam.callers import called_at_home
from ..seam.server import Once
from . import server
from .server import LoadedCorpus

KIND = "build"
"""Of builds among the jobs of the library, which keeps them until they are complete."""
REFUSED = (
    "Paths of the machine are read only where the app is open to this machine alone; upload the "
    "texts, or build a corpus of them with python -m bnpexplorer corpus build."
)


def is_local() -> bool:
    """Whether this tab may name paths: the app is for one person, open to this machine alone, and
    the tab is of this machine."""
    return not limits.is_shared() and called_at_home()


def check() -> None:
    """Raise CorpusError unless this tab may name paths."""
    if not is_local():
        raise CorpusError(REFUSED)


# ---- looking and opening -------------------------------------------------------------------------


def look(paths: Sequence[Path], options: ReadOptions) -> tuple[Source, Looked]:
    """The first documents of files and folders, and how much they are. Raises CorpusError."""
    check()
    return api.look(paths, options)


def open_corpus(folder: Path) -> tuple[LoadedCorpus, tuple[str, ...]]:
    """A corpus that was built, where it lies, and what its build noted. Raises CorpusError."""
    check()
    opened = api.load_with_report(folder)
    return LoadedCorpus(opened.corpus, opened.report), (*opened.notes, *opened.warnings)


# ---- building ------------------------------------------------------------------------------------


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
