"""Remove deleted runs after a week, incomplete files, and texts without a run."""

import contextlib
import math
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ...core import owned_files, store
from .jobs import Jobs
from .listing import Listing
from .rows import Damaged, Saved

DAY = 86_400.0
KEPT_AFTER_DELETION = 7 * DAY
"""Seconds that a deleted run can still be brought back, by the clock and counted (`_count`)."""
UNFINISHED = 3600.0
"""Seconds after which an incomplete file counts as abandoned."""


class NotRemoved(store.StoreError):
    """The disk refused to remove something; all else that should go is gone."""


class Removal:
    """Removes our own files below the folder of a library; used once."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._listing = folder, Listing(folder)
        self._refused: list[str] = []
        """Sentences on files that the disk refused to remove."""

    def purge(self, deleted_before: float = math.inf, counted: float = 0.0) -> None:
        """Do the work of `Library.purge`. Raises NotRemoved at the end."""
        now, seconds = self._count()
        for saved in self._listing.rows(deleted=True):
            asked = saved.deleted is not None and saved.deleted < deleted_before
            if asked and self._long_ago(saved, now, seconds, counted):
                self._remove(saved.run_id)
        there = [saved.run_id for saved in self._listing.rows(deleted=True)]
        kept = {run_id: seconds.get(run_id, 0.0) for run_id in there}
        with contextlib.suppress(OSError):  # a full disk: they are kept for longer
            store.write_json(self._counted_path, {"at": now, "seconds": kept})
        self.unfinished(time.time() - UNFINISHED)
        self.corpora_without_run()
        self._tell()

    def _remove(self, run_id: str) -> None:
        """Hide a run by a new name, so that no part of it can be restored, then remove it.

        It stays in its folder, since `runs` may be a link to another disk.
        """
        for folder in self._listing.folders():  # an identity may be no name of a folder at all
            if folder.name == run_id:
                with self._trying(f"The run {run_id}"):
                    os.replace(folder, folder.with_name(owned_files.HIDDEN + run_id))
        self._remove_hidden()

    def _remove_hidden(self) -> None:
        """Remove hidden runs, also those of killed processes; files that are not ours stay."""
        for folder in (self._folder / "runs").glob(f"{owned_files.HIDDEN}*"):
            run_id = folder.name.removeprefix(owned_files.HIDDEN)
            with self._trying(f"What is left of the run {run_id}"):
                if folder.is_symlink():
                    folder.unlink()
                    continue
                for path in filter(owned_files.may_go, list(folder.iterdir())):
                    path.unlink()
                if any(folder.iterdir()):
                    os.replace(folder, folder.with_name(run_id))
                else:
                    folder.rmdir()

    @contextlib.contextmanager
    def _trying(self, what: str) -> Iterator[None]:
        """Collect errors of the disk within the block, for `_tell`."""
        try:
            yield
        except FileNotFoundError:  # another process removed it, or wrote it to its end
            return
        except OSError as problem:
            why = problem.strerror or problem
            self._refused.append(f"{what} cannot be removed from {self._folder} ({why}).")

    def _tell(self) -> None:
        if self._refused:
            more = len(set(self._refused)) - 1
            raise NotRemoved(self._refused[0] + (f" So it is with {more} more." if more else ""))

    def forget(self, run_ids: Sequence[str]) -> None:
        """Remove these runs for good, and corpora without a run; a run that the disk refuses to
        remove stays listed."""
        for run_id in run_ids:
            self._remove(run_id)
        self.corpora_without_run()

    def days_left(self, run_id: str) -> float:
        """How long a deleted run can still be brought back, at least."""
        return max(0.0, KEPT_AFTER_DELETION - self._count()[1].get(run_id, 0.0)) / DAY

    @staticmethod
    def _long_ago(saved: Saved, now: float, seconds: Mapping[str, float], counted: float) -> bool:
        """Whether it was deleted `counted` seconds ago, counted and, unless that was in the
        future, by the clock, too: it may have been brought back and deleted again."""
        by_clock = saved.deleted is None or not 0.0 <= now - saved.deleted < counted
        return by_clock and seconds.get(saved.run_id, 0.0) >= counted

    def _count(self) -> tuple[float, dict[str, float]]:
        """(now, run -> seconds since it was seen deleted first).

        Counted from one purge to the next, a day at most and never back, whatever the clock says:
        one that jumps forward by a year takes a day of the week, and one that was ahead when a run
        was deleted does not keep it for years.
        """
        now, before = time.time(), store.read_json(self._counted_path)
        try:
            gone = min(max(now - float(before["at"]), 0.0), DAY)
            return now, {str(r): float(s) + gone for r, s in before["seconds"].items()}
        except (LookupError, TypeError, ValueError, AttributeError):
            return now, {}  # the first purge, or a damaged file: counted from now on

    @property
    def _counted_path(self) -> Path:
        return self._folder / "deleted.json"

    # ---- damaged runs ----------------------------------------------------------------------

    def damaged(self) -> list[Damaged]:
        """Return the runs of `Library.damaged`, without those that may be being saved now."""
        old = time.time() - UNFINISHED
        return [one for one in self._listing.damaged() if not self._under_way(one.run_id, old)]

    def discard(self, run_id: str) -> None:
        """Remove a damaged run for good. Raises StoreError if there is none of that name, and
        NotRemoved."""
        if run_id not in {one.run_id for one in self._listing.damaged()}:
            raise store.StoreError(f"There is no damaged run {run_id}.")
        self._remove(run_id)
        self.corpora_without_run()
        self._tell()

    def _under_way(self, run_id: str, before: float) -> bool:
        """Whether a folder without a row may be in its first save."""
        folder = self._folder / "runs" / run_id
        try:
            fresh = folder.stat().st_mtime >= before
        except OSError:  # a row without a folder
            return False
        return fresh and not (folder / "row.json").exists()

    def corpora_without_run(self) -> None:
        """Remove texts that neither a run nor a job needs, and races that lost all their runs."""
        self._races_without_runs()
        saved_runs = (*self._listing.rows(), *self._listing.rows(deleted=True))
        needed = {saved.corpus_key for saved in saved_runs}
        needed |= {job.corpus_key for job in Jobs(self._folder).all()}
        listed = {saved.run_id for saved in saved_runs}
        with_row = (one for one in self._listing.folders() if os.path.exists(one / "row.json"))
        if any(folder.name not in listed for folder in with_row):
            return  # an unreadable row may need any corpus
        for path in owned_files.files_in(self._folder, "corpora"):
            if path.suffix == ".zip" and path.stem not in needed:
                with self._trying(path.name):
                    path.unlink()

    def _races_without_runs(self) -> None:
        """Remove races whose runs are all removed, so that nothing can continue."""
        jobs = Jobs(self._folder).all()  # first: the runs of a race are on the disk before it is
        saved_runs = (*self._listing.rows(), *self._listing.rows(deleted=True))
        there = {saved.run_id for saved in saved_runs}
        there |= {folder.name for folder in self._listing.folders()}
        for job in jobs:
            run_ids = job.about.get("run_ids")
            if isinstance(run_ids, list) and there.isdisjoint(map(str, run_ids)):
                Jobs(self._folder).remove(job.job_id)

    def unfinished(self, before: float) -> None:
        """Remove incomplete files and runs of killed processes from before `before`."""
        for path in owned_files.files_in(self._folder):
            with self._trying(path.name):
                if path.suffix == ".part" and path.stat().st_mtime < before:
                    path.unlink()
        self._remove_hidden()
        for one in self._listing.damaged():
            folder = self._folder / "runs" / one.run_id
            saved = any((folder / name).exists() for name in ("row.json", "standing.zip"))
            if not saved and folder.is_dir() and folder.stat().st_mtime < before:
                self._remove(one.run_id)
