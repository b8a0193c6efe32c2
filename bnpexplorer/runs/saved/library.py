"""Saved runs and corpora on this machine's disk.

    corpora/KEY.zip           a corpus with its documents' texts, written once
    jobs/ID.json              a race, study or sweep that has not ended (`jobs.py`)
    deleted.json              for how long runs have been deleted
    runs/ID/texts.zip         the run's own split of the corpus as counts, written once
    runs/ID/origin.zip        how the corpus was made, and its true topics where they are known
    runs/ID/standing.zip      state, history and generators, written anew as the run goes on
    runs/ID/fewer.zip         the run with fewer topics, and what these keep (`fewer.py`)
    runs/ID/row.json          its name, tags and settings, and where it stands (`listing.py`)
    runs/.bnpexplorer-gone-ID a run that is being removed

A library is thread-safe. Several processes may share a folder: `updated` marks the version of a run
that a library read or wrote, and a library that finds another mark does not write. Locks would
outlive a server that was killed.
"""

import contextlib
import hashlib
import math
import shutil
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...core import owned_files, store
from ...core.arrays import F64
from ...core.owned_files import private_folder, tighten
from ...corpus.corpus import Corpus
from ...corpus.stored import StoredCorpus
from ...corpus.text import Report
from ...state.labels import Labels
from ...state.snapshot import Snapshot
from ..about import Granularity
from ..lecturer import is_lecturers
from ..limits import is_shared
from ..packed_texts import pack_corpus, unpack_corpus
from ..run import Run
from . import fewer
from .jobs import Jobs, UnfinishedJob
from .listing import Listing
from .removal import KEPT_AFTER_DELETION, NotRemoved, Removal
from .room import Room, room
from .rows import NAME_LENGTH, TAGS_LENGTH, Damaged, Saved, one_line, short_labels


class LibraryFull(ValueError):
    """The disk that saved runs may take is used up."""


class TakenElsewhere(ValueError):
    """The run was written or removed by somebody else since this library read it."""


def key_of(corpus: Corpus) -> str:
    """Return a key that identifies a corpus with all metadata of its documents."""
    digest = hashlib.sha256(corpus.name.encode())
    if isinstance(corpus, StoredCorpus):
        digest.update("\0".join((str(corpus.folder), *corpus.identity)).encode())
        return f"{corpus.fingerprint}-{digest.hexdigest()[:8]}"
    for name, column in corpus.docs.columns().items():
        digest.update(f"\0{name}\0".encode())
        digest.update("\0".join(map(str, column)).encode())
    rows = corpus.file_rows
    if rows is not None and rows.cells is not None:
        digest.update(rows.cells.data)
    return f"{corpus.fingerprint}-{digest.hexdigest()[:8]}"


class Library:
    """All saved runs below one folder, by default the user's, for their account alone.

    Raises StoreError for damage.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._marks: dict[str, float] = {}
        """Run -> `updated` as this library read or wrote it last."""
        self._marking = threading.Lock()
        tighten(self.folder)

    @property
    def folder(self) -> Path:
        return self._folder if self._folder is not None else store.home()

    @property
    def writable(self) -> bool:
        """Whether anything can be saved."""
        return self._listing.writable()

    @property
    def _listing(self) -> Listing:
        return Listing(self.folder)

    @property
    def _removal(self) -> Removal:
        return Removal(self.folder)

    # ---- writing ---------------------------------------------------------------------------

    def keep(
        self,
        run_id: str,
        run: Run,
        source: Corpus,
        status: str,
        secret: str = "",
        report: Report | None = None,
        true_topics: F64 | None = None,
    ) -> None:
        """Write where the run stands. Call it from the thread that owns the run, between steps.

        `source` is the whole corpus with its texts, `report` says how it was made. Raises
        LibraryFull, with what to do, if the run is new and there is no room, TakenElsewhere if
        another process has gone on with the run or removed it, and StoreError if the disk refuses;
        then what was saved before stays, and nothing is left of a run that is new.
        """
        place, known = self.folder / "runs" / run_id, self.get(run_id)
        try:
            if known is not None:
                self._claim(run_id)
                self._write_standing(place, run, status)
                self._listing.record(run_id, run, status)
                return
            if run_id in self._marks:
                raise TakenElsewhere(
                    "The run was deleted for good; what it learns now is not saved."
                )
            self._make_room(secret)
            self._keep_new(place, run, source, status, secret, report, true_topics)
        except OSError as problem:
            raise store.StoreError(
                f"The run cannot be saved in {self.folder} ({problem.strerror or problem}); what "
                "is there already stays as it is."
            ) from problem

    def fail(self, run_id: str, error: str) -> None:
        """Note that the run ended with `error`; its state stays as it was saved last.

        A run that was never saved is not listed. Raises as `keep`.
        """
        if self.get(run_id) is not None:
            self._claim(run_id)
            self._listing.record_failure(run_id, error)

    def _keep_new(
        self,
        place: Path,
        run: Run,
        source: Corpus,
        status: str,
        secret: str,
        report: Report | None,
        true_topics: F64 | None,
    ) -> None:
        """Write all files of a new run and its row, or nothing."""
        key = key_of(source)
        try:
            private_folder(place)
            self._write_corpus(source, key)
            store.write(place / "texts.zip", *run.pack_texts(), private=True)
            self._write_origin(place, report, true_topics)
            self._write_standing(place, run, status)
            self._marks[place.name] = self._listing.insert(place.name, run, secret, key, status)
        except (OSError, ValueError):
            shutil.rmtree(place, ignore_errors=True)
            self._removal.corpora_without_run()
            raise
        self._write_corpus(source, key)  # if a purge took it before the row was there

    def _claim(self, run_id: str) -> None:
        """Advance the mark of a run. Raises TakenElsewhere if another process did so first."""
        with self._marking:
            mark = self._listing.claim(run_id, self._marks.get(run_id))
            if mark is None:
                raise TakenElsewhere(
                    "Another server of this machine has gone on with this run since it was opened "
                    "here; what is learned here is not saved. Open it anew from the Runs page."
                )
            self._marks[run_id] = mark

    @staticmethod
    def _write_standing(place: Path, run: Run, status: str) -> None:
        packed, compressed = run.pack_standing(), status != "running"
        store.write(place / "standing.zip", *packed, compressed=compressed, private=True)

    @staticmethod
    def _write_origin(place: Path, report: Report | None, true_topics: F64 | None) -> None:
        arrays: store.Arrays = {}
        manifest = {
            "report": store.pack(report, arrays, "report"),
            "true_topics": store.pack(true_topics, arrays, "true_topics"),
        }
        store.write(place / "origin.zip", manifest, arrays, private=True)

    # ---- races, studies and sweeps ---------------------------------------------------------

    @property
    def jobs(self) -> Jobs:
        """Races, studies and sweeps that have not ended."""
        return Jobs(self.folder)

    def begin_job(
        self, job_id: str, kind: str, secret: str, source: Corpus, about: Mapping[str, Any]
    ) -> None:
        """Save a new job with its texts, so that a server can continue it.

        Raises LibraryFull, or StoreError if the disk refuses.
        """
        if self.jobs.get(job_id) is not None:
            return
        key = key_of(source)
        try:
            self._make_room(secret)
            self._write_corpus(source, key)
            self.jobs.write(UnfinishedJob(job_id, kind, secret, key, source.name, about))
            self._write_corpus(source, key)  # if a purge took it before the job was there
        except OSError as problem:
            raise store.StoreError(
                f"The {kind} cannot be kept in {self.folder} ({problem.strerror or problem}); it "
                "goes on, and ends with this server."
            ) from problem

    def _write_corpus(self, corpus: Corpus, key: str) -> None:
        path = self.folder / "corpora" / f"{key}.zip"
        if not path.exists():
            private_folder(path.parent)
            arrays: store.Arrays = {}
            packed = {"corpus": pack_corpus(corpus, arrays, "corpus")}
            store.write(path, packed, arrays, private=True)

    def _make_room(self, secret: str) -> None:
        with contextlib.suppress(NotRemoved):  # it stays listed, and counts below
            self.purge(counted=KEPT_AFTER_DELETION)
        mine = is_lecturers(secret)
        found = self.room(mine)
        if found.is_full and is_shared():  # nobody can empty what was deleted in a class
            deleted = [saved.run_id for saved in self.saved(deleted=True)]
            self.forget([one for one in deleted if is_lecturers(self.secret(one)) == mine])
            found = self.room(mine)
        if found.is_full:
            emptied = "of yours" if is_shared() else "and empty what was deleted"
            raise LibraryFull(
                f"Saved runs take {found.taken / 2**20:,.0f} MB of the "
                f"{found.limit / 2**20:,.0f} MB that they may. Delete some {emptied} on the Runs "
                "page, or start the server with a larger BNPEXPLORER_DISK_MB."
            )

    def room(self, is_lecturers: bool = False) -> Room:
        """Bytes that saved runs take and may take, for the lecturer of a class or for others."""
        return room(self, is_lecturers)

    # ---- reading ---------------------------------------------------------------------------

    def saved(self, deleted: bool = False) -> list[Saved]:
        """Return all runs that are not deleted (or those that are), the latest first."""
        return self._listing.rows(deleted)

    def get(self, run_id: str) -> Saved | None:
        """One run, deleted or not."""
        return self._listing.get(run_id)

    def chains(self, group: str) -> list[Saved]:
        """The saved runs of one group of chains, in their order; an imported copy is left out."""
        places: dict[int, Saved] = {}
        for saved in sorted(self.saved(), key=lambda saved: saved.created):
            if saved.chain is not None and saved.chain.group == group:
                places.setdefault(saved.chain.place, saved)
        return [places[place] for place in sorted(places)]

    def secret(self, run_id: str) -> str:
        """The secret that controls the run; empty for an unknown one."""
        return self._listing.secret(run_id)

    def load(self, run_id: str, to_go_on: bool = True) -> Run:
        """Return the run as it was saved; this library may save it again only if `to_go_on`."""
        place = self.folder / "runs" / run_id
        with self._marking:  # not between another thread's mark on the disk and in memory
            known = self.get(run_id)
            if known is not None and to_go_on:
                self._marks[run_id] = known.updated
        texts, arrays = store.read(place / "texts.zip")
        standing, more = store.read(place / "standing.zip")
        return Run.unpack({**texts, **standing}, {**arrays, **more}, f"The run {run_id}")

    def corpus(self, run_id: str) -> Corpus:
        """The whole corpus of the run, before the split, with its documents' texts."""
        saved = self.get(run_id)
        if saved is None:
            raise store.StoreError(f"There is no saved run {run_id}.")
        return self.texts(saved.corpus_key)

    def texts(self, key: str) -> Corpus:
        """Return a whole corpus with its texts by its key. Raises StoreError."""
        path = self.folder / "corpora" / f"{key}.zip"
        manifest, arrays = store.read(path)
        with store.named(path.name):
            return unpack_corpus(manifest["corpus"], arrays)

    def bytes_to_open(self, run_id: str) -> int:
        """Bytes on the disk of a run and its texts; 0 for an unknown one."""
        saved = self.get(run_id)
        if saved is None:
            return 0
        return saved.n_bytes + store.bytes_of([self.folder / "corpora" / f"{saved.corpus_key}.zip"])

    def origin(self, run_id: str) -> tuple[Report | None, F64 | None]:
        """Return how the run's corpus was made, and its true topics; None if unknown."""
        path = self.folder / "runs" / run_id / "origin.zip"
        report, true_topics = _unpacked(path, {"report": Report | None, "true_topics": F64 | None})
        return report, true_topics

    def fewer(self, run_id: str, run: Run, at: Snapshot) -> tuple[Granularity, ...] | None:
        """Read the run with fewer topics as of this moment, or return None."""
        return fewer.read(self.folder / "runs" / run_id, run, at)

    def keep_fewer(self, run_id: str, at: Snapshot, found: tuple[Granularity, ...]) -> None:
        """Write the run with fewer topics, if the run is saved. Raises StoreError if the disk
        refuses."""
        if self.get(run_id) is None:
            return
        try:
            fewer.write(self.folder / "runs" / run_id, at, found)
        except OSError as problem:
            why = problem.strerror or problem
            raise store.StoreError(f"{self.folder} cannot be written ({why}).") from problem

    @property
    def n_bytes(self) -> int:
        """Bytes of all saved runs and corpora on disk, deleted ones that can come back too."""
        return sum(
            store.bytes_of(owned_files.files_in(self.folder, name)) for name in ("runs", "corpora")
        )

    # ---- changes by a person ---------------------------------------------------------------

    def rename(self, run_id: str, name: str) -> None:
        """Give the run another name, of one line; an empty one gives it its identity."""
        self._listing.set(run_id, "name", one_line(name, NAME_LENGTH) or run_id)

    def tag(self, run_id: str, tags: tuple[str, ...]) -> None:
        """Give the run these tags, of one line; spaces around them and repetitions go."""
        clean = sorted({one_line(tag, TAGS_LENGTH) for tag in tags} - {""})
        self._listing.set(run_id, "tags", clean)

    def label(self, run_id: str, labels: Labels) -> None:
        """Keep the names that a person gave to topics, and which are hidden or pinned."""
        self._listing.set(run_id, "labels", short_labels(labels).to_json())

    def delete(self, run_id: str) -> None:
        """Take the run off the list; `restore` brings it back for a week."""
        self._listing.set(run_id, "deleted", time.time())

    def restore(self, run_id: str) -> None:
        self._listing.set(run_id, "deleted", None)

    def forget(self, run_ids: Sequence[str]) -> None:
        """Remove these runs for good, and corpora without a run; runs that the disk refuses to
        remove stay listed."""
        self._removal.forget(run_ids)

    def purge(self, deleted_before: float = math.inf, counted: float = 0.0) -> None:
        """Remove deleted runs, incomplete files, and corpora without a run or a job from the disk.

        A run is removed if it was deleted before `deleted_before` and at least `counted` counted
        seconds ago. Raises NotRemoved at the end if the disk refused something."""
        self._removal.purge(deleted_before, counted)

    def days_left(self, run_id: str) -> float:
        """Return the days for which a deleted run can at least still be restored."""
        return self._removal.days_left(run_id)

    def damaged(self) -> list[Damaged]:
        """Return runs that cannot be listed, and remains of runs whose server was killed before
        their first save."""
        return self._removal.damaged()

    def discard(self, run_id: str) -> None:
        """Remove a damaged run for good. Raises StoreError if there is none, or if the disk
        refuses."""
        self._removal.discard(run_id)


def _unpacked(path: Path, kinds: dict[str, Any]) -> list[Any]:
    """The named values of a file, each of its type."""
    manifest, arrays = store.read(path)
    with store.named(path.name):
        return [
            store.unpack(kind, store.part(manifest, name), arrays) for name, kind in kinds.items()
        ]
